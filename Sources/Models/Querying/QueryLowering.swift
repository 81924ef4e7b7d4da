import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore

/// Makes the planner's form of a query: the same nodes that binding the same text gives.
struct QueryLowering {
  let catalog: Catalog
  let shape: QueryShape
  /// By attribute of the entity.
  let columns: [ColumnDescriptor?]
  let updatedColumn: ColumnID?
  let parameters: [Parameter]
  /// Whether values stand in the query itself, as people write them.
  private let hasConstants: Bool
  private let terms: TermLowering
  private let nowhere = SourceRange(at: 0)

  /// `types` are all types of the schema, by number. The sets and items of conditions have numbers from `firstSet` and
  /// `firstItem` on; with constants, values stand in the place of parameters.
  init(
    _ shape: QueryShape, _ catalog: Catalog, _ types: [AnyTypeMapping], parameters: [Parameter],
    hasConstants: Bool = false, firstSet: Int? = nil, firstItem: Int = 0
  ) {
    self.shape = shape
    self.catalog = catalog
    columns = types[Int(shape.type.index)].columns
    updatedColumn = shape.hasMetadata ? types[Int(shape.type.index)].updatedColumn : nil
    self.parameters = parameters
    self.hasConstants = hasConstants
    let usualSet = if case .relation = shape.source { 2 } else { 1 }
    terms = TermLowering(
      shape.type, types, parameters, hasConstants: hasConstants, firstSet: firstSet ?? usualSet, firstItem: firstItem)
  }

  func query() -> BoundQuery {
    var query = BoundQuery(
      name: nil,
      parameters: parameters.enumerated().map { number, parameter in
        BoundParameter(
          name: "p\(number)", signature: TypeSignature(parameter.type), defaultValue: nil, range: nowhere)
      }, catalogVersion: catalog.version)
    let leaf = BoundSelection.Shape.object([])
    switch shape.source {
    case .all: query.sets = [set(.all)]
    case .deleted: query.sets = [set(.deleted(includesLive: false))]
    case .rows: query.sets = [set(.given)]
    case .relation(let relation):
      let source = catalog[relation].source
      query.sets = [
        BoundSet(type: source, source: .given, range: nowhere), set(.relation(.scope(0, source), relation)),
      ]
      let field = BoundField(key: "members", content: .many(SelectionID(1)), range: nowhere)
      query.selections = [
        BoundSelection(set: SetID(0), shape: .object([field])), BoundSelection(set: SetID(1), shape: leaf),
      ]
    }
    if query.selections.isEmpty { query.selections = [BoundSelection(set: SetID(0), shape: leaf)] }
    query.fields = [BoundField(key: "members", content: .many(SelectionID(0)), range: nowhere)]
    query.sets += terms.sets
    query.itemCount = terms.itemCount
    return query
  }

  /// The sets that the conditions of ``set(_:)`` ask about, and how many items these go through, those before included.
  var conditionSets: (sets: [BoundSet], itemCount: Int) { (terms.sets, terms.itemCount) }

  /// What is wanted of a source.
  func set(_ source: BoundSet.Source) -> BoundSet {
    BoundSet(
      type: shape.type, source: source,
      predicate: shape.givesNothing(in: shape.order) ? falsehood : shape.condition.map(expression),
      order: shape.order.map(term),
      limit: shape.isSliced ? parameter(parameters.count - 2) : nil,
      offset: shape.isSliced ? parameter(parameters.count - 1) : nil, range: nowhere)
  }

  private func term(_ key: OrderKey) -> BoundOrderTerm {
    switch key {
    case .attribute(let attribute, let isDescending):
      BoundOrderTerm(column(attribute), isDescending: isDescending)
    case .optional(let attribute, let isDescending):
      BoundOrderTerm(column(attribute), isDescending: isDescending, nullsFirst: !isDescending)
    case .updatedAt(let isDescending): BoundOrderTerm(updated, isDescending: isDescending)
    case .finer(let attribute, let isDescending):
      BoundOrderTerm(
        BoundExpression(.call(.finer, [column(attribute)]), .int, at: nowhere), isDescending: isDescending)
    case .score: BoundOrderTerm(score, isDescending: true)
    }
  }

  private var score: BoundExpression {
    BoundExpression(.score((shape.condition?.searches ?? []).map(expression)), .float, at: nowhere)
  }

  private var updated: BoundExpression {
    guard let updatedColumn else { return BoundExpression(.constant(.null), .scalar(.dateTime), at: nowhere) }
    return BoundExpression(.column(.scope(0, shape.type), updatedColumn), .scalar(.dateTime), at: nowhere)
  }

  private func column(_ attribute: Int) -> BoundExpression {
    terms.attribute(attribute, of: shape.type, .scope(0, shape.type))
  }

  private func parameter(_ number: Int) -> BoundExpression {
    if hasConstants {
      return BoundExpression(.constant(parameters[number].value), parameters[number].type, at: nowhere)
    }
    return BoundExpression(.parameter(number), parameters[number].type, at: nowhere)
  }

  private func boolean(_ kind: BoundExpression.Kind) -> BoundExpression { BoundExpression(kind, .boolean, at: nowhere) }

  private var falsehood: BoundExpression { boolean(.constant(.boolean(false))) }

  private func expression(_ condition: Condition) -> BoundExpression {
    switch condition {
    case .compare(let op, let attribute, let number):
      return boolean(.compare(op, column(attribute), parameter(number)))
    case .text(let test, let attributes, let number, let isCaseSensitive):
      let tests = attributes.map { attribute -> BoundExpression in
        let text = self.text(attribute)
        let subject = isCaseSensitive ? text : BoundExpression(.fold(text), .string, at: nowhere)
        return boolean(.textTest(test, subject, parameter(number)))
      }
      return tests.count == 1 ? tests[0] : boolean(.or(tests))
    case .isNull(let attribute): return boolean(.isNull(column(attribute)))
    case .matches(let attributes, let number):
      let columns = attributes.compactMap { self.columns[$0]?.id }
      let index = catalog[shape.type].indexes.map { catalog[$0] }.first { index in
        index.kind == .fullText && columns.allSatisfy(index.columns.contains)
      }
      let source = TextSource(
        language: index?.language ?? "en", columns: columns, type: shape.type, index: index?.id)
      return boolean(.matches(attributes.map(column), query: parameter(number), source))
    case .updated where updatedColumn == nil: return falsehood
    case .updated(let from, let to):
      return boolean(
        .inRange(updated, lower: parameter(from), upper: parameter(to), includesUpper: true))
    case .term(let term): return terms.expression(term)
    case .and(let parts): return boolean(.and(flattened(parts, isAnd: true).map(expression)))
    case .or(let parts): return boolean(.or(flattened(parts, isAnd: false).map(expression)))
    case .not(let part):
      let inner = expression(part)
      // What is unknown does not hold, so its negation does.
      return boolean(.not(isKnown(part) ? inner : boolean(.isTrue(inner))))
    }
  }

  /// Whether a condition always holds or does not, because no column of it may be null.
  private func isKnown(_ condition: Condition) -> Bool {
    switch condition {
    // Null is a value for equality.
    case .compare(let op, let attribute, _):
      op == .equal || op == .notEqual || columns[attribute]?.isNonNull == true
    case .text(_, let attributes, _, _), .matches(let attributes, _):
      attributes.allSatisfy { columns[$0]?.isNonNull == true }
    case .isNull, .updated: true
    case .term: false
    case .and(let parts), .or(let parts): parts.allSatisfy(isKnown)
    case .not: true
    }
  }

  /// A column's text; that of other types is made of them.
  private func text(_ attribute: Int) -> BoundExpression {
    let column = column(attribute)
    return column.type == .string ? column : BoundExpression(.convert(column), .string, at: nowhere)
  }

  private func flattened(_ parts: [Condition], isAnd: Bool) -> [Condition] {
    parts.flatMap { part -> [Condition] in
      switch part {
      case .and(let inner) where isAnd: flattened(inner, isAnd: true)
      case .or(let inner) where !isAnd: flattened(inner, isAnd: false)
      case .term(.and(let inner)) where isAnd: flattened(inner.map { .term($0) }, isAnd: true)
      case .term(.or(let inner)) where !isAnd: flattened(inner.map { .term($0) }, isAnd: false)
      default: [part]
      }
    }
  }
}

extension QueryShape {
  /// The set whose members are wanted: the first one, or the second where there are parents.
  var wanted: SetID {
    if case .relation = source { SetID(1) } else { SetID(0) }
  }
}

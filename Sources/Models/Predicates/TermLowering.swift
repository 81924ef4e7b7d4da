import GQLBase
import GQLCatalog
import GQLQuery

/// Makes bound expressions of terms, and the sets that they test.
final class TermLowering {
  private let types: [AnyTypeMapping]
  private let parameters: [Parameter]
  private let hasValues: Bool
  private let catalog: Catalog
  /// Where it stands when the entity that is asked was saved last; nil if that is not kept.
  private let updatedColumn: ColumnID?
  private let firstSet: Int
  private(set) var sets: [BoundSet] = []
  private(set) var itemCount: Int
  private let nowhere = SourceRange(at: 0)

  /// What the expressions of a level go through.
  private enum Element {
    case entity(EntityTypeID)
    case item(Int, ValueType)
  }
  /// By level, the one that is asked first.
  private var elements: [Element]

  /// The sets that are made have numbers from `firstSet` on, the items from `firstItem` on; `hasValues` says whether values
  /// stand in the place of parameters.
  init(
    _ type: EntityTypeID, _ types: [AnyTypeMapping], _ catalog: Catalog, _ parameters: [Parameter], hasValues: Bool,
    hasMetadata: Bool, firstSet: Int, firstItem: Int
  ) {
    self.types = types
    self.catalog = catalog
    self.parameters = parameters
    self.hasValues = hasValues
    self.firstSet = firstSet
    updatedColumn = hasMetadata ? types[Int(type.index)].updatedColumn : nil
    itemCount = firstItem
    elements = [.entity(type)]
  }

  func expression(_ term: Term) -> BoundExpression {
    switch term {
    case .parameter(let number): return parameter(number)
    case .truth(let truth): return boolean(.constant(.boolean(truth)))
    case .null: return make(.constant(.null), .null)
    case .attribute(let place, let number):
      let (reference, type) = entity(place)
      return attribute(number, of: type, reference)
    case .isPresent(let place):
      let (reference, type) = entity(place)
      return boolean(.not(boolean(.isNull(make(.entity(reference), .entity(type))))))
    case .hasObject(let place, let number):
      let (reference, type) = entity(place)
      guard let column = types[Int(type.index)].columns[number] else { return boolean(.constant(.boolean(false))) }
      return boolean(.isTrue(make(.column(reference, column.id), .boolean)))
    case .item(let level):
      guard case .item(let number, let type) = elements[level] else { return make(.constant(.null), .null) }
      return make(.item(.scope(elements.count - 1 - level, EntityTypeID(0)), number), type)
    case .compare(let op, let left, let right): return boolean(.compare(op, expression(left), expression(right)))
    case .and(let parts): return boolean(.and(flattened(parts, isAnd: true).map(expression)))
    case .or(let parts): return boolean(.or(flattened(parts, isAnd: false).map(expression)))
    case .not(let part): return boolean(.not(expression(part)))
    case .negated(let part):
      // What is unknown does not hold, so its negation does.
      let inner = expression(part)
      return boolean(.not(isKnown(part) ? inner : boolean(.isTrue(inner))))
    case .fold(let part): return make(.fold(text(part)), .string)
    case .matches(let attributes, let number): return search(attributes, number)
    case .updated(let from, let to):
      guard updatedColumn != nil else { return boolean(.constant(.boolean(false))) }
      return boolean(.inRange(updated, lower: parameter(from), upper: parameter(to), includesUpper: true))
    case .isTrue(let part): return boolean(.isTrue(expression(part)))
    case .isNull(let part): return boolean(.isNull(expression(part)))
    case .text(let test, let text, let part): return boolean(.textTest(test, self.text(text), self.text(part)))
    case .inList(let value, let list): return boolean(.inList(expression(value), expression(list)))
    case .inRange(let value, let lower, let upper, let includesUpper):
      return boolean(
        .inRange(
          expression(value), lower: lower.map(expression), upper: upper.map(expression), includesUpper: includesUpper))
    case .arithmetic(let op, let left, let right):
      let (first, second) = (expression(left), expression(right))
      return make(.arithmetic(op, first, second), first.type)
    case .quotient(let left, let right):
      let (first, second) = (expression(left), expression(right))
      return make(.call(.div, [first, second]), first.type)
    case .negate(let part):
      let operand = expression(part)
      return make(.negate(operand), operand.type)
    case .finer(let part): return make(.call(.finer, [expression(part)]), .int)
    case .coalesce(let parts):
      let operands = parts.map(expression)
      return make(.coalesce(operands), type(of: operands))
    case .conditional(let parts):
      let operands = parts.map(expression)
      // Conditions stand at even places, but for the last, which is what is left.
      let values = operands.indices.filter { $0 % 2 == 1 || $0 == operands.count - 1 }.map { operands[$0] }
      return make(.conditional(operands), type(of: values))
    case .length(let list): return make(.call(.length, [expression(list)]), .int)
    case .element(let list, let index):
      let operand = expression(list)
      guard case .list(let element) = operand.type else { return make(.constant(.null), .null) }
      return make(.element(operand, expression(index)), element)
    case .members(let quantifier, let place, let relation, let body):
      guard let (set, target) = members(place, relation) else { return boolean(.constant(.boolean(false))) }
      return boolean(.quantifier(quantifier, set, body.map { entering(.entity(target), $0) }))
    case .count(let place, let relation, let body):
      guard let (set, target) = members(place, relation) else { return make(.constant(.int(0)), .int) }
      if let body { sets[set.index - firstSet].predicate = entering(.entity(target), body) }
      return make(.aggregate(.count, set, nil), .int)
    case .elements(let quantifier, let list, let body):
      let operand = expression(list)
      guard case .list(let element) = operand.type else { return boolean(.constant(.boolean(false))) }
      let number = itemCount
      itemCount += 1
      let test = entering(.item(number, element), body)
      return boolean(.listCall(.quantifier(quantifier), operand, item: number, test))
    }
  }

  /// An attribute's value; null where a type has no column for it, which conditions that columns can tell do not ask.
  func attribute(_ number: Int, of type: EntityTypeID, _ reference: EntityReference) -> BoundExpression {
    guard let column = types[Int(type.index)].columns[number] else { return make(.constant(.null), .null) }
    return make(.column(reference, column.id), column.type)
  }

  /// A value that was lifted out.
  func parameter(_ number: Int) -> BoundExpression {
    let parameter = parameters[number]
    return make(hasValues ? .constant(parameter.value) : .parameter(number), parameter.type)
  }

  /// When the entity that is asked was saved last.
  var updated: BoundExpression {
    guard case .entity(let type) = elements[0], let updatedColumn else {
      return make(.constant(.null), .scalar(.dateTime))
    }
    return make(.column(.scope(elements.count - 1, type), updatedColumn), .scalar(.dateTime))
  }

  /// A text; an id of a schema in text, and what is another scalar there, is made one.
  private func text(_ term: Term) -> BoundExpression {
    let operand = expression(term)
    return operand.type == .string || operand.type == .null ? operand : make(.convert(operand), .string)
  }

  /// A search for words in texts of the entity that is asked.
  private func search(_ attributes: [Int], _ number: Int) -> BoundExpression {
    guard case .entity(let type) = elements[0] else { return boolean(.constant(.boolean(false))) }
    let columns = attributes.compactMap { types[Int(type.index)].columns[$0]?.id }
    let index = catalog[type].indexes.map { catalog[$0] }.first { index in
      index.kind == .fullText && columns.allSatisfy(index.columns.contains)
    }
    let source = TextSource(language: index?.language ?? "en", columns: columns, type: type, index: index?.id)
    let texts = attributes.map { attribute($0, of: type, .scope(elements.count - 1, type)) }
    return boolean(.matches(texts, query: parameter(number), source))
  }

  /// The parts, with those of what is joined in the same way.
  private func flattened(_ parts: [Term], isAnd: Bool) -> [Term] {
    parts.flatMap { part -> [Term] in
      switch part {
      case .and(let inner) where isAnd: flattened(inner, isAnd: true)
      case .or(let inner) where !isAnd: flattened(inner, isAnd: false)
      default: [part]
      }
    }
  }

  /// Returns whether a condition on the entity always holds or does not.
  private func isKnown(_ term: Term) -> Bool {
    switch term {
    // Null is a value for equality.
    case .compare(let op, let left, let right): op == .equal || op == .notEqual || isThere(left) && isThere(right)
    case .text(_, let left, let right): isThere(left) && isThere(right)
    case .matches(let attributes, _): attributes.allSatisfy { isThere(.attribute(.level(0), $0)) }
    case .isNull, .updated, .negated, .isTrue, .truth, .isPresent, .hasObject, .inList, .members, .elements: true
    case .and(let parts), .or(let parts): parts.allSatisfy(isKnown)
    case .not(let part): isKnown(part)
    default: false
    }
  }

  /// Returns whether a value of the entity is never null.
  private func isThere(_ term: Term) -> Bool {
    switch term {
    case .parameter: return true
    case .attribute(.level(0), let number):
      guard elements.count == 1, case .entity(let type) = elements[0] else { return false }
      return types[Int(type.index)].columns[number]?.isNonNull == true
    case .fold(let part): return isThere(part)
    default: return false
    }
  }

  /// The type of those that are not null by themselves.
  private func type(of operands: [BoundExpression]) -> ValueType {
    operands.first { $0.type != .null }?.type ?? .null
  }

  private func entering(_ element: Element, _ body: Term) -> BoundExpression {
    elements.append(element)
    defer { elements.removeLast() }
    return expression(body)
  }

  /// How an entity is reached from the level that is current, and its type.
  private func entity(_ place: Term.Place) -> (EntityReference, EntityTypeID) {
    switch place {
    case .level(let level):
      guard level < elements.count, case .entity(let type) = elements[level] else {
        return (.scope(0, EntityTypeID(0)), EntityTypeID(0))
      }
      return (.scope(elements.count - 1 - level, type), type)
    case .target(let base, let number):
      let (reference, type) = entity(base)
      guard let relation = types[Int(type.index)].relations[number] else { return (reference, type) }
      return (.toOne(reference, relation.id), relation.target)
    }
  }

  private func members(_ place: Term.Place, _ number: Int) -> (SetID, EntityTypeID)? {
    let (reference, type) = entity(place)
    guard let relation = types[Int(type.index)].relations[number] else { return nil }
    sets.append(BoundSet(type: relation.target, source: .relation(reference, relation.id), range: nowhere))
    return (SetID(firstSet + sets.count - 1), relation.target)
  }

  private func make(_ kind: BoundExpression.Kind, _ type: ValueType) -> BoundExpression {
    BoundExpression(kind, type, at: nowhere)
  }

  private func boolean(_ kind: BoundExpression.Kind) -> BoundExpression { make(kind, .boolean) }
}

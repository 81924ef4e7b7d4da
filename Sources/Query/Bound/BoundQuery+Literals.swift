import GQLBase
import GQLCatalog

/// A place of a text where a constant is written whose value may come from a parameter instead.
package struct LiteralPlace: Sendable {
  package var range: SourceRange
  /// The name of the parameter. No variable has it.
  package var name: String

  package init(range: SourceRange, name: String) {
    self.range = range
    self.name = name
  }
}

extension BoundQuery {
  /// Returns the query with a parameter in the place of the constant that is written at each place, and these constants;
  /// nil where one of them stands for something that its value may decide while binding.
  ///
  /// A constant is replaced where a condition compares it with a column that is not case-folded, where it is the key of
  /// a lookup, and where it is the limit or the offset of a set. A constant that is used elsewhere too is not replaced.
  package func replacingConstants(at places: [LiteralPlace], _ catalog: Catalog) -> (
    query: BoundQuery, constants: [Value]
  )? {
    var replacement = ConstantReplacement(query: self, places: places, catalog: catalog)
    return replacement.run()
  }
}

/// The work of ``BoundQuery/replacingConstants(at:_:)``.
private struct ConstantReplacement {
  var query: BoundQuery
  let places: [LiteralPlace]
  let catalog: Catalog
  /// The parameter of each place; nil where none was made yet.
  private var slots: [Int?]
  private var constants: [Value] = []
  /// Set where a place is a value of two types.
  private var isAmbiguous = false

  init(query: BoundQuery, places: [LiteralPlace], catalog: Catalog) {
    self.query = query
    self.places = places
    self.catalog = catalog
    slots = Array(repeating: nil, count: places.count)
    constants = Array(repeating: .null, count: places.count)
  }

  mutating func run() -> (query: BoundQuery, constants: [Value])? {
    guard query.segments.isEmpty, query.structuralParameters.isEmpty,
      // Whether a forced access is possible may hang on a constant.
      !query.sets.contains(where: { $0.hint != nil }),
      !query.fields.contains(where: { if case .introspection = $0.content { true } else { false } })
    else { return nil }
    // Cursors hold what their order is, sets in it included: these stay as they are written.
    let shown = query.sets.contains { $0.paging != nil } ? Set(query.selections.map(\.set)) : nil
    for index in query.sets.indices where shown?.contains(SetID(index)) ?? true {
      query.sets[index].predicate = query.sets[index].predicate.map { condition($0) }
      query.sets[index].limit = query.sets[index].limit.map { constant($0) }
      query.sets[index].offset = query.sets[index].offset.map { constant($0) }
      if case .key(let id, let keys) = query.sets[index].source, catalog[id].columns.count == keys.count {
        let type = catalog[id].type
        let replaced = zip(catalog[id].columns, keys).map { isFolded($0, of: type) ? $1 : constant($1) }
        query.sets[index].source = .key(id, replaced)
      }
    }
    return isAmbiguous || slots.contains(nil) ? nil : (query, constants)
  }

  private func isFolded(_ column: ColumnID, of type: EntityTypeID) -> Bool {
    catalog[type].columns[Int(column.index)].foldedFrom != nil
  }

  /// A column of which the cells are compared as they are.
  private func isPlain(_ expression: BoundExpression) -> Bool {
    guard case .column(let reference, let column) = expression.kind else { return false }
    return !isFolded(column, of: reference.type(catalog))
  }

  private mutating func condition(_ expression: BoundExpression) -> BoundExpression {
    var copy = expression
    switch expression.kind {
    case .and(let parts): copy.kind = .and(parts.map { condition($0) })
    case .or(let parts): copy.kind = .or(parts.map { condition($0) })
    case .not(let part): copy.kind = .not(condition(part))
    case .isTrue(let part): copy.kind = .isTrue(condition(part))
    case .compare(let comparison, let left, let right):
      if isPlain(left) {
        copy.kind = .compare(comparison, left, constant(right))
      } else if isPlain(right) {
        copy.kind = .compare(comparison, constant(left), right)
      }
    case .inRange(let value, let lower, let upper, let includesUpper) where isPlain(value):
      copy.kind = .inRange(
        value, lower: lower.map { constant($0) }, upper: upper.map { constant($0) }, includesUpper: includesUpper)
    case .textTest(let test, let text, let part) where isPlain(text):
      copy.kind = .textTest(test, text, constant(part))
    case .quantifier(let quantifier, let set, let body):
      copy.kind = .quantifier(quantifier, set, body.map { condition($0) })
    default: break
    }
    return copy
  }

  private mutating func constant(_ expression: BoundExpression) -> BoundExpression {
    guard case .constant(let value) = expression.kind, !value.isNull,
      let place = places.firstIndex(where: { $0.range == expression.range })
    else { return expression }
    if let slot = slots[place] {
      if query.parameters[slot].signature.type != expression.type { isAmbiguous = true }
      return BoundExpression(.parameter(slot), expression.type, at: expression.range)
    }
    slots[place] = query.parameters.count
    constants[place] = value
    query.parameters.append(
      BoundParameter(
        name: places[place].name, signature: TypeSignature(expression.type, isNonNull: true), defaultValue: nil,
        range: expression.range))
    return BoundExpression(.parameter(query.parameters.count - 1), expression.type, at: expression.range)
  }
}

import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// A condition on one column that every member of a set meets: only rows that meet it can be members.
enum Narrowing {
  /// The values that the column may have, as hashes; nil for null.
  case values([UInt64?])
  /// The images of values that it may have.
  case interval(ClosedRange<UInt64>)
}

/// Reads conditions on one column, whose other side a run knows from its parameters.
struct NarrowingReader {
  let catalog: Catalog
  let parameters: [GQLCatalog.Value?]
  let cells = CellReader()
  /// Values of a list that are looked up one by one.
  private static let mostValues = 256

  init(_ catalog: Catalog, _ parameters: [GQLCatalog.Value?]) {
    self.catalog = catalog
    self.parameters = parameters
  }

  /// Returns what a condition says of a column of an element; nil where it says nothing of one alone.
  func read(_ condition: BoundExpression) -> (reference: EntityReference, column: ColumnID, Narrowing)? {
    switch condition.kind {
    case .compare(let comparison, let left, let right):
      if let found = read(comparison, left, right) { return found }
      return read(comparison.swapped, right, left)
    case .isNull(let operand):
      guard case .column(let reference, let column) = operand.kind, isKey(reference, column) else { return nil }
      return (reference, column, .values([nil]))
    case .inValues(let operand, let values):
      guard case .column(let reference, let column) = operand.kind, isKey(reference, column),
        values.count <= Self.mostValues
      else { return nil }
      var hashes: [UInt64?] = []
      for value in values {
        guard let value = known(value), let hash = hash(value, reference, column) else { return nil }
        hashes.append(hash)
      }
      return (reference, column, .values(hashes))
    case .inList(let operand, let list):
      guard case .column(let reference, let column) = operand.kind, isKey(reference, column),
        let list = known(list)
      else { return nil }
      guard case .list(let values) = list else { return list == .null ? (reference, column, .values([])) : nil }
      guard values.count <= Self.mostValues else { return nil }
      var hashes: [UInt64?] = []
      for value in values {
        guard let hash = hash(value, reference, column) else { return nil }
        hashes.append(hash)
      }
      return (reference, column, .values(hashes))
    case .inRange(let operand, let lower, let upper, _):
      guard case .column(let reference, let column) = operand.kind, isKey(reference, column) else { return nil }
      var bounds = UInt64.min...UInt64.max
      if let lower {
        guard let value = known(lower), let image = image(value, reference, column) else { return nil }
        bounds = image...max(image, bounds.upperBound)
      }
      if let upper {
        guard let value = known(upper), let image = image(value, reference, column) else { return nil }
        if image < bounds.lowerBound { return (reference, column, .values([])) }
        bounds = bounds.lowerBound...image
      }
      return (reference, column, .interval(bounds))
    default: return nil
    }
  }

  private func read(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
  ) -> (reference: EntityReference, column: ColumnID, Narrowing)? {
    guard case .column(let reference, let column) = left.kind, isKey(reference, column), let value = known(right) else {
      return nil
    }
    switch comparison {
    case .equal:
      guard let hash = hash(value, reference, column) else { return nil }
      return (reference, column, .values([hash]))
    case .notEqual: return nil
    case .less, .lessOrEqual:
      guard let image = image(value, reference, column) else { return nil }
      return (reference, column, .interval(.min...image))
    case .greater, .greaterOrEqual:
      guard let image = image(value, reference, column) else { return nil }
      return (reference, column, .interval(image ... .max))
    }
  }

  /// Indicates whether change sets name the column, and its values can be looked up.
  private func isKey(_ reference: EntityReference, _ column: ColumnID) -> Bool {
    let descriptor = catalog[reference.type(catalog)][column]
    if descriptor.foldedFrom != nil { return false }
    switch descriptor.kind {
    case .int64, .float64, .byte, .code, .decimal, .text: return true
    case .reference, .references, .wordList, .wideList: return false
    }
  }

  /// The value of an expression that a run knows before it begins.
  func known(_ expression: BoundExpression) -> GQLCatalog.Value? { expression.value(with: parameters) }

  /// The hash of a value of a column, nil for null; none where the column has no such values.
  func hash(_ value: GQLCatalog.Value, _ reference: EntityReference, _ column: ColumnID) -> UInt64?? {
    if value == .null { return .some(nil) }
    let descriptor = catalog[reference.type(catalog)][column]
    return cells.withCell(value, descriptor) { KeyHash.cell($0, descriptor.kind) }.map { .some($0) }
  }

  private func image(_ value: GQLCatalog.Value, _ reference: EntityReference, _ column: ColumnID) -> UInt64? {
    let descriptor = catalog[reference.type(catalog)][column]
    return cells.withCell(value, descriptor) { KeyOrder.image($0, descriptor) }
  }
}

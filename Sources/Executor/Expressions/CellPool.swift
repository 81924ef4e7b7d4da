import GQLBase
import GQLCatalog
import GQLStore

/// Cells for values from outside the store (constants, parameters), with the memory that they point to.
package final class CellPool: @unchecked Sendable {
  package init() {}

  /// The value as a cell of a column of that type; nil for null (and for objects, which have no cell).
  package func cell(_ value: Value, _ type: ValueType) -> Cell? { nil }
}

import GQLBase
import GQLCatalog
import GQLStore

/// Appends the JSON of a value of any type; `null` where there is none.
package func write(
  _ vector: Vector, _ position: Int, type: ValueType, catalog: Catalog, into buffer: inout ByteBuffer
) {}

/// The same for a non-null value in the form of a column's cell.
package func write(_ cell: Cell, type: ValueType, catalog: Catalog, into buffer: inout ByteBuffer) {}

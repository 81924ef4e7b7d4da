import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

// Stands in for what the branches `pipeline`, `store` and `base` bring; the file goes when they are merged.
package struct ByteBuffer: ~Copyable {}
package final class Snapshot: Sendable {
  package func column(_ type: EntityTypeID, _ column: ColumnID) -> ColumnReader { preconditionFailure() }
}
package struct Expansion {
  package var offsets: ContiguousArray<UInt32> = []
  package var rows: ContiguousArray<UInt32> = []
}
package final class Execution {
}

import GQLBase
import GQLCatalog

/// One immutable version of a store. Readers may use it from any thread for as long as they hold it.
package final class Snapshot: @unchecked Sendable, Statistics {
  package let catalog: Catalog
  /// Larger than that of the snapshot that this one was made from; branches from one snapshot may share it.
  package let version: UInt64

  private init() { preconditionFailure() }

  package static func empty(_ catalog: Catalog) -> Snapshot { preconditionFailure() }
  /// The rows that have been given out, tombstones included; all readers take rows below it.
  package func slotCount(_ type: EntityTypeID) -> Int { preconditionFailure() }
  /// Live entities.
  package func liveCount(_ type: EntityTypeID) -> Int { preconditionFailure() }
  package func column(_ type: EntityTypeID, _ column: ColumnID) -> ColumnReader { preconditionFailure() }
  /// The reader of byte cells in which 1 marks live rows; nil while the type has no tombstones.
  package func liveness(_ type: EntityTypeID) -> ColumnReader? { preconditionFailure() }
  /// Precondition: a hash index.
  package func hashIndex(_ id: IndexID) -> HashIndexReader { preconditionFailure() }
  /// Precondition: a B-tree index.
  package func btree(_ id: IndexID) -> BTreeReader { preconditionFailure() }
  /// Whether no cell is null and cells do not decrease with the row; false where unknown.
  package func isAscending(_ type: EntityTypeID, _ column: ColumnID) -> Bool { preconditionFailure() }
  /// References that await a target, see ``WriteTransaction/rememberDangling(_:source:key:)``.
  package var danglingCount: Int { preconditionFailure() }
  /// Compares every index, relation, count and flag with a full scan. Complexity: O(n log n).
  package func check() -> [Inconsistency] { preconditionFailure() }

  // MARK: - Statistics

  /// Live entities; the number of slots is ``slotCount(_:)``.
  package func rowCount(_ type: EntityTypeID) -> Int { preconditionFailure() }
  package func distinctCount(_ type: EntityTypeID, _ column: ColumnID) -> Double? { preconditionFailure() }
  package func nullCount(_ type: EntityTypeID, _ column: ColumnID) -> Int { preconditionFailure() }
  package func fanOut(_ relation: RelationID) -> FanOut { preconditionFailure() }
  package func cardinality(_ index: IndexID, _ range: KeyRange) -> Int? { preconditionFailure() }
  package var generation: UInt64 { preconditionFailure() }
}

import GQLBase
import GQLCatalog

/// Appends the case-folded form of UTF-8 bytes to a buffer.
package typealias TextFold = @Sendable (UnsafeRawBufferPointer, inout ContiguousArray<UInt8>) -> Void

/// Changes on the way to the next snapshot. For one thread; dropping it leaves no trace.
///
/// A call that throws leaves the transaction as it was before that call (``endBulk()`` excepted).
package final class WriteTransaction {
  package let base: Snapshot

  /// `fold` fills the hidden columns of case-folded text.
  package init(_ base: Snapshot, fold: @escaping TextFold = foldASCII) { preconditionFailure() }

  /// The next version. The transaction must not be used afterwards.
  package func commit() -> Snapshot { preconditionFailure() }

  // MARK: - Reading what was written

  package func slotCount(_ type: EntityTypeID) -> Int { preconditionFailure() }
  package func liveCount(_ type: EntityTypeID) -> Int { preconditionFailure() }
  package func isLive(_ type: EntityTypeID, _ row: UInt32) -> Bool { preconditionFailure() }
  /// The reader is valid until the next call that changes the transaction.
  package func column(_ type: EntityTypeID, _ column: ColumnID) -> ColumnReader { preconditionFailure() }
  /// The row with this primary key: one cell per component.
  package func findRow(_ type: EntityTypeID, key: UnsafePointer<Cell>) -> UInt32? { preconditionFailure() }
  /// The row that an index has under the key. Precondition: a unique index; not between begin- and endBulk.
  package func findRow(_ index: IndexID, key: UnsafePointer<Cell>) -> UInt32? { preconditionFailure() }
  /// A snapshot of what was written so far; the transaction goes on. Complexity: as ``commit()``, and what is written
  /// next is copied again.
  package func snapshot() -> Snapshot { preconditionFailure() }

  // MARK: - Writing

  /// Adds an entity: one cell and one validity per column of the type, in order; relation columns and folded columns
  /// are ignored. Texts and lists are copied. A list's cell is the address of its cells (8 bytes each in a `.wordList`,
  /// 16 in a `.wideList`; one validity byte each behind all of them) and their count in `high`.
  package func insert(
    _ type: EntityTypeID, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>
  ) throws(StoreProblem) -> UInt32 { preconditionFailure() }

  /// Replaces a cell; nil makes it null. Not for relation columns.
  package func update(
    _ type: EntityTypeID, _ row: UInt32, _ column: ColumnID, _ cell: Cell?
  ) throws(StoreProblem) { preconditionFailure() }

  /// Points a to-one relation at `target`.
  package func setReference(
    _ relation: RelationID, source: UInt32, target: UInt32?
  ) throws(StoreProblem) { preconditionFailure() }

  /// Makes `targets`, repeats left out, the whole run of a to-many relation, in this order.
  package func setReferences(
    _ relation: RelationID, source: UInt32, targets: UnsafeBufferPointer<UInt32>
  ) throws(StoreProblem) { preconditionFailure() }

  /// Links, at the end of the run; nothing happens where the link exists. To-one relations are set.
  package func appendReference(
    _ relation: RelationID, source: UInt32, target: UInt32
  ) throws(StoreProblem) { preconditionFailure() }

  /// Unlinks; nothing happens where there is no such link.
  package func removeReference(
    _ relation: RelationID, source: UInt32, target: UInt32
  ) throws(StoreProblem) { preconditionFailure() }

  /// Deletes an entity and what the relations' delete rules say; gives the deleted rows by type, the entity first.
  @discardableResult
  package func delete(_ type: EntityTypeID, _ row: UInt32) throws(StoreProblem) -> [DeletedRow] {
    preconditionFailure()
  }

  // MARK: - Bulk loading

  /// Until ``endBulk()``, inserting maintains the primary key only, and links are collected.
  package func beginBulk() { preconditionFailure() }
  /// Links within a bulk. The run of `source` is in the order of calls, and so is the other direction's.
  package func linkBulk(_ relation: RelationID, source: UInt32, target: UInt32) { preconditionFailure() }
  /// Builds runs and indexes. If it throws, the transaction must be dropped.
  package func endBulk() throws(StoreProblem) { preconditionFailure() }

  // MARK: - Links to entities that do not exist yet

  /// Links `source` when an entity with this primary key (of one component) is inserted.
  package func rememberDangling(_ relation: RelationID, source: UInt32, key: Cell) { preconditionFailure() }
  package var danglingCount: Int { preconditionFailure() }
}

package struct DeletedRow: Hashable, Sendable {
  package var type: EntityTypeID
  package var row: UInt32
  package init(type: EntityTypeID, row: UInt32) {
    self.type = type
    self.row = row
  }
}

/// Folds A–Z only.
@Sendable package func foldASCII(_ bytes: UnsafeRawBufferPointer, _ folded: inout ContiguousArray<UInt8>) {
  for byte in bytes { folded.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) }
}

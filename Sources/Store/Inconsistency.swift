import GQLCatalog

/// A difference between two things that the store keeps equal; found by ``Snapshot/check()`` only where the store has
/// a mistake.
package enum Inconsistency: Hashable, Sendable {
  /// An index lacks `row`, or finds it under a wrong key or in a wrong place.
  case indexEntry(IndexID, row: UInt32)
  /// An index counts entries or keys differently than a full scan does.
  case indexCount(IndexID, expected: Int, found: Int)
  /// The nodes or pages of an index do not hang together.
  case indexStructure(IndexID)
  /// `source` links to `target`, but the inverse does not link back (or `target` is no live row).
  case oneSidedLink(RelationID, source: UInt32, target: UInt32)
  /// A run names `target` twice.
  case repeatedLink(RelationID, source: UInt32, target: UInt32)
  /// A tombstone that still has links.
  case deletedSource(RelationID, source: UInt32)
  /// A live row without the one target that it must have, and that waits for none.
  case missingLink(RelationID, source: UInt32)
  /// A live row without a value that it must have.
  case missingValue(EntityTypeID, ColumnID, row: UInt32)
  case nullCount(EntityTypeID, ColumnID, expected: Int, found: Int)
  /// A null cell that is not zero, or a reference whose validity contradicts it.
  case validity(EntityTypeID, ColumnID, row: UInt32)
  /// A value or link of an embedded object that is not there.
  case absentObject(EntityTypeID, ColumnID, row: UInt32)
  case foldedText(EntityTypeID, ColumnID, row: UInt32)
  case liveCount(EntityTypeID, expected: Int, found: Int)
  case ascendingFlag(EntityTypeID, ColumnID)
  case linkCount(RelationID, expected: Int, found: Int)
  /// An entity without a mirrored row in each interface and union of its type, or a mirrored row of none or of several.
  case mirror(EntityTypeID, row: UInt32)
  /// The list of deleted entities lacks the row, has it wrongly, or does not find it by its key.
  case deletedRow(EntityTypeID, row: UInt32)
  /// A suspended link of `source` that is out of place, or whose target is not deleted or does not remember it.
  case suspendedLink(RelationID, source: UInt32, target: UInt32)
}

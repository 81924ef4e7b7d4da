import GQLCatalog

/// Why the store refuses a change.
package enum StoreProblem: Error, Hashable, Sendable {
  /// A second row with the key of `existing`. `row` is the other one where it exists already (bulk loading).
  case uniqueViolation(index: IndexID, existing: UInt32, row: UInt32?)
  /// `relation`'s rule is DENY and its source `row`, which was to be deleted, still has targets.
  case denied(relation: RelationID, row: UInt32)
  /// The source `row` of the required to-one `relation` would lose its target.
  case requiredReference(relation: RelationID, row: UInt32)
  /// Links of one bulk that cannot all be.
  case contradiction(LinkContradiction)
  case tooManyRows(EntityTypeID)
  case textTooLong(EntityTypeID, ColumnID)
  /// ``WriteTransaction/isStopped`` said so. Some of the change is made: the transaction must be dropped.
  case stopped
}

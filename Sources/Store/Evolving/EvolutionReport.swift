import GQLCatalog

/// What became of data that was put under another catalog.
package struct EvolutionReport: Sendable {
  /// The values of one field.
  package struct Column: Sendable, Hashable {
    package var type: EntityTypeID
    package var column: ColumnID
    /// Values that the new type does not have.
    package var lost = 0
    /// Values that are another after the conversion.
    package var inexact = 0
    /// Of an enum: how many lost ones there were of each old value.
    package var lostCodes: [Int] = []
    /// Rows without a value where there must be one.
    package var missing = 0
    package var isEmpty: Bool { lost == 0 && inexact == 0 && missing == 0 }
  }

  /// The links of one direction.
  package struct Links: Sendable, Hashable {
    package var relation: RelationID
    /// Links whose target is not of the new type.
    package var unreachable = 0
    /// Links beyond the one that a to-one relation has.
    package var surplus = 0
    /// Live rows without a target that they must have.
    package var missing = 0
  }

  /// The rows that a unique index refuses.
  package struct Duplicates: Sendable, Hashable {
    package var index: IndexID
    /// Rows beyond the first of each key.
    package var surplus: Int
    /// One row each of the first few keys that several have.
    package var samples: [UInt32]
  }

  /// All in the terms of the new catalog.
  package var columns: [Column] = []
  package var links: [Links] = []
  package var duplicates: [Duplicates] = []
  /// By type: deleted entities that could not be found by the new key.
  package var keyless: [(type: EntityTypeID, count: Int)] = []
  /// Links that wait for a target which cannot come any more.
  package var dangling = 0
}

/// Why data was not put under another catalog.
package enum EvolutionFailure: Error, Sendable {
  /// The caller wanted to stop.
  case stopped
  /// It took more memory than it may.
  case memory
  case refused(StoreProblem)
}

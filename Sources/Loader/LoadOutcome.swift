import GQLBase
import GQLCatalog

/// A report of what a load did.
package struct LoadOutcome {
  /// Entities inserted, nested ones included, by type in the catalog's order.
  package internal(set) var inserted: [(type: EntityTypeID, count: Int)] = []
  /// Records that were skipped because they were bad.
  package internal(set) var skippedRecords = 0
  /// Links to ids that are not there; each connects if its entity comes later.
  package internal(set) var danglingLinks = 0
  /// Holds the first problems of skipped records, and links to ids that are not there.
  package internal(set) var warnings: [(source: SourceText, diagnostics: [Diagnostic])] = []
}

/// A step of a load.
package enum LoadStep: Sendable {
  /// Reads and expands files, before it is known what they hold.
  case opening
  /// Looks at all records for the types that they are of.
  case inferring
  case loading
  /// Connects what was loaded, and builds indexes.
  case connecting
}

/// A report of how far a load has come.
package struct LoadPosition {
  package internal(set) var step = LoadStep.loading
  package internal(set) var file: String
  /// Bytes read of all files.
  package internal(set) var bytes: Int
  package internal(set) var totalBytes: Int
  /// Records read.
  package internal(set) var records: Int
}

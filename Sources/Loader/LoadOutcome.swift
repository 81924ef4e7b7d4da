import GQLBase
import GQLCatalog

/// What a load did.
package struct LoadOutcome {
  /// Entities inserted, nested ones included, by type in the catalog's order.
  package var inserted: [(type: EntityTypeID, count: Int)] = []
  /// Records that were skipped because they were bad.
  package var skippedRecords = 0
  /// Links to ids that are not there; each connects if its entity comes later.
  package var danglingLinks = 0
  /// The first problems of skipped records, and links to ids that are not there.
  package var warnings: [(source: SourceText, diagnostics: [Diagnostic])] = []
}

/// How far a load has come.
package struct LoadPosition {
  package var file: String
  /// Bytes read of all files.
  package var bytes: Int
  package var totalBytes: Int
  /// Records read.
  package var records: Int
}

import GQLCatalog
import GQLStore

/// What other modules keep with the versions of a merge.
struct MergeCompanions: Sendable {
  var base: (any SnapshotCompanion)?
  var mine: (any SnapshotCompanion)?
  var theirs: (any SnapshotCompanion)?

  /// Returns those that go with one catalog.
  func moved(to catalog: Catalog) -> MergeCompanions {
    MergeCompanions(
      base: base?.moved(to: catalog), mine: mine?.moved(to: catalog), theirs: theirs?.moved(to: catalog))
  }

  /// Returns those that go with one catalog, where those of a draft and of its base may differ.
  func moved(from old: Catalog, to catalog: Catalog) -> MergeCompanions {
    old.version == catalog.version ? self : moved(to: catalog)
  }

  /// Returns whether a side has changed what belongs to a row of the base.
  func hasChanged(_ row: DeletedRow, _ side: MergeSide) -> Bool {
    (side == .mine ? mine : theirs)?.hasChanged(row, since: base) ?? false
  }

  /// Returns what goes with the result.
  ///
  /// - Parameter rows: Mine that are brought into theirs, by their numbers in both.
  func merged(_ rows: [(type: EntityTypeID, from: UInt32, to: UInt32)]) -> (any SnapshotCompanion)? {
    mine?.merged(into: theirs, rows: rows, since: base) ?? theirs
  }
}

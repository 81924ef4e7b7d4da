import GQLCatalog
import GQLStore

/// What other modules keep with the versions of a merge.
struct MergeCompanions: Sendable {
  /// A holder of what goes with the version that a row in conflict began with.
  struct Held: Sendable {
    var companion: (any SnapshotCompanion)?
  }

  var base: (any SnapshotCompanion)?
  var mine: (any SnapshotCompanion)?
  var theirs: (any SnapshotCompanion)?
  /// By rows of the base that were in conflict as a whole when it became the base, see ``HeldRow/whole``.
  var held: [DeletedRow: Held] = [:]

  /// Returns those that go with one catalog.
  func moved(to catalog: Catalog) -> MergeCompanions {
    var known: [ObjectIdentifier: any SnapshotCompanion] = [:]
    func move(_ companion: (any SnapshotCompanion)?) -> (any SnapshotCompanion)? {
      guard let companion else { return nil }
      if let found = known[ObjectIdentifier(companion)] { return found }
      let found = companion.moved(to: catalog)
      known[ObjectIdentifier(companion)] = found
      return found
    }
    return MergeCompanions(
      base: move(base), mine: move(mine), theirs: move(theirs),
      held: held.mapValues { Held(companion: move($0.companion)) })
  }

  /// Returns those that go with one catalog, where those of a draft and of its base may differ.
  func moved(from old: Catalog, to catalog: Catalog) -> MergeCompanions {
    old.version == catalog.version ? self : moved(to: catalog)
  }

  /// Returns whether a side has changed what belongs to a row of the base.
  func hasChanged(_ row: DeletedRow, _ side: MergeSide) -> Bool {
    (side == .mine ? mine : theirs)?.hasChanged(row, since: base) ?? false
  }

  /// Returns whether a side has changed what belongs to a row since the version that the row began with.
  func hasWritten(_ row: DeletedRow, _ side: MergeSide) -> Bool {
    (side == .mine ? mine : theirs)?.hasChanged(row, since: base(of: row)) ?? false
  }

  /// Returns what goes with the versions that rows in conflict began with.
  func holding(_ rows: [DeletedRow: HeldRow]) -> [DeletedRow: Held] {
    var result: [DeletedRow: Held] = [:]
    for (row, found) in rows where found.whole != nil { result[row] = Held(companion: base(of: row)) }
    return result
  }

  private func base(of row: DeletedRow) -> (any SnapshotCompanion)? {
    if let found = held[row] { found.companion } else { base }
  }

  /// Returns what goes with the result.
  ///
  /// - Parameter rows: Mine that are brought into theirs, by their numbers in both.
  func merged(_ rows: [(type: EntityTypeID, from: UInt32, to: UInt32)]) -> (any SnapshotCompanion)? {
    mine?.merged(into: theirs, rows: rows, since: base) ?? theirs
  }
}

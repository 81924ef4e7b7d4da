import GQLCatalog

/// A row that was in conflict when a version with it became the base, with what it began with. So the conflict can be
/// told again. What was not in conflict goes on from the base.
package struct HeldRow: Sendable {
  /// The version that all of the row began with; nil where the conflict was one of fields.
  package var whole: Snapshot?
  /// The versions that fields and links began with.
  package var columns: [ColumnID: Snapshot]

  package init(whole: Snapshot? = nil, columns: [ColumnID: Snapshot] = [:]) {
    self.whole = whole
    self.columns = columns
  }

  /// Returns the row with its versions mapped.
  package func mapVersions<Failure: Error>(
    _ transform: (Snapshot) throws(Failure) -> Snapshot
  ) throws(Failure) -> HeldRow {
    var result = HeldRow()
    if let whole { result.whole = try transform(whole) }
    for (column, version) in columns { result.columns[column] = try transform(version) }
    return result
  }
}

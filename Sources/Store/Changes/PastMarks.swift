import GQLCatalog

/// A note of what becomes of the history of rows with a version, for those who keep it.
struct PastMarks: Sendable {
  /// Rows of which the history is erased.
  var erased: Set<DeletedRow> = []
  /// Rows that go, and whose history stays: without that, what goes is erased.
  var kept: Set<DeletedRow> = []

  var isEmpty: Bool { erased.isEmpty && kept.isEmpty }

  /// Returns the marks of the changes of a type's rows.
  func marks(of type: Int, below slots: Int) -> [UInt32: UInt64] {
    if isEmpty { return [:] }
    var result: [UInt32: UInt64] = [:]
    for row in kept where Int(row.type.index) == type && Int(row.row) < slots { result[row.row] = RowChangeMarks.kept }
    for row in erased where Int(row.type.index) == type && Int(row.row) < slots {
      result[row.row] = RowChangeMarks.erased
    }
    return result
  }
}

/// What a run measured about one set, for all its parents and batches together.
package struct SetActuals: Sendable, Equatable {
  /// How many parents it was computed for; 1 at the root.
  package var parents: Int
  /// Rows that the access path gave.
  package var accessRows: Int
  /// Rows left behind filter and limit.
  package var rows: Int
  package var nanoseconds: UInt64
  package init(parents: Int = 0, accessRows: Int = 0, rows: Int = 0, nanoseconds: UInt64 = 0) {
    self.parents = parents
    self.accessRows = accessRows
    self.rows = rows
    self.nanoseconds = nanoseconds
  }
}

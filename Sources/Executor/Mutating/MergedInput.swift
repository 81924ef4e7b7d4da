/// What is merged into a row that is there.
enum MergedInput {
  /// A record of the stage.
  case record(Int)
  /// Cells of no record.
  case cells(CellAssignment)
}

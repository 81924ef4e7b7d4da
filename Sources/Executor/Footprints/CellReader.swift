import GQLCatalog
import GQLStore

/// Makes cells of values, for what looks them up outside of a run.
struct CellReader {
  private let scratch = ScratchArena()

  /// Calls with the cell of a value that a column can have; returns nil for others.
  func withCell<Result>(
    _ value: Value, _ column: ColumnDescriptor, _ body: (Cell) -> Result?
  ) -> Result? {
    let isOfColumn =
      switch (value, column.kind) {
      case (.int, .int64): column.type == .int
      case (.dateTime, .int64), (.date, .int64), (.duration, .int64): column.type != .int
      case (.int, .float64), (.float, .float64), (.boolean, .byte), (.decimal, .decimal), (.enumeration, .code): true
      case (.string, .text), (.id, .text), (.uuid, .text), (.bytes, .text): true
      default: false
      }
    guard isOfColumn, let cell = ParameterCells.cell(value, column.kind, scratch) else { return nil }
    defer { scratch.removeAll() }
    return body(cell)
  }
}

import GQLCatalog
import GQLStore
import GQLWriting

extension ScratchArena {
  /// Returns a list's cell over memory of the arena.
  func list(_ cells: [Cell?], _ element: ValueType) -> Cell {
    list(count: cells.count, element) { cells[$0] }
  }

  func list(count: Int, _ element: ValueType, _ cell: (Int) -> Cell?) -> Cell {
    list(count: count, isWide: ListRun.width(element) == 16, cell)
  }
}

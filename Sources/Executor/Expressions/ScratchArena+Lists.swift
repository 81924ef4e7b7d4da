import GQLCatalog
import GQLStore
import GQLWriting

extension ScratchArena {
  /// A list's cell over memory of the arena.
  func list(_ cells: [Cell?], _ element: ValueType) -> Cell {
    list(count: cells.count, element) { cells[$0] }
  }

  func list(count: Int, _ element: ValueType, _ cell: (Int) -> Cell?) -> Cell {
    if count == 0 { return Cell(low: 0) }
    let width = ListRun.width(element)
    let run = allocate(count * (width + 1))
    let validity = run + count * width
    for index in 0..<count {
      let cell = cell(index)
      (run + index * width).storeBytes(of: cell?.low ?? 0, as: UInt64.self)
      if width == 16 { (run + index * width + 8).storeBytes(of: cell?.high ?? 0, as: UInt64.self) }
      validity.storeBytes(of: cell == nil ? 0 : 1, toByteOffset: index, as: UInt8.self)
    }
    return Cell(low: UInt64(UInt(bitPattern: run)), high: UInt64(UInt32(truncatingIfNeeded: count)))
  }
}

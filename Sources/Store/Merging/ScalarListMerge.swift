import GQLCatalog

/// A merge of lists of scalars, by element. Of equal elements the first is the first of each list, and so on.
struct ScalarListMerge {
  private struct Element: Hashable {
    enum Value: Hashable {
      case null
      case words(UInt64, UInt64)
      case text(ContiguousArray<UInt8>)
    }
    var value: Value
    /// Counts equal ones.
    var number: Int
  }

  let element: ValueType
  let isText: Bool
  /// Has each element stand once, and takes one order where two contradict each other.
  let unites: Bool
  let prefersMine: Bool

  /// Returns the list; nil where there is none, because one side is null or both have moved elements.
  func run(base: Cell?, mine: Cell?, theirs: Cell?, _ memory: some CellMemory) -> (list: Cell?, isContradictory: Bool) {
    guard let mine, let theirs else { return (nil, false) }
    var cells: [Element: Cell] = [:]
    let old = base.map { elements(of: $0, &cells) } ?? []
    let merge = ListMerge(
      base: old, mine: elements(of: mine, &cells), theirs: elements(of: theirs, &cells), prefersMine: prefersMine)
    if merge.isContradictory, !unites { return (nil, true) }
    let merged = merge.elements
    let list = memory.list(count: merged.count, isWide: ListRun.width(element) == 16) { cells[merged[$0]] }
    return (list, merge.isContradictory)
  }

  private func elements(of list: Cell, _ cells: inout [Element: Cell]) -> [Element] {
    let run = ListRun(list, element)
    var counts: [Element.Value: Int] = [:]
    var result: [Element] = []
    for index in 0..<run.count {
      var value = Element.Value.null
      if !run.isNull(index) {
        let cell = run.cell(index)
        if isText {
          let bytes = run.textBytes(index)
          value = .text(ContiguousArray(UnsafeRawBufferPointer(start: bytes.start, count: bytes.count)))
        } else {
          value = .words(cell.low, cell.high)
        }
      }
      let number = counts[value, default: 0]
      counts[value] = number + 1
      if unites, number > 0 { continue }
      let found = Element(value: value, number: number)
      if !run.isNull(index), cells[found] == nil { cells[found] = run.cell(index) }
      result.append(found)
    }
    return result
  }
}

import GQLBase
import GQLCatalog
import GQLStore

/// The order terms' values for a number of rows, in a form that compares fast.
struct SortKeys {
  struct Term {
    var type: ValueType
    var isDescending: Bool
    var nullsFirst: Bool
    /// Equal images mean equal values.
    var isExact = true
    var images: UnsafeMutablePointer<UInt64>
    var cells: UnsafeMutablePointer<Cell>
    var valid: UnsafeMutablePointer<UInt8>
  }
  private(set) var terms: ContiguousArray<Term> = []
  let count: Int
  unowned(unsafe) private let execution: Execution

  /// Room for the values of `count` rows, in the set's memory.
  init(_ order: CompiledOrder, count: Int, _ state: SetState, _ execution: Execution) {
    self.execution = execution
    self.count = count
    // So that each term's values take whole cells.
    let words = (count + 15) & ~15
    let perTerm = words * 25
    let base = UnsafeMutableRawPointer(
      state.keys.room(for: Cell.self, count: perTerm * order.terms.count / MemoryLayout<Cell>.stride))
    for (index, term) in order.terms.enumerated() {
      let start = base + index * perTerm
      terms.append(
        Term(
          type: term.type, isDescending: term.isDescending, nullsFirst: term.nullsFirst,
          images: (start + words * 16).bindMemory(to: UInt64.self, capacity: words),
          cells: start.bindMemory(to: Cell.self, capacity: words),
          valid: (start + words * 24).bindMemory(to: UInt8.self, capacity: words)))
    }
  }

  /// Takes in the vectors of the batch that starts at row number `start`.
  mutating func take(
    _ vectors: UnsafePointer<Vector>, _ order: CompiledOrder, start: Int, count: Int, _ scratch: ScratchArena
  ) {
    for index in 0..<terms.count {
      let term = order.terms[index]
      let vector = vectors[index]
      let isExact = CellOrder.images(
        vector, count: count, type: term.type, descending: term.isDescending, nullsFirst: term.nullsFirst,
        into: terms[index].images + start)
      terms[index].isExact = terms[index].isExact && isExact
      let cells = terms[index].cells + start
      let valid = terms[index].valid + start
      let copiesText = vector.kind == .wide && !term.isStable && ColumnKind(term.type) == .text
      for position in 0..<count {
        let isNull = vector.isNull(position)
        valid[position] = isNull ? 0 : 1
        let cell = vector.cell(position)
        cells[position] = copiesText && !isNull ? scratch.copy(text: cell) : cell
      }
    }
  }

  /// Whether comparing the images of the first term decides everything.
  var isSingleExact: Bool { terms.count == 1 && terms[0].isExact }

  /// Negative, zero or positive.
  @inline(__always)
  func compare(_ left: Int, _ right: Int) -> Int {
    for number in 0..<terms.count {
      let term = terms[number]
      let a = term.images[left]
      let b = term.images[right]
      if a != b { return a < b ? -1 : 1 }
      if term.isExact { continue }
      let hasLeft = term.valid[left] != 0
      let hasRight = term.valid[right] != 0
      if hasLeft != hasRight { return hasLeft == term.nullsFirst ? 1 : -1 }
      guard hasLeft else { continue }
      let order = CellOrder.compare(term.cells[left], term.cells[right], term.type, execution)
      if order != 0 { return (order < 0) == term.isDescending ? 1 : -1 }
    }
    return 0
  }

  @inline(__always)
  func precedes(_ left: SortItem, _ right: SortItem) -> Bool {
    if left.key != right.key { return left.key < right.key }
    let order = compare(Int(left.index), Int(right.index))
    return order != 0 ? order < 0 : left.index < right.index
  }

  /// Returns an item for each of the rows, whose numbers here are those from `first` on; in the set's memory.
  func items(
    _ rows: UnsafePointer<UInt32>, _ count: Int, from first: Int, _ state: SetState
  ) -> UnsafeMutablePointer<SortItem> {
    let items = state.items.room(for: SortItem.self, count: count)
    let images = terms[0].images + first
    for index in 0..<count {
      items[index] = SortItem(
        key: images[index], index: UInt32(truncatingIfNeeded: first &+ index), row: rows[index])
    }
    return items
  }

  /// Sorts rows, whose numbers here are those from `first` on.
  func arrange(
    _ rows: UnsafeMutablePointer<UInt32>, _ count: Int, from first: Int, _ state: SetState, _ execution: Execution
  ) throws(RuntimeProblem) {
    guard count > 1 else { return }
    let items = items(rows, count, from: first, state)
    try sort(items, count, state, execution)
    for index in 0..<count { rows[index] = items[index].row }
  }

  /// Sorts items whose index is the row's number here.
  func sort(
    _ items: UnsafeMutablePointer<SortItem>, _ count: Int, _ state: SetState, _ execution: Execution
  ) throws(RuntimeProblem) {
    let spare = state.spare.room(for: SortItem.self, count: count)
    if isSingleExact {
      try RowSorting.sort(items, count, spare: spare, execution)
    } else {
      try RowSorting.mergeSort(items, count, spare, execution) { precedes($0, $1) }
      try execution.checkStop()
    }
  }

  /// Moves the first `capacity` of the items, in order, to the front; gives how many there are.
  func select(
    _ items: UnsafeMutablePointer<SortItem>, _ count: Int, first capacity: Int, _ state: SetState,
    _ execution: Execution
  )
    throws(RuntimeProblem) -> Int
  {
    guard capacity < count / 2 else {
      try sort(items, count, state, execution)
      return min(capacity, count)
    }
    // A heap of the smallest, the largest of them on top, in the place of the first ones.
    var start = capacity / 2
    while start > 0 {
      start -= 1
      sink(items, capacity, start, items[start])
    }
    for index in capacity..<count {
      if index & 0xFFFF == 0 { try execution.checkpoint() }
      if precedes(items[index], items[0]) { sink(items, capacity, 0, items[index]) }
    }
    // The heap has lost the order of the indices, on which the radix sort relies.
    let spare = state.spare.room(for: SortItem.self, count: capacity)
    try RowSorting.mergeSort(items, capacity, spare, execution) { precedes($0, $1) }
    return capacity
  }

  @inline(__always)
  private func sink(_ items: UnsafeMutablePointer<SortItem>, _ count: Int, _ start: Int, _ item: SortItem) {
    var hole = start
    while true {
      var child = hole &* 2 &+ 1
      guard child < count else { break }
      if child &+ 1 < count, precedes(items[child], items[child &+ 1]) { child &+= 1 }
      guard precedes(item, items[child]) else { break }
      items[hole] = items[child]
      hole = child
    }
    items[hole] = item
  }
}

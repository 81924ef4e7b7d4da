import GQLStore

/// A row or position with the image of its first order term.
struct SortItem: BitwiseCopyable {
  /// Order-preserving.
  var key: UInt64
  /// Decides between equal keys: the position in the list, or the row.
  var index: UInt32
  var row: UInt32

  @inline(__always)
  static func precedes(_ left: SortItem, _ right: SortItem) -> Bool {
    left.key != right.key ? left.key < right.key : left.index < right.index
  }
}

enum RowSorting {
  /// How many rows are kept sorted while they come, rather than in a heap.
  private static var keptSorted: Int { 12 }

  /// Writes the first `kept` of the rows in the order of their keys; returns how many there are.
  @inline(__always)
  static func first(
    _ kept: Int, of rows: UnsafePointer<UInt32>, _ keys: UnsafePointer<UInt64>, _ count: Int,
    _ items: UnsafeMutablePointer<SortItem>, _ state: SetState, _ execution: Execution
  ) throws(RuntimeProblem) -> Int {
    if kept <= keptSorted {
      var found = 0
      var threshold = UInt64.max
      for index in 0..<count {
        let key = keys[index]
        var hole = found
        if found == kept {
          // An equal key is too late.
          if key >= threshold { continue }
          hole = found &- 1
        } else {
          found &+= 1
        }
        while hole > 0, items[hole &- 1].key > key {
          items[hole] = items[hole &- 1]
          hole &-= 1
        }
        items[hole] = SortItem(key: key, index: UInt32(truncatingIfNeeded: index), row: rows[index])
        threshold = items[found &- 1].key
      }
      return found
    }
    if kept < count {
      var heap = TopHeap(items, capacity: kept)
      for index in 0..<count {
        let key = keys[index]
        if heap.isFull, key >= heap.threshold { continue }
        heap.offer(SortItem(key: key, index: UInt32(truncatingIfNeeded: index), row: rows[index]))
      }
    } else {
      for index in 0..<count {
        items[index] = SortItem(key: keys[index], index: UInt32(truncatingIfNeeded: index), row: rows[index])
      }
    }
    try sort(items, kept, spare: state.spare.room(for: SortItem.self, count: kept), execution)
    return kept
  }

  /// Sorts rows by their numbers. Complexity: O(*n*) where they ascend or descend already, as links mostly do.
  static func sort(_ rows: UnsafeMutablePointer<UInt32>, _ count: Int, descending: Bool) {
    guard count > 1 else { return }
    var buffer = UnsafeMutableBufferPointer(start: rows, count: count)
    var falls = false
    var rises = false
    for index in 1..<count {
      if rows[index] < rows[index - 1] { falls = true } else { rises = true }
    }
    if falls, rises { buffer.sort() }
    // Sorted ascending, or as it came.
    let isDescending = falls && !rises
    if isDescending != descending { buffer.reverse() }
  }

  /// Sorts ascending and leaves repeats out; gives the new count. `bits` is working memory; rows lie below `limit`.
  static func sortUnique(
    _ rows: UnsafeMutablePointer<UInt32>, _ count: Int, limit: Int, bits: inout BitMemory
  ) -> Int {
    guard count > 1 else { return count }
    var isSorted = true
    for index in 1..<count where rows[index &- 1] >= rows[index] {
      isSorted = false
      break
    }
    if isSorted { return count }
    if count < 24 {
      for index in 1..<count {
        let row = rows[index]
        var hole = index
        while hole > 0, rows[hole &- 1] > row {
          rows[hole] = rows[hole &- 1]
          hole &-= 1
        }
        rows[hole] = row
      }
      return unique(rows, count)
    }
    if limit >> 6 <= count &* 8 {
      bits.clear(rows: limit)
      bits.insert(rows, count)
      var written = 0
      let words = bits.pointer
      for word in 0..<bits.wordCount {
        var set = words[word]
        let first = UInt32(truncatingIfNeeded: word &<< 6)
        while set != 0 {
          rows[written] = first &+ UInt32(truncatingIfNeeded: set.trailingZeroBitCount)
          written &+= 1
          set &= set &- 1
        }
      }
      return written
    }
    var buffer = UnsafeMutableBufferPointer(start: rows, count: count)
    buffer.sort()
    return unique(rows, count)
  }

  private static func unique(_ rows: UnsafeMutablePointer<UInt32>, _ count: Int) -> Int {
    var written = 1
    for index in 1..<count {
      let row = rows[index]
      rows[written] = row
      if rows[written &- 1] != row { written &+= 1 }
    }
    return written
  }

  /// Keeps what the other ascending rows have too; gives the new count.
  static func intersect(
    _ rows: UnsafeMutablePointer<UInt32>, _ count: Int, _ other: UnsafePointer<UInt32>, _ otherCount: Int
  ) -> Int {
    var written = 0
    var place = 0
    for index in 0..<count {
      let row = rows[index]
      if place < otherCount, other[place] < row {
        // Gallops, as the other side may be much longer.
        var step = 1
        var low = place
        while low &+ step < otherCount, other[low &+ step] < row {
          low &+= step
          step &<<= 1
        }
        var high = min(low &+ step, otherCount)
        low &+= 1
        while low < high {
          let middle = (low &+ high) &>> 1
          if other[middle] < row { low = middle &+ 1 } else { high = middle }
        }
        place = low
      }
      guard place < otherCount else { break }
      if other[place] == row {
        rows[written] = row
        written &+= 1
      }
    }
    return written
  }

  /// Sorts by key, then index. `spare` has room for as many.
  static func sort(
    _ items: UnsafeMutablePointer<SortItem>, _ count: Int, spare: UnsafeMutablePointer<SortItem>,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    guard count > 1 else { return }
    if count < 24 {
      for index in 1..<count {
        let item = items[index]
        var hole = index
        while hole > 0, SortItem.precedes(item, items[hole &- 1]) {
          items[hole] = items[hole &- 1]
          hole &-= 1
        }
        items[hole] = item
      }
      return
    }
    if count < 1024 {
      var buffer = UnsafeMutableBufferPointer(start: items, count: count)
      buffer.sort(by: SortItem.precedes)
      return
    }
    var differing: UInt64 = 0
    var isByIndex = true
    let first = items[0].key
    for index in 1..<count {
      differing |= items[index].key ^ first
      isByIndex = isByIndex && items[index &- 1].index < items[index].index
    }
    guard isByIndex else { return try mergeSort(items, count, spare, execution, SortItem.precedes) }
    try radixSort(items, count, spare, differing, execution)
  }

  /// As many items as are sorted or moved without a look at what may stop the run: a few milliseconds.
  private static let step = 1 << 16
  /// Runs that are sorted at once before they are merged.
  private static let run = 1 << 13

  /// Sorts by any order; stops where the run is to stop. `spare` has room for as many.
  @inline(__always)
  static func mergeSort(
    _ items: UnsafeMutablePointer<SortItem>, _ count: Int, _ spare: UnsafeMutablePointer<SortItem>,
    _ execution: Execution, _ precedes: (SortItem, SortItem) -> Bool
  ) throws(RuntimeProblem) {
    var start = 0
    while start < count {
      let size = min(run, count - start)
      var buffer = UnsafeMutableBufferPointer(start: items + start, count: size)
      buffer.sort(by: precedes)
      start += size
      if count > run { try execution.checkpoint() }
    }
    var source = items
    var target = spare
    var width = run
    while width < count {
      var start = 0
      while start < count {
        let middle = min(start + width, count)
        let end = min(middle + width, count)
        var left = start
        var right = middle
        var place = start
        while place < end {
          let stop = min(end, place + step)
          while place < stop {
            if left < middle, right == end || !precedes(source[right], source[left]) {
              target[place] = source[left]
              left &+= 1
            } else {
              target[place] = source[right]
              right &+= 1
            }
            place &+= 1
          }
          try execution.checkpoint()
        }
        start = end
      }
      swap(&source, &target)
      width *= 2
    }
    if source != items { items.update(from: source, count: count) }
  }

  /// Least significant digit first, which is stable; digits that all keys share are skipped.
  private static func radixSort(
    _ items: UnsafeMutablePointer<SortItem>, _ count: Int, _ spare: UnsafeMutablePointer<SortItem>,
    _ differing: UInt64, _ execution: Execution
  ) throws(RuntimeProblem) {
    let counts = execution.scratch.allocate(Int.self, count: 2048)
    var source = items
    var target = spare
    var shift: UInt64 = 0
    while shift < 64 {
      defer { shift += 11 }
      guard differing >> shift & 2047 != 0 else { continue }
      counts.update(repeating: 0, count: 2048)
      for index in 0..<count { counts[Int(source[index].key >> shift & 2047)] &+= 1 }
      var sum = 0
      for digit in 0..<2048 {
        let number = counts[digit]
        counts[digit] = sum
        sum &+= number
      }
      var start = 0
      while start < count {
        let end = min(count, start + step)
        for index in start..<end {
          let item = source[index]
          let digit = Int(item.key >> shift & 2047)
          target[counts[digit]] = item
          counts[digit] &+= 1
        }
        start = end
        try execution.checkpoint()
      }
      swap(&source, &target)
    }
    if source != items { items.update(from: source, count: count) }
  }
}

/// The smallest items of a stream: a heap with the largest of them on top.
struct TopHeap {
  let items: UnsafeMutablePointer<SortItem>
  let capacity: Int
  private(set) var count = 0

  /// `items` has room for `capacity`, which is at least 1.
  init(_ items: UnsafeMutablePointer<SortItem>, capacity: Int) {
    self.items = items
    self.capacity = capacity
  }

  @inline(__always)
  var isFull: Bool { count == capacity }

  /// The key that a new item must stay below (or meet, with a smaller index). Precondition: full.
  @inline(__always)
  var threshold: UInt64 { items[0].key }

  @inline(__always)
  mutating func offer(_ item: SortItem) {
    if count < capacity {
      var hole = count
      count &+= 1
      while hole > 0 {
        let parent = (hole &- 1) &>> 1
        guard SortItem.precedes(items[parent], item) else { break }
        items[hole] = items[parent]
        hole = parent
      }
      items[hole] = item
    } else if SortItem.precedes(item, items[0]) {
      var hole = 0
      while true {
        var child = hole &* 2 &+ 1
        guard child < capacity else { break }
        if child &+ 1 < capacity, SortItem.precedes(items[child], items[child &+ 1]) { child &+= 1 }
        guard SortItem.precedes(item, items[child]) else { break }
        items[hole] = items[child]
        hole = child
      }
      items[hole] = item
    }
  }
}

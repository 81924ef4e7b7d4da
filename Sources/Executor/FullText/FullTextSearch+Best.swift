import GQLBase
import GQLStore
import GQLText

/// The best rows so far, the better ones first, equal ones by row.
struct BestRows {
  private(set) var heap: TopHeap

  init(_ items: UnsafeMutablePointer<SortItem>, capacity: Int) { heap = TopHeap(items, capacity: capacity) }

  /// Scores are not negative, so that their bits have their order.
  @inline(__always)
  static func key(_ score: Double) -> UInt64 { ~score.bitPattern }

  @inline(__always)
  mutating func offer(_ row: UInt32, _ score: Double) {
    heap.offer(SortItem(key: Self.key(score), index: row, row: row))
  }

  /// What a score must reach to be among the best; negative while there is room.
  @inline(__always)
  var threshold: Double { heap.isFull ? Double(bitPattern: ~heap.threshold) : -1 }
}

extension FullTextSearch {
  /// What scoring one list takes.
  private struct Scorer {
    var list: PostingList
    var weight: Double
    /// No posting of the list is worth more.
    var bound: Double
    /// The first posting that has not been passed.
    var place = 0

    /// Moves to the first posting whose row is not below `row`; whether it is this row.
    @inline(__always)
    mutating func advance(to row: UInt32) -> Bool {
      let rows = list.rows
      let count = list.count
      if place < count, rows[place] < row {
        var step = 1
        var low = place
        while low &+ step < count, rows[low &+ step] < row {
          low &+= step
          step &<<= 1
        }
        var high = min(low &+ step, count)
        low &+= 1
        while low < high {
          let middle = (low &+ high) &>> 1
          if rows[middle] < row { low = middle &+ 1 } else { high = middle }
        }
        place = low
      }
      return place < count && rows[place] == row
    }
  }

  /// Offers the rows that the query finds, or enough of them that none of the best is missing.
  ///
  /// The set's bits and candidates serve as working memory.
  func best(
    into best: inout BestRows, _ memory: SetState, _ execution: Execution
  ) throws(RuntimeProblem) {
    guard let root = query.root else { return }
    let average = statistics.averageLength
    let norms = (0...PostingWeight.largestLength).map { BM25.norm(length: $0, average: average) }
    let shape = shape(root)
    // Only alternatives are passed over by their bounds.
    let isBounded = if case .any = shape { true } else { false }
    var scorers: [Scorer] = []
    for leaf in query.leaves.indices where query.leaves[leaf].isWanted {
      scorers.append(scorer(leaf, norms, isBounded: isBounded))
      try execution.charge(lists[leaf].count)
    }
    try norms.withUnsafeBufferPointer { (norms) throws(RuntimeProblem) in
      // Safe because there are as many norms as lengths.
      let norms = norms.baseAddress.unsafelyUnwrapped
      try scorers.withUnsafeMutableBufferPointer { (scorers) throws(RuntimeProblem) in
        guard let scorers_ = scorers.baseAddress else { return }
        let count = scorers.count
        switch shape {
        case .all: try bestOfAll(scorers_, count, norms, into: &best, memory, execution)
        case .any: try bestOfAny(scorers_, count, norms, into: &best, memory, execution)
        case .other:
          var rows = RowBuffer()
          try collect(0..<slots, into: &rows, execution)
          for index in 0..<rows.count {
            try execution.charge(count)
            best.offer(rows[index], try score(rows[index], scorers_, count, norms, execution))
          }
        }
      }
    }
  }

  private enum Shape { case all, any, other }

  private func shape(_ root: TextQuery.Node) -> Shape {
    func isLeaf(_ node: TextQuery.Node) -> Bool {
      if case .leaf = node { true } else { false }
    }
    switch root {
    case .leaf: return .any
    case .any(let nodes): return nodes.allSatisfy(isLeaf) ? .any : .other
    case .all(let wanted, let excluded):
      return excluded.isEmpty && !wanted.isEmpty && wanted.allSatisfy(isLeaf) ? .all : .other
    }
  }

  private func scorer(_ leaf: Int, _ norms: [Double], isBounded: Bool) -> Scorer {
    let list = lists[leaf]
    let weight = BM25.weight(found: statistics.found[leaf], texts: statistics.texts)
    guard isBounded else { return Scorer(list: list, weight: weight, bound: .infinity) }
    // One pass over two bytes a posting: the largest frequency and the smallest length bound what all are worth.
    var largest: UInt16 = 0
    var smallest: UInt16 = 1023
    for index in 0..<list.count {
      let packed = list.weights[index]
      largest = max(largest, packed)
      smallest = min(smallest, packed & 1023)
    }
    let frequency = PostingWeight.frequency(largest)
    // A frequency of 63 stands for all above it.
    let share =
      frequency == PostingWeight.largestFrequency
      ? 1 : BM25.share(frequency: max(frequency, 1), norm: norms[Int(smallest)])
    // A little more than any rounding.
    return Scorer(list: list, weight: weight, bound: weight * share * 1.000_000_001)
  }

  /// The score of a row that the scorers stand before or at.
  @inline(__always)
  private func score(
    _ row: UInt32, _ scorers: UnsafeMutablePointer<Scorer>, _ count: Int, _ norms: UnsafePointer<Double>,
    _ execution: Execution
  ) throws(RuntimeProblem) -> Double {
    var score = 0.0
    for index in 0..<count where scorers[index].advance(to: row) {
      let packed = scorers[index].list.weights[scorers[index].place]
      guard PostingWeight.isExact(packed) else { return try readScore(row, execution) }
      score +=
        scorers[index].weight
        * BM25.share(frequency: PostingWeight.frequency(packed), norm: norms[PostingWeight.length(packed)])
    }
    return score
  }

  /// The score from the text itself, where it is too long for a weight.
  @inline(never)
  private func readScore(_ row: UInt32, _ execution: Execution) throws(RuntimeProblem) -> Double {
    try read(row, execution)
    return matcher.score(statistics)
  }

  /// Rows that all lists have: those in the two shortest, looked up in the others.
  private func bestOfAll(
    _ scorers: UnsafeMutablePointer<Scorer>, _ count: Int, _ norms: UnsafePointer<Double>, into best: inout BestRows,
    _ memory: SetState, _ execution: Execution
  ) throws(RuntimeProblem) {
    var order = Array(0..<count)
    order.sort { scorers[$0].list.count < scorers[$1].list.count }
    guard let shortest = order.first else { return }
    let list = scorers[shortest].list
    if count > 1, scorers[order[1]].list.count / Self.gallopingRatio <= list.count {
      let second = order[1]
      let other = scorers[second].list
      let found = try commonPlaces(list, other, memory, execution)
      for index in 0..<found {
        if index & 1023 == 1023 { try execution.charge(count << 10) }
        let place = Int(memory.candidates[index])
        let row = other.rows[place]
        scorers[second].place = place
        var isEverywhere = true
        for number in 2..<max(count, 2) where isEverywhere { isEverywhere = scorers[order[number]].advance(to: row) }
        if isEverywhere { best.offer(row, try score(row, scorers, count, norms, execution)) }
      }
      return
    }
    for index in 0..<list.count {
      if index & 1023 == 1023 { try execution.charge(count << 10) }
      let row = list.rows[index]
      var isEverywhere = true
      for other in 1..<max(count, 1) where isEverywhere { isEverywhere = scorers[order[other]].advance(to: row) }
      if isEverywhere { best.offer(row, try score(row, scorers, count, norms, execution)) }
    }
  }

  /// From this ratio of lengths on, looking up each posting of the shorter list costs less than passing over the longer.
  private static let gallopingRatio = 24

  /// Writes the places in `long` of the rows that both lists have to the candidates of `memory`; gives how many.
  ///
  /// Two passes without a branch that depends on the rows: bits for the shorter list, then each place of the longer one
  /// is stored, and counted if its bit is there.
  private func commonPlaces(
    _ short: PostingList, _ long: PostingList, _ memory: SetState, _ execution: Execution
  ) throws(RuntimeProblem) -> Int {
    let block = 1 << 16
    memory.bits.clear(rows: slots)
    memory.bits.insert(short.rows, short.count)
    memory.candidates.removeAll()
    memory.candidates.reserve(short.count + 1)
    let places = memory.candidates.base
    let words = memory.bits.pointer
    var found = 0
    var first = 0
    while first < long.count {
      let end = min(first + block, long.count)
      for place in first..<end {
        places[found] = UInt32(truncatingIfNeeded: place)
        let row = long.rows[place]
        found &+= Int(truncatingIfNeeded: words[Int(row) >> 6] >> UInt64(row & 63) & 1)
      }
      first = end
      try execution.checkpoint()
    }
    return found
  }

  /// Rows that any list has.
  ///
  /// Rows in all lists come first, because they are most often the best; they tell what the others must reach. Then
  /// lists that cannot reach it together are not walked, but looked into (MaxScore).
  private func bestOfAny(
    _ scorers: UnsafeMutablePointer<Scorer>, _ count: Int, _ norms: UnsafePointer<Double>, into best: inout BestRows,
    _ memory: SetState, _ execution: Execution
  ) throws(RuntimeProblem) {
    var minimum = -1.0
    if count > 1 {
      let items = UnsafeMutablePointer<SortItem>.allocate(capacity: best.heap.capacity)
      defer { items.deallocate() }
      var first = BestRows(items, capacity: best.heap.capacity)
      try bestOfAll(scorers, count, norms, into: &first, memory, execution)
      minimum = first.threshold
      for index in 0..<count { scorers[index].place = 0 }
    }
    // The least worth first; `sums[i]` is what the first i can be worth together.
    var order = Array(0..<count)
    order.sort { scorers[$0].bound < scorers[$1].bound }
    var sums = [0.0]
    for index in order { sums.append(sums[sums.count - 1] + scorers[index].bound) }
    var essential = 0
    var steps = 0
    while true {
      let needed = max(minimum, best.threshold)
      // Equal scores are wanted for their rows.
      while essential < count, sums[essential + 1] < needed { essential += 1 }
      guard essential < count else { return }
      if essential == count - 1 {
        // One list is left to walk.
        try walk(order, essential, sums[essential], scorers, count, norms, minimum, into: &best, execution)
        return
      }
      var row = UInt32.max
      for index in essential..<count {
        let scorer = scorers[order[index]]
        if scorer.place < scorer.list.count { row = min(row, scorer.list.rows[scorer.place]) }
      }
      if row == UInt32.max { return }
      steps &+= 1
      if steps & 255 == 0 { try execution.charge(count << 8) }
      let score = try score(row, scorers, count, norms, execution)
      if score >= needed { best.offer(row, score) }
      for index in essential..<count {
        let number = order[index]
        if scorers[number].place < scorers[number].list.count,
          scorers[number].list.rows[scorers[number].place] == row
        {
          scorers[number].place &+= 1
        }
      }
    }
  }

  /// Walks the list with the highest bound; the others can be worth `rest` together.
  private func walk(
    _ order: [Int], _ last: Int, _ rest: Double, _ scorers: UnsafeMutablePointer<Scorer>, _ count: Int,
    _ norms: UnsafePointer<Double>, _ minimum: Double, into best: inout BestRows,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    let number = order[last]
    let list = scorers[number].list
    let weight = scorers[number].weight
    var needed = max(minimum, best.threshold)
    for index in scorers[number].place..<max(list.count, scorers[number].place) {
      if index & 16383 == 16383 {
        try execution.checkpoint()
        if rest + scorers[number].bound < needed { return }
      }
      let packed = list.weights[index]
      let own =
        weight * BM25.share(frequency: PostingWeight.frequency(packed), norm: norms[PostingWeight.length(packed)])
      // A weight at its limit may be worth more than it says.
      if own * 1.000_000_001 + rest < needed, PostingWeight.isExact(packed) { continue }
      let row = list.rows[index]
      let isOwn = count == 1 && PostingWeight.isExact(packed)
      let score = isOwn ? own : try score(row, scorers, count, norms, execution)
      if score >= needed {
        best.offer(row, score)
        needed = max(minimum, best.threshold)
      }
    }
  }
}

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
  /// Offers the rows that the query finds, or enough of them that none of the best is missing.
  ///
  /// The set's bits, candidates and spare memory serve as working memory.
  func best(
    into best: inout BestRows, _ norms: LengthNorms, _ memory: SetState, _ execution: Execution
  ) throws(RuntimeProblem) {
    guard let root = query.root else { return }
    let shape = shape(root)
    // Only alternatives are passed over by their bounds.
    let isBounded = if case .any = shape { true } else { false }
    var scorers: [PostingScorer] = []
    for leaf in query.leaves.indices where query.leaves[leaf].isWanted {
      scorers.append(scorer(leaf, norms, isBounded: isBounded))
      try execution.charge(lists[leaf].count)
    }
    try scorers.withUnsafeMutableBufferPointer { (scorers) throws(RuntimeProblem) in
      guard let scorers_ = scorers.baseAddress else { return }
      let count = scorers.count
      switch shape {
      case .all: try bestOfAll(scorers_, count, norms.exact, into: &best, memory, execution)
      case .any: try bestOfAny(scorers_, count, norms, into: &best, memory, execution)
      case .other:
        var rows = RowBuffer()
        try collect(0..<slots, into: &rows, execution)
        for index in 0..<rows.count {
          try execution.charge(count)
          best.offer(rows[index], try score(rows[index], scorers_, count, norms.exact, execution).score)
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

  private func scorer(_ leaf: Int, _ norms: LengthNorms, isBounded: Bool) -> PostingScorer {
    let list = lists[leaf]
    let weight = BM25.weight(found: statistics.found[leaf], texts: statistics.texts)
    guard isBounded else { return PostingScorer(list, weight: weight, bound: .infinity) }
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
      ? 1 : BM25.share(frequency: max(frequency, 1), norm: norms.exact[Int(smallest)])
    // A little more than any rounding.
    return PostingScorer(list, weight: weight, bound: weight * share * 1.000_000_001)
  }

  /// The score of a row that the scorers stand before or at, and how many of their lists have it.
  @inline(__always)
  private func score(
    _ row: UInt32, _ scorers: UnsafeMutablePointer<PostingScorer>, _ count: Int, _ norms: UnsafePointer<Double>,
    _ execution: Execution
  ) throws(RuntimeProblem) -> (score: Double, lists: Int) {
    var score = 0.0
    var lists = 0
    var isExact = true
    for index in 0..<count where scorers[index].advance(to: row) {
      lists &+= 1
      let packed = scorers[index].list.weights[scorers[index].place]
      isExact = isExact && PostingWeight.isExact(packed)
      score +=
        scorers[index].weight
        * BM25.share(frequency: PostingWeight.frequency(packed), norm: norms[PostingWeight.length(packed)])
    }
    return (isExact ? score : try readScore(row, execution), lists)
  }

  /// The score from the text itself, where it is too long for a weight.
  @inline(never)
  private func readScore(_ row: UInt32, _ execution: Execution) throws(RuntimeProblem) -> Double {
    try read(row, execution)
    return matcher.score(statistics)
  }

  /// Rows that all lists have: those in the two shortest, looked up in the others.
  private func bestOfAll(
    _ scorers: UnsafeMutablePointer<PostingScorer>, _ count: Int, _ norms: UnsafePointer<Double>,
    into best: inout BestRows, _ memory: SetState, _ execution: Execution
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
        if isEverywhere { best.offer(row, try score(row, scorers, count, norms, execution).score) }
      }
      return
    }
    for index in 0..<list.count {
      if index & 1023 == 1023 { try execution.charge(count << 10) }
      let row = list.rows[index]
      var isEverywhere = true
      for other in 1..<max(count, 1) where isEverywhere { isEverywhere = scorers[order[other]].advance(to: row) }
      if isEverywhere { best.offer(row, try score(row, scorers, count, norms, execution).score) }
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
  /// Rows in all lists come first, because they are most often the best; they tell what the others must reach, each of
  /// which is not in some list. Then lists that cannot reach it together are not walked, but looked into (MaxScore). The lists that are walked are so
  /// window by window, without looking from one to another; see ``ScoreWindow``.
  private func bestOfAny(
    _ scorers: UnsafeMutablePointer<PostingScorer>, _ count: Int, _ norms: LengthNorms, into best: inout BestRows,
    _ memory: SetState, _ execution: Execution
  ) throws(RuntimeProblem) {
    if count > 1 {
      try bestOfAll(scorers, count, norms.exact, into: &best, memory, execution)
      for index in 0..<count { scorers[index].place = 0 }
    }
    // The least worth first; `sums[i]` is what the first i can be worth together.
    var order = Array(0..<count)
    order.sort { scorers[$0].bound < scorers[$1].bound }
    var sums = [0.0]
    for index in order { sums.append(sums[sums.count - 1] + scorers[index].bound) }
    // A row that is not in some list is worth so much less.
    let missing = count > 1 ? scorers[order[0]].bound : 0
    sums[count] -= missing
    var essential = 0
    let window = ScoreWindow(memory.spare.room(for: Float.self, count: ScoreWindow.rows))
    while true {
      var needed = best.threshold
      // Equal scores are wanted for their rows.
      while essential < count, sums[essential + 1] < needed { essential += 1 }
      guard essential < count else { return }
      if essential == count - 1 {
        // One list is left to walk.
        try walk(order, essential, sums[essential] - missing, scorers, count, norms, into: &best, execution)
        return
      }
      var first = UInt32.max
      for index in essential..<count {
        let scorer = scorers[order[index]]
        if scorer.place < scorer.list.count { first = min(first, scorer.list.rows[scorer.place]) }
      }
      if first == UInt32.max { return }
      var postings = 0
      for index in essential..<count { postings += window.add(&scorers[order[index]], from: first, norms.near) }
      try execution.charge(postings &* 4 &+ count)
      memory.candidates.removeAll()
      memory.candidates.reserve(min(postings, ScoreWindow.rows) + 1)
      let least = ScoreWindow.least(needed - sums[essential], lists: count)
      for index in essential..<count {
        window.take(scorers[order[index]], from: first, atLeast: least, into: &memory.candidates)
      }
      var candidates = UnsafeMutableBufferPointer(start: memory.candidates.base, count: memory.candidates.count)
      candidates.sort()
      for row in candidates {
        let (score, lists) = try score(row, scorers, count, norms.exact, execution)
        if score >= needed, count == 1 || lists < count {
          best.offer(row, score)
          needed = best.threshold
        }
      }
      for index in essential..<count { scorers[order[index]].endWindow() }
    }
  }

  /// Walks the list with the highest bound; the others can be worth `rest` together in a row that is left.
  private func walk(
    _ order: [Int], _ last: Int, _ rest: Double, _ scorers: UnsafeMutablePointer<PostingScorer>, _ count: Int,
    _ norms: LengthNorms, into best: inout BestRows, _ execution: Execution
  ) throws(RuntimeProblem) {
    let number = order[last]
    let (list, weight) = (scorers[number].list, scorers[number].weight)
    var needed = best.threshold
    let limits = WeightLimits()
    defer { limits.deallocate() }
    limits.set(needed - rest, weight, norms)
    for index in scorers[number].place..<max(list.count, scorers[number].place) {
      if index & 16383 == 16383 {
        try execution.checkpoint()
        if rest + scorers[number].bound < needed { return }
      }
      let packed = list.weights[index]
      if !limits.mayReach(packed) { continue }
      let row = list.rows[index]
      scorers[number].place = index
      let (score, lists) = try score(row, scorers, count, norms.exact, execution)
      if score >= needed, count == 1 || lists < count {
        best.offer(row, score)
        let before = needed
        needed = best.threshold
        if needed > before { limits.set(needed - rest, weight, norms) }
      }
    }
  }
}

/// The lengths of texts up to which a posting may be worth enough, by how often the word stands in the text.
private struct WeightLimits {
  private let lengths = UnsafeMutablePointer<UInt16>.allocate(capacity: PostingWeight.largestFrequency + 1)

  func deallocate() { lengths.deallocate() }

  /// - Parameter least: What a posting must be worth at least.
  func set(_ least: Double, _ weight: Double, _ norms: LengthNorms) {
    // A little less, by more than any rounding.
    let share = least / weight * 0.999_999_999
    for frequency in 0..<PostingWeight.largestFrequency {
      lengths[frequency] = UInt16(truncatingIfNeeded: norms.limit(frequency: frequency, share: share))
    }
    // A frequency at its limit may be more than it says.
    lengths[PostingWeight.largestFrequency] = UInt16(truncatingIfNeeded: PostingWeight.largestLength + 1)
  }

  @inline(__always)
  func mayReach(_ packed: UInt16) -> Bool {
    // Safe because a frequency has six bits.
    PostingWeight.length(packed) < Int(lengths[PostingWeight.frequency(packed)])
  }
}

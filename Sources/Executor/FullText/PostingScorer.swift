import GQLStore

/// A posting list that is walked for scores, and what its word is worth.
struct PostingScorer {
  let list: PostingList
  let weight: Double
  /// No posting of the list is worth more.
  let bound: Double
  /// The first posting that has not been passed.
  var place = 0
  /// The first posting beyond the window that was added last; see ``ScoreWindow``.
  fileprivate(set) var end = 0

  init(_ list: PostingList, weight: Double, bound: Double) {
    self.list = list
    self.weight = weight
    self.bound = bound
  }

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

  /// Passes all postings of the window.
  mutating func endWindow() { place = max(place, end) }
}

/// Sums of what words are worth in some thousand rows that follow one another: nearly the rows' scores, and for a word
/// of a very long text no less than it is worth. What cannot be among the best is told by them, with one addition and
/// one comparison a posting.
///
/// A sum is less exact than a score, which is looked up where a sum comes near to what is needed.
struct ScoreWindow {
  /// As many sums as stay in a processor's nearest cache.
  static let rows = 8192

  /// By row from the window's first on; zeros between windows.
  private let sums: UnsafeMutablePointer<Float>

  /// - Parameter memory: Room for ``rows`` sums, which outlives the window.
  init(_ memory: UnsafeMutablePointer<Float>) {
    sums = memory
    sums.update(repeating: 0, count: Self.rows)
  }

  /// Adds the postings of a list whose rows are in the window that begins with `first`; gives how many.
  ///
  /// - Parameter norms: By length of a text.
  func add(_ scorer: inout PostingScorer, from first: UInt32, _ norms: UnsafePointer<Float>) -> Int {
    let (rows, weights, count) = (scorer.list.rows, scorer.list.weights, scorer.list.count)
    let weight = Float(scorer.weight)
    var place = scorer.place
    while place < count {
      let offset = Int(rows[place] &- first)
      if offset >= Self.rows { break }
      let packed = weights[place]
      let frequency = Float(Int32(PostingWeight.frequency(packed)))
      let share = frequency / (frequency + norms[PostingWeight.length(packed)])
      // A weight at its limit may be worth more than it says.
      sums[offset] += PostingWeight.isExact(packed) ? weight * share : weight
      place &+= 1
    }
    scorer.end = place
    return place &- scorer.place
  }

  /// Appends the rows of a list's postings in the window whose sums reach `least`, each row once, and empties their sums.
  ///
  /// - Parameters:
  ///   - least: Positive, so that no row is taken of a second list.
  ///   - rows: Has room for all postings of the window.
  func take(_ scorer: PostingScorer, from first: UInt32, atLeast least: Float, into rows: inout RowBuffer) {
    var count = rows.count
    let base = rows.base
    for place in scorer.place..<max(scorer.end, scorer.place) {
      let row = scorer.list.rows[place]
      let offset = Int(row &- first)
      base[count] = row
      count &+= sums[offset] >= least ? 1 : 0
      sums[offset] = 0
    }
    rows.count = count
  }

  /// Returns what a sum must reach where the score must be `needed`: less by more than all roundings of as many lists.
  static func least(_ needed: Double, lists: Int) -> Float {
    max(Float(needed) * (1 - 1e-6 * Float(lists + 4)), .leastNonzeroMagnitude)
  }
}

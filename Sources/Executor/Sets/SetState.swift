import GQLStore

/// The working memory of one set in one execution.
final class SetState {
  /// The members, computed once, of a set that does not depend on what encloses it.
  @exclusivity(unchecked) var shared = Expansion()
  @exclusivity(unchecked) var sharedRun: UInt64 = 0
  /// The members of the set that a step starts from.
  @exclusivity(unchecked) var inner = Expansion()
  /// Bytes of it that are counted.
  @exclusivity(unchecked) var innerBytes = 0
  @exclusivity(unchecked) var bits = BitMemory()
  @exclusivity(unchecked) var positions = WorkMemory()
  @exclusivity(unchecked) var outer = WorkMemory()
  @exclusivity(unchecked) var items = WorkMemory()
  @exclusivity(unchecked) var spare = WorkMemory()
  @exclusivity(unchecked) var keys = WorkMemory()
  @exclusivity(unchecked) var starts = WorkMemory()
  @exclusivity(unchecked) var candidates = RowBuffer()
  @exclusivity(unchecked) var other = RowBuffer()
  /// What a cursor's place is looked for in.
  @exclusivity(unchecked) var linked = RowBuffer()
  @exclusivity(unchecked) var counted = Expansion()
  @exclusivity(unchecked) var countedBytes = 0
  @exclusivity(unchecked) var totals = WorkMemory()
  /// Parts of all elements' runs, and what was found in them.
  @exclusivity(unchecked) var part = Expansion()
  @exclusivity(unchecked) var partBytes = 0
  @exclusivity(unchecked) var firsts = WorkMemory()
  @exclusivity(unchecked) var firstsBytes = 0
  /// Whether there is any member of a set that does not depend on what encloses it.
  @exclusivity(unchecked) var any = false
  @exclusivity(unchecked) var anyRun: UInt64 = 0
  @exclusivity(unchecked) var total: Int64 = 0
  @exclusivity(unchecked) var totalRun: UInt64 = 0
  @exclusivity(unchecked) private var madeWalk: WalkState?
  /// Of a closure or a path; made when first needed.
  var walk: WalkState {
    if let madeWalk { return madeWalk }
    let made = WalkState()
    madeWalk = made
    return made
  }
  /// The run in which closures were found to share members, so that each is walked by itself.
  @exclusivity(unchecked) var separateRun: UInt64 = 0
  /// How deep each member of a closure is, where that is asked for; whoever expands it empties this.
  @exclusivity(unchecked) var memberDepths = RowBuffer()
  @exclusivity(unchecked) var ascending = false
  /// The rows under the keys of a batch, and those of them that had to be copied.
  @exclusivity(unchecked) var keyRuns = WorkMemory()
  @exclusivity(unchecked) var keyRows = RowBuffer()
  /// The rows whose only key column is null.
  @exclusivity(unchecked) var nullRows = RowBuffer()
  @exclusivity(unchecked) var nullRun: UInt64 = 0
  /// The lists of keys with many rows, by the first of the rows.
  @exclusivity(unchecked) var keyLists: [UInt32: Range<Int>] = [:]
  @exclusivity(unchecked) var keyListRows = RowBuffer()
  @exclusivity(unchecked) var keyListRun: UInt64 = 0
  @exclusivity(unchecked) var joinTable: JoinTable?
  @exclusivity(unchecked) var ascendingRun: UInt64 = 0
}

/// Growable memory of bits, one a row.
struct BitMemory: ~Copyable {
  private var memory = WorkMemory()
  private(set) var wordCount = 0
  private var base: UnsafeMutablePointer<UInt64>

  init() { base = memory.room(for: UInt64.self, count: 1) }

  /// Zeros for `rows` rows.
  mutating func clear(rows: Int) {
    wordCount = (rows + 63) >> 6
    base = memory.room(for: UInt64.self, count: wordCount + 1)
    base.update(repeating: 0, count: wordCount + 1)
  }

  var pointer: UnsafePointer<UInt64> { UnsafePointer(base) }

  @inline(__always)
  func contains(_ row: UInt32) -> Bool { base[Int(row) >> 6] >> UInt64(row & 63) & 1 != 0 }

  @inline(__always)
  func insert(_ row: UInt32) { base[Int(row) >> 6] |= 1 &<< UInt64(row & 63) }

  func insert(_ rows: UnsafePointer<UInt32>, _ count: Int) {
    for index in 0..<count { insert(rows[index]) }
  }

  /// Appends the rows, ascending.
  func collect(into rows: inout RowBuffer) {
    var total = 0
    for word in 0..<wordCount { total &+= base[word].nonzeroBitCount }
    rows.reserve(total)
    var target = rows.end
    for word in 0..<wordCount {
      var bits = base[word]
      let first = UInt32(truncatingIfNeeded: word &<< 6)
      while bits != 0 {
        target.pointee = first &+ UInt32(truncatingIfNeeded: bits.trailingZeroBitCount)
        target += 1
        bits &= bits &- 1
      }
    }
    rows.count &+= total
  }
}

/// A semi-join's build side in one execution.
final class RowSetState {
  @exclusivity(unchecked) var bits = BitMemory()
  @exclusivity(unchecked) var expansion = Expansion()
  /// The run that it was computed in.
  @exclusivity(unchecked) var run: UInt64 = 0
}

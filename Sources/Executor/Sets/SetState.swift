import GQLStore

/// The working memory of one set in one execution.
final class SetState {
  /// The members, computed once, of a set that does not depend on what encloses it.
  @exclusivity(unchecked) var shared = Expansion()
  @exclusivity(unchecked) var sharedRun: UInt64 = 0
  @exclusivity(unchecked) var bits = BitMemory()
  @exclusivity(unchecked) var positions = WorkMemory()
  @exclusivity(unchecked) var outer = WorkMemory()
  @exclusivity(unchecked) var items = WorkMemory()
  @exclusivity(unchecked) var spare = WorkMemory()
  @exclusivity(unchecked) var keys = WorkMemory()
  @exclusivity(unchecked) var candidates = RowBuffer()
  /// What a cursor's place is looked for in.
  @exclusivity(unchecked) var linked = RowBuffer()
  @exclusivity(unchecked) var counted = Expansion()
  @exclusivity(unchecked) var countedBytes = 0
  @exclusivity(unchecked) var totals = WorkMemory()
  /// Whether there is any member of a set that does not depend on what encloses it.
  @exclusivity(unchecked) var any = false
  @exclusivity(unchecked) var anyRun: UInt64 = 0
  @exclusivity(unchecked) var total: Int64 = 0
  @exclusivity(unchecked) var totalRun: UInt64 = 0
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

  @inline(__always)
  func remove(_ row: UInt32) { base[Int(row) >> 6] &= ~(1 &<< UInt64(row & 63)) }

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

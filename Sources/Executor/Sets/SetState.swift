import GQLStore

/// The working memory that the operators of one set use one after the other in one execution: nothing in it outlives the
/// call that fills it. What does lies in the state of an operator's slot (``OperatorState``).
final class SetState {
  @exclusivity(unchecked) var bits = BitMemory()
  @exclusivity(unchecked) var positions = WorkMemory()
  @exclusivity(unchecked) var outer = WorkMemory()
  @exclusivity(unchecked) var items = WorkMemory()
  @exclusivity(unchecked) var spare = WorkMemory()
  @exclusivity(unchecked) var keys = WorkMemory()
  @exclusivity(unchecked) var candidates = RowBuffer()
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

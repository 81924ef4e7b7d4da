#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLStore

/// Searching the texts of a page together: most were stored one behind the other, so that one search goes through many.
extension TextSearch {
  /// The truth of a text that was too long to be looked at.
  static var unknown: UInt8 { 3 }

  /// Puts 2 where a text contains the needle, 1 for nulls, ``unknown`` for long texts and 0 for the others. If the truths
  /// are those of another needle, adds to them. Precondition: the needle is not empty.
  static func mark(
    _ needle: Bytes, in texts: Vector, _ count: Int, _ truths: UnsafeMutablePointer<UInt8>, adding: Bool = false
  ) {
    if !adding {
      truths.update(repeating: 0, count: count)
      if !texts.allValid {
        for index in 0..<count { truths[index] = texts.validity[index] ^ 1 }
      }
    }
    let pattern = RunPattern(needle)
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: count) { shorts in
      // Safe because the count is positive where there is something to be written.
      guard count > 0, let shorts = shorts.baseAddress else { return }
      let found = markRuns(pattern, texts, count, truths, shorts)
      for place in 0..<found {
        let index = Int(shorts[place])
        let text = TextView.bytes(at: texts.cells + index)
        if contains(text.start, text.count, needle.start, needle.count) { truths[index] = 2 }
      }
    }
  }

  /// Searches what does not lie in the cells; lists the positions of those short texts that have room for the needle.
  private static func markRuns(
    _ pattern: RunPattern, _ texts: Vector, _ count: Int, _ truths: UnsafeMutablePointer<UInt8>,
    _ shorts: UnsafeMutablePointer<UInt16>
  ) -> Int {
    let least = pattern.length
    var run = TextRun(texts)
    var found = 0
    for index in 0..<count {
      let (address, length) = run.text(index)
      let isShort = length <= TextView.inlineCapacity
      shorts[found] = UInt16(truncatingIfNeeded: index)
      found &+= isShort && length >= least ? 1 : 0
      // Neither is a long text that follows the one before.
      let isApart = (address ^ run.next) & (isShort ? 0 : .max) | (length > Evaluator.longText ? 1 : 0)
      if isApart != 0 {
        pattern.mark(run, upTo: index, truths)
        run.begin(index, address)
        if length > Evaluator.longText {
          truths[index] = unknown
          // What follows a text that is left out is a run of its own.
          run.begin(index &+ 1, 0)
          continue
        }
      }
      let end = address &+ UInt(bitPattern: length)
      run.end = isShort ? run.end : end
      run.next = isShort ? run.next : (end &+ 7) & ~7
    }
    pattern.mark(run, upTo: count, truths)
    return found
  }
}

/// Texts of which each begins where the one before ends, but for what aligns it; short ones between them lie elsewhere.
private struct TextRun {
  let cells: UnsafePointer<Cell>
  let validity: UnsafePointer<UInt8>
  var first = 0
  var start: UInt = 0
  var end: UInt = 0
  /// Where the next one begins.
  var next: UInt = 0

  init(_ texts: Vector) {
    cells = UnsafePointer(texts.cells)
    validity = UnsafePointer(texts.validity)
  }

  mutating func begin(_ index: Int, _ address: UInt) {
    first = index
    start = address
    end = address
    next = address
  }

  /// The address, which has a meaning for long texts only, and the length; nulls are empty.
  @inline(__always)
  func text(_ index: Int) -> (UInt, Int) {
    let cell = cells + index
    let low = cell.pointee.low & 0x3FFF_FFFF & (0 &- UInt64(validity[index]))
    return (UInt(truncatingIfNeeded: cell.pointee.high), Int(truncatingIfNeeded: low))
  }
}

/// A needle that is looked for in runs of texts: blocks of places are tested for three bytes of it.
private struct RunPattern {
  private typealias Block = SIMD16<UInt8>
  private let needle: UnsafeRawPointer
  let length: Int
  private let first: Block
  private let middle: Block
  private let last: Block

  init(_ needle: TextSearch.Bytes) {
    self.needle = needle.start
    length = needle.count
    first = Block(repeating: needle.start.load(as: UInt8.self))
    middle = Block(repeating: needle.start.load(fromByteOffset: needle.count / 2, as: UInt8.self))
    last = Block(repeating: needle.start.load(fromByteOffset: needle.count - 1, as: UInt8.self))
  }

  /// Puts 2 where a text of the run, which ends before the position `limit`, contains the needle.
  @inline(never)
  func mark(_ run: TextRun, upTo limit: Int, _ truths: UnsafeMutablePointer<UInt8>) {
    guard run.end &- run.start >= UInt(bitPattern: length), let start = UnsafeRawPointer(bitPattern: run.start) else {
      return
    }
    let places = Int(bitPattern: run.end &- run.start) &- length &+ 1
    var index = run.first
    var from = 0
    while let hit = find(start, from, places) {
      let place = run.start &+ UInt(bitPattern: hit)
      var (address, count) = run.text(index)
      while count <= TextView.inlineCapacity || address &+ UInt(bitPattern: count) <= place {
        index &+= 1
        // The run's last text ends behind the place.
        guard index < limit else { return }
        (address, count) = run.text(index)
      }
      // A hit may begin in what aligns the text, or reach beyond its end.
      if place < address {
        from = Int(bitPattern: address &- run.start)
      } else if place &+ UInt(bitPattern: length) <= address &+ UInt(bitPattern: count) {
        truths[index] = 2
        from = Int(bitPattern: address &+ UInt(bitPattern: count) &- run.start)
      } else {
        from = hit &+ 1
      }
    }
  }

  /// The first of the places from one on at which the needle stands.
  private func find(_ text: UnsafeRawPointer, _ from: Int, _ places: Int) -> Int? {
    var place = from
    while place &+ 64 <= places {
      let a = different(text + place)
      let b = different(text + place + 16)
      let c = different(text + place + 32)
      let d = different(text + place + 48)
      let least = pointwiseMin(pointwiseMin(a, b), pointwiseMin(c, d))
      let zeros = RunPattern.zeros(least)
      if zeros[0] | zeros[1] != 0 {
        for (number, block) in [a, b, c, d].enumerated() {
          if let hit = verify(text, place &+ number &* 16, RunPattern.zeros(block)) { return hit }
        }
      }
      place &+= 64
    }
    while place &+ 16 <= places {
      if let hit = verify(text, place, RunPattern.zeros(different(text + place))) { return hit }
      place &+= 16
    }
    while place < places {
      if memcmp(text + place, needle, length) == 0 { return place }
      place &+= 1
    }
    return nil
  }

  /// Zero at each of the sixteen places at which three bytes are the needle's.
  @inline(__always)
  private func different(_ text: UnsafeRawPointer) -> Block {
    let heads = text.loadUnaligned(as: Block.self) ^ first
    let middles = (text + length / 2).loadUnaligned(as: Block.self) ^ middle
    let tails = (text + (length &- 1)).loadUnaligned(as: Block.self) ^ last
    return heads | middles | tails
  }

  /// The highest bit of each byte that is zero, and of some behind one, which a comparison mends.
  @inline(__always)
  private static func zeros(_ block: Block) -> SIMD2<UInt64> {
    let words = unsafeBitCast(block, to: SIMD2<UInt64>.self)
    return (words &- 0x0101_0101_0101_0101) & ~words & 0x8080_8080_8080_8080
  }

  @inline(__always)
  private func verify(_ text: UnsafeRawPointer, _ place: Int, _ zeros: SIMD2<UInt64>) -> Int? {
    if zeros[0] | zeros[1] == 0 { return nil }
    for half in 0..<2 {
      var candidates = zeros[half]
      while candidates != 0 {
        let candidate = place &+ half &* 8 &+ candidates.trailingZeroBitCount &>> 3
        if memcmp(text + candidate, needle, length) == 0 { return candidate }
        candidates &= candidates &- 1
      }
    }
    return nil
  }
}

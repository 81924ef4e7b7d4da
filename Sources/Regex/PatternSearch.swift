#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import CPCRE2
import GQLBase

/// Searches a text without ever being in one call of PCRE2 for long.
///
/// PCRE2 counts steps, and begins to count anew at each place where a match may start; a step may look at the whole text.
/// So steps, places and bytes are bounded together. A long text is searched in slices of places, between which the time
/// is looked at. A place at which the few steps of a slice do not suffice is tried alone, in the end with a form of
/// the pattern that calls back at each item. That form takes some times longer, and is compiled when first needed.
struct PatternSearch {
  /// What a pattern says of where its matches start.
  struct Traits: Sendable {
    /// One place only.
    var isAnchored = false
    /// Behind line feeds, and where the text begins.
    var startsLines = false
    /// Where the search starts, or a verb as `(*SKIP)`, counts for a match, so that slices would change what is found.
    var isWhole = false

    init(_ code: OpaquePointer, _ pattern: [UInt8]) {
      var options: UInt32 = 0
      var first: UInt32 = 0
      var newline: UInt32 = 0
      _ = pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_ALLOPTIONS), &options)
      _ = pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_FIRSTCODETYPE), &first)
      _ = pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NEWLINE), &newline)
      isAnchored = options & PCRE2_ANCHORED != 0
      startsLines = first == 2 && newline == UInt32(PCRE2_NEWLINE_LF)
      isWhole = zip(pattern, pattern.dropFirst()).contains { pair in
        pair == (UInt8(ascii: "\\"), UInt8(ascii: "G")) || pair == (UInt8(ascii: "("), UInt8(ascii: "*"))
      }
    }
  }

  /// Steps, places and bytes of one call, multiplied: a tenth of a second at worst.
  private static let usualWork = 1 << 28
  /// As far as they grow while calls take no time, and shrink while they do.
  private static let works = 1 << 24...1 << 31
  /// Steps at each place of a slice.
  private static let sliceSteps = 16
  /// A call that takes less, in nanoseconds, may be followed by a longer one.
  private static let shortCall: UInt64 = 200_000
  /// Callbacks and bytes between them for each step of the limit, where they are counted: of one search together.
  private static let unitsOfStep = 64

  let pattern: Pattern
  let start: UnsafePointer<UInt8>
  let count: Int
  let from: Int
  let scratch: PatternScratch
  let options: UInt32
  /// Steps, places and bytes of one call; tests have less.
  var work = Self.usualWork

  private var most: Int { Int(pattern.limits.match) }

  /// What `pcre2_match` gives; `PCRE2_ERROR_CALLOUT` where the caller does not wait any longer.
  func run() -> Int32 {
    scratch.units = 0
    let places = pattern.traits.isAnchored ? 1 : count - from + 1
    let steps = work / places / max(1, count)
    if steps >= most { return call(steps: most) }
    if pattern.traits.isAnchored || pattern.traits.isWhole { return whole(steps) }
    return slices(steps)
  }

  /// One call for all places, then one that counts.
  private func whole(_ steps: Int) -> Int32 {
    if steps >= Self.sliceSteps {
      let result = call(steps: steps)
      if result != PCRE2_ERROR_MATCHLIMIT { return result }
    }
    return careful(from, last: nil)
  }

  private func slices(_ steps: Int) -> Int32 {
    var position = from
    if steps >= Self.sliceSteps {
      let result = call(steps: steps)
      if result != PCRE2_ERROR_MATCHLIMIT { return result }
    }
    let bytes = max(1, count)
    var work = self.work
    while position <= count {
      // A match starts a line: the search of a slice would try its first place all the same.
      if position > from, pattern.traits.startsLines {
        guard let line = memchr(start + position - 1, 0x0A, count - position + 1) else { return PCRE2_ERROR_NOMATCH }
        position = UnsafeRawPointer(line) - UnsafeRawPointer(start) + 1
      }
      let places = max(1, work / Self.sliceSteps / bytes)
      let end = boundary(position + min(places, count - position + 1))
      let begin = MonotonicClock.now
      let steps = min(most, places == 1 ? max(Self.sliceSteps, self.work / bytes) : Self.sliceSteps)
      var result = call(position, end, steps: steps)
      if result == PCRE2_ERROR_MATCHLIMIT, steps < most {
        if places > 1 {
          work = max(work / 64, Self.sliceSteps * bytes)
          continue
        }
        result = careful(position, last: end)
      }
      guard result == PCRE2_ERROR_NOMATCH else { return result }
      position = end
      if scratch.look() { return PCRE2_ERROR_CALLOUT }
      let isShort = MonotonicClock.now &- begin < Self.shortCall
      work = isShort ? min(work * 2, Self.works.upperBound) : max(work / 2, Self.works.lowerBound)
    }
    return PCRE2_ERROR_NOMATCH
  }

  /// The place, or the next one where a scalar begins; past the end for the place behind the last.
  private func boundary(_ place: Int) -> Int {
    var place = place
    while place < count, start[place] & 0xC0 == 0x80 { place += 1 }
    return place
  }

  // MARK: - Calls

  /// All places.
  private func call(steps: Int) -> Int32 { call(from, nil, steps: steps) }

  /// The places before `end`.
  private func call(_ position: Int, _ end: Int?, steps: Int) -> Int32 {
    guard let match = scratch.match, let context = scratch.context else { return PCRE2_ERROR_NOMEMORY }
    scratch.limit(steps: steps, places: end)
    return Self.match(pattern.code, self, position, match, context)
  }

  private static func match(
    _ code: OpaquePointer, _ search: PatternSearch, _ position: Int, _ match: OpaquePointer, _ context: OpaquePointer
  ) -> Int32 {
    let result = pcre2_match_8(code, search.start, search.count, position, search.options, match, context)
    guard result == PCRE2_ERROR_JIT_STACKLIMIT else { return result }
    // The interpreter takes its memory from the heap, within the limits.
    return pcre2_match_8(code, search.start, search.count, position, search.options | PCRE2_NO_JIT, match, context)
  }

  /// What the callbacks of one search count.
  private struct Count {
    var units: Int
    let most: Int
    var last: Int
    var watch: InterruptionWatch
  }

  /// Counts what lies between callbacks, by the limit of steps, and looks at the time; the places from `position` to
  /// before `end`, or all.
  private func careful(_ position: Int, last end: Int?) -> Int32 {
    guard let match = scratch.match, let (code, context) = scratch.carefulCode(of: pattern) else {
      return PCRE2_ERROR_NOMEMORY
    }
    pcre2_set_offset_limit_8(context, end.map { max($0 - 1, position) } ?? Int(bitPattern: UInt.max))
    var counted = Count(
      units: scratch.units, most: most.multipliedReportingOverflow(by: Self.unitsOfStep).0, last: position,
      watch: scratch.watch)
    let result = withUnsafeMutablePointer(to: &counted) { pointer in
      pcre2_set_callout_8(
        context,
        { block, data in
          guard let block, let count = data?.assumingMemoryBound(to: Count.self) else { return 0 }
          let place = Int(block.pointee.current_position)
          let moved = abs(place - count.pointee.last) + 1
          count.pointee.last = place
          count.pointee.units += moved
          if count.pointee.units > count.pointee.most || count.pointee.watch.spend(moved) { return PCRE2_ERROR_CALLOUT }
          return 0
        }, UnsafeMutableRawPointer(pointer))
      return Self.match(code, self, position, match, context)
    }
    pcre2_set_callout_8(context, nil, nil)
    scratch.watch = counted.watch
    scratch.units = counted.units
    return result == PCRE2_ERROR_CALLOUT && !counted.watch.isDue ? PCRE2_ERROR_MATCHLIMIT : result
  }
}

import CPCRE2
import GQLBase

/// How much work a pattern may make.
package struct PatternLimits: Hashable, Sendable {
  /// The longest pattern, in bytes.
  package var patternBytes: Int
  /// PCRE2's counter of matching steps.
  package var match: UInt32
  /// PCRE2's counter of nested backtracking.
  package var depth: UInt32
  /// In KiB.
  package var heap: UInt32

  package init(patternBytes: Int = 4096, match: UInt32 = 1_000_000, depth: UInt32 = 100_000, heap: UInt32 = 16 * 1024) {
    self.patternBytes = patternBytes
    self.match = match
    self.depth = depth
    self.heap = heap
  }

  package static let standard = PatternLimits()
  /// For untrusted documents.
  package static let strict = PatternLimits(patternBytes: 1024, match: 250_000, depth: 10_000, heap: 4 * 1024)
}

extension PatternLimits {
  /// Just-in-time code counts steps only. What it may nest it keeps on this stack, a word at least for each time, so
  /// that neither of the other limits is passed while it suffices; where it does not, the interpreter, which counts all
  /// of them, takes over.
  var stackBytes: Int { min(512 * 1024, Int(heap) * 1024, Int(depth) * 8) }
  /// The least stack that just-in-time code is run with.
  static var leastStackBytes: Int { 32 * 1024 }
}

/// Why a pattern was refused.
package struct PatternError: Error, Hashable, Sendable {
  /// One sentence of cause, without a full stop.
  package var message: String
  /// In bytes from the start of the pattern.
  package var offset: Int
}

/// What came of matching.
package enum MatchResult: Hashable, Sendable {
  case matched
  case notMatched
  /// A limit was reached; whether the text matches is not known.
  case limitExceeded(PatternLimit)
  /// What the scratch heeds has ended the search.
  case interrupted
}

/// A limit of matching.
package enum PatternLimit: Hashable, Sendable {
  case steps, depth, memory
}

/// A compiled regular expression: PCRE2 syntax, UTF-8, no `\C`, bounded work. It searches, it does not anchor.
///
/// May be used by any number of threads, each with a ``PatternScratch`` of its own.
package final class Pattern: Sendable {
  package struct Options: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let caseInsensitive = Options(rawValue: 1)
  }

  // Never changed once compiled; PCRE2 only reads it while matching.
  nonisolated(unsafe) let code: OpaquePointer
  package let limits: PatternLimits
  /// Groups that capture, without the whole match.
  package let captureCount: Int
  let traits: PatternSearch.Traits
  /// The pattern as written, with its options.
  let source: (bytes: [UInt8], flags: UInt32)
  /// What every text is known to contain that holds a match.
  package let requirement: TextRequirement

  /// Compiles `bytes`; throws if it is no pattern or too long.
  package init(_ bytes: [UInt8], options: Options = [], limits: PatternLimits = .standard) throws(PatternError) {
    guard bytes.count <= limits.patternBytes else {
      throw PatternError(
        message: "the pattern has \(bytes.count) bytes, more than the limit 'pattern-bytes' of \(limits.patternBytes)",
        offset: limits.patternBytes)
    }
    var flags = Pattern.flags
    if options.contains(.caseInsensitive) { flags |= PCRE2_CASELESS }
    var problem: Int32 = 0
    var offset = 0
    // PCRE2 bounds nested parentheses itself (250).
    let compiled = bytes.withUnsafeBufferPointer {
      pcre2_compile_8($0.baseAddress, $0.count, flags, &problem, &offset, nil)
    }
    guard let compiled else {
      throw PatternError(message: Pattern.message(problem), offset: min(max(offset, 0), bytes.count))
    }
    // Without just-in-time code it is slower and otherwise the same.
    _ = pcre2_jit_compile_8(compiled, PCRE2_JIT_COMPLETE)
    var captures: UInt32 = 0
    _ = pcre2_pattern_info_8(compiled, UInt32(PCRE2_INFO_CAPTURECOUNT), &captures)
    code = compiled
    source = (bytes, flags)
    traits = PatternSearch.Traits(compiled, bytes)
    captureCount = Int(captures)
    self.limits = limits
    // Options are not seen by who reads the pattern alone, as indexes do.
    requirement = options.isEmpty ? TextRequirement(.regex, bytes) : .nothing
  }

  deinit {
    pcre2_code_free_8(code)
  }

  /// Whether ``init(_:options:limits:)`` would not throw; takes less time.
  package static func isValid(_ bytes: [UInt8], limits: PatternLimits) -> Bool {
    guard bytes.count <= limits.patternBytes else { return false }
    var problem: Int32 = 0
    var offset = 0
    let compiled = bytes.withUnsafeBufferPointer {
      pcre2_compile_8($0.baseAddress, $0.count, flags, &problem, &offset, nil)
    }
    pcre2_code_free_8(compiled)
    return compiled != nil
  }

  private static let flags = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_USE_OFFSET_LIMIT

  /// Whether the text holds a match. The text must be well-formed UTF-8 unless `isValidUTF8` is false, in which case
  /// ill-formed text does not match.
  package func matches(
    _ start: UnsafePointer<UInt8>, _ count: Int, _ scratch: PatternScratch, isValidUTF8: Bool = true
  ) -> MatchResult {
    find(start, count, from: 0, scratch, isValidUTF8: isValidUTF8)
  }

  /// Searches from the offset `from`, where a scalar must begin, on; the ranges are in the scratch afterwards.
  package func find(
    _ start: UnsafePointer<UInt8>, _ count: Int, from: Int, _ scratch: PatternScratch, isValidUTF8: Bool = true
  ) -> MatchResult {
    guard scratch.match != nil, scratch.context != nil else { return .limitExceeded(.memory) }
    guard from >= 0, from <= count else { return .notMatched }
    scratch.apply(limits)
    var options = isValidUTF8 ? PCRE2_NO_UTF_CHECK : 0
    if !scratch.hasStack { options |= PCRE2_NO_JIT }
    let result = PatternSearch(
      pattern: self, start: start, count: count, from: from, scratch: scratch, options: options
    ).run()
    if result >= 0 { return .matched }
    switch result {
    case PCRE2_ERROR_CALLOUT: return .interrupted
    case PCRE2_ERROR_MATCHLIMIT: return .limitExceeded(.steps)
    case PCRE2_ERROR_DEPTHLIMIT, PCRE2_ERROR_RECURSELOOP: return .limitExceeded(.depth)
    case PCRE2_ERROR_HEAPLIMIT, PCRE2_ERROR_NOMEMORY, PCRE2_ERROR_JIT_STACKLIMIT: return .limitExceeded(.memory)
    default:
      return .notMatched
    }
  }

  /// The number of a named group; nil if there is none of that name.
  package func group(named name: String) -> Int? {
    let number = name.withCString { name in
      name.withMemoryRebound(to: UInt8.self, capacity: 1) { pcre2_substring_number_from_name_8(code, $0) }
    }
    return number > 0 ? Int(number) : nil
  }

  private static func message(_ problem: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let length = pcre2_get_error_message_8(problem, &buffer, buffer.count)
    return length > 0 ? String(decoding: buffer.prefix(Int(length)), as: UTF8.self) : "the pattern is not valid"
  }
}

/// What one thread needs while it matches. Not to be shared; fits any pattern, but holds the ranges of as many groups
/// as the pattern that it was made for has.
package final class PatternScratch {
  let match: OpaquePointer?
  let context: OpaquePointer?
  private var stack: OpaquePointer?
  private var limits: PatternLimits?
  /// The steps that ``context`` has now, and the place up to which matches may start.
  private var steps = 0
  private var places: Int?
  /// What callbacks of the search have counted.
  var units = 0
  /// What a long search looks at.
  var watch = InterruptionWatch(nil)
  /// A pattern compiled to call back at each of its items, with a context of its own.
  private var careful: (pattern: Pattern, code: OpaquePointer, context: OpaquePointer)?
  var hasStack: Bool { stack != nil }

  package init(for pattern: Pattern) {
    match = pcre2_match_data_create_from_pattern_8(pattern.code, nil)
    context = pcre2_match_context_create_8(nil)
  }

  deinit {
    dropCareful()
    pcre2_match_data_free_8(match)
    pcre2_match_context_free_8(context)
    pcre2_jit_stack_free_8(stack)
  }

  func apply(_ limits: PatternLimits) {
    guard self.limits != limits else { return }
    let hadStackBytes = self.limits?.stackBytes
    self.limits = limits
    if hadStackBytes != limits.stackBytes { makeStack(limits.stackBytes) }
    dropCareful()
    steps = -1
    pcre2_set_depth_limit_8(context, limits.depth)
    pcre2_set_heap_limit_8(context, limits.heap)
  }

  /// Searches end when work is to end.
  package func heed(_ interruption: Interruption?) { watch = InterruptionWatch(interruption) }

  /// Whether work is to end.
  func look() -> Bool { watch.spend(.max / 2) }

  /// Sets the steps of a match, and the place before which it must start.
  func limit(steps: Int, places: Int?) {
    if steps != self.steps {
      self.steps = steps
      pcre2_set_match_limit_8(context, UInt32(clamping: steps))
    }
    guard places != self.places else { return }
    self.places = places
    pcre2_set_offset_limit_8(context, places.map { max($0 - 1, 0) } ?? Int(bitPattern: UInt.max))
  }

  /// The pattern with callbacks, and what it is matched with; nil without memory.
  func carefulCode(of pattern: Pattern) -> (code: OpaquePointer, context: OpaquePointer)? {
    if let careful, careful.pattern === pattern { return (careful.code, careful.context) }
    dropCareful()
    var problem: Int32 = 0
    var offset = 0
    let compiled = pattern.source.bytes.withUnsafeBufferPointer {
      pcre2_compile_8(
        $0.baseAddress, $0.count, pattern.source.flags | PCRE2_AUTO_CALLOUT, &problem, &offset, nil)
    }
    guard let compiled, let made = pcre2_match_context_create_8(nil) else {
      pcre2_code_free_8(compiled)
      return nil
    }
    _ = pcre2_jit_compile_8(compiled, PCRE2_JIT_COMPLETE)
    // Callbacks count the work, which steps do not measure.
    pcre2_set_match_limit_8(made, .max)
    pcre2_set_depth_limit_8(made, pattern.limits.depth)
    pcre2_set_heap_limit_8(made, pattern.limits.heap)
    if let stack { pcre2_jit_stack_assign_8(made, nil, UnsafeMutableRawPointer(stack)) }
    careful = (pattern, compiled, made)
    return (compiled, made)
  }

  private func dropCareful() {
    guard let careful else { return }
    pcre2_code_free_8(careful.code)
    pcre2_match_context_free_8(careful.context)
    self.careful = nil
  }

  private func makeStack(_ bytes: Int) {
    pcre2_jit_stack_assign_8(context, nil, nil)
    pcre2_jit_stack_free_8(stack)
    stack = bytes < PatternLimits.leastStackBytes ? nil : pcre2_jit_stack_create_8(32 * 1024, bytes, nil)
    if let stack { pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(stack)) }
  }

  /// Where the last match, which must have matched, found a group; 0 is the whole. Nil if the group took no part.
  package func range(ofGroup group: Int) -> Range<Int>? {
    guard let match, group >= 0, group < Int(pcre2_get_ovector_count_8(match)),
      let ranges = pcre2_get_ovector_pointer_8(match)
    else { return nil }
    let start = ranges[group * 2]
    let end = ranges[group * 2 + 1]
    // PCRE2_UNSET, and `\K` in a lookahead, which can end a match before it starts.
    guard start != Int(bitPattern: UInt.max), start >= 0, start <= end else { return nil }
    return start..<end
  }
}

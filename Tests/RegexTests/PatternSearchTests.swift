import CPCRE2
import GQLBase
import Testing

@testable import GQLRegex

/// Long texts are searched in slices, and in the end with callbacks; what is found is what one call finds.
@Suite struct PatternSearchTests {
  private static let patterns = [
    "a", "^a", "a$", "b+c", "(a|b)*c", "(?<=b)a", "(?<!^)b", "\\bab", "a.c", "(?s)a.*c", ".*c", "(?m)^b.*$", "é+",
    "[^a]é",
    "(a+)+c", "(?=(a+))a*b\\1", "x*", "", "\\Gab", "a(*SKIP)b|c", "(?:ab)*+c", "(?>a+)b", "(a)(b)?c", "\\Ka", "b(?=c)",
    "^(a|b|c)*é$", "(?i)É", "c|bb|aaa",
  ]

  private static let texts: [String] = {
    var texts = ["", "a", "é", "aaaaaaaaab", "ab\nba\nbc", "\n\nb", "aéaéc", "ccccéé"]
    var state: UInt64 = 7
    for length in [5, 20, 60, 200] {
      for _ in 0..<6 {
        texts.append(
          String(
            (0..<length).map { _ in
              state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
              return ["a", "a", "b", "c", "é", "\n"][Int(state >> 33) % 6] as Character
            }))
      }
    }
    return texts
  }()

  private static func search(
    _ pattern: Pattern, _ text: String, work: Int? = nil
  ) -> (result: Int32, groups: [Range<Int>?]) {
    let scratch = PatternScratch(for: pattern)
    scratch.apply(pattern.limits)
    return Array((text + "\0").utf8).withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return (0, []) }
      var search = PatternSearch(
        pattern: pattern, start: start, count: bytes.count - 1, from: 0, scratch: scratch, options: PCRE2_NO_UTF_CHECK)
      if let work { search.work = work }
      let result = search.run()
      return (result, result < 0 ? [] : (0...pattern.captureCount).map { scratch.range(ofGroup: $0) })
    }
  }

  @Test("slices and callbacks find what one call finds", arguments: patterns)
  func sameMatches(_ written: String) throws {
    let pattern = try Pattern(Array(written.utf8))
    for text in Self.texts {
      let expected = Self.search(pattern, text)
      for work in [1, 100, 1_000, 10_000, 100_000] {
        let found = Self.search(pattern, text, work: work)
        #expect(found.result == expected.result, "\(written) in \(text.debugDescription), work \(work)")
        #expect(found.groups == expected.groups, "\(written) in \(text.debugDescription), work \(work)")
      }
    }
  }

  @Test(
    "patterns that go on and on look at the time",
    arguments: [
      "(?=(a+))a*b\\1", "(?=(a+))(?=(a+))a*b\\1", "^(?:(?=(a+))a)*b\\1", "(?:(?=(a+))a)*b\\1", "(.*)(.*)\\1\\2bb",
      "\\G(?:(?=(a+))a)*b\\1", "(*COMMIT)(?:(?=(a+))a)*b\\1",
    ])
  func looks(_ written: String) throws {
    let pattern = try Pattern(Array(written.utf8))
    let scratch = PatternScratch(for: pattern)
    nonisolated(unsafe) var looks = 0
    let cancellation = Cancellation {
      looks += 1
      return looks == 5
    }
    scratch.heed(Interruption(deadline: .max, milliseconds: 0, cancellation: cancellation))
    let text = [UInt8](repeating: 0x61, count: 200_000) + [0x62]
    let result = text.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { pattern.matches($0, bytes.count, scratch) }
    }
    #expect(result == .interrupted && looks == 5)
  }

  @Test(
    "too many steps at one place of a long text are an error", arguments: ["(a+)+$", "^(a|aa)+$", "(x+x+)+y|(a|aa)+$"])
  func steps(_ written: String) throws {
    let pattern = try Pattern(Array(written.utf8), limits: .strict)
    let scratch = PatternScratch(for: pattern)
    let text = [UInt8](repeating: 0x61, count: 20_000) + [0x62]
    let result = text.withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { pattern.matches($0, bytes.count, scratch) }
    }
    #expect(result != .matched && result != .notMatched && result != .interrupted)
  }
}

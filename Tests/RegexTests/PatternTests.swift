import GQLBase
import Testing

@testable import GQLRegex

@Suite struct PatternTests {
  private func result(
    _ pattern: Pattern, _ text: [UInt8], isValidUTF8: Bool = true
  ) -> MatchResult {
    let scratch = PatternScratch(for: pattern)
    return (text + [0]).withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return .notMatched }
      return pattern.matches(start, bytes.count - 1, scratch, isValidUTF8: isValidUTF8)
    }
  }

  private func matches(_ pattern: String, _ text: String, _ options: Pattern.Options = []) throws -> Bool {
    result(try Pattern(Array(pattern.utf8), options: options), Array(text.utf8)) == .matched
  }

  @Test func lengthsThatAreAsked() {
    let limits = PatternLimits()
    func isValid(_ count: Int) -> Bool {
      Pattern.isValid([UInt8](repeating: 0x61, count: count), limits: limits)
    }
    #expect(isValid(limits.patternBytes) && !isValid(limits.patternBytes + 1))
  }

  @Test(arguments: [
    ("b", "abc", true), ("^b", "abc", false), ("", "", true), ("a.c", "aéc", true), ("^.$", "😀", true),
    ("(?i)ÄB", "xäby", true), ("\\d{3}-\\d{4}", "call 555-1234", true), ("(a)(b)\\1", "aba", true),
    ("(?<=x)y", "xy", true), ("\\p{Lu}", "abcÉ", true), ("\\p{Lu}", "abcé", false), ("a|b", "xb", true),
    ("[^\\x00-\\x7F]", "abc", false), ("x$", "x\n", true),
  ])
  func matching(_ pattern: String, _ text: String, _ expected: Bool) throws {
    #expect(try matches(pattern, text) == expected)
  }

  @Test func options() throws {
    #expect(try matches("ÀB", "àb", .caseInsensitive))
    #expect(try !matches("ÀB", "àb"))
  }

  @Test(arguments: [
    ("(", 1), ("a)", 1), ("[a", 2), ("a**b", -1), ("*a", 0), ("\\C", 2), ("(?<n", 4), ("\\p{Nope}", 8), ("\u{E9}(", 3),
  ])
  func refused(_ pattern: String, _ offset: Int) throws {
    if offset < 0 {
      // Possessive and lazy forms aside, a doubled star is an error too, wherever PCRE2 puts it.
      #expect(throws: PatternError.self) { try Pattern(Array(pattern.utf8)) }
      return
    }
    do throws(PatternError) {
      _ = try Pattern(Array(pattern.utf8))
      Issue.record("\(pattern) was accepted")
    } catch {
      #expect(error.offset == offset)
      #expect(!error.message.isEmpty)
    }
  }

  @Test func limits() throws {
    let long = [UInt8](repeating: 0x61, count: 4097)
    #expect(throws: PatternError.self) { try Pattern(long) }
    _ = try Pattern([UInt8](repeating: 0x61, count: 4096))
    let deep = Array((String(repeating: "(", count: 1000) + String(repeating: ")", count: 1000)).utf8)
    #expect(throws: PatternError.self) { try Pattern(deep) }

    let hostile = try Pattern(Array("(a+)+$".utf8), limits: .strict)
    #expect(result(hostile, [UInt8](repeating: 0x61, count: 40) + [0x62]) == .limitExceeded(.steps))
    let other = try Pattern(Array("^(?:(?:a|b|ab)*)*c".utf8), limits: .strict)
    #expect(result(other, [UInt8](repeating: 0x61, count: 5000)) != .matched)
    // Limits follow the pattern, not the scratch.
    let scratch = PatternScratch(for: hostile)
    let easy = try Pattern(Array("b$".utf8))
    let text = [UInt8](repeating: 0x61, count: 40) + [0x62]
    text.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      #expect(hostile.matches(start, 41, scratch) == .limitExceeded(.steps))
      #expect(easy.matches(start, 41, scratch) == .matched)
    }
  }

  @Test("each limit is one, whichever way a pattern is run") func eachLimit() throws {
    // Without a z it would not be tried at all.
    let text = [UInt8](repeating: 0x61, count: 2000) + Array("dz".utf8)
    func outcome(_ limits: PatternLimits) throws -> MatchResult {
      result(try Pattern(Array("^(a|b|c)*z".utf8), limits: limits), text)
    }
    #expect(try outcome(.standard) == .notMatched)
    #expect(try outcome(PatternLimits(match: 10)) == .limitExceeded(.steps))
    #expect(try outcome(PatternLimits(depth: 3)) == .limitExceeded(.depth))
    #expect(try outcome(PatternLimits(heap: 3)) == .limitExceeded(.memory))
    #expect(try outcome(PatternLimits(depth: 5000, heap: 64)) != .matched)
  }

  @Test func recursionEnds() throws {
    let pattern = try Pattern(Array("^(a(?1)?b)$".utf8))
    let text = [UInt8](repeating: 0x61, count: 100_000) + [UInt8](repeating: 0x62, count: 100_000)
    #expect(result(pattern, text) != .notMatched)
  }

  @Test func illFormedText() throws {
    let pattern = try Pattern(Array("a".utf8))
    #expect(result(pattern, [0x61, 0xFF], isValidUTF8: false) == .notMatched)
    #expect(result(pattern, [0x61, 0xC3, 0xA9], isValidUTF8: false) == .matched)
  }

  @Test func calloutsDoNothing() throws {
    #expect(try matches("a(?C1)b(?C2)", "ab"))
  }

  @Test func groups() throws {
    let pattern = try Pattern(Array("(?<year>\\d{4})-(\\d\\d)(x)?".utf8))
    #expect(pattern.captureCount == 3)
    #expect(pattern.group(named: "year") == 1)
    #expect(pattern.group(named: "nope") == nil)
    let scratch = PatternScratch(for: pattern)
    Array("on 2026-01 and 2027-02x".utf8).withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      #expect(pattern.find(start, bytes.count, from: 0, scratch) == .matched)
      #expect(scratch.range(ofGroup: 0) == 3..<10)
      #expect(scratch.range(ofGroup: 1) == 3..<7)
      #expect(scratch.range(ofGroup: 2) == 8..<10)
      #expect(scratch.range(ofGroup: 3) == nil)
      #expect(scratch.range(ofGroup: 4) == nil)
      #expect(scratch.range(ofGroup: -1) == nil)
      #expect(pattern.find(start, bytes.count, from: 10, scratch) == .matched)
      #expect(scratch.range(ofGroup: 0) == 15..<23)
      #expect(scratch.range(ofGroup: 3) == 22..<23)
      #expect(pattern.find(start, bytes.count, from: 23, scratch) == .notMatched)
      #expect(pattern.find(start, bytes.count, from: 24, scratch) == .notMatched)
    }
  }

  @Test func manyThreadsShareAPattern() async throws {
    let pattern = try Pattern(Array("(\\w+)@(\\w+)\\.com".utf8))
    let text = Array("mail bob@example.com now".utf8)
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let scratch = PatternScratch(for: pattern)
          var count = 0
          for _ in 0..<500 {
            text.withUnsafeBufferPointer { bytes in
              guard let start = bytes.baseAddress else { return }
              if pattern.matches(start, bytes.count, scratch) == .matched, scratch.range(ofGroup: 2) == 9..<16 {
                count += 1
              }
            }
          }
          return count
        }
      }
      for await count in group { #expect(count == 500) }
    }
  }
}

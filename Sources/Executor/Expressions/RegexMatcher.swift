#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLBase
import GQLRegex
import GQLStore

/// A regular expression as a node compiled it last, with all that searching texts for it needs.
final class RegexMatcher {
  let pattern: Pattern
  let scratch: PatternScratch
  private let source: [UInt8]
  /// What every match holds, if that is one literal.
  private let literal: [UInt8]
  /// Otherwise, what every match holds, if anything.
  @exclusivity(unchecked) private var test: RequirementTest?
  /// A few literals of which every match holds one; empty if there are none.
  let needles: [[UInt8]]

  init(_ source: [UInt8], _ limits: PatternLimits) throws(PatternError) {
    pattern = try Pattern(source, limits: limits)
    scratch = PatternScratch(for: pattern)
    self.source = source
    needles = pattern.requirement.anyOfFew
    switch pattern.requirement {
    case .nothing: literal = []
    case .literal(let bytes, isFolded: false): literal = bytes
    case let requirement:
      literal = []
      test = RequirementTest(requirement)
    }
  }

  /// Whether compiling these bytes would make the same.
  func isOf(_ start: UnsafeRawPointer, _ count: Int, _ limits: PatternLimits) -> Bool {
    guard source.count == count, pattern.limits == limits else { return false }
    return source.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, count > 0 else { return true }
      return memcmp(base, start, count) == 0
    }
  }

  /// Whether the text holds what every match does: looking for bytes costs a fraction of a match. Indexes find rows by
  /// the same requirement, so that the rows that are matched, and may fail, do not hang on the plan.
  func mayMatch(_ text: UnsafeRawBufferPointer) -> Bool {
    if !literal.isEmpty { return literal.withUnsafeBytes { ByteSearch.contains(text, $0) } }
    return test?.isMet(by: text) ?? true
  }

  /// Puts 2 or ``TextSearch/unknown`` where a text may hold a match, 1 for nulls and 0 for the others.
  func markCandidates(in texts: Vector, _ count: Int, _ truths: UnsafeMutablePointer<UInt8>) {
    for (number, needle) in needles.enumerated() {
      needle.withUnsafeBytes { bytes in
        // Safe because no needle is empty.
        let start = bytes.baseAddress.unsafelyUnwrapped
        TextSearch.mark((start, bytes.count), in: texts, count, truths, adding: number > 0)
      }
    }
  }
}

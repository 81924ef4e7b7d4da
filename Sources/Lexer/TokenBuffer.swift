import GQLBase

/// The tokens of a text, one array for each property. The last token is always ``TokenKind/endOfFile``.
package struct TokenBuffer: Sendable, Equatable {
  /// What a token carries besides its kind and place.
  package struct Flags: OptionSet, Sendable {
    package let rawValue: UInt8
    @inlinable package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// A comma stands between this token and the one before it (R9).
    package static let commaBefore = Flags(rawValue: 1)
    /// A string that holds at least one backslash, or a byte that is not UTF-8, so that its value is not its text.
    package static let needsDecoding = Flags(rawValue: 2)
  }

  package var kinds: [TokenKind] = []
  package var starts: [UInt32] = []
  package var ends: [UInt32] = []
  package var flags: [Flags] = []
  /// True if a limit ended the tokens before the text ended.
  package var isTruncated = false

  package init() {}

  package var count: Int { kinds.count }

  package func range(at index: Int) -> SourceRange { SourceRange(start: starts[index], end: ends[index]) }

  /// True for the first token, and where anything ignored stands before the token.
  package func spaceBefore(at index: Int) -> Bool {
    index == 0 || ends[index - 1] != starts[index]
  }

  /// True for the last token, and where anything ignored stands behind the token.
  package func spaceAfter(at index: Int) -> Bool {
    index + 1 >= starts.count || starts[index + 1] != ends[index]
  }

  package func commaBefore(at index: Int) -> Bool { flags[index].contains(.commaBefore) }
}

/// Room for the tokens of one text, filled once and copied into a ``TokenBuffer``.
///
/// Why: four growing arrays cost four uniqueness and four capacity checks a token, which is more than the scanning.
struct TokenStorage {
  private let kinds: UnsafeMutablePointer<TokenKind>
  private let starts: UnsafeMutablePointer<UInt32>
  private let ends: UnsafeMutablePointer<UInt32>
  private let flags: UnsafeMutablePointer<TokenBuffer.Flags>
  private let capacity: Int
  private(set) var count = 0

  /// Invariant: whoever makes one deallocates it.
  init(capacity: Int) {
    self.capacity = capacity
    // One block for all four, the wider ones first.
    let words = UnsafeMutableRawPointer.allocate(byteCount: capacity * 10, alignment: 8)
    starts = words.bindMemory(to: UInt32.self, capacity: capacity)
    ends = (words + capacity * 4).bindMemory(to: UInt32.self, capacity: capacity)
    kinds = (words + capacity * 8).bindMemory(to: TokenKind.self, capacity: capacity)
    flags = (words + capacity * 9).bindMemory(to: TokenBuffer.Flags.self, capacity: capacity)
  }

  func deallocate() { UnsafeMutableRawPointer(starts).deallocate() }

  @inline(__always)
  mutating func append(_ kind: TokenKind, start: Int, end: Int, flags tokenFlags: TokenBuffer.Flags) {
    precondition(count < capacity)
    (kinds + count).initialize(to: kind)
    (starts + count).initialize(to: UInt32(truncatingIfNeeded: start))
    (ends + count).initialize(to: UInt32(truncatingIfNeeded: end))
    (flags + count).initialize(to: tokenFlags)
    count &+= 1
  }

  func buffer(isTruncated: Bool) -> TokenBuffer {
    var buffer = TokenBuffer()
    buffer.kinds = Array(UnsafeBufferPointer(start: kinds, count: count))
    buffer.starts = Array(UnsafeBufferPointer(start: starts, count: count))
    buffer.ends = Array(UnsafeBufferPointer(start: ends, count: count))
    buffer.flags = Array(UnsafeBufferPointer(start: flags, count: count))
    buffer.isTruncated = isTruncated
    return buffer
  }
}

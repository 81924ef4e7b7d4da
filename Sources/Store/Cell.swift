import GQLBase

/// One value in the form in which columns hold it: 16 bytes, of which narrower kinds use the first.
///
/// | kind | low | high |
/// |---|---|---|
/// | int64 | the bits | what a DateTime has beside its microseconds, see below; else 0 |
/// | float64 | the bits | 0 |
/// | byte, code | the number | 0 |
/// | decimal | `Decimal.packed.0` | `Decimal.packed.1` |
/// | text | a ``TextView``'s words | |
/// | reference | the row | 0 |
/// | wordList, wideList | the address of the run's first cell | count, in the low 32 bits |
/// | references | see ``RunCell`` | 0 |
///
/// Programs may keep with a DateTime a signed number that says what its microseconds round off. Of two of the same
/// microseconds the one with the lesser number is earlier. Whoever writes microseconds alone takes it away. Keys, text
/// and its conditions do not look at it.
@frozen @usableFromInline package struct Cell: Sendable, Equatable {
  @usableFromInline package var low: UInt64
  @usableFromInline package var high: UInt64

  @inlinable package init(low: UInt64, high: UInt64 = 0) {
    self.low = low
    self.high = high
  }
  @inlinable package init(_ value: Int64) { self.init(low: UInt64(bitPattern: value)) }
  @inlinable package init(_ value: Double) { self.init(low: value.bitPattern) }
  @inlinable package var int: Int64 { Int64(bitPattern: low) }
  @inlinable package var double: Double { Double(bitPattern: low) }
  /// What an `.int64` cell holds beside its word.
  @inlinable package var finer: Int64 { Int64(bitPattern: high) }
}

/// A text by length, first bytes, and address.
///
/// ```
/// byte   0        4          8                    16
///        ┌────────┬──────────┬─────────────────────┐
/// ≤ 12   │ length │ bytes, padded with zeros       │
///        ├────────┼──────────┼─────────────────────┤
/// > 12   │ length │ first 4  │ address of all bytes│
///        └────────┴──────────┴─────────────────────┘
/// ```
/// The length has 30 bits. Bit 30 says that an id prints as a number, bit 31 that the text needs escapes in JSON;
/// neither takes part in comparing. The bytes at the address live as long as the arena that they were put into.
@frozen @usableFromInline package struct TextView: Sendable {
  @usableFromInline package var word0: UInt64
  @usableFromInline package var word1: UInt64

  @inlinable package init(word0: UInt64, word1: UInt64) {
    self.word0 = word0
    self.word1 = word1
  }
  @inlinable package init(_ cell: Cell) { self.init(word0: cell.low, word1: cell.high) }
  @inlinable package var cell: Cell { Cell(low: word0, high: word1) }

  @inlinable package static var inlineCapacity: Int { 12 }
  @inlinable package static var maximumLength: Int { 0x3FFF_FFFF }
  @inlinable package static var numberFlag: UInt64 { 0x4000_0000 }
  @inlinable package static var escapeFlag: UInt64 { 0x8000_0000 }
  /// The words without flags: equal for equal texts of at most 12 bytes, and only for them.
  @inlinable package var key0: UInt64 { word0 & ~0xC000_0000 }

  @inlinable package var count: Int { Int(word0 & 0x3FFF_FFFF) }
  @inlinable package var isInline: Bool { count <= 12 }
  @inlinable package var isNumber: Bool { word0 & 0x4000_0000 != 0 }
  @inlinable package var needsEscape: Bool { word0 & 0x8000_0000 != 0 }

  /// A view of `count` bytes. Longer texts keep the address, so the bytes must outlive the view.
  /// Precondition: `count <= maximumLength`.
  @inlinable package init(_ start: UnsafeRawPointer, count: Int, flags: UInt64 = 0) {
    if count <= 12 {
      var words: (UInt64, UInt64) = (0, 0)
      withUnsafeMutableBytes(of: &words) { buffer in
        if let base = buffer.baseAddress, count > 0 { (base + 4).copyMemory(from: start, byteCount: count) }
      }
      word0 = words.0 | UInt64(count) | flags
      word1 = words.1
    } else {
      let prefix = UInt64(start.loadUnaligned(as: UInt32.self))
      word0 = UInt64(count) | flags | (prefix << 32)
      word1 = UInt64(UInt(bitPattern: start))
    }
  }

  /// Calls `body` with the address of the bytes; for short texts they lie in this value.
  @inlinable package func withBytes<Result>(_ body: (UnsafeRawPointer, Int) throws -> Result) rethrows -> Result {
    if count <= 12 {
      return try withUnsafeBytes(of: self) { buffer in
        // Safe because the buffer is the 16 bytes of this value, never empty.
        try body(buffer.baseAddress.unsafelyUnwrapped + 4, count)
      }
    }
    return try body(UnsafeRawPointer(bitPattern: UInt(word1)).unsafelyUnwrapped, count)
  }

  /// The address of the bytes of the view that lies at `address`; no copy for either form.
  @inlinable package static func bytes(at address: UnsafeRawPointer) -> (start: UnsafeRawPointer, count: Int) {
    let word0 = address.loadUnaligned(as: UInt64.self)
    let count = Int(word0 & 0x3FFF_FFFF)
    if count <= 12 { return (address + 4, count) }
    return (UnsafeRawPointer(bitPattern: UInt((address + 8).loadUnaligned(as: UInt64.self))).unsafelyUnwrapped, count)
  }
}

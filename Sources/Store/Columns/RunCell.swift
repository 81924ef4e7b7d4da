/// The cell of a `.references` column: where a run of rows lies and how many they are, in one word, so that a page that
/// is copied for one link is not twice as large.
///
/// ```
/// bit  0          19                                          64
///      ┌──────────┬───────────────────────────────────────────┐
///      │ count    │ bits 3 ..< 48 of the first row's address  │    0 where there is no run
///      └──────────┴───────────────────────────────────────────┘
/// ```
/// A run of more than ``longest`` rows has all ones in `count`, and the address is that of two words that never change:
/// the address of the first row, and the count.
@usableFromInline package enum RunCell {
  @inlinable static var countBits: UInt64 { 19 }
  /// The count of a run that has two words of its own.
  @inlinable static var marker: UInt64 { 0x7FFFF }
  /// Bytes of the two words of a long run.
  static var recordBytes: Int { 16 }

  #if DEBUG
    // Why so few: both forms occur in small tests.
    static var longest: Int { 12 }
  #else
    static var longest: Int { 0x7FFFE }
  #endif

  /// Precondition: the address is a multiple of eight. Where the count is above ``longest``, `address` is the record's
  /// and the count is ``marker``.
  static func word(_ address: UnsafeMutableRawPointer, count: UInt64) -> UInt64 {
    let address = UInt64(UInt(bitPattern: address))
    precondition(address & 7 == 0 && address >> 48 == 0, "an address of another form")
    return address << (countBits - 3) | count
  }

  @inlinable static func isLong(_ word: UInt64) -> Bool { word & marker == marker }

  @inlinable static func rows(_ word: UInt64) -> UnsafeBufferPointer<UInt32> {
    let address = UInt(truncatingIfNeeded: (word &>> countBits) &<< 3)
    if isLong(word), let record = UnsafePointer<UInt>(bitPattern: address) {
      return UnsafeBufferPointer(start: UnsafePointer(bitPattern: record[0]), count: Int(bitPattern: record[1]))
    }
    return UnsafeBufferPointer(
      start: UnsafePointer(bitPattern: address), count: Int(truncatingIfNeeded: word & marker))
  }
}

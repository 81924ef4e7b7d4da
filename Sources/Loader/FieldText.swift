import GQLBase
import GQLCatalog
import GQLStore

/// Reads the usual forms of values where they stand in a file; nil is not a refusal, but asks for the general reading.
struct FieldText {
  private let text: UnsafeRawPointer
  private let count: Int

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    // An empty file has no fields.
    text = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped)
    count = bytes.count
  }

  /// Up to eight bytes of a field, the last one highest, with zeros before them.
  @inline(__always)
  private func word(_ start: Int, _ length: Int) -> UInt64? {
    guard length > 0, length <= 8, start &+ 8 <= count else { return nil }
    return (text + start).loadUnaligned(as: UInt64.self) << UInt64(64 &- length &* 8)
  }

  /// Returns the number of up to eight digits.
  @inline(__always)
  private func digits(_ start: Int, _ length: Int) -> UInt64? {
    guard let word = word(start, length) else { return nil }
    // Zeros stand before the first digit.
    let padding: UInt64 = length == 8 ? 0 : 0x3030_3030_3030_3030 >> UInt64(length &* 8)
    return Self.number(word | padding)
  }

  /// Returns the number that eight digits are.
  @inline(__always)
  private static func number(_ word: UInt64) -> UInt64? {
    let nibbles = word ^ 0x3030_3030_3030_3030
    guard (nibbles | (nibbles &+ 0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0 == 0 else { return nil }
    let pairs = (nibbles &* 10 &+ nibbles >> 8) & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* 100 &+ pairs >> 16) & 0x0000_FFFF_0000_FFFF
    return (fours &* 10_000 &+ fours >> 32) & 0xFFFF_FFFF
  }

  /// `42`, `-7`: up to sixteen digits.
  @inline(__always)
  func int(_ field: CSVReader.Field) -> Int64? {
    if field.hasDoubledQuotes || field.count == 0 { return nil }
    let isNegative = text.load(fromByteOffset: field.start, as: UInt8.self) == 0x2D
    let start = isNegative ? field.start &+ 1 : field.start
    let length = field.end &- start
    let value: UInt64
    if length <= 8 {
      guard let all = digits(start, length) else { return nil }
      value = all
    } else {
      guard length <= 16, let high = digits(start, length &- 8), let low = digits(field.end &- 8, 8) else { return nil }
      value = high &* 100_000_000 &+ low
    }
    return isNegative ? 0 &- Int64(value) : Int64(value)
  }

  private static let powers: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8]

  /// `49.95`: up to seven digits before the point, and up to eight after it, as one quotient of exact numbers.
  @inline(__always)
  func double(_ field: CSVReader.Field) -> Double? {
    if field.hasDoubledQuotes || field.count == 0 { return nil }
    let isNegative = text.load(fromByteOffset: field.start, as: UInt8.self) == 0x2D
    let start = isNegative ? field.start &+ 1 : field.start
    guard start &+ 8 <= count else { return nil }
    let word = (text + start).loadUnaligned(as: UInt64.self)
    let length = field.end &- start
    let whole = min(ByteWord.zeros(word ^ (0x2E &* ByteWord.ones)).trailingZeroBitCount >> 3, length)
    guard whole < 8, let integer = digits(start, whole) else { return nil }
    var value = Double(integer)
    if whole < length {
      let places = length &- whole &- 1
      guard let fraction = digits(start &+ whole &+ 1, places) else { return nil }
      let power = Self.powers[places]
      // Both are below 2⁵³: the sum is exact, and the quotient is rounded once.
      value = (value * power + Double(fraction)) / power
    }
    if !isNegative { return value }
    // Zero has no sign, which is the codec's to say.
    return value == 0 ? nil : -value
  }

  /// `2026-01-31` as days since 1970.
  @inline(__always)
  func date(_ field: CSVReader.Field) -> Int64? {
    guard field.count == 10, !field.hasDoubledQuotes, field.start &+ 10 <= count else { return nil }
    let front = (text + field.start).loadUnaligned(as: UInt64.self)
    let back = (text + (field.start &+ 8)).loadUnaligned(as: UInt16.self)
    guard front & 0xFF00_00FF_0000_0000 == 0x2D00_002D_0000_0000 else { return nil }
    // The year, the month and the day, without the lines between them.
    let word = (front & 0xFFFF_FFFF) | (front >> 40 & 0xFFFF) << 32 | UInt64(back) << 48
    guard let number = Self.number(word) else { return nil }
    return CivilTime.days(
      year: Int(number / 10_000), month: Int(number / 100 % 100), day: Int(number % 100))
  }

  /// An ASCII text.
  @inline(__always)
  func cell(_ field: CSVReader.Field, isID: Bool) -> Cell? {
    let length = field.count
    if field.hasDoubledQuotes || length > TextView.maximumLength { return nil }
    let start = field.start
    let flags = isID && isInteger(start, length) ? TextView.numberFlag : TextView.escapeFlag
    guard length <= TextView.inlineCapacity, start &+ 12 <= count else {
      return TextView(text + start, count: length, flags: flags).cell
    }
    let front = UInt64((text + start).loadUnaligned(as: UInt32.self))
    let back = (text + (start &+ 4)).loadUnaligned(as: UInt64.self)
    if length <= 4 {
      let mask: UInt64 = (1 << UInt64(length &* 8)) &- 1
      return Cell(low: UInt64(length) | flags | (front & mask) << 32)
    }
    let mask: UInt64 = length == 12 ? .max : (1 << UInt64((length &- 4) &* 8)) &- 1
    return Cell(low: UInt64(length) | flags | front << 32, high: back & mask)
  }

  /// Returns whether an id prints as a number, see `IDCodec.isNumber`.
  @inline(__always)
  private func isInteger(_ start: Int, _ length: Int) -> Bool {
    if length == 0 { return false }
    let first = text.load(fromByteOffset: start, as: UInt8.self)
    if first >= 0x31, first <= 0x39, length <= 8, start &+ 8 <= count { return digits(start, length) != nil }
    return IDCodec.isNumber(
      UnsafeBufferPointer(start: (text + start).assumingMemoryBound(to: UInt8.self), count: length))
  }
}

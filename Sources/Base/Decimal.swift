/// An exact decimal number: `significand × 10^-scale` with at most 36 significant digits.
///
/// Digits are kept as written, so `1.50` prints as `1.50`, but it equals `1.5` and hashes alike.
@usableFromInline
package struct Decimal: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// From −(10³⁶ − 1) to 10³⁶ − 1.
  package let significand: Int128
  /// Digits after the point, 0…36.
  package let scale: UInt8

  package static let maximumDigits = 36
  package static let zero = Decimal(unchecked: 0, 0)

  /// The caller vouches for the ranges.
  init(unchecked significand: Int128, _ scale: Int) {
    self.significand = significand
    self.scale = UInt8(truncatingIfNeeded: scale)
  }

  /// Nil if the significand or the scale is out of range.
  package init?(significand: Int128, scale: Int) {
    guard significand.magnitude < Decimal.power(36), (0...36).contains(scale) else { return nil }
    self.init(unchecked: significand, scale)
  }

  package init(_ value: Int64) {
    self.init(unchecked: Int128(value), 0)
  }

  package var isZero: Bool { significand == 0 }
  package var isNegative: Bool { significand < 0 }

  @usableFromInline
  package var description: String {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(decimal: self)
    return buffer.string
  }

  /// The same value without zeros at the end of its fraction.
  package var normalized: Decimal {
    var rest = significand
    var scale = Int(scale)
    if rest == 0 { return .zero }
    while scale > 0 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      if remainder != 0 { break }
      rest = quotient
      scale -= 1
    }
    return Decimal(unchecked: rest, scale)
  }

  // MARK: - Order

  @usableFromInline
  package static func == (left: Decimal, right: Decimal) -> Bool {
    if left.scale == right.scale { return left.significand == right.significand }
    return compareExactly(left, right) == 0
  }

  @usableFromInline
  package static func < (left: Decimal, right: Decimal) -> Bool {
    compareExactly(left, right) < 0
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    let normal = normalized
    hasher.combine(normal.significand)
    hasher.combine(normal.scale)
  }

  // MARK: - Sixteen bytes

  /// The low word, and the high word with the scale in its top six bits; the 122 bits below are the significand in
  /// two's complement. Equal pairs mean equal digits, not only equal values.
  package var packed: (UInt64, UInt64) {
    let low = UInt64(truncatingIfNeeded: significand)
    let high = UInt64(truncatingIfNeeded: significand >> 64)
    return (low, high & 0x03FF_FFFF_FFFF_FFFF | UInt64(scale) << 58)
  }

  /// Takes what `packed` gave.
  package init(packed words: (UInt64, UInt64)) {
    // Shifting left and back extends the sign over the scale.
    let high = Int64(bitPattern: words.1 << 6) >> 6
    self.init(unchecked: Int128(high) << 64 | Int128(words.0), Int(words.1 >> 58))
  }

  // MARK: - Powers of ten

  /// 10^exponent for 0…38.
  static func power(_ exponent: Int) -> UInt128 {
    if exponent <= 19 { return UInt128(powers[exponent]) }
    return UInt128(powers[19]) * UInt128(powers[exponent - 19])
  }

  private static let powers: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000,
    100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000, 1_000_000_000_000_000,
    10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]

  /// How many decimal digits a number has; zero has one.
  static func digitCount(_ value: UInt128) -> Int {
    // 1233 / 4096 is a little more than log₁₀ 2.
    let bits = 128 - value.leadingZeroBitCount
    let guess = min((bits * 1233) >> 12, 38)
    return max(guess + (value >= power(guess) ? 1 : 0), 1)
  }
}

// MARK: - Comparing numbers by exact value

/// Negative, zero or positive.
package func compareExactly(_ left: Decimal, _ right: Decimal) -> Int {
  let sign = left.significand.signum()
  guard sign == right.significand.signum() else { return sign < right.significand.signum() ? -1 : 1 }
  let a = WideUInt(left.significand.magnitude, times: Decimal.power(max(0, Int(right.scale) - Int(left.scale))))
  let b = WideUInt(right.significand.magnitude, times: Decimal.power(max(0, Int(left.scale) - Int(right.scale))))
  return a == b ? 0 : (a < b) == (sign > 0) ? -1 : 1
}

package func compareExactly(_ left: Decimal, _ right: Int64) -> Int {
  compareExactly(left, Decimal(right))
}

/// `right` must not be NaN.
package func compareExactly(_ left: Decimal, _ right: Double) -> Int {
  let sign = Int(left.significand.signum())
  let otherSign = right > 0 ? 1 : right < 0 ? -1 : 0
  guard sign == otherSign else { return sign < otherSign ? -1 : 1 }
  if sign == 0 { return 0 }
  // Rounded to the nearest double first; only neighbors need the exact way.
  let a = left.doubleValue.magnitude
  let b = right.magnitude
  if a < b * 0.999_999_999_999 { return -sign }
  if a * 0.999_999_999_999 > b { return sign }
  let exponent = Int(b.exponent) - 52
  let significand = UInt128(b.significandBitPattern | 1 << 52)
  // Both sides times 10^scale and, if it is negative, 2^-exponent: nearly equal, so both are below 2¹⁸⁰.
  var mine = WideUInt(left.significand.magnitude)
  var other = WideUInt(significand, times: Decimal.power(Int(left.scale)))
  if exponent < 0 { mine.shiftLeft(-exponent) } else { other.shiftLeft(exponent) }
  return mine == other ? 0 : mine < other ? -sign : sign
}

/// `right` must not be NaN.
package func compareExactly(_ left: Int64, _ right: Double) -> Int {
  // 2⁶³ and −2⁶³ are exact doubles.
  if right >= 0x1p63 { return -1 }
  if right < -0x1p63 { return 1 }
  let whole = right.rounded(.towardZero)
  let integer = Int64(whole)
  if left != integer { return left < integer ? -1 : 1 }
  return right > whole ? -1 : right < whole ? 1 : 0
}

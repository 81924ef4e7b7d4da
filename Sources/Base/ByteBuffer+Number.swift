extension ByteBuffer {
  @inlinable
  package mutating func append(int value: Int64) {
    reserve(24)
    if value < 0 { appendReserved(0x2D) }
    let magnitude = value.magnitude
    if magnitude < 100_000_000 {
      appendUpTo8Digits(UInt32(truncatingIfNeeded: magnitude))
    } else {
      appendLong(magnitude)
    }
  }

  @inlinable
  package mutating func append(uint value: UInt64) {
    reserve(24)
    if value < 100_000_000 {
      appendUpTo8Digits(UInt32(truncatingIfNeeded: value))
    } else {
      appendLong(value)
    }
  }

  /// The eight decimal digits of a value below 10⁸ as bytes 0…9, the highest in the lowest byte.
  ///
  /// Splits into halves inside one word: 4 + 4, then 2 + 2, then 1 + 1; divisions are multiplications.
  @inlinable
  @inline(__always)
  static func digits(_ value: UInt32) -> UInt64 {
    let high = UInt64(value / 10_000)
    let fours = high | (UInt64(value) &- high &* 10_000) &<< 32
    let top = ((fours &* 10_486) &>> 20) & 0x0000_007F_0000_007F
    let twos = (fours &- 100 &* top) &<< 16 &+ top
    let tens = ((twos &* 103) &>> 10) & 0x000F_000F_000F_000F
    return tens &+ (twos &- 10 &* tens) &<< 8
  }

  /// Room for eight bytes must be reserved.
  @inlinable
  @inline(__always)
  mutating func appendUpTo8Digits(_ value: UInt32) {
    let digits = ByteBuffer.digits(value)
    // The last digit is written even if it is zero.
    let skipped = (digits | 1 &<< 56).trailingZeroBitCount & ~7
    let text = (digits | 0x3030_3030_3030_3030) &>> UInt64(truncatingIfNeeded: skipped)
    (base + length).storeBytes(of: text, as: UInt64.self)
    length &+= 8 &- skipped &>> 3
  }

  /// Room for eight bytes must be reserved.
  @usableFromInline
  mutating func append8Digits(_ value: UInt32) {
    (base + length).storeBytes(of: ByteBuffer.digits(value) | 0x3030_3030_3030_3030, as: UInt64.self)
    length &+= 8
  }

  /// A value from 10⁸ on; room for 24 bytes must be reserved.
  @usableFromInline
  mutating func appendLong(_ value: UInt64) {
    let high = value / 100_000_000
    let low = UInt32(truncatingIfNeeded: value &- high &* 100_000_000)
    if high < 100_000_000 {
      appendUpTo8Digits(UInt32(truncatingIfNeeded: high))
    } else {
      let top = high / 100_000_000
      appendUpTo8Digits(UInt32(truncatingIfNeeded: top))
      append8Digits(UInt32(truncatingIfNeeded: high &- top &* 100_000_000))
    }
    append8Digits(low)
  }

  /// Appends the shortest decimal that reads back as `value`, as a JSON number without a trailing `.0`.
  ///
  /// Positional from 10⁻⁶ to below 10¹⁶, `1.5e+22` and `1e-7` beyond. NaN and infinities, which the language
  /// does not have, come out as `null`.
  package mutating func append(double value: Double) {
    guard value.isFinite else { return append("null") }
    if value.sign == .minus { append(0x2D) }
    let magnitude = value.magnitude
    if magnitude < 1e16 {
      // Conversions are one instruction where rounding functions are calls.
      let whole = Int64(magnitude)
      if Double(whole) == magnitude { return append(int: whole) }
    }
    if magnitude < 1e9, magnitude >= 1e-3, appendShort(magnitude) { return }
    if magnitude < 1e16, magnitude >= 1e-4 {
      // Here the standard library's layout is ours.
      return append(utf8: magnitude.description)
    }
    appendDigits(ShortestDigits(magnitude))
  }

  /// Tries up to four digits after the point: a decimal of at most 15 digits that reads back is the only one.
  private mutating func appendShort(_ value: Double) -> Bool {
    var scale: Int64 = 10
    for places in 1...4 {
      let digits = Int64(value * Double(scale) + 0.5)
      if Double(digits) / Double(scale) == value {
        let whole = digits / scale
        append(int: whole)
        reserve(16)
        appendReserved(0x2E)
        // The eight digits of the fraction, of which the last `places` are wanted.
        let fraction = ByteBuffer.digits(UInt32(truncatingIfNeeded: digits &- whole &* scale)) | 0x3030_3030_3030_3030
        (base + length).storeBytes(of: fraction &>> UInt64(64 - places * 8), as: UInt64.self)
        length += places
        return true
      }
      scale *= 10
    }
    return false
  }

  /// Writes `0.digits × 10^point`.
  private mutating func appendDigits(_ shortest: ShortestDigits) {
    let digits = shortest.digits
    let count = digits.count
    let point = shortest.point
    if point > -6, point <= 16 {
      if point <= 0 {
        append("0.")
        for _ in 0..<(-point) { append(0x30) }
        append(digits)
      } else {
        for index in 0..<max(count, point) {
          if index == point { append(0x2E) }
          append(index < count ? digits[index] : 0x30)
        }
      }
      return
    }
    append(digits[0])
    if count > 1 {
      append(0x2E)
      for digit in digits.dropFirst() { append(digit) }
    }
    append(point > 0 ? "e+" : "e-")
    append(uint: UInt64((point - 1).magnitude))
  }

  /// Appends a JSON number with exactly the digits that the decimal has.
  package mutating func append(decimal value: Decimal) {
    if value.significand < 0 { append(0x2D) }
    let start = length
    append(uint128: value.significand.magnitude)
    let scale = Int(value.scale)
    guard scale > 0 else { return }
    let count = length - start
    // At least one digit stands before the point.
    let zeros = max(0, scale + 1 - count)
    reserve(zeros + 1)
    if zeros > 0 {
      (base + start + zeros).copyMemory(from: base + start, byteCount: count)
      (base + start).initializeMemory(as: UInt8.self, repeating: 0x30, count: zeros)
      length += zeros
    }
    let point = base + (length - scale)
    (point + 1).copyMemory(from: point, byteCount: scale)
    point.storeBytes(of: 0x2E, as: UInt8.self)
    length += 1
  }

  package mutating func append(uint128 value: UInt128) {
    if value <= UInt128(UInt64.max) { return append(uint: UInt64(truncatingIfNeeded: value)) }
    let (high, low) = value.quotientAndRemainder(dividingBy: 10_000_000_000_000_000)
    append(uint128: high)
    reserve(16)
    let rest = UInt64(truncatingIfNeeded: low)
    append8Digits(UInt32(truncatingIfNeeded: rest / 100_000_000))
    append8Digits(UInt32(truncatingIfNeeded: rest % 100_000_000))
  }
}

/// The fewest digits that name a double: its value is `0.digits × 10^point`.
package struct ShortestDigits: Sendable {
  /// ASCII digits; the first is not zero, nor is the last, unless the value is zero.
  package let digits: [UInt8]
  package let point: Int

  /// `value` must be finite; its sign is ignored.
  package init(_ value: Double) {
    // The standard library prints the shortest digits; only their layout is ours.
    var digits: [UInt8] = []
    var point = 0
    var exponent = 0
    var isAfterPoint = false
    var isExponent = false
    var isNegativeExponent = false
    for byte in value.magnitude.description.utf8 {
      switch byte {
      case 0x30...0x39:
        let digit = Int(byte) - 0x30
        if isExponent {
          exponent = exponent * 10 + digit
        } else if digits.isEmpty, digit == 0 {
          if isAfterPoint { point -= 1 }
        } else {
          digits.append(byte)
          if !isAfterPoint { point += 1 }
        }
      case 0x2E: isAfterPoint = true
      case 0x65: isExponent = true
      case 0x2D: isNegativeExponent = true
      default: break
      }
    }
    while digits.last == 0x30 { digits.removeLast() }
    self.point = digits.isEmpty ? 1 : point + (isNegativeExponent ? -exponent : exponent)
    self.digits = digits.isEmpty ? [0x30] : digits
  }
}

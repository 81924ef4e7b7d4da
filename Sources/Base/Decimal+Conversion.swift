extension Decimal {
  /// Reads `-12.50e3`: a sign, digits, perhaps a point with digits, perhaps an exponent.
  ///
  /// Nil if it is not such a number or cannot be held exactly.
  package init?(parsing bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    var isNegative = false
    if index < bytes.count, bytes[index] == 0x2D || bytes[index] == 0x2B {
      isNegative = bytes[index] == 0x2D
      index += 1
    }
    // The value is significand × 10^(zeros − places + exponent); zeros wait until a digit follows.
    var significand: UInt128 = 0
    var zeros = 0
    var places = 0
    var digits = 0
    func isDigit(_ index: Int) -> Bool { index < bytes.count && bytes[index] &- 0x30 < 10 }

    var isFraction = false
    guard isDigit(index) else { return nil }
    while true {
      while isDigit(index) {
        let digit = bytes[index] &- 0x30
        index += 1
        if isFraction { places += 1 }
        if digit == 0 {
          zeros += 1
        } else {
          let width = significand == 0 ? 1 : zeros + 1
          digits += width
          guard digits <= Decimal.maximumDigits else { return nil }
          significand = significand * Decimal.power(width) + UInt128(digit)
          zeros = 0
        }
      }
      guard !isFraction, index < bytes.count, bytes[index] == 0x2E else { break }
      isFraction = true
      index += 1
      guard isDigit(index) else { return nil }
    }
    var exponent = 0
    if index < bytes.count, bytes[index] | 0x20 == 0x65 {
      index += 1
      var isNegativeExponent = false
      if index < bytes.count, bytes[index] == 0x2D || bytes[index] == 0x2B {
        isNegativeExponent = bytes[index] == 0x2D
        index += 1
      }
      guard isDigit(index) else { return nil }
      while isDigit(index) {
        // Beyond any length of digits that memory holds, yet far from overflow.
        exponent = min(exponent * 10 + Int(bytes[index] &- 0x30), 1 << 50)
        index += 1
      }
      if isNegativeExponent { exponent = -exponent }
    }
    guard index == bytes.count else { return nil }

    var scale = places - exponent
    if significand == 0 {
      self.init(unchecked: 0, min(max(scale, 0), 36))
      return
    }
    if scale < 0 {
      zeros += -scale
      scale = 0
    }
    // Keep the zeros that fit, drop the rest from the fraction.
    let kept = min(zeros, Decimal.maximumDigits - digits)
    scale -= zeros - kept
    guard scale >= 0 else { return nil }
    significand *= Decimal.power(kept)
    while scale > 36 {
      let (quotient, remainder) = significand.quotientAndRemainder(dividingBy: 10)
      guard remainder == 0 else { return nil }
      significand = quotient
      scale -= 1
    }
    self.init(unchecked: isNegative ? -Int128(significand) : Int128(significand), scale)
  }

  package init?(parsing text: String) {
    var text = text
    guard let value = text.withUTF8({ Decimal(parsing: $0) }) else { return nil }
    self = value
  }

  /// The exact value of a double; nil if it has more digits than a decimal.
  package init?(exactly value: Double) {
    guard value.isFinite else { return nil }
    if value == 0 {
      self = .zero
      return
    }
    guard value.magnitude < 1e36, value.magnitude > 1e-37 else { return nil }
    var significand = UInt128(value.significandBitPattern | (value.isNormal ? 1 << 52 : 0))
    var exponent = Int(value.exponent) - 52
    let zeros = significand.trailingZeroBitCount
    significand >>= UInt128(zeros)
    exponent += zeros
    var scale = 0
    if exponent >= 0 {
      significand <<= UInt128(exponent)
    } else {
      // m × 2^-n is m × 5^n × 10^-n.
      scale = -exponent
      guard scale <= 36 else { return nil }
      for _ in 0..<scale {
        let (product, overflow) = significand.multipliedReportingOverflow(by: 5)
        guard !overflow else { return nil }
        significand = product
      }
    }
    guard significand < Decimal.power(36) else { return nil }
    self.init(unchecked: value < 0 ? -Int128(significand) : Int128(significand), scale)
  }

  /// The decimal with the fewest digits that reads back as this double; nil if a decimal cannot hold it.
  package init?(shortest value: Double) {
    guard value.isFinite else { return nil }
    let shortest = ShortestDigits(value)
    var significand: UInt128 = 0
    for digit in shortest.digits { significand = significand * 10 + UInt128(digit &- 0x30) }
    var scale = shortest.digits.count - shortest.point
    if scale < 0 {
      guard shortest.point <= 36 else { return nil }
      significand *= Decimal.power(-scale)
      scale = 0
    }
    guard scale <= 36 else { return nil }
    self.init(unchecked: value < 0 ? -Int128(significand) : Int128(significand), scale)
  }

  /// The nearest double, ties to even.
  package var doubleValue: Double {
    let magnitude = significand.magnitude
    if magnitude == 0 { return 0 }
    let result: Double
    if magnitude <= 1 << 53, scale <= 22 {
      // Both are exact doubles, and one division rounds once.
      result = Double(UInt64(truncatingIfNeeded: magnitude)) / Double(Decimal.power(Int(scale)))
    } else {
      let divisor = Decimal.power(Int(scale))
      let shift = magnitude.leadingZeroBitCount
      let divisorShift = divisor.leadingZeroBitCount
      let numerator = magnitude << UInt128(shift)
      let denominator = divisor << UInt128(divisorShift)
      let (quotient, remainder) = denominator.dividingFullWidth((numerator >> 1, (numerator & 1) << 127))
      // At least 62 bits with everything below them folded into the last: the conversion rounds rightly.
      let isInexact = remainder != 0 || UInt64(truncatingIfNeeded: quotient) != 0
      let top = UInt64(truncatingIfNeeded: quotient >> 64) | (isInexact ? 1 : 0)
      result = Double(sign: .plus, exponent: 64 - 127 - shift + divisorShift, significand: Double(top))
    }
    return isNegative ? -result : result
  }

  /// The value as an integer; nil if it has a fraction or is out of range.
  package var int64Value: Int64? {
    let whole = truncated
    guard whole == self else { return nil }
    return Int64(exactly: whole.significand)
  }

  /// Reads an integer as every door takes one: `-7`, also `77.0` and `1e3`.
  ///
  /// Nil if it is no number, has a fraction, or is out of range.
  package static func int64(_ bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    // Eighteen digits fit 64 bits in any case.
    let isNegative = bytes.first == 0x2D
    let digits = isNegative ? 1..<bytes.count : 0..<bytes.count
    guard 1...18 ~= digits.count else { return Decimal(parsing: bytes)?.int64Value }
    var value: Int64 = 0
    for index in digits {
      let digit = bytes[index] &- 0x30
      guard digit < 10 else { return Decimal(parsing: bytes)?.int64Value }
      value = value * 10 + Int64(digit)
    }
    return isNegative ? -value : value
  }
}

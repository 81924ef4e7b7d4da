extension Decimal {
  /// Rounds `magnitude × 10^-scale` half away from zero to 36 digits and a scale of at most 36.
  ///
  /// Nil if the whole part has more than 36 digits. `scale` is 0…72 and `magnitude` below 2 × 10⁷².
  init?(isNegative: Bool, magnitude: WideUInt, scale: Int) {
    let limit = Decimal.power(36)
    var dropped = max(0, scale - 36)
    while dropped <= scale, dropped <= 37 {
      let divisor = Decimal.power(dropped)
      if let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: divisor) {
        let rounded = quotient &+ (remainder >= divisor - remainder ? 1 : 0)
        if quotient < limit, rounded < limit {
          let significand = Int128(rounded)
          self.init(unchecked: isNegative ? -significand : significand, scale - dropped)
          return
        }
      }
      dropped += 1
    }
    return nil
  }

  package var negated: Decimal { Decimal(unchecked: -significand, Int(scale)) }
  package var magnitude: Decimal { isNegative ? negated : self }

  /// Rounded to 36 digits if need be; nil on overflow.
  package func adding(_ other: Decimal) -> Decimal? {
    if scale == other.scale {
      let sum = significand + other.significand
      if sum.magnitude < Decimal.power(36) { return Decimal(unchecked: sum, Int(scale)) }
    }
    let common = max(scale, other.scale)
    var mine = WideUInt(significand.magnitude, times: Decimal.power(Int(common - scale)))
    let theirs = WideUInt(other.significand.magnitude, times: Decimal.power(Int(common - other.scale)))
    var isNegative = isNegative
    if isNegative == other.isNegative {
      mine.add(theirs)
    } else if mine < theirs {
      let larger = theirs
      let smaller = mine
      mine = larger
      mine.subtract(smaller)
      isNegative.toggle()
    } else {
      mine.subtract(theirs)
    }
    return Decimal(isNegative: isNegative, magnitude: mine, scale: Int(common))
  }

  /// Rounded to 36 digits if need be; nil on overflow.
  package func subtracting(_ other: Decimal) -> Decimal? {
    adding(other.negated)
  }

  /// Rounded to 36 digits if need be; nil on overflow.
  package func multiplied(by other: Decimal) -> Decimal? {
    Decimal(
      isNegative: isNegative != other.isNegative,
      magnitude: WideUInt(significand.magnitude, times: other.significand.magnitude),
      scale: Int(scale) + Int(other.scale))
  }

  /// Rounded to 36 digits if need be; nil on overflow and if `other` is zero.
  ///
  /// An exact quotient has the fewest digits that show it, but no fewer after the point than `scale − other.scale`.
  package func divided(by other: Decimal) -> Decimal? {
    guard !other.isZero else { return nil }
    let preferred = max(0, Int(scale) - Int(other.scale))
    if isZero { return Decimal(unchecked: 0, preferred) }
    let divisor = other.significand.magnitude
    let digits = Decimal.digitCount(significand.magnitude)
    // As many more digits as a quotient of 36 digits and a scale of 36 allow.
    var shift = min(36 - digits + Decimal.digitCount(divisor), 36 - Int(scale) + Int(other.scale))
    while shift >= 0 {
      let resultScale = Int(scale) - Int(other.scale) + shift
      guard resultScale >= 0 else { return nil }
      let first = min(shift, 38 - digits)
      let dividend = WideUInt(
        significand.magnitude * Decimal.power(first), times: Decimal.power(shift - first))
      if let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor) {
        let rounded = quotient &+ (remainder >= divisor - remainder ? 1 : 0)
        if quotient < Decimal.power(36), rounded < Decimal.power(36) {
          let significand = Int128(rounded)
          let result = Decimal(unchecked: isNegative != other.isNegative ? -significand : significand, resultScale)
          return remainder == 0 ? result.shortened(to: preferred) : result
        }
      }
      shift -= 1
    }
    return nil
  }

  /// The remainder of truncating division, with the sign of the dividend; exact. Nil if `other` is zero.
  package func remainder(dividingBy other: Decimal) -> Decimal? {
    guard !other.isZero else { return nil }
    let divisor = other.significand.magnitude
    let result: UInt128
    if scale <= other.scale {
      var dividend = WideUInt(significand.magnitude, times: Decimal.power(Int(other.scale - scale)))
      dividend.high %= divisor
      guard let (_, remainder) = dividend.quotientAndRemainder(dividingBy: divisor) else { return nil }
      result = remainder
    } else {
      let scaled = WideUInt(divisor, times: Decimal.power(Int(scale - other.scale)))
      if scaled.high != 0 { return self }
      result = significand.magnitude % scaled.low
    }
    let significand = Int128(result)
    return Decimal(unchecked: isNegative ? -significand : significand, Int(max(scale, other.scale)))
  }

  /// The quotient without its fraction. Nil on overflow and if `other` is zero.
  package func truncatingQuotient(dividingBy other: Decimal) -> Decimal? {
    guard !other.isZero else { return nil }
    let divisor = other.significand.magnitude
    let result: UInt128
    if scale <= other.scale {
      let dividend = WideUInt(significand.magnitude, times: Decimal.power(Int(other.scale - scale)))
      guard let (quotient, _) = dividend.quotientAndRemainder(dividingBy: divisor),
        quotient < Decimal.power(36)
      else { return nil }
      result = quotient
    } else {
      let scaled = WideUInt(divisor, times: Decimal.power(Int(scale - other.scale)))
      result = scaled.high != 0 ? 0 : significand.magnitude / scaled.low
    }
    let significand = Int128(result)
    return Decimal(unchecked: isNegative != other.isNegative ? -significand : significand, 0)
  }

  /// Half away from zero to `places` digits after the point; negative places round to tens, hundreds and so on.
  ///
  /// A decimal with fewer digits stays as it is. Nil on overflow.
  package func rounded(to places: Int) -> Decimal? {
    guard places < Int(scale) else { return self }
    let (dropped, overflow) = Int(scale).subtractingReportingOverflow(places)
    // All digits and one more: nothing is left.
    guard !overflow, dropped <= 37 else { return Decimal(unchecked: 0, max(places, 0)) }
    let divisor = Decimal.power(dropped)
    let (quotient, remainder) = significand.magnitude.quotientAndRemainder(dividingBy: divisor)
    var rounded = quotient + (remainder >= divisor - remainder ? 1 : 0)
    if places < 0, rounded != 0 {
      let (product, isTooLarge) = rounded.multipliedReportingOverflow(by: Decimal.power(-places))
      guard !isTooLarge else { return nil }
      rounded = product
    }
    guard rounded < Decimal.power(36) else { return nil }
    return Decimal(unchecked: isNegative ? -Int128(rounded) : Int128(rounded), max(places, 0))
  }

  /// Without the fraction.
  package var truncated: Decimal {
    Decimal(unchecked: significand / Int128(Decimal.power(Int(scale))), 0)
  }

  /// The largest whole number that is not above; nil on overflow.
  package var floor: Decimal? {
    let whole = truncated
    return isNegative && whole != self ? whole.subtracting(Decimal(1)) : whole
  }

  /// The smallest whole number that is not below; nil on overflow.
  package var ceiling: Decimal? {
    let whole = truncated
    return !isNegative && whole != self ? whole.adding(Decimal(1)) : whole
  }

  /// Drops zeros at the end of the fraction while more than `preferred` digits are left.
  fileprivate func shortened(to preferred: Int) -> Decimal {
    var rest = significand
    var scale = Int(scale)
    while scale > preferred {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      if remainder != 0 { break }
      rest = quotient
      scale -= 1
    }
    return Decimal(unchecked: rest, scale)
  }
}

/// An exact sum of decimals, whatever their order: fixed point of 36 places in 256 bits.
package struct DecimalSum: Sendable {
  // Two's complement in two halves.
  private var high: UInt128 = 0
  private var low: UInt128 = 0
  private var scale: UInt8 = 0
  private var isOverflown = false

  package init() {}

  package mutating func add(_ value: Decimal) {
    scale = max(scale, value.scale)
    let magnitude = WideUInt(value.significand.magnitude, times: Decimal.power(36 - Int(value.scale)))
    var total = WideUInt(low)
    total.high = high
    if value.isNegative { total.subtract(magnitude) } else { total.add(magnitude) }
    // 2²⁵⁴ is far beyond what 36 digits can show, and leaves room to notice.
    let top = total.high >> 126
    if top == 0b01 || top == 0b10 { isOverflown = true }
    high = total.high
    low = total.low
  }

  /// Has as many places as the summand with the most; rounded once to 36 digits. Nil on overflow.
  package var value: Decimal? {
    isOverflown ? nil : digits.flatMap { Decimal(isNegative: isNegative, magnitude: $0, scale: Int(scale)) }
  }

  /// The mean of so many summands, rounded once to 36 digits, though the sum may have more. Nil on overflow.
  package func mean(of count: Int64) -> Decimal? {
    guard !isOverflown, count > 0 else { return nil }
    // Most sums have no more.
    if let digits, digits.high == 0, digits.low < Decimal.power(36) { return value?.divided(by: Decimal(count)) }
    let divisor = UInt128(count)
    let (high, rest) = magnitude.high.quotientAndRemainder(dividingBy: divisor)
    var dividend = WideUInt(magnitude.low)
    dividend.high = rest
    guard let (low, remainder) = dividend.quotientAndRemainder(dividingBy: divisor) else { return nil }
    var mean = WideUInt(low)
    mean.high = high
    // Where no digit is left off, what lies behind the last place rounds it; else those digits do.
    if high == 0, low < Decimal.power(36), remainder >= divisor - remainder { mean.add(WideUInt(1)) }
    return Decimal(isNegative: isNegative, magnitude: mean, scale: 36)?.shortened(to: Int(scale))
  }

  private var isNegative: Bool { high >> 127 == 1 }

  /// Without the sign, in 36 places.
  private var magnitude: WideUInt {
    var magnitude = WideUInt(low)
    magnitude.high = high
    guard isNegative else { return magnitude }
    var positive = WideUInt(0)
    positive.subtract(magnitude)
    return positive
  }

  /// The magnitude in as many places as the summand with the most has.
  private var digits: WideUInt? {
    let magnitude = magnitude
    // Take off the places that no summand has; what is dropped is zero.
    let extra = 36 - Int(scale)
    let divisor = Decimal.power(extra)
    let (highQuotient, highRemainder) = magnitude.high.quotientAndRemainder(dividingBy: divisor)
    var rest = WideUInt(magnitude.low)
    rest.high = highRemainder
    guard let (lowQuotient, _) = rest.quotientAndRemainder(dividingBy: divisor) else { return nil }
    var quotient = WideUInt(lowQuotient)
    quotient.high = highQuotient
    return quotient
  }
}

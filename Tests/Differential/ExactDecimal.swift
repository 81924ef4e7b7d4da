/// A decimal with the digits it was written with: `mantissa` times ten to the power of `-scale`.
package struct ExactDecimal: Sendable {
  var mantissa: Int128
  var scale: Int

  init(_ mantissa: Int128, scale: Int = 0) {
    self.mantissa = mantissa
    self.scale = scale
  }

  /// The exact value of a Float with few binary places; nil for others, which the model leaves alone.
  init?(exactly number: Double) {
    let scaled = number * 4096
    guard scaled.rounded() == scaled, abs(scaled) < 1e15 else { return nil }
    // 1 / 4096 = 244140625 / 10^12.
    self.init(Int128(scaled) * 244_140_625, scale: 12)
  }

  static func power(_ exponent: Int) -> Int128 { (0..<exponent).reduce(Int128(1)) { power, _ in power * 10 } }

  private func mantissa(at scale: Int) -> Int128 { mantissa * Self.power(scale - self.scale) }

  static func compare(_ left: ExactDecimal, _ right: ExactDecimal) -> Int {
    let scale = max(left.scale, right.scale)
    let (left, right) = (left.mantissa(at: scale), right.mantissa(at: scale))
    return left < right ? -1 : left > right ? 1 : 0
  }

  static func + (left: ExactDecimal, right: ExactDecimal) -> ExactDecimal {
    let scale = max(left.scale, right.scale)
    return ExactDecimal(left.mantissa(at: scale) + right.mantissa(at: scale), scale: scale)
  }
  static func * (left: ExactDecimal, right: ExactDecimal) -> ExactDecimal {
    ExactDecimal(left.mantissa * right.mantissa, scale: left.scale + right.scale)
  }
  static prefix func - (value: ExactDecimal) -> ExactDecimal { ExactDecimal(-value.mantissa, scale: value.scale) }

  /// By long division: exact where it ends, with the digits that the dividend has beyond the divisor's and no more than
  /// it needs else; otherwise 36 digits.
  func divided(by divisor: ExactDecimal) -> ExactDecimal {
    let isNegative = (mantissa < 0) != (divisor.mantissa < 0)
    let scale = max(self.scale, divisor.scale)
    let top = abs(mantissa(at: scale))
    let bottom = abs(divisor.mantissa(at: scale))
    var (quotient, rest) = top.quotientAndRemainder(dividingBy: bottom)
    var places = 0
    while rest != 0 ? (quotient < Self.power(35) && places < 36) : places < self.scale - divisor.scale {
      let (digit, next) = (rest * 10).quotientAndRemainder(dividingBy: bottom)
      quotient = quotient * 10 + digit
      rest = next
      places += 1
    }
    if rest * 2 >= bottom { quotient += 1 }
    return ExactDecimal(isNegative ? -quotient : quotient, scale: places)
  }

  /// Half away from zero.
  func rounded(to places: Int) -> ExactDecimal {
    guard scale > places else { return self }
    let unit = Self.power(scale - places)
    var (quotient, rest) = abs(mantissa).quotientAndRemainder(dividingBy: unit)
    if rest * 2 >= unit { quotient += 1 }
    return ExactDecimal(mantissa < 0 ? -quotient : quotient, scale: places)
  }

  var floor: Int128 {
    let unit = Self.power(scale)
    let (quotient, rest) = mantissa.quotientAndRemainder(dividingBy: unit)
    return rest < 0 ? quotient - 1 : quotient
  }
  var ceiling: Int128 { -(-self).floor }

  /// Without zeros at the end: one form for equal values.
  var reduced: ExactDecimal {
    var value = self
    while value.scale > 0, value.mantissa % 10 == 0 {
      value.mantissa /= 10
      value.scale -= 1
    }
    return value
  }

  var text: String {
    var digits = String(abs(mantissa))
    if scale > 0 {
      digits = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
      digits.insert(".", at: digits.index(digits.endIndex, offsetBy: -scale))
    }
    return (mantissa < 0 ? "-" : "") + digits
  }

  var double: Double { Double(text) ?? 0 }
}

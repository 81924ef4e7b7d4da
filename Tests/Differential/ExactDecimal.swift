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

  private func mantissa(at scale: Int) throws -> Int128 {
    guard scale - self.scale < 38 else { throw ReferenceFailure.beyondModel }
    let (product, overflows) = mantissa.multipliedReportingOverflow(by: Self.power(scale - self.scale))
    // A bit is left for sums.
    guard !overflows, product.magnitude < Int128.max.magnitude / 16 else { throw ReferenceFailure.beyondModel }
    return product
  }

  static func compare(_ left: ExactDecimal, _ right: ExactDecimal) throws -> Int {
    let scale = max(left.scale, right.scale)
    let (left, right) = (try left.mantissa(at: scale), try right.mantissa(at: scale))
    return left < right ? -1 : left > right ? 1 : 0
  }

  static func + (left: ExactDecimal, right: ExactDecimal) throws -> ExactDecimal {
    let scale = max(left.scale, right.scale)
    return try ExactDecimal(left.mantissa(at: scale) + right.mantissa(at: scale), scale: scale).fitted()
  }
  /// Exact until the end, so that it does not depend on the order.
  static func sum(_ values: [ExactDecimal]) throws -> ExactDecimal { try total(values).fitted() }

  /// The exact sum, divided.
  static func average(_ values: [ExactDecimal]) throws -> ExactDecimal {
    try total(values).divided(by: ExactDecimal(Int128(values.count)))
  }

  private static func total(_ values: [ExactDecimal]) throws -> ExactDecimal {
    let scale = values.map(\.scale).max() ?? 0
    var total: Int128 = 0
    for value in values {
      let (sum, overflows) = total.addingReportingOverflow(try value.mantissa(at: scale))
      guard !overflows else { throw ReferenceFailure.beyondModel }
      total = sum
    }
    return ExactDecimal(total, scale: scale)
  }

  static func * (left: ExactDecimal, right: ExactDecimal) throws -> ExactDecimal {
    let (product, overflows) = left.mantissa.multipliedReportingOverflow(by: right.mantissa)
    guard !overflows else { throw ReferenceFailure.beyondModel }
    return try ExactDecimal(product, scale: left.scale + right.scale).fitted()
  }

  /// At most 36 digits; those behind the point that do not fit are rounded.
  private func fitted() throws -> ExactDecimal {
    var value = self
    if value.scale > 36 { value = value.rounded(to: 36) }
    while value.mantissa.magnitude >= Self.power(36).magnitude {
      guard value.scale > 0 else { throw ReferenceFailure.runtime("overflow") }
      // From the exact digits each time, because rounding twice is another thing.
      value = rounded(to: value.scale - 1)
    }
    return value
  }
  static prefix func - (value: ExactDecimal) -> ExactDecimal { ExactDecimal(-value.mantissa, scale: value.scale) }

  /// By long division: exact where it ends, with the digits that the dividend has beyond the divisor's and no more than
  /// it needs else; otherwise 36 digits.
  func divided(by divisor: ExactDecimal) throws -> ExactDecimal {
    let isNegative = (mantissa < 0) != (divisor.mantissa < 0)
    let scale = max(self.scale, divisor.scale)
    let top = abs(try mantissa(at: scale))
    let bottom = abs(try divisor.mantissa(at: scale))
    guard bottom < Self.power(36) else { throw ReferenceFailure.beyondModel }
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

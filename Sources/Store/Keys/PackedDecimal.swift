/// The significand and the scale of a `.decimal` cell: `Decimal.packed`, of which the top six bits are the scale.
///
/// Compares by value, so that `1.5` and `1.50` are one key.
@usableFromInline struct PackedDecimal {
  let significand: Int128
  let scale: Int

  @usableFromInline init(_ cell: Cell) {
    // Shifting left and back extends the sign over the scale.
    let high = Int64(bitPattern: cell.high << 6) >> 6
    significand = Int128(high) << 64 | Int128(cell.low)
    // Scales have at most 36 digits; more would not come from a Decimal.
    scale = min(36, Int(cell.high >> 58))
  }

  private static func power(_ exponent: Int) -> Int128 {
    var result: Int128 = 1
    for _ in 0..<exponent { result *= 10 }
    return result
  }

  /// The floor, and the 36 digits behind the point.
  private var parts: (whole: Int128, fraction: Int128) {
    if scale == 0 { return (significand, 0) }
    let (quotient, remainder) = significand.quotientAndRemainder(dividingBy: Self.power(scale))
    let whole = remainder < 0 ? quotient - 1 : quotient
    let fraction = remainder < 0 ? remainder + Self.power(scale) : remainder
    return (whole, fraction * Self.power(36 - scale))
  }

  @usableFromInline func compare(_ other: PackedDecimal) -> Int {
    if scale == other.scale {
      return significand < other.significand ? -1 : significand == other.significand ? 0 : 1
    }
    let left = parts
    let right = other.parts
    if left.whole != right.whole { return left.whole < right.whole ? -1 : 1 }
    return left.fraction < right.fraction ? -1 : left.fraction == right.fraction ? 0 : 1
  }

  /// Tells whether it has no more digits than a value may have.
  var hasValidDigits: Bool { significand.magnitude < Self.power(36).magnitude }

  /// The value with as few digits after the point as it can have: equal for equal values.
  var shortest: (significand: Int128, scale: Int) {
    var rest = significand
    var digits = scale
    while digits > 0 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      if remainder != 0 { break }
      rest = quotient
      digits -= 1
    }
    return (rest, rest == 0 ? 0 : digits)
  }

  /// Equal for equal values.
  @usableFromInline func hash(_ seed: UInt64) -> UInt64 {
    let (rest, digits) = shortest
    let low = KeyHash.word(UInt64(truncatingIfNeeded: rest), seed)
    return KeyHash.combine(KeyHash.combine(low, UInt64(truncatingIfNeeded: rest >> 64)), UInt64(digits))
  }

  /// Orders like ``compare(_:)`` with ties: 16 bits of the fraction below the whole part, clamped to 47 bits.
  @usableFromInline var image: UInt64 {
    let value = parts
    let limit = Int128(1) << 46
    if value.whole >= limit { return .max }
    if value.whole < -limit { return 0 }
    // Eighteen digits of the fraction, so that the product fits.
    let bits = (value.fraction / Self.power(18)) << 16 / Self.power(18)
    return UInt64(truncatingIfNeeded: (value.whole + limit) << 16 + bits)
  }
}

extension Double {
  /// Half away from zero, judged by the exact value, to `places` digits after the point; negative places round to tens,
  /// hundreds and so on. What comes out is the double nearest to that decimal number.
  ///
  /// Precondition: finite, and `places` within −36…36.
  package func roundedExactly(to places: Int) -> Double {
    guard self != 0, isFinite, (-36...36).contains(places) else { return self }
    if let result = roundedQuickly(to: places) { return result }
    // The value is `digits` × 2^exponent.
    let digits = UInt128(significandBitPattern | (isNormal ? 1 << 52 : 0))
    let binary = isNormal ? Int(exponent) - 52 : -1074
    let result = places < 0 ? Double.tens(digits, binary, -places) : Double.fraction(digits, binary, places)
    guard let result else { return self }
    // A zero has no sign in the language.
    return result == 0 ? 0 : self < 0 ? -result : result
  }

  /// Rounds by doubles, where they can do it: nil for many places and great numbers.
  ///
  /// The power of ten and the error of the product are exact. What the product has beyond a whole number is told from a
  /// half by this error where it is one.
  private func roundedQuickly(to places: Int) -> Double? {
    guard (0...15).contains(places) else { return nil }
    let scale = Double.powers[places]
    let product = magnitude * scale
    guard product < 4_503_599_627_370_496 else { return nil }
    let error = (-product).addingProduct(magnitude, scale)
    let whole = product.rounded(.down)
    let beyond = product - whole - 0.5
    let result = (beyond > 0 || beyond == 0 && error >= 0 ? whole + 1 : whole) / scale
    return result == 0 ? 0 : self < 0 ? -result : result
  }

  private static let powers = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]

  /// Nil where the next double is further away than the next decimal of so many places.
  private static func fraction(_ digits: UInt128, _ exponent: Int, _ places: Int) -> Double? {
    guard exponent < 0 else { return nil }
    var product = WideUInt(digits, times: Decimal.power(places))
    // Below 2¹⁷³: so far down nothing is left, not even a half.
    guard exponent > -200 else { return 0 }
    product.shiftRight(-exponent - 1)
    let isUp = product.low & 1 == 1
    product.shiftRight(1)
    guard product.high == 0, product.low < 1 << 54 else { return nil }
    return Decimal(unchecked: Int128(product.low) + (isUp ? 1 : 0), places).doubleValue
  }

  private static func tens(_ digits: UInt128, _ exponent: Int, _ places: Int) -> Double? {
    let divisor = Decimal.power(places)
    var whole = WideUInt(digits)
    guard exponent <= 200 else { return nil }
    // Half of a power of ten is whole, so that the fraction decides nothing.
    if exponent < 0 { whole.shiftRight(-exponent) } else { whole.shiftLeft(exponent) }
    guard let (quotient, remainder) = whole.quotientAndRemainder(dividingBy: divisor), quotient < 1 << 54 else {
      return nil
    }
    return WideUInt(quotient + (remainder >= divisor - remainder ? 1 : 0), times: divisor).doubleValue
  }
}

extension WideUInt {
  /// Bits below the lowest are lost.
  mutating func shiftRight(_ bits: Int) {
    if bits >= 256 {
      high = 0
      low = 0
    } else if bits >= 128 {
      low = high >> (bits - 128)
      high = 0
    } else if bits > 0 {
      low = low >> bits | high << (128 - bits)
      high >>= UInt128(bits)
    }
  }

  /// The nearest double, ties to even.
  var doubleValue: Double {
    guard high != 0 else { return Double(low) }
    let bits = 128 - high.leadingZeroBitCount
    var top = self
    top.shiftRight(bits)
    // What was lost decides a tie.
    let lost = low << UInt128(128 - bits)
    return Double(sign: .plus, exponent: bits, significand: Double(top.low | (lost != 0 ? 1 : 0)))
  }
}

extension Int64 {
  /// Half away from zero to tens (−1), hundreds (−2) and so on; itself for places from 0 on. Nil on overflow.
  package func rounded(to places: Int) -> Int64? {
    guard places < 0 else { return self }
    guard places >= -19 else { return 0 }
    let divisor = Int128(Decimal.power(-places))
    let (quotient, remainder) = Int128(magnitude).quotientAndRemainder(dividingBy: divisor)
    let rounded = (quotient + (remainder * 2 >= divisor ? 1 : 0)) * divisor
    return Int64(exactly: self < 0 ? -rounded : rounded)
  }
}

extension Int128 {
  /// The nearest double, quickly where 64 bits hold the number.
  package var nearestDouble: Double {
    let low = Int64(truncatingIfNeeded: self)
    return Int128(low) == self ? Double(low) : Double(self)
  }
}

/// An unsigned number of 256 bits: room for the exact product of two 128-bit ones.
struct WideUInt: Comparable {
  var high: UInt128
  var low: UInt128

  init(_ low: UInt128) {
    high = 0
    self.low = low
  }

  init(_ value: UInt128, times factor: UInt128) {
    (high, low) = value.multipliedFullWidth(by: factor)
  }

  static func < (left: WideUInt, right: WideUInt) -> Bool {
    left.high == right.high ? left.low < right.low : left.high < right.high
  }

  /// Bits beyond the highest are lost.
  mutating func shiftLeft(_ bits: Int) {
    if bits >= 128 {
      high = low << (bits - 128)
      low = 0
    } else if bits > 0 {
      high = high << bits | low >> (128 - bits)
      low <<= bits
    }
  }

  /// Wraps around.
  mutating func add(_ other: WideUInt) {
    let (sum, carry) = low.addingReportingOverflow(other.low)
    low = sum
    high = high &+ other.high &+ (carry ? 1 : 0)
  }

  /// Wraps around.
  mutating func subtract(_ other: WideUInt) {
    let (difference, borrow) = low.subtractingReportingOverflow(other.low)
    low = difference
    high = high &- other.high &- (borrow ? 1 : 0)
  }

  /// Nil if the quotient does not fit 128 bits or `divisor` is zero.
  func quotientAndRemainder(dividingBy divisor: UInt128) -> (quotient: UInt128, remainder: UInt128)? {
    guard high < divisor else { return nil }
    if high == 0 {
      let (quotient, remainder) = low.quotientAndRemainder(dividingBy: divisor)
      return (quotient, remainder)
    }
    let (quotient, remainder) = divisor.dividingFullWidth((high, low))
    return (quotient, remainder)
  }
}

/// An exact sum of finite doubles, whatever their order: fixed point over the whole range of exponents.
///
/// Bit 0 of limb 0 stands for 2^-1074. Limbs take 32 bits each and are signed with room for carries, which are
/// propagated when the sum is read or after 2³⁰ additions.
struct FloatSum {
  private static let limbCount = 68
  private var limbs: [Int64]
  private var pending = 0
  private var isEmpty = true

  init() { limbs = [Int64](repeating: 0, count: FloatSum.limbCount) }

  mutating func reset() {
    if isEmpty { return }
    for index in 0..<limbs.count { limbs[index] = 0 }
    pending = 0
    isEmpty = true
  }

  mutating func add(_ value: Double) {
    guard value.isFinite, value != 0 else { return }
    isEmpty = false
    let bits = value.bitPattern
    let biased = Int(bits >> 52) & 0x7FF
    let fraction = bits & 0x000F_FFFF_FFFF_FFFF
    let significand = biased == 0 ? fraction : fraction | 1 << 52
    // A subnormal and the smallest normal number share their scale.
    let shift = max(biased, 1) - 1
    let limb = shift >> 5
    let wide = UInt128(significand) << UInt128(shift & 31)
    let low = Int64(UInt64(truncatingIfNeeded: wide) & 0xFFFF_FFFF)
    let middle = Int64(UInt64(truncatingIfNeeded: wide >> 32) & 0xFFFF_FFFF)
    let high = Int64(UInt64(truncatingIfNeeded: wide >> 64))
    if value < 0 {
      limbs[limb] &-= low
      limbs[limb + 1] &-= middle
      limbs[limb + 2] &-= high
    } else {
      limbs[limb] &+= low
      limbs[limb + 1] &+= middle
      limbs[limb + 2] &+= high
    }
    pending += 1
    if pending == 1 << 30 { normalize() }
  }

  /// Every limb but the last into 0 ..< 2³².
  private mutating func normalize() {
    var carry: Int64 = 0
    for index in 0..<limbs.count - 1 {
      let total = limbs[index] &+ carry
      carry = total >> 32
      limbs[index] = total & 0xFFFF_FFFF
    }
    limbs[limbs.count - 1] &+= carry
    pending = 0
  }

  /// The nearest double, ties to even; nil if it is beyond the largest.
  mutating func value() -> Double? {
    if isEmpty { return 0 }
    normalize()
    let isNegative = limbs[limbs.count - 1] < 0
    if isNegative {
      for index in 0..<limbs.count { limbs[index] = 0 &- limbs[index] }
      normalize()
    }
    defer {
      if isNegative {
        for index in 0..<limbs.count { limbs[index] = 0 &- limbs[index] }
      }
    }
    guard let top = limbs.lastIndex(where: { $0 != 0 }) else { return 0 }
    // Three limbs hold at least 65 bits; what lies below only decides ties.
    var window = UInt128(UInt64(bitPattern: limbs[top])) << 64
    if top > 0 { window |= UInt128(UInt64(bitPattern: limbs[top - 1])) << 32 }
    if top > 1 { window |= UInt128(UInt64(bitPattern: limbs[top - 2])) }
    let isInexact = top > 2 && limbs[0..<top - 2].contains { $0 != 0 }
    let width = 128 - window.leadingZeroBitCount
    // Bit 0 of the window stands for 2^scale.
    let scale = (top - 2) * 32 - 1074
    // The result has 53 bits, fewer if it is subnormal.
    let lowest = max(scale + width - 53, -1074)
    let dropped = lowest - scale
    var significand = window >> UInt128(dropped)
    let rest = window & ((1 << UInt128(dropped)) - 1)
    let half: UInt128 = dropped > 0 ? 1 << UInt128(dropped - 1) : 0
    if dropped > 0, rest > half || rest == half && (isInexact || significand & 1 == 1) { significand += 1 }
    let result = Double(
      sign: isNegative ? .minus : .plus, exponent: lowest, significand: Double(UInt64(truncatingIfNeeded: significand)))
    return result.isFinite ? result : nil
  }
}

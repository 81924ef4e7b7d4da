/// An exact sum of finite doubles, whatever their order.
struct FloatSum {
  private var words = [Int64](repeating: 0, count: FixedPointSum.wordCount)
  private var isEmpty = true

  mutating func reset() {
    if isEmpty { return }
    for index in words.indices { words[index] = 0 }
    isEmpty = true
  }

  mutating func add(_ value: Double) {
    isEmpty = false
    withSum { $0.add(value) }
  }

  /// The nearest double, ties to even; nil if it is beyond the largest.
  mutating func value() -> Double? { isEmpty ? 0 : withSum { $0.value() } }

  /// The mean of so many summands, whose sum may be beyond the largest double.
  mutating func mean(of count: Int) -> Double? { isEmpty ? 0 : withSum { $0.mean(of: count) } }

  @inline(__always)
  private mutating func withSum<Result>(_ body: (FixedPointSum) -> Result) -> Result {
    words.withUnsafeMutableBufferPointer { words in
      // Safe because there are `wordCount` words, which is not 0.
      body(FixedPointSum(words.baseAddress.unsafelyUnwrapped))
    }
  }
}

/// An exact sum of finite doubles in memory of its owner: fixed point over the whole range of exponents.
///
/// ```
/// base ─▶ │ limb 0 │ limb 1 │ … │ limb 67 │ additions since the carries were propagated │   all 0: the sum is 0
/// ```
/// Bit 0 of limb 0 stands for 2^-1074. Limbs take 32 bits each and are signed with room for carries, which are
/// propagated when the sum is read or after 2³⁰ additions. The greatest double reaches into limb 65.
struct FixedPointSum: BitwiseCopyable {
  static let wordCount = limbCount + 1
  private static let limbCount = 68
  private let limbs: UnsafeMutablePointer<Int64>

  /// `base` has ``wordCount`` words, of zeros or of a sum.
  @inline(__always)
  init(_ base: UnsafeMutablePointer<Int64>) { limbs = base }

  @inline(__always)
  private var pending: Int64 {
    get { limbs[Self.limbCount] }
    nonmutating set { limbs[Self.limbCount] = newValue }
  }

  func add(_ value: Double) {
    guard value.isFinite, value != 0 else { return }
    let bits = value.bitPattern
    let biased = Int(bits >> 52) & 0x7FF
    let fraction = bits & 0x000F_FFFF_FFFF_FFFF
    let significand = biased == 0 ? fraction : fraction | 1 << 52
    // A subnormal and the smallest normal number share their scale.
    let shift = max(biased, 1) - 1
    let limb = limbs + (shift >> 5)
    let wide = UInt128(significand) << UInt128(shift & 31)
    let low = Int64(UInt64(truncatingIfNeeded: wide) & 0xFFFF_FFFF)
    let middle = Int64(UInt64(truncatingIfNeeded: wide >> 32) & 0xFFFF_FFFF)
    let high = Int64(UInt64(truncatingIfNeeded: wide >> 64))
    // All ones for a negative value: `(x ^ sign) - sign` is then `-x`.
    let sign = Int64(bitPattern: bits) >> 63
    limb[0] &+= (low ^ sign) &- sign
    limb[1] &+= (middle ^ sign) &- sign
    limb[2] &+= (high ^ sign) &- sign
    pending &+= 1
    if pending == 1 << 30 { normalize() }
  }

  /// Every limb but the last into 0 ..< 2³².
  private func normalize() {
    var carry: Int64 = 0
    for index in 0..<Self.limbCount - 1 {
      let total = limbs[index] &+ carry
      carry = total >> 32
      limbs[index] = total & 0xFFFF_FFFF
    }
    limbs[Self.limbCount - 1] &+= carry
    pending = 0
  }

  private func negate() {
    for index in 0..<Self.limbCount { limbs[index] = 0 &- limbs[index] }
  }

  /// The sum by the number of summands, which is not beyond the largest double even where the sum is.
  func mean(of count: Int) -> Double? {
    if let sum = value() { return sum / Double(count) }
    guard let part = value(scaledBy: -64) else { return nil }
    // Roundings may lead beyond the largest by a bit.
    let largest = Double.greatestFiniteMagnitude
    return min(max(part / Double(count) * 0x1p64, -largest), largest)
  }

  /// The nearest double, ties to even, or 2 to some power of it; nil if it is beyond the largest.
  func value(scaledBy power: Int = 0) -> Double? {
    normalize()
    let isNegative = limbs[Self.limbCount - 1] < 0
    if isNegative {
      negate()
      normalize()
    }
    defer { if isNegative { negate() } }
    guard let top = (0..<Self.limbCount).last(where: { limbs[$0] != 0 }) else { return 0 }
    // Three limbs hold at least 65 bits; what lies below only decides ties.
    var window = UInt128(UInt64(bitPattern: limbs[top])) << 64
    if top > 0 { window |= UInt128(UInt64(bitPattern: limbs[top - 1])) << 32 }
    if top > 1 { window |= UInt128(UInt64(bitPattern: limbs[top - 2])) }
    let isInexact = top > 2 && (0..<top - 2).contains { limbs[$0] != 0 }
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
      sign: isNegative ? .minus : .plus, exponent: lowest + power,
      significand: Double(UInt64(truncatingIfNeeded: significand)))
    return result.isFinite ? result : nil
  }
}

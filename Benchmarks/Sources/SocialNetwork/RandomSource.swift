#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// SplitMix64: a seeded source whose numbers are the same on every platform.
package struct RandomSource: Sendable {
  private var state: UInt64

  /// A source that yields the sequence of `seed`.
  package init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A number in `0 ..< 1`.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// A whole number in `0 ..< bound`; `bound` is positive.
  package mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// A whole number in `0 ..< bound` that prefers small ones: the density falls as a power of the number.
  package mutating func skewed(_ bound: Int, exponent: Double) -> Int {
    min(bound - 1, Int(Double(bound) * pow(unit(), exponent)))
  }

  /// A Pareto-distributed whole number: `minimum` or more, `maximum` or less, with tail exponent `alpha`.
  package mutating func pareto(minimum: Double, alpha: Double, maximum: Int) -> Int {
    let value = minimum * pow(1 - unit(), -1 / alpha)
    return value >= Double(maximum) ? maximum : Int(value)
  }

  /// The numbers `0 ..< count` in random order.
  package mutating func permutation(_ count: Int) -> [Int] {
    var numbers = Array(0..<count)
    for index in stride(from: count - 1, to: 0, by: -1) { numbers.swapAt(index, below(index + 1)) }
    return numbers
  }
}

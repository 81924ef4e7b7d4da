/// A number as JSON writes it, without a limit on its digits or its exponent: ±0.d₁d₂d₃… × 10^exponent, with neither
/// leading nor trailing zeros among the digits.
///
/// For numbers that no ``Decimal`` holds. Digits are looked at where they stand; nothing is as long as the exponent says.
package struct NumberText {
  /// −1, 0 or 1.
  package let sign: Int
  private let bytes: UnsafeBufferPointer<UInt8>
  /// From the first digit that is not 0 to the last; the point may stand between.
  private let digits: Range<Int>
  private let exponent: WideExponent

  /// Nil if it is no number. The bytes must stay while the value is used.
  package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    var index = 0
    func isDigit(_ index: Int) -> Bool { index < bytes.count && bytes[index] &- 0x30 < 10 }
    let isNegative = bytes.first == 0x2D
    if isNegative { index = 1 }
    guard isDigit(index) else { return nil }
    var first: Int?
    var last = 0
    // Where the point stands, counted from the first digit that is not 0.
    var point = 0
    var isFraction = false
    while true {
      while isDigit(index) {
        if bytes[index] != 0x30 {
          if first == nil { first = index }
          last = index
        }
        if first != nil, !isFraction { point += 1 }
        if first == nil, isFraction { point -= 1 }
        index += 1
      }
      guard !isFraction, index < bytes.count, bytes[index] == 0x2E else { break }
      isFraction = true
      index += 1
      guard isDigit(index) else { return nil }
    }
    var written = WideExponent(0)
    if index < bytes.count, bytes[index] | 0x20 == 0x65 {
      index += 1
      var isBelow = false
      if index < bytes.count, bytes[index] == 0x2B || bytes[index] == 0x2D {
        isBelow = bytes[index] == 0x2D
        index += 1
      }
      let start = index
      while isDigit(index) { index += 1 }
      guard index > start else { return nil }
      written = WideExponent(isNegative: isBelow, digits: UnsafeBufferPointer(rebasing: bytes[start..<index]))
    }
    guard index == bytes.count else { return nil }
    self.bytes = bytes
    guard let first else {
      sign = 0
      digits = 0..<0
      exponent = WideExponent(0)
      return
    }
    sign = isNegative ? -1 : 1
    digits = first..<last + 1
    exponent = written.adding(point)
  }

  /// Negative, zero or positive, by exact value.
  package static func compare(_ left: NumberText, _ right: NumberText) -> Int {
    guard left.sign == right.sign else { return left.sign - right.sign }
    if left.sign == 0 { return 0 }
    let exponents = WideExponent.compare(left.exponent, right.exponent)
    return left.sign * (exponents != 0 ? exponents : compareDigits(left, right))
  }

  /// As fractions: a prefix is smaller, because the last digit is not 0.
  private static func compareDigits(_ left: NumberText, _ right: NumberText) -> Int {
    var a = left.digits.lowerBound
    var b = right.digits.lowerBound
    while true {
      if a < left.digits.upperBound, left.bytes[a] == 0x2E { a += 1 }
      if b < right.digits.upperBound, right.bytes[b] == 0x2E { b += 1 }
      guard a < left.digits.upperBound, b < right.digits.upperBound else {
        return (a < left.digits.upperBound ? 1 : 0) - (b < right.digits.upperBound ? 1 : 0)
      }
      if left.bytes[a] != right.bytes[b] { return left.bytes[a] < right.bytes[b] ? -1 : 1 }
      a += 1
      b += 1
    }
  }

  /// Calls `take` with numbers that are the same ones for equal values: sign, exponent, digits.
  package func canonical(_ take: (UInt64) -> Void) {
    take(UInt64(bitPattern: Int64(sign)))
    take(exponent.isNegative ? 1 : 0)
    for limb in exponent.limbs { take(limb) }
    var word: UInt64 = 0
    var count = 0
    for index in digits where bytes[index] != 0x2E {
      word = word &* 10 &+ UInt64(bytes[index] &- 0x30)
      count += 1
      if count % 18 == 0 {
        take(word)
        word = 0
      }
    }
    take(word)
    take(UInt64(count))
  }
}

/// A whole number as long as its text, in limbs of 18 digits, the lowest first, without zeros in front.
private struct WideExponent {
  private static let base: UInt64 = 1_000_000_000_000_000_000
  let isNegative: Bool
  let limbs: [UInt64]

  /// Precondition: below 10¹⁸ in magnitude.
  init(_ value: Int) { self.init(isNegative: value < 0, limbs: [UInt64(value.magnitude)]) }

  private init(isNegative: Bool, limbs: [UInt64]) {
    var limbs = limbs
    while limbs.last == 0 { limbs.removeLast() }
    self.limbs = limbs
    self.isNegative = isNegative && !limbs.isEmpty
  }

  init(isNegative: Bool, digits: UnsafeBufferPointer<UInt8>) {
    var limbs: [UInt64] = []
    var end = digits.count
    while end > 0 {
      let start = max(0, end - 18)
      limbs.append(digits[start..<end].reduce(0) { $0 * 10 + UInt64($1 &- 0x30) })
      end = start
    }
    self.init(isNegative: isNegative, limbs: limbs)
  }

  /// Precondition: `value` is below 10¹⁸ in magnitude, as every length is.
  func adding(_ value: Int) -> WideExponent {
    if limbs.count <= 1 {
      let sum = (isNegative ? -1 : 1) * Int(limbs.first ?? 0) + value
      let magnitude = UInt64(sum.magnitude)
      return WideExponent(isNegative: sum < 0, limbs: [magnitude % Self.base, magnitude / Self.base])
    }
    // Larger in magnitude than what is added, so the sign stays.
    var limbs = limbs
    var rest = UInt64(value.magnitude)
    let grows = isNegative == (value < 0)
    for index in limbs.indices where rest > 0 {
      if grows {
        let sum = limbs[index] + rest
        limbs[index] = sum % Self.base
        rest = sum / Self.base
      } else if limbs[index] >= rest {
        limbs[index] -= rest
        rest = 0
      } else {
        limbs[index] = limbs[index] + Self.base - rest
        rest = 1
      }
    }
    if rest > 0 { limbs.append(rest) }
    return WideExponent(isNegative: isNegative, limbs: limbs)
  }

  static func compare(_ left: WideExponent, _ right: WideExponent) -> Int {
    guard left.isNegative == right.isNegative else { return left.isNegative ? -1 : 1 }
    let sign = left.isNegative ? -1 : 1
    guard left.limbs.count == right.limbs.count else { return left.limbs.count < right.limbs.count ? -sign : sign }
    for (a, b) in zip(left.limbs, right.limbs).reversed() where a != b { return a < b ? -sign : sign }
    return 0
  }
}

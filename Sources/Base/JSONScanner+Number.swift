extension JSONScanner {
  package mutating func scanNumber() throws(Failure) -> JSONNumber {
    skipSpace()
    let start = position
    guard start < count else { throw failure(.unexpectedEnd) }
    var index = start
    let isNegative = base[index] == 0x2D
    if isNegative { index += 1 }
    let digitsStart = index
    // Nineteen digits fit 64 unsigned bits; a longer number is looked at again.
    var value: UInt64 = 0
    while index < count {
      let digit = base[index] &- 0x30
      guard digit < 10 else { break }
      value = value &* 10 &+ UInt64(digit)
      index += 1
    }
    let digits = index - digitsStart
    guard digits > 0 else {
      if !isNegative { throw Failure(offset: start, problem: .expectedNumber) }
      throw index < count
        ? Failure(offset: start, problem: .invalidNumber) : Failure(offset: count, problem: .unexpectedEnd)
    }
    guard digits == 1 || base[digitsStart] != 0x30 else { throw Failure(offset: start, problem: .invalidNumber) }
    var isInteger = true
    if index < count, base[index] == 0x2E {
      isInteger = false
      index = try skipDigits(index + 1, start)
    }
    if index < count, base[index] | 0x20 == 0x65 {
      isInteger = false
      index += 1
      if index < count, base[index] == 0x2B || base[index] == 0x2D { index += 1 }
      index = try skipDigits(index, start)
    }
    position = index
    var int64: Int64?
    if isInteger, digits <= 19 {
      if value <= UInt64(Int64.max) {
        int64 = isNegative ? -Int64(value) : Int64(value)
      } else if isNegative, value == 1 << 63 {
        int64 = .min
      }
    }
    return JSONNumber(start: base + start, count: index - start, isInteger: isInteger, int64: int64)
  }

  /// Past one digit or more.
  private func skipDigits(_ from: Int, _ start: Int) throws(Failure) -> Int {
    var index = from
    while index < count, base[index] &- 0x30 < 10 { index += 1 }
    guard index > from else {
      throw Failure(
        offset: index < count ? start : count, problem: index < count ? .invalidNumber : .unexpectedEnd)
    }
    return index
  }
}

/// Reading doubles.
package enum FloatParsing {
  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// The double nearest to a number written as JSON does (leading zeros and a `+` are accepted too).
  ///
  /// Nil if it is no number, or is beyond the largest double.
  package static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    var index = 0
    let count = bytes.count
    func isDigit(_ index: Int) -> Bool { index < count && bytes[index] &- 0x30 < 10 }

    var isNegative = false
    if count > 0, bytes[0] == 0x2D || bytes[0] == 0x2B {
      isNegative = bytes[0] == 0x2D
      index = 1
    }
    guard isDigit(index) else { return nil }
    var significand: UInt64 = 0
    var digits = 0
    var exponent = 0
    func take(_ byte: UInt8) {
      if digits > 0 || byte != 0x30 { digits += 1 }
      significand = significand &* 10 &+ UInt64(byte &- 0x30)
    }
    while isDigit(index) {
      take(bytes[index])
      index += 1
    }
    if index < count, bytes[index] == 0x2E {
      index += 1
      guard isDigit(index) else { return nil }
      while isDigit(index) {
        take(bytes[index])
        exponent -= 1
        index += 1
      }
    }
    if index < count, bytes[index] | 0x20 == 0x65 {
      index += 1
      var isNegativeExponent = false
      if index < count, bytes[index] == 0x2D || bytes[index] == 0x2B {
        isNegativeExponent = bytes[index] == 0x2D
        index += 1
      }
      guard isDigit(index) else { return nil }
      var written = 0
      while isDigit(index) {
        written = min(written * 10 + Int(bytes[index] &- 0x30), 1 << 40)
        index += 1
      }
      exponent += isNegativeExponent ? -written : written
    }
    guard index == count else { return nil }
    // Digits and power are exact doubles, so that one operation rounds once.
    if digits <= 19, significand <= 1 << 53, exponent >= -22, exponent <= 22 {
      let value = Double(significand)
      let result = exponent < 0 ? value / powers[-exponent] : value * powers[exponent]
      return isNegative ? -result : result
    }
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }
}

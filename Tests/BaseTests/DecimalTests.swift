import Testing

@testable import GQLBase

@Suite struct DecimalTests {
  private func decimal(_ text: String, _ location: SourceLocation = #_sourceLocation) throws -> Decimal {
    try #require(Decimal(parsing: text), "\(text)", sourceLocation: location)
  }

  @Test func arithmetic() throws {
    var count = 0
    for line in decimalArithmeticCases.split(separator: "\n") {
      let parts = line.split(separator: " ").map(String.init)
      let left = try decimal(parts[0])
      let right = try decimal(parts[2])
      let result =
        switch parts[1] {
        case "+": left.adding(right)
        case "-": left.subtracting(right)
        case "*": left.multiplied(by: right)
        case "/": left.divided(by: right)
        default: left.remainder(dividingBy: right)
        }
      #expect(result?.description ?? "nil" == parts[4], "\(line)")
      count += 1
    }
    #expect(count == 260)
  }

  @Test func doubles() throws {
    for line in decimalDoubleCases.split(separator: "\n") {
      let parts = line.split(separator: " ").map(String.init)
      let value = try decimal(parts[0])
      let bits = try #require(UInt64(parts[1], radix: 16))
      // A decimal has no negative zero.
      #expect(value.doubleValue == Double(bitPattern: bits), "\(line)")
    }
  }

  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("1.50", "1.50"), ("-1.50", "-1.50"), ("0.05", "0.05"), ("-0.005", "-0.005"),
    ("1e3", "1000"), ("1.5e1", "15"), ("1.50e1", "15.0"), ("12e-3", "0.012"), ("1E+2", "100"), ("+7", "7"),
    ("007", "7"), ("0.000", "0.000"), ("100.00", "100.00"),
    ("999999999999999999999999999999999999", "999999999999999999999999999999999999"),
    ("1e35", "100000000000000000000000000000000000"), ("1e-36", "0.000000000000000000000000000000000001"),
    ("10e-37", "0.000000000000000000000000000000000001"),
    // 38 digits, of which the last two are zeros of the fraction.
    ("999999999999999999999999999999999999.00", "999999999999999999999999999999999999"),
    ("0e999999999999999999999", "0"),
    ("0.0000000000000000000000000000000000000000", "0.000000000000000000000000000000000000"),
  ])
  func parsing(_ text: String, _ printed: String) throws {
    #expect(try decimal(text).description == printed)
  }

  @Test(arguments: [
    "", "-", ".5", "5.", "1e", "1e+", "1 ", " 1", "1.2.3", "0x10", "abc", "1e36", "1e-37",
    "1000000000000000000000000000000000001", "1e99999999999999999999", "--1", "NaN", "1,5",
    "9999999999999999999999999999999999990",
  ])
  func refused(_ text: String) {
    #expect(Decimal(parsing: text) == nil)
  }

  @Test func equalityIgnoresTrailingZeros() throws {
    let short = try decimal("1.5")
    let long = try decimal("1.500")
    #expect(short == long)
    #expect(short.hashValue == long.hashValue)
    #expect(long.description == "1.500")
    #expect(try decimal("0.00") == Decimal(0))
    #expect(try decimal("0.00").hashValue == Decimal(0).hashValue)
    #expect(try decimal("-1.5") < short)
    #expect(try decimal("-2") < decimal("-1.5"))
    #expect(try decimal("1e-36") < decimal("999999999999999999999999999999999999"))
    #expect(try decimal("-999999999999999999999999999999999999") < decimal("-1e-36"))
  }

  @Test(arguments: [
    "0", "1", "-1", "1.50", "-0.000001", "999999999999999999999999999999999999",
    "-999999999999999999999999999999999999",
    "0.999999999999999999999999999999999999", "-0.000000000000000000000000000000000001", "18446744073709551616",
    "-18446744073709551617",
  ])
  func packing(_ text: String) throws {
    let value = try decimal(text)
    let back = Decimal(packed: value.packed)
    #expect(back.significand == value.significand)
    #expect(back.scale == value.scale)
  }

  @Test func rounding() throws {
    func rounded(_ text: String, _ places: Int) throws -> String? {
      try decimal(text).rounded(to: places)?.description
    }
    #expect(try rounded("2.345", 2) == "2.35")
    #expect(try rounded("-2.345", 2) == "-2.35")
    #expect(try rounded("2.344", 2) == "2.34")
    #expect(try rounded("0.5", 0) == "1")
    #expect(try rounded("-0.5", 0) == "-1")
    #expect(try rounded("1.5", 3) == "1.5")
    #expect(try rounded("1250", -2) == "1300")
    #expect(try rounded("49", -2) == "0")
    #expect(try rounded("50", -2) == "100")
    #expect(try rounded("1", -100) == "0")
    #expect(try rounded("1", .min) == "0")
    #expect(try rounded("1", .max) == "1")
    #expect(try rounded("999999999999999999999999999999999999", -1) == nil)
    #expect(try rounded("999999999999999999999999999999999999", -36) == nil)
    #expect(try rounded("0.999999999999999999999999999999999999", -1) == "0")
    #expect(try decimal("-1.5").floor == Decimal(-2))
    #expect(try decimal("-1.5").ceiling == Decimal(-1))
    #expect(try decimal("1.5").floor == Decimal(1))
    #expect(try decimal("1.5").ceiling == Decimal(2))
    #expect(try decimal("7.5").truncatingQuotient(dividingBy: decimal("-2")) == Decimal(-3))
    #expect(try decimal("1").truncatingQuotient(dividingBy: decimal("0.3")) == Decimal(3))
    #expect(try decimal("1").truncatingQuotient(dividingBy: decimal("0")) == nil)
  }

  @Test func comparesExactlyWithDoubles() throws {
    // 0.1 as a double is 0.1000000000000000055511151231257827…
    #expect(try compareExactly(decimal("0.1"), 0.1) < 0)
    #expect(try compareExactly(decimal("0.100000000000000005551115123125782"), 0.1) < 0)
    #expect(try compareExactly(decimal("0.100000000000000005551115123125783"), 0.1) > 0)
    #expect(try compareExactly(decimal("-0.1"), -0.1) > 0)
    #expect(try compareExactly(decimal("0.5"), 0.5) == 0)
    #expect(try compareExactly(decimal("0.50"), 0.5) == 0)
    #expect(try compareExactly(decimal("0"), -0.0) == 0)
    #expect(try compareExactly(decimal("0"), .leastNonzeroMagnitude) < 0)
    #expect(try compareExactly(decimal("1e-36"), .leastNonzeroMagnitude) > 0)
    #expect(try compareExactly(decimal("-1"), .leastNonzeroMagnitude) < 0)
    #expect(try compareExactly(decimal("1e35"), 1e300) < 0)
    // 1e23 as a double is 99999999999999991611392.
    #expect(try compareExactly(decimal("1e23"), 1e23) > 0)
    #expect(try compareExactly(decimal("99999999999999991611392"), 1e23) == 0)
    #expect(try compareExactly(decimal("9007199254740993"), 9_007_199_254_740_992.0) > 0)
    #expect(compareExactly(Int64.max, 0x1p63) < 0)
    #expect(compareExactly(Int64.min, -0x1p63) == 0)
    #expect(compareExactly(Int64(9_007_199_254_740_993), 9_007_199_254_740_992.0) > 0)
    #expect(compareExactly(3, 3.5) < 0)
    #expect(compareExactly(-3, -3.5) > 0)
    #expect(compareExactly(4, 3.5) > 0)
    #expect(compareExactly(0, -0.5) > 0)
    #expect(compareExactly(Int64.min, -.infinity) > 0)
    #expect(compareExactly(Int64.max, .infinity) < 0)
  }

  @Test func fromDoubles() {
    #expect(Decimal(exactly: 0.5)?.description == "0.5")
    #expect(Decimal(exactly: -0.75)?.description == "-0.75")
    #expect(Decimal(exactly: 0.1) == nil)
    #expect(Decimal(exactly: 1e23)?.description == "99999999999999991611392")
    #expect(Decimal(exactly: 0x1p-36)?.description == "0.000000000014551915228366851806640625")
    #expect(Decimal(exactly: 1e36) == nil)
    #expect(Decimal(exactly: .nan) == nil)
    #expect(Decimal(exactly: .leastNonzeroMagnitude) == nil)
    #expect(Decimal(shortest: 0.1)?.description == "0.1")
    #expect(Decimal(shortest: -1234.5)?.description == "-1234.5")
    #expect(Decimal(shortest: 1e22)?.description == "10000000000000000000000")
    #expect(Decimal(shortest: 1e-36)?.description == "0.000000000000000000000000000000000001")
    #expect(Decimal(shortest: 1e-40) == nil)
    #expect(Decimal(shortest: 1e300) == nil)
    #expect(Decimal(shortest: 0)?.description == "0")
  }

  @Test func integers() throws {
    #expect(try decimal("12.00").int64Value == 12)
    #expect(try decimal("12.01").int64Value == nil)
    #expect(try decimal("-9223372036854775808").int64Value == .min)
    #expect(try decimal("9223372036854775808").int64Value == nil)
  }

  @Test func sumsAreExactInAnyOrder() throws {
    let values = ["999999999999999999999999999999999999", "1e-36", "-999999999999999999999999999999999999", "0.10"]
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
      var sum = DecimalSum()
      for index in order { sum.add(try decimal(values[index])) }
      #expect(sum.value?.description == "0.100000000000000000000000000000000001")
    }
    var money = DecimalSum()
    for text in ["0.10", "0.2", "-1.05"] { money.add(try decimal(text)) }
    #expect(money.value?.description == "-0.75")
    #expect(DecimalSum().value?.description == "0")
    var large = DecimalSum()
    for _ in 0..<2 { large.add(try decimal(values[0])) }
    #expect(large.value == nil)
    large.add(try decimal(values[2]))
    #expect(large.value?.description == values[0])
  }
}

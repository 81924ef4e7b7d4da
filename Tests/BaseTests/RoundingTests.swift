import Foundation
import Testing

@testable import GQLBase

/// Rounding and units of time, against Foundation's decimals and calendar.
@Suite struct RoundingTests {
  /// Half away from zero on the exact digits of the double, which `%.*f` with enough places writes.
  private func expected(_ value: Double, _ places: Int) -> Double? {
    // A double has at most 1074 places; these have far fewer.
    let digits = Array(String(format: "%.400f", abs(value)))
    guard let point = digits.firstIndex(of: ".") else { return nil }
    var number = digits[..<point] + digits[(point + 1)...]
    let keep = point + places
    guard keep >= 0 else { return 0 }
    let isUp = keep < number.count && number[keep] >= "5"
    number = number.prefix(keep)
    var index = number.endIndex - 1
    if isUp {
      while index >= 0, number[index] == "9" {
        number[index] = "0"
        index -= 1
      }
      if index >= 0, let digit = number[index].wholeNumberValue {
        number[index] = Character("\(digit + 1)")
      } else {
        number.insert("1", at: 0)
      }
    }
    let result = Double("\(String(number.isEmpty ? ["0"] : Array(number)))e\(-places)")
    return result.map { value < 0 ? -$0 : $0 }
  }

  @Test func doublesByTheirExactValue() {
    var seed: UInt64 = 7
    func next() -> UInt64 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return seed >> 11
    }
    var values: [Double] = [2.675, 1.005, 0.5, 1.5, -2.5, 0.49999999999999994, 1e22, 123456789.987654321, 5e15, 0.05]
    for _ in 0..<2000 {
      values.append(Double(Int64(bitPattern: next()) % 1_000_000) / 1000)
      values.append(Double(next()) / 1e7)
      values.append(Double(sign: .plus, exponent: Int(next() % 160) - 80, significand: 1 + Double(next() % 1000) / 999))
    }
    for value in values {
      for places in [-30, -16, -3, -1, 0, 1, 2, 5, 15, 22, 30, 36] {
        let found = value.roundedExactly(to: places)
        let wanted = expected(value, places)
        #expect(found == wanted, "\(value) to \(places): \(found)")
        if found != wanted { return }
      }
    }
    #expect(Double.greatestFiniteMagnitude.roundedExactly(to: 2) == .greatestFiniteMagnitude)
    #expect(Double.leastNonzeroMagnitude.roundedExactly(to: 36) == 0)
    #expect((-0.001).roundedExactly(to: 2).sign == .plus)
  }

  @Test func integers() {
    #expect(Int64(15).rounded(to: -1) == 20 && Int64(-15).rounded(to: -1) == -20 && Int64(14).rounded(to: -1) == 10)
    #expect(Int64(7).rounded(to: 3) == 7 && Int64.max.rounded(to: -20) == 0 && Int64.max.rounded(to: .min) == 0)
    #expect(Int64.max.rounded(to: -1) == nil && Int64.max.rounded(to: -19) == nil && Int64.min.rounded(to: -1) == nil)
    #expect(Int64.max.rounded(to: -2) == 9_223_372_036_854_775_800)
  }

  @Test func unitsOfTime() {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    let units: [(TimeUnit, Calendar.Component)] = [
      (.year, .year), (.month, .month), (.week, .weekOfYear), (.day, .day), (.hour, .hour), (.minute, .minute),
      (.second, .second),
    ]
    var time: Int64 = -4_000_000_000_000_000
    while time < 5_000_000_000_000_000 {
      let date = Date(timeIntervalSince1970: (Double(time) / 1_000_000).rounded(.down))
      for (unit, component) in units {
        let start = calendar.dateInterval(of: component, for: date)?.start.timeIntervalSince1970
        let found = CivilTime.truncate(dateTime: time, to: unit)
        #expect(start.map { Int64($0) * 1_000_000 } == found, "\(unit) of \(time)")
      }
      time += 98_765_432_123_457
    }
    #expect(
      CivilTime.truncate(date: CivilTime.dateRange.lowerBound, to: .week) == CivilTime.dateRange.lowerBound)
  }

  @Test func monthsBetween() {
    func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
      CivilTime.days(year: year, month: month, day: day) ?? 0
    }
    // Whole months from a day on: as many as can be stepped without passing the other.
    for (a, b, months) in [
      (days(2024, 3, 31), days(2024, 1, 31), 2), (days(2024, 2, 29), days(2024, 1, 31), 0),
      (days(2024, 1, 31), days(2024, 3, 30), -1), (days(2024, 1, 1), days(2024, 1, 1), 0),
      (days(2025, 1, 1), days(2023, 12, 31), 12), (days(9999, 12, 31), days(1, 1, 1), 119_987),
    ] {
      #expect(CivilTime.difference(date: a, b, in: .month) == Int64(months))
      #expect(CivilTime.difference(date: b, a, in: .month) == Int64(-months) || months < 0)
      #expect(CivilTime.difference(date: a, b, in: .year) == Int64(months / 12))
    }
  }
}

import Testing

@testable import GQLBase

@Suite struct CivilTimeTests {
  private func bytes<R>(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    Array(text.utf8).withUnsafeBufferPointer(body)
  }

  private func printed(_ write: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer()
    write(&buffer)
    return buffer.string
  }

  @Test(
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1_000_000),
      ("2026-01-02T03:04:05Z", 1_767_323_045_000_000),
      ("2026-01-02 03:04:05", 1_767_323_045_000_000), ("2026-01-02t03:04:05z", 1_767_323_045_000_000),
      ("2026-01-02T05:04:05+02:00", 1_767_323_045_000_000), ("2026-01-01T21:34:05-05:30", 1_767_323_045_000_000),
      ("2026-01-02T05:04:05+0200", 1_767_323_045_000_000), ("2026-01-02T05:04:05+02", 1_767_323_045_000_000),
      ("2026-01-02T03:04:05.5Z", 1_767_323_045_500_000), ("2026-01-02T03:04:05.000001Z", 1_767_323_045_000_001),
      ("2026-01-02T03:04:05.123456000Z", 1_767_323_045_123_456), ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
      ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999), ("2000-02-29T12:00:00Z", 951_825_600_000_000),
    ] as [(String, Int64)])
  func dateTimes(_ text: String, _ expected: Int64) {
    #expect(bytes(text, CivilTime.parseDateTime) == expected)
  }

  @Test(
    arguments: [
      (0, 978_307_200_000_000), (-978_307_200, 0), (-978_307_200.25, -250_000),
      (789_015_845.123456, 1_767_323_045_123_456), (0.0000004, 978_307_200_000_000), (-0.0000006, 978_307_199_999_999),
      (-63_113_904_000, -62_135_596_800_000_000),
      (4e12, nil), (-4e12, nil), (.infinity, nil), (-.infinity, nil), (.nan, nil),
    ] as [(Double, Int64?)])
  func secondsSinceReference(_ seconds: Double, _ expected: Int64?) {
    #expect(CivilTime.dateTime(sinceReference: seconds) == expected)
  }

  @Test func swiftDurations() {
    #expect(CivilTime.microseconds(of: .milliseconds(1500)) == 1_500_000)
    #expect(CivilTime.microseconds(of: .nanoseconds(1999)) == 1)
    #expect(CivilTime.microseconds(of: .nanoseconds(-1999)) == -1)
    #expect(CivilTime.microseconds(of: .seconds(9_223_372_036_854)) == 9_223_372_036_854_000_000)
    #expect(CivilTime.microseconds(of: .seconds(9_223_372_036_855)) == nil)
    #expect(CivilTime.microseconds(of: .seconds(-9_223_372_036_855)) == nil)
  }

  @Test(arguments: [
    "", "2026-01-02", "2026-01-02T", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z", "2026-01-32T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T00:60:00Z",
    "2026-01-02T00:00:60Z", "2026-01-02T00:00:00.Z", "2026-01-02T00:00:00.1234567Z", "2026-01-02T00:00:00+24:00",
    "2026-01-02T00:00:00+01:60", "2026-01-02T00:00:00ZZ", "2026-01-02T00:00:00+", "2026-01-02T00:00:00+1",
    "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00Z", "26-01-02T00:00:00Z",
    "2026-1-2T00:00:00Z", "+026-01-02T00:00:00Z", "2026-01-02T03:04Z",
  ])
  func refusedDateTimes(_ text: String) {
    #expect(bytes(text, CivilTime.parseDateTime) == nil)
  }

  @Test(
    arguments: [
      (0, "\"1970-01-01T00:00:00Z\""), (-1, "\"1969-12-31T23:59:59.999999Z\""),
      (1_767_323_045_500_000, "\"2026-01-02T03:04:05.500Z\""),
      (1_767_323_045_000_010, "\"2026-01-02T03:04:05.000010Z\""),
      (.max, "\"9999-12-31T23:59:59.999999Z\""), (.min, "\"0001-01-01T00:00:00Z\""),
    ] as [(Int64, String)])
  func printedDateTimes(_ value: Int64, _ expected: String) {
    #expect(printed { $0.append(dateTime: value) } == expected)
  }

  @Test func everyDayOfAllYears() {
    // Walks the calendar by its rules and compares with both directions of the conversion.
    var day: Int64 = -719_162
    for year in 1...9999 {
      for month in 1...12 {
        let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        let length = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        for number in 1...length {
          let value = day + Int64(number) - 1
          let back = CivilTime.components(ofDate: value)
          if CivilTime.days(year: year, month: month, day: number) != value || back.year != year
            || back.month != month || back.day != number
          {
            Issue.record("\(year)-\(month)-\(number)")
            return
          }
        }
        if CivilTime.days(year: year, month: month, day: length + 1) != nil { Issue.record("\(year)-\(month)") }
        day += Int64(length)
      }
    }
    #expect(day - 1 == CivilTime.dateRange.upperBound)
  }

  @Test func dates() {
    #expect(bytes("1970-01-01", CivilTime.parseDate) == 0)
    #expect(bytes("2024-02-29", CivilTime.parseDate) == 19_782)
    #expect(bytes("2023-02-29", CivilTime.parseDate) == nil)
    #expect(bytes("2024-02-29 ", CivilTime.parseDate) == nil)
    #expect(bytes("2024-2-29", CivilTime.parseDate) == nil)
    #expect(printed { $0.append(date: 19_782) } == "\"2024-02-29\"")
    #expect(printed { $0.append(date: .max) } == "\"9999-12-31\"")
    // 2026-01-02 was a Friday, 1969-12-28 a Sunday.
    #expect(CivilTime.weekday(ofDate: 20_455) == 5)
    #expect(CivilTime.weekday(ofDate: -4) == 7)
    #expect(CivilTime.weekday(ofDate: 0) == 4)
    #expect(CivilTime.date(ofDateTime: -1) == -1)
    #expect(CivilTime.date(ofDateTime: .min) == -106_751_992)
  }

  @Test(
    arguments: [
      ("P3W", 1_814_400_000_000), ("P1DT2H30M1.5S", 95_401_500_000), ("PT0S", 0), ("-PT1S", -1_000_000),
      ("+PT1M", 60_000_000), ("PT0.000001S", 1), ("P1W1D", 691_200_000_000), ("PT36H", 129_600_000_000),
      ("PT1.5000000S", 1_500_000), ("PT9223372036854.775807S", .max), ("-PT9223372036854.775808S", .min),
    ] as [(String, Int64)])
  func durations(_ text: String, _ expected: Int64) {
    #expect(bytes(text, CivilTime.parseDuration) == expected)
  }

  @Test(arguments: [
    "", "P", "PT", "P1DT", "P1Y", "P1M", "1D", "P1H", "PT1D", "PT1M1H", "PT1S1S", "PT1.5M", "P1.5D", "PT.5S", "PT1.S",
    "PT1.0000001S", "P99999999999999D", "PT9223372036854.775808S", "P1D ", "P-1D", "PT1,5S", "PTT1S",
    "P99999999999999999999999D",
  ])
  func refusedDurations(_ text: String) {
    #expect(bytes(text, CivilTime.parseDuration) == nil)
  }

  @Test(
    arguments: [
      (0, "\"PT0S\""), (93_784_500_000, "\"P1DT2H3M4.5S\""), (-1, "\"-PT0.000001S\""), (86_400_000_000, "\"P1D\""),
      (60_000_000, "\"PT1M\""), (3_600_000_000, "\"PT1H\""), (.min, "\"-P106751991DT4H54.775808S\""),
      (.max, "\"P106751991DT4H54.775807S\""), (1_000_010, "\"PT1.00001S\""),
    ] as [(Int64, String)])
  func printedDurations(_ value: Int64, _ expected: String) {
    let text = printed { $0.append(duration: value) }
    #expect(text == expected)
    #expect(bytes(String(text.dropFirst().dropLast()), CivilTime.parseDuration) == value)
  }

  @Test func uuids() {
    let canonical = "0f8fad5b-d9cb-469f-a165-70867728950e"
    for text in [canonical, canonical.uppercased(), canonical.filter { $0 != "-" }] {
      #expect(bytes(text, UUIDText.normalize).map { String(decoding: $0, as: UTF8.self) } == canonical)
    }
    for text in [
      "", "0f8fad5bd-9cb-469f-a165-70867728950e", String(canonical.dropLast()), "g" + canonical.dropFirst(),
      canonical + "0", "0f8fad5b-d9cb-469f-a165-7086772895-e",
    ] {
      #expect(bytes(text, UUIDText.normalize) == nil, "\(text)")
    }
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"), ("\u{FF}\u{3BF}\u{10FFFF}", "w7/Ov/SPv78="),
  ])
  func base64(_ text: String, _ encoded: String) {
    let source = Array(text.utf8)
    #expect(printed { buffer in source.withUnsafeBytes { buffer.append(base64: $0) } } == "\"\(encoded)\"")
    #expect(bytes(encoded, Base64.decode) == source)
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "Zg==Zg==", "Zh==", "Zm9=", "Zm 9", "====", "Z===", "Zm9v\n", "Zm-_"])
  func refusedBase64(_ text: String) {
    #expect(bytes(text, Base64.decode) == nil)
  }
}

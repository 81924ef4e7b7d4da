/// A moment in whole seconds since 1970, printed as RFC 3339 in UTC.
package enum Timestamp {
  /// The number of bytes of a printed moment.
  package static let length = 20

  /// Appends `2024-05-01T12:34:56Z` for `seconds`, which lie in the years 1970 to 9999.
  package static func write(_ seconds: Int, to bytes: inout [UInt8]) {
    let (year, month, day) = date(days: seconds / 86_400)
    let time = seconds % 86_400
    digits(year, 4, &bytes)
    bytes.append(UInt8(ascii: "-"))
    digits(month, 2, &bytes)
    bytes.append(UInt8(ascii: "-"))
    digits(day, 2, &bytes)
    bytes.append(UInt8(ascii: "T"))
    digits(time / 3_600, 2, &bytes)
    bytes.append(UInt8(ascii: ":"))
    digits(time / 60 % 60, 2, &bytes)
    bytes.append(UInt8(ascii: ":"))
    digits(time % 60, 2, &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// `seconds` as text.
  package static func text(_ seconds: Int) -> String {
    var bytes: [UInt8] = []
    write(seconds, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The Gregorian date of a day counted from 1970-01-01, by counting from 1 March of year 0 so that leap days come last.
  private static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func digits(_ value: Int, _ count: Int, _ bytes: inout [UInt8]) {
    var divisor = count == 4 ? 1_000 : 10
    while divisor > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
      divisor /= 10
    }
  }
}

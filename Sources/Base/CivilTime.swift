/// Dates and times of the proleptic Gregorian calendar, years 0001 to 9999, as numbers.
///
/// A DateTime is microseconds and a Date days since 1970-01-01 (UTC); a Duration is microseconds.
package enum CivilTime {
  package static let microsecondsPerSecond: Int64 = 1_000_000
  package static let microsecondsPerDay: Int64 = 86_400_000_000

  /// 0001-01-01 … 9999-12-31.
  package static let dateRange: ClosedRange<Int64> = -719_162...2_932_896
  package static let dateTimeRange: ClosedRange<Int64> =
    -719_162 * 86_400_000_000...2_932_896 * 86_400_000_000 + 86_399_999_999

  package struct Components: Hashable, Sendable {
    package var year = 1970
    package var month = 1
    package var day = 1
    package var hour = 0
    package var minute = 0
    package var second = 0
    package var microsecond = 0
    package init() {}
  }

  package static func isLeapYear(_ year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// `month` is 1…12.
  package static func dayCount(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeapYear(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Nil if there is no such day.
  package static func days(year: Int, month: Int, day: Int) -> Int64? {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1, day <= dayCount(ofMonth: month, year: year)
    else { return nil }
    // Years begin in March here, so that the leap day is the last; 306 days lie between March and January.
    let shifted = month > 2 ? year : year - 1
    let monthIndex = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthIndex + 2) / 5 + day - 1
    let wholeYears = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400
    return Int64(wholeYears + dayOfYear - 719_468)
  }

  /// Values out of range are taken as the nearest in range.
  package static func components(ofDate days: Int64) -> Components {
    let clamped = min(max(days, dateRange.lowerBound), dateRange.upperBound)
    let shifted = Int(clamped) + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    var result = Components()
    result.day = dayOfYear - (153 * monthIndex + 2) / 5 + 1
    result.month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    result.year = yearOfEra + era * 400 + (result.month <= 2 ? 1 : 0)
    return result
  }

  /// Values out of range are taken as the nearest in range.
  package static func components(ofDateTime microseconds: Int64) -> Components {
    let clamped = min(max(microseconds, dateTimeRange.lowerBound), dateTimeRange.upperBound)
    let days = date(ofDateTime: clamped)
    var result = components(ofDate: days)
    let time = Int(clamped - days * microsecondsPerDay)
    result.microsecond = time % 1_000_000
    result.second = time / 1_000_000 % 60
    result.minute = time / 60_000_000 % 60
    result.hour = time / 3_600_000_000
    return result
  }

  /// Nil if there is no such day or time.
  package static func dateTime(_ components: Components) -> Int64? {
    guard let days = days(year: components.year, month: components.month, day: components.day),
      (0...23).contains(components.hour), (0...59).contains(components.minute), (0...59).contains(components.second),
      (0...999_999).contains(components.microsecond)
    else { return nil }
    let seconds = (components.hour * 60 + components.minute) * 60 + components.second
    return days * microsecondsPerDay + Int64(seconds * 1_000_000 + components.microsecond)
  }

  /// The day on which a moment lies (UTC).
  package static func date(ofDateTime microseconds: Int64) -> Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: microsecondsPerDay)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// Monday is 1, Sunday 7, as in ISO 8601.
  package static func weekday(ofDate days: Int64) -> Int {
    // 1970-01-01 was a Thursday.
    let remainder = Int(days % 7)
    return ((remainder + 7) % 7 + 3) % 7 + 1
  }
}

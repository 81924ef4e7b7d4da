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

  /// The DateTimes that programs may keep, see ``dateTime(sinceReference:)``. Those outside of ``dateTimeRange`` are
  /// written as its ends.
  package static let keptDateTimeRange: ClosedRange<Int64> =
    (-secondsSinceReference + 978_307_200) * 1_000_000...(secondsSinceReference + 978_307_200) * 1_000_000

  /// Returns the day of a moment as it is written, which a Date can be.
  package static func writtenDate(ofDateTime microseconds: Int64) -> Int64 { date(ofDateTime: written(microseconds)) }

  /// Returns a moment as it is written: the nearest of ``dateTimeRange``.
  package static func written(_ microseconds: Int64) -> Int64 {
    min(max(microseconds, dateTimeRange.lowerBound), dateTimeRange.upperBound)
  }

  /// So much that also a difference of two in microseconds is an Int64.
  @usableFromInline static let secondsSinceReference: Int64 = 4_000_000_000_000

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
    var result = Components()
    setDay(UInt32(truncatingIfNeeded: clamped &+ 719_468), &result)
    return result
  }

  /// Values out of range are taken as the nearest in range.
  @inline(__always)
  package static func components(ofDateTime microseconds: Int64) -> Components {
    let clamped = written(microseconds)
    // Counted from 0000-03-01, so that nothing is negative; divisions by constants are multiplications.
    let shifted = UInt64(bitPattern: clamped &+ 719_468 &* 86_400_000_000)
    let days = shifted / 86_400_000_000
    let time = shifted &- days &* 86_400_000_000
    let seconds = UInt32(truncatingIfNeeded: time / 1_000_000)
    let minutes = seconds / 60
    var result = Components()
    setDay(UInt32(truncatingIfNeeded: days), &result)
    result.microsecond = Int(truncatingIfNeeded: time &- UInt64(seconds) &* 1_000_000)
    result.second = Int(truncatingIfNeeded: seconds &- minutes &* 60)
    result.hour = Int(truncatingIfNeeded: minutes / 60)
    result.minute = Int(truncatingIfNeeded: minutes % 60)
    return result
  }

  /// Sets year, month and day from the days since 0000-03-01.
  ///
  /// Years begin in March, so that the leap day is the last. Century, year and month are then each the whole part of a
  /// linear function, and what is below the point gives the days that are left (after Neri and Schneider).
  @inline(__always)
  private static func setDay(_ days: UInt32, _ result: inout Components) {
    let quarters = 4 &* days &+ 3
    let century = quarters / 146_097
    let quartersOfCentury = quarters &- century &* 146_097 | 3
    // 1461 quarter days a year: 2^32 / 1461 rounded up gives the year above the point and the rest below it.
    let product = 2_939_745 &* UInt64(quartersOfCentury)
    let yearOfCentury = UInt32(truncatingIfNeeded: product &>> 32)
    let dayOfYear = UInt32(truncatingIfNeeded: product) / 2_939_745 / 4
    // 2^16 / 30.61 days a month, shifted to March.
    let monthAndDay = 2141 &* dayOfYear &+ 197_913
    let month = monthAndDay &>> 16
    let isNextYear = dayOfYear >= 306
    result.day = Int(truncatingIfNeeded: (monthAndDay & 0xFFFF) / 2141 &+ 1)
    result.month = Int(truncatingIfNeeded: isNextYear ? month &- 12 : month)
    result.year = Int(truncatingIfNeeded: 100 &* century &+ yearOfCentury &+ (isNextYear ? 1 : 0))
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

  /// Returns the DateTime of seconds since 2001-01-01 (UTC), rounded to microseconds. Nil for what is no number, or far
  /// beyond any year that can be written.
  @inlinable
  package static func dateTime(sinceReference seconds: Double) -> Int64? {
    let whole = seconds.rounded(.down)
    guard abs(whole) < Double(secondsSinceReference) else { return nil }
    let fraction = ((seconds - whole) * 1e6).rounded()
    return (Int64(whole) + 978_307_200) * 1_000_000 + Int64(fraction)
  }

  /// Returns a duration in microseconds, without what is finer; nil for more than 292,000 years.
  package static func microseconds(of duration: Duration) -> Int64? {
    let (seconds, attoseconds) = duration.components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: microsecondsPerSecond)
    let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
    return isTooLong || overflows ? nil : sum
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

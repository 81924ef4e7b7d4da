/// A unit of the calendar or of the clock, by its name in the language.
package enum TimeUnit: String, CaseIterable, Sendable {
  case year = "YEAR"
  case quarter = "QUARTER"
  case month = "MONTH"
  case week = "WEEK"
  case day = "DAY"
  case hour = "HOUR"
  case minute = "MINUTE"
  case second = "SECOND"

  /// Whether it divides a day, so that dates know nothing of it.
  package var isOfClock: Bool {
    switch self {
    case .hour, .minute, .second: true
    case .year, .quarter, .month, .week, .day: false
    }
  }

  /// Nil for units whose length varies.
  package var microseconds: Int64? {
    switch self {
    case .year, .quarter, .month: nil
    case .week: 7 * CivilTime.microsecondsPerDay
    case .day: CivilTime.microsecondsPerDay
    case .hour: 3_600_000_000
    case .minute: 60_000_000
    case .second: CivilTime.microsecondsPerSecond
    }
  }

  /// Nil for units that are not whole months.
  var months: Int64? {
    switch self {
    case .year: 12
    case .quarter: 3
    case .month: 1
    case .week, .day, .hour, .minute, .second: nil
    }
  }
}

extension CivilTime {
  /// The first day of the unit in which a day lies; weeks begin on Monday. A unit of the clock leaves the day as it is.
  package static func truncate(date days: Int64, to unit: TimeUnit) -> Int64 {
    switch unit {
    case .year, .quarter, .month:
      let parts = components(ofDate: days)
      let month = unit == .year ? 1 : unit == .quarter ? (parts.month - 1) / 3 * 3 + 1 : parts.month
      return self.days(year: parts.year, month: month, day: 1) ?? days
    // The first day of all, 0001-01-01, is a Monday.
    case .week: return days - Int64(weekday(ofDate: days) - 1)
    case .day, .hour, .minute, .second: return days
    }
  }

  /// The first moment of the unit in which a moment lies (UTC).
  package static func truncate(dateTime time: Int64, to unit: TimeUnit) -> Int64 {
    let time = written(time)
    if unit.isOfClock, let length = unit.microseconds {
      let rest = time % length
      return time - (rest < 0 ? rest + length : rest)
    }
    return truncate(date: date(ofDateTime: time), to: unit) * microsecondsPerDay
  }

  /// `left − right` in whole units, the rest dropped: months and longer as the calendar counts them.
  ///
  /// Moments beyond ``dateTimeRange`` count as its ends.
  package static func difference(dateTime left: Int64, _ right: Int64, in unit: TimeUnit) -> Int64 {
    let (left, right) = (written(left), written(right))
    if let length = unit.microseconds { return (left - right) / length }
    guard let months = unit.months else { return 0 }
    let a = components(ofDateTime: left)
    let b = components(ofDateTime: right)
    var difference = Int64((a.year - b.year) * 12 + a.month - b.month)
    let rest = sinceMonth(left, a)
    let otherRest = sinceMonth(right, b)
    if difference > 0, rest < otherRest { difference -= 1 }
    if difference < 0, rest > otherRest { difference += 1 }
    return difference / months
  }

  private static func sinceMonth(_ time: Int64, _ parts: Components) -> Int64 {
    time - truncate(dateTime: time, to: .day) + Int64(parts.day) * microsecondsPerDay
  }

  /// As ``difference(dateTime:_:in:)``, for dates.
  package static func difference(date left: Int64, _ right: Int64, in unit: TimeUnit) -> Int64 {
    difference(dateTime: left * microsecondsPerDay, right * microsecondsPerDay, in: unit)
  }
}

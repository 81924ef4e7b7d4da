/// Functions of dates and moments, in UTC.
extension ReferenceEvaluator {
  func timeFunction(_ name: String, _ arguments: [Datum], _ unit: String) throws -> Datum {
    let seconds = try Self.seconds(arguments[0])
    let number = CivilCalendar.floorQuotient(seconds, CivilCalendar.secondsPerDay)
    let rest = CivilCalendar.floorRemainder(seconds, CivilCalendar.secondsPerDay)
    let day = CivilCalendar.day(number)
    switch name {
    case "year": return .int(day.year)
    case "month": return .int(day.month)
    case "day": return .int(day.day)
    case "weekday": return .int(CivilCalendar.weekday(number))
    case "hour": return .int(rest / 3600)
    case "minute": return .int(rest / 60 % 60)
    case "second": return .int(rest % 60)
    case "trunc":
      let start = CivilCalendar.truncated(seconds, to: unit)
      if case .date = arguments[0] { return .date(start / CivilCalendar.secondsPerDay) }
      return .time(start)
    case "dateDiff":
      return .int(try Self.difference(seconds, Self.seconds(arguments[1]), unit))
    default: throw ReferenceFailure.malformed
    }
  }

  private static func seconds(_ value: Datum) throws -> Int {
    switch value {
    case .date(let number): return number * CivilCalendar.secondsPerDay
    case .time(let seconds): return seconds
    default: throw ReferenceFailure.malformed
    }
  }

  /// Whole units from the second to the first, the rest dropped; months by the calendar.
  private static func difference(_ first: Int, _ second: Int, _ unit: String) throws -> Int {
    switch unit {
    case "SECOND": return first - second
    case "MINUTE": return (first - second) / 60
    case "HOUR": return (first - second) / 3600
    case "DAY": return (first - second) / CivilCalendar.secondsPerDay
    case "WEEK": return (first - second) / (7 * CivilCalendar.secondsPerDay)
    case "MONTH", "QUARTER", "YEAR":
      let months = first < second ? -wholeMonths(first, second) : wholeMonths(second, first)
      return months / (unit == "MONTH" ? 1 : unit == "QUARTER" ? 3 : 12)
    default: throw ReferenceFailure.malformed
    }
  }

  private static func wholeMonths(_ start: Int, _ end: Int) -> Int {
    func parts(_ seconds: Int) -> (month: Int, rest: Int) {
      let day = CivilCalendar.day(CivilCalendar.floorQuotient(seconds, CivilCalendar.secondsPerDay))
      let rest = CivilCalendar.floorRemainder(seconds, CivilCalendar.secondsPerDay)
      return (day.year * 12 + day.month, day.day * CivilCalendar.secondsPerDay + rest)
    }
    let (first, last) = (parts(start), parts(end))
    return last.month - first.month - (last.rest < first.rest ? 1 : 0)
  }
}

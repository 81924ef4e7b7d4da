/// Days and moments of the proleptic Gregorian calendar in UTC, counted from 1970-01-01.
enum CivilCalendar {
  static let secondsPerDay = 86_400

  struct Day: Equatable {
    var year: Int
    var month: Int
    var day: Int
  }

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
  static func length(ofMonth month: Int, _ year: Int) -> Int {
    month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Year by year and month by month: slow and plain.
  static func day(_ number: Int) -> Day {
    var rest = number
    var year = 1970
    while rest < 0 {
      year -= 1
      rest += isLeap(year) ? 366 : 365
    }
    while rest >= (isLeap(year) ? 366 : 365) {
      rest -= isLeap(year) ? 366 : 365
      year += 1
    }
    var month = 1
    while rest >= length(ofMonth: month, year) {
      rest -= length(ofMonth: month, year)
      month += 1
    }
    return Day(year: year, month: month, day: rest + 1)
  }

  static func number(_ day: Day) -> Int {
    var number = day.day - 1
    for month in 1..<day.month { number += length(ofMonth: month, day.year) }
    if day.year >= 1970 {
      for year in 1970..<day.year { number += isLeap(year) ? 366 : 365 }
    } else {
      for year in day.year..<1970 { number -= isLeap(year) ? 366 : 365 }
    }
    return number
  }

  /// 1 on Mondays; 1970-01-01 was a Thursday.
  static func weekday(_ number: Int) -> Int { floorRemainder(number + 3, 7) + 1 }

  static func floorQuotient(_ value: Int, _ unit: Int) -> Int { (value - floorRemainder(value, unit)) / unit }
  static func floorRemainder(_ value: Int, _ unit: Int) -> Int { (value % unit + unit) % unit }

  static func dateText(_ number: Int) -> String {
    let day = day(number)
    return "\(pad(day.year, 4))-\(pad(day.month, 2))-\(pad(day.day, 2))"
  }

  static func timeText(_ seconds: Int) -> String {
    let rest = floorRemainder(seconds, secondsPerDay)
    let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { pad($0, 2) }.joined(separator: ":")
    return "\(dateText(floorQuotient(seconds, secondsPerDay)))T\(clock)Z"
  }

  static func durationText(_ seconds: Int) -> String {
    let size = abs(seconds)
    var text = seconds < 0 ? "-P" : "P"
    if size >= secondsPerDay { text += "\(size / secondsPerDay)D" }
    let rest = size % secondsPerDay
    if rest > 0 || size == 0 { text += "T" }
    if rest >= 3600 { text += "\(rest / 3600)H" }
    if rest / 60 % 60 > 0 { text += "\(rest / 60 % 60)M" }
    if rest % 60 > 0 || size == 0 { text += "\(rest % 60)S" }
    return text
  }

  /// The start of the unit that a moment lies in.
  static func truncated(_ seconds: Int, to unit: String) -> Int {
    let number = floorQuotient(seconds, secondsPerDay)
    var start = day(number)
    switch unit {
    case "HOUR": return floorQuotient(seconds, 3600) * 3600
    case "MINUTE": return floorQuotient(seconds, 60) * 60
    case "DAY": return number * secondsPerDay
    case "WEEK": return (number - weekday(number) + 1) * secondsPerDay
    case "QUARTER":
      start.month -= (start.month - 1) % 3
      start.day = 1
    case "MONTH": start.day = 1
    case "YEAR": start = Day(year: start.year, month: 1, day: 1)
    default: return seconds
    }
    return self.number(start) * secondsPerDay
  }

  private static func pad(_ number: Int, _ length: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, length - digits.count)) + digits
  }
}

import Foundation
import GQLBase
import GQLCatalog
import GQLQuery

/// The scalar functions, by what the language says of them and Foundation's calendar and decimals.
extension ExpressionReference {
  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    return calendar
  }()

  static func call(_ function: ScalarFunction, _ arguments: [GQLCatalog.Value]) throws -> GQLCatalog.Value {
    if arguments.contains(.null) { return .null }
    switch (function, arguments.first) {
    case (.abs, .int(let number)?):
      if number == .min { throw Failure() }
      return .int(number < 0 ? -number : number)
    case (.abs, .float(let number)?): return .float(number < 0 ? -number : number)
    case (.abs, .decimal(let number)?): return .decimal(number < .zero ? number.negated : number)
    case (.round, .int(let number)?) where arguments.count == 1: return .int(number)
    case (.round, .float(let number)?) where arguments.count == 1:
      return try whole(number < 0 ? -floor(-number + 0.5) : floor(number + 0.5))
    case (.floor, .float(let number)?): return try whole(floor(number))
    case (.ceil, .float(let number)?): return try whole(ceil(number))
    case (.floor, .decimal(let number)?): return try whole(floor(number.doubleValue))
    case (.ceil, .decimal(let number)?): return try whole(ceil(number.doubleValue))
    case (.round, .decimal(let number)?) where arguments.count == 1:
      // Tenths: exact in tens of tenths.
      let tenths = Int((number.doubleValue * 10).rounded())
      return .int(Int64((tenths >= 0 ? tenths + 5 : tenths - 5) / 10))
    case (.div, .int(let left)?):
      guard case .int(let right) = arguments[1], right != 0, !(left == .min && right == -1) else { throw Failure() }
      return .int(left / right)
    case (.div, .float(let left)?):
      // Quarters, so that the quotient of whole numbers is exact.
      guard case .float(let right) = arguments[1], right != 0 else { throw Failure() }
      return .float(Double(Int(left * 4) / Int(right * 4)))
    case (.sqrt, .float(let number)?):
      if number < 0 { throw Failure() }
      return .float(number.squareRoot())
    case (.least, let first?): return arguments.reduce(first) { order($1, $0) < 0 ? $1 : $0 }
    case (.greatest, let first?): return arguments.reduce(first) { order($1, $0) > 0 ? $1 : $0 }
    default: return text(function, arguments) ?? time(function, arguments) ?? .null
    }
  }

  private static func whole(_ number: Double) throws -> GQLCatalog.Value {
    guard let result = Int64(exactly: number) else { throw Failure() }
    return .int(result)
  }

  private static func text(_ function: ScalarFunction, _ arguments: [GQLCatalog.Value]) -> GQLCatalog.Value? {
    let texts = arguments.map { value -> [Unicode.Scalar] in
      if case .string(let text) = value { Array(text.string.unicodeScalars) } else { [] }
    }
    func string(_ scalars: some Sequence<Unicode.Scalar>) -> GQLCatalog.Value {
      var result = String.UnicodeScalarView()
      result.append(contentsOf: scalars)
      return .string(Text(String(result)))
    }
    switch function {
    case .slice:
      func place(_ value: GQLCatalog.Value) -> Int {
        guard case .int(let number) = value else { return 0 }
        let count = texts[0].count
        if number < 0 { return number < -Int64(count) ? 0 : count + Int(number) }
        return number > Int64(count) ? count : Int(number)
      }
      let from = place(arguments[1])
      let to = arguments.count > 2 ? place(arguments[2]) : texts[0].count
      return string(from < to ? texts[0][from..<to] : [])
    case .concat: return string(texts.joined())
    case .replace:
      if texts[1].isEmpty { return arguments[0] }
      var result: [Unicode.Scalar] = []
      var rest = texts[0][...]
      while let first = rest.first {
        if rest.starts(with: texts[1]) {
          result += texts[2]
          rest = rest.dropFirst(texts[1].count)
        } else {
          result.append(first)
          rest = rest.dropFirst()
        }
      }
      return string(result)
    case .padStart:
      guard case .int(let length) = arguments[1] else { return .null }
      if texts[2].isEmpty { return arguments[0] }
      var pad: [Unicode.Scalar] = []
      while Int64(pad.count + texts[0].count) < length { pad.append(texts[2][pad.count % texts[2].count]) }
      return string(pad + texts[0])
    case .split:
      var parts: [GQLCatalog.Value] = []
      if texts[1].isEmpty { return .list(texts[0].map { string([$0]) }) }
      var part: [Unicode.Scalar] = []
      var rest = texts[0][...]
      while let first = rest.first {
        if rest.starts(with: texts[1]) {
          parts.append(string(part))
          part = []
          rest = rest.dropFirst(texts[1].count)
        } else {
          part.append(first)
          rest = rest.dropFirst()
        }
      }
      return .list(parts + [string(part)])
    default: return nil
    }
  }

  private static func time(_ function: ScalarFunction, _ arguments: [GQLCatalog.Value]) -> GQLCatalog.Value? {
    guard case .dateTime(let time)? = arguments.first else { return nil }
    let seconds = Int((Double(time) / 1_000_000).rounded(.down))
    let date = Date(timeIntervalSince1970: Double(seconds))
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
    func count(_ value: Int?) -> GQLCatalog.Value { .int(Int64(value ?? -1)) }
    switch function {
    case .year: return count(parts.year)
    case .month: return count(parts.month)
    case .day: return count(parts.day)
    case .hour: return count(parts.hour)
    case .minute: return count(parts.minute)
    case .second: return count(parts.second)
    case .weekday: return count(((parts.weekday ?? 1) + 5) % 7 + 1)
    case .trunc:
      guard case .string(let unit) = arguments[1] else { return .null }
      let component: Calendar.Component
      switch unit.string {
      case "YEAR": component = .year
      case "MONTH": component = .month
      case "WEEK": component = .weekOfYear
      case "DAY": component = .day
      case "HOUR": component = .hour
      case "MINUTE": component = .minute
      default: component = .second
      }
      guard let start = calendar.dateInterval(of: component, for: date)?.start else { return .null }
      return .dateTime(Int64(start.timeIntervalSince1970) * 1_000_000)
    case .dateDiff:
      guard case .dateTime(let other) = arguments[1], case .string(let unit) = arguments[2] else { return .null }
      switch unit.string {
      case "DAY": return .int((time - other) / 86_400_000_000)
      case "HOUR": return .int((time - other) / 3_600_000_000)
      default: return .int((time - other) / 1_000_000)
      }
    default: return nil
    }
  }
}

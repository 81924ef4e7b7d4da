/// A value as the reference evaluator sees it.
package indirect enum Datum: Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case float(Double)
  case decimal(ExactDecimal)
  case text(String)
  /// An enum value: its place in the declaration and its name.
  case symbol(Int, String)
  /// An id as it was loaded: a number or a text.
  case id(String, isNumber: Bool)
  /// Days since 1970-01-01.
  case date(Int)
  /// Seconds since 1970-01-01.
  case time(Int)
  /// Seconds.
  case duration(Int)
  case list([Datum])
  /// A JSON object, or an embedded value.
  case object([Member])
  /// An entity: its type's name and its row.
  case entity(String, Int)

  package struct Member: Sendable {
    var name: String
    var value: Datum
  }

  var isNull: Bool { if case .null = self { true } else { false } }
  var isTrue: Bool { if case .bool(true) = self { true } else { false } }

  /// As the language prints it: a Float as its shortest decimal without `.0`, a Decimal with its digits.
  package var json: String {
    switch self {
    case .null: return "null"
    case .bool(let flag): return flag ? "true" : "false"
    case .int(let number): return "\(number)"
    case .float(let number):
      if number == 0 { return number.sign == .minus ? "-0" : "0" }
      let digits = "\(number)"
      return digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits
    case .decimal(let number): return number.text
    case .text(let text): return Self.quoted(text)
    case .symbol(_, let name): return Self.quoted(name)
    case .id(let text, let isNumber): return isNumber ? text : Self.quoted(text)
    case .date(let number): return Self.quoted(CivilCalendar.dateText(number))
    case .time(let number): return Self.quoted(CivilCalendar.timeText(number))
    case .duration(let number): return Self.quoted(CivilCalendar.durationText(number))
    case .list(let elements): return "[\(elements.map(\.json).joined(separator: ","))]"
    case .object(let members):
      return "{\(members.map { "\(Self.quoted($0.name)):\($0.value.json)" }.joined(separator: ","))}"
    case .entity: return "null"
    }
  }

  /// As it stands in a document.
  var literal: String {
    switch self {
    case .symbol(_, let name): return name
    case .id(let text, _): return Self.quoted(text)
    case .list(let elements): return "[\(elements.map(\.literal).joined(separator: ", "))]"
    case .float(let number): return "\(number)"
    case .object(let members):
      return "{\(members.map { "\($0.name): \($0.value.literal)" }.joined(separator: ", "))}"
    default: return json
    }
  }

  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Texts by which values can be told apart as `==` tells them apart, among values of one type.
  func key(folded: Bool = false) -> String {
    switch self {
    case .int(let number): return "n\(number)"
    case .decimal(let number): return "n\(number.reduced.text)"
    case .float(let number):
      return number == number.rounded() && abs(number) < 1e15 ? "n\(Int(number))" : "f\(number)"
    case .text(let text): return "t" + Self.hex(folded ? Self.fold(text) : text)
    case .id(let text, _): return "t" + text
    case .list(let elements): return "[" + elements.map { $0.key(folded: folded) }.joined(separator: ",") + "]"
    case .object(let members):
      let sorted = members.sorted { $0.name < $1.name }
      return "{" + sorted.map { "\($0.name):\($0.value.key())" }.joined(separator: ",") + "}"
    case .entity(let type, let row): return "e\(type).\(row)"
    default: return json
    }
  }

  /// Bytes, because Swift's own equality of texts is canonical equivalence.
  private static func hex(_ text: String) -> String {
    text.utf8.allSatisfy { $0 < 128 } ? text : text.utf8.map { String($0, radix: 16) }.joined(separator: "_")
  }

  /// Full case folding, for the few letters that random texts are made of.
  static func fold(_ text: String) -> String { text.uppercased().lowercased() }
}

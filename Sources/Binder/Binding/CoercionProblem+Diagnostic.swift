import GQLBase
import GQLQuery

extension CoercionProblem {
  package static let codes: [DiagnosticCode] = [
    "wrong-type", "number-out-of-range", "malformed-value", "unknown-enum-value", "null-for-non-null",
    "unknown-field", "depth-limit", "too-large",
  ].map { DiagnosticCode($0) }

  package var code: DiagnosticCode {
    switch self {
    case .wrongKind, .quotedEnumValue: DiagnosticCode("wrong-type")
    case .outOfRange: DiagnosticCode("number-out-of-range")
    case .malformed: DiagnosticCode("malformed-value")
    case .tooLong: DiagnosticCode("too-large")
    case .unknownEnumValue: DiagnosticCode("unknown-enum-value")
    case .null: DiagnosticCode("null-for-non-null")
    case .unknownMember: DiagnosticCode("unknown-field")
    case .tooDeep: DiagnosticCode("depth-limit")
    // Only a default is refused for it, under its own code.
    case .notConstant: DiagnosticCode("wrong-default")
    }
  }

  package var message: String {
    switch self {
    case .wrongKind(let found, let expected): "expected \(expected), found \(found)"
    case .outOfRange(let digits, let expected): "\(digits) does not fit \(expected)"
    case .malformed(let text, let expected): "'\(text.prefix(60))' is no \(expected.rawValue)"
    case .unknownEnumValue(let name, let type, _): "'\(type)' has no value '\(name)'"
    case .quotedEnumValue(let name, let type): "a value of '\(type)' is written without quotes: \(name)"
    case .null(let expected): "expected \(expected), found null"
    case .unknownMember(let name, let type, _): "'\(type)' has no field '\(name)'"
    case .tooLong(let bytes, let limit): "a text of \(bytes) bytes is longer than the \(limit) that a value can have"
    case .tooDeep(let limit): "nested deeper than \(limit) levels"
    case .notConstant: "only a constant can stand here"
    }
  }

  package var help: String? {
    switch self {
    case .unknownEnumValue(_, _, let near), .unknownMember(_, _, let near): didYouMean(near)
    case .malformed(let text, .dateTime)
    where text.split(separator: ".").last.map { $0.prefix { $0.isNumber }.count > 6 } ?? false:
      "times are kept in microseconds: at most six digits after the point"
    case .malformed(_, .dateTime): "a DateTime is written \"2026-01-31T12:00:00Z\""
    case .malformed(_, .date): "a Date is written \"2026-01-31\""
    case .malformed(let text, .duration)
    where text.prefix { $0 != "T" }.contains { $0 == "Y" || $0 == "M" } && text.contains("P"):
      "years and months have no fixed length: count in days or weeks"
    case .malformed(let text, .duration) where Self.inWords(text) != nil: Self.inWords(text)
    case .malformed(_, .duration): "a Duration is written \"P1DT2H\""
    case .tooDeep: "save the innermost objects by themselves, and link them by their ids"
    case .malformed(_, .bytes): "Bytes are written in base64"
    default: nil
    }
  }

  /// A number of units in words, `30 days`, as a Duration; nil for everything else.
  private static func inWords(_ text: String) -> String? {
    let words = text.split(separator: " ")
    guard words.count == 2, let number = UInt32(words[0]) else { return nil }
    return switch words[1].lowercased() {
    case "second", "seconds": "write \"PT\(number)S\""
    case "minute", "minutes": "write \"PT\(number)M\""
    case "hour", "hours": "write \"PT\(number)H\""
    case "day", "days": "write \"P\(number)D\""
    case "week", "weeks": "write \"P\(number)W\""
    case "month", "months", "year", "years": "years and months have no fixed length: count in days or weeks"
    default: nil
    }
  }
}

import Foundation

/// One id of several values: their texts, with `|` between them. Different values have different ids, because a `|` and
/// a `\` within a text get a `\` before them.
///
/// ```swift
/// var id: String { compoundID(country, number) }
/// ```
public func compoundID(_ parts: any _ColumnScalar...) -> String {
  parts.map { part in
    var escaped = ""
    for character in text(part).unicodeScalars {
      if character == "|" || character == "\\" { escaped.unicodeScalars.append("\\") }
      escaped.unicodeScalars.append(character)
    }
    return escaped
  }.joined(separator: "|")
}

/// A text that no other value of the type has.
private func text(_ value: any _ColumnScalar) -> String {
  switch value {
  case let value as String: value
  // As they are printed, these have less than they hold.
  case let value as Date: (try? value.microseconds()).map { "\($0)" } ?? "\(value.timeIntervalSinceReferenceDate)"
  case let value as Data: value.base64EncodedString()
  case let value as Duration: "\(value.components.seconds).\(value.components.attoseconds)"
  default: "\(value)"
  }
}

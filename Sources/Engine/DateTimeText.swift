import GQLBase
import GQLCatalog

/// Times as texts, for decoding and for the command line.
package enum DateTimeText {
  /// Microseconds since 1970 of an RFC 3339 date-time or of a date; nil for anything else.
  package static func microseconds(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { DateTimeCodec.read($0) }
  }

  /// Returns the microseconds of a duration such as `PT1.5S`; nil for anything else.
  package static func duration(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { DurationCodec.read($0) }
  }

  /// Returns the RFC 3339 text of microseconds since 1970; nil where the year has more than four digits.
  package static func text(_ microseconds: Int64) -> String? {
    guard CivilTime.dateTimeRange.contains(microseconds) else { return nil }
    var text = ByteBuffer()
    text.append(dateTime: microseconds)
    return text.string.filter { $0 != "\"" }
  }
}

import GQLBase

/// The rules of DateTime: microseconds since 1970. A date alone is its midnight in UTC.
package enum DateTimeCodec: ScalarCodec {
  package static let type = ScalarType.dateTime
  package static let swiftType = (module: "Foundation", name: "Date")
  package static let sqlWords = ["DATETIME", "TIMESTAMP"]

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    if let value = CivilTime.parseDateTime(text) { return value }
    guard let days = CivilTime.parseDate(text) else { return nil }
    let (value, overflow) = days.multipliedReportingOverflow(by: CivilTime.microsecondsPerDay)
    return overflow ? nil : value
  }
  package static func write(_ value: Int64, into buffer: inout ByteBuffer) {
    unquoted(into: &buffer) { $0.append(dateTime: value) }
  }
}

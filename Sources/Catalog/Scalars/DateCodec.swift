import GQLBase

/// The rules of Date: days since 1970.
package enum DateCodec: ScalarCodec {
  package static let type = ScalarType.date
  package static let swiftType = (module: "GQLiteModels", name: "CalendarDate")
  package static let sqlWords = ["DATE"]

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> Int64? { CivilTime.parseDate(text) }
  package static func write(_ value: Int64, into buffer: inout ByteBuffer) {
    unquoted(into: &buffer) { $0.append(date: value) }
  }
}

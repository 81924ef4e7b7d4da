import GQLBase

/// The rules of Duration: microseconds, written as ISO 8601 has them, `PT1.5S`.
package enum DurationCodec: ScalarCodec {
  package static let type = ScalarType.duration
  package static let swiftType = (module: "Swift", name: "Duration")

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> Int64? { CivilTime.parseDuration(text) }
  package static func write(_ value: Int64, into buffer: inout ByteBuffer) {
    unquoted(into: &buffer) { $0.append(duration: value) }
  }
}

import GQLBase

/// The rules of Float: finite doubles, of which zero has no sign.
package enum FloatCodec: ScalarCodec {
  package static let type = ScalarType.float
  package static let swiftType = (module: "Swift", name: "Double")
  package static let sqlWords = ["REAL", "FLOA", "DOUB"]
  package static let isString = false

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    FloatParsing.parse(text).flatMap { read(real: $0) }
  }
  package static func read(number: JSONNumber) -> Double? { number.double.flatMap { read(real: $0) } }
  package static func read(integer: Int64) -> Double? { Double(integer) }
  package static func read(real: Double) -> Double? { real.isFinite ? real == 0 ? 0 : real : nil }
  package static func write(_ value: Double, into buffer: inout ByteBuffer) { buffer.append(double: value) }
}

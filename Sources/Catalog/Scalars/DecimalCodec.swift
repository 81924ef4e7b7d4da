import GQLBase

/// The rules of Decimal: up to 36 digits, never rounded. Texts are read too, because many programs have no exact numbers.
package enum DecimalCodec: ScalarCodec {
  package static let type = ScalarType.decimal
  package static let swiftType = (module: "Foundation", name: "Decimal")
  package static let sqlWords = ["DEC", "NUMERIC", "MONEY"]
  package static let isString = false

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> Decimal? { Decimal(parsing: text) }
  package static func read(number: JSONNumber) -> Decimal? { number.decimal }
  package static func read(integer: Int64) -> Decimal? { Decimal(integer) }
  /// Reads the decimal with the fewest digits that is this double.
  package static func read(real: Double) -> Decimal? { Decimal(shortest: real) }
  package static func write(_ value: Decimal, into buffer: inout ByteBuffer) { buffer.append(decimal: value) }
}

import GQLBase

/// The rules of Int: integers of 64 bits. `77.0` and `1e3` are the integers that they are equal to.
package enum IntCodec: ScalarCodec {
  package static let type = ScalarType.int
  package static let swiftType = (module: "Swift", name: "Int")
  package static let sqlWords = ["INT"]
  package static let isString = false

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> Int64? { Decimal.int64(text) }
  package static func read(number: JSONNumber) -> Int64? { number.int64 ?? Decimal.int64(number.bytes) }
  package static func read(integer: Int64) -> Int64? { integer }
  package static func read(real: Double) -> Int64? { Int64(exactly: real) }
  package static func write(_ value: Int64, into buffer: inout ByteBuffer) { buffer.append(int: value) }
}

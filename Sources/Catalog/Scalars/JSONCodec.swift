import GQLBase

/// The rules of JSON: any value of JSON, kept as it is written but for spaces.
package enum JSONCodec: ScalarCodec {
  package static let type = ScalarType.json
  package static let swiftType = (module: "GQLiteModels", name: "JSON")
  package static let sqlWords = ["JSON"]
  package static let isString = false

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    JSONScanner.isJSON(text) ? text : nil
  }
  package static func read(number: JSONNumber) -> UnsafeBufferPointer<UInt8>? { number.bytes }
  package static func write(_ value: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer) {
    buffer.append(UnsafeRawBufferPointer(value))
  }
}

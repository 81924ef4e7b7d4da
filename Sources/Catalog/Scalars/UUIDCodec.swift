import GQLBase

/// The rules of UUID: the 36 bytes of the canonical text, in lower case.
package enum UUIDCodec: ScalarCodec {
  package static let type = ScalarType.uuid
  package static let swiftType = (module: "Foundation", name: "UUID")

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? { UUIDText.normalize(text) }
  package static func write(_ value: [UInt8], into buffer: inout ByteBuffer) { buffer.append(value) }
}

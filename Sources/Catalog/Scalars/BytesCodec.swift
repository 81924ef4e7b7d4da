import GQLBase

/// The rules of Bytes: Base64 in texts, blobs in SQLite.
package enum BytesCodec: ScalarCodec {
  package static let type = ScalarType.bytes
  package static let swiftType = (module: "Foundation", name: "Data")
  package static let sqlWords = ["BLOB"]

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? { Base64.decode(text) }
  package static func write(_ value: [UInt8], into buffer: inout ByteBuffer) {
    value.withUnsafeBytes { Base64.encode($0, into: &buffer) }
  }
}

import GQLBase

/// The rules of String: UTF-8 of any length that a value may have.
package enum StringCodec: ScalarCodec {
  package static let type = ScalarType.string
  package static let swiftType = (module: "Swift", name: "String")
  package static let sqlWords = ["CHAR", "CLOB", "TEXT"]

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    UTF8Validation.firstError(text) == nil ? text : nil
  }
  package static func write(_ value: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer) {
    buffer.append(UnsafeRawBufferPointer(value))
  }
}

/// The rules of Cursor: texts that pages of answers give.
package enum CursorCodec: ScalarCodec {
  package static let type = ScalarType.cursor
  package static let swiftType = (module: "Swift", name: "String")

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? { StringCodec.read(text) }
  package static func write(_ value: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer) {
    StringCodec.write(value, into: &buffer)
  }
}

import GQLBase

/// The rules of ID: texts, of which those that were given as integers print as numbers.
package enum IDCodec: ScalarCodec {
  package static let type = ScalarType.id
  package static let swiftType = (module: "Swift", name: "String")

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? { StringCodec.read(text) }

  /// Reads an integer of any length as its digits; `-0` is `0`.
  package static func read(number: JSONNumber) -> UnsafeBufferPointer<UInt8>? {
    guard number.isInteger else { return nil }
    let isNegativeZero = number.count == 2 && number.int64 == 0
    return isNegativeZero ? UnsafeBufferPointer(rebasing: number.bytes[1...]) : number.bytes
  }

  package static func write(_ value: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer) {
    StringCodec.write(value, into: &buffer)
  }

  /// Returns whether a text without quotes prints as a number: `0`, `-7`, `42`.
  package static func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let digits = text.first == 0x2D ? text.dropFirst() : text[...]
    guard let first = digits.first, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return false }
    return first != 0x30 || (digits.count == 1 && text.count == 1)
  }
}

import GQLBase

/// The rules of Boolean: `true` and `false`. Texts may be written as programs for tables write them; a column of SQLite
/// has 1 and 0.
package enum BooleanCodec: ScalarCodec {
  package static let type = ScalarType.boolean
  package static let swiftType = (module: "Swift", name: "Bool")
  package static let sqlWords = ["BOOL"]
  package static let isString = false

  package static func read(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
    guard text.count == 4 || text.count == 5 else { return nil }
    for word: StaticString in ["true", "True", "TRUE"] where text.equals(word) { return true }
    for word: StaticString in ["false", "False", "FALSE"] where text.equals(word) { return false }
    return nil
  }
  package static func read(integer: Int64) -> Bool? { integer & ~1 == 0 ? integer == 1 : nil }
  package static func write(_ value: Bool, into buffer: inout ByteBuffer) { buffer.append(bool: value) }
}

// Replaced by Text.swift and Decimal.swift of the base branch.
package struct Text: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
  package var bytes: ContiguousArray<UInt8>
  package init(_ string: String) { bytes = ContiguousArray(string.utf8) }
  package init(stringLiteral value: String) { self.init(value) }
  package var string: String { String(decoding: bytes, as: UTF8.self) }
  package static func < (left: Text, right: Text) -> Bool { left.bytes.lexicographicallyPrecedes(right.bytes) }
}
package struct Decimal: Hashable, Sendable {}

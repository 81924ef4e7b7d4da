#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// UTF-8 text that is equal, hashes and orders by its bytes, never by canonical equivalence.
@usableFromInline
package struct Text: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package var bytes: ContiguousArray<UInt8>

  package init() { bytes = [] }

  package init(_ string: String) { bytes = ContiguousArray(string.utf8) }

  package init(_ bytes: some Sequence<UInt8>) { self.bytes = ContiguousArray(bytes) }

  package init(_ start: UnsafePointer<UInt8>, _ count: Int) {
    bytes = ContiguousArray(UnsafeBufferPointer(start: start, count: count))
  }

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = ContiguousArray(bytes) }

  @usableFromInline
  package init(stringLiteral value: StaticString) {
    bytes = ContiguousArray(UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
  }

  package var count: Int { bytes.count }
  package var isEmpty: Bool { bytes.isEmpty }

  /// Ill-formed UTF-8 is repaired.
  package var string: String { String(decoding: bytes, as: UTF8.self) }

  @usableFromInline package var description: String { string }

  package func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try bytes.withUnsafeBytes(body)
  }

  @usableFromInline
  package static func == (left: Text, right: Text) -> Bool {
    guard left.bytes.count == right.bytes.count else { return false }
    return Text.compare(left, right) == 0
  }

  @usableFromInline
  package static func < (left: Text, right: Text) -> Bool {
    Text.compare(left, right) < 0
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(bytes.count)
  }

  /// Negative, zero or positive.
  package static func compare(_ left: Text, _ right: Text) -> Int {
    left.bytes.withUnsafeBytes { left in
      right.bytes.withUnsafeBytes { right in compareBytes(left, right) }
    }
  }
}

/// Orders bytes as unsigned numbers, a prefix first: negative, zero or positive.
package func compareBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
  if let start = left.baseAddress, let other = right.baseAddress {
    let order = memcmp(start, other, min(left.count, right.count))
    if order != 0 { return Int(order) }
  }
  return left.count - right.count
}

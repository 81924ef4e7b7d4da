/// A name as GraphQL's grammar has it: ASCII letters, digits and `_`, without a digit at the beginning.
package enum GraphQLName {
  /// Returns true for a name that GraphQL has a syntax for.
  package static func isValid(_ name: some StringProtocol) -> Bool {
    var isFirst = true
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
      default: return false
      }
      isFirst = false
    }
    return !isFirst
  }

  /// Returns true for a name that a schema may give to its own types and fields.
  package static func isFree(_ name: some StringProtocol) -> Bool { isValid(name) && !isReserved(name) }

  /// Returns true for a name that begins with `__`, as only GraphQL's own do.
  package static func isReserved(_ name: some StringProtocol) -> Bool { name.utf8.starts(with: "__".utf8) }
}

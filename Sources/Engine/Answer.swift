/// An operation's answer: one JSON object, keys in selection order.
public struct Answer: Sendable, Hashable {
  /// The answer as compact JSON in UTF-8.
  public let utf8: [UInt8]
  /// The number of the version that a mutation has made, or the newest one where it has changed nothing. Nil for a query,
  /// and of a database in memory that keeps no versions; see ``Database/recentVersions``.
  public let version: Int64?

  package init(utf8: [UInt8], version: Int64? = nil) {
    self.utf8 = utf8
    self.version = version
  }

  /// Returns whether two answers have the same bytes.
  public static func == (left: Answer, right: Answer) -> Bool { left.utf8 == right.utf8 }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(utf8) }

  /// The answer as compact JSON. Complexity: O(bytes).
  public var jsonString: String { String(decoding: utf8, as: UTF8.self) }

  /// The answer as a tree of values. Complexity: O(bytes).
  public var value: Value {
    // What the engine writes is JSON; an empty object stands in should that invariant ever break.
    (try? Value(json: utf8)) ?? .object([])
  }
}

extension Answer: CustomStringConvertible {
  /// The answer as compact JSON.
  public var description: String { jsonString }
}

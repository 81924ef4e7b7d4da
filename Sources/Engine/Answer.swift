/// An operation's answer: one JSON object, keys in selection order.
public struct Answer: Sendable, Hashable {
  /// The answer as compact JSON in UTF-8.
  public let utf8: [UInt8]
  /// The number of the last transaction that the answer has in it: of a mutation that of the transaction that it was, of
  /// a query of the past that of the version that it has read. Contexts and branches count their own. Nil where the parts
  /// of an operation have read several versions, and within a transaction, which has no number before it is over.
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

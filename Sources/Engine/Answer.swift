/// An operation's answer: one JSON object, keys in selection order.
public struct Answer: Sendable, Hashable {
  /// The answer as compact JSON in UTF-8.
  public let utf8: [UInt8]

  package init(utf8: [UInt8]) { self.utf8 = utf8 }

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

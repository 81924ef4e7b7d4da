/// JSON as a tree: members in their order, numbers with the digits they were written with.
package enum JSONValue: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package var key: Text
    package var value: JSONValue
    package init(_ key: Text, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  case null
  case bool(Bool)
  /// The digits of a JSON number.
  case number(Text)
  case string(Text)
  case array([JSONValue])
  /// Duplicate keys are kept.
  case object([Member])

  package static func number(_ value: Int64) -> JSONValue {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(int: value)
    return .number(buffer.withUnsafeBytes { Text($0) })
  }

  /// The first member of that name; nil if there is none or this is no object.
  package subscript(_ key: Text) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// Reads exactly one value.
  ///
  /// - Parameter hasUniqueKeys: Refuse objects that give a key twice.
  package static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, hasUniqueKeys: Bool = false
  ) throws(JSONScanner.Failure) -> JSONValue {
    var scanner = JSONScanner(bytes)
    var scratch = ByteBuffer()
    let value = try scanner.scanValue(&scratch, hasUniqueKeys: hasUniqueKeys)
    try scanner.finish()
    return value
  }

  package static func parse(
    _ bytes: [UInt8], hasUniqueKeys: Bool = false
  ) throws(JSONScanner.Failure) -> JSONValue {
    let result = bytes.withUnsafeBufferPointer { bytes in
      do throws(JSONScanner.Failure) {
        return Result<JSONValue, JSONScanner.Failure>.success(try parse(bytes, hasUniqueKeys: hasUniqueKeys))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Compact JSON.
  package var json: String {
    var buffer = ByteBuffer()
    buffer.append(json: self)
    return buffer.string
  }
}

extension JSONScanner {
  /// Reads one value of any kind as a tree.
  package mutating func scanValue(
    _ scratch: inout ByteBuffer, hasUniqueKeys: Bool = false
  ) throws(Failure) -> JSONValue {
    switch peek() {
    case .object:
      try beginObject()
      var members: [JSONValue.Member] = []
      var seen: Set<Text> = []
      while true {
        let before = position
        guard let name = try nextKey(&scratch)?.text else { break }
        if hasUniqueKeys, !seen.insert(name).inserted {
          let offset = slice(before, position).firstIndex(of: 0x22).map { $0 + before } ?? before
          throw Failure(offset: offset, problem: .repeatedKey)
        }
        members.append(JSONValue.Member(name, try scanValue(&scratch, hasUniqueKeys: hasUniqueKeys)))
      }
      return .object(members)
    case .array:
      try beginArray()
      var elements: [JSONValue] = []
      while try nextElement() { elements.append(try scanValue(&scratch, hasUniqueKeys: hasUniqueKeys)) }
      return .array(elements)
    case .string: return .string(try scanString(&scratch).text)
    case .number:
      let number = try scanNumber()
      return .number(Text(number.start, number.count))
    case .boolean: return .bool(try scanBool())
    case .null:
      try scanNull()
      return .null
    case .end: throw failure(.unexpectedEnd)
    case .invalid: throw failure(.expectedValue)
    }
  }
}

extension ByteBuffer {
  /// Appends compact JSON.
  package mutating func append(json value: JSONValue) {
    switch value {
    case .null: append("null")
    case .bool(let bool): append(bool: bool)
    case .number(let digits): append(utf8: digits)
    case .string(let text): append(json: text)
    case .array(let elements):
      append(0x5B)
      for (index, element) in elements.enumerated() {
        if index > 0 { append(0x2C) }
        append(json: element)
      }
      append(0x5D)
    case .object(let members):
      append(0x7B)
      for (index, member) in members.enumerated() {
        if index > 0 { append(0x2C) }
        append(json: member.key)
        append(0x3A)
        append(json: member.value)
      }
      append(0x7D)
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
// Not its numbers: a Decimal here is Foundation's.
import struct GQLBase.PartKey

/// A decoder of answers.
///
/// It differs from `JSONDecoder` in what an answer has no other form for: dates, durations and bytes are texts, and an
/// `ID` is a number or a text, whichever the property is.
struct AnswerDecoder: Decoder {
  /// Tells types that an answer is decoded, which has only the fields that were asked for.
  static let key = CodingUserInfoKey(rawValue: "gqlite.answer")

  let value: Value
  var codingPath: [any CodingKey] = []

  var userInfo: [CodingUserInfoKey: Any] {
    guard let key = Self.key else { return [:] }
    return [key: true]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = value else { throw mismatch([String: Any].self, "an object") }
    return KeyedDecodingContainer(Members<Key>(decoder: self, members: members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let elements) = value else { throw mismatch([Any].self, "a list") }
    return Elements(decoder: self, elements: elements)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  func inner(_ value: Value, _ key: any CodingKey) -> AnswerDecoder {
    AnswerDecoder(value: value, codingPath: codingPath + [key])
  }

  // MARK: - Errors

  private var kind: String {
    switch value {
    case .null: "null"
    case .bool: "a Boolean"
    case .int, .double, .number: "a number"
    case .string: "a text"
    case .list: "a list"
    case .object: "an object"
    }
  }

  private func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: codingPath, debugDescription: "\(expected) is expected, and this is \(kind)")
    return value == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }

  private func corrupted(_ message: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: codingPath, debugDescription: message))
  }
}

// MARK: - Values

extension AnswerDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value == .null }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .bool(let flag) = value else { throw mismatch(type, "a Boolean") }
    return flag
  }

  /// Reads a text, or an `ID` that is written as a number.
  func decode(_ type: String.Type) throws -> String {
    switch value {
    case .string(let text): return text
    case .int(let number): return String(number)
    case .number(let digits) where digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }): return digits
    default: throw mismatch(type, "a text")
    }
  }

  func decode(_ type: Double.Type) throws -> Double { try floating(type) }
  func decode(_ type: Float.Type) throws -> Float { try floating(type) }
  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

  func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
    let special: Any? =
      if type == Date.self {
        try date()
      } else if type == Data.self {
        try bytes()
      } else if type == URL.self {
        try url()
      } else if type == Decimal.self {
        try decimal()
      } else if type == Duration.self {
        try duration()
      } else {
        nil
      }
    if let special, let result = special as? Result { return result }
    return try Result(from: self)
  }

  private func floating<Number: BinaryFloatingPoint>(_ type: Number.Type) throws -> Number {
    guard let number = value.double else { throw mismatch(type, "a number") }
    let result = Number(number)
    if result.isInfinite { throw corrupted("the number \(number) does not fit \(type)") }
    return result
  }

  /// Reads an integer, or an `ID` that is written as a text.
  private func integer<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    let digits: String
    switch value {
    case .int(let number):
      guard let result = Number(exactly: number) else { throw corrupted("the number \(number) does not fit \(type)") }
      return result
    case .double(let number):
      guard let result = Number(exactly: number) else { throw corrupted("the number \(number) does not fit \(type)") }
      return result
    case .number(let text), .string(let text): digits = text
    default: throw mismatch(type, "a number")
    }
    // Only the text that prints the number: no leading zeros, no plus sign.
    if let result = Number(digits), String(result) == digits { return result }
    if case .number = value, let number = Double(digits), let result = Number(exactly: number) { return result }
    if case .string = value { throw mismatch(type, "a number") }
    throw corrupted("the number \(digits) does not fit \(type)")
  }

  /// Reads a `DateTime`, or, within `JSON`, a number of seconds since 2001 as Foundation's encoders write it.
  private func date() throws -> Date {
    if let seconds = value.double { return Date(timeIntervalSinceReferenceDate: seconds) }
    guard case .string(let text) = value else { throw mismatch(Date.self, "a date") }
    guard let microseconds = DateTimeText.microseconds(text) else { throw corrupted("'\(text)' is no date") }
    return Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }

  private func bytes() throws -> Data {
    guard case .string(let text) = value else { throw mismatch(Data.self, "a text in base64") }
    guard let data = Data(base64Encoded: text) else { throw corrupted("the text is not in base64") }
    return data
  }

  private func url() throws -> URL {
    let text = try decode(String.self)
    guard let url = URL(string: text) else { throw corrupted("'\(text)' is no URL") }
    return url
  }

  private func decimal() throws -> Decimal {
    let digits: String
    switch value {
    case .int(let number): return Decimal(number)
    case .double(let number): digits = Value.printed(number)
    case .number(let text): digits = text
    default: throw mismatch(Decimal.self, "a number")
    }
    guard let result = Decimal(string: digits) else { throw corrupted("'\(digits)' does not fit Decimal") }
    return result
  }

  /// Reads a `Duration` as text, or, within `JSON`, as its own `Codable` writes it.
  private func duration() throws -> Duration {
    guard case .string(let text) = value else { return try Duration(from: self) }
    guard let microseconds = DateTimeText.duration(text) else { throw corrupted("'\(text)' is no duration") }
    return .microseconds(microseconds)
  }
}

// MARK: - Containers

extension AnswerDecoder {
  /// The members of an object.
  private struct Members<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: AnswerDecoder
    let members: [Value.Member]
    /// The places of the members of a large object by their names.
    private let places: [String: Int]
    var codingPath: [any CodingKey] { decoder.codingPath }

    init(decoder: AnswerDecoder, members: [Value.Member]) {
      self.decoder = decoder
      self.members = members
      places =
        members.count <= 16
        ? [:] : Dictionary(members.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.name) } }

    private func find(_ key: Key) -> Value? {
      let name = key.stringValue
      if let place = places[name] { return members[place].value }
      return places.isEmpty ? members.first { $0.name == name }?.value : nil
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    private func member(_ key: Key) throws -> AnswerDecoder {
      guard let value = find(key) else {
        throw DecodingError.keyNotFound(
          key,
          DecodingError.Context(codingPath: codingPath, debugDescription: "the answer has no '\(key.stringValue)'"))
      }
      return decoder.inner(value, key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }
    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
      try member(key).decode(type)
    }
    func nestedContainer<Inner: CodingKey>(
      keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
      try member(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try member(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder {
      let key = PartKey(stringValue: "super")
      return decoder.inner(members.first { $0.name == key.stringValue }?.value ?? .null, key)
    }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder.inner(find(key) ?? .null, key) }
  }

  /// The elements of a list.
  private struct Elements: UnkeyedDecodingContainer {
    let decoder: AnswerDecoder
    let elements: [Value]
    private(set) var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    init(decoder: AnswerDecoder, elements: [Value]) {
      self.decoder = decoder
      self.elements = elements
    }

    private func current(_ type: Any.Type) throws -> AnswerDecoder {
      let key = PartKey(intValue: currentIndex)
      guard elements.indices.contains(currentIndex) else {
        throw DecodingError.valueNotFound(
          type,
          DecodingError.Context(
            codingPath: codingPath + [key], debugDescription: "the list has \(elements.count) elements only"))
      }
      return decoder.inner(elements[currentIndex], key)
    }

    /// Moves on only past an element that could be read.
    private mutating func next<Result>(_ type: Any.Type, _ read: (AnswerDecoder) throws -> Result) throws -> Result {
      let result = try read(current(type))
      currentIndex += 1
      return result
    }

    mutating func decodeNil() throws -> Bool {
      let isNull = try current(Never?.self).decodeNil()
      if isNull { currentIndex += 1 }
      return isNull
    }
    mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
      try next(type) { try $0.decode(type) }
    }
    mutating func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) throws -> KeyedDecodingContainer<Inner> {
      try next(type) { try $0.container(keyedBy: type) }
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      try next([Any].self) { try $0.unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try next(Value.self) { $0 } }
  }
}

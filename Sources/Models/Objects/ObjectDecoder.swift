import Foundation
import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore
import GQLWriting

/// Decodes an embedded object, or a part of one. Dates, numbers and all else are as in columns.
struct ObjectDecoder: Decoder {
  let value: ObjectValue
  let kind: ObjectKind
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  var isNull: Bool {
    switch value {
    case .null, .unsaid: true
    case .value(let value): value.isNull
    case .object, .list, .instant: false
    }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try Fields<Key>(self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try Elements(self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(decoder: self) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    if case .value(.scalar(.json)) = kind.form { return try json(type) }
    if let stored = type as? any _ColumnValue.Type, let value = try read(stored) as? Value { return value }
    return try Value(from: self)
  }

  /// A value as a column of its own would hold it; nil for a list whose elements are to be asked.
  private func read<Stored: _ColumnValue>(_ type: Stored.Type) throws -> Stored? {
    let shape = type._columnShape
    if kind.holds(shape), let known = kind.valueType {
      if isNull {
        if shape.isNonNull { throw kind.mismatch(type) }
        return try Stored(_cell: _ColumnCell(Cell(low: 0), isNull: true))
      }
      let pool = CellPool()
      guard let cell = value.cell(known, in: pool) else { throw kind.mismatch(type) }
      return try withExtendedLifetime(pool) { try Stored(_cell: _ColumnCell(cell)) }
    }
    if shape.isList || type is any _OptionalValue.Type { return nil }
    // An enum's value is its name for what is made of texts.
    if type == String.self, let names = kind.names, case .value(.enumeration(_, let code)) = value,
      names.indices.contains(code)
    {
      return names[code] as? Stored
    }
    throw kind.mismatch(type)
  }

  private func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
    var text = Data("null".utf8)
    if case .value(.json(let json)) = value { json.withUnsafeBytes { text = Data($0) } }
    return try JSONDecoder().decode(type, from: text)
  }

  func inner(_ value: ObjectValue, _ kind: ObjectKind, _ key: any CodingKey) -> ObjectDecoder {
    ObjectDecoder(value: value, kind: kind, codingPath: codingPath + [key])
  }
}

extension ObjectDecoder {
  /// The fields of an object.
  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let decoder: ObjectDecoder
    private let fields: [ObjectField]
    private let values: [ObjectValue]

    init(_ decoder: ObjectDecoder) throws {
      guard let fields = decoder.kind.fields, case .object(let values) = decoder.value else {
        if decoder.kind.fields == nil { throw decoder.kind.mismatch("an object") }
        throw ModelError.unreadable("'\(decoder.kind.path)' is null")
      }
      self.decoder = decoder
      self.fields = fields
      self.values = values
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    /// Those that are there.
    var allKeys: [Key] {
      fields.indices.compactMap { number in
        if case .null = values[number] { return nil }
        return Key(stringValue: fields[number].name)
      }
    }

    func contains(_ key: Key) -> Bool { fields.contains { $0.name == key.stringValue } }

    private func field(_ key: Key) throws -> ObjectDecoder {
      guard let number = fields.firstIndex(where: { $0.name == key.stringValue }) else {
        throw ModelError.unreadable(
          "'\(decoder.kind.path)' is \(decoder.kind.words) in the schema, which has no field '\(key.stringValue)'")
      }
      return decoder.inner(values[number], decoder.kind.field(fields[number]), key)
    }

    func decodeNil(forKey key: Key) throws -> Bool { try field(key).isNull }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try field(key).decode(type) }

    func nestedContainer<Inner: CodingKey>(
      keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
      try field(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try field(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { try field(key) }
  }

  /// The elements of a list.
  private struct Elements: UnkeyedDecodingContainer {
    private let decoder: ObjectDecoder
    private let element: ObjectKind
    private let values: [ObjectValue]
    private(set) var currentIndex = 0

    init(_ decoder: ObjectDecoder) throws {
      guard let element = decoder.kind.element else { throw decoder.kind.mismatch("a list") }
      self.decoder = decoder
      self.element = element
      switch decoder.value {
      case .list(let values): self.values = values
      case .value(.list(let values)): self.values = values.map { $0.isNull ? .null : .value($0) }
      case .value, .instant, .object, .null, .unsaid: throw ModelError.unreadable("'\(decoder.kind.path)' is null")
      }
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { values.count }
    var isAtEnd: Bool { currentIndex >= values.count }

    /// The next element.
    private func next() throws -> ObjectDecoder {
      guard !isAtEnd else { throw ModelError.unreadable("'\(decoder.kind.path)' has only \(values.count) elements") }
      return decoder.inner(values[currentIndex], element, PartKey(intValue: currentIndex))
    }

    mutating func decodeNil() throws -> Bool {
      let isNull = try next().isNull
      if isNull { currentIndex += 1 }
      return isNull
    }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      let value = try next().decode(type)
      currentIndex += 1
      return value
    }
    mutating func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) throws -> KeyedDecodingContainer<Inner> {
      let container = try next().container(keyedBy: type)
      currentIndex += 1
      return container
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      let container = try next().unkeyedContainer()
      currentIndex += 1
      return container
    }
    mutating func superDecoder() throws -> any Decoder {
      let decoder = try next()
      currentIndex += 1
      return decoder
    }
  }

  /// A scalar, or whatever else a type makes of one value.
  private struct Single: SingleValueDecodingContainer {
    let decoder: ObjectDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }
    func decodeNil() -> Bool { decoder.isNull }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type) }
  }
}

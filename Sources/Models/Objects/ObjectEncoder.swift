import Foundation
import GQLBase
import GQLCatalog
import GQLStore

/// Encodes an embedded object, or a part of one. Dates, numbers and all else are as in columns.
///
/// What the value does not name, not even as nil, is unsaid: the store keeps it.
final class ObjectEncoder: Encoder {
  private let kind: ObjectKind
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  private var said = Said.nothing
  /// Those of an object by field, or of a list; what stands below them may still be written. They are no part of `said`,
  /// so that one more does not copy all.
  private var parts: [() throws -> ObjectValue] = []
  /// Containers cannot fail when they are made.
  private var problem: (any Error)?

  private enum Said {
    case nothing
    case value(ObjectValue)
    case fields, elements
  }

  private init(_ kind: ObjectKind, _ codingPath: [any CodingKey]) {
    self.kind = kind
    self.codingPath = codingPath
  }

  /// What a value is in the store.
  static func encode<Value: Encodable>(
    _ value: Value, _ kind: ObjectKind, _ codingPath: [any CodingKey] = []
  ) throws -> ObjectValue {
    if case .value(.scalar(.json)) = kind.form { return try json(value) }
    if let stored = value as? any ColumnValue, let result = try write(stored, kind) { return result }
    let encoder = ObjectEncoder(kind, codingPath)
    try value.encode(to: encoder)
    let result = try encoder.result()
    // What a dictionary does not name is not there.
    guard value is any StringKeyed, case .object(let fields) = result else { return result }
    return .object(fields.map { if case .unsaid = $0 { .null } else { $0 } })
  }

  private func result() throws -> ObjectValue {
    if let problem { throw problem }
    switch said {
    // A type without properties is an object without fields.
    case .nothing: return kind.fields.map { .object($0.map { _ in .unsaid }) } ?? .null
    case .value(let value): return value
    case .fields: return .object(try parts.map { try $0() })
    case .elements: return .list(try parts.map { try $0() })
    }
  }

  /// A value as a column of its own would hold it; nil for what is to be asked in parts.
  private static func write<Stored: ColumnValue>(_ value: Stored, _ kind: ObjectKind) throws -> ObjectValue? {
    let shape = Stored.columnShape
    if kind.holds(shape), let type = kind.valueType {
      var slot = ColumnSlot(StagingMemory())
      try value.write(into: &slot)
      guard let cell = slot.cell else { return .null }
      return withExtendedLifetime(slot.memory) { ObjectValue(cell, of: type) }
    }
    if shape.isList || value is any OptionalValue { return nil }
    if let name = value as? String, let names = kind.names, case .value(.enumeration(let id)) = kind.form {
      guard let code = names.firstIndex(of: name) else {
        throw ModelError.unwritable("\(kind.words)", "'\(name)' is none of its values, which '\(kind.path)' has")
      }
      return .value(.enumeration(id, code: code))
    }
    throw kind.unwritable(Stored.self)
  }

  private static func json<Value: Encodable>(_ value: Value) throws -> ObjectValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = try encoder.encode(value)
    return bytes == Data("null".utf8) ? .null : .value(.json(Text(Array(bytes))))
  }

  // MARK: - Containers

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if let fields = kind.fields {
      if case .fields = said {
      } else {
        said = .fields
        parts = fields.map { _ in { .unsaid } }
      }
    } else {
      problem = problem ?? kind.unwritable("object")
    }
    return KeyedEncodingContainer(Fields<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if kind.element == nil {
      problem = problem ?? kind.unwritable("list")
    } else if case .elements = said {
    } else {
      said = .elements
      parts = []
    }
    return Elements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  /// Notes the value of a field.
  private func set(_ key: any CodingKey, isNull: Bool = false, _ value: (ObjectKind) throws -> ObjectValue) throws {
    guard let fields = kind.fields, case .fields = said else { return }
    guard let number = fields.firstIndex(where: { $0.name == key.stringValue }) else {
      // Nothing is lost of what is nil.
      if isNull { return }
      throw ModelError.unwritable(
        kind.words, "'\(kind.path)' has no field '\(key.stringValue)' in the schema, which the Swift type has")
    }
    let result = try value(kind.field(fields[number]))
    parts[number] = { result }
  }

  /// The encoder of a field, or of an element, that is written later.
  private func later(_ key: (any CodingKey)?) -> ObjectEncoder {
    if let key {
      guard let fields = kind.fields, case .fields = said,
        let number = fields.firstIndex(where: { $0.name == key.stringValue })
      else {
        problem = problem ?? ModelError.unwritable(kind.words, "'\(kind.path)' has no field '\(key.stringValue)'")
        return ObjectEncoder(kind, codingPath)
      }
      let encoder = ObjectEncoder(kind.field(fields[number]), codingPath + [key])
      parts[number] = { try encoder.result() }
      return encoder
    }
    guard let element = kind.element, case .elements = said else { return ObjectEncoder(kind, codingPath) }
    let encoder = ObjectEncoder(element, codingPath)
    parts.append { try encoder.result() }
    return encoder
  }

  private func append(_ value: (ObjectKind) throws -> ObjectValue) throws {
    guard let element = kind.element, case .elements = said else { return }
    let result = try value(element)
    parts.append { result }
  }
}

extension ObjectEncoder {
  /// The fields of an object.
  private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ObjectEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws { try encoder.set(key, isNull: true) { _ in .null } }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      try encoder.set(key) { try ObjectEncoder.encode(value, $0, encoder.codingPath + [key]) }
    }

    // Nil is said too.
    private func encodeAny<Value: Encodable>(_ value: Value?, _ key: Key) throws {
      if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeAny(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encodeAny(value, key) }

    func nestedContainer<Inner: CodingKey>(
      keyedBy type: Inner.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Inner> {
      encoder.later(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
      encoder.later(key).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder.later(key) }
  }

  /// The elements of a list.
  private struct Elements: UnkeyedEncodingContainer {
    let encoder: ObjectEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { if case .elements = encoder.said { encoder.parts.count } else { 0 } }

    func encodeNil() throws { try encoder.append { _ in .null } }
    func encode<Value: Encodable>(_ value: Value) throws {
      try encoder.append { try ObjectEncoder.encode(value, $0, encoder.codingPath) }
    }
    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
      encoder.later(nil).container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.later(nil).unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder.later(nil) }
  }

  /// A scalar, or whatever else a type makes one value of.
  private struct Single: SingleValueEncodingContainer {
    let encoder: ObjectEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    func encodeNil() throws { encoder.said = .value(.null) }
    func encode<Value: Encodable>(_ value: Value) throws {
      encoder.said = .value(try ObjectEncoder.encode(value, encoder.kind, encoder.codingPath))
    }
  }
}

/// What names its parts itself.
private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}

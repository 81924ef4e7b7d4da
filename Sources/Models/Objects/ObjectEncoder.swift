import Foundation
import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Encodes an embedded object, or a part of one. Dates, numbers and all else are as in columns.
///
/// What the value does not name, not even as nil, is unsaid: the store keeps it.
final class ObjectEncoder: PartEncoder {
  private let kind: ObjectKind
  let codingPath: [any CodingKey]

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

  /// Returns what a value is in the store.
  static func encode<Value: Encodable>(
    _ value: Value, _ kind: ObjectKind, _ codingPath: [any CodingKey] = []
  ) throws -> ObjectValue {
    if case .value(.scalar(.json)) = kind.form { return try json(value) }
    if let stored = value as? any _ColumnValue, let result = try write(stored, kind) { return result }
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
  private static func write<Stored: _ColumnValue>(_ value: Stored, _ kind: ObjectKind) throws -> ObjectValue? {
    let shape = Stored._columnShape
    if kind.holds(shape), let type = kind.valueType {
      var slot = _ColumnSlot(StagingArena())
      try value._write(into: &slot)
      guard let cell = slot.cell else { return .null }
      return withExtendedLifetime(slot.memory) { ObjectValue(cell, of: type) }
    }
    if shape.isList || value is any _OptionalValue { return nil }
    if let name = value as? String, let names = kind.names, case .value(.enumeration(let id)) = kind.form {
      guard let code = names.firstIndex(of: name) else {
        throw ModelError.unwritable("\(kind.words)", "'\(name)' is none of its values, which '\(kind.path)' has")
      }
      return .value(.enumeration(id, code: code))
    }
    throw kind.unwritable(Stored.self)
  }

  private static func json<Value: Encodable>(_ value: Value) throws -> ObjectValue {
    let bytes = try JSONColumn.encode(value)
    return bytes == Data("null".utf8) ? .null : .value(.json(Text(Array(bytes))))
  }

  // MARK: - Parts

  func beginObject() {
    guard let fields = kind.fields else {
      problem = problem ?? kind.unwritable("object")
      return
    }
    if case .fields = said { return }
    said = .fields
    parts = fields.map { _ in { .unsaid } }
  }

  func set(_ value: some Encodable, for key: any CodingKey) throws {
    try set(key) { try Self.encode(value, $0, codingPath + [key]) }
  }

  func setNull(for key: any CodingKey) throws { try set(key, isNull: true) { _ in .null } }

  /// Says that the field is null: what is optional in Swift is said too.
  func omit(_ key: any CodingKey) throws { try setNull(for: key) }

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

  func member(_ key: any CodingKey) -> ObjectEncoder {
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

  /// The object itself: the fields of a superclass are its own.
  var inherited: any Encoder { self }

  func beginList() {
    guard kind.element != nil else {
      problem = problem ?? kind.unwritable("list")
      return
    }
    if case .elements = said { return }
    said = .elements
    parts = []
  }

  var count: Int { if case .elements = said { parts.count } else { 0 } }

  func append(_ value: some Encodable) throws { try append { try Self.encode(value, $0, placePath) } }

  func appendNull() throws { try append { _ in .null } }

  private func append(_ value: (ObjectKind) throws -> ObjectValue) throws {
    guard let element = kind.element, case .elements = said else { return }
    let result = try value(element)
    parts.append { result }
  }

  func element() -> ObjectEncoder {
    guard let element = kind.element, case .elements = said else { return ObjectEncoder(kind, codingPath) }
    let encoder = ObjectEncoder(element, placePath)
    parts.append { try encoder.result() }
    return encoder
  }

  /// The path of the next element.
  private var placePath: [any CodingKey] { codingPath + [PartKey(intValue: count)] }

  func put(_ value: some Encodable) throws { said = .value(try Self.encode(value, kind, codingPath)) }

  func putNull() { said = .value(.null) }
}

/// A type that names its parts itself.
private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}

import Foundation
import GQLBase
import GQLCatalog

/// How values of a type lie in a column, where that is not known before the program runs: Codable types, and types that
/// a generic entity is made with.
class ValueCodec<Value> {
  /// Nil where the value has no column and is kept beside the store.
  var shape: _ColumnShape? { nil }
  func read(_ cell: _ColumnCell) throws -> Value { throw ModelError.unreadable("\(Value.self) has no column") }
  func write(_ value: Value, into slot: inout _ColumnSlot) throws {}
  /// Whether equal cells are equal values and the other way round.
  var comparesAsStored: Bool { false }
  /// Reads an embedded object of a schema in text.
  func read(_ value: ObjectValue, _ kind: ObjectKind) throws -> Value { throw kind.mismatch(Value.self) }
  /// Makes an embedded object of a schema in text.
  func write(_ value: Value, _ kind: ObjectKind) throws -> ObjectValue { throw kind.unwritable(Value.self) }
}

/// A codec that does no more than the type itself would.
protocol PlainCodec: AnyObject {}

/// A type that turned out to have a column of its own.
final class StoredCodec<Value: _ColumnValue>: ValueCodec<Value>, PlainCodec {
  override var shape: _ColumnShape? { Value._columnShape }
  override func read(_ cell: _ColumnCell) throws -> Value { try Value(_cell: cell) }
  override func write(_ value: Value, into slot: inout _ColumnSlot) throws { try value._write(into: &slot) }
  override var comparesAsStored: Bool { true }
}

/// A type with a raw value that has a column.
final class RawCodec<Value: RawRepresentable>: ValueCodec<Value> where Value.RawValue: _ColumnScalar {
  override var shape: _ColumnShape? { Value.RawValue._columnShape }
  override func read(_ cell: _ColumnCell) throws -> Value { try Value(rawCell: cell) }
  override func write(_ value: Value, into slot: inout _ColumnSlot) throws { try value.rawValue._write(into: &slot) }
  override var comparesAsStored: Bool { Value.isEqualByRawValue }
}

/// An enum by the names of its cases.
final class CaseCodec<Value: CaseIterable>: ValueCodec<Value> {
  private let values: [String: Value]

  /// Nil if two cases have one name, as those with payloads may.
  override init() {
    var values: [String: Value] = [:]
    for value in Value.allCases { values["\(value)"] = value }
    self.values = values
  }

  override var shape: _ColumnShape? { _ColumnShape(.string) }

  override func read(_ cell: _ColumnCell) throws -> Value {
    guard let value = values[cell.string] else { throw ModelError.unreadable("'\(cell.string)' is no \(Value.self)") }
    return value
  }

  override func write(_ value: Value, into slot: inout _ColumnSlot) throws {
    let name = "\(value)"
    guard values[name] != nil else { throw ModelError.unwritable("\(Value.self)", "'\(name)' is none of its cases") }
    try slot.set(name)
  }

  override var comparesAsStored: Bool { !OwnEquality.joins(values.map { ($0.key, $0.value) }) }
}

/// An encoder of what columns hold of `Codable` values.
enum JSONColumn {
  /// Encodes a value as JSON with sorted keys.
  ///
  /// - Throws: what the value throws; `numberNotFinite` for a `Decimal.nan`, which Foundation writes as no JSON.
  static func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes = try encoder.encode(value)
    try bytes.withUnsafeBytes { bytes in
      let isSuspect = nan.withUnsafeBytes { ByteSearch.contains(bytes, $0) }
      // Texts may have the letters.
      guard isSuspect, !bytes.withMemoryRebound(to: UInt8.self, JSONScanner.isJSON) else { return }
      throw ModelError.numberNotFinite("NaN")
    }
    return bytes
  }

  private static let nan = Array("NaN".utf8)
}

/// A codec whose values may be embedded objects of a schema in text.
protocol ObjectCodec: AnyObject {}

/// Whatever is `Codable`, as JSON with sorted keys; in a schema in text it may be an embedded object, or a list of such.
final class JSONCodec<Value: Codable>: ValueCodec<Value>, ObjectCodec {
  override var shape: _ColumnShape? {
    var shape = _ColumnShape(.json)
    shape.isNonNull = !isOptional
    return shape
  }

  private let isOptional = Value.self is any _OptionalValue.Type

  override func read(_ cell: _ColumnCell) throws -> Value {
    let bytes = cell.isNull ? Data("null".utf8) : cell.withBytes { Data($0) }
    return try JSONDecoder().decode(Value.self, from: bytes)
  }

  override func write(_ value: Value, into slot: inout _ColumnSlot) throws {
    let bytes = try JSONColumn.encode(value)
    if isOptional && bytes == Data("null".utf8) { return }
    try bytes.withUnsafeBytes { try slot.set($0) }
  }

  override func read(_ value: ObjectValue, _ kind: ObjectKind) throws -> Value {
    try ObjectDecoder(value: value, kind: kind).decode(Value.self)
  }

  override func write(_ value: Value, _ kind: ObjectKind) throws -> ObjectValue {
    try ObjectEncoder.encode(value, kind)
  }
}

/// Everything else: beside the store.
final class OpaqueCodec<Value>: ValueCodec<Value> {}

/// An id of a type without a column of its own, by its description.
final class DescribedCodec<Value: LosslessStringConvertible>: ValueCodec<Value> {
  override var shape: _ColumnShape? { _ColumnShape(.string) }

  override func read(_ cell: _ColumnCell) throws -> Value {
    guard let value = Value(cell.string) else { throw ModelError.unreadable("'\(cell.string)' is no \(Value.self)") }
    return value
  }

  override func write(_ value: Value, into slot: inout _ColumnSlot) throws { try slot.set(value.description) }
  override var comparesAsStored: Bool { Value.isEqualByDescription }
}

extension ValueCodec {
  /// The codec for a type about which nothing is known statically.
  static func make() -> ValueCodec<Value> {
    if !(Value.self is any _ColumnValue.Type),
      let type = Value.self as? any (RawRepresentable<String> & CaseIterable).Type,
      let codec = names(type)
    {
      return adopt(codec)
    }
    return makePlain()
  }

  /// The codec for a type about which nothing is known statically, where the schema has no enum of it.
  static func makePlain() -> ValueCodec<Value> {
    if let type = Value.self as? any _ColumnValue.Type { return adopt(stored(type)) }
    if let type = Value.self as? any RawRepresentable.Type, let codec = raw(type) { return adopt(codec) }
    if let type = Value.self as? any Codable.Type { return adopt(json(type)) }
    if let type = Value.self as? any CaseIterable.Type { return adopt(cases(type)) }
    return OpaqueCodec<Value>()
  }

  /// The codec of a primary key.
  static func makeKey() -> ValueCodec<Value> where Value: LosslessStringConvertible {
    if let type = Value.self as? any _ColumnScalar.Type, type._columnShape.canBeKey { return adopt(stored(type)) }
    if let type = Value.self as? any RawRepresentable.Type, let codec = raw(type),
      adopt(codec).shape?.canBeKey == true
    {
      return adopt(codec)
    }
    return DescribedCodec<Value>()
  }

  private static func stored<Stored: _ColumnValue>(_ type: Stored.Type) -> AnyObject { StoredCodec<Stored>() }
  private static func json<Coded: Codable>(_ type: Coded.Type) -> AnyObject { JSONCodec<Coded>() }
  private static func names<Enum: RawRepresentable & CaseIterable>(_ type: Enum.Type) -> AnyObject?
  where Enum.RawValue == String {
    EnumCodec<Enum>(EnumRegistry.column(of: type))
  }
  private static func cases<Enum: CaseIterable>(_ type: Enum.Type) -> AnyObject { CaseCodec<Enum>() }

  private static func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> AnyObject? {
    (Raw.RawValue.self as? any _ColumnScalar.Type).map { raw(type, $0) }
  }

  private static func raw<Raw: RawRepresentable, Scalar: _ColumnScalar>(
    _ type: Raw.Type, _ scalar: Scalar.Type
  ) -> AnyObject {
    DynamicRawCodec<Raw, Scalar>()
  }

  /// Safe because the codec was made for this type, which is called by another name there.
  private static func adopt(_ codec: AnyObject) -> ValueCodec<Value> {
    unsafeDowncast(codec, to: ValueCodec<Value>.self)
  }
}

/// A ``RawCodec`` for a raw type that is known at run time only.
final class DynamicRawCodec<Value: RawRepresentable, Scalar: _ColumnScalar>: ValueCodec<Value> {
  override var shape: _ColumnShape? { Scalar._columnShape }

  override func read(_ cell: _ColumnCell) throws -> Value {
    let scalar = try Scalar(_cell: cell)
    guard let raw = scalar as? Value.RawValue, let value = Value(rawValue: raw) else {
      throw ModelError.unreadable("'\(scalar)' is no \(Value.self)")
    }
    return value
  }

  override func write(_ value: Value, into slot: inout _ColumnSlot) throws {
    try (value.rawValue as? Scalar)?._write(into: &slot)
  }

  override var comparesAsStored: Bool { Value.isEqualByRawValue }
}

extension RawRepresentable where RawValue: _ColumnScalar {
  init(rawCell cell: _ColumnCell) throws {
    let raw = try RawValue(_cell: cell)
    guard let value = Self(rawValue: raw) else { throw ModelError.unreadable("'\(raw)' is no \(Self.self)") }
    self = value
  }
}

extension _ColumnShape {
  /// Floats are no keys.
  var canBeKey: Bool { !isList && scalar != .float && scalar != .json && isNonNull }
}

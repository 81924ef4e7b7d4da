import GQLCatalog
import GQLStore

/// An enum of the schema language that stands for one of Swift: its name and its values in the order declared.
struct EnumShape: Sendable, Hashable {
  /// The Swift type.
  let type: ObjectIdentifier
  let name: String
  let values: [String]
}

/// The cases of an enum whose raw values are names, by their places: what columns of the schema language's enums hold.
final class EnumColumn<Value: RawRepresentable & CaseIterable>: @unchecked Sendable where Value.RawValue == String {
  private let cases: [Value]
  private let codes: [String: Int]
  let shape: _ColumnShape

  /// Nil if the raw values are no names, or the type lists its cases in a way of its own.
  init?() {
    cases = Array(Value.allCases)
    let names = cases.map(\.rawValue)
    codes = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    guard !names.isEmpty, names.count <= 65_535, codes.count == names.count, names.allSatisfy(isEnumValue) else {
      return nil
    }
    var shape = _ColumnShape(.string)
    shape.enumeration = EnumShape(type: ObjectIdentifier(Value.self), name: schemaName(of: Value.self), values: names)
    self.shape = shape
  }

  func read(_ cell: _ColumnCell) throws -> Value {
    let code = Int(cell.int)
    guard cases.indices.contains(code) else { throw ModelError.unreadable("\(code) is no \(Value.self)") }
    return cases[code]
  }

  func write(_ value: Value, into slot: inout _ColumnSlot) throws {
    guard let code = codes[value.rawValue] else {
      throw ModelError.unwritable("\(Value.self)", "'\(value.rawValue)' is none of its cases")
    }
    slot.cell = Cell(Int64(code))
  }

  func write(_ values: [Value], into slot: inout _ColumnSlot) throws {
    let memory = slot.memory
    slot.cell = try memory.list(count: values.count, isWide: false) { index in
      var element = _ColumnSlot(memory)
      try write(values[index], into: &element)
      return element.cell ?? Cell(low: 0)
    }
  }
}

/// Whether the schema language can write it as an enum's value.
private func isEnumValue(_ text: String) -> Bool {
  guard let first = text.utf8.first, !(0x30...0x39).contains(first), !text.hasPrefix("__") else { return false }
  return !["true", "false", "null"].contains(text)
    && text.utf8.allSatisfy { byte in
      (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
    }
}

/// The enums that the process has met.
enum EnumRegistry {
  private static let known = Guarded<[ObjectIdentifier: AnyObject?]>([:])

  /// The cases of a type; nil if it is stored by its raw values.
  static func column<Value: RawRepresentable & CaseIterable>(of type: Value.Type) -> EnumColumn<Value>?
  where Value.RawValue == String {
    let key = ObjectIdentifier(type)
    // Safe because there is one kind of object under the key of a type.
    func typed(_ column: AnyObject?) -> EnumColumn<Value>? {
      column.map { unsafeDowncast($0, to: EnumColumn<Value>.self) }
    }
    if let found = known.withLock({ $0[key] }) { return typed(found) }
    // Not under the lock, because a type may list its cases in any way.
    let made: AnyObject? = EnumColumn<Value>()
    return typed(
      known.withLock { known -> AnyObject? in
        if let found = known[key] { return found }
        known[key] = .some(made)
        return made
      })
  }
}

/// An enum of the schema language, of a type that is known at run time only.
final class EnumCodec<Value: RawRepresentable & CaseIterable>: ValueCodec<Value> where Value.RawValue == String {
  private let column: EnumColumn<Value>

  init?(_ column: EnumColumn<Value>?) {
    guard let column else { return nil }
    self.column = column
  }

  override var shape: _ColumnShape? { column.shape }
  override func read(_ cell: _ColumnCell) throws -> Value { try column.read(cell) }
  override func write(_ value: Value, into slot: inout _ColumnSlot) throws { try column.write(value, into: &slot) }
  override var comparesAsStored: Bool { Value.isEqualByRawValue }
}

extension EntityDescription {
  /// A stored property: an enum of the schema language, if the raw values are names, else by its raw value.
  public mutating func property<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ path: KeyPath<Entity, Value> & Sendable
  ) where Value.RawValue == String {
    addEnum(name, path, Value.self, of: Value.self)
  }

  /// A stored property: an enum of the schema language, if the raw values are names, else by its raw value.
  public mutating func property<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ path: KeyPath<Entity, Value?> & Sendable
  ) where Value.RawValue == String {
    addEnum(name, path, Value?.self, of: Value.self, isNonNull: false)
  }

  /// A stored property: enums of the schema language, if the raw values are names, else raw values.
  public mutating func property<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ path: KeyPath<Entity, [Value]> & Sendable
  ) where Value.RawValue == String {
    addEnum(name, path, [Value].self, of: Value.self, isList: true)
  }

  /// A stored property: enums of the schema language, if the raw values are names, else raw values.
  public mutating func property<Value: RawRepresentable & CaseIterable>(
    _ name: String, _ path: KeyPath<Entity, [Value]?> & Sendable
  ) where Value.RawValue == String {
    addEnum(name, path, [Value]?.self, of: Value.self, isList: true, isNonNull: false)
  }

  private mutating func addEnum<Value, Case: RawRepresentable & CaseIterable>(
    _ name: String, _ path: KeyPath<Entity, Value> & Sendable, _ type: Value.Type, of case: Case.Type,
    isList: Bool = false,
    isNonNull: Bool = true
  ) where Case.RawValue == String {
    // A key is a text.
    let column = name == "id" ? nil : EnumRegistry.column(of: Case.self)
    var shape = column?.shape ?? String._columnShape
    shape.isList = isList
    shape.isNonNull = isNonNull
    add(name, path, type, shape, codec: column, comparesAsStored: Case.isEqualByRawValue)
  }
}

extension EntityReader {
  /// Reads a property, an enum.
  public mutating func read<Value: RawRepresentable & CaseIterable>(_ name: String) throws -> Value
  where Value.RawValue == String {
    let (cell, column): (_ColumnCell, EnumColumn<Value>?) = try enumCell(name, Value.self)
    return try column?.read(cell) ?? Value(rawCell: cell)
  }

  /// Reads a property, an enum.
  public mutating func read<Value: RawRepresentable & CaseIterable>(_ name: String) throws -> Value?
  where Value.RawValue == String {
    let (cell, column): (_ColumnCell, EnumColumn<Value>?) = try enumCell(name, Value?.self)
    return cell.isNull ? nil : try column?.read(cell) ?? Value(rawCell: cell)
  }

  /// Reads a property, a list of enums.
  public mutating func read<Value: RawRepresentable & CaseIterable>(_ name: String) throws -> [Value]
  where Value.RawValue == String {
    let (cell, column): (_ColumnCell, EnumColumn<Value>?) = try enumCell(name, [Value].self)
    return try cell.elements(isWide: column == nil) { try column?.read($0) ?? Value(rawCell: $0) }
  }

  /// Reads a property, a list of enums.
  public mutating func read<Value: RawRepresentable & CaseIterable>(_ name: String) throws -> [Value]?
  where Value.RawValue == String {
    let (cell, column): (_ColumnCell, EnumColumn<Value>?) = try enumCell(name, [Value]?.self)
    if cell.isNull { return nil }
    return try cell.elements(isWide: column == nil) { try column?.read($0) ?? Value(rawCell: $0) }
  }
}

extension EntityWriter {
  /// Writes a property, an enum.
  public mutating func write<Value: RawRepresentable & CaseIterable>(_ value: Value, as name: String) throws
  where Value.RawValue == String {
    try putEnum(name, Value.self) { try Self.write(value, $0, &$1) }
  }

  /// Writes a property, an enum.
  public mutating func write<Value: RawRepresentable & CaseIterable>(_ value: Value?, as name: String) throws
  where Value.RawValue == String {
    try putEnum(name, Value?.self) { if let value { try Self.write(value, $0, &$1) } }
  }

  /// Writes a property, a list of enums.
  public mutating func write<Value: RawRepresentable & CaseIterable>(_ values: [Value], as name: String) throws
  where Value.RawValue == String {
    try putEnum(name, [Value].self) { try Self.write(values, $0, &$1) }
  }

  /// Writes a property, a list of enums.
  public mutating func write<Value: RawRepresentable & CaseIterable>(_ values: [Value]?, as name: String) throws
  where Value.RawValue == String {
    try putEnum(name, [Value]?.self) { if let values { try Self.write(values, $0, &$1) } }
  }

  private static func write<Value>(_ value: Value, _ column: EnumColumn<Value>?, _ slot: inout _ColumnSlot) throws {
    if let column { try column.write(value, into: &slot) } else { try value.rawValue._write(into: &slot) }
  }

  private static func write<Value>(_ values: [Value], _ column: EnumColumn<Value>?, _ slot: inout _ColumnSlot) throws {
    if let column { try column.write(values, into: &slot) } else { try values.map(\.rawValue)._write(into: &slot) }
  }
}

import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

// Public declarations that programs do not name: the expansions of macros, public protocols and the constraints of
// generic functions do. Each begins with an underscore, and none is part of what a version promises.

// MARK: - Columns

/// A Swift value that has a column of its own kind: a ``_ColumnScalar``, an optional of one, or a list of them.
public protocol _ColumnValue {
  /// The column that holds it.
  static var _columnShape: _ColumnShape { get }
  /// Reads it from a column.
  init(_cell cell: _ColumnCell) throws
  /// Writes it into a column.
  func _write(into slot: inout _ColumnSlot) throws
}

/// A ``_ColumnValue`` that is never null.
public protocol _NonNullColumnValue: _ColumnValue {}

/// A ``_ColumnValue`` that is one scalar of the language.
public protocol _ColumnScalar: _NonNullColumnValue {}

/// The type of the column that a Swift value lies in.
///
/// It is opaque: values of it come from the types that conform to ``_ColumnScalar``.
public struct _ColumnShape: Sendable, Hashable {
  /// The scalar, or that of a list's elements.
  let scalar: ScalarType
  var isList = false
  var isNonNull = true
  /// Where the column holds an enum of the schema language; then the scalar says nothing.
  var enumeration: EnumShape?

  @inline(never)
  init(_ scalar: ScalarType) { self.scalar = scalar }

  /// Indicates whether cells mean the same in both, but for null.
  func isLike(_ other: _ColumnShape) -> Bool {
    scalar == other.scalar && isList == other.isList && enumeration == other.enumeration
  }

  /// Indicates whether it holds one text.
  var isText: Bool { scalar == .string && !isList && enumeration == nil }

  /// That of a list's elements.
  var element: _ColumnShape {
    var shape = _ColumnShape(scalar)
    shape.enumeration = enumeration
    return shape
  }

  /// As the schema language writes it, with the name of the scalar or the enum.
  func text(_ name: String) -> String { (isList ? "[\(name)!]" : name) + (isNonNull ? "!" : "") }

  var elementIsWide: Bool { ColumnKind(.scalar(scalar)).width == 16 }
  var valueType: ValueType { isList ? .list(.scalar(scalar)) : .scalar(scalar) }
}

/// A value as a column holds it, on the way to a Swift value. Valid during the call that passes it.
public struct _ColumnCell {
  let cell: Cell
  let isNull: Bool

  @inline(__always)
  init(_ cell: Cell, isNull: Bool = false) {
    self.cell = cell
    self.isNull = isNull
  }

  @inline(__always) var int: Int64 { cell.int }
  @inline(__always) var double: Double { cell.double }

  @inline(__always)
  var string: String {
    let view = TextView(cell)
    return view.withBytes { start, count in
      String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try TextView(cell).withBytes { start, count in try body(UnsafeRawBufferPointer(start: start, count: count)) }
  }

  /// The cells of a list.
  func elements<Element>(isWide: Bool, _ make: (_ColumnCell) throws -> Element) rethrows -> [Element] {
    let count = Int(UInt32(truncatingIfNeeded: cell.high))
    guard count > 0, let start = UnsafeRawPointer(bitPattern: UInt(cell.low)) else { return [] }
    var result: [Element] = []
    result.reserveCapacity(count)
    let width = isWide ? 16 : 8
    for index in 0..<count {
      let address = start + index &* width
      let element = Cell(
        low: address.loadUnaligned(as: UInt64.self),
        high: isWide ? (address + 8).loadUnaligned(as: UInt64.self) : 0)
      let isNull = (start + (count &* width &+ index)).load(as: UInt8.self) == 0
      result.append(try make(_ColumnCell(element, isNull: isNull)))
    }
    return result
  }
}

/// A place for a value on its way into a column. Valid during the call that passes it.
public struct _ColumnSlot {
  let memory: StagingArena
  /// Returns the text that was written; nil for null.
  var cell: Cell?

  init(_ memory: StagingArena) { self.memory = memory }

  mutating func set(_ bytes: UnsafeRawBufferPointer, flags: UInt64 = 0) throws {
    guard bytes.count <= TextView.maximumLength else { throw ModelError.textTooLong(bytes: bytes.count) }
    cell = memory.text(bytes, flags: flags)
  }

  mutating func set(_ text: String) throws {
    var text = text
    try text.withUTF8 { try set(UnsafeRawBufferPointer($0)) }
  }
}

// MARK: - Orders

/// A value that orders the other way round: `\.age.desc`.
public struct _Descending<Value: Comparable>: Comparable {
  /// The value.
  let value: Value
  /// Orders the value the other way round.
  init(_ value: Value) { self.value = value }
  /// Greater values come first.
  public static func < (left: Self, right: Self) -> Bool { right.value < left.value }
  /// Tells whether the values are equal.
  public static func == (left: Self, right: Self) -> Bool { left.value == right.value }
}

extension _Descending: Sendable where Value: Sendable {}
extension _Descending: Hashable where Value: Hashable {}

extension _Descending: _NonNullColumnValue, _ColumnValue where Value: _ColumnScalar {
  /// The value's own column.
  public static var _columnShape: _ColumnShape { Value._columnShape }
  /// The value.
  public init(_cell cell: _ColumnCell) throws { self.init(try Value(_cell: cell)) }
  /// The value.
  public func _write(into slot: inout _ColumnSlot) throws { try value._write(into: &slot) }
}

/// An optional in the order that puts nil first: what `\.nickname.desc` turns round.
public struct _NilFirst<Wrapped: Comparable>: Comparable {
  /// The optional.
  let value: Wrapped?
  /// Takes an optional.
  init(_ value: Wrapped?) { self.value = value }
  /// Puts nil before all values.
  public static func < (left: Self, right: Self) -> Bool {
    guard let second = right.value else { return false }
    return left.value.map { $0 < second } ?? true
  }
}

extension _NilFirst: Sendable where Wrapped: Sendable {}
extension _NilFirst: Hashable where Wrapped: Hashable {}

// MARK: - Properties

/// An optional.
public protocol _OptionalValue {
  /// Tells whether it is nil.
  var _isMissing: Bool { get }
  /// Gives what it holds.
  var _anyValue: Any? { get }
}

extension Optional: _OptionalValue {
  /// Tells whether it is nil.
  public var _isMissing: Bool { if case .none = self { true } else { false } }
  /// Gives what it holds.
  public var _anyValue: Any? { self }
}

/// A property that a condition on texts may be about: a text, or an optional one. Where it is nil, no test holds.
public protocol _TextProperty {
  /// The text, if there is one.
  var _knownText: String? { get }
}

extension String: _TextProperty {
  /// The text itself.
  public var _knownText: String? { self }
}

extension Optional: _TextProperty where Wrapped == String {
  /// The optional itself.
  public var _knownText: String? { self }
}

/// A way to code a property of an embedded model that is not optional: a part of what `@EmbeddedModel` writes.
public struct _CodedPart<Value> {
  /// Calls the first way, which takes what has to be there.
  public func decode(_ value: (Value.Type) throws -> Value, _ ifPresent: (Value.Type) throws -> Value?) throws -> Value
  {
    try value(Value.self)
  }

  /// Calls the first way, which writes what is there.
  public func encode(_ part: Value, _ value: (Value) throws -> Void, _ ifPresent: (Value?) throws -> Void) throws {
    try value(part)
  }
}

/// A way to code an optional property of an embedded model: a part of what `@EmbeddedModel` writes.
public struct _OptionalCodedPart<Value> {
  /// Calls the second way, which takes nil where there is nothing.
  public func decode(
    _ value: (Value.Type) throws -> Value, _ ifPresent: (Value.Type) throws -> Value?
  ) throws -> Value? { try ifPresent(Value.self) }

  /// Calls the second way, which writes nothing for nil.
  public func encode(_ part: Value?, _ value: (Value) throws -> Void, _ ifPresent: (Value?) throws -> Void) throws {
    try ifPresent(part)
  }
}

/// Returns the way to code a property: a part of what `@EmbeddedModel` writes, which does not see types.
public func _codedPart<Root, Value>(_ path: KeyPath<Root, Value>) -> _CodedPart<Value> { _CodedPart() }

/// Returns the way to code a property: a part of what `@EmbeddedModel` writes, which does not see types.
public func _codedPart<Root, Value>(_ path: KeyPath<Root, Value?>) -> _OptionalCodedPart<Value> { _OptionalCodedPart() }

// MARK: - Relations

/// ``Relations/OneWay`` or ``Relations/Mutual``.
public protocol _RelationDirectionality: SendableMetatype {}
/// ``Relations/ToOne`` or ``Relations/ToMany``.
public protocol _RelationCardinality: SendableMetatype {
  /// Indicates whether there may be several targets.
  static var _isToMany: Bool { get }
}
/// ``Relations/Optional`` or ``Relations/Required``.
public protocol _RelationConstraints: SendableMetatype {}

extension Relations {
  /// A mark of a required relation: `@Relationship(.required)`.
  public struct _RequiredConstraint: Sendable {
    /// The relation cannot be set to null.
    public static var required: _RequiredConstraint { _RequiredConstraint() }
  }
  /// A mark of an optional relation, which may be left out: `@Relationship(.optional, inverse: \.y)`.
  public struct _OptionalConstraint: Sendable {
    /// The relation can be set to null.
    public static var optional: _OptionalConstraint { _OptionalConstraint() }
  }
}

// MARK: - Indexes

/// The value of a property that stands for an index: there is nothing to know about it.
public struct _IndexMarker: Sendable, Hashable {
  /// There is one such value only.
  init() {}
}

/// A property wrapper that says something about an entity's type and holds nothing.
public protocol _IndexAttribute: Sendable, Hashable, CustomStringConvertible {
  /// A wrapper that holds nothing.
  init(_nothing: _IndexMarker)
}

import GQLCatalog

/// A list of what an entity type consists of: what ``EntityModelProtocol/describe(_:)`` fills in.
public struct EntityDescription<Entity: EntityModelProtocol> {
  struct Property {
    var name: String
    var path: PartialKeyPath<Entity> & Sendable
    var type: Any.Type
    /// What may stand behind the path.
    var endings: [PathEnding]
    /// Nil if it has no column.
    var shape: _ColumnShape?
    /// Where the column was chosen at run time.
    var codec: AnyObject?
    var comparesAsStored: Bool
    /// Whether an entity can be without it, and a fragment that is keeps what is there.
    var canBeLeftOut: Bool
    /// Whether all that may lie in the column can be read.
    var isAlwaysReadable: Bool
  }

  var properties: [Property] = []
  var relations: [RelationDescriptor<Entity>] = []
  var indexes: [IndexDescription<Entity>] = []
  var isReadAsDescribed = false
  private(set) var identity = Identity()
  /// By the name of a property or relation.
  private(set) var fieldIdentities: [String: Identity] = [:]
  /// Why no schema can have the type, in words.
  private(set) var problems: [String] = []

  init() {}

  /// Reading an entity fails only where a property cannot be read as it is described: `init(from:)` throws nothing of its
  /// own. `@EntityModel` says so. Then what queries give is read in batches; otherwise all of it is read once before.
  public mutating func readsAsDescribed() { isReadAsDescribed = true }

  /// Says of the type which number it has in files of databases, and what it was called before.
  public mutating func type(number: Int? = nil, was names: String...) {
    identity = Identity(number: number.map { Int64($0) }, formerNames: names)
  }

  /// Says of a property or relation which number it has in files of databases, and what it was called before.
  public mutating func field(_ name: String, number: Int? = nil, was names: String...) {
    fieldIdentities[name] = Identity(number: number.map { Int64($0) }, formerNames: names)
  }

  /// A stored property.
  public mutating func property<Value: _ColumnValue>(_ name: String, _ path: KeyPath<Entity, Value> & Sendable) {
    add(name, path, Value.self, Value._columnShape)
  }

  /// Has compilers say what an id needs.
  public mutating func id<ID: Hashable & LosslessStringConvertible & Sendable>(_ path: KeyPath<Entity, ID> & Sendable) {
  }

  /// Has compilers say what an id needs.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "an id needs a type that is 'Hashable', 'Sendable' and 'LosslessStringConvertible'; UUID is with 'extension UUID: @retroactive LosslessStringConvertible { public init?(_ text: String) { self.init(uuidString: text) } }'"
  )
  public mutating func id<ID>(_ path: KeyPath<Entity, ID> & Sendable) {}

  /// A stored property, by its raw value.
  public mutating func property<Value: RawRepresentable>(_ name: String, _ path: KeyPath<Entity, Value> & Sendable)
  where Value.RawValue: _ColumnScalar {
    add(name, path, Value.self, Value.RawValue._columnShape, comparesAsStored: Value.isEqualByRawValue)
  }

  /// A stored property, by its raw value.
  public mutating func property<Value: RawRepresentable>(_ name: String, _ path: KeyPath<Entity, Value?> & Sendable)
  where Value.RawValue: _ColumnScalar {
    add(name, path, Value?.self, Value.RawValue?._columnShape, comparesAsStored: Value.isEqualByRawValue)
  }

  /// A stored property, by raw values.
  public mutating func property<Value: RawRepresentable>(_ name: String, _ path: KeyPath<Entity, [Value]> & Sendable)
  where Value.RawValue: _ColumnScalar {
    add(name, path, [Value].self, [Value.RawValue]._columnShape, comparesAsStored: Value.isEqualByRawValue)
  }

  /// A stored property, by raw values.
  public mutating func property<Value: RawRepresentable>(_ name: String, _ path: KeyPath<Entity, [Value]?> & Sendable)
  where Value.RawValue: _ColumnScalar {
    add(name, path, [Value]?.self, [Value.RawValue]?._columnShape, comparesAsStored: Value.isEqualByRawValue)
  }

  /// A stored property whose type says nothing about columns: JSON if it is `Codable`, else kept beside the store.
  @_disfavoredOverload
  public mutating func property<Value>(_ name: String, _ path: KeyPath<Entity, Value> & Sendable) {
    if Value.self is any NestedOptional.Type {
      problems.append(
        "'\(name)' of \(Entity.self) is an optional of an optional, \(Value.self), and a column has one null only")
    }
    let codec = name == "id" ? Self.keyCodec(Value.self) : ValueCodec<Value>.make()
    properties.append(
      Property(
        name: name, path: path, type: Value.self, endings: PathEnding.endings(of: Value.self), shape: codec.shape,
        codec: codec, comparesAsStored: codec.comparesAsStored, canBeLeftOut: Self.canBeLeftOut(path),
        isAlwaysReadable: Value.self is any AlwaysReadable.Type))
  }

  mutating func add<Value>(
    _ name: String, _ path: KeyPath<Entity, Value> & Sendable, _ type: Value.Type, _ shape: _ColumnShape,
    codec: AnyObject? = nil, comparesAsStored: Bool = true
  ) {
    properties.append(
      Property(
        name: name, path: path, type: Value.self, endings: PathEnding.endings(of: type), shape: shape,
        codec: codec, comparesAsStored: comparesAsStored, canBeLeftOut: Self.canBeLeftOut(path),
        isAlwaysReadable: type is any AlwaysReadable.Type))
  }

  /// Whether a patch can fill a property in where it is nil: an optional variable that is stored as it is. A constant
  /// cannot be filled in, and what a wrapper makes of nil is not known.
  private static func canBeLeftOut<Value>(_ path: KeyPath<Entity, Value>) -> Bool {
    Value.self is any _OptionalValue.Type && path is WritableKeyPath<Entity, Value>
      && MemoryLayout<Entity>.offset(of: path) != nil
  }

  private static func keyCodec<Value>(_ type: Value.Type) -> ValueCodec<Value> {
    // Safe because the property is the id, and the codec is made for its type.
    if Value.self == Entity.ID.self {
      return unsafeDowncast(ValueCodec<Entity.ID>.makeKey(), to: ValueCodec<Value>.self)
    }
    return ValueCodec<Value>.make()
  }

  // MARK: - Relations

  /// A relation that only this type knows of.
  public mutating func relation<Value, Target, Cardinality, Constraints>(
    _ name: String, _ path: KeyPath<Entity, Value> & Sendable,
    _ relation: WritableKeyPath<Entity, Relation<Target, Relations.OneWay, Cardinality, Constraints>> & Sendable,
    deleteRule: DeleteRule = .nullify
  ) {
    relations.append(
      TypedRelation(name: name, value: path, path: relation, inverse: nil, deleteRule: deleteRule))
  }

  /// One side of a relation, with the name of the other side.
  public mutating func relation<Value, Target, Cardinality, Constraints, InverseCardinality, InverseConstraints>(
    _ name: String, _ path: KeyPath<Entity, Value> & Sendable,
    _ relation: WritableKeyPath<Entity, Relation<Target, Relations.Mutual, Cardinality, Constraints>> & Sendable,
    inverse: KeyPath<Target, Relation<Entity, Relations.Mutual, InverseCardinality, InverseConstraints>> & Sendable,
    _ inverseName: String, deleteRule: DeleteRule = .nullify
  ) {
    relations.append(
      TypedRelation(name: name, value: path, path: relation, inverse: inverseName, deleteRule: deleteRule))
  }
}

/// An optional of an optional.
private protocol NestedOptional {}
extension Optional: NestedOptional where Wrapped: _OptionalValue {}

import Synchronization

/// What exists: types, properties, relations and indexes, addressed by their identifiers' indices.
///
/// A catalog is a value; its version changes with every change of the schema.
@usableFromInline package struct Catalog: Sendable, Hashable {
  package var version: UInt64 = 0
  @usableFromInline package var types: [EntityType] = []
  @usableFromInline package var embeddedTypes: [EmbeddedType] = []
  @usableFromInline package var enums: [EnumType] = []
  /// The type of `_status`, which no schema writes: CREATED, DELETED.
  package var statusType: EnumTypeID?
  /// Every direction of every relation. A one-way relation's other direction is stored too, but has no property.
  @usableFromInline package var relations: [Relation] = []
  @usableFromInline package var indexes: [IndexDescriptor] = []
  /// Root names besides the generated ones, from the schema's `type Query`.
  package var rootNames: [RootName] = []
  /// The definitions of inputs and directives, which documents may use and no data has, as canonical text.
  package var declarations = ""
  /// What the embedding program registered, in the order of registration.
  package var functions: [RegisteredFunction] = []
  /// The moment at which the schema came, in microseconds since 1970; nil where it is not known. A new field whose
  /// default is `now()` has it in all data that the schema is applied to.
  package var moment: Int64?

  /// The places of the types by their names; empty until ``indexNames()``.
  private var typePlaces: [String: Int32] = [:]

  package init() {}

  /// Remembers where the types and their properties stand, once none is added any more. Without it, looking for a name
  /// takes longer and gives the same.
  package mutating func indexNames() {
    typePlaces = [:]
    for (place, type) in types.enumerated() where !type.isElement && typePlaces[type.name] == nil {
      typePlaces[type.name] = Int32(place)
    }
    for place in types.indices { types[place].indexNames() }
  }

  /// Catalogs of one process have versions of their own, so that a plan is never taken for another schema's.
  private static let versions = Atomic<UInt64>(0)

  /// The version of a catalog that is new, or changed.
  package static func nextVersion() -> UInt64 { versions.add(1, ordering: .relaxed).newValue }

  // Lent, not copied: a type is a dozen arrays, and most who ask want one of its fields. Inlined, because a coroutine of
  // another module takes memory for each call.
  @inlinable package subscript(_ id: EntityTypeID) -> EntityType {
    _read { yield types[Int(id.index)] }
    _modify { yield &types[Int(id.index)] }
  }
  @inlinable package subscript(_ id: EmbeddedTypeID) -> EmbeddedType { _read { yield embeddedTypes[Int(id.index)] } }
  @inlinable package subscript(_ id: EnumTypeID) -> EnumType { _read { yield enums[Int(id.index)] } }
  @inlinable package subscript(_ id: RelationID) -> Relation {
    _read { yield relations[Int(id.index)] }
    _modify { yield &relations[Int(id.index)] }
  }
  @inlinable package subscript(_ id: IndexID) -> IndexDescriptor { _read { yield indexes[Int(id.index)] } }

  /// By type: the relations whose source it is, in their order. Complexity: O(types + relations).
  package var relationsOfType: [[Relation]] {
    var result: [[Relation]] = Array(repeating: [], count: types.count)
    for relation in relations { result[Int(relation.source.index)].append(relation) }
    return result
  }

  /// Whether data of one lies in the other in the same way: another version may have other functions.
  package func storesAlike(_ other: Catalog) -> Bool {
    version == other.version || types == other.types && enums == other.enums && relations == other.relations
  }

  /// Whether a column is one of those that the store fills with times.
  package func isTime(_ type: EntityTypeID, _ column: ColumnID) -> Bool {
    self[type].createdColumn == column || self[type].updatedColumn == column
  }

  /// The entity type, interface or union of a name; never the hidden type of the elements of lists of embedded
  /// objects, which bears the embedded type's name. Complexity: O(1) once ``indexNames()`` was called.
  package func type(named name: String) -> EntityType? {
    if !typePlaces.isEmpty { return typePlaces[name].map { types[Int($0)] } }
    return types.first { !$0.isElement && $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// The property of a type by its name, as ``EntityType/property(named:)``; without a copy of the type.
  package func property(named name: String, of type: EntityTypeID) -> Property? {
    place(ofProperty: name, of: Int(type.index)).map { types[Int(type.index)].properties[$0] }
  }

  private func place(ofProperty name: String, of type: Int) -> Int? {
    if !types[type].propertyPlaces.isEmpty { return types[type].propertyPlaces[name].map { Int($0) } }
    return types[type].properties.indices.first { types[type].properties[$0].name == name }
  }

  /// The column and the type of a property by its name, where it is a column and no list.
  package func column(named name: String, of type: EntityTypeID) -> (column: ColumnID, type: ValueType)? {
    let type = Int(type.index)
    guard let place = place(ofProperty: name, of: type),
      case .column(let column, _) = types[type].properties[place].storage
    else { return nil }
    if case .list = types[type].properties[place].signature.type { return nil }
    return (column, types[type].properties[place].signature.type)
  }

  /// Complexity: O(functions).
  package func function(named name: String) -> RegisteredFunction? {
    functions.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}

/// An enum: cells hold a value's position as a code.
@usableFromInline package struct EnumType: Sendable, Hashable {
  /// What the schema says of a value.
  package struct Note: Sendable, Hashable {
    package var description: String?
    /// The reason of `@deprecated`.
    package var deprecation: String?
    /// Its former names, in an identity without a number.
    package var identity: Identity
    package init(description: String? = nil, deprecation: String? = nil, identity: Identity = Identity()) {
      self.description = description
      self.deprecation = deprecation
      self.identity = identity
    }
  }
  package var id: EnumTypeID
  package var name: String
  package var identity = Identity()
  package var description: String?
  /// In the order declared, which is the order of comparison; at most 65,535.
  package var values: [String]
  /// One for each value, or none at all.
  package var notes: [Note] = []
  package init(id: EnumTypeID, name: String, description: String? = nil, values: [String]) {
    self.id = id
    self.name = name
    self.description = description
    self.values = values
  }
}

/// An object type without an id: a value inside its owner, stored as columns of the owner.
@usableFromInline package struct EmbeddedType: Sendable, Hashable {
  package struct Field: Sendable, Hashable {
    package var name: String
    package var description: String?
    package var signature: TypeSignature
    package var defaultValue: DefaultValue?
    /// The reason of `@deprecated`.
    package var deprecation: String?
    /// The name that data gives the field, where `@source(name:)` says another.
    package var source: String?
    /// `@source(mixed: true)`: numbers and truth values of data are texts as they are written.
    package var isMixed = false
    package var identity = Identity()
    package init(
      name: String, description: String? = nil, signature: TypeSignature, defaultValue: DefaultValue? = nil
    ) {
      self.name = name
      self.description = description
      self.signature = signature
      self.defaultValue = defaultValue
    }
  }
  package var id: EmbeddedTypeID
  package var name: String
  package var identity = Identity()
  package var description: String?
  package var fields: [Field]
  package init(id: EmbeddedTypeID, name: String, description: String? = nil, fields: [Field]) {
    self.id = id
    self.name = name
    self.description = description
    self.fields = fields
  }
}

/// A type whose entities have ids and rows: its properties, and the columns and indexes that hold them.
@usableFromInline package struct EntityType: Sendable, Hashable {
  package var id: EntityTypeID
  package var name: String
  package var description: String?
  @usableFromInline package var properties: [Property]
  @usableFromInline package var columns: [ColumnDescriptor]
  /// The properties of the primary key; one but for `@id(fields:)`.
  package var idProperties: [PropertyID]
  /// A unique hash index over the primary key's columns.
  package var primaryIndex: IndexID
  /// All indexes of this type, the primary one first.
  package var indexes: [IndexID]
  /// The root field that gives a list; the type's name unless `@root(many:)` says otherwise.
  package var rootMany: String
  /// The root field that gives one object; the name with its first letter lowered, or `@root(one:)`.
  package var rootOne: String
  /// What kind of type it is, if it is not one of entities with ids of their own.
  @usableFromInline package var kind = Kind.entity
  /// Of an interface or union: the entity types that belong to it, each with the relation from a mirrored row to the
  /// entity.
  package var members: [TypeLink] = []
  /// Of an entity type: the interfaces and unions that it belongs to, each with the relation to its mirrored row there.
  package var memberships: [TypeLink] = []
  /// Of an entity type or an interface: what it says to implement, in the order written.
  package var interfaces: [EntityTypeID] = []
  /// The hidden columns of `_createdAt` and `_updatedAt`, which the store fills; never null.
  package var createdColumn: ColumnID?
  package var updatedColumn: ColumnID?
  /// The name of the file, table or key that data gives the type, where `@source(name:)` says another.
  package var source: String?
  /// `@rowNumber` on the id: records without an id are numbered as they are loaded.
  package var numbersRows = false
  package var identity = Identity()
  /// `@history`: how long old values are kept; nil where none are.
  package var history: HistoryRule?
  /// The hidden type of its versions, in a ``VersionCatalog``.
  package var versions: EntityTypeID?
  /// Of a hidden type of a ``VersionCatalog``: what its rows are.
  package var pastRole: PastRole?
  /// The places of many properties by their names; empty where they are few.
  fileprivate var propertyPlaces: [String: Int32] = [:]

  package init(
    id: EntityTypeID, name: String, description: String? = nil, properties: [Property] = [],
    columns: [ColumnDescriptor] = [], idProperties: [PropertyID] = [], primaryIndex: IndexID = IndexID(0),
    indexes: [IndexID] = [], rootMany: String, rootOne: String
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.properties = properties
    self.columns = columns
    self.idProperties = idProperties
    self.primaryIndex = primaryIndex
    self.indexes = indexes
    self.rootMany = rootMany
    self.rootOne = rootOne
  }

  @inlinable package subscript(_ id: PropertyID) -> Property { properties[Int(id.index)] }
  @inlinable package subscript(_ id: ColumnID) -> ColumnDescriptor { columns[Int(id.index)] }

  /// So many properties are looked through one by one.
  private static let fewProperties = 16

  /// Remembers where the properties stand, once none is added any more.
  package mutating func indexNames() {
    propertyPlaces = [:]
    guard properties.count > Self.fewProperties else { return }
    for (place, property) in properties.enumerated() where propertyPlaces[property.name] == nil {
      propertyPlaces[property.name] = Int32(place)
    }
  }

  /// Complexity: O(1) once ``indexNames()`` was called.
  package func property(named name: String) -> Property? {
    if !propertyPlaces.isEmpty { return propertyPlaces[name].map { properties[Int($0)] } }
    return properties.indices.first { properties[$0].name == name }.map { properties[$0] }
  }
}

extension EntityType {
  /// A role of a hidden type that shows the past.
  package enum PastRole: Sendable, Hashable {
    /// Versions of the entities of a type.
    case version(of: EntityTypeID)
    /// Changes of entities of all types.
    case change
    /// The fields that a change has changed.
    case changedField
  }

  @usableFromInline package enum Kind: Sendable, Hashable {
    /// Entities with a primary key.
    case entity
    /// Rows mirror the entities of the members, in the order of first insertion among all of them; no primary key, and
    /// no columns but one reference to each member.
    case interface
    /// As an interface, without fields.
    case union
    /// The elements of all lists of objects of one embedded type: rows without a key, each owned by the object whose
    /// list it stands in.
    case element(EmbeddedTypeID)
  }

  /// An interface or a union.
  @inlinable package var isAbstract: Bool {
    switch kind {
    case .interface, .union: true
    case .entity, .element: false
    }
  }
  @inlinable package var isElement: Bool {
    if case .element = kind { true } else { false }
  }
}

/// A type and the relation that leads to it.
package struct TypeLink: Sendable, Hashable {
  package var type: EntityTypeID
  package var relation: RelationID
  package init(type: EntityTypeID, relation: RelationID) {
    self.type = type
    self.relation = relation
  }
}

/// A field of an entity type, and where its value lies.
@usableFromInline package struct Property: Sendable, Hashable {
  package var id: PropertyID
  package var name: String
  package var description: String?
  package var signature: TypeSignature
  package var storage: PropertyStorage
  package var defaultValue: DefaultValue?
  /// `@collate(CI)`: comparisons, order and indexes of this property use the folded text.
  package var isCaseInsensitive: Bool
  /// The reason of `@deprecated`.
  package var deprecation: String?
  /// The name that data gives the property, where `@source(name:)` says another. Several may have the same.
  package var source: String?
  /// `@source(mixed: true)`: numbers and truth values of data are texts as they are written.
  package var isMixed = false
  /// `@merge(by: SUM)`: what becomes of it where both sides of a merge have written it.
  package var merge: MergeRule?
  package var identity = Identity()
  /// `@history(off: true)`: the value is as it is now in every past.
  package var isOutOfHistory = false

  package init(
    id: PropertyID, name: String, description: String? = nil, signature: TypeSignature, storage: PropertyStorage,
    defaultValue: DefaultValue? = nil, isCaseInsensitive: Bool = false
  ) {
    self.id = id
    self.name = name
    self.description = description
    self.signature = signature
    self.storage = storage
    self.defaultValue = defaultValue
    self.isCaseInsensitive = isCaseInsensitive
  }
}

/// What an absent value becomes on creation.
package enum DefaultValue: Sendable, Hashable {
  case value(Value)
  /// `@default(value: now())`.
  case now
}

/// Where a property's data lies.
package indirect enum PropertyStorage: Sendable, Hashable {
  /// `folded` is the hidden column of the case-folded text, if the property has one.
  case column(ColumnID, folded: ColumnID?)
  /// An embedded object: its presence column, and the storage of its fields in the embedded type's order.
  case embedded(EmbeddedTypeID, presence: ColumnID, fields: [PropertyStorage])
  case relation(RelationID)
  /// A field of an interface: the fields of its members, of which one row has at most one.
  case members([MemberField])
  /// Nothing is stored: `@computed(as:)`, an expression of the language over the entity's fields.
  case computed(String)
}

/// The field of one member of an interface that stands for the interface's field.
package struct MemberField: Sendable, Hashable {
  package var member: TypeLink
  package var property: PropertyID
  package init(member: TypeLink, property: PropertyID) {
    self.member = member
    self.property = property
  }
}

/// One direction of a relation.
@usableFromInline package struct Relation: Sendable, Hashable {
  /// What deleting a source does to its targets.
  package enum DeleteRule: String, Sendable { case nullify = "NULLIFY", cascade = "CASCADE", deny = "DENY" }

  package var id: RelationID
  package var source: EntityTypeID
  package var target: EntityTypeID
  /// Nil for the hidden direction of a one-way relation.
  package var property: PropertyID?
  /// A `.reference` or `.references` column of `source`.
  package var column: ColumnID
  package var isToMany: Bool
  /// A to-one that must not be null.
  package var isRequired: Bool
  /// The other direction; the relation itself where a symmetric relation names itself as its inverse.
  package var inverse: RelationID
  package var onDelete: DeleteRule
  /// Between an entity and its mirrored row in an interface or union; kept by the store, in both directions.
  package var isMirror = false
  /// Where the relation is a field of an embedded object: the object's presence column. `property` is then the
  /// outermost object's, and `isRequired` holds where the object is present.
  package var presence: ColumnID?

  package init(
    id: RelationID, source: EntityTypeID, target: EntityTypeID, property: PropertyID?, column: ColumnID, isToMany: Bool,
    isRequired: Bool, inverse: RelationID, onDelete: DeleteRule = .nullify
  ) {
    self.id = id
    self.source = source
    self.target = target
    self.property = property
    self.column = column
    self.isToMany = isToMany
    self.isRequired = isRequired
    self.inverse = inverse
    self.onDelete = onDelete
  }
}

/// A root field of the schema's own `type Query`, or one for the deleted entities of a model.
package struct RootName: Sendable, Hashable {
  package var name: String
  package var type: EntityTypeID
  package var isList: Bool
  /// Whether it stands for the deleted entities that are kept. No schema writes such a root.
  package var isDeleted: Bool
  package init(name: String, type: EntityTypeID, isList: Bool, isDeleted: Bool = false) {
    self.name = name
    self.type = type
    self.isList = isList
    self.isDeleted = isDeleted
  }
}

import GQLCatalog
import GQLWriting

/// Where a value lies that a schema in text has as an embedded object, as a list of such, or as a field of one.
indirect enum ObjectPlace: Sendable {
  /// A scalar, an enum or a list of these, in a column of the owner.
  case cell(ColumnID, ValueType)
  /// An object in columns of the owner.
  case object(EmbeddedTypeID, presence: ColumnID, [ObjectField])
  /// A list of objects, each a row of a hidden type.
  case elements(StoredRelation)
  /// What a field leads to, by ids.
  case link(StoredRelation, [LinkTarget])
}

/// A type of entities that a field may lead to.
struct LinkTarget: Sendable {
  let type: EntityTypeID
  /// From the entity's row in an interface or union, if the field leads to one.
  let member: StoredRelation?
  /// The column of the entity's id.
  let id: ColumnDescriptor
}

/// A field of an embedded object.
struct ObjectField: Sendable {
  let name: String
  let isNonNull: Bool
  /// For lists: whether the elements are non-null.
  let isElementNonNull: Bool
  let place: ObjectPlace
}

/// A property of a model that is an embedded object, or a list of such, in the schema.
struct ObjectProperty: Sendable {
  /// `User.address`.
  let path: String
  let type: EntityTypeID
  let place: ObjectPlace
  let isNonNull: Bool
  let types: ObjectTypes
  let kind: ObjectKind

  /// Nil for properties that are nothing of that kind.
  init?(_ property: Property, of entity: EntityType, _ types: ObjectTypes) {
    switch property.storage {
    case .embedded: break
    case .relation(let id): guard types.catalog[types.catalog[id].target].isElement else { return nil }
    case .column, .members, .computed: return nil
    }
    guard let place = types.place(property.storage, property.signature, entity) else { return nil }
    self.place = place
    type = entity.id
    path = "\(entity.name).\(property.name)"
    isNonNull = property.signature.isNonNull
    self.types = types
    kind = ObjectKind(place, path, types)
  }

  /// Whether something is always there, if that is wanted.
  func canBeWhole(_ isWanted: Bool) -> Bool {
    // A list is empty where there is nothing.
    if case .elements = place { true } else { isNonNull || !isWanted }
  }

  /// The column that says whether, or where, there is something.
  var column: ColumnID {
    switch place {
    case .cell(let column, _), .object(_, let column, _): column
    case .elements(let relation), .link(let relation, _): relation.column
    }
  }
}

/// The fields of the objects of a catalog. Those of the elements of lists are found by type, because elements may have
/// lists of their own kind.
final class ObjectTypes: Sendable {
  let catalog: Catalog
  /// By which links are found; made when one is written.
  private let known = Guarded<EntityLayouts?>(nil)
  var layouts: EntityLayouts {
    known.withLock { known in
      let layouts = known ?? EntityLayouts(catalog)
      known = layouts
      return layouts
    }
  }
  private let elements = Guarded<[EntityTypeID: [ObjectField]]>([:])

  init(_ catalog: Catalog) { self.catalog = catalog }

  /// The fields of the elements of lists.
  func fields(_ type: EntityTypeID) -> [ObjectField] {
    elements.withLock { elements in
      if let found = elements[type] { return found }
      let entity = catalog[type]
      let made = entity.properties.compactMap { field($0.name, $0.storage, $0.signature, entity) }
      elements[type] = made
      return made
    }
  }

  /// Where a value lies; nil for computed fields, and for links to what has no id of its own.
  func place(_ storage: PropertyStorage, _ signature: TypeSignature, _ entity: EntityType) -> ObjectPlace? {
    switch storage {
    case .column(let column, _): return .cell(column, entity[column].type)
    case .embedded(let id, let presence, let storages):
      let fields = zip(catalog[id].fields, storages).compactMap { described, storage in
        field(described.name, storage, described.signature, entity)
      }
      return .object(id, presence: presence, fields)
    case .relation(let id):
      let relation = catalog[id]
      let target = catalog[relation.target]
      if target.isElement { return .elements(relation) }
      let targets =
        target.isAbstract
        ? target.members.map { linkTarget($0.type, catalog[$0.relation]) } : [linkTarget(target.id, nil)]
      return targets.contains { $0 == nil } ? nil : .link(relation, targets.compactMap { $0 })
    case .members, .computed: return nil
    }
  }

  /// Nil for a type whose key is no id as it is.
  private func linkTarget(_ type: EntityTypeID, _ member: StoredRelation?) -> LinkTarget? {
    let entity = catalog[type]
    guard entity.idProperties.count == 1, let key = entity.idProperties.first,
      case .column(let column, _) = entity[key].storage,
      [ValueType.id, .string, .int, .scalar(.uuid)].contains(entity[column].type)
    else { return nil }
    return LinkTarget(type: type, member: member, id: entity[column])
  }

  private func field(
    _ name: String, _ storage: PropertyStorage, _ signature: TypeSignature, _ entity: EntityType
  ) -> ObjectField? {
    place(storage, signature, entity).map {
      ObjectField(
        name: name, isNonNull: signature.isNonNull, isElementNonNull: signature.isElementNonNull, place: $0)
    }
  }
}

extension ObjectPlace {
  /// The columns of the owner in which it lies.
  var columns: [ColumnID] {
    switch self {
    case .cell(let column, _): [column]
    case .object(_, let presence, let fields): [presence] + fields.flatMap(\.place.columns)
    case .elements(let relation), .link(let relation, _): [relation.column]
    }
  }

  /// The columns of ids, and of lists of ids.
  var idColumns: [(column: Int, isList: Bool)] {
    switch self {
    case .cell(let column, .id): [(Int(column.index), false)]
    case .cell(let column, .list(.id)): [(Int(column.index), true)]
    case .object(_, _, let fields): fields.flatMap(\.place.idColumns)
    case .cell, .elements, .link: []
    }
  }

  /// Whether all of it lies in cells, and none in links or in other rows.
  var isInCells: Bool {
    switch self {
    case .cell: true
    case .object(_, _, let fields): fields.allSatisfy(\.place.isInCells)
    case .elements, .link: false
    }
  }
}

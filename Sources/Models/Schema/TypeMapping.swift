import GQLCatalog
import GQLStore
import Synchronization

/// Where the entities of a type lie in a catalog.
class AnyTypeMapping: @unchecked Sendable {
  let type: EntityTypeID
  let name: String
  let layout: EntityLayout
  let hooks: HookKnowledge
  let idColumn: Int
  let idKind: ColumnKind
  let updatedColumn: ColumnID?
  /// By attribute: its column; nil for what has none. An embedded object's says whether it is there.
  let columns: [ColumnDescriptor?]
  /// How many attributes are the entity's own; those behind are of what its properties hold.
  let ownCount: Int
  /// By place in the description; nil where the relation has no table behind it.
  let relations: [StoredRelation?]
  /// By column, whether the entities say what it holds; nil if they say so of all.
  let ownedColumns: [Bool]?
  /// Whether the entities are the deleted ones of another type.
  let readsDeleted: Bool
  /// What other columns of a new entity hold.
  let unknownFields: UnknownFields?
  /// The columns, but for the key, that hold ids of a schema in text, or lists of them: texts for the entities.
  let idColumns: [(column: Int, isList: Bool)]
  /// Whether a column has another type than the entities say: ids of a schema in text.
  let hasOtherTypes: Bool
  /// Whether it hangs on the schema which conditions columns can tell of: those on embedded objects.
  let hasUnknownColumns: Bool

  /// Whether a column is an instant's.
  let hasInstants: Bool

  /// Whether a save may be refused when the row is written: by unique values that only the store knows, by relations that
  /// must lead to an entity, or by links and lists of embedded objects.
  let mayRefuseLate: Bool
  /// The relations that lead from each entity to another one.
  let requiredLinks: [StoredRelation]

  init(
    type: EntityTypeID, name: String, layout: EntityLayout, hooks: HookKnowledge, idColumn: Int, idKind: ColumnKind,
    updatedColumn: ColumnID?, columns: [ColumnDescriptor?], ownCount: Int? = nil, relations: [StoredRelation?],
    ownedColumns: [Bool]? = nil, unknownFields: UnknownFields? = nil, hasOtherUniques: Bool = false,
    hasRequiredRelations: Bool = false, readsDeleted: Bool = false
  ) {
    self.type = type
    self.name = name
    self.layout = layout
    self.hooks = hooks
    self.idColumn = idColumn
    self.idKind = idKind
    self.updatedColumn = updatedColumn
    self.columns = columns
    self.ownCount = ownCount ?? columns.count
    self.relations = relations
    self.ownedColumns = ownedColumns
    self.readsDeleted = readsDeleted
    self.unknownFields = unknownFields
    requiredLinks = relations.compactMap { $0 }.filter { $0.isRequired && !$0.isToMany && $0.presence == nil }
    mayRefuseLate =
      hasOtherUniques || hasRequiredRelations || layout.objects.contains { $0.map { !$0.place.isInCells } ?? false }
    hasInstants = columns.contains { $0?.type == .scalar(.dateTime) }
    func ids(_ columns: ArraySlice<ColumnDescriptor?>) -> [ColumnDescriptor] {
      columns.compactMap { $0 }.filter { $0.type == .id || $0.type == .list(.id) }
    }
    hasOtherTypes = !ids(columns[...]).isEmpty
    hasUnknownColumns = ownCount.map { $0 < columns.count } ?? false || layout.objects.contains { $0 != nil }
    idColumns =
      ids(columns[..<(ownCount ?? columns.count)]).map { (Int($0.id.index), $0.kind == .wideList) }
      .filter { $0.0 != idColumn }
      + layout.objects.compactMap { $0 }.flatMap(\.place.idColumns)
  }

  /// The name of the first property that has no column.
  var propertyWithoutColumn: String? {
    (0..<layout.count).first { layout.places[$0].column < 0 }.map { layout.names[$0] }
  }

  /// The values without a column of no rows; nil if an entity has none.
  var noOpaques: OpaqueValues? { layout.opaqueCount > 0 ? OpaqueValues(width: layout.opaqueCount) : nil }

  /// Whether a column is ordered in another way than texts of Swift: ids of a schema in text are, of which numbers come
  /// first. Of the entity's own that order is meant.
  func isOrderedByID(_ attribute: Int) -> Bool { attribute >= ownCount && columns[attribute]?.type == .id }

  /// The same of a list's elements.
  func isListOrderedByID(_ attribute: Int) -> Bool { attribute >= ownCount && columns[attribute]?.type == .list(.id) }

  /// The entity of a live row, to be told of its deletion.
  func cascadedEntity(_ row: UInt32, _ tables: any StoreTables, _ storage: ContextStorage) throws -> any CascadedEntity
  {
    throw ModelError.unknownType(name)
  }

  /// Whether saving an entity of the type has met what calls the program.
  private let hooked = Atomic<Bool>(false)
  var runsHooks: Bool {
    get { hooked.load(ordering: .relaxed) }
    set { hooked.store(newValue, ordering: .relaxed) }
  }
}

/// Where the entities of a type lie in a catalog, with the type.
final class TypeMapping<Entity: EntityModelProtocol>: AnyTypeMapping, @unchecked Sendable {
  struct Unique {
    let index: EntityInfo<Entity>.Index
    let id: IndexID
    let resolver: CollisionResolver<Entity>
    /// The numbers of its columns; of folded texts those of the texts.
    let columns: [Int]
    /// What tells whether entities of the same key have the same values; empty if the key does.
    let isSame: [(Entity, Entity) -> Bool]
  }
  let info: EntityInfo<Entity>
  /// The attributes that are computed, and their columns.
  let derived: [(attribute: Int, column: Int)]
  let uniques: [Unique]

  /// `other` is that of the entities that are read, where they are not these themselves.
  init(_ info: EntityInfo<Entity>, _ entity: EntityType, _ catalog: Catalog, like other: AnyTypeMapping? = nil) {
    self.info = info
    func property(_ name: String) -> Property? { entity.property(named: name) }
    let types = ObjectTypes(catalog)
    let objects = info.attributes.map { attribute -> ObjectProperty? in
      guard attribute.codec is any ObjectCodec else { return nil }
      return property(attribute.name).flatMap { ObjectProperty($0, of: entity, types) }
    }
    let columns = info.attributes.map { attribute -> ColumnDescriptor? in
      if let place = attribute.place {
        return objects[place.property].flatMap { $0.column(place, attribute.shape) }.map { entity[$0] }
      }
      guard attribute.shape != nil, case .column(let column, _)? = property(attribute.name)?.storage else { return nil }
      return entity[column]
    }
    derived = info.attributes.indices.compactMap { number in
      guard info.attributes[number].derived != nil, let column = columns[number] else { return nil }
      return (number, Int(column.id.index))
    }
    uniques = info.indexes.compactMap { index in
      guard case .unique(let resolver) = index.kind,
        let found = SchemaFit.uniqueIndex(
          index.name, over: index.attributes.map { columns[$0]?.id }, of: entity, catalog,
          comparingNil: resolver.comparesNil)
      else { return nil }
      return Unique(
        index: index, id: found, resolver: resolver,
        columns: catalog[found].columns.map { Int((entity[$0].foldedFrom ?? $0).index) },
        isSame: index.attributes.compactMap { info.attributes[$0].isSame })
    }
    // Who looks for values in one index over columns, finds those of all others over them.
    let known = Set(uniques.map { Set(catalog[$0.id].columns) })
    var opaques: Int32 = 0
    let places = (0..<info.propertyCount).map { number -> EntityLayout.Place in
      if let object = objects[number] {
        return EntityLayout.Place(column: object.column.index, kind: entity[object.column].kind)
      }
      if let column = columns[number] {
        return EntityLayout.Place(
          column: column.id.index, kind: column.kind, isInstant: column.type == .scalar(.dateTime))
      }
      defer { opaques += 1 }
      return EntityLayout.Place(column: ~opaques, kind: .text)
    }
    let relations = info.relations.map { relation -> StoredRelation? in
      guard case .relation(let id)? = property(relation.name)?.storage else { return nil }
      return catalog[id]
    }
    let id = columns[info.idAttribute]
    var owned = Array(repeating: false, count: entity.columns.count)
    for case let column? in columns { owned[Int(column.id.index)] = true }
    for case let object? in objects { for column in object.place.columns { owned[Int(column.index)] = true } }
    // An id of a schema in text may print as a number, which one that is written as a text would not.
    if let id, id.type == .scalar(.id) { owned[Int(id.id.index)] = false }
    let ownsAll = entity.columns.allSatisfy { column in
      // Links, folded texts and times are the store's to fill.
      owned[Int(column.id.index)] || column.kind == .reference || column.kind == .references || column.foldedFrom != nil
        || column.id == entity.createdColumn || column.id == entity.updatedColumn
    }
    let stored = info.attributes[..<info.propertyCount]
    super.init(
      type: entity.id, name: entity.name,
      layout: other?.layout
        ?? EntityLayout(
          places: places, names: stored.map(\.name), types: stored.map(\.type), codecs: stored.map(\.codec),
          columnCount: entity.columns.count, typeName: "\(Entity.self)",
          objects: objects.contains { $0 != nil } ? Array(objects[..<info.propertyCount]) : []),
      hooks: info.hooks, idColumn: id.map { Int($0.id.index) } ?? 0, idKind: id?.kind ?? .text,
      updatedColumn: entity.updatedColumn, columns: columns, ownCount: info.ownCount, relations: relations,
      ownedColumns: ownsAll ? nil : owned,
      unknownFields: ownsAll ? nil : other.map(\.unknownFields) ?? UnknownFields(entity, catalog, isOwned: owned),
      hasOtherUniques: entity.indexes.map { catalog[$0] }.contains { index in
        index.isUnique && !index.isPrimary && !known.contains(Set(index.columns))
      },
      hasRequiredRelations: relations.contains { relation in
        guard let relation else { return false }
        let inverse = catalog[relation.inverse]
        return relation.isRequired && !relation.isToMany || inverse.isRequired && !inverse.isToMany
      }, readsDeleted: Entity.self is any Tombstone.Type)
  }

  override func cascadedEntity(_ row: UInt32, _ tables: any StoreTables, _ storage: ContextStorage) throws
    -> any CascadedEntity
  {
    TypedCascadedEntity(entity: try entityWithIDs(row, tables, storage), hooks: hooks)
  }
}

extension TypeMapping {
  /// By property: whether it is read where these attributes are wanted; nil for all. A deleted entity is read as what it
  /// was, whose properties are not its own.
  func mustRead(_ wanted: Set<Int>?) -> [Bool]? { readsDeleted ? nil : wanted.map { info.mustRead($0) } }

  /// The id of a row.
  func id(_ readers: UnsafePointer<ColumnReader>, _ row: UInt32) throws -> Entity.ID {
    try info.idCodec.read(_ColumnCell(readers[idColumn].cell(row, kind: idKind)))
  }
}

extension AnyTypeMapping {
  /// What the store refuses, in the words of the models.
  func error(_ problem: StoreProblem, in context: Context) -> any Error {
    error(problem, in: context.storage.schema?.catalog, context.storage.current)
  }

  /// What the store refuses, in the words of the models.
  func error(_ problem: StoreProblem, in catalog: Catalog?, _ snapshot: Snapshot?) -> any Error {
    func name(_ type: EntityTypeID) -> String { catalog?[type].name ?? "" }
    switch problem {
    case .tooManyRows(let type): return ModelError.tooManyEntities(name(type))
    case .textTooLong: return ModelError.textTooLong(bytes: TextView.maximumLength + 1)
    case .denied(let relation, let row):
      guard let catalog, let snapshot else { break }
      let relation = catalog[relation]
      let type = catalog[relation.source]
      let column = type[relation.column].name
      return ModelError.deleteDenied(entity: type.name, id: snapshot.idText(relation.source, row), relation: column)
    case .uniqueViolation(let index, let existing, _):
      guard let catalog, let snapshot else { break }
      let descriptor = catalog[index]
      return Errors.uniqueValueIndexViolation(
        existing: snapshot.idText(descriptor.type, existing), new: self.name, indexName: descriptor.name)
    case .requiredReference(let relation, let row):
      guard let catalog, let snapshot else { break }
      let relation = catalog[relation]
      let type = catalog[relation.source]
      let entity =
        type.indexes.isEmpty
        ? "an object of '\(type.name)'" : "'\(type.name)' \(snapshot.idText(relation.source, row))"
      return ModelError.requiredReference(
        self.name, "\(entity) would lose its '\(type[relation.column].name)', which it must have")
    case .contradiction, .stopped: break
    }
    return ModelError.unwritable(self.name, "\(problem)")
  }
}

extension Snapshot {
  /// The id of a row as people write it.
  func idText(_ type: EntityTypeID, _ row: UInt32) -> String {
    let column = catalog[type][catalog[catalog[type].primaryIndex].columns[0]]
    let cell = _ColumnCell(self.column(type, column.id).cell(row, kind: column.kind))
    return column.kind == .text ? cell.string : "\(cell.int)"
  }
}

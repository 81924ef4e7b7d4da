/// A builder of the hidden types of versions.
struct VersionCatalogBuilder {
  private(set) var catalog: Catalog
  private(set) var types: [VersionedType] = []
  private(set) var changes: ChangeType?
  private let base: Catalog
  private var taken: Set<String>
  private var changeType = EnumTypeID(0)

  init(_ base: Catalog) {
    self.base = base
    catalog = base
    taken = Set(base.types.map(\.name) + base.embeddedTypes.map(\.name) + base.enums.map(\.name))
  }

  mutating func addAll() {
    if base.types.last?.pastRole != nil { return }
    let versioned = base.types.filter { $0.history != nil && $0.kind == .entity }
    if versioned.isEmpty { return }
    changeType = EnumTypeID(catalog.enums.count)
    catalog.enums.append(
      EnumType(
        id: changeType, name: free("VersionChange"), description: "What has made a version of an entity.",
        values: VersionChange.allCases.map(\.rawValue)))
    for type in versioned { add(type) }
    addChanges()
    catalog.version = Catalog.nextVersion()
    catalog.indexNames()
  }

  private func hasRoot(_ name: String) -> Bool {
    base.types.contains { $0.rootMany == name || $0.rootOne == name } || base.rootNames.contains { $0.name == name }
  }

  private mutating func free(_ wanted: String) -> String {
    var name = wanted
    while !taken.insert(name).inserted { name += "_" }
    return name
  }

  private mutating func add(_ type: EntityType) {
    var draft = VersionTypeDraft(type, base, id: EntityTypeID(catalog.types.count), name: free("\(type.name)Version"))
    draft.addFields()
    let number = draft.add(
      "_version", TypeSignature(.int, isNonNull: true), "The version of the database with which it came.")
    let from = draft.add("_from", TypeSignature(.scalar(.dateTime)), "When it came; null where that is not kept.")
    let until = draft.add("_until", TypeSignature(.scalar(.dateTime)), "When the next one came; null for the newest.")
    let change = draft.add(
      "_change", TypeSignature(.enumeration(changeType)), "What has made it; null where that is not kept.")
    let changed = draft.add(
      "_changed", TypeSignature(.list(.string), isNonNull: true, isElementNonNull: true),
      "The fields that differ from the version before.")
    let origin = draft.add(
      "_origin", TypeSignature(.scalar(.string)), "Who has made it; null where the change named nobody.")
    let row = draft.addHidden("~row", .int, .int64)
    draft.addKey(number, row)
    let owner = draft.addHidden("~\(type.name)", .entity(type.id), .reference)
    addIndex("id", .hash, draft.keyColumns, isPrimary: true, to: &draft.versions)
    addIndex("_version", .ordered, [number], isPrimary: false, to: &draft.versions)
    addIndex("_from", .ordered, [from], isPrimary: false, to: &draft.versions)
    catalog.types.append(draft.versions)

    let forward = RelationID(catalog.relations.count)
    let backward = RelationID(catalog.relations.count + 1)
    let column = ColumnID(catalog[type.id].columns.count)
    let list = ValueType.list(.entity(draft.versions.id))
    catalog[type.id].columns.append(
      ColumnDescriptor(
        id: column, name: VersionCatalog.listName, kind: .references, type: list, isNonNull: false))
    var property: PropertyID?
    // A field of the schema with that name goes first.
    if type.property(named: VersionCatalog.listName) == nil {
      let id = PropertyID(catalog[type.id].properties.count)
      property = id
      catalog[type.id].properties.append(
        Property(
          id: id, name: VersionCatalog.listName, description: "What it was, the oldest version first.",
          signature: TypeSignature(list, isNonNull: true, isElementNonNull: true), storage: .relation(forward)))
    }
    catalog[type.id].versions = draft.versions.id
    catalog.relations.append(
      Relation(
        id: forward, source: type.id, target: draft.versions.id, property: property, column: column, isToMany: true,
        isRequired: false, inverse: backward))
    catalog.relations.append(
      Relation(
        id: backward, source: draft.versions.id, target: type.id, property: nil, column: owner, isToMany: false,
        isRequired: false, inverse: forward))
    types.append(
      VersionedType(
        type: type.id, versions: draft.versions.id, relation: forward, sources: draft.sources, fields: draft.fields,
        row: row,
        number: number, from: from, until: until, change: change, changed: changed, origin: origin))
  }

  /// Adds the list of changes: `{ version time type id change origin fields { name old new } }`.
  private mutating func addChanges() {
    let name = free("EntityChange")
    let embedded = EmbeddedTypeID(catalog.embeddedTypes.count)
    let fieldName = free("ChangedField")
    let (id, fieldID) = (EntityTypeID(catalog.types.count), EntityTypeID(catalog.types.count + 1))
    let text = TypeSignature(.string, isNonNull: true)

    var field = PlainTypeDraft(id: fieldID, name: fieldName, description: "A field that a change has changed.")
    field.type.kind = .element(embedded)
    field.type.pastRole = .changedField
    let name0 = field.add("name", text, "The name of the field.")
    let old = field.add("old", TypeSignature(.json), "The value before, as JSON.")
    let new = field.add("new", TypeSignature(.json), "The value after, as JSON.")
    catalog.embeddedTypes.append(
      EmbeddedType(
        id: embedded, name: fieldName, description: field.type.description,
        fields: field.type.properties.map {
          EmbeddedType.Field(name: $0.name, description: $0.description, signature: $0.signature)
        }))

    // A root field of the schema with that name goes first.
    let root = hasRoot(VersionCatalog.changesName) ? "changes()" : VersionCatalog.changesName
    var draft = PlainTypeDraft(id: id, name: name, description: "A change of an entity.", root: root)
    draft.type.pastRole = .change
    let version = draft.add(
      "version", TypeSignature(.int, isNonNull: true), "The version of the database that has it first.")
    let time = draft.add("time", TypeSignature(.scalar(.dateTime), isNonNull: true), "When it was committed.")
    let typeName = draft.add("type", text, "The type of the entity.")
    let key = draft.add("id", TypeSignature(.id, isNonNull: true), "The id of the entity.")
    let change = draft.add("change", TypeSignature(.enumeration(changeType), isNonNull: true), "What has become of it.")
    let origin = draft.add("origin", TypeSignature(.scalar(.string)), "Who has made it; null where nobody was named.")
    let forward = RelationID(catalog.relations.count)
    let backward = RelationID(catalog.relations.count + 1)
    let list = ValueType.list(.entity(fieldID))
    let column = draft.addColumn("fields", list)
    draft.type.properties.append(
      Property(
        id: PropertyID(draft.type.properties.count), name: "fields", description: "The fields that differ.",
        signature: TypeSignature(list, isNonNull: true, isElementNonNull: true), storage: .relation(forward)))
    let owner = field.addColumn("~fields", .entity(id))
    let row = draft.addColumn("~row", .int)
    draft.type.idProperties = [0, 2, 3].map { PropertyID($0) }
    addIndex("id", .hash, [version, typeName, key, row], isPrimary: true, to: &draft.type)
    addIndex("version", .ordered, [version], isPrimary: false, to: &draft.type)
    addIndex("time", .ordered, [time], isPrimary: false, to: &draft.type)
    catalog.types += [draft.type, field.type]
    catalog.relations.append(
      Relation(
        id: forward, source: id, target: fieldID, property: PropertyID(draft.type.properties.count - 1),
        column: column, isToMany: true, isRequired: false, inverse: backward, onDelete: .cascade))
    catalog.relations.append(
      Relation(
        id: backward, source: fieldID, target: id, property: nil, column: owner, isToMany: false,
        isRequired: false, inverse: forward))
    changes = ChangeType(
      type: id, fields: forward, version: version, time: time, typeName: typeName, key: key, change: change,
      origin: origin, row: row, field: fieldID, name: name0, old: old, new: new)
  }

  private mutating func addIndex(
    _ name: String, _ kind: IndexDescriptor.Kind, _ columns: [ColumnID], isPrimary: Bool, to type: inout EntityType
  ) {
    let id = IndexID(catalog.indexes.count)
    catalog.indexes.append(
      IndexDescriptor(
        id: id, type: type.id, name: name, kind: kind, columns: columns, isUnique: isPrimary, isPrimary: isPrimary))
    if isPrimary { type.primaryIndex = id }
    type.indexes.append(id)
  }
}

/// A type with fields of its own on its way.
private struct PlainTypeDraft {
  var type: EntityType

  init(id: EntityTypeID, name: String, description: String, root: String? = nil) {
    // What no document can write is no root field.
    type = EntityType(
      id: id, name: name, description: description, rootMany: root ?? name, rootOne: "\(root ?? name)(one)")
  }

  mutating func addColumn(_ name: String, _ valueType: ValueType, isNonNull: Bool = false) -> ColumnID {
    let column = ColumnID(type.columns.count)
    var kind = ColumnKind(valueType)
    if case .list(.entity) = valueType { kind = .references }
    type.columns.append(
      ColumnDescriptor(id: column, name: name, kind: kind, type: valueType, isNonNull: isNonNull))
    return column
  }

  mutating func add(_ name: String, _ signature: TypeSignature, _ description: String) -> ColumnID {
    let column = addColumn(name, signature.type, isNonNull: signature.isNonNull)
    type.properties.append(
      Property(
        id: PropertyID(type.properties.count), name: name, description: description, signature: signature,
        storage: .column(column, folded: nil)))
    return column
  }
}

/// A type of versions on its way.
private struct VersionTypeDraft {
  var versions: EntityType
  var sources: [VersionedType.Source] = []
  var fields: [(name: String, columns: [Int])] = []
  /// The columns of the primary key, with folded texts.
  var keyColumns: [ColumnID] = []
  private let type: EntityType
  private let base: Catalog
  /// By column of the entity: that of the versions.
  private var columns: [ColumnID: ColumnID] = [:]

  init(_ type: EntityType, _ base: Catalog, id: EntityTypeID, name: String) {
    self.type = type
    self.base = base
    let root = "\(type.rootMany)(\(VersionCatalog.argumentName): ALL)"
    versions = EntityType(
      id: id, name: name, description: "A version of '\(type.name)'.", rootMany: root, rootOne: root)
    versions.pastRole = .version(of: type.id)
  }

  /// Adds the fields of the entity whose old values are kept.
  mutating func addFields() {
    for property in type.properties
    where !property.isOutOfHistory && !VersionCatalog.fieldNames.contains(property.name) {
      let first = versions.columns.count
      var copy = property
      copy.id = PropertyID(versions.properties.count)
      copy.defaultValue = nil
      copy.merge = nil
      guard let storage = storage(property.storage, &copy.signature) else { continue }
      copy.storage = storage
      versions.properties.append(copy)
      fields.append((property.name, Array(first..<versions.columns.count)))
    }
  }

  private mutating func storage(_ storage: PropertyStorage, _ signature: inout TypeSignature) -> PropertyStorage? {
    switch storage {
    case .column(let column, let folded):
      let copy = copy(column)
      return .column(copy, folded: folded.map { self.copy($0, foldedFrom: copy) })
    case .embedded(let id, let presence, let fields):
      if fields.contains(where: holdsLinks) { return nil }
      let presence = copy(presence)
      return .embedded(
        id, presence: presence,
        fields: fields.compactMap {
          var unused = signature
          return self.storage($0, &unused)
        })
    case .relation(let id): return ids(base[id], &signature)
    case .members, .computed: return nil
    }
  }

  /// Objects with links, and lists of objects, are rows of their own, which go with their entity.
  private func holdsLinks(_ storage: PropertyStorage) -> Bool {
    switch storage {
    case .column: false
    case .embedded(_, _, let fields): fields.contains(where: holdsLinks)
    case .relation, .members, .computed: true
    }
  }

  private mutating func copy(_ column: ColumnID, foldedFrom: ColumnID? = nil) -> ColumnID {
    var copy = type[column]
    copy.id = ColumnID(versions.columns.count)
    copy.foldedFrom = foldedFrom
    versions.columns.append(copy)
    sources.append(foldedFrom == nil ? .column(Int(column.index)) : .none)
    columns[column] = copy.id
    return copy.id
  }

  /// The ids of what a relation leads to; nil where these have no one type.
  private mutating func ids(_ relation: Relation, _ signature: inout TypeSignature) -> PropertyStorage? {
    guard let (id, routes) = idRoutes(to: base[relation.target]) else { return nil }
    signature =
      relation.isToMany
      ? TypeSignature(.list(id), isNonNull: true, isElementNonNull: true) : TypeSignature(id)
    let column = ColumnID(versions.columns.count)
    versions.columns.append(
      ColumnDescriptor(
        id: column, name: type[relation.column].name, kind: ColumnKind(signature.type), type: signature.type,
        isNonNull: false))
    sources.append(.ids(relation, routes))
    return .column(column, folded: nil)
  }

  private func idRoutes(to target: EntityType) -> (ValueType, [VersionedType.IDRoute])? {
    if target.isElement { return nil }
    if target.isAbstract {
      var result: (ValueType, [VersionedType.IDRoute])?
      for member in target.members {
        guard let (id, routes) = idRoutes(to: base[member.type]), result == nil || result?.0 == id else { return nil }
        let through = Int(base[member.relation].column.index)
        result = (id, (result?.1 ?? []) + routes.map { .init(through: through, type: $0.type, columns: $0.columns) })
      }
      return result
    }
    let columns = target.idProperties.compactMap { id -> ColumnID? in
      if case .column(let column, _) = target[id].storage { column } else { nil }
    }
    guard let first = columns.first, columns.count == target.idProperties.count else { return nil }
    let type = columns.count == 1 ? target[first].type : .json
    return (
      type, [.init(through: nil, type: Int(target.id.index), columns: columns.map { Int($0.index) })]
    )
  }

  mutating func add(_ name: String, _ signature: TypeSignature, _ description: String) -> ColumnID {
    let column = ColumnID(versions.columns.count)
    versions.columns.append(
      ColumnDescriptor(
        id: column, name: name, kind: ColumnKind(signature.type), type: signature.type,
        isNonNull: signature.isNonNull))
    sources.append(.none)
    versions.properties.append(
      Property(
        id: PropertyID(versions.properties.count), name: name, description: description, signature: signature,
        storage: .column(column, folded: nil)))
    return column
  }

  /// The key of an entity and its version tell versions from each other.
  mutating func addKey(_ number: ColumnID, _ row: ColumnID) {
    for id in type.idProperties {
      if let own = versions.properties.first(where: { $0.name == type[id].name }) {
        versions.idProperties.append(own.id)
      }
    }
    if let own = versions.properties.first(where: { $0.name == "_version" }) { versions.idProperties.append(own.id) }
    keyColumns = base[type.primaryIndex].columns.compactMap { columns[$0] } + [number, row]
  }

  /// Adds a column that no field has.
  mutating func addHidden(_ name: String, _ type: ValueType, _ kind: ColumnKind) -> ColumnID {
    let column = ColumnID(versions.columns.count)
    versions.columns.append(ColumnDescriptor(id: column, name: name, kind: kind, type: type, isNonNull: false))
    sources.append(.none)
    return column
  }
}

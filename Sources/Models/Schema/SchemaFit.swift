import GQLCatalog

/// Whether a type of a catalog can hold the entities of a Swift type.
struct SchemaFit {
  private let entity: EntityType
  private let catalog: Catalog
  private let objects: ObjectTypes

  init(_ entity: EntityType, _ catalog: Catalog) {
    self.entity = entity
    self.catalog = catalog
    objects = ObjectTypes(catalog)
  }

  /// Throws if it cannot.
  func check<Entity: EntityModelProtocol>(_ type: Entity.Type, _ writer: SchemaWriter) throws {
    let info = EntityInfo<Entity>.shared
    var known = Set<ColumnID>()
    for (number, attribute) in info.attributes[..<info.ownCount].enumerated() {
      guard let shape = attribute.shape else { continue }
      guard let property = entity.property(named: attribute.name) else {
        throw misfit("has no field '\(attribute.name)'")
      }
      let isNonNull = shape.isNonNull || number == info.idAttribute
      if attribute.codec is any ObjectCodec, let object = ObjectProperty(property, of: entity, objects) {
        known.formUnion(object.place.columns)
        guard object.canBeWhole(isNonNull) else {
          throw misfit("has a field '\(attribute.name): \(text(property.signature))' that is not \(attribute.type)")
        }
        continue
      }
      guard case .column(let id, _) = property.storage else {
        throw misfit(
          "has a field '\(attribute.name): \(text(property.signature))' that is \(attribute.misfit)")
      }
      let column = entity[id]
      known.insert(id)
      guard Self.fits(column.type, shape, catalog), !shape.isList || property.signature.isElementNonNull,
        column.isNonNull || !isNonNull
      else {
        throw misfit(
          "has a field '\(attribute.name): \(text(property.signature))' that is \(attribute.misfit)")
      }
    }
    guard catalog[entity.primaryIndex].columns.map({ entity[$0].name }) == ["id"] else {
      throw misfit("has another key than 'id'")
    }
    for relation in info.relations where !(relation.target is any Tombstone.Type) {
      guard case .relation(let id)? = entity.property(named: relation.name)?.storage,
        catalog[catalog[id].target].name == writer.name(of: relation.target),
        catalog[id].isToMany == relation.isToMany
      else {
        throw misfit("has no relation '\(relation.name)' to \(writer.name(of: relation.target)) of the same kind")
      }
      known.insert(catalog[id].column)
    }
    for index in info.indexes {
      guard case .unique(let resolver) = index.kind else { continue }
      let columns = index.attributes.map { number -> ColumnID? in
        guard case .column(let id, _)? = entity.property(named: info.attributes[number].name)?.storage else {
          return nil
        }
        return id
      }
      func isKept(comparingNil: Bool) -> Bool {
        Self.uniqueIndex(index.name, over: columns, of: entity, catalog, comparingNil: comparingNil) != nil
      }
      let fields = index.attributes.map { info.attributes[$0].name }.joined(separator: ", ")
      if !isKept(comparingNil: false) {
        throw misfit("does not keep (\(fields)) unique, as '\(index.name)' of the model asks")
      }
      if resolver.comparesNil, !isKept(comparingNil: true) {
        throw misfit(
          "keeps (\(fields)) unique only where it is not nil, which is a value like others for '\(index.name)' of the model: "
            + "for 'throwUnlessNil' and 'upsertUnlessNil' it is none, and a further index of kind BTREE finds it")
      }
    }
    try checkRequired(known)
    let unknown = entity.columns.filter { $0.isNonNull && $0.foldedFrom == nil && !known.contains($0.id) }
    if unknown.isEmpty { return }
    let fills = CatalogFills.of(catalog)[entity.id]
    for column in unknown where fills[Int(column.id.index)] == nil {
      // What the store fills itself begins with a line.
      if !column.name.hasPrefix("_") {
        throw misfit("needs a value for '\(column.name)', of which the model knows nothing")
      }
    }
  }

  /// The index in which values of columns are looked for that must be unique: the one of a name, which is not unique in the
  /// store where a resolver may let both live, or else one over the same columns, in whatever order, where a unique one
  /// is. In a schema that was given as text the names are others, and letters may be folded.
  ///
  /// - Parameter comparingNil: Whether nil is a value like others, which it is in indexes that hold nulls only.
  static func uniqueIndex(
    _ name: String, over columns: [ColumnID?], of entity: EntityType, _ catalog: Catalog, comparingNil: Bool
  ) -> IndexID? {
    let wanted = columns.compactMap { $0.map { Int($0.index) } }.sorted()
    guard wanted.count == columns.count else { return nil }
    let found = entity.indexes.filter { index in
      catalog[index].kind.facts.hasKeys
        && catalog[index].columns.map { Int((entity[$0].foldedFrom ?? $0).index) }.sorted() == wanted
    }
    let needsNulls = comparingNil && wanted.contains { !entity.columns[$0].isNonNull }
    let fitting = needsNulls ? found.filter { catalog[$0].kind.facts.holdsNulls } : found
    if let named = fitting.first(where: { catalog[$0].name == name }) { return named }
    guard let unique = found.first(where: { catalog[$0].isUnique }) else { return nil }
    return needsNulls ? fitting.first : unique
  }

  /// Whether cells of a column are those of a shape: an enum's have the same codes, an id is a text.
  static func fits(_ type: ValueType, _ shape: _ColumnShape, _ catalog: Catalog) -> Bool {
    guard let enumeration = shape.enumeration else {
      if type == shape.valueType { return true }
      return shape.scalar == .string && type == (shape.isList ? .list(.scalar(.id)) : .scalar(.id))
    }
    var element = type
    if case .list(let inner) = type {
      guard shape.isList else { return false }
      element = inner
    } else if shape.isList {
      return false
    }
    guard case .enumeration(let id) = element else { return false }
    return catalog[id].values == enumeration.values
  }

  /// Throws if an entity needs a link of which the model knows nothing.
  private func checkRequired(_ known: Set<ColumnID>) throws {
    for relation in catalog.relations where relation.source == entity.id && relation.isRequired && !relation.isToMany {
      if relation.property != nil, !known.contains(relation.column) {
        throw misfit("needs a link '\(entity[relation.column].name)', of which the model knows nothing")
      }
    }
  }

  /// A type as the schema writes it.
  private func text(_ signature: TypeSignature) -> String {
    func text(_ type: ValueType) -> String {
      switch type {
      case .scalar(let scalar): scalar.rawValue
      case .enumeration(let id): catalog[id].name
      case .embedded(let id): catalog[id].name
      case .entity(let id): catalog[id].name
      case .list(let element): "[\(text(element))\(signature.isElementNonNull ? "!" : "")]"
      case .null: "null"
      }
    }
    return text(signature.type) + (signature.isNonNull ? "!" : "")
  }

  private func misfit(_ words: String) -> ModelError {
    .invalidSchema("the type '\(entity.name)' of the schema \(words)")
  }
}

/// The place of a type that no Swift type is known for.
final class UnknownTypeMapping: AnyTypeMapping, @unchecked Sendable {
  init(_ entity: EntityType) {
    let hooks = HookKnowledge(of: UnknownTypeMapping.self)
    for hook in Hook.allCases { hooks.noteIdle(hook) }
    super.init(
      type: entity.id, name: entity.name,
      layout: EntityLayout(
        places: [], names: [], types: [], codecs: [], columnCount: entity.columns.count, typeName: entity.name),
      hooks: hooks, idColumn: 0, idKind: .text, updatedColumn: entity.updatedColumn, columns: [], relations: [])
  }

  /// Nobody asks to be told.
  override func cascadedEntity(_ row: UInt32, _ tables: any StoreTables, _ storage: ContextStorage) throws
    -> any CascadedEntity
  {
    NobodysEntity()
  }

  private struct NobodysEntity: CascadedEntity {
    func isKept(_ context: inout Context) -> Bool { true }
    func willDelete(_ context: inout Context) throws {}
    func didDelete(_ context: inout Context) throws {}
  }
}

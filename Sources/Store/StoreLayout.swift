import GQLCatalog
import GQLText

/// What the store derives from a catalog once: how types, indexes and relations hang together. Shared by all versions.
final class StoreLayout: Sendable {
  struct Index: Sendable {
    let id: IndexID
    let kind: IndexDescriptor.Kind
    let isUnique: Bool
    /// The columns, in order; of indexes of texts, each by itself.
    let keys: KeyLayout
    /// Of full-text indexes.
    var language: TextLanguage?
    /// Whether it is the order of ids beside the primary index, made when it is first wanted.
    var isIDOrder = false

    /// Returns whether an index has the entries of another where both have the same cells.
    func isAlike(_ other: Index) -> Bool {
      kind == other.kind && isUnique == other.isUnique && language == other.language
    }
  }
  /// A class, because every change of a row looks at it.
  final class TypeLayout: Sendable {
    let id: EntityTypeID
    let columns: [ColumnDescriptor]
    /// The indexes, the primary one first; last the order of ids, which has no identifier of its own.
    let indexes: [Index]
    /// The places in `indexes` of those that put off work, see ``EntityIndex/needsSettling(_:)``.
    let deferredIndexes: [Int]
    /// The column of ids and its kind, where an id is one field.
    let idKey: KeyComponent?
    /// The place of the order of ids in `indexes`, where an id is one field.
    let idOrder: Int?
    /// By column: which of `indexes` it is a component of.
    let indexesOfColumn: [[Int]]
    /// By column: the hidden columns of its folded text.
    let foldedColumns: [[Int]]
    /// Whether the column is filled by links.
    let isRelation: [Bool]
    let isFolded: [Bool]
    /// By column: whether it holds lists of texts.
    let elementIsText: [Bool]
    /// The columns of relations to many.
    let listColumns: [Int]
    /// Relations whose source is this type.
    let relations: [Relation]
    /// By column: the number of the type that its links lead to.
    let targets: [Int?]
    /// The relations to the mirrored rows of this type's entities in interfaces and unions.
    let mirrors: [Relation]
    /// Of an interface or union: the relations to its members.
    let members: [Relation]
    /// Of interfaces, unions and elements of lists: its rows live and die with those of other types.
    let isHidden: Bool
    /// Whether rows are elements of lists of embedded objects.
    let isElement: Bool
    /// The embedded objects, those within others left out.
    let objects: [ObjectColumns]
    /// The columns of `_createdAt` and `_updatedAt`, which the store fills.
    let created: Int?
    let updated: Int?
    /// Columns whose cells do not come from the caller: those of links, and the times above.
    let isFilled: [Bool]

    /// Indicates whether the primary key has the folded form of a text, which records do not have.
    let foldsKey: Bool

    /// The columns whose cells a deletion reads or writes: keys, links, and the time of the last change.
    let touched: [(number: Int, width: Int)]

    /// `relations` are those whose source the type is.
    init(_ type: EntityType, _ catalog: Catalog, relations: [Relation]) {
      id = type.id
      columns = type.columns
      var indexes: [Index] = []
      var indexesOfColumn: [[Int]] = Array(repeating: [], count: type.columns.count)
      for id in type.indexes {
        let descriptor = catalog[id]
        let components = descriptor.columns.compactMap { KeyComponent(type[$0], of: descriptor.kind) }
        guard !components.isEmpty, components.count == descriptor.columns.count else { continue }
        for column in Set(descriptor.columns) { indexesOfColumn[Int(column.index)].append(indexes.count) }
        indexes.append(
          Index(
            id: id, kind: descriptor.kind, isUnique: descriptor.isUnique || descriptor.isPrimary,
            keys: KeyLayout(components), language: descriptor.language.flatMap { TextLanguage($0) }))
      }
      let primary = indexes.first.flatMap { catalog[$0.id].isPrimary && $0.keys.count == 1 ? $0 : nil }
      idKey = primary?.keys.components[0]
      idOrder = primary == nil ? nil : indexes.count
      if let primary, let idKey {
        indexesOfColumn[idKey.column].append(indexes.count)
        indexes.append(
          Index(
            id: primary.id, kind: .btree, isUnique: false, keys: primary.keys, isIDOrder: true))
      }
      self.indexes = indexes
      deferredIndexes = indexes.indices.filter { indexes[$0].kind.facts.upkeep == .deferred }
      self.indexesOfColumn = indexesOfColumn
      var foldedColumns: [[Int]] = Array(repeating: [], count: type.columns.count)
      for column in type.columns {
        if let source = column.foldedFrom { foldedColumns[Int(source.index)].append(Int(column.id.index)) }
      }
      self.foldedColumns = foldedColumns
      let isFolded = type.columns.map { $0.foldedFrom != nil }
      self.isFolded = isFolded
      foldsKey =
        indexes.first.map { index in
          (0..<index.keys.count).contains { isFolded[index.keys.components[$0].column] }
        } ?? false
      elementIsText = type.columns.map { column in
        if case .list(let element) = column.type { ColumnKind(element) == .text } else { false }
      }
      listColumns = type.columns.indices.filter { type.columns[$0].kind == .references }
      isRelation = type.columns.map { $0.kind == .reference || $0.kind == .references }
      touched = type.columns.filter {
        !indexesOfColumn[Int($0.id.index)].isEmpty || $0.kind == .reference || $0.kind == .references
          || $0.id == type.updatedColumn
      }.map { (number: Int($0.id.index), width: $0.kind.width) }
      isFilled = type.columns.map {
        $0.kind == .reference || $0.kind == .references || $0.id == type.createdColumn || $0.id == type.updatedColumn
      }
      self.relations = relations
      var targets: [Int?] = Array(repeating: nil, count: type.columns.count)
      for relation in relations { targets[Int(relation.column.index)] = Int(relation.target.index) }
      self.targets = targets
      mirrors = type.memberships.map { catalog[$0.relation] }
      members = type.members.map { catalog[$0.relation] }
      isHidden = type.kind != .entity
      isElement = type.isElement
      objects = ObjectColumns.all(of: type, catalog)
      created = type.createdColumn.map { Int($0.index) }
      updated = type.updatedColumn.map { Int($0.index) }
    }

    /// How the cells of a column compare, where it is followed whether they ascend though they are no numbers: ids.
    func order(_ column: Int) -> KeyKind? { idKey?.column == column ? idKey?.kind : nil }
  }
  let types: [TypeLayout]
  let relations: [Relation]
  /// By relation id: its place in its source's `relations`.
  let relationPlaces: [Int]
  /// By index id: the type, and the place in its `indexes`; nil for those over no column.
  let places: [(type: Int, index: Int)?]

  init(_ catalog: Catalog) {
    relations = catalog.relations
    var places: [(type: Int, index: Int)?] = Array(repeating: nil, count: catalog.indexes.count)
    var types: [TypeLayout] = []
    let relationsOfType = catalog.relationsOfType
    for (number, type) in catalog.types.enumerated() {
      let layout = TypeLayout(type, catalog, relations: relationsOfType[number])
      for (place, index) in layout.indexes.enumerated() where !index.isIDOrder {
        places[Int(index.id.index)] = (number, place)
      }
      types.append(layout)
    }
    self.types = types
    var relationPlaces = Array(repeating: 0, count: catalog.relations.count)
    for type in types {
      for (place, relation) in type.relations.enumerated() { relationPlaces[Int(relation.id.index)] = place }
    }
    self.relationPlaces = relationPlaces
    self.places = places
  }

  subscript(_ id: RelationID) -> Relation { relations[Int(id.index)] }

  /// Whether the relation's targets are elements of lists of embedded objects, parts of their one source.
  func ownsTargets(of relation: Relation) -> Bool {
    relation.isToMany && relation.onDelete == .cascade && !relation.isMirror
      && types[Int(relation.target.index)].isElement
  }
}

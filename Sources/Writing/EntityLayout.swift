import GQLBase
import GQLCatalog
import GQLStore

/// A type's columns, keys and relations as writing needs them, worked out of the catalog once. Immutable.
package final class EntityLayout: Sendable {
  package enum Default: Sendable {
    case cell(Cell)
    /// The instant of the run.
    case now
  }
  package let type: EntityTypeID
  package let name: String
  package let columns: [ColumnDescriptor]
  /// Columns that take values: neither links nor folded text nor what the store fills itself.
  package let isStored: [Bool]
  /// The columns of the primary key.
  package let keyColumns: [Int]
  package let isKey: [Bool]
  package let primaryIndex: IndexID
  package let defaults: [(column: Int, value: Default)]
  /// The column that says whether the embedded object is there in which a column lies; that of the outermost.
  package let presence: [Int?]
  /// The column that says whether the embedded object is there in which a column lies; that of the innermost.
  package let parents: [Int?]
  /// Columns that must have a value.
  package let required: [Int]
  /// Columns inside embedded objects that must have a value where the object is there.
  package let requiredWithin: [Int]
  /// Whether a column holds lists without nulls.
  package let refusesNullElements: [Bool]
  /// To-one relations that must have a target; those of embedded objects must where the object is there.
  package let requiredRelations: [Relation]
  /// Whether rows have no keys: they are elements of lists of embedded objects.
  package let isElement: Bool
  /// Whether rows stand for entities of other types: an interface or union.
  package let isAbstract: Bool
  /// The relations that the type has a field for, itself or in an embedded object.
  package let namedRelations: [Relation]
  /// Of these lists of embedded objects, and relations inside embedded objects, which are parts of the entity's value.
  package let ownedRelations: [Relation]
  /// The hash indexes that may have many rows under one key.
  package let postingIndexes: [IndexID]
  package let properties: [Property]
  package let columnCount: Int
  /// Indicates whether records of their own may be of this type.
  package let isEntity: Bool
  /// Indicates whether records without an id are numbered.
  package let numbersRows: Bool
  /// Indicates whether it belongs to an interface or union.
  package let isMember: Bool
  /// Of an interface or union: its types.
  package let members: [EntityTypeID]
  /// By column: whether records that do not name its field have a default there.
  private let hasDefaults: [Bool]
  private let propertyNames: [Text]
  /// Owns the memory of defaults.
  private let pool = CellPool()

  /// - Parameter relations: Those whose source the type is.
  package init(_ type: EntityType, _ relations: [Relation], catalog: Catalog) {
    self.type = type.id
    name = type.name
    columns = type.columns
    let isStored = type.columns.map {
      $0.foldedFrom == nil && $0.kind != .reference && $0.kind != .references && $0.id != type.createdColumn
        && $0.id != type.updatedColumn
    }
    self.isStored = isStored
    primaryIndex = type.primaryIndex
    let primary = type.indexes.isEmpty ? [] : catalog[type.primaryIndex].columns
    keyColumns = primary.map { Int((type[$0].foldedFrom ?? $0).index) }
    isKey = type.columns.indices.map { [keyColumns] in keyColumns.contains($0) }
    var defaults: [(column: Int, value: Default)] = []
    for property in type.properties {
      guard case .column(let column, _) = property.storage, let value = property.defaultValue else { continue }
      switch value {
      case .now: defaults.append((Int(column.index), .now))
      case .value(let value):
        if let cell = pool.cell(value, property.signature.type) { defaults.append((Int(column.index), .cell(cell))) }
      }
    }
    self.defaults = defaults
    columnCount = type.columns.count
    isEntity = type.kind == .entity
    numbersRows = type.numbersRows
    isMember = !type.memberships.isEmpty
    members = type.members.map(\.type)
    hasDefaults = Self.hasDefaults(type, catalog)
    presence = Self.presence(type, catalog)
    (parents, requiredWithin) = Self.parents(type, catalog)
    required = type.columns.indices.filter { isStored[$0] && type.columns[$0].isNonNull }
    refusesNullElements = Self.refusesNullElements(type, catalog)
    let namedRelations = relations.filter { $0.property != nil }
    self.namedRelations = namedRelations
    requiredRelations = namedRelations.filter { $0.isRequired && !$0.isToMany }
    isElement = type.isElement
    isAbstract = type.isAbstract
    ownedRelations = namedRelations.filter { $0.presence != nil || catalog[$0.target].isElement }
    postingIndexes = type.indexes.filter { catalog[$0].hasPostings }
    properties = type.properties
    propertyNames = type.properties.map { Text($0.name) }
  }

  private static func presence(_ type: EntityType, _ catalog: Catalog) -> [Int?] {
    var result = [Int?](repeating: nil, count: type.columns.count)
    func visit(_ storage: PropertyStorage, _ outermost: Int) {
      switch storage {
      case .column(let column, _): result[Int(column.index)] = outermost
      case .embedded(_, let presence, let fields):
        result[Int(presence.index)] = outermost
        for field in fields { visit(field, outermost) }
      case .relation(let relation): result[Int(catalog[relation].column.index)] = outermost
      case .members, .computed: break
      }
    }
    for property in type.properties {
      if case .embedded(_, let presence, _) = property.storage { visit(property.storage, Int(presence.index)) }
    }
    return result
  }

  private static func parents(_ type: EntityType, _ catalog: Catalog) -> (parents: [Int?], required: [Int]) {
    var parents = [Int?](repeating: nil, count: type.columns.count)
    var required: [Int] = []
    func visit(_ storage: PropertyStorage, _ parent: Int?, isNonNull: Bool) {
      switch storage {
      case .column(let column, _), .embedded(_, let column, _):
        parents[Int(column.index)] = parent
        if isNonNull, parent != nil { required.append(Int(column.index)) }
      case .relation, .members, .computed: break
      }
      guard case .embedded(let id, let presence, let fields) = storage else { return }
      for (field, storage) in zip(catalog[id].fields, fields) {
        visit(storage, Int(presence.index), isNonNull: field.signature.isNonNull)
      }
    }
    for property in type.properties { visit(property.storage, nil, isNonNull: property.signature.isNonNull) }
    return (parents, required)
  }

  private static func hasDefaults(_ type: EntityType, _ catalog: Catalog) -> [Bool] {
    var result = [Bool](repeating: false, count: type.columns.count)
    func visit(_ storage: PropertyStorage, _ value: DefaultValue?) {
      switch storage {
      case .column(let column, _): result[Int(column.index)] = value != nil
      case .embedded(let id, _, let fields):
        for (field, storage) in zip(catalog[id].fields, fields) { visit(storage, field.defaultValue) }
      case .relation, .members, .computed: break
      }
    }
    for property in type.properties { visit(property.storage, property.defaultValue) }
    return result
  }

  /// Returns whether records that do not name a column's field have a default there.
  package func hasDefault(_ column: Int) -> Bool { hasDefaults[column] }

  private static func refusesNullElements(_ type: EntityType, _ catalog: Catalog) -> [Bool] {
    var result = [Bool](repeating: false, count: type.columns.count)
    func visit(_ storage: PropertyStorage, _ signature: TypeSignature) {
      switch storage {
      case .column(let column, _): result[Int(column.index)] = signature.isElementNonNull
      case .embedded(let id, _, let fields):
        for (field, storage) in zip(catalog[id].fields, fields) { visit(storage, field.signature) }
      case .relation, .members, .computed: break
      }
    }
    for property in type.properties { visit(property.storage, property.signature) }
    return result
  }

  /// Returns the property of a name.
  ///
  /// - Parameter hint: Where it most likely is.
  package func property(_ name: Text, near hint: Int) -> Property? {
    if hint < propertyNames.count, propertyNames[hint] == name { return properties[hint] }
    return propertyNames.firstIndex(of: name).map { properties[$0] }
  }

  /// Returns the name of a relation's field, `contact.person` inside an embedded object.
  package func name(of relation: Relation) -> String { columns[Int(relation.column.index)].name }
}

/// The layouts of all types of a catalog.
package final class EntityLayouts: Sendable {
  package let catalog: Catalog
  private let layouts: [EntityLayout]
  private let areAbstract: [Bool]

  package init(_ catalog: Catalog) {
    self.catalog = catalog
    layouts = zip(catalog.types, catalog.relationsOfType).map { EntityLayout($0, $1, catalog: catalog) }
    areAbstract = layouts.map(\.isAbstract)
  }

  /// Returns whether a type is an interface or union. To get the layout would count a reference to it.
  package func isAbstract(_ type: EntityTypeID) -> Bool { areAbstract[Int(type.index)] }

  package subscript(_ type: EntityTypeID) -> EntityLayout { layouts[Int(type.index)] }
  package subscript(_ type: Int) -> EntityLayout { layouts[type] }
}

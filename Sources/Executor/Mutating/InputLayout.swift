import GQLBase
import GQLCatalog
import GQLStore

/// What saving an entity of one type needs to know. Immutable.
final class InputLayout: Sendable {
  enum Default: Sendable {
    case cell(Cell)
    /// The instant of the run.
    case now
  }
  let type: EntityTypeID
  let name: String
  let columns: [ColumnDescriptor]
  /// Columns that take values: neither links nor folded text nor what the store fills itself.
  let isStored: [Bool]
  /// The columns of the primary key.
  let keyColumns: [Int]
  let isKey: [Bool]
  let primaryIndex: IndexID
  let defaults: [(column: Int, value: Default)]
  /// The column that says whether the embedded object is there in which a column lies; that of the outermost.
  let presence: [Int?]
  /// The columns of unique indexes that have several.
  let compoundKeys: [[Int]]
  /// Columns that must have a value.
  let required: [Int]
  /// Whether a column holds lists without nulls.
  let refusesNullElements: [Bool]
  /// To-one relations that must have a target.
  let requiredRelations: [Relation]
  /// Whether rows have no keys: they are elements of lists of embedded objects.
  let isElement: Bool
  /// Whether rows stand for entities of other types: an interface or union.
  let isAbstract: Bool
  /// The relations that the type has a field for, itself or in an embedded object.
  let namedRelations: [Relation]
  /// Of these lists of embedded objects, and relations inside embedded objects, which are parts of the entity's value.
  let ownedRelations: [Relation]
  /// The hash indexes that may have many rows under one key.
  let postingIndexes: [IndexID]
  let properties: [Property]
  private let propertyNames: [Text]
  /// Owns the memory of defaults.
  private let pool = CellPool()

  /// `relations` are those whose source the type is.
  init(_ type: EntityType, _ relations: [Relation], catalog: Catalog) {
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
    presence = Self.presence(type, catalog)
    compoundKeys = type.indexes.filter { catalog[$0].isUnique && catalog[$0].columns.count > 1 }.map {
      catalog[$0].columns.map { Int((type[$0].foldedFrom ?? $0).index) }
    }
    required = type.columns.indices.filter { isStored[$0] && type.columns[$0].isNonNull }
    refusesNullElements = Self.refusesNullElements(type, catalog)
    let namedRelations = relations.filter { $0.property != nil }
    self.namedRelations = namedRelations
    requiredRelations = namedRelations.filter { $0.isRequired && !$0.isToMany && $0.presence == nil }
    isElement = type.isElement
    isAbstract = type.isAbstract
    ownedRelations = namedRelations.filter { $0.presence != nil || catalog[$0.target].isElement }
    postingIndexes = type.indexes.filter {
      catalog[$0].kind == .hash && !catalog[$0].isUnique && !catalog[$0].isPrimary
    }
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

  /// The property of a name; `hint` is where it most likely is.
  func property(_ name: Text, near hint: Int) -> Property? {
    if hint < propertyNames.count, propertyNames[hint] == name { return properties[hint] }
    return propertyNames.firstIndex(of: name).map { properties[$0] }
  }

  /// The name of a relation's field, `contact.person` inside an embedded object.
  func name(of relation: Relation) -> String { columns[Int(relation.column.index)].name }
}

/// The layouts of all types of a catalog.
package final class InputLayouts: Sendable {
  let catalog: Catalog
  private let layouts: [InputLayout]

  package init(_ catalog: Catalog) {
    self.catalog = catalog
    layouts = zip(catalog.types, catalog.relationsOfType).map { InputLayout($0, $1, catalog: catalog) }
  }

  subscript(_ type: EntityTypeID) -> InputLayout { layouts[Int(type.index)] }
}

extension PropertyStorage {
  /// The columns of values, those inside embedded objects included.
  var columns: [ColumnID] {
    switch self {
    case .column(let column, _): [column]
    case .embedded(_, let presence, let fields): [presence] + fields.flatMap(\.columns)
    case .relation, .members, .computed: []
    }
  }
}

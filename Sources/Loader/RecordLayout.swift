import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// A compiled form of an entity type for the loader: the meaning of the keys of its records.
///
/// A class, as its slots are: each record and each value looks at one.
final class RecordLayout {
  /// A place that a value of a record goes to.
  indirect enum Target {
    case scalar(ScalarType, column: Int)
    case enumeration(names: [Text], column: Int)
    case list(element: Target, isWide: Bool, column: Int, elementNonNull: Bool)
    /// An embedded object: its presence column, and its fields.
    case embedded(presence: Int, fields: [Slot])
    case relation(RelationID, target: EntityTypeID, isToMany: Bool)
    case json(column: Int)
    /// A list of lists, stored as JSON: the innermost elements, and for each level from without whether its elements
    /// are non-null.
    case nested(element: Target, nonNull: [Bool], column: Int)
    /// Not given by data.
    case computed

    /// Holds the column of values, if they have one of their own.
    var column: Int? {
      switch self {
      case .scalar(_, let column), .enumeration(_, let column), .json(let column), .list(_, _, let column, _),
        .nested(_, _, let column):
        column
      case .embedded, .relation, .computed: nil
      }
    }
  }

  final class Slot {
    let name: Text
    /// Holds the type and the names that lead to the slot, for messages: `Item.address.city`.
    let path: String
    /// Holds the name that data gives: `@source(name:)`, or the field's own.
    let source: Text
    /// Holds the next slot of the same source: one value may be read into several fields.
    fileprivate(set) var next: Int?
    /// Indicates whether a slot before it has the same source.
    fileprivate(set) var isFollower = false
    /// Holds the type as people write it, for messages.
    let typeName: String
    let target: Target
    fileprivate(set) var isNonNull: Bool
    /// Indicates whether numbers and truth values are texts as they are written.
    fileprivate(set) var isMixed = false
    let defaultValue: DefaultValue?
    /// Holds the column of its values and the cell of its default, where that is a value.
    let defaultCell: (column: Int, cell: Cell)?
    /// Owns what the cell points to.
    private let pool = CellPool()
    /// For a relation: whether the data of the target's type may give its links too.
    let hasOtherSide: Bool
    /// Holds the bytes of ``source``.
    private let key: UnsafeMutableBufferPointer<UInt8>

    fileprivate init(
      name: String, owner: String, source: String, _ signature: TypeSignature, typeName: String, target: Target,
      defaultValue: DefaultValue?, hasOtherSide: Bool
    ) {
      self.name = Text(name)
      path = "\(owner).\(name)"
      self.source = Text(source)
      self.typeName = typeName
      self.target = target
      isNonNull = signature.isNonNull
      self.defaultValue = defaultValue
      self.hasOtherSide = hasOtherSide
      if case .value(let value)? = defaultValue, let column = target.column,
        let cell = pool.cell(value, signature.type)
      {
        defaultCell = (column, cell)
      } else {
        defaultCell = nil
      }
      key = .allocate(capacity: self.source.count)
      _ = key.initialize(from: self.source.bytes)
    }

    deinit { key.deallocate() }

    /// Returns whether a key of data is the slot's source.
    @inline(__always)
    func isNamed(_ other: JSONText) -> Bool {
      guard other.count == key.count else { return false }
      for index in 0..<key.count where key[index] != other.start[index] { return false }
      return true
    }
  }

  let type: EntityTypeID
  let name: String
  let slots: [Slot]
  let columnCount: Int
  /// Holds the columns of the primary key.
  let keyColumns: [Int]
  /// For a key of one column: how a link to this type is read.
  let keyTarget: Target
  /// An interface or union: its records say their types.
  let isAbstract: Bool
  /// Indicates whether records of their own may be of this type.
  let isEntity: Bool
  /// Indicates whether records without an id are numbered.
  let numbersRows: Bool
  /// Of an interface or union.
  let members: [EntityTypeID]

  init(_ type: EntityType, _ entity: EntityLayout, catalog: Catalog) {
    self.type = type.id
    name = type.name
    columnCount = entity.columnCount
    isAbstract = entity.isAbstract
    isEntity = entity.isEntity
    numbersRows = entity.numbersRows
    members = entity.members
    slots =
      type.isAbstract
      ? []
      : Self.chained(
        type.properties.map { property in
          let slot = Self.slot(
            name: property.name, owner: type.name, source: property.source, signature: property.signature,
            storage: property.storage,
            defaultValue: property.defaultValue, catalog: catalog)
          if type.numbersRows, type.idProperties == [property.id] { slot.isNonNull = false }
          slot.isMixed = property.isMixed
          return slot
        })
    keyColumns = entity.keyColumns
    // A link to an interface or union is read as an ID, and looked up in each of its types.
    keyTarget =
      keyColumns.first.map { Self.target(type.columns[$0].type, column: $0, catalog: catalog) }
      ?? .scalar(.id, column: 0)
  }

  /// Returns whether CSV can be read column by column into an embedded object: no field of it has a value where the
  /// data names none.
  static func isPlain(_ slot: Slot) -> Bool {
    guard slot.defaultValue == nil else { return false }
    return switch slot.target {
    case .scalar, .enumeration, .json, .nested: true
    case .list: !slot.isNonNull
    case .embedded(_, let fields): fields.allSatisfy(isPlain)
    case .relation, .computed: false
    }
  }

  /// Leads from each slot to the next of the same source.
  private static func chained(_ slots: [Slot]) -> [Slot] {
    var last: [Text: Int] = [:]
    for index in slots.indices {
      if let before = last.updateValue(index, forKey: slots[index].source) {
        slots[before].next = index
        slots[index].isFollower = true
      }
    }
    return slots
  }

  private static func slot(
    name: String, owner: String, source: String?, signature: TypeSignature, storage: PropertyStorage,
    defaultValue: DefaultValue?,
    catalog: Catalog
  ) -> Slot {
    let target: Target
    var hasOtherSide = false
    switch storage {
    case .column(let column, folded: _):
      if case .list(let element) = signature.type {
        if case .list = element {
          target = .nested(
            element: Self.target(element.innermost, column: 0, catalog: catalog),
            nonNull: [signature.isElementNonNull] + signature.innerNonNull, column: Int(column.index))
        } else {
          target = .list(
            element: Self.target(element, column: 0, catalog: catalog), isWide: ColumnKind(signature.type) == .wideList,
            column: Int(column.index), elementNonNull: signature.isElementNonNull)
        }
      } else {
        target = Self.target(signature.type, column: Int(column.index), catalog: catalog)
      }
    case .embedded(let id, presence: let presence, fields: let storages):
      let fields = zip(catalog[id].fields, storages).map { field, storage in
        let slot = slot(
          name: field.name, owner: "\(owner).\(name)", source: field.source, signature: field.signature,
          storage: storage,
          defaultValue: field.defaultValue, catalog: catalog)
        slot.isMixed = field.isMixed
        return slot
      }
      target = .embedded(presence: Int(presence.index), fields: chained(fields))
    case .relation(let id):
      target = .relation(id, target: catalog[id].target, isToMany: catalog[id].isToMany)
      hasOtherSide = catalog[catalog[id].inverse].property != nil
    case .members, .computed: target = .computed
    }
    return Slot(
      name: name, owner: owner, source: source ?? name, signature, typeName: describe(signature.type, catalog),
      target: target,
      defaultValue: defaultValue, hasOtherSide: hasOtherSide)
  }

  private static func target(_ type: ValueType, column: Int, catalog: Catalog) -> Target {
    switch type {
    case .scalar(let scalar): .scalar(scalar, column: column)
    case .enumeration(let id): .enumeration(names: catalog[id].values.map { Text($0) }, column: column)
    default: .json(column: column)
    }
  }

  /// A type as people write it, without `!`.
  static func describe(_ type: ValueType, _ catalog: Catalog) -> String {
    switch type {
    case .scalar(let scalar): scalar.rawValue
    case .enumeration(let id): catalog[id].name
    case .list(let element): "[\(describe(element, catalog))]"
    case .embedded(let id): catalog[id].name
    case .entity(let id): catalog[id].name
    case .null: "null"
    }
  }
}

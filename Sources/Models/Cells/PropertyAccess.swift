import GQLCatalog
import GQLStore
import GQLWriting

/// A stored property of an entity type by itself: where it lies, and how its cell becomes a value.
///
/// Unchecked because key paths of properties are immutable.
package final class PropertyAccess<Entity: EntityModelProtocol, Value>: @unchecked Sendable {
  package let path: KeyPath<Entity, Value>
  let attribute: Int?
  /// Nil where a value is read with its whole entity only.
  let codec: ValueCodec<Value>?
  /// A reference to ``codec`` that is not counted: counting would take as long as to read a cell.
  private let reading: Unmanaged<ValueCodec<Value>>?
  /// Indicates whether reading a cell calls no code of the program.
  package let isBuiltIn: Bool

  /// Indicates whether it is read with its whole entity only.
  package var isWhole: Bool { codec == nil }

  package init(_ path: KeyPath<Entity, Value>) {
    self.path = path
    let info = EntityInfo<Entity>.shared
    guard let key = info.key(path), key.attribute < info.propertyCount else {
      (attribute, codec, reading, isBuiltIn) = (nil, nil, nil, false)
      return
    }
    attribute = key.attribute
    let known = info.attributes[key.attribute]
    // What is described with its type lies in the column that this type says.
    let found = known.shape == nil ? nil : known.codec ?? ValueCodec<Value>.make()
    let codec = found as? ValueCodec<Value>
    let fitting = codec?.shape == known.shape ? codec : nil
    self.codec = fitting
    reading = fitting.map { Unmanaged.passUnretained($0) }
    isBuiltIn = codec is any PlainCodec
  }

  /// Returns the value of a cell.
  ///
  /// - Throws: where it is none of the type.
  package func value(of found: CellPlace.Found) throws -> Value {
    guard let reading else { throw ModelError.unreadable("\(Value.self) has no column") }
    return try reading._withUnsafeGuaranteedRef { try $0.read(found.cell) }
  }

  /// Calls with the cell of a value, valid within the call, if there is one.
  ///
  /// - Throws: where no column can hold the value, and what `body` throws.
  package func withCell(of value: Value, _ body: (Cell?) throws -> Int64?) throws -> Int64? {
    guard let codec else { return nil }
    let memory = StagingArena()
    var slot = _ColumnSlot(memory)
    try codec.write(value, into: &slot)
    return try withExtendedLifetime(memory) { try body(slot.cell) }
  }
}

/// Returns the name of the property or relation that a key path of an entity type leads to.
package func propertyName<Entity: EntityModelProtocol>(of path: AnyKeyPath, in type: Entity.Type) -> String? {
  EntityInfo<Entity>.shared.name(path)
}

/// The key of an entity, as stores compare keys.
///
/// Unchecked because it is never written to.
package final class EntityKey: @unchecked Sendable {
  /// Holds the memory that the cell points to.
  private let memory: StagingArena
  let cell: Cell
  private let storage: UnsafeMutablePointer<Cell>

  fileprivate init<ID>(_ id: ID, _ codec: ValueCodec<ID>) throws {
    memory = StagingArena()
    var slot = _ColumnSlot(memory)
    try codec.write(id, into: &slot)
    cell = slot.cell ?? Cell(low: 0)
    storage = .allocate(capacity: 1)
    storage.initialize(to: cell)
  }

  deinit { storage.deallocate() }

  var pointer: UnsafePointer<Cell> { UnsafePointer(storage) }
}

/// Where an entity lies.
package enum EntityPlace: Hashable, Sendable {
  case live(UInt32)
  /// It is deleted, and kept.
  case deleted(UInt32)
  case nowhere
}

/// A table of an entity type in a catalog, for reading and writing single properties.
package final class EntityTable<Entity: EntityModelProtocol>: Sendable {
  private let mapping: TypeMapping<Entity>
  private let schema: ModelSchema
  package let catalog: Catalog
  /// The numbers of the types of the elements of lists that the entities have, and of lists in these.
  package let elementTypes: [Int]

  /// Nil where the data have no such type.
  ///
  /// - Throws: ``ModelError/invalidSchema(_:)`` where the data's type does not fit.
  package init?(_ context: Context) throws {
    guard let snapshot = context.storage.current, let (schema, mapping) = try context.storage.find(Entity.self) else {
      return nil
    }
    (self.schema, self.mapping) = (schema, mapping)
    catalog = snapshot.catalog
    elementTypes = schema.catalog.elementTypes(of: mapping.type).map { Int($0.index) }
  }

  package var type: EntityTypeID { mapping.type }

  /// The key of an id.
  package func key(_ id: Entity.ID) throws -> EntityKey { try EntityKey(id, mapping.info.idCodec) }

  private var rows: KeyedRows { KeyedRows(type: type, column: mapping.idColumn, kind: mapping.idKind) }

  /// Finds an entity.
  ///
  /// - Parameter row: Where it was last.
  package func find(_ key: EntityKey, near row: UInt32, in snapshot: Snapshot) -> EntityPlace {
    rows.find(key, near: row, in: snapshot)
  }

  /// Returns the place of a property; nil where it is read with its whole entity only.
  package func place<Value>(of property: PropertyAccess<Entity, Value>) -> CellPlace? {
    guard let attribute = property.attribute, property.codec != nil else { return nil }
    let place = mapping.layout.places[attribute]
    if place.column < 0 || mapping.layout.object(attribute) != nil { return nil }
    return CellPlace(rows, place, plainColumn: plainColumn(property), in: catalog)
  }

  // MARK: - Reading

  /// Returns the entity of a row, live or deleted.
  package func entity(_ row: UInt32, in context: Context) throws -> Entity? {
    guard let snapshot = context.storage.current else { return nil }
    return try mapping.entity(row, snapshot, context.storage.opaques(of: type))
  }

  /// Returns the entity that a change found, of which all columns are among the changes.
  package func entity(before change: borrowing RowChange) -> Entity? {
    let count = mapping.layout.columnCount
    var cells = [Cell](repeating: Cell(low: 0), count: count)
    var valid = [Bool](repeating: false, count: count)
    for field in change.fields where field.column < count {
      guard let cell = field.before else { continue }
      (cells[field.column], valid[field.column]) = (cell, true)
    }
    return cells.withUnsafeBufferPointer { cells in
      valid.withUnsafeBufferPointer { valid in
        guard let cells = cells.baseAddress, let valid = valid.baseAddress else { return nil }
        var reader = EntityReader<Entity>(mapping.layout, EntitySource(cells, valid, nil, nil))
        return try? Entity(from: &reader)
      }
    }
  }

  /// Returns the columns in which a property lies, and whether these are all that there is of it.
  package func columns(of path: AnyKeyPath) -> (columns: [Int], isAll: Bool) {
    if let relation = mapping.info.relation(value: path), let stored = mapping.relations[relation] {
      return ([Int(stored.column.index)], true)
    }
    guard let attribute = mapping.info.key(path)?.attribute, attribute < mapping.info.propertyCount,
      mapping.layout.places[attribute].column >= 0
    else { return ([], false) }
    return ([Int(mapping.layout.places[attribute].column)], mapping.layout.object(attribute) == nil)
  }

  // MARK: - Relations

  /// Returns the place of a relation by the key path of its property.
  package func relation(_ path: AnyKeyPath) -> Int? {
    mapping.info.relation(value: path).flatMap { mapping.relations[$0] == nil ? nil : $0 }
  }

  /// Returns the ids of a relation's targets, in order.
  package func targets<Target: EntityModelProtocol>(
    _ relation: Int, _ row: UInt32, of type: Target.Type, in snapshot: Snapshot
  ) throws -> [Target.ID] {
    guard let stored = mapping.relations[relation] else { return [] }
    let target = schema.byNumber[Int(stored.target.index)]
    let column = snapshot.column(stored.target, ColumnID(target.idColumn))
    return try snapshot.targets(stored, row).withUnsafeBufferPointer { rows in
      try RelationIDs(rows: rows, column: column, kind: target.idKind).read(EntityInfo<Target>.shared.idCodec)
    }
  }

  // MARK: - Writing

  /// Returns the column whose cell is all that changes where the property does; nil where saving the entity may do more.
  private func plainColumn<Value>(_ property: PropertyAccess<Entity, Value>) -> ColumnID? {
    guard let attribute = property.attribute, property.codec != nil, property.isBuiltIn,
      attribute != mapping.info.idAttribute, mapping.hooks.savesQuietly, !mapping.runsHooks, mapping.derived.isEmpty,
      let column = mapping.columns[attribute], mapping.layout.isPlain(attribute), !mapping.hasOtherTypes,
      mapping.layout.object(attribute) == nil, !mapping.layout.places[attribute].isInstant,
      !mapping.uniques.contains(where: { $0.columns.contains(Int(column.id.index)) }), !column.isList
    else { return nil }
    let catalog = schema.catalog
    let written = catalog[type].columns.filter { $0.id == column.id || $0.foldedFrom == column.id }.map(\.id)
    for index in catalog[type].indexes where catalog[index].columns.contains(where: written.contains) {
      guard case .byEntry = catalog[index].kind.facts.upkeep, !catalog[index].isUnique else { return nil }
    }
    return column.id
  }

  /// Returns the error of what the store refuses, in the words of the models.
  package func error(_ problem: StoreProblem, in snapshot: Snapshot) -> any Error {
    mapping.error(problem, in: snapshot.catalog, snapshot)
  }
}

extension ColumnDescriptor {
  fileprivate var isList: Bool { if case .list = type { true } else { false } }
}

extension Catalog {
  /// The types of the elements of lists that entities of a type have, and of lists in these.
  fileprivate func elementTypes(of type: EntityTypeID) -> [EntityTypeID] {
    var found: [EntityTypeID] = []
    var next = [type]
    while let source = next.popLast() {
      for relation in relations
      where relation.source == source && self[relation.target].isElement && !found.contains(relation.target) {
        found.append(relation.target)
        next.append(relation.target)
      }
    }
    return found
  }
}

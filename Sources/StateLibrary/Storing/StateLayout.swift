import GQLCatalog
import GQLEngine
import GQLModels
import GQLStore

/// The places of models and properties in the data of one catalog, by their numbers.
struct StateLayout: Sendable {
  struct Column: Sendable {
    var id: ColumnID
    var name: String
    var type: ValueType
    var isNonNull: Bool
    /// Nil where writing a value may take long.
    var point: PointColumn?
  }

  let version: UInt64
  private(set) var tables: [ModelKey: StateTable]

  init(_ catalog: Catalog) {
    version = catalog.version
    var tables: [ModelKey: StateTable] = [:]
    for type in catalog.types {
      guard let number = type.identity.number, let table = StateTable(type, catalog) else { continue }
      tables[Int(number)] = table
    }
    self.tables = tables
  }

  /// Returns the layout without some types.
  func without(_ types: Set<EntityTypeID>) -> StateLayout {
    if types.isEmpty { return self }
    var result = self
    result.tables = tables.filter { !types.contains($0.value.type) }
    return result
  }
}

/// The place of a model.
final class StateTable: Sendable {
  /// The field of what an entity's nulls do not say; see ``hasMark(_:_:in:)``.
  static let marksName = "stateMarks"
  /// The mark of an instance that was never created.
  static let ghost: PropertyKey = 0

  let type: EntityTypeID
  let name: String
  let id: ColumnID
  let columns: [PropertyKey: StateLayout.Column]
  let marks: ColumnID?
  let updated: ColumnID?
  let columnCount: Int
  /// Indicates whether old values are kept.
  let hasHistory: Bool
  /// A field without which no instance can be.
  let required: String?
  private let marksCodec: CellCodec<[Int]>

  /// Fails for a type whose entities are not told apart by a number.
  init?(_ type: EntityType, _ catalog: Catalog) {
    guard case .entity = type.kind, type.idProperties.count == 1, let codec = CellCodec<[Int]>(),
      let idProperty = type.idProperties.first, case .column(let id, _) = type[idProperty].storage,
      type[id].type == .scalar(.int)
    else { return nil }
    var columns: [PropertyKey: StateLayout.Column] = [:]
    var marks: ColumnID?
    var required: String?
    for property in type.properties where property.id != idProperty {
      guard case .column(let column, _) = property.storage else { continue }
      let descriptor = type[column]
      if descriptor.isNonNull { required = required ?? property.name }
      if let number = property.identity.number {
        columns[Int(number)] = StateLayout.Column(
          id: column, name: property.name, type: descriptor.type, isNonNull: descriptor.isNonNull,
          point: PointColumn(type.id, column, in: catalog))
      } else if property.name == Self.marksName, descriptor.type == codec.type {
        marks = column
      }
    }
    (self.type, name, self.id, self.columns, self.marks) = (type.id, type.name, id, columns, marks)
    (updated, columnCount, self.required, marksCodec) = (type.updatedColumn, type.columns.count, required, codec)
    hasHistory = type.history != nil
  }

  // MARK: - Reading

  @inline(__always)
  func find(_ instance: InstanceKey, in tables: some StoreTables) -> EntityPlace {
    let key = Cell(Int64(instance))
    return withUnsafePointer(to: key) { key in
      if let row = tables.findRow(type, key: key) { return .live(row) }
      return tables.deletedRow(type, key: key).map { .deleted($0) } ?? .nowhere
    }
  }

  /// Returns the number of a row's instance.
  @inline(__always)
  func instance(_ row: UInt32, in tables: some StoreTables) -> InstanceKey {
    Int(truncatingIfNeeded: tables.readers(type)[Int(id.index)].cell(row, kind: .int64).int)
  }

  func status(_ instance: InstanceKey, in tables: some StoreTables) -> InstanceStatus? {
    switch find(instance, in: tables) {
    case .live: .created
    case .deleted(let row): hasMark(Self.ghost, row, in: tables) ? nil : .deleted
    case .nowhere: nil
    }
  }

  /// Returns the value of a property; nil where it has none, or one of another type.
  @inline(__always)
  func read<Value>(
    _ instance: InstanceKey, _ property: PropertyKey, _ codec: CellCodec<Value>, in tables: some StoreTables
  ) -> Value? {
    guard let column = columns[property], column.type == codec.type else { return nil }
    switch find(instance, in: tables) {
    case .live(let row), .deleted(let row):
      if let value = try? codec.read(column.id, row, in: tables.readers(type)) { return value }
      guard let null = codec.null, tables.readers(type)[Int(column.id.index)].isNull(row) else { return nil }
      return hasMark(property, row, in: tables) ? null : nil
    case .nowhere: return nil
    }
  }

  /// Returns whether an instance was never created, or a property was set to nil: their nulls say neither.
  func hasMark(_ mark: PropertyKey, _ row: UInt32, in tables: some StoreTables) -> Bool {
    marks(row, in: tables).contains(mark)
  }

  func marks(_ row: UInt32, in tables: some StoreTables) -> [PropertyKey] {
    guard let marks else { return [] }
    return ((try? marksCodec.read(marks, row, in: tables.readers(type))) ?? nil) ?? []
  }

  /// Returns the instances that were created, in that order, and what became of them.
  func instances(in snapshot: Snapshot) -> [(id: InstanceKey, status: InstanceStatus)] {
    var found: [(id: InstanceKey, status: InstanceStatus)] = []
    found.reserveCapacity(snapshot.liveCount(type) + snapshot.deletedCount(type))
    for row in 0..<UInt32(snapshot.slotCount(type)) {
      if snapshot.isLive(type, row) {
        found.append((instance(row, in: snapshot), .created))
      } else if snapshot.isDeleted(type, row), !hasMark(Self.ghost, row, in: snapshot) {
        found.append((instance(row, in: snapshot), .deleted))
      }
    }
    return found
  }
}

/// The values of one version.
struct StateSnapshot: Sendable {
  let snapshot: Snapshot
  let layout: StateLayout

  /// - Parameter types: Those whose values are not to be seen.
  init(_ snapshot: Snapshot, without types: Set<EntityTypeID> = []) {
    (self.snapshot, layout) = (snapshot, StateLayout(snapshot.catalog).without(types))
  }

  func get<Value: DatabaseValue>(_ path: Path) -> Value? {
    guard let table = layout.tables[path.model] else { return nil }
    if path.property == .instanceId { return table.status(path.instance, in: snapshot) as? Value }
    guard let codec = CodecCache.codec(of: Value.self) else { return nil }
    return table.read(path.instance, path.property, codec, in: snapshot)
  }

  func all<T>(model: ModelKey, where predicate: (InstanceKey, InstanceStatus) -> T?) -> [T] {
    guard let table = layout.tables[model] else { return [] }
    return table.instances(in: snapshot).compactMap { predicate($0.id, $0.status) }
  }
}

/// The codecs that the process has met.
enum CodecCache {
  private static let known = Guarded<[ObjectIdentifier: AnyObject]>([:])

  static func codec<Value: DatabaseValue>(of type: Value.Type) -> CellCodec<Value>? {
    let key = ObjectIdentifier(type)
    if let found = known.withLock({ $0[key] }) { return found as? CellCodec<Value> }
    guard let made = CellCodec<Value>() else { return nil }
    known.withLock { $0[key] = made }
    return made
  }
}

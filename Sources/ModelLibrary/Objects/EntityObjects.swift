import GQLEngine
import GQLModels
import GQLStore
import Synchronization

/// The objects of one entity type in a database, or in a view of one: an entity has one object as long as somebody holds
/// it.
final class EntityObjects<Entity: EntityModelProtocol>: AnyEntityObjects, Sendable {
  /// References to the objects, which an object takes away when it ends.
  ///
  /// Unchecked because they are under its lock.
  private struct Registry: @unchecked Sendable {
    var byID: [Entity.ID: UnownedReference<LiveEntity<Entity>>] = [:]
    /// Of those that were found, by the row that each has noted.
    var byRow: [UInt32: UnownedReference<LiveEntity<Entity>>] = [:]
    /// Of those that nothing was found of.
    var gone: [Entity.ID: UnownedReference<LiveEntity<Entity>>] = [:]

    /// Takes all references to an object away, whatever its id says of being equal to itself.
    mutating func remove(_ object: LiveEntity<Entity>) {
      Self.remove(object, from: &byID)
      if object.places.isGone { Self.remove(object, from: &gone) }
      for row in object.places.rows where byRow[row]?.leads(to: object) ?? false { byRow[row] = nil }
    }

    private static func remove(
      _ object: LiveEntity<Entity>, from references: inout [Entity.ID: UnownedReference<LiveEntity<Entity>>]
    ) {
      if references[object.id]?.leads(to: object) ?? false {
        references[object.id] = nil
      } else {
        references = references.filter { !$0.value.leads(to: object) }
      }
    }
  }

  let database: Database
  /// Nil for the newest version.
  let view: DatabaseView?
  let shared: LiveObjects
  let properties = PropertyTable<Entity>()
  // These two are there as long as this one. Each read of a property looks at them, and counting references to them would
  // take longer than to read a cell.
  private let batches: Unmanaged<CurrentBatch>
  private let paths: Unmanaged<PropertyTable<Entity>>
  let observed = ObservedParts<Entity>()
  private let access: CellAccess
  private let registry = Guarded(Registry())
  /// A table of the type in a catalog, nil for none, and the version of the catalog.
  private struct Known {
    var table: EntityTable<Entity>?
    var version: UInt64 = 0
  }
  /// Of the newest catalog that was seen.
  private let known = Guarded(Known())
  private let newestVersion = Atomic<UInt64>(0)

  init(_ database: Database, view: DatabaseView? = nil, shared: LiveObjects) {
    self.database = database
    self.view = view
    self.shared = shared
    batches = Unmanaged.passUnretained(shared.batches)
    paths = Unmanaged.passUnretained(properties)
    access = CellAccess(database)
  }

  /// The entities as they are now, with what the thread's batch has written.
  ///
  /// While the batch writes, code of the program that it calls sees what was committed before.
  var context: Context { view?.entities ?? shared.batch?.context ?? database.entities }

  /// Indicates whether the thread is within a batch.
  @inline(__always)
  var isWithinBatch: Bool { batches._withUnsafeGuaranteedRef { $0.batch != nil } }

  /// Returns the property of a key path, to which no reference is counted: it is there as long as this is.
  @inline(__always)
  func property<Value>(_ path: KeyPath<Entity, Value>) -> Unmanaged<LiveProperty<Entity, Value>> {
    paths._withUnsafeGuaranteedRef { $0.reference(path) }
  }

  // MARK: - Tables

  /// Returns the table of the type in the newest catalog; nil where it has none.
  func table(_ context: Context) throws -> EntityTable<Entity>? {
    let version = context.storage.current?.catalog.version ?? 0
    if let known = table(of: version) { return known }
    let made = try EntityTable<Entity>(context)
    return note(made, version)
  }

  /// Notes the table of a catalog, which is returned, or the one that was noted before.
  @discardableResult
  private func note(_ table: EntityTable<Entity>?, _ version: UInt64) -> EntityTable<Entity>? {
    known.withLock { known in
      if version == known.version, let found = known.table { return found }
      if version >= known.version {
        known = Known(table: table, version: version)
        newestVersion.store(version, ordering: .relaxed)
      }
      return table
    }
  }

  /// Returns the table of the type in the newest catalog that was seen.
  private var newestTable: EntityTable<Entity>? { known.withLock { $0.table } }

  private func table(of version: UInt64) -> EntityTable<Entity>? {
    known.withLock { $0.version == version ? $0.table : nil }
  }

  /// Returns where a property lies in a catalog; nil where it is read with its whole entity, or the catalog is not known.
  private func place<Value>(of property: LiveProperty<Entity, Value>, in version: UInt64) -> PropertyPlace? {
    property.places.place(in: version) ?? makePlace(of: property, in: version)
  }

  @inline(never)
  private func makePlace<Value>(of property: LiveProperty<Entity, Value>, in version: UInt64) -> PropertyPlace? {
    guard let table = table(of: version), let cells = table.place(of: property.access) else { return nil }
    let place = PropertyPlace(cells, in: table.catalog)
    property.places.note(place)
    return place
  }

  // MARK: - Objects

  /// Returns the object of an entity that was just read.
  func object(_ entity: Entity) throws -> LiveEntity<Entity> {
    let id = entity.id
    if view == nil, let found = registry.withLock({ $0.byID[id]?.object }) { return found }
    guard let table = try table(context) else { throw ModelError.unknownType("\(Entity.self)") }
    let made = LiveEntity(entity, try table.key(id), self)
    if view != nil { return made }
    // Before others can find it, so that what they observe is watched.
    shared.count(1, database)
    let kept = registry.withLock { registry -> LiveEntity<Entity> in
      if let found = registry.byID[id]?.object { return found }
      registry.byID[id] = UnownedReference(made)
      made.register()
      return made
    }
    if kept !== made { shared.count(-1, database) }
    // So that it is told of changes though nobody has read a property.
    _ = try place(kept)
    return kept
  }

  /// Notes where an object was found.
  func move(_ object: LiveEntity<Entity>, to row: UInt32) {
    if view != nil { return object.note(row) }
    registry.withLock { registry in
      object.note(row)
      // Who reads an older version may have found it in another row.
      if !object.places.rows.contains(row) {
        if object.places.rows.count >= ObjectPlaces.mostRows {
          let first = object.places.rows.removeFirst()
          if registry.byRow[first]?.leads(to: object) ?? false { registry.byRow[first] = nil }
        }
        object.places.rows.append(row)
      }
      registry.byRow[row] = UnownedReference(object)
    }
  }

  /// Takes an object out that ends, before its memory is freed.
  func end(_ object: LiveEntity<Entity>) {
    registry.withLock { $0.remove(object) }
    shared.count(-1, database)
  }

  /// Notes that nothing was found of an object's entity.
  private func noteGone(_ object: LiveEntity<Entity>) {
    if view != nil { return }
    registry.withLock { registry in
      object.places.isGone = true
      registry.gone[object.id] = UnownedReference(object)
    }
  }

  /// Tells the objects of which nothing was found, and something may be there again.
  private func tellGone() {
    let gone = registry.withLock { registry in
      defer { registry.gone = [:] }
      return registry.gone.values.compactMap(\.object)
    }
    for object in gone { object.tell(properties.all, withStatus: true) }
  }

  private var objects: [LiveEntity<Entity>] { registry.withLock { $0.byID.values.compactMap(\.object) } }

  // MARK: - Reading

  /// Returns the value of a property, without the whole entity being read.
  ///
  /// It throws rather than to return nil, because generic code would look the optional type up.
  ///
  /// - Throws: where it is to be read with the whole entity, or there is none.
  @inline(__always)
  func read<Value>(_ property: LiveProperty<Entity, Value>, _ object: LiveEntity<Entity>) throws -> Value {
    if let view { return try read(property, object, in: view.snapshot) }
    if property.access.isBuiltIn {
      return try access.withNewest {
        try read(property, object, in: $0)
      } open: {
        try read(property, object, in: $0)
      }
    }
    if property.access.isWhole { throw ReadWhole() }
    return try read(property, object, in: access.newest)
  }

  /// The error that a property is to be read with its entity.
  private struct ReadWhole: Error {}

  @inline(__always)
  private func read<Value>(
    _ property: LiveProperty<Entity, Value>, _ object: LiveEntity<Entity>, in snapshot: Snapshot
  ) throws -> Value {
    try value(of: property, object, in: snapshot.catalog.version) { cells in
      cells.read(object.key, near: object.row, in: snapshot)
    }
  }

  @inline(__always)
  private func read<Value>(
    _ property: LiveProperty<Entity, Value>, _ object: LiveEntity<Entity>, in transaction: WriteTransaction
  ) throws -> Value {
    try value(of: property, object, in: transaction.base.catalog.version) { cells in
      cells.read(object.key, near: object.row, in: transaction)
    }
  }

  @inline(__always)
  private func value<Value>(
    of property: LiveProperty<Entity, Value>, _ object: LiveEntity<Entity>, in catalogVersion: UInt64,
    _ read: (CellPlace) -> CellPlace.Found
  ) throws -> Value {
    let found: CellPlace.Found
    if let first = property.places.first(in: catalogVersion) {
      found = first._withUnsafeGuaranteedRef { read($0.cells) }
    } else {
      guard let place = place(of: property, in: catalogVersion) else { throw ReadWhole() }
      found = read(place.cells)
    }
    if found.row == .max { throw ReadWhole() }
    if found.row != object.row { object.move(to: found.row) }
    return try property.access.value(of: found)
  }

  /// Returns where an object's entity lies in the newest version.
  func place(_ object: LiveEntity<Entity>) throws -> (
    place: EntityPlace, snapshot: Snapshot, table: EntityTable<Entity>
  )? {
    let context = context
    guard let table = try table(context), let snapshot = context.storage.current else { return nil }
    let place = table.find(object.key, near: object.row, in: snapshot)
    if let batch = shared.batch {
      if object.row == .max { batch.followUps.append { _ = try? self.place(object) } }
      return (place, snapshot, table)
    }
    switch place {
    case .live(let row), .deleted(let row): if row != object.row { object.move(to: row) }
    case .nowhere: noteGone(object)
    }
    return (place, snapshot, table)
  }

  // MARK: - Writing

  /// Writes a property as a transaction of its own. Returns the number of the version; nil where the whole entity is to
  /// be saved, and nothing was done.
  func write<Value>(
    _ value: Value, as property: LiveProperty<Entity, Value>, _ object: LiveEntity<Entity>
  ) throws -> Int64? {
    guard property.access.isBuiltIn,
      let place = place(of: property, in: newestVersion.load(ordering: .relaxed)), let point = place.point
    else { return nil }
    do {
      return try property.access.withCell(of: value) { cell in
        if cell == nil, place.cells.isNonNull { return nil }
        return try access.replace(point, with: cell) { tables in
          let row = place.cells.liveRow(object.key, near: object.row, in: tables)
          if let row, row != object.row { object.move(to: row) }
          return row
        }
      }
    } catch let problem as StoreProblem {
      throw newestTable?.error(problem, in: access.newest) ?? problem
    }
  }

  /// Changes the entities in one transaction, or within the batch of the thread.
  ///
  /// - Throws: `read-only` in a view, and what `body` throws.
  func update<Output>(_ body: (inout Context) throws -> Output) throws -> Output {
    if view != nil { throw QueryError.readOnlyView }
    guard let batch = shared.batch else { return try database.update(body) }
    return try batch.write(body)
  }

  // MARK: - Telling

  var typeNumber: Int? { newestTable.map { Int($0.type.index) } }
  var elementTypes: [Int] { newestTable?.elementTypes ?? [] }

  func tell(_ change: borrowing RowChange, _ version: Int64?) {
    guard let table = newestTable else { return }
    let row = change.row
    if let object = registry.withLock({ $0.byRow[row]?.object }) {
      if change.isPurged, let entity = table.entity(before: change), entity.id == object.id {
        object.keep(entity)
        noteGone(object)
      }
      object.tell(change, version, table)
    }
    if change.isNew, registry.withLock({ !$0.gone.isEmpty }) { tellGone() }
  }

  func tellElements() {
    let table = newestTable
    let scattered = properties.all.filter { !(table?.columns(of: $0.keyPath).isAll ?? false) }
    if scattered.isEmpty { return }
    for object in objects { object.tell(scattered) }
  }

  func tellAll() {
    let context = database.entities
    if (try? table(context)) ?? nil == nil, let version = context.storage.current?.catalog.version {
      note(nil, version)
    }
    for object in objects { object.tell(properties.all, withStatus: true) }
  }
}

/// The parts of objects that observers know beside properties.
///
/// Made once for a type: a key path in generic code is made anew each time, which takes microseconds.
struct ObservedParts<Entity: EntityModelProtocol>: Sendable {
  let entity: KeyPath<LiveEntity<Entity>, Entity> & Sendable = \.entity
  let status: KeyPath<LiveEntity<Entity>, EntityStatus> & Sendable = \.status
  let error: KeyPath<LiveEntity<Entity>, (any Error)?> & Sendable = \.error
}

extension QueryError {
  /// The error that code which a write calls writes, too.
  static var nestedWrite: QueryError {
    QueryError(
      code: "nested-transaction", "an object is set while another is being written", help: "set it after the write")
  }

  /// The error that a view of an earlier version is not written to.
  static var readOnlyView: QueryError {
    QueryError(code: "read-only", "an object of a view is not written to", help: "take the object from the database")
  }
}

import GQLCatalog
import GQLStore

/// A store in which queries find entities: a ``Context``, or a database.
public protocol EntityStore {
  /// The entities as they are now. What is saved in it does not change the store, unless the store is a context.
  var entities: Context { get }
}

extension Context: EntityStore {
  /// The context itself.
  @inlinable public var entities: Context { self }
}

extension NestingQuery {
  /// Returns all entities that the query finds, in order.
  public func results(in store: some EntityStore) throws -> [Entity] {
    let list = asked
    guard let reading = try QueryReading<Entity>.of(store.entities) else { return [] }
    return try reading.entities(try reading.found(list), list.nested, only: list.attributes)
  }

  /// Returns the first entity; nil if there is none. The others are not read.
  public func first(in store: some EntityStore) throws -> Entity? {
    var list = asked
    list.refineToFirst()
    return try list.results(in: store).first
  }

  /// Returns the last one of ``results(in:)``; nil if there is none. The others are not read.
  public func last(in store: some EntityStore) throws -> Entity? {
    guard let reading = try QueryReading<Entity>.of(store.entities) else { return nil }
    let list = asked
    return try reading.entities(reading.rows(list).suffix(1), list.nested, only: list.attributes).first
  }

  /// Counts the entities that the query finds. None is read.
  public func count(in store: some EntityStore) throws -> Int {
    guard let reading = try QueryReading<Entity>.of(store.entities) else { return 0 }
    let list = asked
    if case .all = list.source, list.stages.isEmpty, !reading.isDeleted {
      return reading.snapshot.liveCount(reading.mapping.type)
    }
    return try reading.rows(list).count
  }

  /// Indicates whether the query finds no entity. None is read.
  public func isEmpty(in store: some EntityStore) throws -> Bool {
    guard let reading = try QueryReading<Entity>.of(store.entities) else { return true }
    var list = asked
    list.refineToFirst()
    return try reading.rows(list).isEmpty
  }

  /// Returns all entities that the query finds, read in batches when they are looked at. Later changes of the store are
  /// not seen.
  public func fetchedResults(
    in store: some EntityStore, batchSize: Int = 20
  ) throws -> FetchResultsCollection<Entity> {
    try FetchResultsCollection(asked, in: store.entities, batchSize: batchSize)
  }

  /// Returns the values of properties of all entities that the query finds, and reads nothing else: `[(String, Int)]` for
  /// a text and a number.
  public func values<each Value>(
    _ paths: repeat KeyPath<Entity, each Value>, in store: some EntityStore
  ) throws -> [(repeat each Value)] {
    guard let reading = try QueryReading<Entity>.of(store.entities) else { return [] }
    let rows = try reading.rows(asked)
    let columns = (repeat ValueReader(each paths, reading))
    return try rows.map { row in (repeat try (each columns).value(row)) }
  }

  /// Returns the first entity; if there is none, saves the new one that `make` returns.
  public func findOrCreate(in context: inout Context, _ make: () throws -> Entity) throws -> Entity {
    if let found = try first(in: context) { return found }
    return try context.atomically { context in
      let new = try make()
      try new.save(to: &context, options: .default)
      return try Query(id: new.id).entity(in: context) ?? new
    }
  }

  /// Deletes all entities that the query finds as one, so that none is kept by another, with what their relations' rules say; if
  /// it fails, nothing is changed.
  public func delete(in context: inout Context) throws {
    guard let reading = try QueryReading<Entity>.of(context) else { return }
    let rows = try reading.rows(asked)
    if rows.isEmpty { return }
    // The context may know the type for reading only; hooks need to be known.
    if !reading.isDeleted { return try context.delete(try context.mapping(of: Entity.self).type, rows) }
    let readers = reading.snapshot.readers(reading.mapping.type)
    let ids = try rows.map { try reading.mapping.id(readers, $0) }
    try context.atomically { context in
      for id in ids {
        // Forgets for good what was deleted before.
        guard let deleted: Entity = try Query(id: id).entity(in: context) else { continue }
        try deleted.delete(from: &context)
      }
    }
  }
}

extension QueryList {
  /// Takes the first one only.
  package mutating func refineToFirst() {
    if stages.isEmpty { stages.append(QueryStage()) }
    stages[stages.count - 1].limit = min(1, stages[stages.count - 1].limit ?? 1)
  }
}

/// Reads one property of many rows.
private struct ValueReader<Entity: EntityModelProtocol, Value> {
  private let path: KeyPath<Entity, Value>
  private let reader: PathReader<Entity, Value>
  private let reading: QueryReading<Entity>
  private let codec: ValueCodec<Value>?
  private let column: ColumnReader?
  private let kind: ColumnKind

  init(_ path: KeyPath<Entity, Value>, _ reading: QueryReading<Entity>) {
    self.path = path
    reader = PathReader(path)
    self.reading = reading
    // What has no column of its own is read from the entity.
    if let key = reading.mapping.info.key(path), !key.isDescending,
      let descriptor = reading.mapping.columns[key.attribute]
    {
      codec = reading.mapping.info.codec(key.attribute)
      column = reading.snapshot.column(reading.mapping.type, descriptor.id)
      kind = descriptor.kind
    } else {
      codec = nil
      column = nil
      kind = .int64
    }
  }

  func value(_ row: UInt32) throws -> Value {
    guard let codec, let column else {
      if let value = reader.read(try reading.entity(row)) { return value }
      throw missing
    }
    let isNull = column.isNull(row)
    if isNull, !(Value.self is any _OptionalValue.Type) { throw missing }
    return try codec.read(_ColumnCell(column.wholeCell(row, kind: kind), isNull: isNull))
  }

  private var missing: ModelError { .unreadable("'\(path)' leads to nil") }
}

extension EntityInfo {
  /// The codec of an attribute whose type is known.
  fileprivate func codec<Value>(_ attribute: Int) -> ValueCodec<Value>? {
    if let known = attributes[attribute].codec {
      if let codec = known as? ValueCodec<Value> { return codec }
      // The cases of an enum, of which there may be a list, or none.
      let codec = ValueCodec<Value>.make()
      return attributes[attribute].shape.flatMap { codec.shape?.isLike($0) } == true ? codec : nil
    }
    return ValueCodec<Value>.ofAttribute()
  }
}

extension ValueCodec {
  /// The codec of a property whose column was chosen statically; nil where only the whole entity can be read.
  fileprivate static func ofAttribute() -> ValueCodec<Value>? {
    Value.self is any _ColumnValue.Type ? make() : nil
  }
}

extension EntityModelProtocol {
  /// Returns all entities of the type.
  public static func results(in store: some EntityStore) throws -> [Self] { try query().results(in: store) }

  /// Returns the first entity of the type; nil if there is none.
  public static func first(in store: some EntityStore) throws -> Self? { try query().first(in: store) }

  /// Returns all entities of the type, read in batches when they are looked at.
  public static func fetchedResults(
    in store: some EntityStore, batchSize: Int = 20
  ) throws -> FetchResultsCollection<Self> {
    try query().fetchedResults(in: store, batchSize: batchSize)
  }

  /// Counts the entities of the type.
  public static func count(in store: some EntityStore) throws -> Int { try query().count(in: store) }

  /// Indicates whether there is no entity of the type.
  public static func isEmpty(in store: some EntityStore) throws -> Bool { try query().isEmpty(in: store) }

  /// Returns the first entity of the type; if there is none, saves the new one that `make` returns.
  public static func findOrCreate(in context: inout Context, _ make: () throws -> Self) throws -> Self {
    try query().findOrCreate(in: &context, make)
  }

  /// Deletes all entities of the type, each with what its relations' rules say; if one fails, none.
  public static func deleteAll(in context: inout Context) throws { try query().delete(in: &context) }
}

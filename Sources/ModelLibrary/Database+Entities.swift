import GQLCatalog
import GQLEngine
import GQLModels
import GQLStore

/// A database is where models and text meet: what one commits, the other sees.
///
/// Any number of threads and actors may read and write; writers wait for each other.
extension Database: EntityStore {
  /// A database that begins with the entities of a context, which stays as it is: it is a value.
  public convenience init(_ context: Context) {
    if let snapshot = context.storage.current {
      self.init(snapshot, companion: context.storage.binding)
    } else {
      self.init()
    }
  }

  /// An empty database that knows some types, and all that their relations lead to.
  public convenience init(for types: any EntityModelProtocol.Type...) throws { self.init(try Context(for: types)) }

  /// The entities as they are now: a value, which later changes of the database do not reach, and which does not reach
  /// the database.
  ///
  /// A database whose schema was given as text has the entities of every type that fits it: with all fields, of the same
  /// types, and no other field that must not be null.
  public var entities: Context {
    let (snapshot, companion, hasSchema, _) = published
    if hasSchema { return Context(storage: ContextStorage(snapshot, companion as? ModelBinding)) }
    return Context(storage: ContextStorage(functions: snapshot.catalog.functions))
  }

  /// Changes entities in one transaction: all that `body` saves and deletes takes effect together, or, if it throws,
  /// nothing. Other writers wait meanwhile; queries go on with what was there before.
  ///
  /// ```swift
  /// try database.update { context in
  ///   var jill = try Person.filter(\.name == "Jill").findOrCreate(in: &context) { Person(name: "Jill") }
  ///   jill.isPromoted = true
  ///   try jill.save(to: &context)
  /// }
  /// ```
  /// `body` must not write to the database but through the context that it gets, or a copy of it that it puts in its
  /// place.
  ///
  /// - Throws: what `body` throws; ``GQLModels/ModelError/contextReplaced(_:)`` where another context is in the place
  ///   afterwards, be it an earlier one of the same database. Nothing is changed then.
  @discardableResult
  public func update<Output>(_ body: (inout Context) throws -> Output) throws -> Output {
    try changingEntities {
      var context = entities
      let before = context.storage.current
      let output = try context.lend(to: ModelError.update, body)
      if let after = context.storage.current, after !== before, let binding = context.storage.binding {
        try publish(after, companion: binding)
      }
      return output
    }
  }
}

extension DatabaseView {
  /// The entities of the view, be it of an earlier version: a value that reads and changes on its own.
  ///
  /// ```swift
  /// let before = try database.view(at: yesterday).entities
  /// let names = try Person.results(in: before).map(\.name)
  /// ```
  /// A property without a column has its value of today.
  public var entities: Context { Context(storage: ContextStorage(snapshot, companion as? ModelBinding)) }
}

extension ModelBinding: SnapshotCompanion {
  package func moved(to catalog: Catalog) -> any SnapshotCompanion { fitted(to: catalog) }

  package func hasChanged(_ row: DeletedRow, since base: (any SnapshotCompanion)?) -> Bool {
    hasChanged(row.type, row.row, since: base as? ModelBinding)
  }

  package func merged(
    into other: (any SnapshotCompanion)?, rows: [(type: EntityTypeID, from: UInt32, to: UInt32)],
    since base: (any SnapshotCompanion)?
  ) -> any SnapshotCompanion {
    guard let other = other as? ModelBinding else { return self }
    return bringing(rows, into: other, since: base as? ModelBinding)
  }
}

extension EntityModelProtocol {
  /// Saves it, what its relations hold, and the links, in a transaction of its own.
  public func save(to database: Database, options: MergeStrategy<Self> = .default) throws {
    try database.update { try save(to: &$0, options: options) }
  }

  /// Deletes it and what its relations' rules say, in a transaction of its own; nothing happens if it is not saved.
  public func delete(from database: Database) throws { try database.update { try delete(from: &$0) } }

  /// Deletes the entity of an id, in a transaction of its own; nothing happens if there is none.
  public static func delete(id: ID, from database: Database) throws {
    try database.update { try delete(id: id, from: &$0) }
  }

  /// Any entity of the type; if there is none, the new one that `make` gives is saved. No other writer comes between.
  public static func findOrCreate(in database: Database, _ make: () throws -> Self) throws -> Self {
    try Query<Self>().findOrCreate(in: database, make)
  }

  /// Deletes all entities of the type, in one transaction.
  public static func deleteAll(in database: Database) throws { try Query<Self>().delete(in: database) }
}

extension Deleted {
  /// Brings the entity back, in a transaction of its own.
  public func restore(in database: Database) throws { try database.update { try restore(in: &$0) } }
}

extension NestingQuery {
  /// The first one; if there is none, the new one that `make` gives is saved. No other writer comes between.
  public func findOrCreate(in database: Database, _ make: () throws -> Entity) throws -> Entity {
    // Most often it is there, and need not wait for writers.
    if let found = try first(in: database) { return found }
    return try database.update { try findOrCreate(in: &$0, make) }
  }

  /// Deletes all that the query gives, in one transaction.
  public func delete(in database: Database) throws { try database.update { try delete(in: &$0) } }
}

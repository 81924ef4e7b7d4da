import GQLEngine
import GQLModels

/// A place whose entities are objects: a database, or a view of a version, in which they are not written to.
public protocol ObjectStore {
  /// Finds the objects.
  var _objectHome: ObjectHome { get }
}

/// A finder of the objects of a database or a view.
public struct ObjectHome {
  let database: Database
  let view: DatabaseView?

  func objects<Entity: EntityModelProtocol>(_ type: Entity.Type) -> EntityObjects<Entity> {
    if view != nil { return EntityObjects(database, view: view, shared: database.liveObjects) }
    return database.liveObjects.objects(type, database)
  }
}

extension Database: ObjectStore {
  var liveObjects: LiveObjects { attachment.content { LiveObjects() } }
  /// The database itself.
  public var _objectHome: ObjectHome { ObjectHome(database: self, view: nil) }
}

extension DatabaseView: ObjectStore {
  /// The view itself.
  public var _objectHome: ObjectHome {
    ObjectHome(database: Database(snapshot, companion: companion), view: self)
  }
}

extension EditingContext: ObjectStore {
  /// The context as a database.
  public var _objectHome: ObjectHome { database._objectHome }

  /// Makes one change of the context of all that `body` writes through its objects; see ``GQLEngine/Database/batch(_:)``.
  ///
  /// - Throws: what `body` throws, or the error of the first setter or inner batch that failed.
  public func batch<Output>(_ body: () throws -> Output) throws -> Output { try database.batch(body) }
}

extension ObjectStore {
  /// Saves a new entity, and returns its object. Where an entity of the id is there, it is merged as saving does it.
  ///
  /// - Throws: what saving the entity throws, and `read-only` in a view.
  public func create<Entity: EntityModelProtocol>(_ entity: Entity) throws -> LiveEntity<Entity> {
    let objects = _objectHome.objects(Entity.self)
    try objects.update { try entity.save(to: &$0) }
    return try objects.object(entity)
  }

  /// Returns the object of an entity; nil where there is none.
  ///
  /// - Parameter deleted: Whether the entity may be one that is deleted and kept.
  /// - Throws: ``ModelError`` where the schema's type does not fit.
  public func object<Entity: EntityModelProtocol>(
    _ type: Entity.Type, id: Entity.ID, deleted: DeletedEntities = .exclude
  ) throws -> LiveEntity<Entity>? {
    try _objectHome.objects(type).find(id, deleted)
  }

  /// Returns the object of an entity; where there is none, of the new one that `make` returns, which is saved.
  ///
  /// A deleted entity of the id is inserted again.
  ///
  /// - Throws: what `make` throws, and what saving the entity throws.
  public func findOrCreate<Entity: EntityModelProtocol>(
    _ type: Entity.Type, id: Entity.ID, _ make: () throws -> Entity
  ) throws -> LiveEntity<Entity> {
    if let found = try object(type, id: id) { return found }
    let objects = _objectHome.objects(type)
    if objects.shared.batch != nil {
      // Not within a write, because it may look at objects.
      let made = try make()
      return try objects.object(try objects.update { try $0.findOrRestore(id) ?? $0.saving(made) })
    }
    return try objects.object(try objects.update { try $0.findOrRestore(id) ?? $0.saving(try make()) })
  }

  /// Returns the objects of the entities that a query finds, in its order.
  ///
  /// - Throws: what the query throws.
  public func objects<Entity: EntityModelProtocol>(
    _ query: some NestingQuery<Entity>
  ) throws -> [LiveEntity<Entity>] {
    let objects = _objectHome.objects(Entity.self)
    return try query.results(in: objects.context).map { try objects.object($0.normalized()) }
  }

  /// Returns the objects of all entities of a type.
  ///
  /// - Throws: ``ModelError`` where the schema's type does not fit.
  public func objects<Entity: EntityModelProtocol>(_ type: Entity.Type) throws -> [LiveEntity<Entity>] {
    try objects(type.query())
  }
}

extension Database {
  /// Makes one transaction of all that `body` writes through objects: it takes effect together or, where `body` throws or
  /// a setter fails, not at all. Within `body` the objects show what was written. A batch within a batch belongs to it:
  /// where the inner one throws, the outer one fails too, even if the error is caught.
  ///
  /// - Throws: what `body` throws, or the error of the first setter or inner batch that failed.
  public func batch<Output>(_ body: () throws -> Output) throws -> Output { try liveObjects.batch(in: self, body) }

  /// Errors that setters and methods of objects could not throw, as they come.
  ///
  /// Each call makes a sequence of its own, which begins with the next error.
  public var objectErrors: AsyncStream<ObjectError> { liveObjects.errors() }
}

/// A choice of whether deleted entities, which are kept, are meant too.
public enum DeletedEntities: Sendable, Hashable {
  case exclude
  case include
}

extension Context {
  /// Returns an entity; one that is deleted and kept is brought back.
  fileprivate mutating func findOrRestore<Entity: EntityModelProtocol>(_ id: Entity.ID) throws -> Entity? {
    if let found: Entity = find(id) { return found }
    return try restore(Entity.self, id: id) ? find(id) : nil
  }

  fileprivate mutating func saving<Entity: EntityModelProtocol>(_ entity: Entity) throws -> Entity {
    try entity.save(to: &self)
    return entity
  }
}

extension EntityObjects {
  func find(_ id: Entity.ID, _ deleted: DeletedEntities) throws -> LiveEntity<Entity>? {
    let context = context
    guard try table(context) != nil else { return nil }
    let entity: Entity? = deleted == .include ? context.findKept(id) : context.find(id)
    return try entity.map { try object($0) }
  }

  /// The objects of another type in the same database or view.
  func others<Other: EntityModelProtocol>(_ type: Other.Type) -> EntityObjects<Other> {
    if let view { return EntityObjects<Other>(database, view: view, shared: shared) }
    return shared.objects(type, database)
  }
}

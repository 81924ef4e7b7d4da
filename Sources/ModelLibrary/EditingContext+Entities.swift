import GQLEngine
import GQLModels

/// Models work in a context as in a database.
extension EditingContext: EntityStore {
  /// The entities as they are in the context now: a value.
  public var entities: Context { database.entities }

  /// Changes entities of the context, all or none; see ``GQLEngine/Database/update(_:)``. Nobody else sees it until the
  /// context is saved.
  ///
  /// ```swift
  /// let draft = database.edit()
  /// try draft.update { context in try Item(id: 123).save(to: &context) }
  /// try draft.save()
  /// ```
  @discardableResult
  public func update<Output>(_ body: (inout Context) throws -> Output) throws -> Output { try database.update(body) }

  /// Changes entities of the context; another name for ``update(_:)``.
  @discardableResult
  public func entities<Output>(_ body: (inout Context) throws -> Output) throws -> Output { try database.update(body) }
}

extension EntityModelProtocol {
  /// Saves it, what its relations hold, and the links, in an editing context.
  public func save(to context: EditingContext, options: MergeStrategy<Self> = .default) throws {
    try save(to: context.database, options: options)
  }

  /// Deletes it and what its relations' rules say, in an editing context; nothing happens if it is not saved.
  public func delete(from context: EditingContext) throws { try delete(from: context.database) }

  /// Deletes the entity of an id, in an editing context; nothing happens if there is none.
  public static func delete(id: ID, from context: EditingContext) throws { try delete(id: id, from: context.database) }

  /// Any entity of the type; if there is none, the new one that `make` gives is saved in the editing context.
  public static func findOrCreate(in context: EditingContext, _ make: () throws -> Self) throws -> Self {
    try findOrCreate(in: context.database, make)
  }

  /// Deletes all entities of the type, in an editing context.
  public static func deleteAll(in context: EditingContext) throws { try deleteAll(in: context.database) }
}

extension Deleted {
  /// Brings the entity back, in an editing context.
  public func restore(in context: EditingContext) throws { try restore(in: context.database) }
}

extension NestingQuery {
  /// The first one; if there is none, the new one that `make` gives is saved in the editing context.
  public func findOrCreate(in context: EditingContext, _ make: () throws -> Entity) throws -> Entity {
    try findOrCreate(in: context.database, make)
  }

  /// Deletes all that the query gives, in an editing context.
  public func delete(in context: EditingContext) throws { try delete(in: context.database) }
}

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
}

import GQLiteModels

/// The document's queries that take a context which they do not need. They are deprecated, and calling what is deprecated
/// is a warning, so that tests call them by way of this protocol.
protocol ContextQueries: Sendable {
  /// `Query<Entity>(context: context, id: id)`.
  func one<Entity: EntityModelProtocol>(_ id: Entity.ID, _ context: Context) -> Query<Entity>
  /// `Entity.queryAll(with: nested, in: context)`.
  func all<Entity: EntityModelProtocol>(with nested: Nested, _ context: Context) -> QueryList<Entity>
  /// `Entity.nestedQueryModifier(query, in: context, nested: nested)`.
  func modified<Entity: EntityModelProtocol>(
    _ query: Query<Entity>, _ context: Context, nested: [Nested]
  ) -> Query<Entity>
}

struct DocumentQueries: ContextQueries {
  static let shared: any ContextQueries = DocumentQueries()

  @available(*, deprecated)
  func one<Entity: EntityModelProtocol>(_ id: Entity.ID, _ context: Context) -> Query<Entity> {
    Query<Entity>(context: context, id: id)
  }

  @available(*, deprecated)
  func all<Entity: EntityModelProtocol>(with nested: Nested, _ context: Context) -> QueryList<Entity> {
    Entity.queryAll(with: nested, in: context)
  }

  @available(*, deprecated)
  func modified<Entity: EntityModelProtocol>(
    _ query: Query<Entity>, _ context: Context, nested: [Nested]
  ) -> Query<Entity> {
    Entity.nestedQueryModifier(query, in: context, nested: nested)
  }
}

import GQLStore

/// Notes whether something computed looks at a relation of the entity that it is of. Indexes cannot be over what does,
/// because what a relation leads to changes without the entity.
final class RelationWatch: Sendable {
  @TaskLocal static var current: RelationWatch?
  /// In the place of the entity's row.
  static var row: UInt32 { PageLayout.noRow }

  private let first = Guarded<UInt16>(0)

  /// What `body` gives, and the place of the relation that it looked at first, of an entity whose relations are watched.
  static func watching<Result>(_ body: () throws -> Result) rethrows -> (Result, place: Int?) {
    let watch = RelationWatch()
    let result = try $current.withValue(watch, operation: body)
    let first = watch.first.withLock { $0 }
    return (result, first == 0 ? nil : Int(first) - 1)
  }

  func note(_ number: UInt16) { first.withLock { $0 = $0 == 0 ? number : $0 } }
}

extension EntityInfo {
  /// Has a ``RelationWatch`` note who asks for relations.
  func watch(_ entity: inout Entity) {
    // Each is a property of a type of the program: there are never as many as to have no number.
    for (place, relation) in relations.enumerated() {
      relation.watch(&entity, number: UInt16(truncatingIfNeeded: place + 1))
    }
  }

  /// - Throws: ``ModelError/invalidSchema(_:)`` if the id looks at a relation.
  func checkID(_ entity: Entity) throws {
    var entity = entity
    watch(&entity)
    let (_, asked) = RelationWatch.watching { entity.id }
    if let asked { throw problem(idAttribute, lookingAt: asked) }
  }

  /// Why an attribute that looks at a relation can have no column.
  func problem(_ attribute: Int, lookingAt relation: Int) -> ModelError {
    let name = relations[relation].name
    // Key paths of computed properties have no names.
    let what =
      indexes.first { $0.attributes.contains(attribute) }.map { "the index '\($0.name)'" }
      ?? "the '\(attributes[attribute].name)'"
    return .invalidSchema(
      "\(what) of '\(Entity.self)' is over a computed property that looks at the relation '\(name)', and it can only be over "
        + "what an entity itself holds")
  }
}

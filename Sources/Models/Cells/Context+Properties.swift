import GQLStore

extension Context {
  /// Sets a property of an entity, and saves it.
  ///
  /// - Throws: ``ModelError/noEntity(_:id:)`` where there is none, and what saving the entity throws.
  package mutating func set<Entity: EntityModelProtocol, Value>(
    _ path: WritableKeyPath<Entity, Value>, of id: Entity.ID, to value: Value
  ) throws {
    try change(id) { (entity: inout Entity) in entity[keyPath: path] = value }
  }

  /// Changes the links of a relation of an entity.
  ///
  /// - Parameter relation: The relation's place, see ``EntityTable/relation(_:)``.
  package mutating func link<Entity: EntityModelProtocol, Target: EntityModelProtocol>(
    _ relation: Int, of id: Entity.ID, in type: Entity.Type, _ change: LinkChange<Target>
  ) throws {
    let descriptor = EntityInfo<Entity>.shared.relations[relation]
    let targets = LinkedIDs<Target>(ids: change.ids)
    if case .remove = change {
      guard let entity: Entity = find(id) else { throw ModelError.noEntity("\(Entity.self)", id: "\(id)") }
      _ = try mapping(of: type)
      return try descriptor.detach(targets, from: entity, &self)
    }
    let isPart = if case .append = change { true } else { false }
    try self.change(id) { (entity: inout Entity) in descriptor.put(targets, isPart: isPart, into: &entity) }
  }

  private mutating func change<Entity: EntityModelProtocol>(
    _ id: Entity.ID, _ body: (inout Entity) -> Void
  ) throws {
    guard var entity: Entity = find(id) else { throw ModelError.noEntity("\(Entity.self)", id: "\(id)") }
    body(&entity)
    if entity.id != id {
      throw ModelError.unwritable("\(Entity.self)", "an id is not set: save an entity with another")
    }
    try save(entity, .replace)
  }

  /// Brings back an entity that is deleted and kept. Returns whether there is one.
  package mutating func restore<Entity: EntityModelProtocol>(_ type: Entity.Type, id: Entity.ID) throws -> Bool {
    guard let deleted: Deleted<Entity> = find(id) else { return false }
    try deleted.restore(in: &self)
    return true
  }

  /// Returns an entity, also one that is deleted and kept.
  package func findKept<Entity: EntityModelProtocol>(_ id: Entity.ID) -> Entity? {
    if let entity: Entity = find(id) { return entity }
    let deleted: Deleted<Entity>? = find(id)
    return deleted?.entity
  }
}

/// A change of the links of a relation.
package enum LinkChange<Target: EntityModelProtocol>: Sendable {
  /// These are all targets.
  case set([Target.ID])
  case append([Target.ID])
  case remove([Target.ID])

  var ids: [Target.ID] {
    switch self {
    case .set(let ids), .append(let ids), .remove(let ids): ids
    }
  }
}

/// The ids of targets of a type.
struct LinkedIDs<Target: EntityModelProtocol> {
  let ids: [Target.ID]
}

/// An entity that was deleted and is kept.
public struct Deleted<Entity: EntityModelProtocol>: EntityModelProtocol {
  /// The entity, with the ids that its relations had.
  public internal(set) var entity: Entity
  /// The entity's id.
  public var id: Entity.ID { entity.id }

  /// Makes what a deletion keeps.
  public init(_ entity: Entity) { self.entity = entity }

  /// Has nothing of its own: it is the row of the entity.
  public static func describe(_ model: inout EntityDescription<Self>) {}

  /// Reads the entity.
  public init(from row: inout EntityReader<Self>) throws {
    var reader = EntityReader<Entity>(row.layout, row.source)
    entity = try Entity(from: &reader)
  }

  /// Writes nothing.
  public func write(to row: inout EntityWriter<Self>) throws {}

  /// A deleted entity leaves nothing when it is deleted.
  public func asDeleted(in context: Context) -> Deleted<Deleted<Entity>>? { nil }
}

extension Deleted: Equatable where Entity: Equatable {}
extension Deleted: Hashable where Entity: Hashable {}
extension Deleted: Codable where Entity: Codable {}

import GQLEngine
import GQLModels

/// The targets of a relation as objects, as they were when it was read. Who changes it writes a transaction.
///
/// ```swift
/// alice.friends.append(bob)
/// for friend in alice.friends { print(friend.name) }
/// alice.friends = [bob, carol]
/// ```
/// What cannot be written is reported as a setter of the object reports it.
public struct LiveList<Target: EntityModelProtocol>: RandomAccessCollection, Sendable {
  /// The ids of the targets, in order.
  public let ids: [Target.ID]
  private let object: @Sendable (Int) -> LiveEntity<Target>
  private let change: @Sendable (LinkChange<Target>) -> Void

  init(
    _ ids: [Target.ID], _ object: @escaping @Sendable (Int) -> LiveEntity<Target>,
    _ change: @escaping @Sendable (LinkChange<Target>) -> Void
  ) {
    (self.ids, self.object, self.change) = (ids, object, change)
  }

  /// The first place.
  public var startIndex: Int { 0 }
  /// The place after the last.
  public var endIndex: Int { ids.count }

  /// Returns the object of a target.
  public subscript(position: Int) -> LiveEntity<Target> { object(position) }

  /// Adds a target as the last one.
  public func append(_ object: LiveEntity<Target>) { change(.append([object.id])) }

  /// Adds targets as the last ones.
  public func append(contentsOf objects: some Sequence<LiveEntity<Target>>) { change(.append(objects.map(\.id))) }

  /// Takes a target out.
  public func remove(_ object: LiveEntity<Target>) { change(.remove([object.id])) }

  /// Takes all targets out.
  public func removeAll() { change(.set([])) }
}

extension LiveList: ExpressibleByArrayLiteral {
  /// A list to be assigned to a relation.
  public init(arrayLiteral elements: LiveEntity<Target>...) { self.init(elements) }

  /// A list to be assigned to a relation.
  public init(_ elements: [LiveEntity<Target>]) {
    self.init(elements.map(\.id), { elements[$0] }) { _ in }
  }
}

extension LiveEntity {
  /// Accesses a relation to many entities.
  public subscript<Target: EntityModelProtocol>(dynamicMember path: KeyPath<Entity, [Target]?>) -> LiveList<Target> {
    get {
      noteRead(of: path)
      let targets = self.targets(path, Target.self)
      let tag = PropertyTag(path: path)
      return LiveList(targets.map(\.id)) {
        targets[$0]
      } _: { [self] change in
        reporting(tag.path) { try link(tag.path, change) }
      }
    }
    set { reporting(path) { try link(path, LinkChange<Target>.set(newValue.ids)) } }
  }

  /// Accesses a relation to one entity.
  public subscript<Target: EntityModelProtocol>(dynamicMember path: KeyPath<Entity, Target?>) -> LiveEntity<Target>? {
    get {
      noteRead(of: path)
      return targets(path, Target.self).first
    }
    set { reporting(path) { try link(path, LinkChange<Target>.set(newValue.map { [$0.id] } ?? [])) } }
  }

  private func targets<Target: EntityModelProtocol>(
    _ path: AnyKeyPath, _ type: Target.Type
  ) -> [LiveEntity<Target>] {
    guard let found = try? objects.place(self), case .live(let row) = found.place,
      let relation = found.table.relation(path),
      let ids = try? found.table.targets(relation, row, of: type, in: found.snapshot)
    else { return [] }
    let others = objects.others(type)
    let context = others.context
    return ids.compactMap { id in
      let target: Target? = context.find(id)
      return target.flatMap { try? others.object($0) }
    }
  }

  private func link<Value, Target: EntityModelProtocol>(
    _ path: KeyPath<Entity, Value>, _ change: LinkChange<Target>
  ) throws {
    try objects.update { context in
      guard let relation = try objects.table(context)?.relation(path) else {
        throw ModelError.unknownType("\(Target.self)")
      }
      try context.link(relation, of: id, in: Entity.self, change)
    }
    tellChange(of: path)
  }
}

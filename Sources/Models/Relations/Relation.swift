/// What an entity knows of a relation: nothing, ids, or entities; all targets, or some that are to be appended.
public struct Relation<
  Entity: EntityModelProtocol, Directionality: RelationDirectionality, Cardinality: RelationCardinality,
  Constraints: RelationConstraints
> {
  @usableFromInline enum State {
    case none
    case null
    case ids([Entity.ID])
    case entities([Entity])
    case fragments([Entity])
  }

  @usableFromInline var state: State
  /// Whether these are some of the targets only, so that saving appends them.
  @usableFromInline var isPart = false
  /// Whether reading gave it: then it says nothing about links that wait, which reading does not show.
  @usableFromInline var isRead = false

  @inlinable init(_ state: State, isPart: Bool = false, isRead: Bool = false) {
    self.state = state
    self.isPart = isPart
    self.isRead = isRead
  }

  /// Nothing is known: saving keeps what is there.
  @inlinable public static var none: Self { Self(.none) }

  /// Whether nothing is known.
  public var isNone: Bool { if case .none = state { true } else { false } }
  /// Whether targets are known by their ids only.
  public var isId: Bool { if case .ids = state { true } else { false } }
  /// Whether targets are incomplete entities, which are merged by ``EntityModelProtocol/fragmentMergeStrategy``.
  public var isFragment: Bool { if case .fragments = state { true } else { false } }

  /// Forgets what is known.
  public mutating func normalize() { self = .none }

  /// The ids of all targets that are known, in order; nil where nothing is.
  var knownIDs: [Entity.ID]? {
    switch state {
    case .none: nil
    case .null: []
    case .ids(let ids): ids
    case .entities(let entities), .fragments(let entities): entities.map(\.id)
    }
  }

  /// The targets that are there as entities.
  var knownEntities: [Entity] {
    switch state {
    case .none, .null, .ids: []
    case .entities(let entities), .fragments(let entities): entities
    }
  }

  /// Saves the entities that are in it, without any link.
  public func save(_ context: inout Context) throws {
    switch state {
    case .none, .null, .ids: break
    case .entities(let entities): for entity in entities { try entity.save(to: &context) }
    case .fragments(let entities): for entity in entities { try entity.save(to: &context, options: .fragment) }
    }
  }
}

/// Relations are equal if their ids are, whatever else is known of the targets.
extension Relation: Hashable {
  /// Whether both have the same ids in the same order.
  public static func == (left: Self, right: Self) -> Bool { (left.knownIDs ?? []) == (right.knownIDs ?? []) }
  /// Hashes the ids.
  public func hash(into hasher: inout Hasher) { hasher.combine(knownIDs ?? []) }
}

extension Relation.State: Sendable {}
extension Relation: Sendable {}

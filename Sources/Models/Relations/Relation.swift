/// An entity's knowledge of a relation: nothing, ids, or entities; all targets, or some that are to be appended.
public struct Relation<
  Entity: EntityModelProtocol, Directionality: _RelationDirectionality, Cardinality: _RelationCardinality,
  Constraints: _RelationConstraints
> {
  @usableFromInline enum State {
    case none
    case null
    case ids([Entity.ID])
    case entities([Entity])
    case fragments([Entity])
  }

  @usableFromInline var state: State
  /// ``isPart``, ``isRead`` and ``level``.
  @usableFromInline var flags: UInt8 = 0
  /// Where a condition in Swift can have it from, if nothing is known: how many relations lead to the entity that it is
  /// of, its ``RelationDescriptor/number``, and the entity's row; the number is 0 if it cannot. Three properties,
  /// because these fill what alignment leaves.
  @usableFromInline var depth: UInt8 = 0
  @usableFromInline var number: UInt16 = 0
  @usableFromInline var row: UInt32 = 0

  @inlinable init(_ state: State, isPart: Bool = false, isRead: Bool = false) {
    self.state = state
    flags = (isPart ? 1 : 0) | (isRead ? 2 : 0)
  }

  /// Whether these are some of the targets only, so that saving appends them.
  @inlinable var isPart: Bool {
    get { flags & 1 != 0 }
    set { flags = newValue ? flags | 1 : flags & ~1 }
  }

  /// Whether reading gave it: then it says nothing about links that wait, which reading does not show.
  @inlinable var isRead: Bool {
    get { flags & 2 != 0 }
    set { flags = newValue ? flags | 2 : flags & ~2 }
  }

  /// The level of the ``RelationLoader`` that it can be had from.
  var level: Int {
    get { Int(flags >> 2) }
    set { flags = flags & 3 | UInt8(truncatingIfNeeded: newValue << 2) }
  }

  /// Nothing is known: saving keeps what is there.
  @inlinable public static var none: Self { Self(.none) }

  /// Tells whether nothing is known.
  public var isNone: Bool { if case .none = asked.state { true } else { false } }
  /// Tells whether targets are known by their ids only.
  public var isId: Bool { if case .ids = asked.state { true } else { false } }
  /// Tells whether targets are incomplete entities, which are merged by ``EntityModelProtocol/fragmentMergeStrategy``.
  public var isFragment: Bool { if case .fragments = asked.state { true } else { false } }

  /// Forgets what is known.
  public mutating func normalize() { self = .none }

  /// What is known for a program that asks: of an entity that a condition in Swift is told, all.
  var asked: Self {
    guard number != 0 else { return self }
    if row == RelationWatch.row {
      RelationWatch.current?.note(number)
      return self
    }
    guard case .none = state else { return self }
    return RelationLoader.current?.load(self) ?? self
  }

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

  /// Saves the entities that are in it, without any link; if one fails, nothing is changed.
  public func save(_ context: inout Context) throws {
    switch state {
    case .none, .null, .ids: break
    case .entities(let entities): try save(entities, .default, &context)
    case .fragments(let entities): try save(entities, .fragment, &context)
    }
  }

  private func save(_ entities: [Entity], _ strategy: MergeStrategy<Entity>, _ context: inout Context) throws {
    if entities.count == 1 { return try entities[0].save(to: &context, options: strategy) }
    try context.atomically { context in
      for entity in entities { try entity.save(to: &context, options: strategy) }
    }
  }
}

/// Relations are equal if their ids are, whatever else is known of the targets.
extension Relation: Hashable {
  /// Tells whether both have the same ids in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    (left.asked.knownIDs ?? []) == (right.asked.knownIDs ?? [])
  }
  /// Hashes the ids.
  public func hash(into hasher: inout Hasher) { hasher.combine(asked.knownIDs ?? []) }
}

extension Relation.State: Sendable {}
extension Relation: Sendable {}

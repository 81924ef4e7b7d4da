import GQLCatalog

/// A condition, an order and a slice, in this order.
@usableFromInline struct QueryStage<Entity: EntityModelProtocol> {
  private var conditions: SharedList<QueryPredicate<Entity>>
  var order: [QueryOrder<Entity>] = []
  var limit: Int?
  var offset = 0
  /// Whether the slice is a range of indices, which later refinements do not stand behind.
  var isRange = false

  init(conjuncts: [QueryPredicate<Entity>] = []) { conditions = SharedList(conjuncts) }

  /// All of them hold.
  var conjuncts: [QueryPredicate<Entity>] { conditions.elements }
  mutating func add(_ conjuncts: [QueryPredicate<Entity>]) { conditions = conditions.appending(conjuncts) }

  var isSliced: Bool { limit != nil }

  /// Whether columns can tell all of it, whatever the schema.
  var isPlannable: Bool {
    conjuncts.allSatisfy { $0.condition != nil && !$0.seesObjects } && order.allSatisfy { $0.key != nil }
  }
  /// Whether the planner's part may fail for some values, as a division does.
  var canFail: Bool { conjuncts.contains { $0.condition?.canFail == true } }
}

/// A key of an order.
struct QueryOrder<Entity: EntityModelProtocol> {
  /// Nil where columns do not know it.
  let key: OrderKey?
  /// Compares what stands at two places: negative, zero or positive.
  typealias Ranking = (Int, Int) -> Int
  /// Reads the keys of some entities, each once, as they may be computed of anything.
  let ranking: ([Entity]) -> Ranking

  init<Key: Comparable>(_ path: KeyPath<Entity, Key> & Sendable) {
    let info = EntityInfo<Entity>.shared
    var key: OrderKey?
    // Only a column's own type is ordered as the column is.
    if let found = info.key(path), Key.self is any ColumnValue.Type,
      let shape = info.attributes[found.attribute].shape, !shape.isList, shape.isNonNull, shape.scalar != .json
    {
      key = .attribute(found.attribute, isDescending: found.isDescending)
    }
    self.init(key: key, { $0[keyPath: path] }) { $0 < $1 ? -1 : $1 < $0 ? 1 : 0 }
  }

  init(_ key: MetadataOrder) {
    self.key = .updatedAt(isDescending: key.isDescending)
    ranking = { _ in { _, _ in 0 } }
  }

  init<Key>(key: OrderKey?, _ read: @escaping (Entity) -> Key, compare: @escaping (Key, Key) -> Int) {
    self.init(key: key) { entities in
      let keys = entities.map(read)
      return { compare(keys[$0], keys[$1]) }
    }
  }

  private init(key: OrderKey?, ranking: @escaping ([Entity]) -> Ranking) {
    self.key = key
    self.ranking = ranking
  }

  /// By an optional property: what is nil comes first.
  init<Key: Comparable>(optional path: KeyPath<Entity, Key?> & Sendable) {
    var key: OrderKey?
    if let found = EntityInfo<Entity>.shared.key(path), !found.isDescending, Key.self is any ColumnScalar.Type {
      key = .optional(found.attribute, isDescending: false)
    }
    self.init(key: key, { $0[keyPath: path] }) { left, right in
      switch (left, right) {
      case (nil, nil): 0
      case (nil, _): -1
      case (_, nil): 1
      case (let first?, let second?): first < second ? -1 : second < first ? 1 : 0
      }
    }
  }

  /// The other way round.
  var reversed: Self {
    let ranking = ranking
    return Self(key: key?.reversed) { entities in
      let compare = ranking(entities)
      return { -compare($0, $1) }
    }
  }
}

/// An order by what is known of an entity beside its properties.
public struct MetadataOrder: Sendable, Hashable {
  var isDescending = false

  /// When it was saved last.
  public static var updatedAt: MetadataOrder { MetadataOrder() }
  /// The other way round.
  public var desc: MetadataOrder { MetadataOrder(isDescending: !isDescending) }
}

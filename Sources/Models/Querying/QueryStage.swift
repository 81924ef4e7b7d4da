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

  /// Whether columns can tell all of it.
  var isPlannable: Bool { conjuncts.allSatisfy { $0.condition != nil } && order.allSatisfy { $0.key != nil } }
  /// Whether the planner's part may fail for some values, as a division does.
  var canFail: Bool { conjuncts.contains { $0.condition?.canFail == true } }
}

/// A key of an order.
struct QueryOrder<Entity: EntityModelProtocol> {
  /// Nil where columns do not know it.
  let key: OrderKey?
  /// Negative, zero or positive.
  let compare: (Entity, Entity) -> Int

  init<Key: Comparable>(_ path: KeyPath<Entity, Key> & Sendable) {
    let info = EntityInfo<Entity>.shared
    var key: OrderKey?
    // Only a column's own type is ordered as the column is.
    if let found = info.key(path), Key.self is any ColumnValue.Type,
      let shape = info.attributes[found.attribute].shape, !shape.isList, shape.isNonNull, shape.scalar != .json
    {
      key = .attribute(found.attribute, isDescending: found.isDescending)
    }
    self.key = key
    compare = { left, right in
      let (first, second) = (left[keyPath: path], right[keyPath: path])
      return first < second ? -1 : second < first ? 1 : 0
    }
  }

  init(_ key: MetadataOrder) {
    self.key = .updatedAt(isDescending: key.isDescending)
    compare = { _, _ in 0 }
  }

  init(key: OrderKey?, compare: @escaping (Entity, Entity) -> Int) {
    self.key = key
    self.compare = compare
  }

  /// By an optional property: what is nil comes first.
  init<Key: Comparable>(optional path: KeyPath<Entity, Key?> & Sendable) {
    var key: OrderKey?
    if let found = EntityInfo<Entity>.shared.key(path), !found.isDescending, Key.self is any ColumnScalar.Type {
      key = .optional(found.attribute, isDescending: false)
    }
    self.init(key: key) { left, right in
      switch (left[keyPath: path], right[keyPath: path]) {
      case (nil, nil): 0
      case (nil, _): -1
      case (_, nil): 1
      case (let first?, let second?): first < second ? -1 : second < first ? 1 : 0
      }
    }
  }

  /// The other way round.
  var reversed: Self {
    let compare = compare
    return Self(key: key?.reversed) { -compare($0, $1) }
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

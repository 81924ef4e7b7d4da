import GQLCatalog

/// A condition, an order and a slice, in this order.
struct QueryStage<Entity: EntityModelProtocol> {
  var conjuncts: [QueryPredicate<Entity>] = []
  var order: [QueryOrder<Entity>] = []
  var limit: Int?
  var offset = 0

  var isSliced: Bool { limit != nil }
}

/// A key of an order.
struct QueryOrder<Entity: EntityModelProtocol> {
  /// Nil where columns do not know it.
  let key: OrderKey?
  /// Negative, zero or positive.
  let compare: (Entity, Entity) -> Int

  init<Key: Comparable>(_ path: KeyPath<Entity, Key>) {
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
}

/// An order by what is known of an entity beside its properties.
public struct MetadataOrder: Sendable, Hashable {
  var isDescending = false

  /// When it was saved last.
  public static var updatedAt: MetadataOrder { MetadataOrder() }
  /// The other way round.
  public var desc: MetadataOrder { MetadataOrder(isDescending: !isDescending) }
}

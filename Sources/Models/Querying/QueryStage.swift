import GQLCatalog

/// A condition, an order and a slice, in this order.
@usableFromInline struct QueryStage<Entity: EntityModelProtocol> {
  private var conditions: SharedList<QueryPredicate<Entity>>
  var order: [QueryOrder<Entity>] = []
  var limit: Int?
  var offset = 0
  /// Indicates whether the slice is a range of indices, which synonyms of refinements stay in front of.
  var isRange = false

  init(conjuncts: [QueryPredicate<Entity>] = []) { conditions = SharedList(conjuncts) }

  /// All of them hold.
  var conjuncts: [QueryPredicate<Entity>] { conditions.elements }
  mutating func add(_ conjuncts: [QueryPredicate<Entity>]) { conditions = conditions.appending(conjuncts) }

  var isSliced: Bool { limit != nil }

  /// Takes those at the indices of a range, in the place of an earlier slice. Indices beyond the end are passed over.
  mutating func take(_ range: Range<Int>) {
    let (count, overflows) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
    offset = range.lowerBound
    limit = overflows ? 0 : count
    isRange = true
  }

  /// Whether columns can tell all of it, whatever the schema.
  var isPlannable: Bool {
    conjuncts.allSatisfy { $0.term != nil && !$0.seesObjects } && order.allSatisfy { $0.key != nil }
  }
  /// Whether the planner's part may fail for some values, as a division does.
  var canFail: Bool { conjuncts.contains { $0.term?.canFail == true } }
}

/// A key of an order that columns know.
enum OrderKey: Hashable {
  case attribute(Int, isDescending: Bool)
  /// Nulls are less than all values.
  case optional(Int, isDescending: Bool)
  case updatedAt(isDescending: Bool)
  /// The part of an instant below a microsecond.
  case finer(Int, isDescending: Bool)
  /// How well the texts match that the condition wants; the best ones first.
  case score

  var isMetadata: Bool { if case .updatedAt = self { true } else { false } }

  /// The other way round; the best matches stay first.
  var reversed: Self {
    switch self {
    case .attribute(let attribute, let isDescending): .attribute(attribute, isDescending: !isDescending)
    case .optional(let attribute, let isDescending): .optional(attribute, isDescending: !isDescending)
    case .updatedAt(let isDescending): .updatedAt(isDescending: !isDescending)
    case .finer(let attribute, let isDescending): .finer(attribute, isDescending: !isDescending)
    case .score: .score
    }
  }
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
    let reader = PathReader(path)
    self.init(Self.key(path, Key.self)) { reader.read($0) }
  }

  /// By an optional property: what is nil comes first, last in descending order.
  init<Key: Comparable>(optional path: KeyPath<Entity, Key?> & Sendable) {
    let reader = PathReader(path)
    self.init(Self.key(path, Key.self)) { reader.read($0) ?? nil }
  }

  /// The column that a key path leads to, if its order is that of the type.
  private static func key<Key>(_ path: AnyKeyPath, _ type: Key.Type) -> OrderKey? {
    let info = EntityInfo<Entity>.shared
    // Only a column's own type is ordered as the column is.
    guard type is any _ColumnValue.Type || type is any OrderedWithNil.Type, let found = info.key(path),
      let shape = info.attributes[found.attribute].shape, !shape.isList, shape.scalar != .json
    else { return nil }
    return shape.isNonNull
      ? .attribute(found.attribute, isDescending: found.isDescending)
      : .optional(found.attribute, isDescending: found.isDescending)
  }

  /// Puts nil first, last in descending order.
  private init<Key: Comparable>(_ column: OrderKey?, _ read: @escaping (Entity) -> Key?) {
    let nilFirst = Key.self is any DescendingKey.Type ? 1 : -1
    let texts = CodePointOrder<Key>.make()
    // What is nil where the path ends is as if the path led nowhere.
    let missing = (Key.self as? any OrderedMissing.Type)?.missing as? Key
    self.init(key: column, { read($0) ?? missing }) { left, right in
      switch (left, right) {
      case (nil, nil): 0
      case (nil, _): nilFirst
      case (_, nil): -nilFirst
      case (let first?, let second?): texts?.rank(first, second) ?? (first < second ? -1 : second < first ? 1 : 0)
      }
    }
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

  /// Orders by when it was saved last.
  public static var updatedAt: MetadataOrder { MetadataOrder() }
  /// The other way round.
  public var desc: MetadataOrder { MetadataOrder(isDescending: !isDescending) }
}

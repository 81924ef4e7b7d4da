import Foundation

// Refinements of queries. Each returns another query, with all other parts as they were.

extension RefinableQuery {
  /// Keeps the entities for which a condition holds: `filter(\.age >= 18)`.
  public func filter(_ condition: QueryPredicate<Entity>) -> Self { refined { $0.add([condition]) } }

  /// Keeps the entities for which a predicate holds: `filter(#Predicate { $0.age >= 18 })`.
  public func filter(_ predicate: Predicate<Entity>) -> Self {
    refined { $0.add(QueryPredicate.conjuncts(of: predicate)) }
  }

  /// Keeps the entities for which a condition on metadata holds: `filter(.updated(within: range))`.
  @_disfavoredOverload
  public func filter(_ condition: MetadataPredicate) -> Self { filter(condition.predicate(of: Entity.self)) }

  /// Sorts by properties, the first one first; what is equal keeps its order.
  public func sorted<each Key: Comparable>(by paths: repeat KeyPath<Entity, each Key> & Sendable) -> Self {
    var keys: [QueryOrder<Entity>] = []
    repeat keys.append(QueryOrder(each paths))
    return sorted(keys)
  }

  /// Sorts by metadata: `.updatedAt`. Entities of types that keep no metadata are left out.
  public func sorted(by key: MetadataOrder) -> Self { sorted([QueryOrder(key)]) }

  /// Sorts texts as people of the process's language do (`.localizedStandard`, `.localized`), or as columns are ordered
  /// (`.lexical`), which an index serves; what is equal keeps its order.
  public func sorted(
    by path: KeyPath<Entity, String> & Sendable, comparator: TextComparator, order: SortOrder = .forward
  ) -> Self {
    sorted([QueryOrder(path, comparator).directed(order)])
  }

  /// Sorts optional texts as people or columns do, nil first; what is equal keeps its order.
  public func sorted(
    by path: KeyPath<Entity, String?> & Sendable, comparator: TextComparator, order: SortOrder = .forward
  ) -> Self {
    sorted([QueryOrder(path, comparator).directed(order)])
  }

  /// Takes the first so many, after some that are passed over. What is refined later sees only these.
  public func limit(_ limit: Int, offset: Int = 0) -> Self {
    refined {
      $0.limit = limit
      $0.offset = offset
    }
  }

  /// Reads no more than these properties, those of earlier calls, and what an entity cannot be without: its id, and the
  /// properties that are not optional. The others are nil, so that saving the entities as fragments,
  /// `save(to: &context, options: .fragment)`, keeps what is there. For the values alone see ``values(_:in:)``.
  public func fetchKeyPaths(_ paths: PartialKeyPath<Entity>...) -> Self { fetchKeyPaths(paths) }

  /// Reads no more than these properties, see ``fetchKeyPaths(_:)-(PartialKeyPath<Entity>...)``.
  public func fetchKeyPaths(_ paths: [PartialKeyPath<Entity>]) -> Self {
    let info = EntityInfo<Entity>.shared
    var query = self
    query._list.attributes = (_list.attributes ?? []).union(paths.compactMap { info.property($0) })
    return query
  }

  func sorted(_ keys: [QueryOrder<Entity>]) -> Self { refined { $0.order = keys + $0.order } }

  /// Sorts within what earlier orders leave equal.
  func ordered(_ key: QueryOrder<Entity>, _ order: SortOrder) -> Self {
    refined(keepsRange: true) { $0.order.append(key.directed(order)) }
  }

  func refined(keepsRange: Bool = false, _ change: (inout QueryStage<Entity>) -> Void) -> Self {
    var query = self
    query._list.refine(keepsRange: keepsRange, change)
    return query
  }
}

extension QueryOrder {
  /// Orders texts as a comparator does.
  init(_ path: KeyPath<Entity, String> & Sendable, _ comparator: TextComparator) {
    self = comparator == .lexical ? Self(path) : Self(text: path, comparator)
  }

  /// Orders optional texts as a comparator does, nil first.
  init(_ path: KeyPath<Entity, String?> & Sendable, _ comparator: TextComparator) {
    self = comparator == .lexical ? Self(optional: path) : Self(text: path, comparator)
  }

  private init<Property: _TextProperty>(text path: KeyPath<Entity, Property>, _ comparator: TextComparator) {
    let reader = PathReader(path)
    self.init(key: nil, { reader.read($0)?._knownText }) { left, right in
      switch (left, right) {
      case (nil, nil): 0
      case (nil, _): -1
      case (_, nil): 1
      case (let first?, let second?): comparator.compare(first, second).rawValue
      }
    }
  }

  func directed(_ order: SortOrder) -> Self { order == .forward ? self : reversed }
}

extension EntityModelProtocol {
  /// Makes a query for all entities that reads no more than these properties, and what an entity cannot be without.
  public static func fetchKeyPaths(_ paths: PartialKeyPath<Self>...) -> Query<Self> { Query().fetchKeyPaths(paths) }

  /// Makes a query for all entities that reads no more than these properties, and what an entity cannot be without.
  public static func fetchKeyPaths(_ paths: [PartialKeyPath<Self>]) -> Query<Self> { Query().fetchKeyPaths(paths) }
}

import Foundation

// Refinements of queries. Each gives another query, with all other parts as they were: the condition, the order, the range,
// what is prefetched and what is read do not hang on the order in which they were given.

extension NestingQuery {
  /// Takes those for which the predicate holds too.
  public func include(_ predicate: Predicate<Entity>) -> Self {
    refined { $0.add(QueryPredicate.conjuncts(of: predicate)) }
  }

  /// Takes those for which the predicate does not hold.
  public func exclude(_ predicate: Predicate<Entity>) -> Self {
    refined { $0.add(QueryPredicate.conjuncts(of: predicate, isNegated: true)) }
  }

  /// In the order of a property, within what earlier orders leave equal.
  public func sortBy<Key: Comparable>(_ path: KeyPath<Entity, Key> & Sendable, order: SortOrder = .forward) -> Self {
    ordered(QueryOrder(path), order)
  }

  /// In the order of an optional property, nil first, within what earlier orders leave equal.
  public func sortBy<Key: Comparable>(_ path: KeyPath<Entity, Key?> & Sendable, order: SortOrder = .forward) -> Self {
    ordered(QueryOrder(optional: path), order)
  }

  /// In the order of a text, within what earlier orders leave equal: by default as people of the process's language sort,
  /// numbers by their values; with `.lexical` as columns are ordered, so that an index serves it.
  public func sortBy(
    _ path: KeyPath<Entity, String> & Sendable, comparator: TextComparator = .localizedStandard,
    order: SortOrder = .forward
  ) -> Self {
    ordered(comparator == .lexical ? QueryOrder(path) : QueryOrder(path, comparator), order)
  }

  /// In the order of an optional text, nil first, within what earlier orders leave equal.
  public func sortBy(
    _ path: KeyPath<Entity, String?> & Sendable, comparator: TextComparator = .localizedStandard,
    order: SortOrder = .forward
  ) -> Self {
    ordered(comparator == .lexical ? QueryOrder(optional: path) : QueryOrder(path, comparator), order)
  }

  /// In the contrary of the order that was given so far; without one nothing changes.
  public func reverse() -> Self { refined { $0.order = $0.order.map(\.reversed) } }

  /// Takes those at the indices of a range, in the place of an earlier range. Indices beyond the end are passed over.
  public subscript(range: Range<Int>) -> Self {
    refined { stage in
      let (count, overflows) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
      stage.offset = range.lowerBound
      stage.limit = overflows ? 0 : count
      stage.isRange = true
    }
  }

  /// With the entities that relations lead to: `\.customer` or `\.$customer`. What is no relation is passed over.
  public func prefetchRelationships(_ paths: PartialKeyPath<Entity>...) -> Self { prefetchRelationships(paths) }

  /// With the entities that relations lead to.
  public func prefetchRelationships(_ paths: [PartialKeyPath<Entity>]) -> Self {
    let info = EntityInfo<Entity>.shared
    var query = self
    for path in paths {
      guard let place = info.relation(value: path) ?? info.relation(path),
        query.list.prefetched.insert(place).inserted
      else { continue }
      query.list.nested += info.loading([[place][...]])
    }
    return query
  }

  /// With the entities that a relation leads to.
  public func prefetchRelationship(_ path: PartialKeyPath<Entity>) -> Self { prefetchRelationships([path]) }

  /// With no more than these properties, those of earlier calls, and what an entity cannot be without: its id, and the
  /// properties that are not optional. The others are not read and nil, so that saving the entities as fragments,
  /// `save(to: &context, options: .fragment)`, keeps what is there. For the values alone see ``values(_:in:)``.
  public func fetchKeyPaths(_ paths: PartialKeyPath<Entity>...) -> Self { fetchKeyPaths(paths) }

  /// With no more than these properties, see ``fetchKeyPaths(_:)-(PartialKeyPath<Entity>...)``.
  public func fetchKeyPaths(_ paths: [PartialKeyPath<Entity>]) -> Self {
    let info = EntityInfo<Entity>.shared
    var query = self
    query.list.attributes = (list.attributes ?? []).union(paths.compactMap { info.property($0) })
    return query
  }

  private func refined(_ change: (inout QueryStage<Entity>) -> Void) -> Self {
    var query = self
    query.list.refine(change)
    return query
  }

  private func ordered(_ key: QueryOrder<Entity>, _ order: SortOrder) -> Self {
    refined { $0.order.append(order == .forward ? key : key.reversed) }
  }
}

extension QueryOrder {
  /// As a comparator sorts texts; where there is none comes first.
  fileprivate init<Property: TextProperty>(_ path: KeyPath<Entity, Property>, _ comparator: TextComparator) {
    let reader = PathReader(path)
    self.init(key: nil, { reader.read($0)?.knownText }) { left, right in
      switch (left, right) {
      case (nil, nil): 0
      case (nil, _): -1
      case (_, nil): 1
      case (let first?, let second?): comparator.compare(first, second).rawValue
      }
    }
  }
}

extension Query {
  /// An entity that the query gives.
  public typealias T = Entity

  /// All entities of the type.
  public init() { self.init(QueryList()) }
}

extension EntityModelProtocol {
  /// Takes those for which the predicate holds.
  public static func include(_ predicate: Predicate<Self>) -> Query<Self> { Query().include(predicate) }

  /// Takes those for which the predicate does not hold.
  public static func exclude(_ predicate: Predicate<Self>) -> Query<Self> { Query().exclude(predicate) }

  /// All in the order of a property.
  public static func sortBy<Key: Comparable>(
    _ path: KeyPath<Self, Key> & Sendable, order: SortOrder = .forward
  ) -> Query<Self> {
    Query().sortBy(path, order: order)
  }

  /// All in the order of an optional property, nil first.
  public static func sortBy<Key: Comparable>(
    _ path: KeyPath<Self, Key?> & Sendable, order: SortOrder = .forward
  ) -> Query<Self> {
    Query().sortBy(path, order: order)
  }

  /// All in the order of a text.
  public static func sortBy(
    _ path: KeyPath<Self, String> & Sendable, comparator: TextComparator = .localizedStandard,
    order: SortOrder = .forward
  ) -> Query<Self> {
    Query().sortBy(path, comparator: comparator, order: order)
  }

  /// All in the order of an optional text, nil first.
  public static func sortBy(
    _ path: KeyPath<Self, String?> & Sendable, comparator: TextComparator = .localizedStandard,
    order: SortOrder = .forward
  ) -> Query<Self> {
    Query().sortBy(path, comparator: comparator, order: order)
  }

  /// Takes those at the indices of a range.
  public static subscript(range: Range<Int>) -> Query<Self> { Query()[range] }

  /// All with the entities that relations lead to.
  public static func prefetchRelationships(_ paths: PartialKeyPath<Self>...) -> Query<Self> {
    Query().prefetchRelationships(paths)
  }

  /// All with the entities that relations lead to.
  public static func prefetchRelationships(_ paths: [PartialKeyPath<Self>]) -> Query<Self> {
    Query().prefetchRelationships(paths)
  }

  /// All with the entities that a relation leads to.
  public static func prefetchRelationship(_ path: PartialKeyPath<Self>) -> Query<Self> {
    Query().prefetchRelationships([path])
  }

  /// All with no more than these properties, and what an entity cannot be without.
  public static func fetchKeyPaths(_ paths: PartialKeyPath<Self>...) -> Query<Self> { Query().fetchKeyPaths(paths) }

  /// All with no more than these properties, and what an entity cannot be without.
  public static func fetchKeyPaths(_ paths: [PartialKeyPath<Self>]) -> Query<Self> { Query().fetchKeyPaths(paths) }
}

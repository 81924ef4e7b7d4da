import Foundation

// Names of swift-query's document for what has another name here. Its refinements may come in any order: a range of
// indices stays the last thing that is done, and an order is one within what earlier orders leave equal.

extension Query {
  /// A synonym of `Entity`.
  public typealias T = Entity
}

extension NestingQuery {
  /// A synonym of ``RefinableQuery/filter(_:)-(Predicate<Entity>)``, before a range of indices too.
  public func include(_ predicate: Predicate<Entity>) -> Self {
    refined(keepsRange: true) { $0.add(QueryPredicate.conjuncts(of: predicate)) }
  }

  /// A synonym of `filter` by the contrary of a predicate, before a range of indices too.
  public func exclude(_ predicate: Predicate<Entity>) -> Self {
    refined(keepsRange: true) { $0.add(QueryPredicate.conjuncts(of: predicate, isNegated: true)) }
  }

  /// A synonym of ``RefinableQuery/sorted(by:)``, within what earlier orders leave equal.
  public func sortBy<Key: Comparable>(_ path: KeyPath<Entity, Key> & Sendable, order: SortOrder = .forward) -> Self {
    ordered(QueryOrder(path), order)
  }

  /// A synonym of ``RefinableQuery/sorted(by:)``, within what earlier orders leave equal.
  public func sortBy<Key: Comparable>(_ path: KeyPath<Entity, Key?> & Sendable, order: SortOrder = .forward) -> Self {
    ordered(QueryOrder(optional: path), order)
  }

  /// A synonym of ``RefinableQuery/sorted(by:comparator:order:)``, within what earlier orders leave equal.
  public func sortBy(
    _ path: KeyPath<Entity, String> & Sendable, comparator: TextComparator = .localizedStandard,
    order: SortOrder = .forward
  ) -> Self { ordered(QueryOrder(path, comparator), order) }

  /// A synonym of ``RefinableQuery/sorted(by:comparator:order:)``, within what earlier orders leave equal.
  public func sortBy(
    _ path: KeyPath<Entity, String?> & Sendable, comparator: TextComparator = .localizedStandard,
    order: SortOrder = .forward
  ) -> Self { ordered(QueryOrder(path, comparator), order) }

  /// A synonym of `sorted` by the contrary of the order so far, `\.age.desc` for `\.age`; without one nothing changes.
  public func reverse() -> Self { refined(keepsRange: true) { $0.order = $0.order.map(\.reversed) } }

  /// A synonym of ``RefinableQuery/limit(_:offset:)``, in the place of an earlier range.
  public subscript(range: Range<Int>) -> Self { refined(keepsRange: true) { $0.take(range) } }

  /// A synonym of `with` for relations by name: `\.customer` or `\.$customer`.
  public func prefetchRelationships(_ paths: PartialKeyPath<Entity>...) -> Self { prefetching(paths) }

  /// A synonym of `with` for relations by name.
  public func prefetchRelationships(_ paths: [PartialKeyPath<Entity>]) -> Self { prefetching(paths) }

  /// A synonym of `with` for a relation by name.
  public func prefetchRelationship(_ path: PartialKeyPath<Entity>) -> Self { prefetching([path]) }

  /// A synonym of ``first(in:)``.
  public func any(in store: some EntityStore) throws -> Entity? { try first(in: store) }
}

extension EntityModelProtocol {
  /// A synonym of `filter`.
  public static func include(_ predicate: Predicate<Self>) -> Query<Self> { Query().include(predicate) }

  /// A synonym of `filter` by the contrary of a predicate.
  public static func exclude(_ predicate: Predicate<Self>) -> Query<Self> { Query().exclude(predicate) }

  /// A synonym of `query().sorted(by:)`.
  public static func sortBy<Key: Comparable>(
    _ path: KeyPath<Self, Key> & Sendable, order: SortOrder = .forward
  ) -> Query<Self> { Query().sortBy(path, order: order) }

  /// A synonym of `query().sorted(by:)`.
  public static func sortBy<Key: Comparable>(
    _ path: KeyPath<Self, Key?> & Sendable, order: SortOrder = .forward
  ) -> Query<Self> { Query().sortBy(path, order: order) }

  /// A synonym of `query().sorted(by:comparator:order:)`.
  public static func sortBy(
    _ path: KeyPath<Self, String> & Sendable, comparator: TextComparator = .localizedStandard,
    order: SortOrder = .forward
  ) -> Query<Self> { Query().sortBy(path, comparator: comparator, order: order) }

  /// A synonym of `query().sorted(by:comparator:order:)`.
  public static func sortBy(
    _ path: KeyPath<Self, String?> & Sendable, comparator: TextComparator = .localizedStandard,
    order: SortOrder = .forward
  ) -> Query<Self> { Query().sortBy(path, comparator: comparator, order: order) }

  /// A synonym of `query().limit(_:offset:)`.
  public static subscript(range: Range<Int>) -> Query<Self> { Query()[range] }

  /// A synonym of `query().with(…)` for relations by name.
  public static func prefetchRelationships(_ paths: PartialKeyPath<Self>...) -> Query<Self> {
    Query().prefetching(paths)
  }

  /// A synonym of `query().with(…)` for relations by name.
  public static func prefetchRelationships(_ paths: [PartialKeyPath<Self>]) -> Query<Self> {
    Query().prefetching(paths)
  }

  /// A synonym of `query().with(…)` for a relation by name.
  public static func prefetchRelationship(_ path: PartialKeyPath<Self>) -> Query<Self> { Query().prefetching([path]) }

  /// A synonym of ``first(in:)``.
  public static func any(in store: some EntityStore) throws -> Self? { try first(in: store) }
}

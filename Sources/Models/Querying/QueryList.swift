import GQLCatalog
import GQLStore

/// A query for many entities: which, in which order, with which of their relations. A value, answered by
/// ``NestingQuery/results(in:)``.
///
/// Unchecked because key paths of properties are immutable.
public struct QueryList<Entity: EntityModelProtocol>: @unchecked Sendable {
  @usableFromInline enum Source {
    case all
    /// All of a list: what closures of nested queries begin with.
    case list(ClosureList)
    case ids([Entity.ID])
    /// Members of other queries.
    case made(QuerySource<Entity>)
  }

  @usableFromInline var source: Source
  /// Each sees the rows that the one before it gives.
  @usableFromInline var stages: [QueryStage<Entity>] = []
  @usableFromInline var nested: [NestedQuery<Entity>] = []
  /// The places of relations that come with the entities, because they are likely to be looked at.
  @usableFromInline var prefetched: Set<Int> = []
  /// The list that the closure got which made the query, if it is nested.
  @usableFromInline var given: ClosureList?
  /// The attributes that are read; nil for all.
  @usableFromInline var attributes: Set<Int>?

  @inlinable init(_ source: Source = .all) { self.source = source }

  /// Whether nothing is asked beside the source. Counts, because the metadata that `isEmpty` asks for cost more.
  @inlinable var isPlain: Bool { stages.count == 0 && nested.count == 0 && attributes == nil }

  /// Returns the entities, in order, without those that cannot be read.
  func readable(in context: Context) -> [Entity] {
    guard let reading = QueryReading<Entity>(context), let rows = try? reading.rows(self) else { return [] }
    return reading.readable(rows, nested, only: attributes)
  }

  /// Changes the last stage, or a new one after a slice.
  ///
  /// - Parameter keepsRange: Whether a range of indices stays the last thing that is done.
  mutating func refine(keepsRange: Bool = false, _ change: (inout QueryStage<Entity>) -> Void) {
    if let last = stages.last, !last.isSliced || keepsRange && last.isRange {} else { stages.append(QueryStage()) }
    change(&stages[stages.count - 1])
  }

  // MARK: - Combinations

  /// Takes those that the other query gives too, in the order of this one.
  public func and(_ other: QueryList<Entity>) -> Self {
    if let predicate = other.predicate { return taking(other).filter(predicate) }
    return combined(.bothOf, [other])
  }

  /// Takes those that this or the other query gives.
  public func or(_ other: QueryList<Entity>) -> Self {
    if let first = predicate, let second = other.predicate, nested.isEmpty || stages.count == 1 {
      var query = taking(other)
      query.stages = [QueryStage(conjuncts: [first || second])]
      return query
    }
    return combined(.anyOf, [other])
  }

  /// Of the list that the other query is of, if that is one and this is of all.
  private func taking(_ other: Self) -> Self {
    guard case .all = source, case .list = other.source, stages.allSatisfy({ !$0.isSliced }) else { return self }
    var query = self
    query.source = other.source
    return query
  }

  /// The condition, if that is all that the query says of all entities.
  private var predicate: QueryPredicate<Entity>? {
    switch source {
    case .all, .list: break
    case .ids, .made: return nil
    }
    guard stages.count == 1, let stage = stages.first, stage.order.isEmpty, !stage.isSliced,
      let first = stage.conjuncts.first
    else { return nil }
    return stage.conjuncts.dropFirst().reduce(first) { $0 && $1 }
  }

  /// This query's rows, and those of others. What is combined so already takes them beside its own.
  private func combined(_ combination: Combination, _ others: [Self] = []) -> Self {
    var bare = self
    bare.nested = []
    var combined = CombinedSource(combination, [bare] + others)
    if stages.isEmpty, case .made(let source) = source, let known = source as? CombinedSource<Entity>,
      known.combination == combination
    {
      combined = known.with(others)
    }
    var query = Self(from: combined)
    query.nested = nested
    query.prefetched = prefetched
    query.attributes = attributes
    return query
  }

  /// Each entity once.
  public func distinct() -> Self { combined(.eachOnceOf) }

  /// The first one.
  public func first() -> Query<Entity> { Query(limit(1), nested) }

  /// The last one.
  public func last() -> Query<Entity> { Query(combined(.lastOf), nested) }
}

/// A query for several lists: the targets of a relation of each entity of another query. Refining it refines each list.
public struct QueryGroup<Entity: EntityModelProtocol>: RefinableQuery, @unchecked Sendable {
  /// Holds the refinements of each list.
  public var _list = QueryList<Entity>.ofClosure
  /// The targets of a relation of entities, with what is asked of each list of them.
  private let source: (QueryList<Entity>) -> QuerySource<Entity>
  /// Finds the lists: their rows, and where each ends.
  private let find: (QueryList<Entity>, Context) throws -> FoundRows

  init<Parent, Directionality, Constraints>(
    _ path: WritableKeyPath<Parent, Relation<Entity, Directionality, Relations.ToMany, Constraints>> & Sendable,
    of parents: QueryList<Parent>
  ) {
    source = { EachSource(path, parents, $0) }
    find = { list, context in
      guard let reading = try QueryReading<Parent>.of(context), try QueryReading<Entity>.of(context) != nil else {
        return FoundRows([])
      }
      var parents = parents
      parents.nested = [TypedNestedQuery(path, .ids, isPart: false, list)]
      return try reading.found(parents).nested?.first.flatMap { $0 } ?? FoundRows([])
    }
  }

  /// Returns the lists, in order.
  public func results(in store: some EntityStore) throws -> [[Entity]] {
    let context = store.entities
    guard let reading = try QueryReading<Entity>.of(context) else { return [] }
    let found = try find(_list, context)
    let entities = try reading.entities(found.rows, _list.nested, only: _list.attributes)
    return found.lists.map { Array(entities[$0]) }
  }

  /// Returns the first entity of each list; nil where there is none. The others are not read.
  public func first(in store: some EntityStore) throws -> [Entity?] {
    var group = self
    group._list.refineToFirst()
    return try group.results(in: store).map(\.first)
  }

  /// Counts the entities of each list. Nothing is read.
  public func count(in store: some EntityStore) throws -> [Int] { try find(_list, store.entities).lists.map(\.count) }

  /// Returns the lists, without what cannot be read.
  func readable(in context: Context) -> [[Entity]] {
    guard let reading = QueryReading<Entity>(context), let found = try? find(_list, context) else { return [] }
    return found.lists.map { reading.readable(Array(found.rows[$0]), _list.nested, only: _list.attributes) }
  }

  /// Makes a query for all lists in one.
  public func flatten() -> QueryList<Entity> { flatMap { $0 } }

  /// Makes a query for all lists in one, each changed by `transform`: `flatMap { $0.limit(2) }` has the first two of each.
  public func flatMap(_ transform: (QueryList<Entity>) -> QueryList<Entity>) -> QueryList<Entity> {
    var each = transform(_list)
    each.given = _list.given
    var list = QueryList(from: source(each))
    list.nested = each.nested
    list.prefetched = each.prefetched
    list.attributes = each.attributes
    return list
  }
}

import GQLCatalog
import GQLStore

/// A question for one entity: by its id, or the first of a list. A value, answered by ``resolve(in:)``.
public struct Query<Entity: EntityModelProtocol>: @unchecked Sendable {
  /// Nil where it is the first of `list`.
  @usableFromInline let id: Entity.ID?
  /// All that is asked beside the id.
  public var list: QueryList<Entity>

  @inlinable init(id: Entity.ID) {
    self.id = id
    list = QueryList()
  }

  /// The first of a list.
  init(_ list: QueryList<Entity>, _ nested: [NestedQuery<Entity>] = []) {
    id = nil
    self.list = list
    self.list.nested = nested
  }

  /// The entity of an id. The context is not needed: it is given to ``resolve(in:)``.
  public init(context: Context, id: Entity.ID) { self.init(id: id) }

  /// The entity; nil if there is none, or if it cannot be read because another program has put something else there.
  ///
  /// Complexity: O(1) for an id. Inlined, so that what asks for an entity by its text or number is made for its type.
  @inlinable
  public func resolve(in context: Context) -> Entity? {
    if let id, list.isPlain {
      // What is no text and no number, and what the context does not know yet, takes the way that all queries take.
      var lookup = EntityLookup.unknown
      if let text = id as? String {
        lookup = context.find(ObjectIdentifier(Entity.self), text: text)
      } else if let number = id as? Int {
        lookup = context.find(ObjectIdentifier(Entity.self), number: number)
      }
      switch lookup {
      case .unknown: break
      case .absent: return nil
      case .found(let cursor):
        var reader = EntityReader<Entity>(cursor)
        // The cursor holds addresses only.
        return withExtendedLifetime(context) { try? Entity(from: &reader) }
      }
    }
    return try? entity(in: context)
  }

  @usableFromInline
  func entity(in context: Context) throws -> Entity? {
    if let id, list.isPlain {
      guard let (_, mapping) = try context.storage.find(Entity.self), let snapshot = context.storage.current,
        let row = try mapping.row(id, snapshot)
      else { return nil }
      if mapping.readsDeleted { return try QueryReading<Entity>.of(context)?.entity(row) }
      return try mapping.entity(row, snapshot, context.storage.opaques(of: mapping.type))
    }
    guard let reading = try QueryReading<Entity>.of(context) else { return nil }
    let found = try reading.found(asList)
    return try reading.entities(found.part(0..<min(1, found.rows.count)), list.nested, only: list.attributes).first
  }

  /// As a list of one.
  package var asList: QueryList<Entity> {
    guard let id else { return list }
    var list = list
    list.source = .ids([id])
    return list
  }

  /// The entity, if the condition holds for it.
  public func filter(_ predicate: QueryPredicate<Entity>) -> Self {
    var query = self
    query.list = list.filter(predicate)
    return query
  }

  /// Takes the entity if it holds for it.
  @_disfavoredOverload
  public func filter(_ predicate: MetadataPredicate) -> Self { filter(predicate.predicate(of: Entity.self)) }

  /// The entity, if the condition holds for it too.
  public func and(_ predicate: QueryPredicate<Entity>) -> Self { filter(predicate) }
}

/// Questions for several lists.
public struct QueryGroup<Entity: EntityModelProtocol>: @unchecked Sendable {
  /// The targets of a relation of entities, with what a closure makes of each list of them; nil for all.
  let source: (QueryList<Entity>?) -> QuerySource<Entity>
  /// Finds the lists: their rows, and where each ends.
  let find: (Context) throws -> FoundRows
  var nested: [NestedQuery<Entity>] = []

  /// The lists, in order, without what cannot be read.
  public func resolve(in context: Context) -> [[Entity]] {
    guard let reading = QueryReading<Entity>(context), let found = try? find(context) else { return [] }
    let entities = try? reading.entities(found.rows, nested)
    var start = 0
    return found.ends.map { end in
      defer { start = end }
      return entities.map { Array($0[start..<end]) } ?? reading.readable(Array(found.rows[start..<end]), nested)
    }
  }

  /// All lists in one.
  public func flatten() -> QueryList<Entity> {
    var list = QueryList(from: source(nil))
    list.nested = nested
    return list
  }

  /// Explains how the query is answered: see ``QueryList/explain(in:costs:)``.
  public func explain(in context: Context, costs: Bool = true) -> String {
    flatten().explain(in: context, costs: costs)
  }

  /// All lists in one, each changed by `transform`: `flatMap { $0.limit(2) }` gives the first two of each.
  public func flatMap(_ transform: (QueryList<Entity>) -> QueryList<Entity>) -> QueryList<Entity> {
    let each = QueryList<Entity>.given { list in
      var list = list
      list.nested = nested
      return transform(list)
    }
    var list = QueryList(from: source(each))
    list.nested = each.nested
    list.prefetched = each.prefetched
    list.attributes = each.attributes
    return list
  }
}

extension EntityModelProtocol {
  /// The entity of an id.
  @inlinable public static func query(_ id: ID) -> Query<Self> { Query(id: id) }

  /// All entities of the type, in the order in which they were saved first.
  public static func query() -> QueryList<Self> { QueryList() }

  /// The entities of ids, in that order, each as often as its id; ids that are not saved are passed over.
  public static func query(_ ids: [ID]) -> QueryList<Self> { QueryList(.ids(ids)) }

  /// The entities for which a condition holds.
  public static func filter(_ predicate: QueryPredicate<Self>) -> QueryList<Self> { query().filter(predicate) }

  /// Finds the entities for which it holds.
  @_disfavoredOverload
  public static func filter(_ predicate: MetadataPredicate) -> QueryList<Self> { query().filter(predicate) }

  /// Asks for what is saved under its id.
  public func query() -> Query<Self> { Query(id: id) }
}

extension QueryList {
  /// The entities for which a condition holds: `.or(.filter(\.age == 30))`.
  public static func filter(_ predicate: QueryPredicate<Entity>) -> Self { Entity.filter(predicate) }

  /// Finds the entities for which it holds.
  @_disfavoredOverload
  public static func filter(_ predicate: MetadataPredicate) -> Self { Entity.filter(predicate) }
}

extension Array where Element: EntityModelProtocol {
  /// Asks for what is saved under the ids.
  public func query() -> QueryList<Element> { Element.query(map(\.id)) }
}

extension Array {
  /// The entities, without those that are not saved.
  public func resolve<Entity>(in context: Context) -> [Entity] where Element == Query<Entity> {
    compactMap { $0.resolve(in: context) }
  }
}

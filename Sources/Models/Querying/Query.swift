import Foundation
import GQLCatalog
import GQLStore

/// A query for one entity by its id, or for the first of a list. A value, answered by ``first(in:)``.
public struct Query<Entity: EntityModelProtocol>: NestingQuery, @unchecked Sendable {
  /// Nil where it is the first of the list.
  @usableFromInline let id: Entity.ID?
  /// All that is asked beside the id.
  public var _list: QueryList<Entity>

  @inlinable init(id: Entity.ID) {
    self.id = id
    _list = QueryList()
  }

  /// The first of a list.
  init(_ list: QueryList<Entity>, _ nested: [NestedQuery<Entity>] = []) {
    id = nil
    _list = list
    _list.nested = nested
  }

  /// Makes a query for all entities of the type; ``first(in:)`` is the first of them.
  public init() { self.init(QueryList()) }

  /// Returns the first entity; nil if there is none. The others are not read.
  ///
  /// Complexity: O(1) for an id. Inlined, so that what asks for an entity by its text or number is made for its type.
  @inlinable
  public func first(in store: some EntityStore) throws -> Entity? {
    let context = store.entities
    if let id, _list.isPlain {
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
        return try withExtendedLifetime(context) { try Entity(from: &reader) }
      }
    }
    return try entity(in: context)
  }

  @usableFromInline
  func entity(in context: Context) throws -> Entity? {
    guard let id, _list.isPlain else { return try asList.first(in: context) }
    guard let (_, mapping) = try context.storage.find(Entity.self), let snapshot = context.storage.current,
      let row = try mapping.row(id, snapshot)
    else { return nil }
    if mapping.readsDeleted { return try QueryReading<Entity>.of(context)?.entity(row) }
    return try mapping.entity(row, snapshot, context.storage.opaques(of: mapping.type))
  }

  /// As a list of one.
  package var asList: QueryList<Entity> {
    guard let id else { return _list }
    var list = _list
    list.source = .ids([id])
    return list
  }
}

extension EntityModelProtocol {
  /// Makes a query for the entity of an id.
  @inlinable public static func query(_ id: ID) -> Query<Self> { Query(id: id) }

  /// Makes a query for all entities of the type, in the order in which they were saved first.
  public static func query() -> QueryList<Self> { QueryList() }

  /// Makes a query for the entities of ids, in that order, each as often as its id; ids that are not saved are passed
  /// over.
  public static func query(_ ids: [ID]) -> QueryList<Self> { QueryList(.ids(ids)) }

  /// Makes a query for the entities for which a condition holds: `User.filter(\.age >= 18)`.
  public static func filter(_ condition: QueryPredicate<Self>) -> QueryList<Self> { query().filter(condition) }

  /// Makes a query for the entities for which a predicate holds: `User.filter(#Predicate { $0.age >= 18 })`.
  public static func filter(_ predicate: Predicate<Self>) -> QueryList<Self> { query().filter(predicate) }

  /// Makes a query for the entities for which a condition on metadata holds: `User.filter(.updated(within: range))`.
  @_disfavoredOverload
  public static func filter(_ condition: MetadataPredicate) -> QueryList<Self> { query().filter(condition) }

  /// Makes a query for what is saved under its id.
  public func query() -> Query<Self> { Query(id: id) }
}

extension QueryList {
  /// Makes a query for the entities for which a condition holds: `.or(.filter(\.age == 30))`.
  public static func filter(_ condition: QueryPredicate<Entity>) -> Self { Entity.filter(condition) }

  /// Makes a query for the entities for which a predicate holds.
  public static func filter(_ predicate: Predicate<Entity>) -> Self { Entity.filter(predicate) }

  /// Makes a query for the entities for which a condition on metadata holds.
  @_disfavoredOverload
  public static func filter(_ condition: MetadataPredicate) -> Self { Entity.filter(condition) }
}

extension Array where Element: EntityModelProtocol {
  /// Makes a query for what is saved under the ids.
  public func query() -> QueryList<Element> { Element.query(map(\.id)) }
}

extension Array {
  /// Returns the first entity of each query, without those that are not saved.
  public func results<Entity>(in store: some EntityStore) throws -> [Entity] where Element == Query<Entity> {
    let context = store.entities
    return try compactMap { try $0.first(in: context) }
  }
}

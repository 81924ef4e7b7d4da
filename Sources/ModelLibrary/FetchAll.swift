import GQLEngine
import GQLModels

/// All that a query gives, kept as a database changes.
///
/// Reading it is observed: in `withObservationTracking`, and by whatever is built on it. It is also a sequence of what the
/// query gives now and after each commit that changes that: `for try await answer in $property`. A commit that changes
/// nothing that the query looks at does not run it, commits that come together are told together, and the same answer is
/// never told twice.
///
/// Within a type marked `@Observable` it needs `@ObservationIgnored`; those who read it are told all the same. To ask
/// another question assign another one: `_property = FetchAll(query)`.
@propertyWrapper
public struct FetchAll<Entity: EntityModelProtocol>: Sendable {
  private let live: LiveAnswer<Entity, [Entity]>

  /// Follows all entities of the type, of ``Database/shared`` if no other database is said.
  public init(in database: Database? = nil) { self.init(Entity.query(), database) }

  /// All that a query gives, of ``Database/shared`` if no other database is said.
  public init(_ query: Query<Entity>, in database: Database? = nil) {
    self.init(query.asList, database)
  }

  /// All that a query gives, of ``Database/shared`` if no other database is said.
  public init(_ query: QueryList<Entity>, in database: Database? = nil) {
    self.init(query, database)
  }

  private init(_ list: QueryList<Entity>, _ database: Database?) {
    live = LiveAnswer(list, database ?? .shared, nothing: []) { cursor, answer in try cursor.entities(answer) }
  }

  /// Holds what the query gives now.
  public var wrappedValue: [Entity] { live.output }

  /// The property itself: a sequence of answers, with ``error``.
  public var projectedValue: Self { self }

  /// Tells why the query failed when it ran last; nil if it did not. Then the value is the one before.
  public var error: (any Error)? { live.error }

  /// How often the query ran for the property.
  var runs: Int { live.runs }
  /// Indicates that the property looks at nothing that it was told of. For tests.
  var isSettled: Bool { live.isSettled }
}

extension FetchAll: AsyncSequence {
  /// A result of the query.
  public typealias Element = [Entity]
  /// An error that running the query throws.
  public typealias Failure = any Error

  /// Answers from now on.
  public func makeAsyncIterator() -> _AnswerIterator<Entity, [Entity]> { _AnswerIterator(live) }
}

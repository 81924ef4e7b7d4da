import GQLEngine
import GQLModels

/// All that a query gives, read in batches when it is looked at, kept as a database changes; nil before the first commit to
/// an empty database, and if it has failed from the beginning.
///
/// Reading it is observed: in `withObservationTracking`, and by whatever is built on it. It is also a sequence of what the
/// query gives now and after each commit that changes that: `for try await answer in $property`. A commit that changes
/// nothing that the query looks at does not run it, commits that come together are told together, and the same answer is
/// never told twice.
///
/// Within a type marked `@Observable` it needs `@ObservationIgnored`; those who read it are told all the same. To ask
/// another question assign another one: `_property = FetchResults(query)`.
@propertyWrapper
public struct FetchResults<Entity: EntityModelProtocol>: Sendable {
  private let live: LiveAnswer<Entity, FetchResultsCollection<Entity>?>

  /// Follows all entities of the type, read in batches, of ``Database/shared`` if no other database is said.
  public init(batchSize: Int = 20, in database: Database? = nil) { self.init(Entity.query(), batchSize, database) }

  /// All that a query gives, read in batches, of ``Database/shared`` if no other database is said.
  public init(_ query: Query<Entity>, batchSize: Int = 20, in database: Database? = nil) {
    self.init(query.asList, batchSize, database)
  }

  /// All that a query gives, read in batches, of ``Database/shared`` if no other database is said.
  public init(_ query: QueryList<Entity>, batchSize: Int = 20, in database: Database? = nil) {
    self.init(query, batchSize, database)
  }

  private init(_ list: QueryList<Entity>, _ batchSize: Int, _ database: Database?) {
    live = LiveAnswer(list, database ?? .shared, nothing: nil) { cursor, answer in
      try FetchResultsCollection(cursor.list, answer.reading, answer.found, batchSize: batchSize)
    }
  }

  /// Holds what the query gives now; nil before the first commit to an empty database.
  public var wrappedValue: FetchResultsCollection<Entity>? {
    let output = live.output
    return live.database.entities.isUntouched ? nil : output
  }

  /// The property itself: a sequence of answers, with ``error``.
  public var projectedValue: Self { self }

  /// Tells why the query failed when it ran last; nil if it did not. Then the value is the one before.
  public var error: (any Error)? { live.error }

  /// How often the query ran for the property.
  var runs: Int { live.runs }
}

extension FetchResults: AsyncSequence {
  /// A result of the query.
  public typealias Element = FetchResultsCollection<Entity>?
  /// An error that running the query throws.
  public typealias Failure = any Error

  /// Answers from now on.
  public func makeAsyncIterator() -> _AnswerIterator<Entity, FetchResultsCollection<Entity>?> { _AnswerIterator(live) }
}

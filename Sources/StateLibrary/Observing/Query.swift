import GQLModels

#if canImport(SwiftUI)
  import Observation
  import SwiftUI

  /// A property of a view that has the instances of a model, and the view anew when they change.
  ///
  /// The database is the ``ObservableDatabase`` of the environment.
  @MainActor @propertyWrapper
  public struct Query<Result: ModelProtocol>: @MainActor DynamicProperty {
    @EnvironmentObject private var database: ObservableDatabase
    private let descriptor: QueryDescriptor<Result>

    /// A property with all instances, in the order in which they were created.
    public init() { self.init(descriptor: QueryDescriptor()) }

    /// A property with the instances that a descriptor chooses.
    public init(descriptor: QueryDescriptor<Result>) { self.descriptor = descriptor }

    /// The instances.
    public var wrappedValue: [Result] { descriptor.results(in: database) }
  }
#else
  /// A property that has the instances of a model.
  ///
  /// The database is the task's, see ``ObservableDatabase/withCurrent(_:_:)``, or else the process's,
  /// ``ObservableDatabase/current``.
  @propertyWrapper
  public struct Query<Result: ModelProtocol> {
    private let descriptor: QueryDescriptor<Result>

    /// A property with all instances, in the order in which they were created.
    public init() { self.init(descriptor: QueryDescriptor()) }

    /// A property with the instances that a descriptor chooses.
    public init(descriptor: QueryDescriptor<Result>) { self.descriptor = descriptor }

    /// The instances; none where there is no database.
    public var wrappedValue: [Result] { ObservableDatabase.current.map(descriptor.results) ?? [] }
  }
#endif

extension Query {
  /// A property with instances in an order; with all, in the order in which they were created, where nothing is said.
  public init(filter isIncluded: ((Result) -> Bool)? = nil, sort areInOrder: ((Result, Result) -> Bool)? = nil) {
    self.init(descriptor: QueryDescriptor(filter: isIncluded, sort: areInOrder))
  }

  /// A property with instances in the order of a value.
  public init<Value: Comparable>(
    filter isIncluded: ((Result) -> Bool)? = nil, sort order: QuerySortOrder, using value: @escaping (Result) -> Value
  ) {
    self.init(descriptor: QueryDescriptor(filter: isIncluded, sort: order, using: value))
  }

  /// A property with instances in the ascending order of a value.
  public init<Value: Comparable>(
    filter isIncluded: ((Result) -> Bool)? = nil, sortBy value: @escaping (Result) -> Value
  ) {
    self.init(descriptor: QueryDescriptor(filter: isIncluded, sortBy: value))
  }
}

extension ObservableDatabase {
  /// A database that is passed between tasks; its objects are not.
  private struct Passed: @unchecked Sendable {
    var database: ObservableDatabase?
  }
  private static let processCurrent = Guarded(Passed())
  @TaskLocal private static var taskCurrent: Passed?

  /// The database of queries.
  public static var current: ObservableDatabase? {
    get { (taskCurrent ?? processCurrent.withLock { $0 }).database }
    set { processCurrent.withLock { $0.database = newValue } }
  }

  /// Runs `body` with a database of its own for queries.
  public static func withCurrent<Output>(
    _ database: ObservableDatabase, _ body: () throws -> Output
  ) rethrows -> Output {
    try $taskCurrent.withValue(Passed(database: database), operation: body)
  }
}

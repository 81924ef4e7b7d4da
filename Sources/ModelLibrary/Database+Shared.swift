import GQLEngine
import GQLModels

extension Database {
  private static let processShared = Guarded(Database())
  @TaskLocal private static var taskShared: Database?

  /// The database of fetch properties that are not given one: the task's, see ``withShared(_:_:)``, or else the
  /// process's, which is empty until the program sets it.
  public static var shared: Database {
    get { taskShared ?? processShared.withLock { $0 } }
    set { processShared.withLock { $0 = newValue } }
  }

  /// Runs `body` with a database of its own as the shared one: in tests, in previews.
  public static func withShared<Output>(_ database: Database, _ body: () throws -> Output) rethrows -> Output {
    try $taskShared.withValue(database, operation: body)
  }

  /// Runs `body` with a database of its own as the shared one.
  public static func withShared<Output>(
    _ database: Database, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Output
  ) async rethrows -> Output {
    try await $taskShared.withValue(database, operation: body, isolation: isolation)
  }
}

import Foundation
import GQLite
import Testing

/// Runs that a task waits for, and that end with it.
@Suite struct AsyncRunTests {
  /// All pairs of 6,000 entities: many seconds, where nothing stops it.
  private static let database: Database? = try? {
    let database = try Database(schema: "type N { id: ID! n: Int! text: String! }")
    let lines = (0..<6000).map { "{\"id\":\($0),\"n\":\($0),\"text\":\"text \($0)\"}" }
    try database.load([.ndjson(type: "N", text: lines.joined(separator: "\n"))])
    return database
  }()
  private static let long = "{ N { id x := count(N(where: n * 2 + ^.n > 7 and text contains \"9\")) } }"

  /// The code of the error that a task ends with once it is cancelled; nil if it came to its end.
  private func cancel(
    _ run: @escaping @Sendable () async throws(QueryError) -> Answer
  ) async throws -> String? {
    let task = Task { () -> String? in
      do throws(QueryError) {
        _ = try await run()
        return nil
      } catch {
        return error.problems.first?.code
      }
    }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    return await task.value
  }

  @Test("cancelling the task stops the run") func cancels() async throws {
    let database = try #require(Self.database)
    let code = try await cancel { () throws(QueryError) in try await database.runAsync(Self.long) }
    #expect(code == "cancelled")
    let query = try database.prepare(Self.long)
    let options = RunOptions(cancellation: QueryCancellation())
    let other = try await cancel { () throws(QueryError) in try await query.runAsync(options: options) }
    #expect(other == "cancelled")
    // The program's own flag is not raised, for it may be another run's too.
    #expect(options.cancellation?.isCancelled == false)
  }

  @Test("a task that is cancelled before changes nothing") func before() async throws {
    let database = try Database(schema: "type A { id: ID! }")
    let task = Task { () -> String? in
      while !Task.isCancelled { await Task.yield() }
      do throws(QueryError) {
        try await database.runAsync("mutation { insertA(data: {id: 1}) { id } }")
        return nil
      } catch {
        return error.problems.first?.code
      }
    }
    task.cancel()
    #expect(await task.value == "cancelled")
    #expect(database.count(of: "A") == 0)
  }

  @Test("a task that waits for another writer changes nothing either") func waiting() async throws {
    let database = try Database(schema: "type A { id: ID! }")
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let release = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      try? database.transaction { _ in
        enter.finish()
        release.wait()
      }
    }
    for await _ in entered {}
    let task = Task { try await database.runAsync("mutation { insertA(data: {id: 1}) { id } }") }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    release.signal()
    await #expect(throws: QueryError.self) { try await task.value }
    #expect(database.count(of: "A") == 0)
  }

  @Test("answers, errors and the program's own flag") func answers() async throws {
    let database = try Database(schema: "type A { id: ID! }")
    try await database.runAsync("mutation($id: ID!) { insertA(data: {id: $id}) { id } }", ["id": 1])
    let query = try database.prepare("query($id: ID!) { a(id: $id) { id } }")
    #expect(try await query.runAsync(["id": 1]).jsonString == #"{"a":{"id":1}}"#)
    #expect(try await query.runAsync(variables: ["id": 1]).jsonString == #"{"a":{"id":1}}"#)
    #expect(try await database.runAsync("{ A { id } }", variables: ["x": 1]).jsonString == #"{"A":[{"id":1}]}"#)
    await #expect(throws: QueryError.self) { try await database.runAsync("{ B { id } }") }
    let cancellation = QueryCancellation()
    cancellation.cancel()
    await #expect(throws: QueryError.self) {
      try await database.runAsync("{ A { id } }", options: RunOptions(cancellation: cancellation))
    }
  }
}

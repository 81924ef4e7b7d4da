import Foundation
import GQLEngine
import GQLite
import Synchronization
import Testing

@Suite("live queries") struct LiveQueryTests {
  private static let schema = """
    type User { id: ID! name: String! @index age: Int @index(kind: BTREE) group: Int @index messages: [Message!]! }
    type Message { id: ID! text: String! sentAt: Int author: User }
    """

  private func database() throws -> Database {
    let database = try Database(schema: Self.schema)
    try database.run(
      """
      mutation { insertUser(data: [{id: 1, name: "Ada", age: 36, group: 1}, {id: 2, name: "Bo", age: 20, group: 2}]) {id}
        insertMessage(data: [{id: 1, text: "hi", sentAt: 1, author: 1}, {id: 2, text: "ho", sentAt: 2, author: 1}]) {id} }
      """)
    return database
  }

  /// What one subscriber was told.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ event: LiveEvent) { lines.withLock { $0.append(event.jsonLine) } }
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  private func take(_ log: Log, _ database: Database) -> [String] {
    database.waitUntilTold()
    return log.take()
  }

  @Test("the answer now, then each that differs, with the number of its transaction") func full() throws {
    let database = try database()
    let log = Log()
    let query = try database.prepare("subscription($g: Int!) { User(where: group == $g) { name } }")
    #expect(query.isLive)
    let subscription = try query.subscribe(["g": 1]) { log.add($0) }
    #expect(take(log, database) == [#"{"version":1,"data":{"User":[{"name":"Ada"}]}}"#])
    try database.run(#"mutation { updateUser(where: id == 1, set: {name: "Al"}) {id} }"#)
    #expect(take(log, database) == [#"{"version":2,"data":{"User":[{"name":"Al"}]}}"#])
    // Of another group, and of a field that is not asked for.
    try database.run(#"mutation { updateUser(where: id == 2, set: {name: "Bob"}) {id} }"#)
    try database.run("mutation { updateUser(where: id == 1, set: {age: 3}) {id} }")
    #expect(take(log, database) == [])
    try database.run("mutation { updateUser(where: id == 2, set: {group: 1}) {id} }")
    #expect(take(log, database) == [#"{"version":5,"data":{"User":[{"name":"Al"},{"name":"Bob"}]}}"#])
    try database.run("mutation { deleteUser(where: id == 1) }")
    #expect(take(log, database) == [#"{"version":6,"data":{"User":[{"name":"Bob"}]}}"#])
    subscription.cancel()
    try database.run("mutation { deleteUser(where: id == 2) }")
    #expect(take(log, database) == [])
  }

  @Test("differences are told against what was taken last") func differences() throws {
    let database = try database()
    let log = Log()
    let query = try database.prepare(
      "subscription @live(mode: DIFF) { Message(orderBy: -sentAt, limit: 2) { id text author { name } } }")
    let subscription = try query.subscribe { log.add($0) }
    #expect(
      take(log, database) == [
        #"{"version":1,"data":{"Message":[{"id":2,"text":"ho","author":{"name":"Ada"}},"#
          + #"{"id":1,"text":"hi","author":{"name":"Ada"}}]}}"#
      ])
    try database.run(#"mutation { insertMessage(data: {id: 3, text: "he", sentAt: 3}) {id} }"#)
    #expect(
      take(log, database) == [
        #"{"version":2,"patch":[{"op":"remove","path":"/Message/1"},"#
          + #"{"op":"add","path":"/Message/0","value":{"id":3,"text":"he","author":null}}]}"#
      ])
    try database.run("mutation { updateMessage(where: id == 3, set: {author: 2}) {id} }")
    #expect(
      take(log, database) == [
        #"{"version":3,"patch":[{"op":"replace","path":"/Message/0/author","value":{"name":"Bo"}}]}"#
      ])
    withExtendedLifetime(subscription) {}
  }

  @Test("a plan that fails later is an error, and then answers are told again") func failing() throws {
    let database = try database()
    let log = Log()
    let query = try database.prepare("{ User(where: id == 1) { x := 100 / (age - 20) } }")
    let subscription = try query.subscribe(mode: .diff) { log.add($0) }
    #expect(take(log, database) == [#"{"version":1,"data":{"User":[{"x":6.25}]}}"#])
    try database.run("mutation { updateUser(where: id == 1, set: {age: 20}) {id} }")
    let error = take(log, database)
    #expect(error.count == 1)
    #expect(error.first?.contains(#""code":"division-by-zero""#) ?? false)
    #expect(error.first?.hasPrefix(#"{"version":2,"errors":[{"#) ?? false)
    // The same error is not told again.
    try database.run("mutation { updateUser(where: id == 1, set: {name: \"x\"}) {id} }")
    #expect(take(log, database) == [])
    try database.run("mutation { updateUser(where: id == 1, set: {age: 30}) {id} }")
    #expect(take(log, database) == [#"{"version":4,"data":{"User":[{"x":10}]}}"#])
    withExtendedLifetime(subscription) {}
  }

  @Test("a sequence of events, in which commits that come together are one") func sequence() async throws {
    let database = try database()
    let query = try database.prepare("{ n: count(User) }")
    var events = try query.live(mode: .diff).makeAsyncIterator()
    #expect(await events.next()?.jsonLine == #"{"version":1,"data":{"n":2}}"#)
    for id in 3...20 { try database.run("mutation { insertUser(data: {id: \(id), name: \"x\"}) {id} }") }
    database.waitUntilTold()
    // One place, whoever does not read meanwhile.
    #expect(await events.next()?.jsonLine == #"{"version":19,"patch":[{"op":"replace","path":"/n","value":20}]}"#)
    let waiting = Task { [events] in
      var events = events
      return await events.next()
    }
    waiting.cancel()
    #expect(await waiting.value == nil)
  }

  @Test("'every' is the shortest time between two events") func every() throws {
    let database = try database()
    let log = Log()
    let query = try database.prepare(#"query @live(every: "PT0.2S") { n: count(User) }"#)
    let start = ContinuousClock.now
    let subscription = try query.subscribe { log.add($0) }
    #expect(take(log, database).count == 1)
    for id in 3...6 { try database.run("mutation { insertUser(data: {id: \(id), name: \"x\"}) {id} }") }
    var told = take(log, database)
    // On a busy machine the time may be over by now, and one event may have told of a part of the changes.
    if start.duration(to: .now) < .milliseconds(200) { #expect(told == []) }
    for _ in 0..<30_000 where told.last != #"{"version":5,"data":{"n":6}}"# {
      usleep(2000)
      told += log.take()
    }
    #expect(told.last == #"{"version":5,"data":{"n":6}}"#)
    let took = start.duration(to: .now)
    #expect(took >= .milliseconds(150) * told.count, "\(told) in \(took)")
    withExtendedLifetime(subscription) {}
  }

  @Test("'now()' moves with commits, and with 'tick'") func now() throws {
    let database = try database()
    let (log, ticks) = (Log(), Log())
    let plain = try database.prepare("{ n := now() }").subscribe { log.add($0) }
    let ticking = try database.prepare(#"subscription @live(tick: "PT0.02S") { n := now() m := 1 }"#)
      .subscribe { ticks.add($0) }
    #expect(take(log, database).count == 1)
    // Of another type than any that is asked for.
    try database.run(#"mutation { updateMessage(where: id == 1, set: {text: "later"}) {id} }"#)
    #expect(take(log, database).count == 1)
    var count = 0
    for _ in 0..<12_000 where count < 4 {
      usleep(5000)
      count += ticks.take().count
    }
    #expect(count >= 4)
    #expect(log.take() == [])
    withExtendedLifetime((plain, ticking)) {}
  }

  @Test("equal questions share one run") func sharing() throws {
    let database = try database()
    let log = Log()
    let runs = Mutex(0)
    try database.register(function: "noted", isDeterministic: false) { (name: String) -> String in
      runs.withLock { $0 += 1 }
      return name
    }
    let noted = try database.prepare("query($g: Int!) { User(where: group == $g) { n: noted(name) } }")
    let subscriptions = try (0..<50).map { _ in try noted.subscribe(["g": 1]) { log.add($0) } }
    #expect(take(log, database).count == 50)
    #expect(runs.withLock { $0 } == 1)
    try database.run(#"mutation { updateUser(where: id == 1, set: {name: "Al"}) {id} }"#)
    #expect(Set(take(log, database)) == [#"{"version":2,"data":{"User":[{"n":"Al"}]}}"#])
    #expect(runs.withLock { $0 } == 2)
    withExtendedLifetime(subscriptions) {}
  }

  @Test("there is a limit of live queries, and of the bytes that they hold") func limits() throws {
    let database = try database()
    database.limits.liveQueries = 100
    let query = try database.prepare("query($g: Int!) { User(where: group == $g) { name } }")
    var subscriptions: [LiveSubscription] = []
    var refused = 0
    for number in 0..<100_000 {
      do {
        subscriptions.append(try query.subscribe(["g": .int(Int64(number))]) { _ in })
      } catch {
        #expect(error.problems.first?.code == "limit-exceeded")
        refused += 1
      }
    }
    #expect(refused == 99_900)
    subscriptions.removeAll()
    database.limits.liveBytes = 10
    let log = Log()
    let subscription = try query.subscribe(["g": 1]) { log.add($0) }
    let told = take(log, database)
    #expect(told.first?.contains("live-bytes") ?? false, "\(told)")
    withExtendedLifetime(subscription) {}
  }

  @Test("a mutation is not followed") func mutations() throws {
    let database = try database()
    let mutation = try database.prepare("mutation { deleteUser(where: id == 9) }")
    #expect(throws: QueryError.self) { _ = try mutation.live() }
    do {
      _ = try mutation.subscribe { _ in }
    } catch {
      #expect(error.problems.map(\.code) == ["not-live"])
    }
  }

  @Test("a change of the schema binds the query again") func schema() throws {
    let database = try database()
    let log = Log()
    let query = try database.prepare("{ User(where: id == 1) { name age } }")
    let subscription = try query.subscribe { log.add($0) }
    #expect(take(log, database).count == 1)
    try database.changeSchema(to: Self.schema.replacing("age: Int @index(kind: BTREE)", with: ""), allowingLoss: true)
    let told = take(log, database)
    #expect(told.count == 1 && told[0].contains("unknown-field"), "\(told)")
    try database.changeSchema(to: Self.schema)
    #expect(take(log, database).count == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test("who never reads holds one answer, and who follows may write and cancel") func within() throws {
    let database = try database()
    let events = try database.prepare("{ User { name } }").live()
    let unread = events.makeAsyncIterator()
    let log = Log()
    let counter = try database.prepare("{ n: count(Message) }")
    let holder = Mutex<LiveSubscription?>(nil)
    let made = try database.prepare("{ m: count(User) }").subscribe { [weak database] event in
      log.add(event)
      _ = try? database?.run("mutation { insertMessage(data: {id: 100, text: \"t\"}) {id} }")
      holder.withLock { $0 = nil }
    }
    holder.withLock { $0 = made }
    made.cancel()
    let other = try counter.subscribe { log.add($0) }
    for id in 3...40 { try database.run("mutation { insertUser(data: {id: \(id), name: \"x\"}) {id} }") }
    #expect(!take(log, database).isEmpty)
    withExtendedLifetime((unread, other)) {}
  }
}

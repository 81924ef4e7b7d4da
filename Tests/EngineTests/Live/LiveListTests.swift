import GQLDifferential
import GQLEngine
import GQLite
import Synchronization
import Testing

/// Long lists, of which the elements of changed entities alone are found again.
@Suite("lists that are followed") struct LiveListTests {
  private static let schema = """
    type User { id: ID! name: String! age: Int @index(kind: BTREE) city: City }
    type City { id: ID! name: String! }
    """

  /// A hundred users; the age of each is its id.
  private func database() throws -> Database {
    let database = try Database(schema: Self.schema)
    let users = (0..<100).map { #"{id: \#($0), name: "u\#($0)", age: \#($0), city: \#($0 % 2)}"# }
    try database.run(
      """
      mutation { insertCity(data: [{id: 0, name: "Rom"}, {id: 1, name: "Ulm"}]) {id}
        insertUser(data: [\(users.joined(separator: ","))]) {id} }
      """)
    return database
  }

  /// A live query, and the answer that all patches have led to.
  private final class Follower: Sendable {
    private let database: Database
    private let query: PreparedQuery
    private let events = Mutex<[LiveEvent]>([])
    private let subscription: Mutex<LiveSubscription?> = Mutex(nil)
    private let answer = Mutex("")

    init(_ database: Database, _ text: String) throws {
      self.database = database
      query = try database.prepare(text)
      let made = try query.subscribe(mode: .diff) { [weak self] event in self?.events.withLock { $0.append(event) } }
      subscription.withLock { $0 = made }
      database.waitUntilTold()
      _ = try take()
    }

    /// Expects what is told of a mutation, that it leads to the answer of the query run again, and whether it was found
    /// by changing the answer before.
    func expect(
      _ told: [String]? = nil, isChanged: Bool? = true, after mutation: String,
      _ place: SourceLocation = #_sourceLocation
    ) throws {
      let before = database.live.changedLists.load(ordering: .relaxed)
      try database.run("mutation { \(mutation) }")
      database.waitUntilTold()
      let after = database.live.changedLists.load(ordering: .relaxed)
      let found = try take()
      if let told { #expect(found == told, sourceLocation: place) }
      if let isChanged { #expect((after > before) == isChanged, sourceLocation: place) }
      let again = (try? query.run().jsonString) ?? "error"
      #expect(answer.withLock { $0 } == again, sourceLocation: place)
    }

    private func take() throws -> [String] {
      let events = self.events.withLock { events in
        defer { events = [] }
        return events
      }
      return try events.map { event in
        guard let patch = event.patch else {
          answer.withLock { $0 = event.answer?.jsonString ?? "error" }
          return event.jsonLine
        }
        try answer.withLock { answer in
          var tree = try JSONReference(answer)
          try tree.apply(try JSONReference(patch.jsonString))
          answer = tree.text
        }
        return patch.jsonString
      }
    }
  }

  @Test("an element that changes, moves, comes or goes") func elements() throws {
    let follower = try Follower(database(), "{ User(orderBy: -age) { id name age } }")
    try follower.expect(
      [#"[{"op":"replace","path":"/User/2/name","value":"x"}]"#],
      after: #"updateUser(where: id == 97, set: {name: "x"}) {id}"#)
    // The first one moves after the other of 49, which stands at place 50 of the list as it was.
    try follower.expect(
      [#"[{"op":"add","path":"/User/51","value":{"id":99,"name":"u99","age":49}},{"op":"remove","path":"/User/0"}]"#],
      after: "updateUser(where: id == 99, set: {age: 49}) {id}")
    try follower.expect(
      [#"[{"op":"add","path":"/User/0","value":{"id":200,"name":"new","age":1000}}]"#],
      after: #"insertUser(data: {id: 200, name: "new", age: 1000}) {id}"#)
    // Nulls come last.
    try follower.expect(
      [#"[{"op":"add","path":"/User/101","value":{"id":201,"name":"none","age":null}}]"#],
      after: #"insertUser(data: {id: 201, name: "none"}) {id}"#)
    try follower.expect([#"[{"op":"remove","path":"/User/100"}]"#], after: "deleteUser(where: id == 0)")
    // Two neighbors take each other's place.
    try follower.expect(after: "updateUser(where: id in [10, 11], set: {age: 21 - age}) {id}")
    // Several differences in one mutation.
    try follower.expect(
      after: #"deleteUser(where: id in [20, 40]) updateUser(where: id == 60, set: {age: 5, name: "y"}) {id}"#)
  }

  @Test("several fields of an element, under keys that a path escapes") func paths() throws {
    let database = try database()
    for key in ["everybodyWhoTakesPart", "`a/b`", "`a~b`", "`a~1b`"] {
      let follower = try Follower(database, "{ \(key): User(orderBy: id) { age a := age + 1 b := age * 2 } }")
      try follower.expect(after: "updateUser(where: id == 50, set: {age: age + 1}) {id}")
    }
    let follower = try Follower(database, "{ `a/b~c`: User(orderBy: id) { name } }")
    try follower.expect(
      [#"[{"op":"replace","path":"/a~1b~0c/7/name","value":"x"}]"#],
      after: #"updateUser(where: id == 7, set: {name: "x"}) {id}"#)
  }

  @Test("a run that has a limit of rows is held to it") func visits() throws {
    let database = try database()
    database.limits.visitedRows = 150
    let follower = try Follower(database, "{ User(orderBy: -age) { id } }")
    for id in 300..<360 {
      try follower.expect(isChanged: nil, after: #"insertUser(data: {id: \#(id), name: "n", age: 1}) {id}"#)
    }
  }

  @Test("a list of more elements than footprints keep rows of") func long() throws {
    let database = try database()
    for first in stride(from: 1000, to: 7000, by: 1000) {
      let users = (first..<first + 1000).map { #"{id: \#($0), name: "u\#($0)", age: \#($0)}"# }
      try database.run("mutation { insertUser(data: [\(users.joined(separator: ","))]) }")
    }
    let follower = try Follower(database, "{ User(orderBy: [-age, id]) { id name } }")
    // Of 6,100 elements, that of 6999 is the first.
    try follower.expect(
      [#"[{"op":"replace","path":"/User/4999/name","value":"x"}]"#],
      after: #"updateUser(where: id == 2000, set: {name: "x"}) {id}"#)
    try follower.expect(
      [#"[{"op":"remove","path":"/User/0"}]"#], after: "deleteUser(where: id == 6999)")
    try follower.expect(after: "updateUser(where: id in [1500, 3500], set: {age: 2500}) {id}")
  }

  @Test("what no element shows is not told") func same() throws {
    let follower = try Follower(database(), "{ User(where: age >= 10, orderBy: name) { name } }")
    try follower.expect([], after: "updateUser(where: id == 50, set: {age: 51}) {id}")
    // No entity of the list, before or after.
    try follower.expect([], isChanged: false, after: "updateUser(where: id == 3, set: {age: 4}) {id}")
    try follower.expect(
      [#"[{"op":"remove","path":"/User/0"}]"#], after: "updateUser(where: id == 10, set: {age: 9}) {id}")
  }

  @Test("a list with a limit is changed as far as it is known") func limits() throws {
    let database = try database()
    let follower = try Follower(database, "{ User(orderBy: -age, limit: 70) { name } }")
    // Ages of 30 to 99. One comes at the front, and the last one goes.
    try follower.expect(
      [#"[{"op":"remove","path":"/User/69"},{"op":"add","path":"/User/0","value":{"name":"u5"}}]"#],
      after: "updateUser(where: id == 5, set: {age: 500}) {id}")
    // Within the list.
    try follower.expect(after: "updateUser(where: id == 5, set: {age: 50}) {id}")
    // Out of the list: which one comes in its place is not known.
    try follower.expect(isChanged: false, after: "updateUser(where: id == 5, set: {age: 0}) {id}")
    // Beyond the end.
    try follower.expect([], after: "updateUser(where: id == 5, set: {age: 7}) {id}")
    try follower.expect(isChanged: false, after: "deleteUser(where: id == 80)")
    let short = try Follower(database, "{ User(where: age < 70, orderBy: id, limit: 75) { id } }")
    for id in 300..<310 {
      try short.expect(after: #"insertUser(data: {id: \#(id), name: "n", age: 1}) {id}"#)
    }
    try short.expect(
      [#"[{"op":"remove","path":"/User/74"},{"op":"add","path":"/User/70","value":{"id":150}}]"#],
      after: #"insertUser(data: {id: 150, name: "n", age: 1}) {id}"#)
  }

  @Test("what is read on the way has the query run again") func others() throws {
    let follower = try Follower(database(), "{ User(orderBy: name) { name town := city.name } }")
    try follower.expect(
      [#"[{"op":"replace","path":"/User/0/town","value":"Ulm"}]"#],
      after: "updateUser(where: id == 0, set: {city: 1}) {id}")
    try follower.expect(isChanged: false, after: #"updateCity(where: id == 1, set: {name: "Bonn"}) {id}"#)
  }

  @Test("a condition without an index is put to what has changed alone") func scans() throws {
    let database = try database()
    database.live.fewestChanged.store(4, ordering: .relaxed)
    let follower = try Follower(database, #"{ User(where: name contains "x") { id } }"#)
    try follower.expect([], after: #"updateUser(where: id == 1, set: {name: "y"}) {id}"#)
    try follower.expect(
      [#"[{"op":"add","path":"/User/0","value":{"id":1}}]"#],
      after: #"updateUser(where: id == 1, set: {name: "x"}) {id}"#)
    try follower.expect(
      [#"[{"op":"remove","path":"/User/0"}]"#], after: #"updateUser(where: id == 1, set: {name: "y"}) {id}"#)
  }

  @Test("after an error the list is whole again") func errors() throws {
    let follower = try Follower(database(), "{ User(orderBy: id) { x := 100 / (age - 1000) } }")
    try follower.expect(after: "updateUser(where: id == 1, set: {age: 2}) {id}")
    try follower.expect(isChanged: false, after: "updateUser(where: id == 1, set: {age: 1000}) {id}")
    try follower.expect(isChanged: false, after: "updateUser(where: id == 1, set: {age: 2}) {id}")
    try follower.expect(after: "updateUser(where: id == 1, set: {age: 3}) {id}")
  }

  @Test("the bytes of older answers that slow subscribers hold count") func bytes() throws {
    let database = try database()
    let query = try database.prepare("{ User(where: age > 1000) { name } }")
    let text = String(repeating: "x", count: 100_000)
    try database.run(#"mutation { insertUser(data: {id: 500, name: "\#(text)", age: 2000}) {id} }"#)
    // Room for the newest answer, and for two that are older than the one before.
    database.limits.liveBytes = 350_000
    var slow: [LiveSubscription] = []
    func next(_ number: Int) throws -> LiveEvent? {
      slow.append(try query.follow())
      database.waitUntilTold()
      let taken = slow.last?.take()
      try database.run(#"mutation { updateUser(where: id == 500, set: {name: "\#(number)\#(text)"}) {id} }"#)
      database.waitUntilTold()
      return taken
    }
    for number in 0..<4 { #expect(try next(number)?.answer != nil) }
    for subscription in slow { #expect(subscription.take()?.error?.problems.first?.code == "limit-exceeded") }
    // Who goes holds nothing.
    slow = []
    database.waitUntilTold()
    #expect(try next(4)?.answer != nil)
    #expect(slow.last?.take()?.answer != nil)
  }
}

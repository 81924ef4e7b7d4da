import Foundation
import GQLDifferential
import GQLite
import Testing

/// `_versions`, `versions: ALL` and `_changes`.
@Suite struct VersionListTests {
  private static let schema = """
    type User @history {
      id: ID! name: String age: Int tags: [String!] secret: Int @history(off: true) home: Home
      team: Team @relation(inverse: "members") labels: [Label!]! @relation(inverse: "users")
    }
    type Home { city: String number: Int }
    type Team { id: ID! title: String members: [User!]! @relation(inverse: "team") }
    type Label { id: ID! users: [User!]! @relation(inverse: "labels") }
    """

  private func at(_ seconds: Double) -> RunOptions { RunOptions(now: Int64(seconds * 1_000_000)) }

  private func answer(_ database: Database, _ text: String) throws -> String { try database.run(text).jsonString }

  private func values() throws -> Database {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { insertUser(data: {id: 1, age: 1}) }", options: at(1))
    for second in [3, 5, 7] {
      try database.run(
        "mutation($v: Int) { updateUser(where: id == 1, set: {age: $v}) }", ["v": .int(Int64(second))],
        options: at(Double(second)))
    }
    return database
  }

  @Test("a version has the values of its time, and says from when until when it was the newest") func times() throws {
    let database = try values()
    #expect(
      try answer(database, "{ user(id: 1) { _versions(orderBy: -_version, limit: 2) { age _version _from _until } } }")
        == #"{"user":{"_versions":[{"age":7,"_version":4,"_from":"1970-01-01T00:00:07Z","_until":null},"#
        + #"{"age":5,"_version":3,"_from":"1970-01-01T00:00:05Z","_until":"1970-01-01T00:00:07Z"}]}}"#)
    #expect(
      try answer(
        database,
        #"{ User { _versions(where: _from <= "1970-01-01T00:00:04Z" and _until > "1970-01-01T00:00:04Z") { age } } }"#)
        == #"{"User":[{"_versions":[{"age":3}]}]}"#)
  }

  @Test("versions are ordered, grouped, counted and paged like other lists") func lists() throws {
    let database = try values()
    try database.run("mutation { insertUser(data: {id: 2, age: 3}) }", options: at(9))
    #expect(
      try answer(database, "{ User(versions: ALL, groupBy: age, orderBy: age) { age n: count() } }")
        == #"{"User":[{"age":1,"n":1},{"age":3,"n":2},{"age":5,"n":1},{"age":7,"n":1}]}"#)
    #expect(
      try answer(database, "{ n: count(User(versions: ALL, where: age > 3)) best := max(User(versions: ALL).age) }")
        == #"{"n":2,"best":7}"#)
    let page = try database.run(
      "{ User(versions: ALL, orderBy: [id, _version], limit: 2) { id _version _cursor } }")
    let cursor = try #require(Value(json: page.jsonString)["User"]?[1]?["_cursor"])
    #expect(
      try database.run(
        "query($c: Cursor) { User(versions: ALL, orderBy: [id, _version], limit: 2, after: $c) { id _version } }",
        ["c": cursor]
      ).jsonString == #"{"User":[{"id":1,"_version":3},{"id":1,"_version":4}]}"#)
  }

  @Test("a live query follows the versions") func live() async throws {
    let database = try values()
    let query = try database.prepare("{ user(id: 1) { n: count(_versions) } }")
    var events = try query.live().makeAsyncIterator()
    #expect(await events.next()?.answer?.jsonString == #"{"user":{"n":4}}"#)
    try database.run("mutation { updateUser(where: id == 1, set: {age: 9}) }")
    #expect(await events.next()?.answer?.jsonString == #"{"user":{"n":5}}"#)
  }

  @Test("what is erased is gone from all versions") func erased() throws {
    let database = try values()
    try database.run("mutation { insertUser(data: {id: 2, age: 3}) }")
    #expect(try answer(database, "{ n: count(User(versions: ALL)) m: count(_changes) }") == #"{"n":5,"m":5}"#)
    try database.run("mutation { deleteUser(where: id == 1, hard: true) }")
    #expect(try answer(database, "{ n: count(User(versions: ALL)) m: count(_changes) }") == #"{"n":1,"m":1}"#)
  }

  @Test("of a history that is cut, the oldest version has no time") func cut() throws {
    let database = try Database(schema: "type A @history(versions: 2) { id: ID! n: Int }")
    try database.run("mutation { insertA(data: {id: 1, n: 0}) }")
    for number in 1...5000 {
      try database.run("mutation($n: Int) { updateA(where: id == 1, set: {n: $n}) }", ["n": .int(Int64(number))])
      if number % 1700 == 0 {
        let text = try answer(
          database, "{ a(id: 1) { _versions(limit: 1) { known := _from != null } l: max(_versions.n) } }")
        #expect(text.hasSuffix(#""l":\#(number)}}"#))
      }
    }
    let value = try Value(
      json: answer(database, "{ a(id: 1) { n: count(_versions) _versions(limit: 1) { n _version _from _change } } }"))
    // At least so many are kept, and not all.
    let count = try #require(value["a"]?["n"]?.int)
    #expect(count >= 3 && count < 4000)
    let first = try #require(value["a"]?["_versions"]?[0])
    #expect(first["n"]?.int == 5001 - count && first["_from"] == .null && first["_change"] == .null)
    #expect(first["_version"]?.int == 5002 - count)
  }

  @Test("a schema that changes leaves the versions, under its fields") func schema() throws {
    let database = try values()
    try database.changeSchema(
      to: Self.schema.replacingOccurrences(of: "age: Int", with: "years: Int @was(name: \"age\")"))
    #expect(
      try answer(database, "{ user(id: 1) { _versions { years } } }")
        == #"{"user":{"_versions":[{"years":1},{"years":3},{"years":5},{"years":7}]}}"#)
  }

  @Test("versions are not read within a transaction or a context") func elsewhere() throws {
    let database = try values()
    let context = database.edit()
    #expect(throws: QueryError.self) { try context.run("{ user(id: 1) { _versions { age } } }") }
    let error = #expect(throws: QueryError.self) {
      try database.transaction { transaction in
        try transaction.run(database.prepare("{ user(id: 1) { _versions { age } } }"))
      }
    }
    #expect(error?.problems.first?.code == "no-history")
  }

  @Test(
    "ids of what is gone are gone from all versions, whenever these were first asked for", arguments: [true, false])
  func goneLinks(_ isAskedFirst: Bool) throws {
    let database = try Database(schema: "type A @history { id: ID! b: B } type B { id: ID! }")
    try database.run(#"mutation { insertA(data: {id: 1, b: {id: "gone"}}) }"#)
    let text = "{ A { _versions { b _version _changed } } }"
    if isAskedFirst {
      #expect(try answer(database, text) == #"{"A":[{"_versions":[{"b":"gone","_version":1,"_changed":[]}]}]}"#)
    }
    try database.run(#"mutation { deleteB(where: id == "gone", hard: true) }"#)
    // Losing it is no change that anybody may see.
    #expect(try answer(database, text) == #"{"A":[{"_versions":[{"b":null,"_version":1,"_changed":[]}]}]}"#)
  }

  @Test("entities that have had one id keep their own versions") func sharedIDs() throws {
    let database = try Database(schema: "type A @history { id: ID! n: Int }")
    for text in [
      #"insertA(data: {id: "x", n: 1})"#, #"eraseA(where: id == "x")"#, #"updateA(where: id == "x", set: {id: "y"})"#,
      #"insertA(data: {id: "x", n: 2})"#, #"eraseA(where: id == "x")"#, #"updateA(where: id == "x", set: {n: 3})"#,
    ] { try database.run("mutation { \(text) }") }
    #expect(
      try answer(
        database, "{ A(orderBy: id) { id _versions { id n } } _changes(where: version > 4) { fields { old new } } }")
        == #"{"A":[{"id":"x","_versions":[{"id":"x","n":2},{"id":"x","n":3}]},"#
        + #"{"id":"y","_versions":[{"id":"x","n":1},{"id":"y","n":1}]}],"#
        + #""_changes":[{"fields":[{"old":2,"new":3}]}]}"#)
  }

  @Test("making the versions ends with the time and the memory of a run") func limits() throws {
    let database = try Database(schema: "type A @history { id: ID! n: Int s: String }")
    let rows = (0..<4_000).map { "{id: \($0), s: \"a text that is longer than a cell \($0)\"}" }.joined(separator: ",")
    try database.run("mutation { insertA(data: [\(rows)]) }")
    for n in 0..<8 { try database.run("mutation { updateA(where: true, all: true, set: {n: \(n)}) }") }
    var options = RunOptions()
    options.timeout = .milliseconds(1)
    #expect(throws: QueryError.self) { try database.run("{ n: count(A(versions: ALL)) }", options: options) }
    #expect(throws: QueryError.self) { try database.run("{ n: count(_changes) }", options: options) }
    #expect(try answer(database, "{ n: count(A(versions: ALL)) m: count(_changes) }") == #"{"n":36000,"m":36000}"#)
  }

  @Test("what makes way for a new entity of its id stays in the past, unless it is deleted for good") func replaced()
    throws
  {
    let database = try Database(schema: "type A @history { id: ID! n: Int }")
    try database.run("mutation { insertA(data: {id: 1, n: 1}) }")
    try database.run("mutation { deleteA(where: id == 1) insertA(data: {id: 1, n: 2}) }")
    let gone = #"{"n":1,"_change":"CREATED"},{"n":1,"_change":"DELETED"}"#
    let question = "{ A(versions: ALL) { n _change } }"
    #expect(try answer(database, question) == #"{"A":[\#(gone),{"n":2,"_change":"CREATED"}]}"#)
    try database.run("mutation { deleteA(where: id == 1, hard: true) insertA(data: {id: 1, n: 3}) }")
    #expect(try answer(database, question) == #"{"A":[\#(gone),{"n":3,"_change":"CREATED"}]}"#)
  }

  @Test(
    "an entity whose insertion is taken back is deleted with that, whenever versions were first asked for",
    arguments: [false, true], [false, true]) func undone(_ isInFile: Bool, _ isAskedFirst: Bool) throws
  {
    let schema = "type A @history { id: ID! n: Int }"
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "a.gqlite").path
    let database = try isInFile ? Database(path: path, schema: schema) : Database(schema: schema)
    database.recentVersions = 1 << 20
    let question = "{ _changes(from: 1) { version id change fields { name } } A(versions: ALL) { n _change _until } }"
    try database.run("mutation { insertA(data: {id: 1, n: 1}) }", options: at(1))
    if isAskedFirst {
      #expect(
        try answer(database, question) == #"{"_changes":[],"A":[{"n":1,"_change":"CREATED","_until":null}]}"#)
    }
    try database.run("mutation { _undo(version: 1) { _version } }", options: at(2))
    let created = #"{"n":1,"_change":"CREATED","_until":"1970-01-01T00:00:02Z"}"#
    let deleted = #"{"version":2,"id":1,"change":"DELETED","fields":[]}"#
    for isCompact in isInFile ? [false, true] : [false] {
      if isCompact { try database.compact() }
      #expect(
        try answer(database, question)
          == #"{"_changes":[\#(deleted)],"A":[\#(created),{"n":1,"_change":"DELETED","_until":null}]}"#)
    }
    // Another one takes its id. Compacting is a version of its own.
    try database.run("mutation { insertA(data: {id: 1, n: 5}) }", options: at(3))
    #expect(
      try answer(database, "{ _changes(from: 1) { version id change } A { _versions { n } } }")
        == #"{"_changes":[{"version":2,"id":1,"change":"DELETED"},"#
        + #"{"version":\#(database.version),"id":1,"change":"CREATED"}],"A":[{"_versions":[{"n":5}]}]}"#)
  }

  // MARK: - Random changes

  /// What a test knows of the versions of one user.
  private struct Expected {
    var id: Int64
    var version: Int64
    var fields: [String: Value]
    /// Nil where the history does not say it.
    var change: String?
    var changed: Set<String>
    var origin: String?
    /// Indicates whether another entity has its id now.
    var isFormer = false
    /// Indicates whether it is what an entity was when its history began.
    var isFirst = false
  }

  private static let fields = ["name", "age", "tags", "home", "team", "labels"]
  private static let links: Set<String> = ["team", "labels"]

  /// What users are, by id, as ordinary queries say: nil for the fields of deleted ones.
  private func state(_ database: Database) throws -> [Int64: [String: Value]?] {
    let answer = try database.run(
      "{ User(deleted: INCLUDE) { id _status name age tags home { city number } team { id } labels { id } } }")
    var state: [Int64: [String: Value]?] = [:]
    for user in try Value(json: answer.jsonString)["User"]?.list ?? [] {
      var fields: [String: Value] = [:]
      for name in Self.fields { fields[name] = user[name] ?? .null }
      fields["team"] = user["team"]?["id"] ?? .null
      fields["labels"] = .list((user["labels"]?.list ?? []).map { $0["id"] ?? .null })
      state[user["id"]?.int ?? 0] = .some(user["_status"] == "CREATED" ? fields : nil)
    }
    return state
  }

  private func change(_ random: inout SeededRandom) -> String {
    let id = 1 + random.below(5)
    let ids = (1...3).shuffled(using: &random).prefix(random.below(4)).map(String.init).joined(separator: ", ")
    switch random.below(12) {
    case 0, 1:
      return "insertUser(data: {id: \(id + 5 * random.below(2)), name: \"n\(random.below(3))\", labels: [\(ids)]})"
    case 2: return "deleteUser(where: id == \(id))"
    case 3: return "restoreUser(where: id == \(id))"
    case 4:
      return "updateUser(where: id == \(id), set: {team: \(random.chance(30) ? "null" : String(1 + random.below(3)))})"
    case 5: return "updateUser(where: id == \(id), set: {labels: [\(ids)]})"
    case 6: return "updateTeam(where: id == \(1 + random.below(3)), set: {members: [\(id)]})"
    case 7:
      return "updateUser(where: id == \(id), set: {tags: \(random.chance(30) ? "null" : "[\"a\(random.below(3))\"]")})"
    case 8:
      return
        "updateUser(where: id == \(id), set: {home: \(random.chance(30) ? "null" : "{city: \"c\(random.below(2))\"}")})"
    case 9: return "updateUser(where: id == \(id), set: {secret: \(random.below(3))})"
    default: return "updateUser(where: id == \(id), set: {age: \(random.below(3)), name: \"n\(random.below(3))\"})"
    }
  }

  private func expect(
    _ known: [Expected], of database: Database, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let answer = try database.run(
      """
      {
        User(deleted: INCLUDE, orderBy: id) {
          id _versions { id name age tags home { city number } team labels _version _change _changed _origin }
        }
      }
      """)
    var wanted: [Int64: [Expected]] = [:]
    for version in known where !version.isFormer { wanted[version.id, default: []].append(version) }
    for user in try Value(json: answer.jsonString)["User"]?.list ?? [] {
      let id = try #require(user["id"]?.int)
      let versions = user["_versions"]?.list ?? []
      let expected = wanted.removeValue(forKey: id) ?? []
      #expect(versions.count == expected.count, "user \(id)", sourceLocation: sourceLocation)
      for (version, expected) in zip(versions, expected) {
        for name in Self.fields {
          #expect(
            version[name] == expected.fields[name], "\(name) of \(id) in \(expected.version)",
            sourceLocation: sourceLocation)
        }
        #expect(version["_version"]?.int == expected.version, sourceLocation: sourceLocation)
        #expect(version["_change"]?.string == expected.change, sourceLocation: sourceLocation)
        #expect(version["_origin"]?.string == expected.origin, sourceLocation: sourceLocation)
        let changed = Set((version["_changed"]?.list ?? []).compactMap { $0.string })
        #expect(changed == expected.changed, "user \(id) in \(expected.version)", sourceLocation: sourceLocation)
      }
    }
    #expect(wanted.isEmpty, sourceLocation: sourceLocation)
    #expect(
      try database.run("{ n: count(User(versions: ALL)) }").jsonString == #"{"n":\#(known.count)}"#,
      sourceLocation: sourceLocation)
    let changes = try Value(
      json: database.run("{ _changes(orderBy: [version, id]) { version id change origin fields { name } } }")
        .jsonString)
    let list = changes["_changes"]?.list ?? []
    #expect(list.count == known.count { !$0.isFirst }, sourceLocation: sourceLocation)
    let ordered = known.filter { !$0.isFirst }.sorted { ($0.version, $0.id) < ($1.version, $1.id) }
    for (found, expected) in zip(list, ordered) {
      #expect(found["version"]?.int == expected.version, sourceLocation: sourceLocation)
      #expect(
        found["id"]?.int == expected.id && found["change"]?.string == expected.change, sourceLocation: sourceLocation)
      #expect(found["origin"]?.string == expected.origin, sourceLocation: sourceLocation)
      if expected.change == "CREATED" { continue }
      #expect(
        Set((found["fields"]?.list ?? []).compactMap { $0["name"]?.string }) == expected.changed,
        sourceLocation: sourceLocation)
    }
  }

  /// Notes how two states differ.
  private func note(
    _ before: [Int64: [String: Value]?], _ after: [Int64: [String: Value]?], _ version: Int64,
    by origin: String?, _ last: inout [Int64: [String: Value]], _ known: inout [Expected]
  ) {
    for (id, now) in after.sorted(by: { $0.key < $1.key }) {
      let old = before[id]
      if let old, old == now { continue }
      var fields = now ?? last[id] ?? [:]
      var (change, changed) = ("UPDATED", Set<String>())
      switch (old, now) {
      case (nil, _): change = "CREATED"
      case (.some(.some(let old)), .some(let now)): changed = Set(Self.fields.filter { old[$0] != now[$0] })
      case (.some(.some), nil):
        change = "DELETED"
        fields = last[id] ?? [:]
      case (.some(nil), .some(let now)):
        change = "RESTORED"
        changed = Set(Self.fields.filter { last[id]?[$0] != now[$0] }).subtracting(Self.links)
      case (.some(nil), nil): continue
      }
      last[id] = fields
      known.append(Expected(id: id, version: version, fields: fields, change: change, changed: changed, origin: origin))
    }
  }

  /// An entity that comes anew in the place of a deleted one is another one. The versions of the former one stay.
  private func forgetReplaced(
    _ text: String, _ before: [Int64: [String: Value]?], _ known: inout [Expected],
    _ last: inout [Int64: [String: Value]]
  ) -> [Int64: [String: Value]?] {
    var before = before
    for case (let id, nil) in before where text.contains("insertUser(data: {id: \(id),") {
      for place in known.indices where known[place].id == id { known[place].isFormer = true }
      before[id] = nil
      last[id] = nil
    }
    return before
  }

  /// Forgets what a user was, who stays.
  private func erase(
    _ id: Int, in database: Database, _ last: [Int64: [String: Value]], _ known: inout [Expected]
  ) throws {
    let id = Int64(id)
    guard try database.run("mutation { eraseUser(where: id == \(id)) }").jsonString == #"{"eraseUser":1}"# else {
      return
    }
    guard let now = known.last(where: { $0.id == id && !$0.isFormer }) else { return }
    known.removeAll { $0.id == id && !$0.isFormer }
    known.append(
      Expected(
        id: id, version: 0, fields: now.fields, change: now.change == "DELETED" ? "DELETED" : nil, changed: [],
        isFirst: true))
  }

  @Test("random changes have the versions that the states of the data show", arguments: 1...12) func random(
    _ seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "a.gqlite").path
    let isInFile = seed % 2 == 0
    func open() throws -> Database {
      isInFile ? try Database(path: path, schema: Self.schema) : try Database(schema: Self.schema)
    }
    var database = try open()
    try database.run(
      "mutation { insertTeam(data: [{id: 1}, {id: 2}, {id: 3}]) insertLabel(data: [{id: 1}, {id: 2}, {id: 3}]) }")
    var known: [Expected] = []
    var last: [Int64: [String: Value]] = [:]
    var before = try state(database)
    for _ in 0..<60 {
      var changes = (0..<(1 + random.below(2))).map { _ in change(&random) }
      // A deletion alone: what is changed and deleted at once shows the new values.
      if let deletion = changes.first(where: { $0.hasPrefix("delete") }) { changes = [deletion] }
      let text = changes.enumerated().map { "f\($0.offset): \($0.element)" }.joined(separator: " ")
      let version = database.version
      let origin = random.chance(50) ? "origin \(random.below(3))" : nil
      let options = RunOptions(origin: origin)
      if (try? database.run("mutation { \(text) }", options: options)) != nil, database.version > version {
        let after = try state(database)
        let text = text
        before = forgetReplaced(text, before, &known, &last)
        note(before, after, database.version, by: origin, &last, &known)
        before = after
      }
      if random.chance(5) { try erase(1 + random.below(5), in: database, last, &known) }
      if random.chance(15) { try expect(known, of: database) }
      if isInFile, random.chance(8) {
        try database.close()
        database = try open()
      }
    }
    try expect(known, of: database)
    if isInFile {
      try database.close()
      try expect(known, of: open())
    }
  }
}

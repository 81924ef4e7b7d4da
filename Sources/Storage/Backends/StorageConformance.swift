import GQLBase
import GQLEngine
import GQLStore

/// A suite of checks that an implementation of ``StorageBackend`` should pass.
///
/// ```swift
/// let problems = StorageConformance.check { MyBackend(folder) }
/// #expect(problems == [])
/// ```
public enum StorageConformance {
  /// Checks a backend whose place is empty, and leaves something there. Returns what is wrong, a sentence each.
  ///
  /// - Parameter open: Returns a backend of the place, which may be the one that it has returned before. Backends are
  ///   opened, closed and abandoned one after the other; a follower is opened beside a writer.
  public static func check<Backend: StorageBackend>(_ open: () throws -> Backend) -> [String] {
    withoutActuallyEscaping(open) { open in
      var checks = StorageChecks(open)
      checks.run()
      return checks.problems
    }
  }

  /// Checks a backend whose place is empty, and leaves something there. Returns what is wrong, a sentence each.
  public static func check(_ backend: some StorageBackend) -> [String] { check { backend } }
}

/// One run of the suite.
private struct StorageChecks<Backend: StorageBackend> {
  private let open: () throws -> Backend
  private(set) var problems: [String] = []

  private static var schema: String {
    """
    enum Color { RED GREEN BLUE }
    interface Named { name: String }
    type Shelf implements Named { id: ID! name: String things: [Thing] }
    type Thing implements Named {
      id: Int!
      name: String @index
      code: String @unique
      color: Color
      price: Decimal
      weight: Float
      isNew: Boolean
      made: DateTime
      tags: [String!]
      sizes: [Int]
      notes: [Note!]!
      shelf: Shelf
      likes: [Thing!]! @relation(inverse: "likedBy")
      likedBy: [Thing!]!
    }
    type Note { text: String! stars: Int }
    """
  }

  /// Everything that a database holds, deleted entities included.
  private static var everything: String {
    """
    { Shelf(orderBy: id, deleted: INCLUDE) { id name _status things { id } }
      Thing(orderBy: id, deleted: INCLUDE) { id name code color price weight isNew made tags sizes notes { text stars }
        _status shelf { id } likes { id } likedBy { id } }
      named: count(Named) found: Thing(where: code == "c3") { id } }
    """
  }

  /// Commits of all kinds, in their order.
  private static var commits: [String] {
    let long = String(repeating: "a text that is longer than a page. ", count: 200)
    return [
      #"insertShelf(data: [{id: "a", name: "A"}, {id: "b"}]) { id }"#,
      #"insertThing(data: {id: 1, name: "Lamp", code: "c1", color: RED, price: 19.50, weight: 0.1, isNew: true, shelf: "a"}) { id }"#,
      #"insertThing(data: {id: 2, name: "", tags: [], sizes: [1, null, 3], made: "2026-01-02T03:04:05.678901Z"}) { id }"#,
      #"insertThing(data: {id: 3, code: "c3", notes: [{text: "first"}, {text: "second", stars: 5}], likes: [1, 2]}) { id }"#,
      #"updateThing(where: id == 2, set: {name: "Ünï\u0000cødé 🙂", tags: ["x", ""], likes: {append: [3]}}) { id }"#,
      "updateThing(where: id <= 3, set: {weight: -1.5e300}) { id }",
      #"insertThing(data: {id: 4, name: "\#(long)", shelf: "b", likedBy: [1, 2, 3]}) { id }"#,
      "deleteThing(where: id == 2) { id }",
      #"updateThing(where: id == 3, set: {code: "c33", color: BLUE, price: -99999999999999999999.00001}) { id }"#,
      "restoreThing(where: id == 2) { id }",
      "deleteThing(where: id == 1, hard: true) { id }",
      #"insertThing(data: {id: 1, code: "c3", likes: [4]}) { id }"#,
      #"deleteShelf(where: id == "a") { id }"#,
      "updateThing(where: id == 4, set: {shelf: null, notes: [], sizes: null}) { id }",
    ]
  }

  init(_ open: @escaping () throws -> Backend) { self.open = open }

  mutating func run() {
    attempt("an empty place") { try $0.emptyPlace() }
    attempt("commits and opening after each") { try $0.commitsAndOpening() }
    attempt("rows that are written while nobody commits") { try $0.folding() }
    attempt("another schema") { try $0.anotherSchema() }
    attempt("records") { try $0.records() }
    attempt("compacting") { try $0.compacting() }
    attempt("durability in memory") { try $0.memoryDurability() }
    attempt("following") { try $0.following() }
    attempt("closing") { try $0.closing() }
  }

  private mutating func attempt(_ what: String, _ body: (inout StorageChecks) throws -> Void) {
    do { try body(&self) } catch { problems.append("\(what): \(error)") }
  }

  private mutating func expect(_ isRight: Bool, _ problem: @autoclosure () -> String) {
    if !isRight { problems.append(problem()) }
  }

  private func options(_ durability: StorageOptions.Durability = .normal, slice: Int = 1500, log: Int = 16 << 20)
    -> StorageOptions
  {
    var options = StorageOptions(durability: durability)
    options.folding.sliceRows = slice
    options.folding.logBytes = log
    options.folding.delay = 0
    // Rows are all that there is after they are written.
    options.folding.keptBytes = 0
    return options
  }

  /// Opens a database, calls `body` with it, and ends as a process does that is killed.
  @discardableResult
  private func withDatabase<Output>(
    _ options: StorageOptions, schema: String? = nil, _ body: (Database) throws -> Output
  ) throws -> Output {
    let backend = try open()
    // Whoever has held it before has let go of it.
    backend.abandon()
    defer { backend.abandon() }
    return try body(try Database(backend, schema: schema, storage: options))
  }

  private func content(_ database: Database) throws -> String { try database.run(Self.everything).jsonString }

  private mutating func compare(_ database: Database, _ twin: Database, _ when: String) throws {
    let (found, wanted) = (try content(database), try content(twin))
    expect(found == wanted, "\(when): the content is \(found), and should be \(wanted)")
    let inconsistencies = database.check()
    expect(inconsistencies.isEmpty, "\(when): \(inconsistencies.prefix(3))")
  }

  // MARK: - Checks

  private mutating func emptyPlace() throws {
    let backend = try open()
    try backend.open(options())
    let reader = StorageReader(backend.name)
    try backend.read(into: reader)
    expect(try reader.finish() == nil, "an empty place keeps something")
    try backend.close()
    try withDatabase(options(), schema: Self.schema) { _ in }
    let version = try withDatabase(options()) { $0.schema.isEmpty ? -1 : $0.version }
    expect(version == 0, "a new database that is opened again has version \(version) in the place of 0, or no schema")
  }

  private mutating func commitsAndOpening() throws {
    let twin = try Database(schema: Self.schema)
    for (number, commit) in Self.commits.enumerated() {
      let text = "mutation { \(commit) }"
      try twin.run(text)
      try withDatabase(options()) { try $0.run(text) }
      try withDatabase(options()) { database in
        try compare(database, twin, "after commit \(number + 1)")
        expect(
          database.version == Int64(number + 1), "after commit \(number + 1) the version is \(database.version)")
      }
    }
  }

  /// Goes on with what is there: entities with other keys come and go, and rows are written one at a time.
  private mutating func folding() throws {
    let twin = try Database(schema: Self.schema)
    for commit in Self.commits { try twin.run("mutation { \(commit) }") }
    for number in 0..<24 {
      let id = 100 + number % 7
      let text =
        number % 5 == 4
        ? "mutation { deleteThing(where: id == \(id - 2), hard: true) { id } }"
        : "mutation { upsertThing(data: [{id: \(id), name: \"n\(number)\"}, {id: \(id + 1), tags: [\"\(number)\"]}]) { id } }"
      try twin.run(text)
      // Closed now and then, killed otherwise.
      try withDatabase(options(slice: 1, log: 0)) { database in
        try database.run(text)
        if number % 6 == 5 { try database.close() }
      }
      try withDatabase(options()) { try compare($0, twin, "while rows are written, change \(number)") }
    }
  }

  private mutating func anotherSchema() throws {
    let wider = Self.schema.replacing("color: Color", with: "color: Color extra: Int = 7")
    let before = try withDatabase(options()) { (try content($0), $0.version) }
    try withDatabase(options()) { try $0.changeSchema(to: wider) }
    try withDatabase(options()) { database in
      expect(database.version == before.1 + 1, "a change of the schema is no commit")
      expect(try content(database) == before.0, "a change of the schema has changed the content")
      let answer = try database.run("{ Thing(where: extra != 7) { id } }").jsonString
      expect(answer == #"{"Thing":[]}"#, "a new field has no default")
      try database.run("mutation { insertThing(data: {id: 500, extra: 8}) { id } }")
      try database.changeSchema(to: Self.schema, allowingLoss: true)
      try database.run("mutation { deleteThing(where: id == 500, hard: true) { id } }")
    }
    try withDatabase(options()) { database in
      expect(try content(database) == before.0, "the schema from before has another content")
    }
  }

  private mutating func records() throws {
    let backend = try open()
    backend.abandon()
    var keeping = options()
    keeping.folding.keptBytes = 1 << 20
    let log = CommitLog(backend, options: keeping)
    let database = Database(try log.open(creating: nil), storage: log)
    defer { backend.abandon() }
    let first = database.version
    for number in 0..<5 { try database.run("mutation { upsertShelf(data: {id: \"r\", name: \"\(number)\"}) { id } }") }
    let records = try backend.records(after: first)
    expect(
      records?.map(\.version) == (1...5).map { first + $0 },
      "the records after \(first) are those of \(records?.map { "\($0.version)" } ?? ["nobody"])")
    expect(try backend.records(after: first + 3)?.count == 2, "records that follow a later version are others than two")
    expect(try backend.records(after: first + 5)?.isEmpty == true, "there are records after the newest version")
    while try log.fold(newest: { database.currentSnapshot }) {}
    try backend.forget(through: first + 2)
    expect(try backend.records(after: first) == nil, "records that are forgotten are not told from none")
    expect(try backend.records(after: first + 2)?.count == 3, "records are forgotten that were to stay")
  }

  private mutating func compacting() throws {
    let before = try withDatabase(options()) { database in
      try database.run("mutation { deleteThing(where: id >= 100, hard: true) { id } }")
      try database.run("mutation { deleteThing(where: id == 3) { id } }")
      let before = try content(database)
      try database.compact()
      expect(try content(database) == before, "compacting has changed what is seen")
      try database.run("mutation { restoreThing(where: id == 3) { id } }")
      return try content(database)
    }
    try withDatabase(options()) { database in
      expect(try content(database) == before, "compacting has changed what is kept")
      expect(database.check() == [], "compacting: \(database.check().prefix(3))")
    }
  }

  private mutating func memoryDurability() throws {
    let before = try withDatabase(options(.memory)) { database in
      try database.run("mutation { upsertShelf(data: {id: \"m\", name: \"kept\"}) { id } }")
      try database.flush()
      return try content(database)
    }
    try withDatabase(options()) { expect(try content($0) == before, "what was flushed is not kept") }
  }

  private mutating func following() throws {
    let writer = try open()
    writer.abandon()
    let database = try Database(writer, storage: options())
    defer { writer.abandon() }
    let other = try open()
    guard other !== writer else { return }
    let follower = try Database(other, storage: StorageOptions(access: .follow))
    defer { try? follower.close() }
    expect(try content(follower) == content(database), "a follower opens with another content")
    for number in 0..<6 {
      try database.run("mutation { upsertThing(data: {id: \(200 + number % 3), name: \"f\(number)\"}) { id } }")
      if number == 3 {
        try database.changeSchema(to: Self.schema.replacing("weight: Float", with: "weight: Float depth: Int"))
      }
      expect(try content(follower) == content(database), "a follower does not see commit \(number)")
      expect(follower.version == database.version, "a follower has version \(follower.version)")
    }
    do {
      try follower.run("mutation { deleteThing { id } }")
      expect(false, "a follower writes")
    } catch { expect(error.problems.first?.code != nil, "a follower's error has no code") }
    try database.changeSchema(to: Self.schema)
  }

  private mutating func closing() throws {
    let backend = try open()
    backend.abandon()
    let database = try Database(backend, storage: options())
    try database.run("mutation { upsertShelf(data: {id: \"z\"}) { id } }")
    let before = try content(database)
    try database.close()
    do {
      try database.run("mutation { upsertShelf(data: {id: \"y\"}) { id } }")
      expect(false, "a closed database is written to")
    } catch {
      expect(error.problems.first?.code == "storage-closed", "writing to a closed database is the error \(error)")
    }
    try database.reopen()
    expect(try content(database) == before, "a database that is opened again has another content")
    try database.close()
  }
}

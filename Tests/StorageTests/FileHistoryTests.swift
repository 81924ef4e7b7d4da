import Foundation
import GQLBase
import GQLStorage
import GQLite
import StorageProofs
import Testing

/// The past of types with `@history` in files, which keep no recent versions here.
@Suite struct FileHistoryTests {
  private static let schema = """
    type Item @history { id: ID! value: Int! @index note: String owner: Owner }
    type Owner { id: ID! name: String }
    """
  private static let question = "{ Item { id value note } n: count(Item(where: value > 3)) }"

  private static func options(
    keptBytes: Int = 0, largeCommit: Int = 4 << 20, _ access: StorageOptions.Access = .write,
    _ durability: StorageOptions.Durability = .full
  ) -> StorageOptions {
    var options = StorageOptions(access: access, durability: durability, recentVersions: 0)
    options.folding.logBytes = 0
    options.folding.keptBytes = keptBytes
    options.folding.largeCommit = largeCommit
    options.folding.delay = 0
    return options
  }

  private func answer(_ database: Database, version: Int) throws -> String {
    try database.run("query @asOf(version: \(version)) \(Self.question)").jsonString
  }

  /// The answer of each version, from 0.
  private func answers(_ database: Database, changes: Int) throws -> [String] {
    var answers = [try database.run(Self.question).jsonString]
    for number in 1...changes {
      switch number % 5 {
      case 1: try database.run("mutation { insertItem(data: {id: \(number), value: \(number)}) }")
      case 2: try database.run("mutation { updateItem(all: true, set: {value: value + 1}) }")
      case 3: try database.run("mutation { updateItem(where: id == \(number - 2), set: {note: \"n\(number)\"}) }")
      case 4: try database.run("mutation { deleteItem(where: id == \(number - 3)) }")
      default: try database.run("mutation { insertItem(data: {id: \(number - 4), value: 9}) }")
      }
      answers.append(try database.run(Self.question).jsonString)
    }
    #expect(database.version == Int64(changes))
    return answers
  }

  private func compare(_ database: Database, _ answers: [String]) throws {
    for version in answers.indices.shuffled() {
      #expect(try answer(database, version: version) == answers[version], "version \(version)")
    }
  }

  private func problem(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? QueryError)?.problems.first.map { "\($0.code)" } ?? "\(error)"
    }
  }

  @Test("a clock that goes back while the file is closed makes no version newer") func clocks() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let start = (Date().timeIntervalSince1970 + 1000).rounded()
    func value(_ database: Database, at seconds: Double) throws -> String {
      let time = Date(timeIntervalSince1970: start + seconds).ISO8601Format()
      return try database.run("query @asOf(time: \"\(time)\") { Item { value } }").jsonString
    }
    for (number, second) in [1, 3, 2].enumerated() {
      let database = try Database(path: path, schema: Self.schema, storage: Self.options())
      try database.run(
        number == 0
          ? "mutation { insertItem(data: {id: 1, value: 0}) }"
          : "mutation { updateItem(where: id == 1, set: {value: \(number)}) }",
        options: RunOptions(now: Int64((start + Double(second)) * 1_000_000)))
      try database.close()
    }
    let database = try Database(path: path, schema: Self.schema, storage: Self.options())
    // The third change has the time of the second one, which it follows.
    let expected: [(Double, String)] = [
      (0, "[]"), (1, #"[{"value":0}]"#), (2, #"[{"value":0}]"#), (3, #"[{"value":2}]"#), (4, #"[{"value":2}]"#),
    ]
    for (second, answer) in expected {
      #expect(try value(database, at: second) == #"{"Item":\#(answer)}"#, "at \(second)")
    }
    try database.close()
  }

  @Test(
    "versions are there where commits are in the log, where they are records, and where they were large",
    arguments: [(0, 4 << 20), (300, 4 << 20), (1 << 20, 4 << 20), (0, 10), (300, 60)])
  func everywhere(_ keptBytes: Int, _ largeCommit: Int) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let options = Self.options(keptBytes: keptBytes, largeCommit: largeCommit)
    let database = try Database(path: path, schema: Self.schema, storage: options)
    let answers = try answers(database, changes: 25)
    try compare(database, answers)
    let copy = folder.file("copy.gqlite")
    try database.backup(to: copy)
    try database.close()
    if keptBytes == 0 { #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history") > 25) }
    for path in [path, copy] {
      #expect(try Database.verify(path: path) == [])
      #expect(try FileSums.problem(path) == nil)
      let again = try Database(path: path, storage: options)
      try compare(again, answers)
      try again.compact()
      try compare(again, answers)
      try again.close()
      let reader = try Database(path: path, storage: Self.options(.read))
      try compare(reader, answers)
      let follower = try Database(path: path, storage: Self.options(.follow))
      try compare(follower, answers)
    }
  }

  @Test("commits that gather in memory come into the history too") func gathering() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    var options = Self.options(.write, .memory)
    options.folding.logBytes = 1 << 20
    let database = try Database(path: path, schema: Self.schema, storage: options)
    let answers = try answers(database, changes: 12)
    try database.backup(to: folder.file("copy.gqlite"))
    try database.run("mutation { updateItem(all: true, set: {value: 100}) }")
    try database.compact()
    try database.run("mutation { updateItem(all: true, set: {value: 101}) }")
    try compare(database, answers)
    try database.close()
    for name in ["a.gqlite", "copy.gqlite"] {
      try compare(Database(path: folder.file(name), storage: options), answers)
    }
  }

  @Test("what is erased leaves no record in the file") func erased() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: Self.options())
    try database.run("mutation { insertItem(data: [{id: 1, value: 1, note: \"secret words\"}, {id: 2, value: 2}]) }")
    try database.run("mutation { updateItem(all: true, set: {note: \"other\"}) }")
    try database.run("mutation { deleteItem(where: id == 1, hard: true) }")
    #expect(
      try answer(database, version: 1) == #"{"Item":[{"id":2,"value":2,"note":null}],"n":0}"#)
    try database.close()
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history WHERE row = 0") == 0)
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_log") == 0)
    let again = try Database(path: path, storage: Self.options())
    #expect(
      try answer(again, version: 1) == #"{"Item":[{"id":2,"value":2,"note":null}],"n":0}"#)
  }

  @Test("elements of earlier lists of what is erased go too") func erasedElements() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let schema = """
      type Item @history { id: ID! lines: [Line!] } type Line { text: String! parts: [Part!] } type Part { name: String! }
      """
    let database = try Database(path: path, schema: schema, storage: Self.options())
    for (id, word) in [(1, "secret"), (2, "public")] {
      try database.run(
        """
        mutation { insertItem(data: {id: \(id), lines: [{text: "\(word) a", parts: [{name: "\(word) b"}]}]}) }
        """)
      try database.run("mutation { updateItem(where: id == \(id), set: {lines: [{text: \"other\"}]}) }")
    }
    try database.run("mutation { deleteItem(where: id == 1, hard: true) }")
    try database.close()
    func count(_ word: String) throws -> Int64 {
      try RawFile.integer(path, "SELECT count(*) FROM gqlite_history WHERE instr(body, CAST('\(word)' AS BLOB)) > 0")
    }
    #expect(try count("secret") == 0)
    #expect(try count("public") == 2)
    let again = try Database(path: path, storage: Self.options())
    #expect(
      try again.run("query @asOf(version: 3) { Item { lines { text parts { name } } } }").jsonString
        == #"{"Item":[{"lines":[{"text":"public a","parts":[{"name":"public b"}]}]}]}"#)
  }

  private static let orders = """
    type Order @history { id: ID! lines: [Line!] } type Line { text: String! }
    type Item @history { id: ID! owner: Owner } type Owner @history { id: ID! name: String! }
    """

  /// Orders, items and owners, of which the last rows are void then.
  private func beginOrders(_ database: Database) throws {
    try database.run(
      """
      mutation { insertOrder(data: {id: "A", lines: [{text: "a1"}, {text: "a2"}, {text: "a3"}]})
        insertOwner(data: {id: 1, name: "first"}) insertItem(data: {id: 1, owner: 1}) }
      """)
    try database.run("mutation { updateOrder(all: true, set: {lines: []}) deleteOwner(where: id == 1, hard: true) }")
    try database.close()
  }

  /// Gives new entities rows, erases one, and reads the past of the first ones.
  private func expectOrders(_ open: (StorageOptions.Access) throws -> Database) throws {
    let again = try open(.write)
    try again.run(
      """
      mutation { insertOrder(data: {id: "B", lines: [{text: "b1"}, {text: "b2"}]})
        insertOwner(data: {id: 2, name: "second"}) }
      """)
    try again.close()
    let third = try open(.write)
    try third.run("mutation { deleteOrder(where: id == \"B\", hard: true) }")
    try third.close()
    let last = try open(.read)
    #expect(
      try last.run("query @asOf(version: 1) { Order { id lines { text } } Item { owner { id } } }").jsonString
        == #"{"Order":[{"id":"A","lines":[{"text":"a1"},{"text":"a2"},{"text":"a3"}]}],"Item":[{"owner":null}]}"#)
    try last.close()
  }

  @Test("numbers of rows that the past may name are not given again after opening", arguments: [0, 1 << 20])
  func rowNumbers(_ keptBytes: Int) throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let copy = folder.file("copy.gqlite")
    let database = try Database(path: path, schema: Self.orders, storage: Self.options(keptBytes: keptBytes))
    try beginOrders(database)
    try Database(path: path, storage: Self.options(.read)).backup(to: copy)
    for path in [path, copy] {
      try expectOrders { try Database(path: path, storage: Self.options(keptBytes: keptBytes, $0)) }
    }
    try RawFile.execute(path, "UPDATE gqlite_meta SET value = replace(value, ':', ':9') WHERE key = 'history_rows'")
    #expect(problem { _ = try Database(path: path, storage: Self.options()) } == "storage-corrupt")
  }

  @Test("numbers of rows are not given again where the past is in the log") func rowNumbersOfOtherBackends() throws {
    let backend = MemoryBackend()
    try beginOrders(try Database(backend, schema: Self.orders, storage: Self.options()))
    try expectOrders { try Database(backend, storage: Self.options($0)) }
  }

  @Test("a record that says something of a row that is nowhere is refused") func craftedRecord() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let schema = "type Order @history { id: ID! lines: [Line!] } type Line { text: String! }"
    let database = try Database(path: path, schema: schema, storage: Self.options())
    try database.run("mutation { insertOrder(data: {id: 1, lines: [{text: \"a\"}]}) }")
    try database.run("mutation { updateOrder(all: true, set: {lines: []}) }")
    try database.close()
    // A list of a row that is void before and after.
    for column in 1...4 as ClosedRange<UInt8> {
      let (row, content) = (50_000_000 as Int64, [0x20, 0, column, 0, 0, 1, 0, 0] as [UInt8])
      let head = withUnsafeBytes(of: (Int64(2), Int64(0), row)) { CRC32C.checksum($0) }
      let sum = content.withUnsafeBytes { CRC32C.checksum($0, after: head) }
      let body = content + withUnsafeBytes(of: sum.littleEndian) { Array($0) }
      let digits = body.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      // As in a file that was written before records were counted.
      try RawFile.execute(
        path,
        """
        DROP TABLE IF EXISTS gqlite_history_sum; DELETE FROM gqlite_history;
        INSERT INTO gqlite_history VALUES (1, 2, \(row), 0, x'\(digits)')
        """)
      #expect(try Database.verify(path: path) == ["a record of version 2 is not readable"])
      let damaged = try Database(path: path, storage: Self.options(.read))
      #expect(problem { _ = try damaged.run("query @asOf(version: 1) { Order { id } }") } == "storage-corrupt")
    }
  }

  @Test("a directive that comes later begins a history; records go on through other changes of the schema")
  func schemas() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let plain = "type Item { id: ID! value: Int! } type Owner { id: ID! }"
    let database = try Database(path: path, schema: plain, storage: Self.options())
    try database.run("mutation { insertItem(data: {id: 1, value: 1}) }")
    try database.changeSchema(to: "type Item @history { id: ID! value: Int! } type Owner { id: ID! }")
    #expect(problem { _ = try database.run("query @asOf(version: 1) { Item { id } }") } == "no-history")
    try database.run("mutation { updateItem(all: true, set: {value: 2}) }")
    try database.run("mutation { updateItem(all: true, set: {value: 3}) }")
    try database.changeSchema(
      to: "type First { id: ID! } type Item @history { more: Int = 5 id: ID! amount: Int! @was(name: \"value\") }",
      allowingLoss: true)
    try database.run("mutation { updateItem(all: true, set: {amount: 4, more: 6}) }")
    try database.close()
    let again = try Database(path: path, storage: Self.options())
    for (version, value) in [(2, 1), (3, 2), (4, 3), (5, 3)] {
      #expect(
        try again.run("query @asOf(version: \(version)) { Item { amount more } }").jsonString
          == #"{"Item":[{"amount":\#(value),"more":5}]}"#)
    }
    try again.changeSchema(to: "type First { id: ID! } type Item { id: ID! amount: Int! }", allowingLoss: true)
    #expect(problem { _ = try again.run("query @asOf(version: 3) { Item { id } }") } == "no-history")
    try again.close()
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history") == 0)
  }

  @Test("records go when they are too many, or too old") func limits() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(
      path: path,
      schema: "type A @history(versions: 2) { id: ID! n: Int } type B @history(for: \"PT1H\") { id: ID! n: Int }",
      storage: Self.options())
    for value in 0..<100 {
      let change = value == 0 ? "insert" : "upsert"
      try database.run(
        "mutation { \(change)A(data: {id: 1, n: \(value)}) \(change)B(data: {id: 1, n: \(value)}) }",
        options: RunOptions(now: Int64(value) * 60_000_000))
    }
    try database.close()
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history WHERE type = 1") == 2)
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history WHERE type = 2") == 61)
    let again = try Database(path: path, storage: Self.options())
    #expect(problem { _ = try again.run("query @asOf(version: 97) { A { n } }") } == "no-history")
    #expect(try again.run("query @asOf(version: 98) { A { n } }").jsonString == #"{"A":[{"n":97}]}"#)
    #expect(problem { _ = try again.run("query @asOf(version: 38) { B { n } }") } == "no-history")
    #expect(try again.run("query @asOf(version: 39) { B { n } }").jsonString == #"{"B":[{"n":38}]}"#)
  }

  @Test("with a time and a number, only what neither keeps goes; a time that is still to come makes nothing old")
  func bothLimits() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let schema = """
      type A @history(for: "PT1H", versions: 3) { id: ID! n: Int } type B @history(for: "PT1H") { id: ID! n: Int }
      """
    let database = try Database(path: path, schema: schema, storage: Self.options())
    func set(_ value: Int, at minute: Int) throws {
      let change = value == 0 ? "insert" : "upsert"
      try database.run(
        "mutation { \(change)A(data: {id: 1, n: \(value)}) \(change)B(data: {id: 1, n: \(value)}) }",
        options: RunOptions(now: Int64(minute) * 60_000_000))
    }
    // Minutes 0 to 99, then one late change, then one in the year 2100.
    for value in 0..<100 { try set(value, at: value) }
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history WHERE type = 1") == 61)
    try set(100, at: 10_000)
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history WHERE type = 1") == 3)
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history WHERE type = 2") == 1)
    let now = Int(Date.now.timeIntervalSince1970 / 60)
    for value in 101...110 { try set(value, at: now - 10) }
    try set(111, at: 68_374_080)
    try set(112, at: now - 5)
    try database.close()
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history WHERE type = 1") == 12)
    #expect(try RawFile.integer(path, "SELECT count(*) FROM gqlite_history WHERE type = 2") == 12)
  }

  @Test("defaults of later fields, and fields that are left out later, are in the records of a file") func laterFields()
    throws
  {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(
      path: path, schema: "type A @history { id: ID! n: Int seen: Int }", storage: Self.options())
    try database.run("mutation { insertA(data: [{id: 1, seen: 1}, {id: 2, n: 1, seen: 1}]) }")
    try database.run("mutation { updateA(where: id == 1, set: {n: 1, seen: 2}) }")
    try database.run("mutation { deleteA(where: id == 2) }")
    try database.run("mutation { insertA(data: {id: 2, n: 9, seen: 9}) }")
    try database.changeSchema(
      to: "type A @history { more: String! = \"new\" id: ID! n: Int seen: Int @history(off: true) }")
    #expect(
      try database.run("query @asOf(version: 1) { A { id n seen more } }").jsonString
        == #"{"A":[{"id":1,"n":null,"seen":2,"more":"new"},{"id":2,"n":1,"seen":1,"more":"new"}]}"#)
    #expect(try Database.verify(path: path) == [])
    try database.changeSchema(to: "type A @history { more: String! id: ID! n: Int! }", allowingLoss: true)
    #expect(problem { _ = try database.run("query @asOf(version: 1) { A { n } }") } == "no-history")
    #expect(
      try database.run("query @asOf(version: 2) { A { id n more } }").jsonString
        == #"{"A":[{"id":1,"n":1,"more":"new"},{"id":2,"n":1,"more":"new"}]}"#)
    try database.close()
    #expect(try Database.verify(path: path) == [])
  }

  @Test("who reads or follows a file is not misled by another schema, nor by what was erased") func others() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(
      path: path, schema: "type A @history { id: ID! n: Int m: Int }", storage: Self.options())
    try database.run("mutation { insertA(data: [{id: 1, n: 1, m: 2}, {id: 2, n: 1, m: 2}]) }")
    try database.run("mutation { updateA(all: true, set: {n: 3, m: 4}) }")
    func ask(_ database: Database) throws -> String {
      try database.run("query @asOf(version: 1) { A { id n m } }").jsonString
    }
    let both = #"{"A":[{"id":1,"n":1,"m":2},{"id":2,"n":1,"m":2}]}"#
    let one = #"{"A":[{"id":1,"n":1,"m":2}]}"#
    let follower = try Database(path: path, storage: Self.options(.follow))
    let reader = try Database(path: path, storage: Self.options(.read))
    try database.run("mutation { updateA(all: true, set: {n: 5}) }")
    #expect(try ask(reader) == both)
    #expect(try ask(follower) == both)
    try database.run("mutation { deleteA(where: id == 2, hard: true) }")
    #expect(problem { _ = try database.run("{ A { id } }") } == nil)
    let later = try Database(path: path, storage: Self.options(.read))
    try database.changeSchema(to: "type A @history { m: Int id: ID! n: Int }")
    #expect(try ask(follower) == one)
    #expect(try ask(database) == one)
    #expect(problem { _ = try ask(later) } == "storage-changed")
  }

  @Test("a damaged record is told, and crashes nothing") func damaged() throws {
    let folder = try Folder()
    let path = folder.file("a.gqlite")
    let database = try Database(path: path, schema: Self.schema, storage: Self.options())
    _ = try answers(database, changes: 12)
    try database.close()
    let whole = try Data(contentsOf: URL(filePath: path))
    let damages = [
      "UPDATE gqlite_history SET body = x'00'", "UPDATE gqlite_history SET body = zeroblob(40)",
      "UPDATE gqlite_history SET body = CAST(body AS TEXT) || 'x'",
      "UPDATE gqlite_history SET row = row + 1000000000000",
      "UPDATE gqlite_history SET row = -1 - row", "UPDATE gqlite_history SET version = version + 1",
      "UPDATE gqlite_history SET time = time + 1", "UPDATE gqlite_history SET body = NULL || 1",
      "UPDATE gqlite_history SET type = 2", "DELETE FROM gqlite_history WHERE version = 7",
      "DELETE FROM gqlite_history", "DELETE FROM gqlite_history WHERE version = 1",
      "DELETE FROM gqlite_history WHERE (version, row) = (SELECT version, row FROM gqlite_history ORDER BY 1 DESC, 2 DESC)",
      "UPDATE gqlite_history SET version = 1000 WHERE version = 7", "DELETE FROM gqlite_history_start",
      "UPDATE gqlite_history_start SET version = 9", "UPDATE gqlite_history_start SET time = 7, version = version + 1",
      "DELETE FROM gqlite_history_sum", "UPDATE gqlite_history_sum SET records = records - 1",
      "UPDATE gqlite_history_sum SET version = 7", "UPDATE gqlite_history_sum SET sum = sum + 1",
    ]
    for damage in damages {
      try whole.write(to: URL(filePath: path))
      do { try RawFile.execute(path, damage) } catch {
        // One of two records of a version cannot be another.
        #expect("\(error)".contains("UNIQUE") || damage.contains("NULL"), "\(damage): \(error)")
        continue
      }
      let damaged = try Database(path: path, storage: Self.options(.read))
      let code = problem { _ = try self.answer(damaged, version: 2) }
      #expect(code == "storage-corrupt", "\(damage)")
      #expect(try Database.verify(path: path) != [], "\(damage)")
    }
  }
}

import Foundation
import GQLite
import Testing

/// The past of types with `@history`, in a database in memory that keeps no recent versions.
@Suite struct HistoryTests {
  private static let schema = """
    type Item @history {
      id: ID! value: Int note: String @fulltext(language: "none") seen: Int @history(off: true)
      owner: Owner @relation(inverse: "items") lines: [Line!]
    }
    type Line { text: String! count: Int }
    type Owner @history { id: ID! name: String! @index items: [Item!]! @relation(inverse: "owner") }
    type Other { id: ID! name: String item: Item }
    """

  /// Seconds since 1970 as microseconds.
  private func at(_ seconds: Double) -> RunOptions { RunOptions(now: Int64(seconds * 1_000_000)) }

  private func time(_ seconds: Double) -> Value {
    .string(
      Date(timeIntervalSince1970: seconds).ISO8601Format(.init(includingFractionalSeconds: true)))
  }

  private func answer(_ database: Database, _ selection: String, at seconds: Double) throws -> String {
    try database.run("query($t: DateTime!) @asOf(time: $t) \(selection)", ["t": time(seconds)]).jsonString
  }

  private func answer(_ database: Database, _ selection: String, version: Int64) throws -> String {
    try database.run("query @asOf(version: \(version)) \(selection)").jsonString
  }

  /// The code of the error that a statement ends with.
  private func problem(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return (error as? QueryError)?.problems.first.map { "\($0.code)" } ?? "\(error)"
    }
  }

  /// A value that is 1, 3, 5 and 7 from these seconds on.
  private func oddValues() throws -> Database {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { insertItem(data: {id: 1, value: 1}) }", options: at(1))
    for second in [3, 5, 7] {
      try database.run(
        "mutation($v: Int) { updateItem(where: id == 1, set: {value: $v}) }", ["v": .int(Int64(second))],
        options: at(Double(second)))
    }
    return database
  }

  @Test(
    "a value that was written at 1, 3, 5 and 7",
    arguments: [(0.5, "null"), (1, "1"), (2, "1"), (4.9, "3"), (6, "5"), (7, "7"), (8, "7")]
  ) func values(_ second: Double, _ value: String) throws {
    let expected = value == "null" ? #"{"item":null}"# : #"{"item":{"value":\#(value)}}"#
    #expect(try answer(oddValues(), "{ item(id: 1) { value } }", at: second) == expected)
  }

  @Test("of two writes at one instant both are seen then, and each is a version") func oneInstant() throws {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { insertItem(data: {id: 1, value: 1}) }", options: at(1))
    let before = database.version
    try database.run("mutation { updateItem(where: id == 1, set: {value: 2}) }", options: at(2))
    try database.run("mutation { updateItem(where: id == 1, set: {value: 3}) }", options: at(2))
    try database.run("mutation { updateItem(where: id == 1, set: {value: 4}) }", options: at(3))
    let question = "{ item(id: 1) { value } }"
    #expect(try answer(database, question, at: 1.999999) == #"{"item":{"value":1}}"#)
    #expect(try answer(database, question, at: 2) == #"{"item":{"value":3}}"#)
    #expect(try answer(database, question, version: before + 1) == #"{"item":{"value":2}}"#)
    #expect(try answer(database, question, version: before + 3) == #"{"item":{"value":4}}"#)
  }

  @Test("all entities of a moment, by an index, by words, and counted") func allAtAMoment() throws {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { insertOwner(data: {id: 1, name: \"Ada\"}) }", options: at(1))
    for id in 1...4 {
      try database.run(
        "mutation { insertItem(data: {id: \(id), note: \"n\(id) all\", owner: 1}) }", options: at(Double(id) + 1))
    }
    try database.run(
      "mutation { deleteItem(where: id in [1, 3]) updateOwner(where: id == 1, set: {name: \"Bo\"}) }", options: at(6))
    #expect(try answer(database, "{ Item { id } }", at: 3.5) == #"{"Item":[{"id":1},{"id":2}]}"#)
    #expect(try answer(database, "{ n: count(Item) }", at: 5) == #"{"n":4}"#)
    #expect(try answer(database, "{ Item { id } }", at: 6) == #"{"Item":[{"id":2},{"id":4}]}"#)
    #expect(
      try answer(database, "{ Item(where: note =~ \"n3\") { id owner { name } } }", at: 5)
        == #"{"Item":[{"id":3,"owner":{"name":"Ada"}}]}"#)
    #expect(
      try answer(
        database, "{ Owner(where: name == \"Ada\") { items { id } } o: Owner(where: name == \"Bo\") { id } }", at: 4)
        == #"{"Owner":[{"items":[{"id":1},{"id":2},{"id":3}]}],"o":[]}"#)
  }

  @Test("the status over time, an entity made anew, and what was cleared") func status() throws {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { insertItem(data: {id: 1, value: 12, note: \"x\"}) }", options: at(1))
    try database.run("mutation { updateItem(where: id == 1, set: {note: null}) }", options: at(2))
    try database.run("mutation { deleteItem(where: id == 1) }", options: at(3))
    try database.run("mutation { restoreItem(where: id == 1) }", options: at(4))
    try database.run("mutation { deleteItem(where: id == 1) }", options: at(5))
    // It takes the place of the deleted one.
    try database.run("mutation { insertItem(data: {id: 1, value: 1}) }", options: at(6))
    let question = "{ Item(deleted: INCLUDE) { value note _status } }"
    let answers = [
      "", #"{"value":12,"note":"x","_status":"CREATED"}"#, #"{"value":12,"note":null,"_status":"CREATED"}"#,
      #"{"value":12,"note":null,"_status":"DELETED"}"#, #"{"value":12,"note":null,"_status":"CREATED"}"#,
      #"{"value":12,"note":null,"_status":"DELETED"}"#, #"{"value":1,"note":null,"_status":"CREATED"}"#,
    ]
    for (second, expected) in answers.enumerated() {
      #expect(try answer(database, question, at: Double(second)) == #"{"Item":[\#(expected)]}"#, "at \(second)")
    }
  }

  @Test("an entity whose key another one takes stays in the past, also where case or the form of an id differ")
  func replacedKeys() throws {
    let database = try Database(
      schema: """
        type User @history { name: String! @id @collate(CI) n: Int } type Item @history { id: ID! n: Int }
        type Pair @history @id(fields: ["a", "b"]) { a: String! @collate(CI) b: Int! n: Int }
        """)
    try database.run(
      """
      mutation { insertUser(data: {name: "Straße", n: 1}) insertItem(data: {id: 7, n: 1})
        insertPair(data: {a: "ann", b: 1, n: 1}) }
      """, options: at(1))
    try database.run(
      "mutation { deleteUser(all: true) deleteItem(all: true) deletePair(all: true) }", options: at(2))
    try database.run(
      """
      mutation { insertUser(data: {name: "STRASSE", n: 2}) insertItem(data: {id: "7", n: 2})
        insertPair(data: {a: "ANN", b: 1, n: 2}) }
      """, options: at(3))
    let question = "{ User { name n } Item { n } Pair { a b n } }"
    #expect(
      try answer(database, question, at: 1)
        == #"{"User":[{"name":"Straße","n":1}],"Item":[{"n":1}],"Pair":[{"a":"ann","b":1,"n":1}]}"#)
    #expect(
      try answer(database, question, at: 3)
        == #"{"User":[{"name":"STRASSE","n":2}],"Item":[{"n":2}],"Pair":[{"a":"ANN","b":1,"n":2}]}"#)
  }

  @Test("lists of objects, links, and a field that is out of the history") func parts() throws {
    let database = try Database(schema: Self.schema)
    try database.run(
      """
      mutation { insertOwner(data: [{id: 1, name: "a"}, {id: 2, name: "b"}])
        insertItem(data: {id: 1, seen: 1, owner: 1, lines: [{text: "l1"}, {text: "l2", count: 2}]}) }
      """, options: at(1))
    try database.run(
      "mutation { updateItem(where: id == 1, set: {seen: 2, owner: 2, lines: [{text: \"m\"}]}) }", options: at(2))
    try database.run("mutation { deleteOwner(where: id == 2) }", options: at(3))
    try database.run("mutation { updateItem(where: id == 1, set: {seen: 9, lines: []}) }", options: at(4))
    let question = "{ Item { seen owner { id } lines { text count } } Owner { id items { id } } }"
    let answers = [
      #"{"Item":[],"Owner":[]}"#,
      #"{"Item":[{"seen":9,"owner":{"id":1},"lines":[{"text":"l1","count":null},{"text":"l2","count":2}]}],"#
        + #""Owner":[{"id":1,"items":[{"id":1}]},{"id":2,"items":[]}]}"#,
      #"{"Item":[{"seen":9,"owner":{"id":2},"lines":[{"text":"m","count":null}]}],"#
        + #""Owner":[{"id":1,"items":[]},{"id":2,"items":[{"id":1}]}]}"#,
      #"{"Item":[{"seen":9,"owner":null,"lines":[{"text":"m","count":null}]}],"Owner":[{"id":1,"items":[]}]}"#,
      #"{"Item":[{"seen":9,"owner":null,"lines":[]}],"Owner":[{"id":1,"items":[]}]}"#,
    ]
    for (second, expected) in answers.enumerated() {
      #expect(try answer(database, question, at: Double(second)) == expected, "at \(second)")
    }
  }

  @Test("an entity that went for good is in no past, and links to it lead nowhere") func erased() throws {
    let database = try Database(schema: Self.schema)
    try database.run("mutation { insertOwner(data: [{id: 1, name: \"secret\"}, {id: 2, name: \"b\"}]) }")
    try database.run("mutation { insertItem(data: [{id: 1, owner: 1}, {id: 2, owner: 1, lines: [{text: \"l\"}]}]) }")
    let version = database.version
    let question = "{ Owner { name items { id } } Item { id owner { name } lines { text } } }"
    _ = try answer(database, question, version: version)
    try database.run("mutation { updateOwner(where: id == 1, set: {name: \"other\"}) }")
    try database.run("mutation { deleteOwner(where: id == 1, hard: true) }")
    try database.run("mutation { deleteItem(where: id == 2, hard: true) }")
    #expect(
      try answer(database, question, version: version)
        == #"{"Owner":[{"name":"b","items":[]}],"Item":[{"id":1,"owner":null,"lines":[]}]}"#)
  }

  @Test("what an undo takes away stays in the past", arguments: [false, true], [false, true])
  func undone(isInFile: Bool, isUndoneAgain: Bool) throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appending(path: "a.gqlite").path
    var database = try isInFile ? Database(path: path, schema: Self.schema) : Database(schema: Self.schema)
    database.recentVersions = 1 << 20
    try database.run(
      "mutation { insertItem(data: {id: 1, value: 3, lines: [{text: \"l\"}], owner: {id: 1, name: \"a\"}}) }")
    let first = database.version
    try database.run("mutation { updateItem(where: id == 1, set: {value: 4}) }")
    try database.undo(first + 1)
    try database.undo(first)
    if isUndoneAgain { try database.undo(first + 3) }
    // The place of what has gone is taken by others.
    try database.run("mutation { insertItem(data: [{id: 2}, {id: 3}]) insertOwner(data: {id: 2, name: \"b\"}) }")
    let question =
      "{ Item(where: id == 1) { value lines { text } owner { name } } Owner(where: id == 1) { items { id } } }"
    let (none, three) = (
      #"{"Item":[],"Owner":[]}"#,
      #"{"Item":[{"value":3,"lines":[{"text":"l"}],"owner":{"name":"a"}}],"Owner":[{"items":[{"id":1}]}]}"#
    )
    let four = three.replacing("3", with: "4", maxReplacements: 1)
    let expected = [none, three, four, three, none] + (isUndoneAgain ? [three, three] : [none])
    for isDropped in [false, true] {
      if isDropped {
        database.recentVersions = 0
        if isInFile {
          try database.compact()
          try database.close()
          database = try Database(path: path)
          database.recentVersions = 0
        }
      }
      for (place, expected) in expected.enumerated() {
        #expect(try answer(database, question, version: first - 1 + Int64(place)) == expected, "\(place)")
      }
      let versions = "{ Item(where: id == 1) { _versions(orderBy: _version) { _version value _change } } }"
      if isUndoneAgain {
        let values = [
          (first, 3, "CREATED"), (first + 1, 4, "UPDATED"), (first + 2, 3, "UPDATED"), (first + 3, 3, "DELETED"),
          (first + 4, 3, "CREATED"),
        ].map { #"{"_version":\#($0),"value":\#($1),"_change":"\#($2)"}"# }.joined(separator: ",")
        #expect(try database.run(versions).jsonString == #"{"Item":[{"_versions":[\#(values)]}]}"#)
      }
    }
    // What is deleted for good is erased as before.
    try database.run("mutation { deleteItem(where: id == 2, hard: true) }")
    #expect(try answer(database, "{ item(id: 2) { id } }", version: database.version - 1) == #"{"item":null}"#)
  }

  @Test("what is deleted for good again is erased again") func deletedAgain() throws {
    let database = try Database(schema: Self.schema)
    database.recentVersions = 1 << 20
    try database.run("mutation { insertItem(data: {id: 1, value: 3}) }")
    let first = database.version
    try database.run("mutation { deleteItem(where: id == 1, hard: true) }")
    try database.undo(first + 1)
    try database.undo(first + 2)
    database.recentVersions = 0
    for version in first...first + 3 {
      #expect(try answer(database, "{ Item { value } }", version: version) == #"{"Item":[]}"#)
    }
  }

  @Test("what an undo took away is erased once it is there again") func erasedLater() throws {
    let database = try Database(schema: Self.schema)
    database.recentVersions = 1 << 20
    try database.run("mutation { insertItem(data: {id: 1, value: 3}) }")
    let first = database.version
    try database.undo(first)
    try database.undo(first + 1)
    try database.undo(first + 2)
    try database.undo(first + 3)
    try database.run("mutation { deleteItem(where: id == 1, hard: true) }")
    database.recentVersions = 0
    for version in first...first + 5 {
      #expect(try answer(database, "{ Item { value } }", version: version) == #"{"Item":[]}"#)
    }
  }

  @Test("what has no history is told with the directive that would keep it") func withoutHistory() throws {
    let database = try oddValues()
    try database.run("mutation { insertOther(data: {id: 1, name: \"a\", item: 1}) }")
    for selection in ["{ Other { id } }", "{ Item { id } other(id: 1) { name } }", "{ n: count(Other) }"] {
      let error = #expect(throws: QueryError.self) { _ = try answer(database, selection, version: 1) }
      #expect(error?.problems.first?.code == "no-history")
      #expect(error?.problems.first?.help?.hasPrefix("'type Other @history' keeps its old values") == true)
    }
    #expect(problem { _ = try database.view(version: 1) } == "no-history")
    #expect(problem { _ = try self.answer(database, "{ Item { id } }", version: -1) } == "unknown-version")
    #expect(problem { _ = try self.answer(database, "{ Item { id } }", version: 99) } == "unknown-version")
    #expect(problem { _ = try self.answer(database, "{ Item { id } }", version: .max) } == "unknown-version")
  }

  @Test("a history begins with its directive, and goes on where fields come, go and are renamed") func schemas() throws
  {
    let database = try Database(schema: "type A { id: ID! n: Int old: Int s: String }")
    try database.run("mutation { insertA(data: {id: 1, n: 1, old: 1, s: \"a\"}) }", options: at(1))
    try database.changeSchema(to: "type A @history { id: ID! n: Int old: Int s: String }")
    let start = database.version
    for value in 2...4 {
      try database.run("mutation { updateA(where: id == 1, set: {n: \(value), old: \(value), s: \"\(value)\"}) }")
    }
    #expect(problem { _ = try self.answer(database, "{ A { n } }", version: start - 1) } == "no-history")
    try database.changeSchema(
      to: "type B { id: ID! } type A @history { more: Int = 7 id: ID! s: String m: Int @was(name: \"n\") }",
      allowingLoss: true)
    try database.run("mutation { updateA(where: id == 1, set: {m: 9, more: 8}) }")
    let question = "{ A { m s more } }"
    #expect(try answer(database, question, version: start) == #"{"A":[{"m":1,"s":"a","more":7}]}"#)
    #expect(try answer(database, question, version: start + 2) == #"{"A":[{"m":3,"s":"3","more":7}]}"#)
    #expect(try answer(database, question, version: start + 4) == #"{"A":[{"m":4,"s":"4","more":7}]}"#)
    // Other values in a field end it.
    try database.changeSchema(to: "type B { id: ID! } type A @history { id: ID! m: String }", allowingLoss: true)
    let end = database.version
    #expect(problem { _ = try self.answer(database, "{ A { m } }", version: end - 1) } == "no-history")
    #expect(try answer(database, "{ A { m } }", version: end) == #"{"A":[{"m":"9"}]}"#)
  }

  @Test("a type that comes with its history was empty before") func newTypes() throws {
    let database = try Database(schema: "type A @history { id: ID! n: Int }")
    try database.run("mutation { insertA(data: {id: 1, n: 1}) }")
    let start = database.version
    try database.run("mutation { updateA(where: id == 1, set: {n: 2}) }")
    try database.changeSchema(
      to: """
        type A @history { id: ID! n: Int }
        type B @history { id: ID! tags: [Tag!] }
        type Tag { text: String! }
        type C @history { id: ID! }
        type D { id: ID! }
        """)
    let change = database.version
    try database.run("mutation { insertB(data: {id: 1, tags: [{text: \"x\"}]}) insertD(data: {id: 1}) }")
    try database.run("mutation { updateA(where: id == 1, set: {n: 3}) deleteB(where: id == 1) }")
    let question = "{ A { n } B { tags { text } } C { id } }"
    #expect(try answer(database, question, version: 0) == #"{"A":[],"B":[],"C":[]}"#)
    #expect(try answer(database, question, version: start) == #"{"A":[{"n":1}],"B":[],"C":[]}"#)
    #expect(try answer(database, question, version: change) == #"{"A":[{"n":2}],"B":[],"C":[]}"#)
    #expect(
      try answer(database, question, version: change + 1) == #"{"A":[{"n":2}],"B":[{"tags":[{"text":"x"}]}],"C":[]}"#)
    // A type that was there without one, and one that is renamed, were not empty.
    try database.changeSchema(
      to: """
        type A @history { id: ID! n: Int }
        type B @history { id: ID! tags: [Tag!] }
        type Tag { text: String! }
        type E @history @was(name: "D") { id: ID! }
        """, allowingLoss: true)
    #expect(problem { _ = try self.answer(database, "{ E { id } }", version: change + 1) } == "no-history")
    #expect(try answer(database, "{ E { id } }", version: database.version) == #"{"E":[{"id":1}]}"#)
    #expect(try answer(database, "{ A { n } B { id } }", version: start) == #"{"A":[{"n":1}],"B":[]}"#)
  }

  @Test("records go when they are too many, or too old") func limits() throws {
    let database = try Database(
      schema: "type A @history(versions: 3) { id: ID! n: Int } type B @history(for: \"PT1H\") { id: ID! n: String }")
    try database.run("mutation { insertA(data: {id: 1, n: 0}) insertB(data: {id: 1}) }", options: at(0))
    let text = String(repeating: "x", count: 1000)
    for value in 1...3000 {
      try database.run(
        """
        mutation($n: Int, $s: String) { updateA(where: id == 1, set: {n: $n}) updateB(where: id == 1, set: {n: $s}) }
        """, ["n": .int(Int64(value)), "s": .string("\(value) \(text)")], options: at(Double(value * 60)))
    }
    let last = database.version
    #expect(problem { _ = try self.answer(database, "{ A { n } }", version: 10) } == "no-history")
    #expect(try answer(database, "{ A { n } }", version: last - 3) == #"{"A":[{"n":2997}]}"#)
    #expect(problem { _ = try self.answer(database, "{ B { id } }", version: 10) } == "no-history")
    #expect(
      try answer(database, "{ B(where: n startsWith \"2940 \") { id } }", at: 2940 * 60) == #"{"B":[{"id":1}]}"#)
  }

  @Test("recent versions and records agree, and a rewound version is explained") func explained() throws {
    let database = try oddValues()
    let plan = try database.run("query @asOf(version: 1) @explain { item(id: 1) { value } }").jsonString
    #expect(plan.contains("as of version 1, rewound 3 changes by records"))
  }

  @Test("a time that is still to come makes nothing old") func futureTime() throws {
    let database = try Database(schema: "type A @history(for: \"PT1H\") { id: ID! n: Int s: String }")
    let text = String(repeating: "x", count: 1000)
    try database.run("mutation { insertA(data: {id: 1, n: 0}) }")
    for value in 1...60 {
      let options = value == 30 ? at(4_102_444_800) : RunOptions()
      try database.run(
        "mutation($n: Int, $s: String) { updateA(where: id == 1, set: {n: $n, s: $s}) }",
        ["n": .int(Int64(value)), "s": .string("\(value) \(text)")], options: options)
    }
    for version in [1, 29, 31, 45] as [Int64] {
      #expect(try answer(database, "{ A { n } }", version: version) == #"{"A":[{"n":\#(version - 1)}]}"#)
    }
  }

  @Test("with a time and a number, only what neither keeps goes") func bothLimits() throws {
    let database = try Database(schema: "type A @history(for: \"PT1H\", versions: 3) { id: ID! n: Int }")
    try database.run("mutation { insertA(data: [{id: 1, n: 0}, {id: 2, n: 0}]) }", options: at(0))
    func update(_ values: ClosedRange<Int>, from second: Int) throws {
      for value in values {
        try database.run(
          "mutation($n: Int) { updateA(where: id == 1, set: {n: $n}) }", ["n": .int(Int64(value))],
          options: at(Double(second + value)))
      }
    }
    try update(1...3000, from: 0)
    #expect(try answer(database, "{ A { n } }", version: 1) == #"{"A":[{"n":0},{"n":0}]}"#)
    try update(3001...6500, from: 100_000)
    #expect(problem { _ = try self.answer(database, "{ A { n } }", version: 10) } == "no-history")
    #expect(try answer(database, "{ A { n } }", version: 3100) == #"{"A":[{"n":3099},{"n":0}]}"#)
    // Old, and few.
    let few = try Database(schema: "type A @history(for: \"PT1H\", versions: 2000) { id: ID! n: Int }")
    try few.run("mutation { insertA(data: {id: 1, n: 0}) }", options: at(0))
    for value in 1...1500 {
      try few.run(
        "mutation($n: Int) { updateA(where: id == 1, set: {n: $n}) }", ["n": .int(Int64(value))],
        options: at(Double(value) * 1000))
    }
    #expect(try answer(few, "{ A { n } }", version: 1) == #"{"A":[{"n":0}]}"#)
  }

  @Test("functions of the program that come later are in a version that is there already") func laterFunctions()
    throws
  {
    let database = try oddValues()
    let version = database.version - 1
    #expect(try answer(database, "{ Item { value } }", version: version) == #"{"Item":[{"value":5}]}"#)
    try database.register(function: "twice") { (value: Int64) in value * 2 }
    #expect(
      try answer(database, "{ Item { value x: twice(value) } }", version: version)
        == #"{"Item":[{"value":5,"x":10}]}"#)
  }

  @Test("a field that is left out later has its value of now, but in what is no more") func leftOutLater() throws {
    let database = try Database(schema: "type A @history { id: ID! n: Int seen: Int }")
    try database.run("mutation { insertA(data: [{id: 1, n: 1, seen: 1}, {id: 2, n: 1, seen: 1}]) }")
    let version = database.version
    try database.run("mutation { updateA(all: true, set: {n: 2, seen: 2}) }")
    try database.run("mutation { deleteA(where: id == 2) }")
    try database.run("mutation { insertA(data: {id: 2, n: 9, seen: 9}) }")
    try database.changeSchema(to: "type A @history { id: ID! n: Int seen: Int @history(off: true) }")
    try database.run("mutation { updateA(where: id == 1, set: {seen: 3}) }")
    #expect(
      try answer(database, "{ A { id n seen } }", version: version)
        == #"{"A":[{"id":1,"n":1,"seen":3},{"id":2,"n":1,"seen":2}]}"#)
  }

  @Test("a field that is left out has its value of now, however often the past is asked") func leftOutAgain() throws {
    let database = try Database(schema: "type A @history { id: ID! n: Int seen: Int @history(off: true) }")
    try database.run("mutation { insertA(data: {id: 1, n: 1, seen: 1}) }")
    let version = database.version
    for value in 2...4 {
      try database.run("mutation { updateA(where: id == 1, set: {n: \(value), seen: \(value)}) }")
      #expect(try answer(database, "{ A { n seen } }", version: version) == #"{"A":[{"n":1,"seen":\#(value)}]}"#)
    }
  }

  @Test("fields that come later have their defaults in what is no more") func laterFields() throws {
    let database = try Database(schema: "type A @history { id: ID! n: Int }")
    try database.run("mutation { insertA(data: [{id: 1, n: 1}, {id: 2, n: 1}, {id: 3}]) }")
    let version = database.version
    try database.run("mutation { deleteA(where: id == 2) }")
    try database.run("mutation { insertA(data: {id: 2, n: 9}) }")
    try database.run("mutation { updateA(where: id == 3, set: {n: 5}) }")
    try database.changeSchema(
      to: """
        type Box { w: Int! h: Float = 1.5 tags: [String!] }
        enum Color { RED GREEN }
        type A @history {
          first: Color! = GREEN id: ID! n: Int! = 4 more: Int! = 7 text: String! = "a longer text than a cell holds"
          price: Decimal! = 1.50 tags: [String!]! = ["x", "yy"] box: Box = {w: 3} none: Box empty: String
        }
        """)
    let question = "{ A { id first n more text price tags box { w h tags } none { w } empty } }"
    let rest =
      #""more":7,"text":"a longer text than a cell holds","price":1.50,"tags":["x","yy"],"#
      + #""box":{"w":3,"h":1.5,"tags":null},"none":null,"empty":null}"#
    #expect(
      try answer(database, question, version: version)
        == #"{"A":[{"id":1,"first":"GREEN","n":1,\#(rest),{"id":2,"first":"GREEN","n":1,\#(rest),"#
        + #"{"id":3,"first":"GREEN","n":4,\#(rest)]}"#)
  }

  @Test("where a field must have a value that it had not, the history begins after that") func missingValues() throws {
    let database = try Database(schema: "type A @history { id: ID! n: Int }")
    try database.run("mutation { insertA(data: [{id: 1, n: 1}, {id: 2}]) }")
    let start = database.version + 1
    for value in 2...4 { try database.run("mutation { updateA(all: true, set: {n: \(value)}) }") }
    try database.changeSchema(to: "type A @history { id: ID! n: Int! }", allowingLoss: true)
    #expect(problem { _ = try self.answer(database, "{ A { n } }", version: start - 1) } == "no-history")
    #expect(try answer(database, "{ A { n } }", version: start) == #"{"A":[{"n":2},{"n":2}]}"#)
    #expect(try answer(database, "{ A { n } }", version: start + 1) == #"{"A":[{"n":3},{"n":3}]}"#)
  }

  @Test("a version is of one schema while others change it, and without what they erase") func others() throws {
    let schemas = ["n: Int m: Int", "m: Int n: Int"].map { "type A @history { id: ID! \($0) }" }
    let database = try Database(schema: schemas[0])
    try database.run("mutation { insertA(data: {id: 1, n: 1, m: 2}) }")
    let version = database.version
    for value in 2...9 {
      try database.run("mutation { updateA(all: true, set: {n: \(value * 10), m: \(value * 20)}) }")
    }
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      for number in 0..<100 {
        do {
          if thread == 0 {
            try database.changeSchema(to: schemas[(number + 1) % 2])
            try database.run("mutation { insertA(data: {id: 2, n: 5, m: 6}) }")
            try database.run("mutation { deleteA(where: id == 2, hard: true) }")
          } else {
            let (question, moment) = ("{ A { id n m } }", version + Int64(number % 2))
            let found =
              try number % 4 < 2
              ? answer(database, question, version: moment)
              : database.prepare(question).run(on: database.view(version: moment)).jsonString
            let expected = number % 2 == 0 ? #"{"id":1,"n":1,"m":2}"# : #"{"id":1,"n":20,"m":40}"#
            #expect(found == #"{"A":[\#(expected)]}"#)
          }
        } catch {
          // Text is bound to the schema that it began with.
          let message = (error as? QueryError)?.problems.first?.message
          #expect(number % 4 < 2 && message == "the schema was changed while the operation ran", "\(error)")
        }
      }
    }
  }
}

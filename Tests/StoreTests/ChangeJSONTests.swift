import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// The JSON of change sets: worked out by hand, for values of every kind, and for texts that are none.
@Suite struct ChangeJSONTests {
  let social = SocialFixture()

  private func text(
    _ changes: ChangeSet, _ snapshot: Snapshot, between versions: (before: Snapshot, after: Snapshot)? = nil
  ) throws -> String {
    var output = ByteBuffer()
    try ChangeJSON(snapshot).append(changes, between: versions, to: &output)
    return output.string
  }

  private func read(_ text: String, _ snapshot: Snapshot) throws -> ChangeSet {
    try Array(text.utf8).withUnsafeBytes { try ChangeJSON(snapshot).changes($0) }
  }

  // MARK: - By hand

  /// The example of `docs/format.md`.
  @Test func theExampleOfTheFormat() throws {
    var builder = CatalogBuilder()
    let item = builder.type(
      "Item",
      [
        ("id", .text, .id), ("n", .int64, .int), ("_createdAt", .int64, .scalar(.dateTime)),
        ("_updatedAt", .int64, .scalar(.dateTime)),
      ])
    builder.index(item, .hash, [0], unique: true, primary: true)
    let empty = Snapshot.empty(builder.catalog)
    let inserted: ContiguousArray<UInt8> = [
      0x01, 0x01, 0x14, 0x00, 0x01, 0x52, 0x03, 0x31, 0x02, 0x02, 0x0A,
      0x03, 0x02, 0x80, 0x80, 0x82, 0xE2, 0x88, 0xD2, 0xA3, 0x06,
      0x04, 0x02, 0x80, 0x80, 0x82, 0xE2, 0x88, 0xD2, 0xA3, 0x06, 0x00, 0x00,
    ]
    let json =
      #"[{"type":"Item","row":0,"change":"insert","fields":{"id":{"new":1},"n":{"new":5},"#
      + #""_createdAt":{"new":"2026-01-01T00:00:00Z"},"_updatedAt":{"new":"2026-01-01T00:00:00Z"}}}]"#
    #expect(try text(ChangeSet(bytes: inserted), empty) == json)
    #expect(try read(json, empty).bytes == inserted)
    let updated: ContiguousArray<UInt8> = [
      0x01, 0x01, 0x15, 0x00, 0x02, 0x03, 0x0A, 0x0C, 0x04, 0x03,
      0x80, 0x80, 0x82, 0xE2, 0x88, 0xD2, 0xA3, 0x06, 0x80, 0xA5, 0x98, 0x9C, 0x89, 0xD2, 0xA3, 0x06, 0x00, 0x00,
    ]
    let second =
      #"[{"type":"Item","row":0,"change":"update","fields":{"n":{"old":5,"new":6},"#
      + #""_updatedAt":{"old":"2026-01-01T00:00:00Z","new":"2026-01-01T00:01:01Z"}}}]"#
    #expect(try text(ChangeSet(bytes: updated), empty) == second)
    #expect(try read(second, empty).bytes == updated)
    // Members and rows may come in any order, with ids and spaces.
    let other = """
      [ {"fields": {"_updatedAt": {"new": "2026-01-01T00:01:01Z", "old": "2026-01-01T00:00:00Z"},
         "n": {"new": 6, "old": 5}, "id": {"old": 1, "new": 1}}, "id": {"any": ["thing"]}, "change": "update", "row": 0,
         "type": "Item"} ]
      """
    #expect(try read(other, empty).bytes == updated)
    #expect(try text(ChangeSet(), empty) == "[]")
    #expect(try read(" [ ] ", empty).isEmpty)
  }

  @Test func linksListsAndDeletions() throws {
    let first = WriteTransaction(social.empty)
    let anna = try social.insertUser(first, "anna", age: 3)
    let bert = try social.insertUser(first, "bert")
    let chat = try social.insertChat(first, 7)
    try first.appendReference(social.friends, source: anna, target: bert)
    let base = first.commit()
    let second = WriteTransaction(base)
    second.now = 0
    let message = try social.insertMessage(second, 1, chat: chat, text: "hi", created: 5)
    try second.setReference(social.author, source: message, target: bert)
    let linked = second.commit()
    let changes = linked.changes(since: base)
    let found = try text(changes, linked, between: (base, linked))
    #expect(
      found.hasPrefix(
        #"[{"type":"User","row":1,"id":"bert","change":"update","#
          + #""lists":{"messages":{"at":0,"out":[],"in":[{"row":0,"id":1}]}}},"#))
    #expect(
      found.contains(
        #"{"type":"Message","row":0,"id":1,"change":"insert","fields":{"id":{"new":1},"text":{"new":"hi"},"#
          + #""created":{"new":5},"author":{"new":{"row":1,"id":"bert"}},"chat":{"new":{"row":0,"id":7}}}}"#))
    #expect(
      found.hasSuffix(
        #"{"type":"Chat","row":0,"id":7,"change":"update","#
          + #""lists":{"posts":{"at":0,"out":[],"in":[{"row":0,"id":1}]}}}]"#))
    #expect(try read(found, linked) == changes)

    let third = WriteTransaction(linked)
    try third.delete(social.user, bert)
    let deleted = third.commit()
    let deletion = deleted.changes(since: linked)
    let gone = try text(deletion, deleted, between: (linked, deleted))
    #expect(gone.contains(#""row":1,"id":"bert","change":"delete""#))
    #expect(gone.contains(#""record":{"old":null,"new":{"deletion":"#))
    #expect(gone.contains(#""links":{"messages":[{"row":0,"id":1}],"friends":[{"row":0,"id":"anna"}]}"#))
    #expect(gone.contains(#""suspended":{"friends":{"old":[],"new":[{"at":0,"row":1,"id":"bert"}]}}"#))
    #expect(try read(gone, deleted) == deletion)
    #expect(try text(try deletion.inverse(), deleted).contains(#""row":1,"change":"restore""#))
  }

  // MARK: - Values

  /// One type with a column of every kind, and the row that a set gives it.
  private func values(_ columns: [(String, ColumnKind, ValueType, Cell)]) throws -> (ChangeSet, Snapshot, String) {
    var builder = CatalogBuilder()
    let type = builder.type("T", columns.map { ($0.0, $0.1, $0.2) })
    let empty = Snapshot.empty(builder.catalog)
    let transaction = WriteTransaction(empty)
    _ = try transaction.insert(type, cells: columns.map(\.3), valid: columns.map { _ in true })
    let made = transaction.commit()
    let changes = made.content()
    return (changes, made, try text(changes, made))
  }

  @Test func valuesOfEveryKind() throws {
    func text(_ text: String) -> Cell { TestValue.text(text).cell }
    let number = Cell(low: text("12").low | TextView.numberFlag, high: text("12").high)
    let columns: [(String, ColumnKind, ValueType, Cell)] = [
      ("small", .int64, .int, Cell(Int64.min)), ("id", .text, .id, number), ("name", .text, .id, text("12")),
      ("string", .text, .string, text("a \"quote\"\n\u{1} and ünïcode of many bytes")),
      ("float", .float64, .float, Cell(-0.1 as Double)), ("zero", .float64, .float, Cell(low: 1 << 63)),
      ("large", .float64, .float, Cell(Double.greatestFiniteMagnitude)),
      ("decimal", .decimal, .decimal, TestValue.decimal(-150, scale: 2).cell),
      ("flag", .byte, .boolean, Cell(low: 1)),
      ("time", .int64, .scalar(.dateTime), Cell(-1 as Int64)),
      ("fine", .int64, .scalar(.dateTime), Cell(low: 5, high: UInt64(bitPattern: -7))),
      ("day", .int64, .scalar(.date), Cell(-1 as Int64)),
      ("span", .int64, .scalar(.duration), Cell(Int64.min)),
      ("hour", .int64, .scalar(.duration), Cell(3_600_000_000 as Int64)),
      ("bytes", .text, .scalar(.bytes), TestValue.text("\u{0}ÿ").cell),
      ("json", .text, .json, text(#"{"a":[1.50,"\u0041"],"a":null}"#)), ("null", .text, .json, text("null")),
      ("text", .text, .json, text(#"{"text":1}"#)),
      ("deep", .text, .json, text(String(repeating: "[", count: 400) + String(repeating: "]", count: 400))),
      ("list", .wideList, .list(.string), TestValue.texts(["a", nil, ""]).cell),
      ("none", .wideList, .list(.string), Cell(low: 0)),
    ]
    let (changes, made, json) = try values(columns)
    #expect(try read(json, made) == changes)
    let parts = [
      #""small":{"new":-9223372036854775808}"#, #""id":{"new":12}"#, #""name":{"new":"12"}"#,
      #""string":{"new":"a \"quote\"\n\u0001 and ünïcode of many bytes"}"#, #""float":{"new":-0.1}"#,
      #""zero":{"new":-0}"#, #""large":{"new":1.7976931348623157e+308}"#, #""decimal":{"new":-1.50}"#,
      #""flag":{"new":true}"#, #""time":{"new":"1969-12-31T23:59:59.999999Z"}"#,
      #""fine":{"new":{"value":"1970-01-01T00:00:00.000005Z","finer":-7}}"#, #""day":{"new":"1969-12-31"}"#,
      #""hour":{"new":"PT1H"}"#, #""bytes":{"new":"AMO/"}"#, #""json":{"new":{"a":[1.50,"\u0041"],"a":null}}"#,
      #""null":{"new":{"text":"null"}}"#, #""text":{"new":{"text":"{\"text\":1}"}}"#, #""deep":{"new":{"text":"[[["#,
      #""list":{"new":["a",null,""]}"#, #""none":{"new":[]}"#,
    ]
    for part in parts { #expect(json.contains(part), "\(part)") }
  }

  // MARK: - Texts that are no change sets

  @Test(arguments: [
    ("", 0, "too early"), ("{}", 0, "a list"), ("[", 1, "too early"), ("[1]", 1, "an object"),
    ("[{}]", 1, "'type' is missing"),
    (#"[{"type":"Nobody"}]"#, 9, "no type 'Nobody'"),
    (#"[{"type":"User"}]"#, 1, "'row' is missing"),
    (#"[{"type":"User","row":-1}]"#, 22, "whole number"),
    (#"[{"type":"User","row":2147483647}]"#, 22, "whole number"),
    (#"[{"type":"User","row":1.5}]"#, 22, "whole number"),
    (#"[{"type":"User","row":1e99}]"#, 22, "whole number"),
    (#"[{"type":"User","row":1}]"#, 1, "'change' is missing"),
    (#"[{"type":"User","row":1,"change":"merge"}]"#, 33, "no change 'merge'"),
    (#"[{"type":"User","row":1,"change":"delete","deleted":true}]"#, 1, "'deleted' does not go"),
    (#"[{"type":"User","row":1,"row":2}]"#, 30, "twice"),
    (#"[{"type":"User","row":1,"change":"update","x":1}]"#, 46, "'x' is not known"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"x":{}}}]"#, 56, "no field 'x'"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"friends":{}}}]"#, 62, "no field"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"nameFolded":{}}}]"#, 65, "no field"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"age":{"new":"3"}}}]"#, 65, "a number"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"age":{"new":9223372036854775808}}}]"#, 65, "no value"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"age":{"new":1.5}}}]"#, 65, "no value"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"age":{"now":1}}}]"#, 65, "'now' is not known"),
    (#"[{"type":"User","row":1,"change":"insert","fields":{"age":{"old":1}}}]"#, 58, "no old value"),
    (#"[{"type":"User","row":1,"change":"purge","fields":{"age":{"new":1}}}]"#, 57, "no new value"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"_createdAt":{"new":"soon"}}}]"#, 72, "no value"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"spouse":{"new":5}}}]"#, 68, "an object"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"spouse":{"new":{"id":5}}}}]"#, 68, "'row' is missing"),
    (#"[{"type":"User","row":1,"change":"update","fields":{"tags":{"new":[1.5]}}}]"#, 67, "no value"),
    (#"[{"type":"User","row":1,"change":"update","lists":{"age":{}}}]"#, 57, "no list 'age'"),
    (#"[{"type":"User","row":1,"change":"update","lists":{"friends":{"in":[]}}}]"#, 61, "'at' is missing"),
    (#"[{"type":"User","row":1,"change":"delete","record":{"new":{}}}]"#, 58, "'deletion' is missing"),
    (#"[{"type":"User","row":1,"change":"delete","record":{"new":{"words":[4294967296]}}}]"#, 68, "whole number"),
    (#"[{"type":"User","row":1,"change":"update","waiting":{"age":{}}}]"#, 59, "no relation 'age'"),
    (
      #"[{"type":"User","row":1,"change":"update","waiting":{"spouse":{"keys":[{"type":"User"}]}}}]"#, 71,
      "'id' is missing"
    ),
    (#"[{"type":"User","row":1,"change":"update"},{"type":"User","row":1,"change":"purge"}] x"#, 85, "more text"),
    (#"[{"type":"Chat","row":1,"change":"purge"},{"type":"Chat","row":1,"change":"delete"}]"#, 42, "changes twice"),
    (#"[{"type":"User","row":1,"change":"purge","id":"\ud800"}]"#, 47, "surrogate"),
  ]) func badTexts(_ json: String, _ offset: Int, _ message: String) throws {
    #expect { try read(json, social.empty) } throws: { error in
      guard let failure = error as? ChangeJSONFailure else { return false }
      let isRight = failure.offset == offset && failure.message.contains(message)
      if !isRight { Issue.record("\(json): \(failure)") }
      return isRight
    }
  }

  @Test func deepTextsAreRefused() throws {
    let deep = String(repeating: "[", count: 100_000)
    let texts = [deep: "an object", #"[{"type":"User","row":1,"change":"purge","id":"# + deep: "too deeply"]
    for (json, message) in texts {
      #expect { try read(json, social.empty) } throws: { error in
        (error as? ChangeJSONFailure)?.message.contains(message) == true
      }
    }
  }

  /// Whatever characters change, a text is read or refused.
  @Test(arguments: 1...20) func damagedTextsAreReadOrRefused(seed: Int) throws {
    var changes = RandomChanges(social, seed: seed + 7000)
    var model = SocialModel()
    let first = WriteTransaction(social.empty)
    for _ in 0..<60 { try changes.step(first, &model) }
    let base = first.commit()
    let transaction = WriteTransaction(base)
    for _ in 0..<20 { try changes.step(transaction, &model) }
    let next = transaction.commit()
    let coder = ChangeJSON(next)
    let bytes = Array(try text(next.changes(since: base), next, between: (base, next)).utf8)
    var random = SeededRandom(UInt64(seed))
    let letters = Array(#"{}[]",:0123456789-.etrufalsn\ "#.utf8)
    for _ in 0..<300 where !bytes.isEmpty {
      var damaged = bytes
      for _ in 0...random.below(3) {
        let place = random.below(max(1, damaged.count))
        switch random.below(4) {
        case 0: damaged.removeSubrange(place..<min(damaged.count, place + 1 + random.below(20)))
        case 1: damaged.insert(letters[random.below(letters.count)], at: place)
        case 2 where !damaged.isEmpty: damaged[place] = letters[random.below(letters.count)]
        default: damaged.insert(UInt8(random.below(256)), at: place)
        }
      }
      guard let read = damaged.withUnsafeBytes({ try? coder.changes($0) }) else { continue }
      // What is read has one form.
      var again = ByteBuffer()
      try coder.append(read, to: &again)
      #expect(try again.withUnsafeBytes { try coder.changes($0) } == read, "seed \(seed)")
    }
  }
}

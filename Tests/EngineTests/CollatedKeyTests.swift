import GQLite
import Testing

/// Ids that ignore case are one key, by whichever way entities and links come.
@Suite struct CollatedKeyTests {
  private static let tags = "type Tag { name: String! @id @collate(CI) n: Int next: Tag tags: [Tag!]! }"

  private func load(_ database: Database, _ type: String, _ text: String) -> String? {
    do {
      try database.load([.ndjson(type: type, text: text)])
      return nil
    } catch {
      return error.problems.first?.code ?? error.description
    }
  }

  @Test(
    "a record of an id that is there",
    arguments: [#"{"name":"x","n":2}"#, #"{"name":"X","n":2}"#, "{\"name\":\"b\"}\n{\"name\":\"c\"}\n{\"name\":\"B\"}"])
  func twice(_ text: String) throws {
    let database = try Database(schema: Self.tags)
    try database.run(#"mutation { insertTag(data: {name: "x", n: 1}) }"#)
    #expect(load(database, "Tag", text) == "unique-violation")
    #expect(try database.run("{ Tag { name n } }").jsonString == #"{"Tag":[{"name":"x","n":1}]}"#)
  }

  @Test func ofTwoFields() throws {
    let schema = #"type Seat @id(fields: ["row", "name"]) { row: Int! name: String! @collate(CI) v: Int }"#
    let database = try Database(schema: schema)
    let twice = "{\"row\":2,\"name\":\"a\"}\n{\"row\":2,\"name\":\"A\"}"
    #expect(load(database, "Seat", twice) == "unique-violation")
    #expect(load(database, "Seat", "{\"row\":2,\"name\":\"a\",\"v\":1}\n{\"row\":3,\"name\":\"A\",\"v\":2}") == nil)
    #expect(
      try database.run(#"{ a: seat(row: 2, name: "A") { v } b: seat(row: 3, name: "a") { v } }"#).jsonString
        == #"{"a":{"v":1},"b":{"v":2}}"#)
  }

  /// Many records, so that they are put in by column.
  @Test func many() throws {
    let database = try Database(schema: Self.tags)
    let rows = (0..<3_000).map { #"{"name":"Tag \#($0)","n":\#($0),"next":"TAG \#(($0 + 1) % 3_000)"}"# }
    #expect(load(database, "Tag", rows.joined(separator: "\n")) == nil)
    #expect(
      try database.run(#"{ n: count(Tag(where: next.n == (n + 1) % 3000)) t: tag(name: "tAG 77") { n } }"#).jsonString
        == #"{"n":3000,"t":{"n":77}}"#)
    #expect(load(database, "Tag", #"{"name":"tag 2999"}"#) == "unique-violation")
  }

  @Test func linksByTheIDAlone() throws {
    let database = try Database(schema: Self.tags)
    try database.run(#"mutation { insertTag(data: [{name: "f", n: 1}, {name: "ß", n: 2}]) }"#)
    try database.run(#"mutation { insertTag(data: {name: "a", next: "F", tags: ["SS", "F", "f"]}) }"#)
    #expect(load(database, "Tag", #"{"name":"b","next":"F","tags":["ss"]}"#) == nil)
    #expect(
      try database.run(#"{ Tag(where: name in ["a", "b"]) { n: next { n } tags { n } } }"#).jsonString
        == #"{"Tag":[{"n":{"n":1},"tags":[{"n":2},{"n":1}]},{"n":{"n":1},"tags":[{"n":2}]}]}"#)
  }
}

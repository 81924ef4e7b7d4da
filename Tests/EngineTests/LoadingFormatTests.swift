import Foundation
import GQLite
import Testing

/// The forms in which data comes.
@Suite struct LoadingFormatTests {
  private static let schema = """
    enum Level { LOW HIGH }
    type Address { city: String! zip: String place: Place }
    type Place { lat: Float! name: String = "here" }
    type Band { id: ID! name: String! members: [Member!]! @relation(inverse: "band") }
    type Member {
      id: ID! name: String age: Int plays: [String!]! level: Level = LOW address: Address
      band: Band @relation(inverse: "members") friends: [Member!]!
    }
    """
  private static let all =
    "{ Band { id name members { id } } Member { ...* address { ...* place { ...* } } band { id } friends { id } } }"

  private func database(_ sources: DataSource...) throws -> Database {
    let database = try Database(schema: Self.schema)
    let report = try database.load(sources)
    #expect(report.danglingLinks == 0 && report.skippedRecords == 0 && report.warningText == "")
    #expect(database.check() == [])
    return database
  }

  private static let bands = #"{"id":"b","name":"Both"}"#
  private static let members = #"""
    {"id":1,"name":"One","age":7,"plays":["bass"],"level":"HIGH","address":{"city":"C","zip":null,"place":{"lat":1.5}},"band":"b","friends":[2]}
    {"id":2}
    """#
  private static let answer =
    #"{"Band":[{"id":"b","name":"Both","members":[{"id":1}]}],"Member":["#
    + #"{"id":1,"name":"One","age":7,"plays":["bass"],"level":"HIGH","address":{"city":"C","zip":null,"#
    + #""place":{"lat":1.5,"name":"here"}},"band":{"id":"b"},"friends":[{"id":2}]},"#
    + #"{"id":2,"name":null,"age":null,"plays":[],"level":"LOW","address":null,"band":null,"friends":[]}]}"#

  @Test("one type a file, one object a line") func lines() throws {
    let database = try database(.lines("Band", Self.bands), .lines("Member", Self.members))
    #expect(try database.query(Self.all).jsonString == Self.answer)
    #expect(database.count(of: "Member") == 2 && database.count(of: "Nobody") == nil)
  }

  @Test("one object by type, types in any order") func objectByType() throws {
    let members = Self.members.replacing("\n", with: ",\n")
    let database = try database(.document("{\"Member\": [\(members)],\n\"Band\": [\(Self.bands)]}"))
    #expect(try database.query(Self.all).jsonString == Self.answer)
  }

  @Test("a list of one type") func list() throws {
    let members = Self.members.replacing("\n", with: ",")
    let database = try database(
      .json(type: "Band", bytes: Array("[\(Self.bands)]".utf8)),
      .json(type: "Member", bytes: Array("\u{FEFF}[\(members)]\n\n".utf8)))
    #expect(try database.query(Self.all).jsonString == Self.answer)
  }

  @Test("lines that name their type") func typeNames() throws {
    let band = Self.bands.replacing("{\"id", with: "{\"__typename\":\"Band\",\"id")
    let members = Self.members.replacing("{\"id\":", with: "{\"__typename\":\"Member\",\"id\":")
    let database = try database(.lines(nil, "\(members)\n\(band)\n"))
    #expect(try database.query(Self.all).jsonString == Self.answer)
  }

  @Test("comma-separated values", arguments: ["\n", "\r\n", "\r"])
  func csv(_ lineEnd: String) throws {
    let members = [
      "\u{FEFF}id,name,age,plays,level,address.city,address.zip,address.place.lat,band,friends",
      #"1,One,7,"[""bass""]",HIGH,"C",,1.5,b,2"#, "2,,,,,,,,,", "",
    ].joined(separator: lineEnd)
    let database = try database(.table("Band", "name,id\(lineEnd)Both,b"), .table("Member", members))
    #expect(try database.query(Self.all).jsonString == Self.answer)
  }

  @Test(
    "an Int of a table is written as anywhere",
    arguments: [
      ("77.0", 77), ("1e3", 1000), ("-2.50e1", -25), ("9223372036854775807", .max), ("-9223372036854775808.0", .min),
      ("9.223372036854775807e18", .max), ("1E+2", 100), ("-0", 0), ("007", 7), ("100e-2", 1), ("", nil), ("1.5", -1),
      ("1e-1", -1), ("9223372036854775808", -1), ("1e19", -1), ("1e", -1), ("0x10", -1), ("1_000", -1), ("\"\"", -1),
      ("1e99999999999", -1), ("NaN", -1), (" 7", -1), ("-", -1), ("7.", -1),
    ] as [(String, Int64?)])
  func csvIntegers(_ text: String, _ value: Int64?) throws {
    let database = try Database(schema: "type T { id: ID! n: Int }")
    if value == -1 {
      let found = problem { try database.load([.table("T", "id,n\n1,\(text)\n")]) }
      let isBeyond = ["9223372036854775808", "1e19", "1e99999999999"].contains(text)
      #expect(found?.code == (isBeyond ? "number-out-of-range" : "wrong-type") && found?.line == 2)
    } else {
      try database.load([.table("T", "id,n\n1,\(text)\n")])
      #expect(
        try database.query("{ T { n } }").jsonString == "{\"T\":[{\"n\":\(value.map(String.init) ?? "null")}]}")
    }
  }

  @Test("quoted fields hold separators, line ends and quotes; an empty quoted field is a text") func csvQuotes() throws
  {
    let database = try database(
      .table("Member", "id,name,friends\n\"1\",\"a, \"\"b\"\"\r\nc\",\n2,\"\",1;3\n3,,\n\n"))
    #expect(
      try database.query("{ Member { id name friends { id } } }").jsonString
        == #"{"Member":[{"id":1,"name":"a, \"b\"\r\nc","friends":[]},{"id":2,"name":"","friends":[{"id":1},{"id":3}]},{"id":3,"name":null,"friends":[]}]}"#
    )
  }

  @Test("an embedded object that a line names in part must be complete") func csvEmbedded() throws {
    let found = problem { _ = try database(.table("Member", "id,address.city,address.zip\n1,,4\n")) }
    #expect(found?.code == "missing-value" && found?.message == "'Member.address.city' is non-null and has no value")
    #expect(found?.line == 2 && found?.column == 1)
  }

  @Test("lists of embedded objects, and links with objects, stand in CSV as JSON") func csvLists() throws {
    let schema = """
      type Team { id: ID! lines: [Line!]! members: [Man!]! boss: Man }
      type Line { what: String! count: Int = 1 by: Man parts: [Part!] }
      type Part { code: Int! }
      type Man { id: ID! name: String }
      """
    let database = try Database(schema: schema)
    let text = #"""
      id,lines,members,boss
      1,"[{""what"":""a"",""by"":2,""parts"":[{""code"":1},{""code"":2}]},{""what"":""b"",""count"":null}]","[2, {""id"":3,""name"":""C""}]",3
      2,[],2;3,
      3,,,
      """#
    try database.load([.table("Team", text), .table("Man", "id,name\n2,B\n")])
    #expect(
      try database.query(
        "{ Team { id lines { what count by { id } parts { code } } members { id name } boss { id } } }"
      )
      .jsonString
        == #"{"Team":[{"id":1,"lines":[{"what":"a","count":1,"by":{"id":2},"parts":[{"code":1},{"code":2}]},"#
        + #"{"what":"b","count":null,"by":null,"parts":[]}],"members":[{"id":2,"name":"B"},{"id":3,"name":"C"}],"#
        + #""boss":{"id":3}},{"id":2,"lines":[],"members":[{"id":2,"name":"B"},{"id":3,"name":"C"}],"boss":null},"#
        + #"{"id":3,"lines":[],"members":[],"boss":null}]}"#)
    #expect(database.check() == [])
    func refused(_ line: String) throws -> String? {
      let database = try Database(schema: schema)
      return problem { try database.load([.table("Team", "id,lines\n1,\(line)\n")]) }?.message
    }
    #expect(try refused("x") == "'Team.lines' is [Line], not 'x'")
    #expect(try refused("[1]") == "'Team.lines' is [Line], not a number")
    #expect(try refused("[{}]") == "'Line.what' is non-null and has no value")
    #expect(try refused(#""[{""what"":""a""}]]""#) == #"'Team.lines' is [Line], not '[{"what":"a"}]]'"#)
    #expect(try refused(#""[{""what"":""a"",""whom"":1}]""#) == "'Line' has no field 'whom'")
  }

  @Test("values of the program") func values() throws {
    let database = try database(
      .values(type: "Band", [["id": "b", "name": "Both"]]),
      .values(
        type: "Member",
        [
          [
            "id": 1, "name": "One", "age": 7, "plays": ["bass"], "level": "HIGH",
            "address": ["city": "C", "place": ["lat": 1.5]], "band": "b", "friends": [2],
          ],
          ["id": 2],
        ]))
    #expect(try database.query(Self.all).jsonString == Self.answer)
  }

  @Test("a directory; what is not named for a type is left alone") func directory() throws {
    let folder = try TemporaryFolder()
    try folder.write("Band.json", "[\(Self.bands)]")
    try folder.write("Member.jsonl", Self.members)
    try folder.write("schema.graphql", Self.schema)
    try folder.write("questions.json", "{")
    let database = try database(.path(folder.path))
    #expect(try database.query(Self.all).jsonString == Self.answer)
    let single = try Database(schema: Self.schema)
    try single.load(path: folder.path + "/Member.jsonl")
    #expect(single.count(of: "Member") == 2)
  }

  @Test("paths that hold no data", arguments: ["nowhere", "empty", "text.txt", "Band.ndjson.gz"])
  func badPaths(_ name: String) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.url.appending(path: "empty"), withIntermediateDirectories: true)
    try folder.write("text.txt", "x")
    try folder.write("Band.ndjson.gz", "x")
    let database = try Database(schema: Self.schema)
    let found = problem { try database.load(path: folder.path + "/" + name) }
    #expect(found?.file == folder.path + "/" + name)
  }

  @Test("nothing in a file is nothing wrong", arguments: ["", "\n", "\r\n\r\n", "\u{FEFF}", "\u{FEFF}\n"])
  func emptyFiles(_ text: String) throws {
    let database = try database(
      .lines("Band", text), .table("Member", text), .json(type: "Band", bytes: Array(text.utf8)))
    #expect(try database.query("{ Band { id } Member { id } }").jsonString == #"{"Band":[],"Member":[]}"#)
  }

  @Test("defaults apply to what is not named; an explicit null stays") func defaults() throws {
    let database = try Database(
      schema: """
        type T {
          id: ID! n: Int! = 3 s: String = "d" l: [Int!]! = [1, 2] e: E! = B d: Decimal = 1.50
          at: DateTime! @default(value: now()) on: Date @default(value: now())
        }
        enum E { A B }
        """)
    let before = Date().timeIntervalSince1970
    try database.load([
      .lines("T", #"{"id":1}"# + "\n" + #"{"id":2,"s":null,"n":0,"at":"2020-01-01T00:00:00Z","on":null}"#)
    ])
    #expect(
      try database.query("{ T { id n s l e d } }").jsonString
        == #"{"T":[{"id":1,"n":3,"s":"d","l":[1,2],"e":"B","d":1.50},{"id":2,"n":0,"s":null,"l":[1,2],"e":"B","d":1.50}]}"#
    )
    struct Row: Decodable {
      let at: Date
      let on: String?
    }
    let rows = try database.query("{ T { at on } }").decode([Row].self, at: "T")
    #expect(rows[0].at.timeIntervalSince1970 >= before - 1 && rows[0].at.timeIntervalSince1970 <= before + 60)
    #expect(rows[0].on != nil && rows[1].on == nil && rows[1].at.timeIntervalSince1970 == 1_577_836_800)
  }

  @Test("a progress report ends at all bytes") func progress() throws {
    final class Seen: @unchecked Sendable { var last: LoadProgress? }
    let seen = Seen()
    let database = try Database(schema: Self.schema)
    try database.load([.lines("Band", Self.bands)], options: LoadOptions(progress: { seen.last = $0 }))
    #expect(seen.last?.bytes == Self.bands.utf8.count && seen.last?.totalBytes == Self.bands.utf8.count)
    #expect(seen.last?.records == 1 && seen.last?.file == "data.ndjson")
  }

  @Test("a load without a schema tells each of its steps, in order") func steps() throws {
    final class Seen: @unchecked Sendable {
      var steps: [LoadProgress.Step] = []
      var last: LoadProgress?
    }
    let seen = Seen()
    let database = Database()
    let folder = FileManager.default.temporaryDirectory.appending(path: "gqlite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("id\n1\n".utf8).write(to: folder.appending(path: "a.csv"))
    try Data(#"{"b": [{"id": 1}], "c": [{"id": 2}]}"#.utf8).write(to: folder.appending(path: "d.json"))
    let options = LoadOptions(progress: {
      if seen.steps.last != $0.step { seen.steps.append($0.step) }
      seen.last = $0
    })
    try database.load(path: folder.path, options: options)
    #expect(seen.steps == [.opening, .inferring, .loading, .connecting])
    // A file with two tables counts once.
    #expect(seen.last?.bytes == 41 && seen.last?.totalBytes == 41 && seen.last?.records == 3)
  }
}

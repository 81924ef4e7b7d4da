import Foundation
import GQLite
import GQLiteModels
import Testing

@testable import GQLGeneratedModels

/// What `gqlite generate swift` writes: it is compiled in `Tests/GeneratedModels`, and, of names that are in the way, in
/// `Tests/GeneratedNames`, and says what the schema says.
@Suite struct GeneratedModelTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL

  static let schemas = [
    "GeneratedModels/Everything": "Tests/GeneratedModels/Schemas/everything.graphql",
    "GeneratedModels/People": "Examples/people/schema.graphql",
    "GeneratedModels/Plain": "Tests/GeneratedModels/Schemas/plain.graphql",
    "GeneratedModels/Zoo": "Tests/Corpus/data/zoo/schema.graphql",
    "GeneratedNames/Names": "Tests/GeneratedNames/Schemas/names.graphql",
  ]

  private func schema(_ name: String) throws -> Database {
    let path = try #require(Self.schemas[name])
    return try Database(schema: String(contentsOf: Self.root.appending(path: path), encoding: .utf8))
  }

  /// `GQLITE_UPDATE_GOLDEN=1` writes them.
  @Test(arguments: schemas.keys.sorted()) func filesAreWhatIsWritten(_ name: String) throws {
    let file = Self.root.appending(path: "Tests/\(name).swift")
    let written = try schema(name).swiftModels
    if ProcessInfo.processInfo.environment["GQLITE_UPDATE_GOLDEN"] == "1" {
      try written.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try written == String(contentsOf: file, encoding: .utf8))
  }

  @Test func everyFileHasASchema() throws {
    var files: [String] = []
    for folder in ["GeneratedModels", "GeneratedNames"] {
      let path = Self.root.appending(path: "Tests/\(folder)").path
      files += try FileManager.default.contentsOfDirectory(atPath: path).map { "\(folder)/\($0)" }
    }
    #expect(Set(files.filter { $0.hasSuffix(".swift") }) == Set(Self.schemas.keys.map { "\($0).swift" }))
  }

  /// A schema that models can say all of comes back as it was, and so do its models.
  @Test func schemasComeBack() throws {
    let plain = try schema("GeneratedModels/Plain")
    let again = try GQLiteModels.schema(of: [Crew.self])
    #expect(again == plain.schema)
    #expect(try Database(schema: again).swiftModels == plain.swiftModels)
  }

  /// What models cannot say stands there in the words of the schema.
  @Test func whatIsNotSaidIsInComments() throws {
    let database = try Database(
      schema: """
        enum Color { RED GREEN }
        type Context { id: Color! }
        type Thing {
          id: ID!
          at: DateTime = "2020-02-28T12:00:00Z"
          day: Date = "2020-02-28"
          length: Duration = "PT90S"
          bytes: Bytes = "AAEC"
          uuid: UUID = "11111111-2222-3333-4444-555555555555"
          serial: Int! @unique(onConflict: REPLACE)
          code: String @unique(onConflict: REPLACE)
        }
        """)
    let written = database.swiftModels
    for line in [
      "/// 'Context' in the schema, in which this type is not found: that name is not free in Swift.",
      "  let id: String  // of the enum Color in the schema",
      "  var at: Date?  // default \"2020-02-28T12:00:00Z\"",
      "  var day: CalendarDate?  // default \"2020-02-28\"",
      "  var length: Duration?  // default \"PT1M30S\"",
      "  var bytes: Data?  // default \"AAEC\"",
      // Nothing is not replaced by nothing.
      "  @Unique<Self>(\\.serial, collisions: .upsert) private var serialIndex",
      "  @Unique<Self>(\\.code, collisions: .upsertUnlessNil) private var codeIndex",
      "  var uuid: UUID?  // default \"11111111-2222-3333-4444-555555555555\"",
    ] {
      #expect(written.contains("\(line)\n"), "\(line)")
    }
  }

  /// Of every other schema there is a struct for each type, and an enum for each enum.
  @Test func allSchemasAreWritten() throws {
    var folders = [Self.root.appending(path: "Tests/Corpus/data")]
    if let shared = ProcessInfo.processInfo.environment["GQLITE_SHARED"] {
      folders.append(URL(filePath: shared).appending(path: "data"))
    }
    var count = 0
    for folder in folders {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
        let file = folder.appending(path: "\(name)/schema.graphql")
        guard let text = try? String(contentsOf: file, encoding: .utf8), let database = try? Database(schema: text)
        else { continue }
        count += 1
        let models = database.swiftModels
        for type in database.schema.matches(of: #/(?m)^type (\w+)(?: .*)?\{$/#) where type.1 != "Query" {
          #expect(models.contains("struct \(type.1): Codable"), "\(type.1) of \(name)")
        }
        #expect(models.filter { $0 == "{" }.count == models.filter { $0 == "}" }.count, "\(name)")
      }
    }
    #expect(count >= 10)
  }

  /// What models cannot say is said by the next best: the types of the fields stay.
  @Test func otherSchemasComeBackInPart() throws {
    let people = try GQLiteModels.schema(of: [GQLGeneratedModels.Person.self])
    for line in [
      "enum Status {", "status: Status", "firstName: String!", "birthday: Date", "address: JSON", "tags: [String!]!",
      "balance: Decimal!", "joinedAt: DateTime!", #"friends: [Person!]! @relation(inverse: "friends")"#,
      "kind: MediaKind!",
    ] { #expect(people.contains(line), "\(line) in \(people)") }
    let all = try GQLiteModels.schema(of: [Gadget.self, Token.self, Point.self, Index_.self])
    for line in [
      "enum Phase {", "NOT_BEGUN", "phases: [Phase!]!", "extent: JSON", "extents: JSON!", "span: Duration", "key: UUID",
      "raw: Bytes", "anything: JSON", "id: Int!", "day: Date", "in: String!",
    ] { #expect(all.contains(line), "\(line) in \(all)") }
  }

  /// Names that Swift, Foundation or the models have themselves.
  @Test func takenNames() throws {
    let text = try Database(
      schema: "type Data { id: ID! raw: Bytes day: Date } type Context { id: ID! data: Data }"
    ).swiftModels
    #expect(text.contains("struct Data: ") && text.contains("var raw: Foundation.Data?"))
    #expect(text.contains("struct Context_: ") && text.contains("var data: Data? = nil"))
    #expect(Database().swiftModels.hasSuffix("import GQLiteModels\n"))
  }

  /// They are models like any others.
  @Test func generatedModelsWork() throws {
    var context = try Context(for: Gadget.self, Keeper.self)
    let extent = Extent(width: 1.5, height: 2, phases: [.done, .notBegun])
    var gadget = Gadget(
      id: "1", title: "A swift thing", body: "text", day: CalendarDate(year: 2024, month: 2, day: 29),
      span: .seconds(90), key: UUID(), raw: Data([1, 2]), anything: .list([.integer(1), .object(["a": .null])]),
      kind: .default, next: .done, numbers: [3, 1], loose: nil, phases: [.underWay, .done], extent: extent,
      extents: [extent], remarks: [Remark(text: "x", extents: [extent])], serial: "s", caseless: "C")
    gadget.$owner = .relation(Holder(id: 7))
    try gadget.save(to: &context)
    let found = try #require(Gadget.query("1").id(\.$owner).resolve(in: context))
    #expect(found.day?.description == "2024-02-29" && found.key == gadget.key)
    #expect(found.span == .seconds(90))
    #expect(found.raw == gadget.raw && found.anything == gadget.anything && found.kind == .default)
    #expect(found.next == .done && found.phases == [.underWay, .done] && found.extent == extent)
    #expect(found.remarks == gadget.remarks && found.phase == .underWay && found.rank == 5 && found.price == 1.5)
    #expect(found.in == "a \"quoted\" text" && found.$owner.id == 7)

    // In text enums are enums, and times are times.
    let answer = try context.query(
      """
      { Gadget(where: phase == UNDER_WAY and day > "2024-01-01" and phases contains DONE) \
      { id phase phases kind day span price anything } }
      """)
    #expect(
      answer.jsonString
        == #"{"Gadget":[{"id":"1","phase":"UNDER_WAY","phases":["UNDER_WAY","DONE"],"kind":"default","#
        + #""day":"2024-02-29","span":"PT1M30S","price":1.5,"anything":[1,{"a":null}]}]}"#)
    #expect(Gadget.filter(\.phase == .underWay).resolve(in: context).count == 1)
    #expect(Gadget.filter(\.next != .done).resolve(in: context).isEmpty)
    #expect(Gadget.filter(\.next == .done).and(\.kind == .default).resolve(in: context).count == 1)
    #expect(Gadget.filter(\.day == CalendarDate("2024-02-29")).resolve(in: context).count == 1)

    let encoder = JSONEncoder()
    encoder.relationEncodingStrategy = .exact
    let decoder = JSONDecoder()
    decoder.relationDecodingStrategy = .exact
    let back = try decoder.decode(Gadget.self, from: try encoder.encode(found))
    #expect(back.extent == extent && back.anything == gadget.anything && back.$owner.id == 7 && back.$part.isNone)

    // Nothing does not collide with nothing, values do.
    gadget.serial = "t"
    try Gadget(
      id: "2", title: "t", body: "", numbers: [], phases: [], extents: [], remarks: [], serial: "u", caseless: ""
    ).save(to: &context)
    #expect(context.ids(Gadget.self) == ["1", "2"])
    try Keeper(id: "k", name: "Kim", rank: 1, home: Place(city: "Oslo"), tags: []).save(to: &context)
    #expect(Keeper.filter(\.name == "Kim").resolve(in: context).first?.home.city == "Oslo")
  }

  /// On a database of the schema that they were written from.
  @Test func generatedModelsOnTheirSchema() throws {
    let database = try schema("GeneratedModels/People")
    _ = try database.load(path: Self.root.appending(path: "Examples/people").path)
    let all = "{ Person { * } }"
    let before = try database.query(all).jsonString
    let people = try GQLGeneratedModels.Person.results(in: database)
    #expect(people.count == database.count(of: "Person") && people.count > 3)
    struct Answer: Decodable {
      struct Line: Decodable {
        var id: String
        var address: GQLGeneratedModels.Address?
      }
      var Person: [Line]
    }
    let lines = try database.query("{ Person { id: string(id) address { * } } }").decode(Answer.self).Person
    #expect(people.map(\.id) == lines.map(\.id) && people.map(\.address) == lines.map(\.address))
    #expect(people.contains { $0.address != nil })
    try database.update { context in for person in people { try person.save(to: &context) } }
    #expect(try database.query(all).jsonString == before && database.check().isEmpty)
  }

  @Test func uniqueValuesThatMayBeMissing() throws {
    var context = Context()
    func crew(_ id: String, _ email: String?) -> Crew {
      Crew(
        id: id, name: id, rank: 1, pay: 1, isHome: true, mood: .calm, nicknames: [], email: email, code: id)
    }
    try crew("1", nil).save(to: &context)
    try crew("2", nil).save(to: &context)
    try crew("3", "e").save(to: &context)
    #expect(throws: Errors.uniqueValueIndexViolation(existing: "3", new: "4", indexName: "byEmail")) {
      try crew("4", "e").save(to: &context)
    }
    #expect(context.ids(Crew.self) == ["1", "2", "3"])
    try crew("3", nil).save(to: &context)
    try crew("4", "e").save(to: &context)
  }
}

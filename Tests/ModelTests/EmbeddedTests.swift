import Foundation
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

@EntityModel
private struct Shopper: Equatable {
  let id: String
  var name: String
  var home: Address
  var work: Address?
  var lines: [Line]
  var map: [String: Double]?
  var badge: Badge?

  struct Address: Codable, Hashable {
    var city: String
    var zip: String?
    var geo: Geo?
    var tags: [String] = []
    var since: Date?
    var level: Level?
    var ref: String?
    var extra: JSON?
  }
  enum Level: String, Codable { case low = "LOW", high = "HIGH" }
  struct Line: Codable, Hashable {
    var what: String
    var price: Decimal?
    var parts: [Part] = []
  }
  struct Part: Codable, Hashable { var name: String }
}

private struct Badge: Codable, Hashable {
  var color: String
  var owner: String?
  var others: [String] = []
}

/// Values inside their owners, as schemas in text have them.
@Suite struct EmbeddedTests {
  private static let schema = """
    enum Level { LOW HIGH }
    type Geo { lat: Float! lon: Float! }
    type Address {
      city: String! zip: String geo: Geo tags: [String!]! since: DateTime level: Level ref: ID extra: JSON
      note: String = "none" seen: Int! = 3
    }
    type Part { name: String! }
    type Line { what: String! price: Decimal parts: [Part!]! hint: String = "h" }
    type Badge { color: String! owner: Shopper others: [Shopper!]! }
    type Shopper {
      id: ID! name: String! home: Address! work: Address lines: [Line!]! map: Geo badge: Badge rank: Int = 7
    }
    """

  private func database() throws -> Database { try Database(schema: Self.schema) }

  private func text(_ database: Database, _ fields: String) throws -> String {
    try database.query("{ Shopper { \(fields) } }").jsonString
  }

  @Test func whatTextWrote() throws {
    let database = try database()
    _ = try database.query(
      #"""
      mutation { insertShopper(data: {
        id: "1", name: "Ann", rank: 1,
        home: {city: "Bonn", zip: "53111", geo: {lat: 50.7, lon: 7.1}, tags: ["a", "b"], since: "1970-01-01T00:00:01.5Z",
          level: HIGH, ref: 5, extra: {x: [1]}, note: "mine", seen: 9},
        lines: [{what: "tea", price: 1.50, parts: [{name: "leaf"}, {name: "bag"}], hint: "x"}, {what: "cup"}],
        map: {lat: 1.5, lon: 2.5}
      }) { id } }
      """#)
    let ann = try #require(Shopper.query("1").resolve(in: database))
    let home = Shopper.Address(
      city: "Bonn", zip: "53111", geo: .init(lat: 50.7, lon: 7.1), tags: ["a", "b"],
      since: Date(timeIntervalSince1970: 1.5), level: .high, ref: "5",
      extra: .object(["x": .list([.integer(1)])]))
    let lines = [
      Shopper.Line(what: "tea", price: Decimal(string: "1.5"), parts: [.init(name: "leaf"), .init(name: "bag")]),
      Shopper.Line(what: "cup"),
    ]
    #expect(ann == Shopper(id: "1", name: "Ann", home: home, lines: lines, map: ["lat": 1.5, "lon": 2.5]))
    #expect(try Shopper.results(in: database) == [ann])
    #expect(try Shopper.query().values(\.home, \.work, in: database).map(\.0) == [home])
    #expect(try Shopper.fetchKeyPaths(\.name).first(in: database)?.work == nil)
  }

  private let all = """
    name rank home { city zip geo { lat } tags since level ref extra note seen } work { city seen }
    lines { what price parts { name } hint } map { lat lon }
    """

  /// What Swift does not know of them stays, or is what new ones have.
  @Test func whatModelsWrite() throws {
    let database = try database()
    try Shopper(
      id: "1", name: "Ann",
      home: .init(city: "Bonn", since: Date(timeIntervalSince1970: 0), level: .low, ref: "5", extra: .null),
      lines: [.init(what: "tea", parts: [.init(name: "leaf")]), .init(what: "cup", price: 2)],
      map: ["lat": 1, "lon": 2]
    ).save(to: database)
    let first =
      #"{"name":"Ann","rank":7,"home":{"city":"Bonn","zip":null,"geo":null,"tags":[],"since":"1970-01-01T00:00:00Z","#
      + #""level":"LOW","ref":"5","extra":null,"note":"none","seen":3},"work":null,"lines":["#
      + #"{"what":"tea","price":null,"parts":[{"name":"leaf"}],"hint":"h"},"#
      + #"{"what":"cup","price":2,"parts":[],"hint":"h"}],"map":{"lat":1,"lon":2}}"#
    let written = try text(database, all)
    #expect(written == #"{"Shopper":[\#(first)]}"#)
    _ = try database.query(
      #"""
      mutation { updateShopper(where: true, all: true, set: {
        rank: 8, home: {city: "Bonn", note: "mine", seen: 9, ref: 5, tags: []},
        lines: [{what: "tea", parts: [{name: "leaf"}], hint: "x"}, {what: "cup", price: 2, hint: "y"}]
      }) { id } }
      """#)
    var ann = try #require(Shopper.query("1").resolve(in: database))
    ann.home.city = "Ulm"
    ann.work = .init(city: "Kiel", geo: .init(lat: 1, lon: 2))
    // The cup first, an other tea, and the tea that was there.
    ann.lines = [ann.lines[1], .init(what: "tea"), ann.lines[0]]
    ann.map = nil
    try ann.save(to: database)
    let second =
      #"{"name":"Ann","rank":8,"home":{"city":"Ulm","zip":null,"geo":null,"tags":[],"since":null,"#
      + #""level":null,"ref":5,"extra":null,"note":"mine","seen":9},"work":{"city":"Kiel","seen":3},"lines":["#
      + #"{"what":"cup","price":2,"parts":[],"hint":"y"},{"what":"tea","price":null,"parts":[],"hint":"h"},"#
      + #"{"what":"tea","price":null,"parts":[{"name":"leaf"}],"hint":"x"}],"map":null}"#
    let rewritten = try text(database, all)
    #expect(rewritten == #"{"Shopper":[\#(second)]}"#)
    #expect(Shopper.query("1").resolve(in: database) == ann)
    ann.lines = []
    ann.work = nil
    try ann.save(to: database)
    #expect(try text(database, "work { city } lines { what }") == #"{"Shopper":[{"work":null,"lines":[]}]}"#)
    #expect(database.count(of: "Shopper") == 1 && database.check().isEmpty)
    // Deleted, kept with its lines, and back.
    ann.lines = [.init(what: "pot")]
    try ann.save(to: database)
    try ann.delete(from: database)
    #expect(try Deleted<Shopper>.results(in: database).map(\.entity.lines) == [[.init(what: "pot")]])
    try Deleted<Shopper>.query("1").resolve(in: database)?.restore(in: database)
    #expect(Shopper.query("1").resolve(in: database) == ann && database.check().isEmpty)
  }

  /// Fields that lead to entities are ids.
  @Test func links() throws {
    let database = try database()
    func shopper(_ id: String, _ badge: Badge? = nil) -> Shopper {
      Shopper(id: id, name: id, home: .init(city: "X"), lines: [], badge: badge)
    }
    try shopper("1", .init(color: "red", owner: "2", others: ["1", "3"])).save(to: database)
    try shopper("2").save(to: database)
    try shopper("3").save(to: database)
    let fields = "id badge { color owner { name } others { name } }"
    let rest = #"{"id":"2","badge":null},{"id":"3","badge":null}"#
    #expect(
      try text(database, fields)
        == #"{"Shopper":[{"id":"1","badge":{"color":"red","owner":{"name":"2"},"others":[{"name":"1"},{"name":"3"}]}},"#
        + rest + "]}")
    let badge = Shopper.query("1").resolve(in: database)?.badge
    #expect(badge == .init(color: "red", owner: "2", others: ["1", "3"]))
    try shopper("1", .init(color: "blue", others: ["3"])).save(to: database)
    #expect(
      try text(database, fields)
        == #"{"Shopper":[{"id":"1","badge":{"color":"blue","owner":null,"others":[{"name":"3"}]}},"# + rest + "]}")
    try shopper("1").save(to: database)
    #expect(try text(database, fields) == #"{"Shopper":[{"id":"1","badge":null},"# + rest + "]}")
    #expect(database.check().isEmpty)
  }

  /// Ids that are numbers, and those of several types.
  @Test func linksToOthers() throws {
    let database = try Database(
      schema: """
        interface Named { id: ID! name: String! }
        type Cat implements Named { id: ID! name: String! }
        type Dog implements Named { id: ID! name: String! }
        type Shop { id: Int! }
        type Badge { color: String! owner: Named! others: [Shop!]! }
        type Boxed_Badge { id: ID! value: Badge! }
        """)
    _ = try database.query(
      #"mutation { insertCat(data: {id: 1, name: "c"}) { id } insertDog(data: {id: "d", name: "d"}) { id } }"#)
    _ = try database.query("mutation { insertShop(data: [{id: 7}, {id: 8}]) { id } }")
    func badge() throws -> Badge? { try Boxed<Badge>.results(in: database).first?.value }
    try Boxed(id: "1", value: Badge(color: "red", owner: "d", others: ["8", "7"])).save(to: database)
    #expect(try badge() == Badge(color: "red", owner: "d", others: ["8", "7"]))
    #expect(
      try database.query("{ Boxed_Badge { value { owner { __typename name } others { id } } } }").jsonString
        == #"{"Boxed_Badge":[{"value":{"owner":{"__typename":"Dog","name":"d"},"others":[{"id":8},{"id":7}]}}]}"#)
    try Boxed(id: "1", value: Badge(color: "red", owner: "1")).save(to: database)
    #expect(try badge() == Badge(color: "red", owner: "1") && database.check().isEmpty)
    let error = ModelError.unwritable("'x'", "no Shop can have this id")
    #expect(throws: error) {
      try Boxed(id: "1", value: Badge(color: "red", owner: "1", others: ["7", "x"])).save(to: database)
    }
    #expect(throws: ModelError.missingValue("Boxed_Badge", "'Boxed_Badge.value.owner' must have a value in the schema"))
    {
      try Boxed(id: "1", value: Badge(color: "red")).save(to: database)
    }
    #expect(try badge() == Badge(color: "red", owner: "1"))
  }

  /// What columns cannot tell of them is looked at in Swift, and observed.
  @Test func questions() throws {
    let database = try database()
    for (number, city) in ["Bonn", "Ulm", "Kiel"].enumerated() {
      try Shopper(
        id: "\(number)", name: city, home: .init(city: city), work: number == 1 ? .init(city: "Jena") : nil,
        lines: (0..<number).map { .init(what: "w\($0)") }
      ).save(to: database)
    }
    func names(_ query: Query<Shopper>) throws -> [String] { try query.results(in: database).map(\.name) }
    #expect(try names(Shopper.include(#Predicate { $0.home.city == "Ulm" })) == ["Ulm"])
    #expect(try names(Shopper.include(#Predicate { $0.work == nil })) == ["Bonn", "Kiel"])
    #expect(try names(Shopper.include(#Predicate { $0.work != nil && $0.name == "Ulm" })) == ["Ulm"])
    #expect(try names(Shopper.include(#Predicate { !($0.work == nil) })) == ["Ulm"])
    #expect(try names(Shopper.include(#Predicate { $0.lines.contains { $0.what == "w1" } })) == ["Kiel"])
    #expect(Shopper.filter(\.work == nil).resolve(in: database).map(\.name) == ["Bonn", "Kiel"])
    #expect(
      Shopper.filter(\.home.city > "C").sorted(by: \.home.city).resolve(in: database).map(\.name) == ["Kiel", "Ulm"])

    var cursor = AnswerCursor(Shopper.query())
    func isNews() throws -> Bool { try cursor.advance(to: database.entities) != nil }
    #expect(try isNews())
    var kiel = try #require(Shopper.query("2").resolve(in: database))
    try kiel.save(to: database)
    #expect(try !isNews())
    kiel.lines[1].what = "other"
    try kiel.save(to: database)
    #expect(try isNews())
    kiel.home.level = .low
    try kiel.save(to: database)
    #expect(try isNews())
    _ = try database.query(#"mutation { updateShopper(where: name == "Kiel", set: {lines: [{what: "new"}]}) { id } }"#)
    #expect(try isNews())
    // The same in other rows.
    _ = try database.query(#"mutation { updateShopper(where: name == "Kiel", set: {lines: [{what: "new"}]}) { id } }"#)
    #expect(try !isNews())
  }

  /// Several in one save: the later one of an id is merged with the earlier one.
  @Test func withinOneSave() throws {
    var context = try database().entities
    let ann = Shopper(
      id: "1", name: "Ann", home: .init(city: "Bonn"), work: .init(city: "Ulm"), lines: [.init(what: "tea")])
    var patch = ann
    patch.work = nil
    patch.lines = [.init(what: "cup")]
    try ann.save(to: &context)
    try patch.save(to: &context, options: MergeStrategy(.patch(\.work), .append(\.lines)))
    #expect(
      Shopper.query("1").resolve(in: context).map { [$0.work?.city] + $0.lines.map(\.what) } == ["Ulm", "tea", "cup"])
    let copy = context
    try patch.save(to: &context)
    #expect(Shopper.query("1").resolve(in: copy)?.lines.count == 2)
    #expect(Shopper.query("1").resolve(in: context) == patch && Database(context).check().isEmpty)
  }

  // MARK: - What does not fit

  private func refusal(_ fields: String, of type: any EntityModelProtocol.Type = Boxed<Geo>.self) -> ModelError? {
    func ask<Entity: EntityModelProtocol>(_ type: Entity.Type) -> ModelError? {
      do {
        let database = try Database(schema: fields)
        _ = try type.results(in: database)
        return nil
      } catch { return error as? ModelError }
    }
    return ask(type)
  }

  @Test func kindsThatDoNotFit() throws {
    #expect(
      refusal("type Boxed_Geo { id: ID! value: [Int!]! }")
        == .invalidSchema(
          "the type 'Boxed_Geo' of the schema has a field 'value: [Int!]!' that is neither JSON! nor an object, as Geo is"
        ))
    #expect(
      refusal("type Geo { lat: Float! lon: Float! } type Boxed_Geo { id: ID! value: Geo }")
        == .invalidSchema("the type 'Boxed_Geo' of the schema has a field 'value: Geo' that is not Geo"))
    #expect(
      refusal("type Geo { lat: Float! lon: Float! } type Boxed_Int { id: ID! value: Geo! }", of: Boxed<Int>.self)
        == .invalidSchema("the type 'Boxed_Int' of the schema has a field 'value: Geo!' that is not Int!"))
    #expect(refusal("type Geo { lat: Float! lon: Float! } type Boxed_Geo { id: ID! value: Geo! }") == nil)
  }

  @Test(arguments: [
    ("lat: Float! lon: String!", #"{lat: 1, lon: "x"}"#, "'Boxed_Geo.value.lon' is String in the schema, not Double"),
    ("lat: Float! lon: Float", "{lat: 1}", "'Boxed_Geo.value.lon' is Float in the schema, not Double"),
    ("lat: Float!", "{lat: 1}", "'Boxed_Geo.value' is Geo in the schema, which has no field 'lon'"),
    ("lat: Float! lon: [Float!]!", "{lat: 1, lon: [2]}", "'Boxed_Geo.value.lon' is [Float] in the schema, not Double"),
  ])
  func fieldsThatCannotBeRead(_ fields: String, _ value: String, _ words: String) throws {
    let database = try Database(schema: "type Geo { \(fields) } type Boxed_Geo { id: ID! value: Geo! }")
    _ = try database.query("mutation { insertBoxed_Geo(data: {id: 1, value: \(value)}) { id } }")
    #expect(throws: ModelError.unreadable(words)) { try Boxed<Geo>.results(in: database) }
  }

  @Test(arguments: [
    ("lat: Float! lon: String!", ModelError.unwritable("Double", "'Boxed_Geo.value.lon' is String in the schema")),
    ("lat: Float!", .unwritable("Geo", "'Boxed_Geo.value' has no field 'lon' in the schema, which the Swift type has")),
    (
      "lat: Float! lon: Float! up: Int!",
      .missingValue("Boxed_Geo", "'Boxed_Geo.value.up' must have a value in the schema")
    ),
    ("lat: Float! lon: Inner", .unwritable("Double", "'Boxed_Geo.value.lon' is Inner in the schema")),
  ])
  func fieldsThatCannotBeWritten(_ fields: String, _ error: ModelError) throws {
    let database = try Database(
      schema: "type Inner { x: Int } type Geo { \(fields) } type Boxed_Geo { id: ID! value: Geo! }")
    #expect(throws: error) { try Boxed(id: "1", value: Geo(lat: 1, lon: 2)).save(to: database) }
    #expect(database.count(of: "Boxed_Geo") == 0)
  }

  /// Elements that have lists of their own kind.
  @Test func trees() throws {
    let database = try Database(
      schema: "type Node { name: String! nodes: [Node!]! } type Boxed_Node { id: ID! value: Node! }")
    let tree = Node(name: "a", nodes: [Node(name: "b", nodes: [Node(name: "c")]), Node(name: "d")])
    try Boxed(id: "1", value: tree).save(to: database)
    #expect(
      try database.query("{ Boxed_Node { value { name nodes { name nodes { name } } } } }").jsonString
        == #"{"Boxed_Node":[{"value":{"name":"a","nodes":[{"name":"b","nodes":[{"name":"c"}]},{"name":"d","nodes":[]}]}}]}"#
    )
    #expect(try Boxed<Node>.results(in: database).map(\.value) == [tree] && database.check().isEmpty)
  }
}

private struct Geo: Codable, Hashable { var lat: Double, lon: Double }

@EntityModel
private struct Boxed<Value: Codable & Hashable & Sendable> {
  let id: String
  var value: Value
}

private struct Node: Codable, Hashable {
  var name: String
  var nodes: [Node] = []
}

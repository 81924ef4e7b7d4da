import Foundation
import GQLite
import TestClocks
import Testing

@testable import GQLModels
@testable import GQLiteModels

@EntityModel
private struct Buyer: Equatable {
  let id: String
  var name: String
  var badge: Badge?
  var lines: [Line]

  struct Badge: Codable, Hashable {
    var owner: String?
    var others: [String] = []
  }
  struct Line: Codable, Hashable {
    var what: String?
    var owner: String?
    var others: [String?] = []
  }
}

/// What saves leave of embedded objects as it is.
@Suite struct EmbeddedKeepingTests {
  private static let schema = """
    type Badge { owner: Buyer others: [Buyer!]! }
    type Line { what: String! owner: Buyer others: [Buyer!]! hint: String = "h" }
    type Buyer { id: ID! name: String! badge: Badge lines: [Line!]! }
    """

  private func database() throws -> Database { try Database(schema: Self.schema) }

  private func find(_ id: String, _ database: Database) throws -> Buyer {
    try #require(Buyer.query(id).resolve(in: database))
  }

  private func save(
    _ id: String, _ badge: Buyer.Badge? = nil, _ lines: [Buyer.Line] = [], in database: Database
  ) throws {
    try Buyer(id: id, name: id, badge: badge, lines: lines).save(to: database)
  }

  /// Reads an entity, and saves it with another name.
  private func rename(_ id: String, _ database: Database) throws {
    var buyer = try find(id, database)
    buyer.name = "x"
    try buyer.save(to: database)
  }

  // MARK: - Links

  @Test func linksToDeletedEntities() throws {
    let database = try database()
    try save("2", in: database)
    try save("1", .init(owner: "2", others: ["2", "1"]), [.init(what: "tea", owner: "2")], in: database)
    try find("2", database).delete(from: database)
    #expect(try find("1", database).badge == .init(others: ["1"]))
    try rename("1", database)
    try Deleted<Buyer>.query("2").resolve(in: database)?.restore(in: database)
    let buyer = try find("1", database)
    #expect(
      buyer
        == Buyer(
          id: "1", name: "x", badge: .init(owner: "2", others: ["2", "1"]), lines: [.init(what: "tea", owner: "2")]))
    #expect(database.check().isEmpty)
  }

  @Test func linksThatWait() throws {
    let database = try database()
    try save("1", .init(owner: "9", others: ["1", "9"]), [.init(what: "tea", others: ["9"])], in: database)
    #expect(try find("1", database).badge == .init(others: ["1"]))
    try rename("1", database)
    try save("9", in: database)
    #expect(try find("1", database).badge == .init(owner: "9", others: ["1", "9"]))
    #expect(try find("1", database).lines == [.init(what: "tea", others: ["9"])])
    #expect(database.check().isEmpty)
  }

  /// Other links are written, and wait for nothing of before; nor does an object that is no more.
  @Test func linksThatChange() throws {
    let database = try database()
    try save("1", .init(owner: "9", others: ["1", "9"]), in: database)
    try save("2", .init(owner: "9", others: ["9"]), in: database)
    try save("1", .init(owner: "2", others: ["2"]), in: database)
    try save("2", in: database)
    try save("2", .init(), in: database)
    try save("9", in: database)
    #expect(try find("1", database).badge == .init(owner: "2", others: ["2"]))
    #expect(try find("2", database).badge == .init() && database.check().isEmpty)
  }

  /// A link that must be there, and waits, is no reason to refuse what was read.
  @Test func requiredLinksThatWait() throws {
    let schema = Self.schema.replacingOccurrences(of: "Badge { owner: Buyer ", with: "Badge { owner: Buyer! ")
    let database = try Database(schema: schema)
    try save("1", .init(owner: "9"), in: database)
    try rename("1", database)
    try save("9", in: database)
    #expect(try find("1", database).badge == .init(owner: "9") && database.check().isEmpty)
    var context = database.entities
    let before = try find("1", database)
    var changed = before
    changed.name = "y"
    changed.badge = .init(owner: "8")
    let words = "'Buyer' 1 would lose its 'badge.owner', which it must have"
    #expect(throws: ModelError.requiredReference("Buyer", words)) { try changed.save(to: &context) }
    #expect(Buyer.query("1").resolve(in: context) == before && Database(context).check().isEmpty)
    changed.badge?.owner = nil
    #expect(throws: ModelError.missingValue("Buyer", "'Buyer.badge.owner' must have a value in the schema")) {
      try changed.save(to: &context)
    }
  }

  // MARK: - Elements

  @Test func elementsWithLinksThatWait() throws {
    let database = try database()
    let lines = [Buyer.Line(what: "tea", owner: "9"), .init(what: "cup", others: ["1", "9"])]
    try save("1", nil, lines, in: database)
    _ = try database.query(
      #"""
      mutation { updateBuyer(where: true, all: true, set: {
        lines: [{what: "pot", hint: "z"}, {what: "tea", hint: "x"}, {what: "cup", others: ["1"], hint: "y"}]
      }) { id } }
      """#)
    try save("1", nil, lines, in: database)
    try save("1", nil, lines, in: database)
    try save("9", in: database)
    #expect(
      try database.query("{ Buyer(where: id == \"1\") { lines { what owner { id } others { id } hint } } }").jsonString
        == #"{"Buyer":[{"lines":[{"what":"tea","owner":{"id":"9"},"others":[],"hint":"x"},"#
        + #"{"what":"cup","owner":null,"others":[{"id":"1"},{"id":"9"}],"hint":"y"}]}]}"#)
    #expect(database.check().isEmpty)
  }

  /// Each known one once, and as many as there can be.
  @Test func matching() {
    var generator = SystemRandomNumberGenerator()
    for count in 0..<200 {
      func numbers() -> [Int64] {
        (0..<Int.random(in: 0...(count / 10), using: &generator)).map { _ in .random(in: 0..<6, using: &generator) }
      }
      let (wanted, known) = (numbers(), numbers())
      let places = ElementMatching.places(
        of: wanted.map { .object([.value(.int($0)), .unsaid, .list([.value(.id("1", isNumber: true)), .null])]) },
        among: known.enumerated().map {
          .object([
            .value(.int($1)), .value(.int(Int64($0))), .value(.list([.id("1", isNumber: false), .null])),
          ])
        })
      let found = places.compactMap { $0 }
      #expect(places.count == wanted.count && Set(found).count == found.count)
      #expect(zip(wanted, places).allSatisfy { number, place in place.map { known[$0] == number } ?? true })
      let most = (0..<6).map { number in
        min(wanted.filter { $0 == number }.count, known.filter { $0 == number }.count)
      }
      #expect(found.count == most.reduce(0, +))
    }
  }

  /// Elements that name different fields are compared by what all of them name.
  @Test func matchingWhatIsNotSaid() {
    let places = ElementMatching.places(
      of: [
        .object([.unsaid, .value(.int(2))]), .object([.value(.int(3)), .unsaid]), .object([.unsaid, .value(.int(7))]),
      ],
      among: [
        .object([.value(.int(3)), .value(.int(3))]), .object([.value(.int(1)), .value(.int(9))]),
        .object([.value(.int(1)), .value(.int(2))]), .object([.null, .null]),
      ])
    #expect(places == [2, 0, nil])
  }

  /// Lines that are all others, and then all in another order: four times as many take about four times as long, and
  /// not sixteen times.
  @Test func manyElements() throws {
    func lines(_ word: String, _ count: Int) -> [Buyer.Line] { (0..<count).map { .init(what: "\(word)\($0)") } }
    func time(_ count: Int) throws -> Duration {
      let database = try database()
      try save("1", nil, lines("a", count), in: database)
      let took = try ThreadTime.measure {
        try save("1", nil, lines("b", count), in: database)
        try save("1", nil, lines("b", count).reversed(), in: database)
      }
      #expect(try find("1", database).lines == lines("b", count).reversed())
      #expect(database.check().isEmpty)
      return took
    }
    // The quickest of three.
    let few = try (0..<3).map { _ in try time(2_500) }.min() ?? .zero
    let many = try (0..<3).map { _ in try time(10_000) }.min() ?? .zero
    #expect(many < few * 10)
  }

  // MARK: - What is refused

  /// Nothing is there of an entity whose objects are refused when its row is written.
  @Test(arguments: ["what", "others[]"])
  func wholeOrNotAtAll(_ path: String) throws {
    let database = try database()
    let line = path == "what" ? Buyer.Line(what: nil) : .init(what: "tea", others: [nil])
    // The type of the elements is what has the field.
    let error = ModelError.missingValue("Line", "'Buyer.lines.\(path)' must have a value in the schema")
    var context = database.entities
    let bad = Buyer(id: "1", name: "bad", lines: [.init(what: "pot"), line])
    #expect(throws: error) { try bad.save(to: &context) }
    #expect(throws: error) { try context.insert(bad) }
    #expect(Buyer.query("1").resolve(in: context) == nil)
    let good = Buyer(id: "1", name: "good", lines: [.init(what: "cup")])
    try good.save(to: &context)
    #expect(throws: error) { try bad.save(to: &context) }
    #expect(Buyer.query("1").resolve(in: context) == good && Database(context).check().isEmpty)
    #expect(throws: error) { try bad.save(to: database) }
    #expect(try Buyer.results(in: database).isEmpty)
  }

  @Test func elementsThatAreNull() throws {
    let type = "type Holder { id: ID! value: Numbers! more: [Numbers!]! }"
    func saved(_ kind: String, _ holder: Holder) throws -> Holder? {
      let database = try Database(schema: "type Numbers { xs: \(kind) } \(type)")
      var context = database.entities
      defer { #expect(Database(context).check().isEmpty) }
      do { try holder.save(to: &context) } catch {
        #expect(Holder.query("1").resolve(in: context) == nil)
        throw error
      }
      return Holder.query("1").resolve(in: context)
    }
    let whole = Holder(id: "1", value: .init(xs: [1, 2]), more: [.init(xs: [3])])
    let first = Holder(id: "1", value: .init(xs: [1, nil]))
    let second = Holder(id: "1", value: .init(xs: []), more: [.init(xs: [nil])])
    let third = Holder(id: "1", value: .init(xs: []), more: [nil])
    #expect(try saved("[Int!]!", whole) == whole)
    for holder in [first, second] { #expect(try saved("[Int]!", holder) == holder) }
    func refusal(_ type: String, _ path: String) -> ModelError {
      .missingValue(type, "'Holder.\(path)[]' must have a value in the schema")
    }
    #expect(throws: refusal("Holder", "value.xs")) { try saved("[Int!]!", first) }
    #expect(throws: refusal("Numbers", "more.xs")) { try saved("[Int!]!", second) }
    #expect(throws: refusal("Numbers", "more")) { try saved("[Int!]!", third) }
  }

  /// Ids that text prints as numbers go on doing so, in long lists too: four times as many take about four times as
  /// long, and not sixteen times.
  @Test func manyNumericIDs() throws {
    func time(_ count: Int) throws -> Duration {
      let database = try Database(schema: "type Ticket { id: ID! codes: [ID!]! }")
      let codes = (0..<count).map { "\($0)" }
      _ = try database.query(
        "mutation { insertTicket(data: {id: 1, codes: [\(codes.joined(separator: ","))]}) { id } }")
      let saved = Ticket(id: "1", codes: codes.reversed() + ["x", "\(count)"])
      let took = try ThreadTime.measure { try saved.save(to: database) }
      #expect(
        try database.query("{ Ticket { codes } }").jsonString
          == "{\"Ticket\":[{\"codes\":[\(codes.reversed().joined(separator: ",")),\"x\",\"\(count)\"]}]}")
      return took
    }
    let few = try (0..<3).map { _ in try time(5_000) }.min() ?? .zero
    let many = try (0..<3).map { _ in try time(20_000) }.min() ?? .zero
    #expect(many < few * 10)
  }

  /// A relation that must lead to an entity is written last.
  @Test func requiredRelations() throws {
    let database = try Database(
      schema: "type Driver { id: ID! name: String! car: Car! } type Car { id: ID! }")
    let driver = Driver(id: "1", name: "Ann", car: .relation(Car(id: "c")))
    try driver.save(to: database)
    var context = database.entities
    var changed = Driver(id: "1", name: "Bea")
    changed.$car = .null
    #expect(throws: ModelError.requiredReference("Driver", "'Driver' 1 would lose its 'car', which it must have")) {
      try changed.save(to: &context)
    }
    #expect(Driver.query("1").resolve(in: context)?.name == "Ann" && Database(context).check().isEmpty)
  }

  /// One more element copies none before it: four times as many take about four times as long.
  @Test func longLists() throws {
    func time(_ count: Int) throws -> Duration {
      let database = try Database(
        schema: "type Numbers { xs: [Int]! } type Holder { id: ID! value: Numbers! more: [Numbers!]! }")
      let holder = Holder(id: "1", value: .init(xs: (0..<count).map { $0 }))
      let took = try ThreadTime.measure { try holder.save(to: database) }
      #expect(Holder.query("1").resolve(in: database) == holder)
      return took
    }
    let few = try (0..<3).map { _ in try time(25_000) }.min() ?? .zero
    let many = try (0..<3).map { _ in try time(100_000) }.min() ?? .zero
    #expect(many < few * 10)
  }
}

@EntityModel
private struct Driver {
  let id: String
  var name: String
  @Relationship var car: Car? = nil
}

@EntityModel
private struct Car {
  let id: String
}

@EntityModel
private struct Ticket {
  let id: String
  var codes: [String]
}

@EntityModel
private struct Holder: Equatable {
  let id: String
  var value: Numbers
  var more: [Numbers?] = []

  struct Numbers: Codable, Hashable { var xs: [Int?] }
}

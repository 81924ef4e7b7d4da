import Foundation
import GQLite
import Testing

/// Variables from Swift types.
@Suite struct EncodableVariablesTests {
  private enum Status: String, Encodable { case active = "ACTIVE" }
  private enum Shape: Encodable { case circle(radius: Int) }

  private struct Everything: Encodable {
    var name = "Ada"
    var isHere = true
    var count = 3
    var large = UInt64.max
    var ratio = 0.25
    var single: Float = 0.1
    var price = Decimal(string: "12.50") ?? 0
    var when = Date(timeIntervalSince1970: 1_767_225_600.25)
    var bytes = Data([1, 2, 255])
    var key = UUID(uuidString: "AAAAAAAA-0000-4000-8000-000000000001")
    var site = URL(string: "https://example.org/a?b=1")
    var pause = Duration.milliseconds(1500)
    var status = Status.active
    var shape = Shape.circle(radius: 2)
    var tags: [String?] = ["x", nil]
    var counts = ["b": 2, "a": 1]
    var raw: Value = ["as": [1, "it", nil]]
    var nothing: Int?
    enum CodingKeys: String, CodingKey {
      case name = "full_name"
      case isHere, count, large, ratio, single, price, when, bytes, key, site, pause, status, shape, tags, counts, raw
      case nothing
    }
  }

  @Test("each kind of value in its form") func forms() throws {
    let expected = """
      {"full_name":"Ada","isHere":true,"count":3,"large":18446744073709551615,"ratio":0.25,"single":0.1,"price":12.5,\
      "when":"2026-01-01T00:00:00.250Z","bytes":"AQL/","key":"aaaaaaaa-0000-4000-8000-000000000001",\
      "site":"https://example.org/a?b=1","pause":"PT1.5S","status":"ACTIVE","shape":{"circle":{"radius":2}},\
      "tags":["x",null],"counts":{"a":1,"b":2},"raw":{"as":[1,"it",null]}}
      """
    #expect("\(try Value(encoding: Everything()))" == expected)
    #expect(try Value(encoding: 7) == 7)
    #expect(try Value(encoding: String?.none) == .null)
    #expect(try Value(encoding: [Int]()) == .list([]))
    struct Nothing: Encodable {}
    #expect(try Value(encoding: Nothing()) == .object([]))
  }

  private struct ByHand: Encodable {
    enum Key: String, CodingKey { case list, object, again }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      var inner = container.nestedContainer(keyedBy: Key.self, forKey: .object)
      try list.encode(1)
      var within = list.nestedUnkeyedContainer()
      try within.encodeNil()
      var last = list.superEncoder().singleValueContainer()
      try last.encode("last")
      try inner.encode(2, forKey: .again)
      try container.encode(1, forKey: .again)
      try container.encode(3, forKey: .again)
      #expect(list.count == 3)
    }
  }
  private struct Child: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: ByHand.Key.self)
      try container.encode(1, forKey: .again)
      try ByHand().encode(to: container.superEncoder())
    }
  }

  @Test("containers within containers, in any order") func containers() throws {
    let hand = #"{"list":[1,[null],"last"],"object":{"again":2},"again":3}"#
    #expect("\(try Value(encoding: ByHand()))" == hand)
    #expect("\(try Value(encoding: Child()))" == #"{"again":1,"super":\#(hand)}"#)
  }

  private final class Loop: Encodable { var next: Loop? }
  private struct Itself: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(self)
    }
  }
  private struct Chain: Encodable {
    var length: Int
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for _ in 0..<length { container = container.nestedUnkeyedContainer() }
    }
  }
  private struct Both: Encodable {
    func encode(to encoder: any Encoder) throws {
      _ = encoder.unkeyedContainer()
      _ = encoder.container(keyedBy: ByHand.Key.self)
    }
  }
  private struct Refusing: Encodable {
    struct Refusal: Error {}
    func encode(to encoder: any Encoder) throws { throw Refusal() }
  }

  private func message(_ value: some Encodable) -> String? {
    let found = problem { _ = try Value(encoding: value) }
    #expect(found?.code == "unencodable-value")
    return found?.message
  }

  @Test("nothing traps") func failures() throws {
    let loop = Loop()
    loop.next = loop
    #expect(message(loop)?.contains("there are more than 200 levels") == true)
    loop.next = nil
    #expect(message(Chain(length: 1_000_000))?.hasSuffix("there are more than 200 levels") == true)
    #expect(try Value(encoding: Chain(length: 3)) == [[[[]]]])
    #expect(message(Itself()) == "the value cannot be encoded: there are more than 200 levels")
    #expect(message(Both()) == "the value cannot be encoded: it encodes an object and something else")
    #expect(message(["a": [1, .nan]]) == "'a[1]' cannot be encoded: nan is no finite number")
    #expect(message(["a": Decimal.nan]) == "'a' cannot be encoded: NaN is no finite number")
    #expect(message([Date.distantFuture.addingTimeInterval(1e12)])?.contains("the years 1 to 9999") == true)
    for seconds: Double in [253_402_300_800, -62_135_596_801] {
      #expect(message([Date(timeIntervalSince1970: seconds)])?.contains("the years 1 to 9999") == true)
    }
    #expect(try Value(encoding: Date(timeIntervalSince1970: 253_402_300_799)) == "9999-12-31T23:59:59Z")
    #expect(try Value(encoding: Date(timeIntervalSince1970: -62_135_596_800)) == "0001-01-01T00:00:00Z")
    #expect(message(["a": Date(timeIntervalSince1970: .nan)])?.contains("the years 1 to 9999") == true)
    #expect(message(Duration.seconds(Int64.max)) == "the value cannot be encoded: the duration is too long")
    #expect(message(Refusing()) == "the value cannot be encoded: Refusal()")
  }

  @Test("200 levels fit the smallest stack of a thread") func depth() async throws {
    let text: String? = await withCheckedContinuation { continuation in
      let thread = Thread {
        let loop = Loop()
        loop.next = loop
        let found = problem { _ = try Value(encoding: loop) }
        loop.next = nil
        continuation.resume(returning: found?.code)
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(text == "unencodable-value")
  }

  @Test("dictionaries have one order") func order() throws {
    let keys = (0..<20).map { "\($0)" }.sorted()
    let expected = Value.object(keys.map { Value.Member($0, 0) })
    #expect(try Value(encoding: Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", 0) })) == expected)
    #expect(try Value(encoding: Dictionary(uniqueKeysWithValues: (0..<20).map { ($0, 0) })) == expected)
  }

  @Test("values are Codable, with their digits") func codable() throws {
    let value: Value = ["a": [1, 2.5, "x", nil, true], "b": ["c": .number("1.50")]]
    #expect(try Value(encoding: value) == value)
    struct Holder: Codable { var value: Value }
    let data = try JSONEncoder().encode(Holder(value: ["n": [1, 2.5, "x", nil, true]]))
    #expect(try JSONDecoder().decode(Holder.self, from: data).value == ["n": [1, 2.5, "x", nil, true]])
    let database = try Database(schema: "type A { id: ID! n: Decimal! }")
    try database.load([.ndjson(type: "A", text: #"{"id": 1, "n": "1.50"}"#)])
    #expect(try database.run("{ A { n } }").decode(Value.self, at: "A") == [["n": .number("1.50")]])
  }

  @Test("a struct is the variables of every run") func runs() throws {
    struct Row: Encodable {
      var id: Int
      var name: String
      var born: Date?
    }
    struct Rows: Encodable { var rows: [Row] }
    struct Named: Encodable { var name: String }
    let database = try Database(schema: "type Person { id: ID! name: String! born: DateTime }")
    let save = "mutation($rows: [PersonInput!]!) { insertPerson(data: $rows) { id } }"
    try database.run(save, variables: Rows(rows: [Row(id: 1, name: "Ada", born: Date(timeIntervalSince1970: 0))]))
    let find = try database.prepare("query($name: String!) { Person(where: name == $name) { id born } }")
    let ada = #"{"Person":[{"id":1,"born":"1970-01-01T00:00:00Z"}]}"#
    #expect(try find.run(variables: Named(name: "Ada")).jsonString == ada)
    #expect(try find.run(variables: ["name": "Ada"]).jsonString == ada)
    let view = database.view()
    try database.transaction { transaction in
      try transaction.run(save, variables: Rows(rows: [Row(id: 2, name: "Ada")]))
      #expect(try transaction.run(find, variables: Named(name: "Ada")).value["Person"]?.list?.count == 2)
    }
    #expect(try find.run(variables: Named(name: "Ada"), on: view).jsonString == ada)
    #expect(problem { try database.run("{ Person { id } }", variables: 5) }?.code == "unencodable-value")
    #expect(problem { try database.run("{ Person { id } }", variables: [1]) }?.help?.contains("a dictionary") == true)
    let refused = problem {
      try database.transaction { transaction in _ = try transaction.run("{ Person { id } }", variables: "x") }
    }
    #expect(refused?.code == "unencodable-value")
  }
}

import Foundation
import GQLite

/// Random data of every type, over which laws of the language are tried.
struct MetamorphicData {
  /// Which indexes the schema has; none changes an answer.
  enum Indexes: CaseIterable { case none, trees, hashes, compound, texts, all }

  /// `GQLITE_SEED` runs one other seed, `GQLITE_CASES` other numbers of databases.
  static func seeds(_ usual: UInt64) -> [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["GQLITE_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return Array(1...max(1, environment["GQLITE_CASES"].flatMap { UInt64($0) } ?? usual))
  }

  static let words = ["swift", "Swift fast", "a", "ab", "B", "birds fly", "Straße", "", "fast birds", "éa"]
  static let days = ["2024-01-31", "2023-12-31", "2024-02-29", "2025-06-15"]
  static let moments = ["2024-01-31T23:59:59Z", "2023-12-31T00:00:00.250Z", "2024-02-29T12:30:00Z"]
  static let durations = ["PT1H", "P1D", "PT0.5S"]
  static let uuids = ["123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000001"]

  let owners: Int
  let items: Int
  private var lines: [String] = []

  init(_ random: inout SeededRandom, items: Int = 45) {
    owners = 4
    self.items = items
    for id in 0..<owners {
      let name = random.chance(30) ? "null" : "\"\(random.pick(Self.words))\""
      lines.append(
        "{\"__typename\":\"Owner\",\"id\":\"o\(id)\",\"name\":\(name),\"rank\":\(Self.maybe("\(random.below(4))", &random))}"
      )
    }
    for id in 0..<items { lines.append(Self.item(id, items, &random)) }
  }

  private static func maybe(_ text: String, _ random: inout SeededRandom) -> String {
    random.chance(25) ? "null" : text
  }

  static func item(_ id: Int, _ items: Int, _ random: inout SeededRandom) -> String {
    func quoted(_ texts: [String]) -> String { "\"\(random.pick(texts))\"" }
    func list(_ count: Int, _ body: () -> String) -> String {
      "[\((0..<count).map { _ in body() }.joined(separator: ","))]"
    }
    let values: [(String, String)] = [
      ("i", "\(random.below(9) - 3)"), ("f", random.pick(["0.5", "-1.25", "2", "3.75"])),
      ("d", random.pick(["1.50", "-0.01", "2", "7.25"])), ("t", quoted(words)), ("ci", quoted(words)),
      ("b", random.pick(["true", "false"])), ("m", quoted(moments)), ("day", quoted(days)), ("dur", quoted(durations)),
      ("u", quoted(uuids)), ("by", quoted(["AQID", "", "/w=="])),
      ("j", random.pick(["{\"k\":1}", "{\"k\":\"x\"}", "[1,2]", "\"x\"", "3", "true"])),
      ("c", quoted(["RED", "GREEN", "BLUE"])), ("ns", list(random.below(4)) { "\(random.below(4))" }),
      ("ts", list(random.below(3)) { quoted(words) }),
      ("place", "{\"city\":\(maybe(quoted(words), &random)),\"n\":\(maybe("\(random.below(4))", &random))}"),
      ("owner", "\"o\(random.below(4))\""), ("next", "\(random.below(items))"),
    ]
    var text = "{\"__typename\":\"Item\",\"id\":\(id)"
    for (name, value) in values { text += ",\"\(name)\":\(maybe(value, &random))" }
    return text + ",\"friends\":\(list(random.below(4)) { "\(random.below(items))" })}"
  }

  static func sdl(_ indexes: Indexes) -> String {
    let tree = indexes == .trees || indexes == .all ? " @index" : indexes == .hashes ? " @index(kind: HASH)" : ""
    let hash = indexes == .hashes || indexes == .all ? " @index(kind: HASH)" : ""
    let text = indexes == .texts || indexes == .all ? " @fulltext" : ""
    var whole = ""
    if indexes == .compound || indexes == .all {
      whole = [["c", "i"], ["t", "day"], ["ci", "f"], ["b", "u", "d"], ["i", "t"]].map { fields in
        " @index(fields: [\(fields.map { "\"\($0)\"" }.joined(separator: ", "))])"
      }.joined()
    }
    return """
      enum Colour { RED GREEN BLUE }
      type Place { city: String n: Int }
      type Owner { id: ID! name: String\(tree) rank: Int items: [Item!]! @relation(inverse: "owner") }
      type Item\(whole) {
        id: ID! i: Int\(tree) f: Float\(tree) d: Decimal\(tree) t: String\(tree)\(text) ci: String @collate(CI)\(tree)
        b: Boolean\(hash) m: DateTime\(tree) day: Date\(tree) dur: Duration\(tree) u: UUID\(hash) by: Bytes
        j: JSON c: Colour\(tree.isEmpty ? hash : tree) ns: [Int!] ts: [String!] place: Place
        owner: Owner @relation(inverse: "items") next: Item @relation(inverse: null)
        friends: [Item!]! @relation(inverse: null)
      }
      """
  }

  func database(_ indexes: Indexes = .none) throws -> Database {
    let database = try Database(schema: Self.sdl(indexes))
    try database.load([.lines(nil, lines.joined(separator: "\n"))])
    return database
  }
}

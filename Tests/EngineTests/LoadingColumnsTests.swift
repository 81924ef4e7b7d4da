import GQLite
import Testing

/// CSV files that are read by columns: as the same rows read one by one, and as the same rows in JSON.
@Suite struct LoadingColumnsTests {
  private static let schema = """
    enum Level { LOW HIGH }
    type Address { city: String! zip: String = "none" }
    type Shop { id: ID! name: String items: [Item!]! @relation(inverse: "shop") }
    type Item {
      id: ID! i: Int f: Float d: Decimal day: Date at: DateTime s: String @collate(CI) n: Int! = 7 b: Boolean
      level: Level = LOW u: UUID tags: [String!]! address: Address mail: String @unique
      shop: Shop @relation(inverse: "items")
      twin: Item others: [Item!]! @relation(inverse: "byOthers")
      byOthers: [Item!]! @relation(inverse: "others")
    }
    """

  private static let all = """
    { Shop { id items { id } } Item { ...* address { ...* } shop { id } twin { id } others { id } byOthers { id } } }
    """

  /// One value of a column: as CSV writes it, and as JSON does.
  private struct Value {
    var csv: String
    var json: String
    static let none = Value(csv: "", json: "null")
    init(_ both: String) { (csv, json) = (both, both) }
    init(csv: String, json: String) { (self.csv, self.json) = (csv, json) }
    init(text: String) {
      let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      json = "\"\(escaped)\""
      csv =
        text.contains { "\",\n\r".contains($0) } || text.isEmpty ? "\"\(text.replacing("\"", with: "\"\""))\"" : text
    }
  }

  private static let texts = [
    "a", "", "twelve bytes", "thirteen bytes", "é", "x,y", "say \"so\"", "two\nlines", "\"", "07", "-1",
    "a somewhat longer text",
    "日本語のテキスト",
  ]
  private static let columns = [
    "id", "i", "f", "d", "day", "at", "s", "n", "b", "level", "u", "tags", "mail", "shop", "twin", "others",
  ]

  private static func value(_ column: String, _ row: Int, of rows: Int, _ random: inout SeededRandom) -> Value {
    if column == "mail" { return random.chance(50) ? Value(text: "m\(row)@example.org") : .none }
    if random.chance(15) { return .none }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    func date() -> String { "\(1900 + random.below(200))-\(two(1 + random.below(12)))-\(two(1 + random.below(28)))" }
    switch column {
    case "i", "n":
      return Value(
        ["0", "-0", "7", "-12", "12345678", "123456789", "-1234567890123456", "9223372036854775807", "77.0", "1e3"][
          random.below(10)])
    case "f":
      return Value(
        ["0", "1.5", "-0.25", "49.95", "1e300", "0.1234567890123", "12345678.5", "1234567.12345678", "3"][
          random.below(9)])
    case "d": return Value(["0", "1.50", "-12.345", "99999999999999999999.5"][random.below(4)])
    case "day": return Value(text: date())
    case "at": return Value(text: date() + "T12:34:56Z")
    case "s": return Value(text: texts[random.below(texts.count)])
    case "b": return Value(random.chance(50) ? "true" : "false")
    case "level": return Value(text: random.chance(50) ? "LOW" : "HIGH")
    case "u": return Value(text: "0f8fad5b-d9cb-469f-a165-7086772895\(two(random.below(100)))")
    case "tags":
      let list = ["[]", "[\"a\"]", "[\"a\",\"b, c\"]"][random.below(3)]
      return Value(csv: Value(text: list).csv, json: list)
    case "shop": return Value("\(1 + random.below(12))")
    case "twin": return Value(csv: "k\(random.below(rows + 3))", json: "\"k\(random.below(1))\"")
    default: return .none
    }
  }

  /// A table of some of the columns in any order, as CSV and as NDJSON.
  private static func table(_ rows: Int, _ random: inout SeededRandom) -> (csv: String, json: String) {
    var names = columns.filter { $0 == "id" || random.chance(70) }
    names.shuffle(using: &random)
    // Numbers in order, numbers out of order, or texts.
    let form = random.below(3)
    let lineEnd = random.chance(30) ? "\r\n" : "\n"
    var csv = names.joined(separator: ",") + lineEnd
    var json = ""
    for row in 0..<rows {
      var fields: [String] = []
      var members: [String] = []
      for name in names {
        var value = value(name, row, of: rows, &random)
        if name == "id" {
          let number = form == 0 ? row + 1 : (row * 7919) % 100_003
          value = form == 2 ? Value(text: "k\(number)") : Value("\(number)")
        } else if name == "twin", value.csv != "" {
          let target = random.below(rows)
          let number = form == 0 ? target + 1 : (target * 7919) % 100_003
          value = form == 2 ? Value(text: "k\(number)") : Value("\(number)")
        } else if name == "others" {
          let targets = (0..<random.below(3)).map { _ in random.below(rows) }.map {
            form == 0 ? $0 + 1 : ($0 * 7919) % 100_003
          }
          let ids = targets.map { form == 2 ? "k\($0)" : "\($0)" }
          value = Value(
            csv: ids.joined(separator: ";"),
            json: "[\(ids.map { form == 2 ? "\"\($0)\"" : $0 }.joined(separator: ","))]")
        }
        fields.append(value.csv)
        if value.csv != "" { members.append("\"\(name)\":\(value.json)") }
      }
      if random.chance(2) { csv += lineEnd }
      csv += fields.joined(separator: ",") + (row == rows - 1 && random.chance(50) ? "" : lineEnd)
      json += "{\(members.joined(separator: ","))}\n"
    }
    return (csv, json)
  }

  private static let shops = (1...10).map { "{\"id\":\($0),\"name\":\"S\($0)\"}" }.joined(separator: "\n")

  private func loaded(_ sources: [DataSource], skips: Bool = false) throws -> String {
    let database = try Database(schema: Self.schema)
    let report = try database.load(sources, options: LoadOptions(skipsBadRecords: skips, now: 0))
    #expect(database.check() == [])
    let inserted = report.inserted.map { "\($0.type) \($0.count)" }.joined(separator: ", ")
    return "\(inserted)\n\(report.danglingLinks)\n\(report.warningText)\n\(try database.query(Self.all).jsonString)"
  }

  @Test("good files", arguments: 1...12 as ClosedRange<UInt64>)
  func goodFiles(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let rows = [1, 3, 40, 1_023, 1_024, 1_025, 2_500][random.below(7)]
    let (csv, json) = Self.table(rows, &random)
    let shop = DataSource.lines("Shop", Self.shops)
    let item = DataSource.csv(type: "Item", bytes: Array(csv.utf8))
    let isShopFirst = random.chance(50)
    let sources = isShopFirst ? [shop, item] : [item, shop]
    let fast = try loaded(sources)
    #expect(try loaded(sources, skips: true) == fast, "seed \(seed): \(csv.prefix(400))")
    let lines = DataSource.lines("Item", json)
    #expect(try loaded(isShopFirst ? [shop, lines] : [lines, shop]) == fast, "seed \(seed): \(csv.prefix(400))")
  }

  /// The first thing wrong is the first one of those that are skipped, at the same place.
  @Test("bad files", arguments: 1...30 as ClosedRange<UInt64>)
  func badFiles(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed + 1_000)
    let rows = [2, 40, 1_100, 2_100][random.below(4)]
    let (csv, json) = Self.table(rows, &random)
    var source = random.chance(50) ? csv : json
    let isCSV = source == csv
    // Some lines are damaged: fields are added, taken away or written over, and lines repeated.
    var lines = source.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    for _ in 0...random.below(3) {
      let place = 1 + random.below(max(1, lines.count - 1))
      guard place < lines.count else { continue }
      switch random.below(5) {
      case 0: lines[place] += isCSV ? ",9" : "]"
      case 1: lines[place] = lines[place].replacing(isCSV ? "," : ":", with: "", maxReplacements: 1)
      case 2: lines[place] = lines[place].replacing("0", with: "x", maxReplacements: 1)
      case 3: lines.insert(lines[max(1, place - random.below(place))], at: place)
      default: lines[place] = "\"" + lines[place]
      }
    }
    source = lines.joined(separator: "\n")
    let data: DataSource =
      isCSV ? .csv(type: "Item", bytes: Array(source.utf8)) : .ndjson(type: "Item", bytes: Array(source.utf8))
    let plain = try Database(schema: Self.schema)
    let database = try Database(schema: Self.schema)
    let skipped = Self.problems { try plain.load([data], options: LoadOptions(skipsBadRecords: true, now: 0)) }
    let found = Self.problems { try database.load([data], options: LoadOptions(now: 0)) }
    guard found.isFailure, let first = found.problems.first else {
      #expect(skipped.problems.map(\.message) == found.problems.map(\.message), "seed \(seed)")
      #expect(try plain.query(Self.all).jsonString == database.query(Self.all).jsonString, "seed \(seed)")
      return
    }
    #expect(database.count(of: "Item") == 0)
    // Those of unique indexes and of links are found at the end.
    if first.code == "unique-violation" || first.code == "contradicting-links" { return }
    // A line of names that is wrong ends both.
    let wanted = try #require(skipped.problems.first, "seed \(seed): \(first)")
    #expect(
      first.message == wanted.message && first.line == wanted.line && first.column == wanted.column
        && first.range == wanted.range && first.code == wanted.code, "seed \(seed): \(first)\n\(wanted)")
  }

  /// Returns what a load reports: its warnings, or why it fails.
  private static func problems(
    _ load: () throws -> LoadReport
  ) -> (problems: [QueryError.Problem], isFailure: Bool) {
    do {
      return (try load().warnings, false)
    } catch {
      return ((error as? QueryError)?.problems ?? [], true)
    }
  }

  @Test("records of an interface's types keep their order") func order() throws {
    let database = try Database(
      schema: """
        interface Named { name: String! }
        type Cat implements Named { id: ID! name: String! }
        type Dog implements Named { id: ID! name: String! }
        type House { id: ID! }
        """)
    let lines = (1...40).map { row in
      row % 5 == 0
        ? "{\"__typename\":\"House\",\"id\":\(row)}"
        : "{\"__typename\":\"\(row % 3 == 0 ? "Cat" : "Dog")\",\"id\":\(row),\"name\":\"\(row)\"}"
    }
    try database.load([.lines(nil, lines.joined(separator: "\n"))])
    #expect(database.check() == [] && database.count(of: "House") == 8)
    let names = (1...40).filter { $0 % 5 != 0 }.map { "{\"name\":\"\($0)\"}" }.joined(separator: ",")
    #expect(try database.query("{ Named { name } }").jsonString == "{\"Named\":[\(names)]}")
  }

  @Test("a record completes a nested one, whichever comes first") func completing() throws {
    let lines = (1...1_500).map { row in
      row % 500 == 0
        ? "{\"id\":\(row),\"twin\":{\"id\":\(row + 1),\"s\":\"nested\",\"n\":1}}" : "{\"id\":\(row),\"i\":\(row)}"
    }
    let database = try Database(schema: Self.schema)
    try database.load([.lines("Item", lines.joined(separator: "\n"))])
    #expect(database.check() == [] && database.count(of: "Item") == 1_501)
    #expect(
      try database.query("{ Item(where: s == \"nested\", orderBy: id) { id i s n } }").jsonString
        == #"{"Item":[{"id":501,"i":501,"s":"nested","n":1},{"id":1001,"i":1001,"s":"nested","n":1},{"id":1501,"i":null,"s":"nested","n":1}]}"#
    )
  }

  @Test("columns in embedded objects, repeated names and very long lines") func otherShapes() throws {
    let long = String(repeating: "z", count: 600_000)
    let csv = "id,address.city,address.zip,s\n1,Paris,,\(long)\n2,,,b\n3,Rome,00100,\n"
    let database = try Database(schema: Self.schema)
    try database.load([.csv(type: "Item", bytes: Array(csv.utf8))])
    #expect(
      try database.query("{ Item { id address { city zip } } }").jsonString
        == #"{"Item":[{"id":1,"address":{"city":"Paris","zip":"none"}},{"id":2,"address":null},{"id":3,"address":{"city":"Rome","zip":"00100"}}]}"#
    )
    #expect(database.check() == [])
  }

  @Test("columns of embedded objects are those of the same objects in JSON") func embeddedColumns() throws {
    let schema = """
      type Item { id: ID! at: At to: To! } type At { x: Int y: String! inner: Inner } type Inner { z: Float w: Boolean }
      type To { d: Date }
      """
    var random = SeededRandom(seed: 5)
    var lines = ["to.d,id,at.x,at.y,at.inner.z"]
    var records: [String] = []
    for row in 0..<3_000 {
      let x = random.chance(40) ? "\(random.below(9))" : ""
      let z = random.chance(40) ? "0.\(1 + random.below(9))" : ""
      let y = x + z != "" || random.chance(30) ? ["a", "é", "longer than a cell holds"][random.below(3)] : ""
      lines.append("2024-01-0\(1 + row % 9),\(row),\(x),\(y),\(z)")
      let inner = z.isEmpty ? "null" : #"{"z":\#(z),"w":null}"#
      let at = y.isEmpty ? "null" : #"{"x":\#(x.isEmpty ? "null" : x),"y":"\#(y)","inner":\#(inner)}"#
      records.append(#"{"id":\#(row),"at":\#(at),"to":{"d":"2024-01-0\#(1 + row % 9)"}}"#)
    }
    let query = "{ Item { id at { x y inner { z w } } to { d } } }"
    let wanted = #"{"Item":[\#(records.joined(separator: ","))]}"#
    for skips in [false, true] {
      let database = try Database(schema: schema)
      try database.load(
        [.table("Item", lines.joined(separator: "\n"))], options: LoadOptions(skipsBadRecords: skips))
      #expect(try database.query(query).jsonString == wanted)
      #expect(database.check() == [])
    }
    for bad in ["2024-01-01,9999,1,,", "2024-01-01,9999,,,0.5", ",9999,1,a,"] {
      let database = try Database(schema: schema)
      let found = problem { try database.load([.table("Item", (lines + [bad]).joined(separator: "\n"))]) }
      #expect(found?.code == "missing-value" && found?.line == 3_002, "\(bad)")
    }
  }
}

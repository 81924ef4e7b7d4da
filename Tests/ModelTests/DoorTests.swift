import CSQLite3
import Foundation
import GQLite
import GQLiteModels
import Testing

private enum Grade: String, CaseIterable, Codable, Sendable {
  case low, high
}

@EntityModel
private struct Maker {
  let id: String
  var name: String
  @Relationship(inverse: \.maker) var parts: [Part]?
}

@EntityModel
private struct Part {
  let id: String
  var name: String
  var count: Int
  var ratio: Double
  var price: Foundation.Decimal
  var isNew: Bool
  var at: Date
  var day: CalendarDate
  var key: UUID
  var raw: Data
  var grade: Grade
  var note: String?
  @Relationship(inverse: \.parts) var maker: Maker?
}

@EntityModel
private struct Sensor {
  let id: String
  var count: UInt64
  @Relationship(.required, inverse: \.sensors) var site: Site?
}

@EntityModel
private struct Site {
  let id: String
  @Relationship(inverse: \.site) var sensors: [Sensor]?
}

/// The same rows through every door of the store, and the same faults.
@Suite struct DoorTests {
  static let schema = """
    enum Grade { low high }
    type Maker { id: String! name: String! parts: [Part!]! @relation(inverse: "maker") }
    type Part {
      id: String! name: String! count: Int! ratio: Float! price: Decimal! isNew: Boolean! at: DateTime! day: Date!
      key: UUID! raw: Bytes! grade: Grade! note: String maker: Maker @relation(inverse: "parts")
    }
    """

  /// A row as JSON writes it, its fields in the order of the schema.
  struct Row: Sendable {
    var values: [(name: String, value: String)]

    static let names = [
      "id", "name", "count", "ratio", "price", "isNew", "at", "day", "key", "raw", "grade", "note", "maker",
    ]

    init(_ values: String...) { self.values = Array(zip(Self.names, values)).map { (name: $0, value: $1) } }

    func with(_ name: String, _ value: String?) -> Row {
      var row = self
      row.values = values.compactMap { entry in
        entry.name == name ? value.map { (name: name, value: $0) } : entry
      }
      return row
    }

    func adding(_ name: String, _ value: String) -> Row {
      var row = self
      row.values.append((name, value))
      return row
    }

    func isOutOfRange(_ name: String) -> Bool {
      values.contains { $0.name == name && $0.value.count > 4 && !$0.value.hasPrefix("\"") }
    }

    var json: String { "{" + values.map { "\"\($0.name)\": \($0.value)" }.joined(separator: ", ") + "}" }
  }

  static let makers = [#"{"id": "m", "name": "Acme, \"Inc.\""}"#, #"{"id": "n", "name": "Ünï\ncode"}"#]

  static let good = Row(
    #""a""#, #""plain""#, "7", "2.5", "12.5", "true", #""2024-05-01T10:00:00.25Z""#, #""2024-05-01""#,
    #""0f8fad5b-d9cb-469f-a165-70867728950e""#, #""AP8=""#, #""low""#, "null", #""m""#)

  static let rows = [
    good,
    // Whole numbers, a date for a time, capitals in a UUID, nothing in texts.
    Row(
      #""b""#, #""""#, "77.0", "-0.0", "3", "false", #""2024-05-01""#, #""1969-12-31""#,
      #""0F8FAD5B-D9CB-469F-A165-70867728950F""#, #""""#, #""high""#, #""a note that is longer than a cell: \\ / €""#,
      #""n""#),
    Row(
      #""c""#, #""text, with; \"quotes\"""#, "-9223372036854775808", "1e300",
      "-0.000000000000000000000000000000000001", "true", #""1969-12-31T23:59:59.999999+01:00""#, #""9999-12-31""#,
      #""0f8fad5bd9cb469fa16570867728950a""#, #""AAECAwQFBgcICQoLDA0ODw==""#, #""low""#, #""x""#, "null"),
  ]

  enum Door: String, CaseIterable, Sendable {
    case json, ndjson, csv, sqlite, skipping, literals, variables, structs
  }

  static let answer = """
    { Part(orderBy: id) { id name count ratio price isNew at day key raw grade note maker { id } }
      Maker(orderBy: id) { id name parts(orderBy: id) { id } } }
    """

  @Test("the same rows give the same store", arguments: Door.allCases) func sameStore(_ door: Door) throws {
    let first = try Database(schema: Self.schema)
    try enter(Self.rows, by: .json, into: first)
    let expected = try first.query(Self.answer).jsonString
    #expect(expected.contains(#""count":77,"ratio":0,"price":3"#), "\(expected)")
    let database = try Database(schema: Self.schema)
    try enter(Self.rows, by: door, into: database)
    let answer = try database.query(Self.answer).jsonString
    #expect(answer == expected, "\(answer)\n\(expected)")
    #expect(database.check().isEmpty)
  }

  static let faults: [(Row, String)] = [
    (good.with("count", #""three""#), "wrong-type"), (good.with("count", "7.5"), "wrong-type"),
    (good.with("count", "9223372036854775808"), "number-out-of-range"),
    (good.with("ratio", "1e400"), "number-out-of-range"),
    (good.with("ratio", #""half""#), "wrong-type"),
    (good.with("price", "1234567890123456789012345678901234567.5"), "number-out-of-range"),
    (good.with("isNew", #""maybe""#), "wrong-type"), (good.with("isNew", "7"), "wrong-type"),
    (good.with("day", #""2024-02-30""#), "malformed-value"), (good.with("at", #""yesterday""#), "malformed-value"),
    (good.with("key", #""0f8f""#), "malformed-value"), (good.with("raw", #""A""#), "malformed-value"),
    (good.with("grade", #""hgih""#), "unknown-enum-value"), (good.with("name", "null"), "missing-value"),
    (good.with("name", nil), "missing-value"), (good.with("id", nil), "missing-value"),
    (good.adding("nmae", #""x""#), "unknown-field"),
  ]

  @Test("the same fault has the same code", arguments: [Door.json, .ndjson, .csv, .sqlite, .literals, .variables])
  func sameCode(_ door: Door) throws {
    for (row, code) in Self.faults {
      // SQLite keeps numbers beyond its own as infinity or texts, and a row without a column for the id has a number.
      if door == .sqlite, ["ratio", "price"].contains(where: { row.isOutOfRange($0) }) { continue }
      if door == .sqlite, !row.values.contains(where: { $0.name == "id" }) { continue }
      // A document's null is found before it runs.
      let code = door == .literals && row.json.contains("\"name\": null") ? "null-for-non-null" : code
      let database = try Database(schema: Self.schema)
      let problem = #expect(throws: QueryError.self) { try enter([row], by: door, into: database) }
      #expect(problem?.problems.first?.code == code, "\(door) \(row.json)")
      #expect(try database.query("{ n: count(Part) }").jsonString == #"{"n":0}"#)
    }
    let database = try Database(schema: Self.schema)
    // SQLite itself refuses it.
    if door == .sqlite { return }
    let twice = #expect(throws: QueryError.self) { try enter([Self.good, Self.good], by: door, into: database) }
    #expect(twice?.problems.first?.code == "unique-violation", "\(door)")
  }

  @Test("the same fault has the same code in structs") func sameCodeOfStructs() throws {
    for row in [
      Self.good.with("ratio", "1e400"), Self.good.with("price", "1234567890123456789012345678901234567.5"),
    ] {
      let database = try Database(schema: Self.schema)
      let problem = #expect(throws: ModelError.self) { try enter([row], by: .structs, into: database) }
      #expect(problem?.code == "number-out-of-range", "\(row.json)")
    }
    let database = try Database(
      schema: """
        type Sensor { id: String! count: Int! @unique site: Site! @relation(inverse: "sensors") }
        type Site { id: String! sensors: [Sensor!]! @relation(inverse: "site") }
        """)
    func insert(_ id: String, _ count: UInt64, _ site: String?) -> String? {
      let link = site.map { ", site: {id: \"\($0)\"}" } ?? ""
      let text = "mutation { insertSensor(data: {id: \"\(id)\", count: \(count)\(link)}) { id } }"
      let problem = #expect(throws: QueryError.self) { try database.run(text) }
      return problem?.problems.first?.code
    }
    func save(_ id: String, _ count: UInt64, _ site: String?) -> String? {
      var sensor = Sensor(id: id, count: count)
      if let site { sensor.$site = .relation(Site(id: site)) }
      do { try sensor.save(to: database) } catch let error as ModelError { return error.code } catch let error as Errors
      {
        return error.code
      } catch {
        Issue.record(error)
      }
      return nil
    }
    #expect(save("a", 1, "s") == nil)
    for (count, site, code) in [
      (UInt64.max, "s", "number-out-of-range"), (2, nil, "missing-value"), (1, "s", "unique-violation"),
    ] as [(UInt64, String?, String)] {
      #expect(save("b", count, site) == code)
      #expect(insert("b", count, site) == code)
    }
    #expect(try database.query("{ Sensor { id } }").jsonString == #"{"Sensor":[{"id":"a"}]}"#)
  }

  // MARK: - Doors

  private func enter(_ rows: [Row], by door: Door, into database: Database) throws {
    switch door {
    case .json:
      let text =
        "{\"Maker\": [\(Self.makers.joined(separator: ","))], \"Part\": [\(rows.map(\.json).joined(separator: ","))]}"
      try database.load([.json(text: text)])
    case .ndjson: try database.load(lines(rows))
    case .skipping:
      var options = LoadOptions()
      options.skipsBadRecords = true
      try database.load(lines(rows), options: options)
    case .csv: try database.load([.ndjson(type: "Maker", text: Self.makers.joined(separator: "\n")), csv(rows)])
    case .sqlite: try enterSQLite(rows, into: database)
    case .literals:
      let makers = Self.makers.map(literal).joined(separator: " ")
      let parts = rows.map { row in
        literal(
          "{"
            + row.values.map { "\($0.name): \($0.name == "grade" ? name($0.value) : $0.value)" }
            .joined(separator: ", ") + "}")
      }
      try database.run(
        "mutation { insertMaker(data: [\(makers)]) insertPart(data: [\(parts.joined(separator: " "))]) }")
    case .variables:
      let variables =
        "{\"makers\": [\(Self.makers.joined(separator: ","))], \"parts\": [\(rows.map(\.json).joined(separator: ","))]}"
      try database.run(
        """
        mutation($makers: [MakerInput!]!, $parts: [PartInput!]!) {
          insertMaker(data: $makers) insertPart(data: $parts)
        }
        """, variables: members(of: variables))
    case .structs: try enterStructs(rows, into: database)
    }
  }

  private func members(of json: String) throws -> [String: Value] {
    guard case .object(let members) = try Value(json: json) else { return [:] }
    return Dictionary(members.map { ($0.name, $0.value) }) { first, _ in first }
  }

  private func lines(_ rows: [Row]) -> [DataSource] {
    [
      .ndjson(type: "Part", text: rows.map(\.json).joined(separator: "\n")),
      .ndjson(type: "Maker", text: Self.makers.joined(separator: "\n")),
    ]
  }

  private func literal(_ json: String) -> String { json.replacing(#/"([a-z]+)":/#) { "\($0.output.1):" } }
  private func name(_ text: String) -> String { text.replacing("\"", with: "") }

  /// The text that a value of JSON stands for; nil for null.
  private func text(_ json: String) throws -> String? {
    if json == "null" { return nil }
    guard json.hasPrefix("\"") else { return json }
    return try JSONDecoder().decode([String].self, from: Data("[\(json)]".utf8)).first
  }

  private func csv(_ rows: [Row]) throws -> DataSource {
    let names = rows.first?.values.map(\.name) ?? []
    var lines = [names.joined(separator: ",")]
    for row in rows {
      lines.append(
        try row.values.map { value in
          try text(value.value).map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" } ?? ""
        }.joined(separator: ","))
    }
    return .csv(type: "Part", text: lines.joined(separator: "\n"))
  }

  private func enterSQLite(_ rows: [Row], into database: Database) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "doors-\(UUID().uuidString).db")
    defer { try? FileManager.default.removeItem(at: url) }
    var sql = "CREATE TABLE Maker (id TEXT NOT NULL PRIMARY KEY, name TEXT);"
    for maker in Self.makers {
      let values = try JSONDecoder().decode([String: String].self, from: Data(maker.utf8))
      sql += "INSERT INTO Maker VALUES (\(quoted(values["id"])), \(quoted(values["name"])));"
    }
    let names =
      rows.first?.values.map {
        $0.name == "maker" ? "maker TEXT REFERENCES Maker(id)" : $0.name == "id" ? "id TEXT PRIMARY KEY" : $0.name
      } ?? []
    sql += "CREATE TABLE Part (\(names.joined(separator: ", ")));"
    for row in rows {
      let values = try row.values.map { value in
        switch value.name {
        case "isNew" where value.value == "true": "1"
        case "isNew" where value.value == "false": "0"
        // A number of so many digits is a text there.
        case "price": quoted(try text(value.value))
        case "raw":
          try Data(base64Encoded: text(value.value) ?? "").map { "x'" + $0.map { hex($0) }.joined() + "'" }
            ?? quoted(text(value.value))
        default: value.value.hasPrefix("\"") ? quoted(try text(value.value)) : value.value
        }
      }
      sql += "INSERT INTO Part VALUES (\(values.joined(separator: ", ")));"
    }
    var handle: OpaquePointer?
    #expect(sqlite3_open(url.path, &handle) == SQLITE_OK)
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    sqlite3_close(handle)
    try database.load(path: url.path)
  }

  private func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  private func quoted(_ text: String?) -> String { text.map { "'" + $0.replacing("'", with: "''") + "'" } ?? "NULL" }

  private func enterStructs(_ rows: [Row], into database: Database) throws {
    for maker in Self.makers {
      let values = try JSONDecoder().decode([String: String].self, from: Data(maker.utf8))
      try Maker(id: values["id"] ?? "", name: values["name"] ?? "").save(to: database)
    }
    for row in rows {
      let values = try Dictionary(row.values.map { ($0.name, try text($0.value)) }) { first, _ in first }
      func value(_ name: String) throws -> String { try #require(values[name] ?? nil) }
      let at = try value("at")
      let full = at.count == 10 ? at + "T00:00:00Z" : at
      let count = try Int(value("count")) ?? Int(exactly: Double(value("count")) ?? 0.5)
      let ratio = try Double(value("ratio"))
      let price = try Foundation.Decimal(string: value("price"))
      let day = try CalendarDate(value("day"))
      let key = try uuid(value("key"))
      let raw = try Data(base64Encoded: value("raw"))
      let grade = try Grade(rawValue: value("grade"))
      var part = Part(
        id: try value("id"), name: try value("name"), count: try #require(count), ratio: try #require(ratio),
        price: try #require(price), isNew: try value("isNew") == "true", at: try #require(time(full)),
        day: try #require(day), key: try #require(key), raw: try #require(raw), grade: try #require(grade),
        note: values["note"] ?? nil)
      if let maker = values["maker"] ?? nil { part.$maker = .id(maker) }
      try part.save(to: database)
    }
  }

  /// A moment to the microsecond, which formatters do not read.
  private func time(_ written: String) -> Date? {
    let parts = written.split(separator: ".", maxSplits: 1)
    guard parts.count == 2 else { return ISO8601DateFormatter().date(from: written) }
    let fraction = parts[1].prefix { $0.isNumber }
    let zone = parts[1].dropFirst(fraction.count)
    guard let whole = ISO8601DateFormatter().date(from: String(parts[0]) + String(zone)),
      let micros = Double("0." + fraction)
    else {
      return nil
    }
    return Date(timeIntervalSince1970: whole.timeIntervalSince1970 + micros)
  }

  private func uuid(_ text: String) -> UUID? {
    if text.count == 36 { return UUID(uuidString: text) }
    let digits = Array(text)
    guard digits.count == 32 else { return nil }
    let groups = [digits[0..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20..<32]]
    return UUID(uuidString: groups.map { String($0) }.joined(separator: "-"))
  }
}

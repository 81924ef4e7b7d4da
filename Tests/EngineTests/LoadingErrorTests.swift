import GQLite
import Testing

/// What bad data says, where, and that it leaves nothing behind.
@Suite struct LoadingErrorTests {
  static let schema = """
    enum E { RED GREEN }
    type A { city: String! geo: G }
    type G { lat: Float! }
    type X @unique(fields: ["s", "i"]) {
      id: ID! s: String i: Int f: Float d: Decimal b: Boolean dt: DateTime da: Date du: Duration u: UUID by: Bytes
      j: JSON e: E ls: [String!] li: [Int] a: A mail: String @unique @collate(CI) x: X xs: [X!]!
    }
    """

  struct Case: Sendable, CustomTestStringConvertible {
    let line: String
    let code: String
    let column: Int
    var help: String?
    var testDescription: String { line }
    init(_ line: String, _ code: String, _ column: Int, _ help: String? = nil) {
      self.line = line
      self.code = code
      self.column = column
      self.help = help
    }
  }

  @Test(
    "a bad record has a file, a line and a column, and changes nothing",
    arguments: [
      Case(#"{"id":1,"i":9223372036854775808}"#, "number-out-of-range", 13),
      Case(#"{"id":1,"i":-9223372036854775809}"#, "number-out-of-range", 13),
      Case(#"{"id":1,"i":1.5}"#, "wrong-type", 13),
      Case(#"{"id":1,"i":"1"}"#, "wrong-type", 13),
      Case(#"{"id":1,"i":true}"#, "wrong-type", 13),
      Case(#"{"id":1,"f":1e309}"#, "number-out-of-range", 13),
      Case(#"{"id":1,"f":NaN}"#, "invalid-json", 13),
      Case(#"{"id":1,"d":99999999999999999999999999999999999999999999}"#, "number-out-of-range", 13),
      Case(#"{"id":1,"d":"ten"}"#, "malformed-value", 13),
      Case(#"{"id":1,"b":1}"#, "wrong-type", 13),
      Case(#"{"id":1,"s":1}"#, "wrong-type", 13),
      Case(#"{"id":1,"dt":"2024-02-30T00:00:00Z"}"#, "malformed-value", 14),
      Case(#"{"id":1,"dt":1700000000}"#, "wrong-type", 14),
      Case(#"{"id":1,"da":"2023-02-29"}"#, "malformed-value", 14),
      Case(#"{"id":1,"du":"P1X"}"#, "malformed-value", 14),
      Case(#"{"id":1,"u":"nope"}"#, "malformed-value", 13),
      Case(#"{"id":1,"by":"A"}"#, "malformed-value", 14),
      Case(#"{"id":1,"e":"GREE"}"#, "unknown-enum-value", 13, "did you mean 'GREEN'?"),
      Case(#"{"id":1,"e":0}"#, "wrong-type", 13),
      Case(#"{"id":1,"ls":["a",null]}"#, "missing-value", 19),
      Case(#"{"id":1,"ls":["a",7]}"#, "wrong-type", 19),
      Case(#"{"id":1,"ls":"a"}"#, "wrong-type", 14),
      Case(#"{"id":1,"a":"c"}"#, "wrong-type", 13),
      Case(#"{"id":1,"a":{"geo":{"lat":1}}}"#, "missing-value", 1),
      Case(#"{"id":1,"a":{"city":null}}"#, "missing-value", 21),
      Case(#"{"id":1,"a":{"city":"c","geo":{}}}"#, "missing-value", 1),
      Case(#"{"id":1,"a":{"city":"c","goe":{}}}"#, "unknown-field", 26, "did you mean 'geo'?"),
      Case(#"{"id":1,"mial":"m"}"#, "unknown-field", 10, "did you mean 'mail'?"),
      Case(#"{"id":1,"s":"a","s":"b"}"#, "duplicate-argument", 18),
      Case(#"{"s":"a"}"#, "missing-value", 1),
      Case(#"{"id":null}"#, "missing-value", 7),
      Case(#"{"id":1.5}"#, "wrong-type", 7),
      Case(#"{"id":[1]}"#, "wrong-type", 7),
      Case(#"{"id":1,"x":true}"#, "wrong-type", 13),
      Case(#"{"id":1,"xs":7}"#, "wrong-type", 14),
      Case(#"{"id":1,"x":{"s":"no id"}}"#, "missing-value", 13),
      Case(#"{"id":1,"s":"é","i":}"#, "invalid-json", 21),
      Case(#"{"id":1,"s":"\x"}"#, "invalid-json", 14),
      Case(#"{"id":1,"s":"\ud800"}"#, "invalid-json", 14),
      Case(#"{"id":1,"s":"cut"#, "invalid-json", 17),
      Case(#"{"id":1,,}"#, "invalid-json", 9),
      Case(#"{"id":1}{"id":2}"#, "invalid-json", 9),
      Case("{\"id\":1,\"s\":\"tab\tin text\"}", "invalid-json", 17),
      Case(#"{"id":1,"i":01}"#, "invalid-json", 13),
      Case(#"[1]"#, "not-an-object", 1),
      Case(#"true"#, "not-an-object", 1),
    ])
  func badRecord(_ bad: Case) throws {
    let database = try Database(schema: Self.schema)
    try database.load([.lines("X", #"{"id":"kept","s":"k"}"#)])
    let version = try database.query("{ X { ...* } }")
    let text = "{\"id\":5,\"s\":\"x\"}\n\n\(bad.line)\n{\"id\":6}\n"
    let found = problem { try database.load([.lines("X", text)]) }
    #expect(found?.code == bad.code && found?.file == "data.ndjson")
    #expect(found?.line == 3 && found?.column == bad.column, "\(found?.message ?? "")")
    if let help = bad.help { #expect(found?.help == help) }
    #expect(try database.query("{ X { ...* } }") == version)
    #expect(database.check() == [])
    // The bad line alone is left out, on request.
    let report = try database.load([.lines("X", text)], options: LoadOptions(skipsBadRecords: true))
    #expect(
      report.skippedRecords == 1 && report.warnings.first?.line == 3 && report.warnings.first?.severity == .warning)
    #expect(try database.query("{ X { id } }").jsonString == #"{"X":[{"id":"kept"},{"id":5},{"id":6}]}"#)
    #expect(database.check() == [])
  }

  @Test("good values of every type come back as the language prints them") func goodValues() throws {
    let database = try Database(schema: Self.schema)
    try database.load([
      .lines(
        "X",
        #"""
        {"id":1,"s":"é\u0041\ud83d\ude00\n\/","i":-9223372036854775808,"f":1e308,"d":12345678901234567890.50,"b":false,"dt":"2024-02-29T12:00:00.123456+02:00","da":"0001-01-01","du":"PT36H","u":"0F8FAD5B-D9CB-469F-A165-70867728950E","by":"AQ==","j":{"a" : [1, 2.50, "x y"]},"e":"GREEN","ls":["a",""],"li":[1,null],"a":{"city":"c","geo":{"lat":-0.5}}}
        {"id":"01","i":1e3,"f":7,"d":"1.10","dt":"2024-02-28","j":null,"ls":[],"li":[]}
        {"id":99999999999999999999999999,"i":-2.0,"f":0.1,"d":-5,"j":"t","x":null,"xs":[]}
        """#)
    ])
    #expect(
      try database.query("{ X { id s i f d b dt da u by j e ls li a { city geo { lat } } } }").jsonString
        == #"{"X":[{"id":1,"s":"éA😀\n/","i":-9223372036854775808,"f":1e+308,"d":12345678901234567890.50,"b":false,"#
        + #""dt":"2024-02-29T10:00:00.123456Z","da":"0001-01-01","u":"0f8fad5b-d9cb-469f-a165-70867728950e","by":"AQ==","#
        + #""j":{"a":[1,2.50,"x y"]},"e":"GREEN","ls":["a",""],"li":[1,null],"a":{"city":"c","geo":{"lat":-0.5}}},"#
        + #"{"id":"01","s":null,"i":1000,"f":7,"d":1.10,"b":null,"dt":"2024-02-28T00:00:00Z","da":null,"u":null,"by":null,"#
        + #""j":null,"e":null,"ls":[],"li":[],"a":null},"#
        + #"{"id":99999999999999999999999999,"s":null,"i":-2,"f":0.1,"d":-5,"b":null,"dt":null,"da":null,"u":null,"#
        + #""by":null,"j":"t","e":null,"ls":null,"li":null,"a":null}]}"#)
  }

  @Test("ids are texts: 1 and \"1\" are one") func duplicateIDs() throws {
    let database = try Database(schema: Self.schema)
    for line in [#"{"id":1}"#, #"{"id":"1"}"#, #"{"id":1,"s":"other"}"#] {
      let found = problem { try database.load([.lines("X", #"{"id":1}"# + "\n" + line)]) }
      #expect(found?.code == "unique-violation" && found?.line == 2 && found?.column == 1)
    }
    try database.load([.lines("X", #"{"id":1}"#)])
    let found = problem { try database.load([.lines("X", #"{"id":0}"# + "\n" + #"{"id":1}"#)]) }
    #expect(found?.code == "unique-violation" && found?.line == 2)
    #expect(database.count(of: "X") == 1)
  }

  @Test("a unique violation names entity, field and value, and its line") func uniqueViolations() throws {
    let database = try Database(schema: Self.schema)
    let lines = #"{"id":1,"mail":"Ann@x.org"}"# + "\n" + #"{"id":2}"# + "\n" + #"{"id":3,"mail":"aNN@X.org"}"#
    let found = problem { try database.load([.lines("X", lines)]) }
    #expect(found?.code == "unique-violation" && found?.line == 3)
    let message = found?.message ?? ""
    #expect(message.contains("'X'") && message.contains("mail") && message.lowercased().contains("ann@x.org"))
    #expect(database.count(of: "X") == 0)
    let pair = problem {
      try database.load([.lines("X", #"{"id":1,"s":"a","i":7}"# + "\n" + #"{"id":2,"s":"a","i":7}"#)])
    }
    #expect(pair?.message.contains("s, i") == true && pair?.message.contains("'a', 7") == true)
    let report = try database.load([.lines("X", lines)], options: LoadOptions(skipsBadRecords: true))
    #expect(report.skippedRecords == 1 && database.count(of: "X") == 2 && database.check() == [])
    // Nulls are no values that could be there twice.
    try database.load([.lines("X", #"{"id":8,"s":"n"}"# + "\n" + #"{"id":9,"s":"n"}"#)])
  }

  @Test(
    "a JSON document's problems",
    arguments: [
      Case("{\"X\": [\n {\"id\":1},\n {\"id\":2,\n  \"i\":\"x\"}]}", "wrong-type", 7),
      Case("{\"Y\": []}", "unknown-type", 3),
      Case("{\"X\": {\"id\":1}}", "invalid-json", 7),
      Case("{\"X\": [{\"id\":1}", "invalid-json", 16),
      Case("{\"X\": [{\"id\":1},\n", "invalid-json", 17),
      Case("{\"X\": [1]}", "not-an-object", 8),
      Case("7", "not-an-object", 1),
      Case("[{\"id\":1}]", "unknown-type", 2),
      Case("[{\"id\":1,\"__typename\":\"Y\"}]", "unknown-type", 23),
      Case("{\"X\": []} x", "invalid-json", 11),
    ])
  func badDocument(_ bad: Case) throws {
    let database = try Database(schema: Self.schema)
    let found = problem { try database.load([.document(bad.line)]) }
    #expect(found?.code == bad.code && found?.column == bad.column, "\(found?.message ?? "") \(found?.column ?? -1)")
    #expect(database.count(of: "X") == 0)
  }

  @Test(
    "a CSV file's problems",
    arguments: [
      (Case("id,s\n1,a\n2,b,c\n", "ragged-line", 1), 3), (Case("id,zip\n1,a\n", "unknown-field", 4), 1),
      (Case("id,i\n1,x\n", "wrong-type", 3), 2), (Case("id,s\n,x\n", "missing-value", 1), 2),
      (Case("id,s\n1,\"x\n", "ragged-line", 3), 2), (Case("id,s\n1,\"x\"y\n", "ragged-line", 6), 2),
      (Case("id,id\n1,1\n", "duplicate-argument", 4), 1), (Case("id,a\n1,x\n", "wrong-type", 4), 1),
      (Case("id,b\n1,yes\n", "wrong-type", 3), 2), (Case("id,i\n1, 7\n", "wrong-type", 3), 2),
    ])
  func badTable(_ bad: Case, _ line: Int) throws {
    let database = try Database(schema: Self.schema)
    let found = problem { try database.load([.table("X", bad.line)]) }
    #expect(found?.code == bad.code && found?.line == line, "\(found?.message ?? "")")
    #expect(found?.column == bad.column)
    #expect(database.count(of: "X") == 0)
  }

  @Test("a cut JSON document is counted and what stands before the cut is kept, on request") func skipsCutDocument()
    throws
  {
    let database = try Database(schema: Self.schema)
    let report = try database.load(
      [.document(#"{"X":[{"id":1},{"id":2,"i":"x"},{"id":3},{"id":4"#)], options: LoadOptions(skipsBadRecords: true))
    #expect(report.skippedRecords == 2 && database.count(of: "X") == 2)
  }

  @Test(
    "invalid UTF-8 is no text",
    arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
  func invalidText(_ bytes: [UInt8]) throws {
    let database = try Database(schema: Self.schema)
    let line = Array("{\"id\":1,\"s\":\"a".utf8) + bytes + Array("\"}".utf8)
    let found = problem { try database.load([.ndjson(type: "X", bytes: line)]) }
    #expect(found?.code == "invalid-json" && found?.line == 1 && found?.column == 15)
    let table = Array("id,s\n1,a".utf8) + bytes + Array("\n".utf8)
    let other = problem { try database.load([.csv(type: "X", bytes: table)]) }
    #expect(other?.line == 2)
    #expect(database.count(of: "X") == 0)
  }

  @Test("nesting has a limit, at any depth nothing crashes", arguments: [10, 511, 513, 100_000])
  func deepNesting(_ depth: Int) throws {
    let database = try Database(schema: Self.schema)
    let json = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    let line = #"{"id":1,"j":"# + json + "}"
    if depth <= 510 {
      try database.load([.lines("X", line)])
      #expect(try database.query("{ X { j } }").jsonString == "{\"X\":[{\"j\":\(json)}]}")
    } else if depth > 512 {
      #expect(problem { try database.load([.lines("X", line)]) }?.code == "invalid-json")
    } else {
      _ = try? database.load([.lines("X", line)])
    }
    var nested = "{\"id\":0}"
    for id in 1...min(depth, 600) { nested = "{\"id\":\(id),\"s\":\"s\(id)\",\"x\":\(nested)}" }
    if depth < 500 {
      try database.load([.lines("X", nested.replacing("\"id\":", with: "\"id\":7"))])
    } else {
      _ = try? database.load([.lines("X", nested.replacing("\"id\":", with: "\"id\":7"))])
    }
    #expect(database.check() == [])
    let open = String(repeating: "{\"x\":", count: depth)
    #expect(problem { try database.load([.lines("X", open)]) } != nil)
  }

  @Test("very long numbers, texts and lines") func longValues() throws {
    let database = try Database(schema: Self.schema)
    let digits = String(repeating: "9", count: 100_000)
    for field in ["i", "f", "d"] {
      #expect(
        problem { try database.load([.lines("X", "{\"id\":1,\"\(field)\":\(digits)}")]) }?.code == "number-out-of-range"
      )
    }
    let text = String(repeating: "é", count: 200_000)
    try database.load([.lines("X", "{\"id\":1,\"s\":\"\(text)\",\"i\":0,\"j\":\(digits)}")])
    #expect(try database.query("{ n := max(X.s) }").utf8.count == 400_000 + 8)
    #expect(try database.query("{ X { n := length(s) } }").jsonString == #"{"X":[{"n":200000}]}"#)
    let zeros = "0." + String(repeating: "0", count: 5000) + "1"
    _ = try? database.load([.lines("X", "{\"id\":2,\"f\":\(zeros),\"d\":1e-5000}")])
    _ = try? database.load([.lines("X", "{\"id\":3,\"f\":1e-99999999999999999999}")])
    _ = try? database.load([.lines("X", "{\"id\":4,\"d\":1e99999999999999999999,\"i\":1e99999999999}")])
    #expect(database.check() == [])
  }
}

import Foundation
import Testing

/// Damaged and hostile files of every kind: what is said of each, and where; or what they hold all the same.
@Suite struct HostileDataTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let file: String
    let bytes: [UInt8]
    /// What the error begins with and the place of it, or the answer.
    let expected: String
    let place: String?
    var testDescription: String { "\(file): \(String(decoding: bytes.prefix(60), as: UTF8.self)) \(expected)" }

    /// A file that is refused.
    init(_ file: String, bytes: [UInt8], _ code: String, _ place: String? = nil) {
      (self.file, self.bytes, expected, self.place) = (file, bytes, "error[\(code)]", place.map { "\(file):\($0)\n" })
    }
    init(_ file: String, _ text: String, _ code: String, _ place: String? = nil) {
      self.init(file, bytes: Array(text.utf8), code, place)
    }
    /// A file that is taken.
    init(_ file: String, bytes: [UInt8], answer: String) {
      (self.file, self.bytes, expected, place) = (file, bytes, answer, nil)
    }
    init(_ file: String, _ text: String, answer: String) { self.init(file, bytes: Array(text.utf8), answer: answer) }
  }

  private static let schema = "type T { id: ID! n: Int s: String j: JSON t: T }\n"
  private static let nothing = #"{"T":[]}"#
  private static func bytes(_ text: String, _ more: [UInt8]) -> [UInt8] { Array(text.utf8) + more }
  private static let open = [UInt8](repeating: UInt8(ascii: "["), count: 600)

  static let lines: [Case] = [
    Case("T.ndjson", "", answer: nothing), Case("T.ndjson", String(repeating: " \n", count: 9999), answer: nothing),
    Case("T.ndjson", #"{"id":1,"n":"#, "invalid-json", "1:13"),
    Case("T.ndjson", "{\"id\":1}\0", "invalid-json", "1:9"), Case("T.ndjson", "\0\0\0", "not-an-object", "1:1"),
    Case("T.ndjson", bytes: [0xFF, 0xFE, 0x7B, 0, 0x22, 0], "invalid-json", "1:3"),
    Case("T.ndjson", #"{"id":1,"s":"\ud800"}"#, "invalid-json", "1:14"),
    Case("T.ndjson", #"{"id":1,"s":"\u12"}"#, "invalid-json", "1:14"),
    Case("T.ndjson", bytes: bytes(#"{"id":1,"s":""#, [0xC0, 0x80, 0x22, 0x7D]), "invalid-json", "1:14"),
    Case("T.ndjson", bytes: bytes(#"{"id":1,"s":""#, [0xED, 0xA0, 0x80, 0x22, 0x7D]), "invalid-json", "1:14"),
    Case("T.ndjson", bytes: bytes(#"{"id":1,"j":"#, open), "invalid-json", "1:524"),
    Case("T.ndjson", String(repeating: #"{"id":1,"t":"#, count: 600), "invalid-json"),
    Case("T.ndjson", "{\"id\":0}\n{\"id\":1,\"id\":2}", "duplicate-argument", "2:10"),
    Case("T.ndjson", #"{"id":1,"n":1e400}"#, "number-out-of-range", "1:13"),
    Case("T.ndjson", #"{"id":1,"n":-0.0}"#, answer: #"{"T":[{"id":1,"n":0,"s":null,"j":null,"t":null}]}"#),
    Case("T.ndjson", #"{"id":1,"n":1e-400}"#, "wrong-type", "1:13"),
    Case("T.ndjson", #"{"id":1,"n":00}"#, "invalid-json", "1:13"),
    Case("T.ndjson", #"{"id":1,"":1}"#, "unknown-field", "1:10"),
    Case("T.ndjson", #"{"id":1,"n\u0000":1}"#, "unknown-field", "1:10"),
    Case("T.ndjson", #"{"id":1,"__typename":"Int"}"#, "unknown-type", "1:22"),
    Case("T.ndjson", #"{"id":""}"#, answer: #"{"T":[{"id":"","n":null,"s":null,"j":null,"t":null}]}"#),
    Case(
      "T.ndjson", #"{"id":1,"t":{"id":2,"t":{"id":1}}}"#,
      answer:
        #"{"T":[{"id":1,"n":null,"s":null,"j":null,"t":{"id":2}},{"id":2,"n":null,"s":null,"j":null,"t":{"id":1}}]}"#),
    Case("T.jsonl", #"{"id":1}}"#, "invalid-json", "1:9"),
  ]

  static let documents: [Case] = [
    Case("T.json", "", answer: nothing), Case("T.json", "\u{FEFF}", answer: nothing),
    Case("T.json", "[]", answer: nothing), Case("T.json", #"[{"id":1},]"#, "invalid-json", "1:11"),
    Case("T.json", #"[{"id":1} {"id":2}]"#, "invalid-json", "1:11"),
    Case(
      "T.json", #"{"id":1}{"id":2}"#,
      answer:
        #"{"T":[{"id":1,"n":null,"s":null,"j":null,"t":null},{"id":2,"n":null,"s":null,"j":null,"t":null}]}"#),
    Case("T.json", #""x""#, "not-an-object", "1:1"),
    Case("T.json", bytes: open, "not-an-object", "1:2"), Case("T.json", "[null]", "not-an-object", "1:2"),
    Case("T.json", "[{\"id\":1},\n{\"id\":2}", "invalid-json", "2:9"),
    Case("T.json", "\u{FEFF}\u{FEFF}[]", "not-an-object", "1:2"),
    Case("all.json", #"{"T":5}"#, "invalid-json", "1:6"), Case("all.json", #"{"T":[],"#, "invalid-json", "1:9"),
    Case("all.json", #"{"U":[]}"#, "unknown-type", "1:3"), Case("all.json", "{}", answer: nothing),
    Case("all.json", #"{"T":[{"id":1}],"T":[{"id":1}]}"#, "unique-violation", "1:22"),
    Case("all.ndjson", #"{"id":1}"#, "unknown-type", "1:1"),
    Case("all.ndjson", #"{"__typename":5,"id":1}"#, "invalid-json", "1:15"),
    Case("T.txt", "x", "unknown-field", "1:1"), Case("T.json.bz2", "x", "unsupported-data"),
  ]

  static let tables: [Case] = [
    Case("T.csv", "", answer: nothing), Case("T.csv", "id,n", answer: nothing),
    Case("T.csv", "id,n\n1,2\n3", "ragged-line", "3:1"), Case("T.csv", "id,n\n\"1,2\n", "ragged-line", "2:1"),
    Case("T.csv", "id,n\n1,\"2\"3\n", "ragged-line", "2:6"), Case("T.csv", "id,n\n1,0x1F\n", "wrong-type", "2:3"),
    Case("T.csv", "id,n\n1,99999999999999999999\n", "number-out-of-range", "2:3"),
    Case("T.csv", "id,s\n1,a\0b\n", answer: #"{"T":[{"id":1,"n":null,"s":"a\u0000b","j":null,"t":null}]}"#),
    Case("T.csv", bytes: bytes("id,", [0xFF, 0x0A]), "invalid-json", "1:4"),
    Case("T.csv", bytes: bytes("id,s\n1,", [0xC3, 0x0A]), "invalid-json", "2:3"),
    Case("T.csv", "id,id\n", "duplicate-argument", "1:4"), Case("T.csv", ",,,\n", "unknown-field", "1:1"),
    Case("T.csv", "id,t.id\n1,2\n", "unknown-field", "1:4"),
    Case("T.csv", "id,j\n1,[1\n", "wrong-type", "2:3"),
    Case("T.csv", "id;n\n1;2\n", answer: #"{"T":[{"id":1,"n":2,"s":null,"j":null,"t":null}]}"#),
    Case("T.csv", "\0", "unknown-field", "1:1"),
    Case(
      "T.csv", "id,n\r1,1e1\r\n2,",
      answer: #"{"T":[{"id":1,"n":10,"s":null,"j":null,"t":null},{"id":2,"n":null,"s":null,"j":null,"t":null}]}"#),
    Case("T.csv", "id,n\n\"\",\"\"\n", "wrong-type", "2:5"),
  ]

  static let compressed: [Case] = {
    let (gzip, zstd, gz, zst) = (DataFiles.gzip, DataFiles.zstd, "T.ndjson.gz", "T.ndjson.zst")
    var flipped = gzip
    flipped[gzip.count - 6] ^= 1
    return [
      Case(gz, "", "unreadable-file"), Case(gz, "{}", "unreadable-file"),
      Case(gz, bytes: Array(gzip.prefix(10)), "unreadable-file"),
      Case(gz, bytes: Array(gzip.dropLast(1)), "unreadable-file"), Case(gz, bytes: flipped, "unreadable-file"),
      Case(gz, bytes: gzip.appending(0), "unreadable-file"), Case(gz, bytes: zstd, "unreadable-file"),
      // The member is good, what it holds is not of the type.
      Case(gz, bytes: gzip, "unknown-field", "1:12"), Case(zst, bytes: zstd, "unknown-field", "1:12"),
      Case(zst, "", "unreadable-file"), Case(zst, bytes: gzip, "unreadable-file"),
      Case(zst, bytes: Array(zstd.dropLast(1)), "unreadable-file"),
      Case(zst, bytes: zstd.appending(0), "unreadable-file"),
      // A frame to be skipped, and a frame that asks for a window of 2 TiB.
      Case(zst, bytes: [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0], answer: nothing),
      Case(zst, bytes: [0x28, 0xB5, 0x2F, 0xFD, 0, 0xF8, 1, 0, 0], "unreadable-file"),
    ]
  }()

  static let databases: [Case] = {
    let file = DataFiles.sqlite
    func with(_ place: Int, _ bytes: UInt8...) -> [UInt8] {
      var result = file
      result.replaceSubrange(place..<place + bytes.count, with: bytes)
      return result
    }
    return [
      Case("T.db", "", "unreadable-file"), Case("T.db", "SQLite format 3", "unreadable-file"),
      Case("T.db", bytes: Array(file.prefix(16)), "unreadable-file"),
      // Cut off within a page, and behind one.
      Case("T.db", bytes: Array(file.prefix(600)), "unreadable-file"),
      Case("T.db", bytes: Array(file.prefix(512)), "unreadable-file"),
      // No such size of pages; no such encoding; a format that is newer; the root of the table is no page of the file.
      Case("T.db", bytes: with(16, 0, 3), "unreadable-file"), Case("T.db", bytes: with(19, 9), "unreadable-file"),
      Case("T.db", bytes: with(512, 0x63), "unreadable-file"),
      Case(
        "T.db", bytes: file,
        answer:
          #"{"T":[{"id":1,"n":null,"s":"one","j":null,"t":{"id":2}},{"id":2,"n":null,"s":"zwei","j":null,"t":null}]}"#),
    ]
  }()

  static let all: [Case] = [lines, documents, tables, compressed, databases].flatMap { $0 }

  @Test("data", arguments: all)
  func data(_ bad: Case) throws {
    // The table has a column that the type has not.
    let schema = bad.file == "T.db" ? Self.schema.replacing("s: String", with: "s: String b: Bytes") : Self.schema
    try check(bad, ["--schema", "schema.graphql", "--data", bad.file, "-e", "{ T { id n s j t { id } } }"], schema)
  }

  static let schemaCases: [Case] = [
    Case("bad.graphql", "type T { id: ID! x: Nope }", "unknown-type", "1:21"),
    Case("bad.graphql", "type T { id: ID!", "unclosed", "1:17"),
    Case("bad.graphql", "type T { id: ID! } type T { id: ID! }", "duplicate-type", "1:25"),
    Case("bad.graphql", "type T { id: ID! id: Int }", "duplicate-field", "1:18"),
    Case("bad.graphql", "\0", "unexpected-character", "1:1"),
    Case("bad.graphql", bytes: bytes("type T { id: ID! } #", [0xFF]), "invalid-utf8", "1:21"),
    Case("bad.graphql", "type T { id: ID! n: \(String(repeating: "[", count: 300))Int", "nested-too-deeply", "1:221"),
    Case("bad.graphql", "\"\"\" type T", "unterminated-string", "1:1"),
    Case("bad.graphql", String(repeating: "a", count: 2 << 20), "document-too-long"),
  ]

  @Test("schemas", arguments: schemaCases)
  func schemas(_ bad: Case) throws {
    try check(bad, ["--schema", bad.file, "-e", "{ T { id } }"], Self.schema)
  }

  static let variableCases: [Case] = [
    Case("v.json", #"{"a":1"#, "invalid-json", "1:7"), Case("v.json", "", "invalid-json"),
    Case("v.json", #"{"a":1,"a":1}"#, "invalid-json", "1:8"), Case("v.json", bytes: open, "invalid-json", "1:513"),
    Case("v.json", bytes: [0x7B, 0x22, 0xFF, 0x22, 0x7D], "invalid-json", "1:3"),
    Case("v.json", "{\"a\":1}\0", "invalid-json", "1:8"), Case("v.json", #"{"a":1.5}"#, "wrong-type"),
    Case("v.json", #"{"a":1e400}"#, "number-out-of-range"),
    Case("v.json", "\u{FEFF}{\"a\":1e2}", answer: #"{"a":100}"#),
  ]

  @Test("variables", arguments: variableCases)
  func variables(_ bad: Case) throws {
    try check(bad, ["--vars", bad.file, "-e", "query($a: Int) { a := $a }"], Self.schema)
  }

  private func check(_ bad: Case, _ arguments: [String], _ schema: String) throws {
    let folder = try Scratch()
    try folder.write("schema.graphql", schema)
    try folder.write(bad.file, bad.bytes)
    let result = try Gqlite.run(arguments, in: folder.url)
    if bad.expected.hasPrefix("error") {
      #expect(result.status == 1 && result.output == "" && result.errors.hasPrefix(bad.expected), "\(result)")
      if let place = bad.place { #expect(result.errors.contains("--> \(place)"), "\(result.errors)") }
    } else {
      #expect(result.status == 0 && result.output == bad.expected + "\n", "\(result)")
    }
  }
}

extension [UInt8] {
  fileprivate func appending(_ byte: UInt8) -> [UInt8] { self + [byte] }
}

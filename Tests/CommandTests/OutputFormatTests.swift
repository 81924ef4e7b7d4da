import Foundation
import GQLite
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// The formats of answers with rows: what is a row, what is a column, and how cells are written.
@Suite struct OutputFormatTests {
  private let people: Scratch

  init() throws { people = try Scratch.people() }

  private func run(_ format: String, _ text: String) throws -> String {
    let result = try people.gqlite("--data", "people", "--format", format, "-e", text)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    return result.output
  }

  // MARK: - Rows and columns

  @Test("an element is a row, a nested object has columns, a list is a cell") func rows() throws {
    let query = "{ User(limit: 2) { id name tags boss { name age } } }"
    #expect(
      try run("csv", query)
        == [
          "id,name,tags,boss.name,boss.age", #"1,Ann,"[""a"",""b""]",,"#, #"2,"Bob, ""B""",[],Ann,30"#, "",
        ].joined(separator: "\r\n"))
  }

  @Test("versions and changes are rows") func versions() throws {
    let scratch = try Scratch()
    try scratch.write("schema.graphql", Array("type Item @history { id: ID! n: Int }".utf8))
    #expect(try scratch.gqlite("init", "a.gqlite", "--schema", "schema.graphql").status == 0)
    for mutation in ["insertItem(data: {id: 1, n: 5})", "updateItem(where: id == 1, set: {n: 6})"] {
      #expect(try scratch.gqlite("--db", "a.gqlite", "mutation { \(mutation) }").status == 0)
    }
    func run(_ text: String) throws -> String {
      let result = try scratch.gqlite("--db", "a.gqlite", "--format", "csv", text)
      #expect(result.errors == "")
      return result.output
    }
    #expect(try run("{ Item(versions: ALL) { id n _version } }") == "id,n,_version\r\n1,5,1\r\n1,6,2\r\n")
    #expect(try run("{ _changes { version change } }") == "version,change\r\n1,CREATED\r\n2,UPDATED\r\n")
    #expect(try run("{ Item { n _versions { n } } }") == "n,_versions\r\n6,\"[{\"\"n\"\":5},{\"\"n\"\":6}]\"\r\n")
  }

  @Test("an object, and values beside one another, are one row") func singles() throws {
    #expect(
      try run("csv", #"{ user(id: "2") { name boss { name } } }"#) == "name,boss.name\r\n\"Bob, \"\"B\"\"\",Ann\r\n")
    #expect(try run("csv", #"{ user(id: "9") { name } }"#) == "name\r\n")
    #expect(try run("csv", "{ n: count(User) }") == "n\r\n3\r\n")
    #expect(
      try run("csv", #"{ n: count(User) oldest: max(User, age) user(id: "1") { name boss { id } } }"#)
        == "n,oldest,user.name,user.boss.id\r\n3,30,Ann,\r\n")
    #expect(try run("csv", "{ names: collect(User, name) }") == "names\r\nAnn\r\n\"Bob, \"\"B\"\"\"\r\nCid\r\n")
  }

  @Test("several lists follow one another, each under its name") func severalLists() throws {
    #expect(
      try run("table", "{ User(limit: 1) { id } n: count(User) rest: User(offset: 1) { name } }") == """
        n
        ─
        3

        User
        id
        ──
         1

        rest
        name
        ────────
        Bob, "B"
        Cid

        """)
    #expect(
      try run("csv", "{ User(limit: 1) { id } rest: User(offset: 2) { name } }")
        == "User\r\nid\r\n1\r\n\r\nrest\r\nname\r\nCid\r\n")
    // So do the answers of several operations.
    #expect(try run("tsv", "query A { User(limit: 1) { id } } query B { n: count(User) }") == "id\n1\n\nn\n3\n")
  }

  @Test("columns come from the selection, also where there are no rows") func columns() throws {
    #expect(try run("csv", #"{ User(where: id == "9") { id boss { name } } }"#) == "id,boss.name\r\n")
    // What a directive leaves out is no column, unless nothing tells.
    let query = "{ User(limit: 1) { id name @skip(if: true) boss @include(if: false) { id } age @include(if: true) } }"
    #expect(try run("csv", query) == "id,age\r\n1,30\r\n")
    #expect(try run("csv", "{ User(limit: 2) { id @skip(if: true) } }") == "User\r\n{}\r\n{}\r\n")
    // A name in backquotes is like any other.
    #expect(
      try run("csv", #"{ User(limit: 1) { `a "b"` := age boss { id } } }"#) == "\"a \"\"b\"\"\",boss.id\r\n30,\r\n")
  }

  @Test("an object in a JSON value is a cell") func jsonValues() throws {
    let scratch = try Scratch()
    try scratch.write("T.ndjson", #"{"id": 1, "data": {"a": 1}}"# + "\n" + #"{"id": 2, "data": {"b": [2]}}"# + "\n")
    try scratch.write("s.graphql", "type T { id: ID! data: JSON }")
    let result = try scratch.gqlite(
      "--schema", "s.graphql", "--data", "T.ndjson", "--format", "csv", "-e", "{ T { data id } }")
    #expect(result.output == "data,id\r\n\"{\"\"a\"\":1}\",1\r\n\"{\"\"b\"\":[2]}\",2\r\n")
  }

  @Test("objects with names too long for columns are cells") func longNames() throws {
    let name = String(repeating: "n", count: 40_000)
    let output = try run("csv", "{ User(offset: 1, limit: 1) { \(name): boss { id name } } }")
    #expect(output == "\(name)\r\n\"{\"\"id\"\":1,\"\"name\"\":\"\"Ann\"\"}\"\r\n")
  }

  @Test("answers may be nested more deeply than JSON is read") func depth() throws {
    let scratch = try Scratch()
    let rows = (0..<700).map { #"{"id": \#($0)\#($0 == 0 ? "" : #", "next": \#($0 - 1)"#)}"# }
    try scratch.write("T.ndjson", rows.joined(separator: "\n") + "\n")
    try scratch.write("s.graphql", "type T { id: ID! next: T }")
    let result = try scratch.gqlite(
      "--schema", "s.graphql", "--data", "T.ndjson", "--format", "tsv", "-e",
      "{ T(offset: 698) { id next { id next @recurse { id } } } }")
    #expect(result.status == 0)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { $0.split(separator: "\t").count == 4 }, "\(result.errors)")
  }

  // MARK: - Cells

  /// Texts that some format must escape, and what each makes of them.
  static let texts: [(json: String, csv: String, tsv: String, markdown: String, table: String)] = [
    (#"a,b"#, #""a,b""#, "a,b", "a,b", "a,b"),
    (#"say \"x\""#, #""say ""x""""#, #""say ""x""""#, #"say "x""#, #"say "x""#),
    (#"a\nb"#, "\"a\nb\"", "\"a\nb\"", "a<br>b", #"a\nb"#),
    (#"a\r\nb"#, "\"a\r\nb\"", "\"a\r\nb\"", "a<br>b", #"a\r\nb"#),
    (#"a\tb"#, "a\tb", "\"a\tb\"", "a b", #"a\tb"#), (#"a\\b"#, #"a\b"#, #"a\b"#, #"a\\b"#, #"a\b"#),
    ("a|b", "a|b", "a|b", #"a\|b"#, "a|b"), ("<b>", "<b>", "<b>", #"\<b>"#, "<b>"), ("", #""""#, #""""#, "", ""),
    (#"\u001b[0m"#, "\u{1B}[0m", "\u{1B}[0m", " [0m", "\u{FFFD}[0m"),
    (#"\u202e"#, "\u{202E}", "\u{202E}", "\u{202E}", "\u{FFFD}"),
  ]

  @Test("texts in cells", arguments: texts.indices) func cells(_ index: Int) throws {
    let text = Self.texts[index]
    let query = "{ User(limit: 1) { a := \"\(text.json)\" b := 1 } }"
    #expect(try run("csv", query) == "a,b\r\n\(text.csv),1\r\n")
    #expect(try run("tsv", query) == "a\tb\n\(text.tsv)\t1\n")
    #expect(try run("markdown", query) == "| a | b |\n| --- | ---: |\n| \(text.markdown) | 1 |\n")
    let lines = try run("box", query).split(separator: "\n")
    #expect(lines.count == 5 && lines[3].hasPrefix("│ \(text.table)"), "\(lines)")
  }

  @Test("CSV and tabs are read as they were written", arguments: ["csv", "tsv"]) func roundTrip(_ format: String) throws
  {
    let scratch = try Scratch()
    let texts = [#""a\tb,c""#, #""a\nb""#, #""a\\nb""#, #""say \"x\"""#, #""""#, "null", #""C:\\new\\table""#, "null"]
    for columns in ["x", "id x"] {
      let rows = texts.enumerated().map { #"{"id": \#($0.offset), "x": \#($0.element)}"# }
      try scratch.write("T.ndjson", rows.joined(separator: "\n"))
      let written = try scratch.gqlite("T.ndjson", "--format", format, "{ T { \(columns) } }")
      try scratch.write("U.\(format)", written.output)
      let answer = try scratch.gqlite("T.ndjson", "{ U: T { x } }").output
      #expect(try scratch.gqlite("U.\(format)", "{ U { x } }").output == answer, "\(written)")
    }
  }

  @Test("null, numbers and truth values") func values() throws {
    let query = "{ User(offset: 2, limit: 1) { age x := true f := 1.5 } }"
    #expect(try run("csv", query) == "age,x,f\r\n,true,1.5\r\n")
    #expect(try run("tsv", query) == "age\tx\tf\n\ttrue\t1.5\n")
    #expect(try run("markdown", query) == "| age | x | f |\n| --- | --- | ---: |\n|  | true | 1.5 |\n")
    #expect(
      try run("markdown", "{ User(limit: 1) { id } `x|y`: User(limit: 1) { `a|b` := 1 } }") == #"""
        ## User

        | id |
        | ---: |
        | 1 |

        ## x\|y

        | a\|b |
        | ---: |
        | 1 |

        """#)
  }

  @Test("wide characters, emoji and combining marks take the columns that they have") func widths() throws {
    let texts = ["abc", "日本", "한국어", "😀", "👩‍👩‍👧", "🇳🇴", "e\u{301}", "❤️", "ｆｕｌｌ", "a\u{200B}b", "✅", "—"]
    let widths = [3, 4, 6, 2, 2, 2, 1, 2, 8, 2, 2, 1]
    for (text, width) in zip(texts, widths) {
      let lines = try run("box", "{ User(limit: 1) { x := \"\(text)\" } }").split(separator: "\n")
      #expect(lines.first.map(String.init) == "┌─" + String(repeating: "─", count: width) + "─┐", "\(text)")
      #expect(lines.dropFirst(3).first == "│ \(text) │", "\(text)")
    }
  }

  // MARK: - JSON lines

  @Test("jsonl has a line for each element, ndjson for each answer") func lines() throws {
    #expect(
      try run("jsonl", "{ User(limit: 2) { id boss { id } } }") == #"""
        {"id":1,"boss":null}
        {"id":2,"boss":{"id":1}}

        """#)
    #expect(
      try run("ndjson", "query A { User(limit: 2) { id } } query B { n: count(User) }") == #"""
        {"User":[{"id":1},{"id":2}]}
        {"n":3}

        """#)
    #expect(try run("jsonl", "{ names: collect(User, name) }") == "\"Ann\"\n\"Bob, \\\"B\\\"\"\n\"Cid\"\n")
    #expect(try run("jsonl", "{ n: count(User) m: count(User) }") == "{\"n\":3,\"m\":3}\n")
    #expect(try run("jsonl", #"{ user(id: "1") { id } }"#) == "{\"id\":1}\n")
    #expect(try run("jsonl", #"{ user(id: "9") { id } }"#) == "")
    #expect(try run("jsonl", #"{ User(where: id == "9") { id } }"#) == "")
    let several = try people.gqlite("--data", "people", "--format", "jsonl", "-e", "{ User { id } n: count(User) }")
    #expect(several.status == 1 && several.output == "" && several.errors.contains("error[needs-one-list]"))
  }

  @Test("a format that does not exist names the nearest") func nearest() throws {
    for (name, near) in [
      ("cvs", "csv"), ("jsonlines", "jsonl"), ("ndjsn", "ndjson"), ("md", "markdown"), ("tables", "table"),
      ("CSV", "csv"), ("tabs", "tsv"), ("boxes", "box"), ("prety", "pretty"),
    ] {
      let result = try people.gqlite("--data", "people", "--format", name, "-e", "{ User { id } }")
      #expect(
        result.status == 2 && result.errors.contains("did you mean '--format \(near)'?"), "\(name): \(result.errors)")
    }
    let other = try people.gqlite("--data", "people", "--format", "xml", "-e", "{ User { id } }")
    let names = "pretty, json, ndjson, jsonl, table, box, csv, tsv, markdown, graphql"
    #expect(other.status == 2 && other.errors.contains("--format is one of \(names), not 'xml'"))
    let help = try people.gqlite("run", "--help").output
    for name in names.components(separatedBy: ", ") { #expect(help.contains(name), "\(name)") }
  }

  // MARK: - The terminal

  #if os(Linux) && canImport(Glibc)
    /// What a run writes to a terminal of a width.
    private func onTerminal(_ width: UInt16, _ arguments: [String], columns: String? = nil) throws -> [String] {
      let terminal = try PseudoTerminal(columns: width)
      let process = Process()
      process.executableURL = Gqlite.binary
      process.arguments = arguments
      process.currentDirectoryURL = people.url
      var environment = ProcessInfo.processInfo.environment
      environment["COLUMNS"] = columns
      process.environment = environment
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = terminal.file
      try process.run()
      process.waitUntilExit()
      return terminal.read().split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test("on a terminal a row fits a line, elsewhere nothing is cut") func terminal() throws {
      let query = "{ User(limit: 2) { id a := \"a long text without an end\" b := \"日本語日本語日本語\" } }"
      let arguments = ["--data", "people", "--format"]
      let whole = try onTerminal(80, arguments + ["table", "-e", query])
      #expect(
        whole.contains("1   a long text without an end  日本語日本語日本語")
          || whole.contains(" 1  a long text without an end  日本語日本語日本語"))
      #expect(
        try onTerminal(30, arguments + ["table", "-e", query]) == [
          "id  a             b", "──  ────────────  ────────────", " 1  a long text…  日本語日本…",
          " 2  a long text…  日本語日本…",
        ])
      #expect(
        try onTerminal(26, arguments + ["box", "-e", query]) == [
          "┌────┬─────────┬─────────┐", "│ id │ a       │ b       │", "├────┼─────────┼─────────┤",
          "│  1 │ a long… │ 日本語… │", "│  2 │ a long… │ 日本語… │", "└────┴─────────┴─────────┘",
        ])
      // Columns without room are left off.
      #expect(
        try onTerminal(14, arguments + ["table", "-e", query]) == [
          "id  a        …", "──  ───────  ─", " 1  a long…  …", " 2  a long…  …",
        ])
      // The variable goes before what the terminal says.
      #expect(try onTerminal(80, arguments + ["table", "-e", query], columns: "14")[0] == "id  a        …")
      #expect(try onTerminal(2, arguments + ["table", "-e", "{ User(limit: 1) { id a := \"long\" } }"]).count == 3)
      let piped = try people.gqlite("--data", "people", "--format", "table", "-e", query)
      #expect(piped.output.contains("a long text without an end  日本語日本語日本語"))
    }
  #endif
}

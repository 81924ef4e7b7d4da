import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Data that the command line names: files, patterns, streams, and their names.
@Suite struct DataOperandTests {
  private static let orders = "id,total\n1,10\n2,7\n"
  private static let answer = #"{"Orders":[{"id":1,"total":10},{"id":2,"total":7}]}"# + "\n"
  private static let query = "{ Orders { id total } }"

  private static func folder() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write("orders.csv", orders)
    return scratch
  }

  // MARK: - Files and streams

  @Test("a file of data needs no flag, a text is a document") func operands() throws {
    let folder = try Self.folder()
    #expect(try folder.gqlite("orders.csv", Self.query).output == Self.answer)
    #expect(try folder.gqlite("run", Self.query, "orders.csv").output == Self.answer)
    #expect(try folder.gqlite("orders.csv", "-e", Self.query).output == Self.answer)
    #expect(try folder.gqlite("orders.csv", "query Q { Orders { id total } }").output == Self.answer)
    #expect(try folder.gqlite("orders.csv", input: Self.query).output == Self.answer)
    #expect(try folder.gqlite("schema", "orders.csv").output.hasPrefix("type Orders @source(name: \"orders\") {\n"))
    try folder.write("q.query", Self.query)
    #expect(try folder.gqlite("orders.csv", "q.query").output == Self.answer)
    // A file of that name goes before a text.
    try folder.write("{ Orders { id } }", "{ Orders { total } }")
    #expect(
      try folder.gqlite("orders.csv", "{ Orders { id } }").output == #"{"Orders":[{"total":10},{"total":7}]}"# + "\n")
  }

  @Test("JSON without an ending is data, and so is a SQLite file whatever it is called") func contents() throws {
    let folder = try Scratch()
    try folder.write("answer", "[{\"id\": 1}]")
    try folder.write("one.query.txt", "{ Answer { id } }")
    try folder.write("base.dat", DataFiles.sqlite)
    #expect(try folder.gqlite("answer", "one.query.txt").output == #"{"Answer":[{"id":1}]}"# + "\n")
    #expect(
      try folder.gqlite("base.dat", "{ T { id s } }").output == #"{"T":[{"id":1,"s":"one"},{"id":2,"s":"zwei"}]}"#
        + "\n")
  }

  @Test(
    "standard input is data beside a query",
    arguments: [
      ["--data", "-", "{ Stdin { id total } }"], ["--data", "/dev/stdin", "{ Stdin { id total } }"],
      ["-", "{ Stdin { id total } }"], ["/dev/stdin", "-e", "{ Stdin { id total } }"],
      ["Orders=-", "-e", "{ Stdin: Orders { id total } }"], ["--data", "Orders=-", "{ Stdin: Orders { id total } }"],
    ]) func input(_ arguments: [String]) throws
  {
    let wanted = Self.answer.replacing("Orders", with: "Stdin")
    #expect(try Gqlite.run(arguments + ["--input-format", "csv"], input: Self.orders).output == wanted)
    #expect(try Gqlite.run(arguments, input: "{\"id\":1,\"total\":10}\n{\"id\":2,\"total\":7}\n").output == wanted)
  }

  @Test("a format that is said goes before the ending") func formats() throws {
    let folder = try Scratch()
    try folder.write("a.txt", "id;n\n1;2\n")
    try folder.write("b.json", "id\tn\n1\t2\n")
    try folder.write("c.csv", "{\"id\":1,\"n\":2}\n")
    #expect(try folder.gqlite("a.txt", "{ A { n } }").output == #"{"A":[{"n":2}]}"# + "\n")
    #expect(try folder.gqlite("b.json", "--input-format", "tsv", "{ B { n } }").output == #"{"B":[{"n":2}]}"# + "\n")
    #expect(try folder.gqlite("c.csv", "--input-format", "jsonl", "{ C { n } }").output == #"{"C":[{"n":2}]}"# + "\n")
    // A file without an ending is data where the format of data is said, and no document.
    try folder.write("noext", "a,b\n1,2\n")
    try folder.write("query", "{ Noext { b } }")
    #expect(
      try folder.gqlite("--input-format", "csv", "noext", "{ Noext { a b } }").output
        == #"{"Noext":[{"a":1,"b":2}]}"# + "\n")
    #expect(try folder.gqlite("--input-format", "csv", "noext", "query").output == #"{"Noext":[{"b":2}]}"# + "\n")
    for text in ["2024-01-01 10:00:00 INFO up\n", "a,b\n1,2\n", "time\tlevel\n10:00\tINFO\n"] {
      try folder.write("app.log", text)
      let refused = try folder.gqlite("app.log", "{ App { a } }")
      #expect(
        refused.status == 2 && refused.errors.contains("'app.log' is no document: it looks like data")
          && refused.errors.contains("--input-format csv"), "\(refused)")
    }
    let wrong = try folder.gqlite("a.txt", "--input-format", "xml", "{ A { n } }")
    #expect(wrong.status == 2 && wrong.errors.contains("--input-format is csv, tsv, json or ndjson, not 'xml'"))
  }

  @Test("standard input cannot be two things") func twice() throws {
    let twice = try Gqlite.run(["--data", "-", "--data", "A=/dev/stdin", "{ A { id } }"], input: Self.orders)
    #expect(twice.status == 2 && twice.errors.contains("standard input is named as data twice"))
    let both = try Gqlite.run(["--data", "-", "-"], input: Self.orders)
    #expect(both.status == 2 && both.errors.contains("standard input is data and a document"))
  }

  @Test("a file that is not there is named", arguments: [[], ["{ Orders { id } }"], ["-e", "{ Orders { id } }"]])
  func absent(_ query: [String]) throws {
    let result = try Gqlite.run(["absent.csv"] + query)
    #expect(result.status != 0 && result.output == "" && result.errors.contains("absent.csv"), "\(result)")
    #expect(!result.errors.contains("schema absent.csv"))
  }

  // MARK: - Names

  @Test("a table is called as it is said") func names() throws {
    let folder = try Self.folder()
    let wanted = Self.answer.replacing("Orders", with: "Sale")
    #expect(try folder.gqlite("--data", "Sale=orders.csv", "{ Sale { id total } }").output == wanted)
    #expect(try folder.gqlite("Sale=orders.csv", "{ Sale { id total } }").output == wanted)
    // A file that is called like this goes before.
    try folder.write("Sale=orders.csv", "id,total\n9,9\n")
    #expect(
      try folder.gqlite("Sale=orders.csv", "{ SaleOrders { id } }").output == #"{"SaleOrders":[{"id":9}]}"# + "\n")
  }

  @Test("names that clash are numbered, which is said") func clashes() throws {
    let folder = try Self.folder()
    try folder.write("orders.json", "[{\"id\": 5, \"total\": 1}]")
    try folder.write("Orders .csv", "id,total\n8,8\n")
    let result = try folder.gqlite(
      "--verbose", "orders.csv", "orders.json", "Orders .csv",
      "{ Orders { id } Orders2 { id } Orders3 { id } }")
    #expect(
      result.output == #"{"Orders":[{"id":1},{"id":2}],"Orders2":[{"id":5}],"Orders3":[{"id":8}]}"# + "\n", "\(result)")
    #expect(
      result.errors.contains("'orders.json' is the type 'Orders2', since 'Orders' is taken")
        && result.errors.contains("'Orders ' is the type 'Orders3', since 'Orders' is taken"), "\(result.errors)")
    // The schema that is printed finds them again.
    let schema = try folder.gqlite("schema", "orders.csv", "orders.json", "Orders .csv").output
    try folder.write("s.graphql", schema)
    let again = try folder.gqlite(
      "--schema", "s.graphql", "orders.csv", "orders.json", "Orders .csv",
      "{ Orders { id } Orders2 { id } Orders3 { id } }")
    #expect(again.output == result.output, "\(again)\n\(schema)")
  }

  @Test("files of one name in several folders are one table, and so are those of one name that is said")
  func together() throws {
    let folder = try Scratch()
    try folder.write("2023/log.csv", "id,n\n1,1\n")
    try folder.write("2024/log.csv", "id,n\n2,2\n")
    try folder.write("2024/more.csv", "id,n\n3,3\n")
    #expect(try folder.gqlite("20*/log.csv", "{ Log { id } }").output == #"{"Log":[{"id":1},{"id":2}]}"# + "\n")
    #expect(
      try folder.gqlite("--data", "All=**/*.csv", "{ All { id } }").output
        == #"{"All":[{"id":1},{"id":2},{"id":3}]}"# + "\n")
  }

  @Test("beside data, what is no file and looks like no path is a document of another language")
  func foreignDocuments() throws {
    let folder = try Self.folder()
    for (text, advice) in [
      ("SELECT total FROM Orders", "write '{ Orders { total } }'"),
      (".tables", "write '{ __schema { types { name } } }'"),
      ("show tables", "write '{ __schema { types { name } } }'"),
      ("describe Orders", #"write '{ __type(name: "Orders") { fields { name } } }'"#),
      ("INSERT INTO Orders VALUES (1)", "write 'mutation { insertOrders(data: {…}) { id } }'"),
      (".Orders[] | .total", "write '{ Orders { total } }'"), ("Orders", "write '{ Orders { … } }'"),
      ("count(Orders)", "write '{ count(Orders) }'"),
    ] {
      let result = try folder.gqlite("orders.csv", text)
      #expect(result.status == 1 && result.errors.contains(advice), "\(text): \(result)")
      // As '-e' says it, but for the name.
      let named = try folder.gqlite("orders.csv", "-e", text)
      #expect(result.errors.replacing("query:", with: "-e:") == named.errors, "\(text): \(named)")
    }
    #expect(try folder.gqlite("orders.csv", "none.graphql").errors.contains("none.graphql: No such file or directory"))
  }

  @Test("a file that is not there is told with the one that was meant") func misspelledFiles() throws {
    let folder = try Self.folder()
    for words in [["orders.cvs"], ["oders.csv", Self.query], ["orders.csv", "x.csv", "./ordres.csv", Self.query]] {
      let result = try Gqlite.run(words, in: folder.url)
      #expect(result.status == 2 && result.errors.contains("did you mean 'orders.csv'?"), "\(words): \(result)")
    }
    let empty = try folder.gqlite("")
    #expect(empty.status == 2 && empty.errors.hasPrefix("gqlite: an argument is empty\n"), "\(empty)")
    let bare = try folder.gqlite("{ Orders { id } }")
    #expect(bare.status == 1 && bare.errors.contains("gqlite: no data was given"), "\(bare)")
    try folder.write("empty.graphql", "type User { id: ID! }")
    #expect(try folder.gqlite("init", "a.gqlite", "--schema", "empty.graphql").status == 0)
    let kept = try folder.gqlite("--db", "a.gqlite", "{ User { nmae } }")
    #expect(kept.status == 1 && kept.errors.contains("[unknown-field]") && !kept.errors.contains("no data"), "\(kept)")
  }

  @Test("a change over files is not kept, which is said once, and nothing is written") func changes() throws {
    let folder = try Self.folder()
    // With a write-ahead log, which SQLite would make.
    var sqlite = DataFiles.sqlite
    sqlite.replaceSubrange(18..<20, with: [2, 2])
    try folder.write("base.sqlite", sqlite)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    let result = try folder.gqlite(
      "orders.csv", "base.sqlite", "mutation { updateOrders(where: id == 1, set: {total: 0}) { total } }",
      "mutation { deleteT(where: id == 1) { id } }", "{ Orders { total } n: count(T) }")
    #expect(
      result.status == 0 && result.output.hasSuffix(#"{"Orders":[{"total":0},{"total":7}],"n":1}"# + "\n"), "\(result)")
    #expect(result.errors == "gqlite: note: the changes are not kept; files of data are read, never written\n")
    #expect(try folder.read("orders.csv") == Self.orders)
    #expect(try [UInt8](Data(contentsOf: folder.url.appending(path: "base.sqlite"))) == sqlite)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == files)
  }

  @Test("answers are not written over the data that they come from", arguments: ["orders.csv", "./orders.csv", "link"])
  func outputs(_ path: String) throws {
    let folder = try Self.folder()
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "link").path, withDestinationPath: "orders.csv")
    let result = try folder.gqlite("orders.csv", Self.query, "-o", path)
    #expect(result.status == 2 && result.errors.contains("'\(path)' is data, which is never written to"), "\(result)")
    #expect(try folder.read("orders.csv") == Self.orders)
  }

  #if os(Linux) && canImport(Glibc)
    @Test("a terminal shows how far a long load has come, from its beginning to its end") func progress() throws {
      let folder = try Scratch()
      try folder.write("long.csv", "id,n,s\n" + (0..<400_000).map { "\($0),\($0),abc\n" }.joined())
      let terminal = try PseudoTerminal(columns: 80)
      let process = Process()
      process.executableURL = Gqlite.binary
      process.arguments = ["long.csv", "{ n: count(Long) }"]
      process.currentDirectoryURL = folder.url
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = terminal.file
      try process.run()
      process.waitUntilExit()
      let shown = terminal.read()
      #expect(shown.contains("long.csv: finding types, ") && shown.contains("long.csv: 327680 records, "), "\(shown)")
      #expect(shown.contains("400000 records: connecting") && shown.hasSuffix("\r\u{1B}[K"), "\(shown)")
    }
  #endif

  // MARK: - Patterns

  @Test("a pattern that finds nothing says so", arguments: ["*.csv", "none/*.csv", "**/x?.json", "[", "a[b-/*.csv"])
  func nothing(_ pattern: String) throws {
    let folder = try Scratch()
    let result = try folder.gqlite("--data", pattern, "{ A { id } }")
    #expect(
      result.status == 1 && result.errors == "error[no-data]: \(pattern): no file is named like this\n", "\(result)")
  }

  @Test("a pattern finds at most 10,000 files, and these are read", .timeLimit(.minutes(5))) func many() throws {
    let folder = try Scratch()
    for number in 0..<10_000 { try folder.write("logs/\(number).csv", "id,n\n\(number),1\n") }
    let all = try folder.gqlite("--data", "Log=logs/*.csv", "{ n: count(Log) sum: sum(Log, n) }")
    #expect(all.output == #"{"n":10000,"sum":10000}"# + "\n", "\(all.errors.prefix(500))")
    try folder.write("logs/more.csv", "id,n\n10000,1\n")
    for path in ["logs/*.csv", "Log=logs/*.csv", "logs"] {
      let result = try folder.gqlite("--data", path, "{ n: count(Log) }")
      #expect(result.status == 1 && result.errors.hasPrefix("error[unsupported-data]"), "\(result.errors.prefix(500))")
      #expect(result.errors.contains("more than 10000 files"), "\(result.errors.prefix(500))")
    }
  }

  @Test("thousands of files, each a type", .timeLimit(.minutes(5))) func manyTypes() throws {
    let folder = try Scratch()
    for number in 0..<2_000 { try folder.write("t/t\(number).csv", "id,n\n\(number),1\n") }
    let result = try folder.gqlite("t/*.csv", "{ T7 { id } n: count(T1999) }")
    #expect(result.output == #"{"T7":[{"id":7}],"n":1}"# + "\n", "\(result.errors.prefix(500))")
  }

  @Test("folders in folders, links in circles, FIFOs and devices", .timeLimit(.minutes(1))) func circles() throws {
    let folder = try Scratch()
    let deep = (0..<60).map { "d\($0)" }.joined(separator: "/")
    try folder.write("root/a.csv", "id\n1\n")
    try folder.write("root/\(deep)/a.csv", "id\n2\n")
    let manager = FileManager.default
    for (link, target) in [
      ("root/self", "."), ("root/up", ".."), ("root/one.csv", "two.csv"), ("root/two.csv", "one.csv"),
      ("root/none.csv", "nowhere"), ("root/zero.csv", "/dev/zero"), ("root/d0/again", "../.."),
    ] {
      try manager.createSymbolicLink(
        atPath: folder.url.appending(path: link).path, withDestinationPath: target)
    }
    #expect(mkfifo(folder.url.appending(path: "root/pipe.csv").path, 0o600) == 0)
    #expect(try folder.gqlite("A=root/**/*.csv", "{ A { id } }").output == #"{"A":[{"id":1},{"id":2}]}"# + "\n")
    #expect(try folder.gqlite("root/*.csv", "{ A { id } }").output == #"{"A":[{"id":1}]}"# + "\n")
    #expect(try folder.gqlite("root/self/self/up/root/a*.csv", "{ A { id } }").output == #"{"A":[{"id":1}]}"# + "\n")
    let stars = Array(repeating: "*", count: 12).joined(separator: "/")
    #expect(try folder.gqlite("A=root/\(stars)/a.csv", "{ n: count(A) }", "--timeout", "20s").status != -15)
    // A device is refused where it is named.
    let refused = try folder.gqlite("--data", "root/pipe.csv", "{ A { id } }")
    #expect(refused.status == 1 && refused.errors.contains("is a FIFO, not a file"))
    let devices = try folder.gqlite("--data", "/dev/*", "{ A { id } }")
    #expect(devices.status == 1, "\(devices.errors.prefix(200))")
  }

  @Test(
    "patterns of documents never leave the root",
    arguments: [
      "root/*/User.ndjson", "root/**/secret.ndjson", "root/../outside/*.ndjson", "root/*/../../outside/*.ndjson",
      "outside/*.ndjson", "/etc/pass*", "root/linked/*.ndjson", "root/li*.ndjson", "*/User.ndjson", "root/*ed/*",
    ]) func patternsWithin(_ pattern: String) throws
  {
    let folder = try Scratch()
    try folder.write("root/User.ndjson", "{\"id\":1}\n")
    try folder.write("outside/User.ndjson", "{\"id\":\"secret\"}\n")
    try folder.write("outside/secret.ndjson", "{\"id\":\"secret\"}\n")
    for (link, target) in [("root/linked", "../outside"), ("root/link.ndjson", "../outside/User.ndjson")] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.url.appending(path: link).path, withDestinationPath: target)
    }
    try folder.write("q.query", "extend schema @data(from: \"\(pattern)\")\n{ User { id } }")
    let refused = try folder.gqlite("q.query", "--limits", "serve", "--data-root", "root")
    #expect(refused.status == 1 && refused.output == "", "\(refused)")
    #expect(!refused.errors.contains("secret\"") && !refused.errors.contains("outside/User"), "\(refused.errors)")
    try folder.write("q.query", "extend schema @data(from: \"root/Us*.ndjson\")\n{ User { id } }")
    let taken = try folder.gqlite("q.query", "--limits", "serve", "--data-root", "root")
    #expect(taken.output == #"{"User":[{"id":1}]}"# + "\n", "\(taken)")
  }

  // MARK: - Hostile contents

  struct Hostile: Sendable, CustomTestStringConvertible {
    let file: String
    let text: String
    /// The error; nil where the file may be taken.
    let code: String?
    var testDescription: String { file }

    init(_ file: String, _ text: String, _ code: String?) { (self.file, self.text, self.code) = (file, text, code) }
  }

  static let hostile: [Hostile] = [
    Hostile("deep.json", String(repeating: "[", count: 1_000_000), "invalid-json"),
    Hostile("deep.ndjson", String(repeating: "{\"a\":", count: 300_000), "invalid-json"),
    Hostile("deep.csv", String(repeating: "[", count: 1_000_000), nil),
    Hostile("wide.csv", String(repeating: ",", count: 2_000_000), "too-large"),
    Hostile("wide.tsv", String(repeating: "\t", count: 2_000_000) + "\n1", "too-large"),
    Hostile("bars.txt", "a|b\n" + String(repeating: "|", count: 1_000_000), "ragged-line"),
    Hostile("quotes.csv", String(repeating: "\"", count: 1_000_001), "ragged-line"),
    Hostile("lines.csv", "id\n" + String(repeating: "\r\n\n\r", count: 500_000), nil),
    Hostile("keys.json", "{" + (0..<100_000).map { "\"k\($0)\":{}" }.joined(separator: ",") + "}", "too-large"),
    Hostile("lists.json", "{" + (0..<20_000).map { "\"k\($0)\":[]" }.joined(separator: ",") + "}", "too-large"),
    Hostile("things.json", "{" + (0..<20_000).map { "\"k\($0)\":[{}]" }.joined(separator: ",") + "}", "too-large"),
    Hostile("tables.json", "{" + (0..<1_000).map { "\"k\($0)\":[{}]" }.joined(separator: ",") + "}", nil),
  ]

  @Test("contents that are made to hurt", .timeLimit(.minutes(2)), arguments: hostile)
  func contents(_ hostile: Hostile) throws {
    let folder = try Scratch()
    try folder.write(hostile.file, hostile.text)
    let result = try Gqlite.run(
      ["--data", hostile.file, "--timeout", "60s", "{ __typename }"], in: folder.url, patience: 100)
    #expect(result.status == (hostile.code == nil ? 0 : 1), "\(result.status) \(result.errors.prefix(300))")
    #expect(result.errors.utf8.count < 100_000)
    if let code = hostile.code { #expect(result.errors.contains("error[\(code)]"), "\(result.errors.prefix(300))") }
  }

  @Test("UTF-16 that breaks off, in the middle of a pair too") func halves() throws {
    let folder = try Scratch()
    let text = Array("id,n\n1,a😀\n".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    for count in 2...text.count {
      try folder.write("half.csv", [0xFF, 0xFE] + text.prefix(count))
      let result = try folder.gqlite("half.csv", "{ Half { id } }")
      #expect(result.status == 0 || result.status == 1)
      if count % 2 == 1 {
        #expect(result.errors.hasPrefix("error[unreadable-file]: half "), "\(result)")
      }
    }
  }

  @Test("compressed data that expands without end is bounded", .timeLimit(.minutes(2))) func bombs() throws {
    let folder = try Scratch()
    let shell = URL(filePath: "/bin/sh")
    _ = try Gqlite.run(shell, ["-c", "head -c 400000000 /dev/zero | gzip -9 > zeros.csv.gz"], in: folder.url)
    let result = try Gqlite.run(
      ["--data", "zeros.csv.gz", "--max-memory", "50000000", "{ Zeros { id } }"], in: folder.url, patience: 60)
    #expect(result.status == 1 && result.errors.contains("error[memory]"), "\(result)")
    let endless = try Gqlite.run(
      shell, ["-c", "'\(Gqlite.binary.path)' --data - --max-memory 50000000 '{ Stdin { id } }' < /dev/zero"],
      in: folder.url, patience: 60)
    #expect(endless.status == 1 && endless.errors.contains("error[memory]"), "\(endless)")
    let late = try Gqlite.run(
      shell, ["-c", "yes 1,2 | '\(Gqlite.binary.path)' --data - --timeout 500ms '{ Stdin { id } }'"],
      in: folder.url, patience: 60)
    #expect(late.status == 1 && late.errors.contains("error[timeout]"), "\(late)")
  }

  @Test("a time-out ends the search for types too") func timeout() throws {
    let folder = try Scratch()
    try folder.write("a.csv", "id,n,s\n" + (0..<300_000).map { "\($0),\($0),abc\n" }.joined())
    let result = try folder.gqlite("a.csv", "--timeout", "50ms", "{ n: count(A) }")
    #expect(result.status == 1 && result.errors.contains("error[timeout]"), "\(result)")
  }
}

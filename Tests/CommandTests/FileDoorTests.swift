import Foundation
import GQLite
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the command reads and writes, and what it refuses to.
@Suite struct FileDoorTests {
  private static let types = "type User { id: ID! name: String! }\n"
  private static let one = #"{"User":[{"id":1}]}"# + "\n"

  /// A document that names its data.
  private static func document(_ path: String) -> String {
    "extend schema @data(from: \"\(path)\")\n\(types){ User { id } }\n"
  }

  private static func folder() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write("root/User.ndjson", "{\"id\":1,\"name\":\"Ann\"}\n")
    try scratch.write("outside/User.ndjson", "secret\n")
    try scratch.write("in.query", document("root/User.ndjson"))
    try scratch.write("folder.query", document("root/"))
    return scratch
  }

  @Test("documents name no data under the limits of strangers") func noDataUnderServe() throws {
    let folder = try Self.folder()
    #expect(try folder.gqlite("in.query").output == Self.one)
    let refused = try folder.gqlite("in.query", "--limits", "serve")
    #expect(refused.status == 1 && refused.output == "")
    #expect(refused.errors.hasPrefix("error[data-not-allowed]: documents must not name data under '--limits serve'\n"))
    #expect(refused.errors.contains("--> in.query:1:27\n") && refused.errors.contains("--data-root DIR"))
    #expect(try folder.gqlite("in.query", "--limits", "serve", "--data-root", "root").output == Self.one)
    #expect(try folder.gqlite("folder.query", "--limits", "serve", "--data-root", "root").output == Self.one)
    // What the command line names is not the document's.
    #expect(try folder.gqlite("in.query", "--limits", "serve", "--data", "root").output == Self.one)
  }

  /// Neither the path nor a link leads out, and no message quotes what lies there or tells whether it is there.
  @Test(
    "documents name no data outside of the root",
    arguments: [
      "outside/User.ndjson", "root/../outside/User.ndjson", "/etc/passwd", "outside/None.ndjson", "root/link.ndjson",
      "root/linked", "root/linked/User.ndjson", "root2/User.ndjson", "/dev/stdin",
    ]) func nothingOutside(_ path: String) throws
  {
    let folder = try Self.folder()
    try folder.write("root2/User.ndjson", "secret\n")
    let manager = FileManager.default
    try manager.createSymbolicLink(
      atPath: folder.url.appending(path: "root/link.ndjson").path, withDestinationPath: "../outside/User.ndjson")
    try manager.createSymbolicLink(
      atPath: folder.url.appending(path: "root/linked").path, withDestinationPath: "../outside")
    try folder.write("q.query", Self.document(path))
    let refused = try folder.gqlite("q.query", "--data-root", "root", input: "secret")
    #expect(refused.status == 1 && refused.output == "")
    #expect(
      refused.errors.hasPrefix("error[data-not-allowed]: there is no such data in the folder of '--data-root'\n"),
      "\(refused.errors)")
    #expect(!refused.errors.contains("secret"))
  }

  @Test("files within a folder of data lie in the root, too") func linksWithin() throws {
    let folder = try Self.folder()
    for name in ["root/sub/User.ndjson", "root/schemas/schema.graphql"] {
      let link = folder.url.appending(path: name)
      try FileManager.default.createDirectory(at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: link.path, withDestinationPath: "../../outside/User.ndjson")
    }
    try folder.write("root/schemas/User.ndjson", "{\"id\":1,\"name\":\"Ann\"}\n")
    for name in ["sub", "schemas"] {
      try folder.write("q.query", "extend schema @data(from: \"root/\(name)\")\n{ User { id } }")
      let refused = try folder.gqlite("q.query", "--data-root", "root")
      #expect(refused.status == 1 && refused.errors.contains("is not in the folder that data may come from"))
      #expect(!refused.errors.contains("secret"), "\(refused.errors)")
    }
    let wrong = try folder.gqlite("in.query", "--data-root", "none")
    #expect(wrong.status == 2 && wrong.errors.contains("--data-root is a folder, not 'none'"))
  }

  /// Nobody writes into the FIFO: whoever waits for it waits for ever.
  @Test(
    "devices, FIFOs and folders are refused at once", .timeLimit(.minutes(1)),
    arguments: [
      (["fifo"], "is a FIFO, not a file"), (["fmt", "fifo"], "is a FIFO, not a file"),
      (["--vars", "fifo", "in.query"], "is a FIFO, not a file"),
      (["--schema", "fifo", "-e", "{ User { id } }"], "is a FIFO, not a file"),
      (["--data", "User.ndjson", "in.query"], "is a FIFO, not a file"),
      (["--data", "data", "in.query"], "is a FIFO, not a file"),
      (["--data", "fifo.sqlite", "in.query"], "is a FIFO, not a file"),
      (["schema", "--data", "root", "--to", "fifo"], "is a FIFO, not a file"),
      (["/dev/zero"], "is a device, not a file"), (["fmt", "/dev/zero"], "is a device, not a file"),
      (["--vars", "/dev/zero", "in.query"], "is a device, not a file"),
      (["--data", "zero.json", "in.query"], "is a device, not a file"),
      (["fmt", "root"], "is a directory"), (["fmt", "folder.query/"], "is a directory"),
      (["--vars", "root", "in.query"], "is a directory"), (["--schema", "root", "in.query"], "is a directory"),
    ]) func onlyFiles(_ arguments: [String], _ message: String) throws
  {
    let folder = try Self.folder()
    try FileManager.default.createDirectory(
      at: folder.url.appending(path: "data"), withIntermediateDirectories: true)
    try FileManager.default.removeItem(at: folder.url.appending(path: "folder.query"))
    try folder.write("folder.query/x", "")
    for name in ["fifo", "fifo.sqlite", "User.ndjson", "data/User.ndjson"] {
      #expect(mkfifo(folder.url.appending(path: name).path, 0o600) == 0)
    }
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "zero.json").path, withDestinationPath: "/dev/zero")
    let refused = try Gqlite.run(arguments, in: folder.url)
    #expect(refused.status == 1 && refused.output == "", "\(refused)")
    #expect(refused.errors.contains(message), "\(refused.errors)")
  }

  @Test("streams of the process are read, and no further than the limit", .timeLimit(.minutes(1)))
  func streams() throws {
    let folder = try Self.folder()
    let text = "{ User { id } }"
    for name in ["-", "/dev/stdin", "/dev/fd/0"] {
      #expect(try folder.gqlite(name, "--data", "root", input: text).output == Self.one, "\(name)")
    }
    let shell = URL(filePath: "/bin/sh")
    let endless = try Gqlite.run(
      shell, ["-c", "'\(Gqlite.binary.path)' --data root - < /dev/zero"], in: folder.url)
    #expect(endless.status == 1 && endless.errors.contains("error[document-too-long]"), "\(endless)")
    let piped = try Gqlite.run(
      shell, ["-c", "yes '{' | '\(Gqlite.binary.path)' --data root -"], in: folder.url)
    #expect(piped.status == 1 && piped.errors.contains("error[document-too-long]"))
    let variables = try Gqlite.run(
      shell, ["-c", "'\(Gqlite.binary.path)' --data root --vars - in.query < /dev/zero"], in: folder.url)
    #expect(variables.status == 2 && variables.errors.contains("variables have at most"), "\(variables)")
  }

  @Test("a document comes from standard input where none is named") func impliedInput() throws {
    let folder = try Self.folder()
    #expect(try folder.gqlite("--data", "root", input: "{ User { id } }").output == Self.one)
    #expect(try folder.gqlite("explain", "--data", "root", input: "{ User { id } }").output.hasPrefix("User"))
    #expect(try folder.gqlite("root/", input: "{ User { id } }").output == Self.one)
    let empty = try folder.gqlite("--data", "root", input: "")
    #expect(empty.status == 2 && empty.errors.contains("no document"))
  }

  @Test("the output is replaced as a whole, or stays") func output() throws {
    let folder = try Self.folder()
    try folder.write("out", "old\n")
    let file = folder.url.appending(path: "out")
    chmod(file.path, 0o640)
    let good = ["--data", "root", "-e", "{ User { id } }", "-o", "out"]
    let wrong = try folder.gqlite("--data", "root", "-e", "{ User { idd } }", "-o", "out")
    #expect(wrong.status == 1 && wrong.output == "")
    #expect(try folder.read("out") == "old\n")
    // A later document is wrong.
    let half = try Gqlite.run(good + ["-e", "{ User { idd } }"], in: folder.url)
    #expect(half.status == 1)
    #expect(try folder.read("out") == "old\n")
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "link").path, withDestinationPath: "out")
    #expect(try Gqlite.run(good.dropLast() + ["link"], in: folder.url).status == 0)
    #expect(try folder.read("out") == Self.one)
    var status = stat()
    #expect(lstat(folder.url.appending(path: "link").path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o640)
    // A response tells its errors.
    let response = try folder.gqlite(
      "--data", "root", "--format", "graphql", "-e", "{ User { idd } }", "-o", "out")
    #expect(response.status == 1)
    #expect(try folder.read("out").hasPrefix(#"{"data":null,"errors":"#))
    // What a link leads to is made.
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.appending(path: "new").path, withDestinationPath: "root/made")
    #expect(try Gqlite.run(good.dropLast() + ["new"], in: folder.url).status == 0)
    #expect(try folder.read("root/made") == Self.one)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!names.contains { $0.hasSuffix(".tmp") }, "\(names)")
  }

  @Test("devices and standard output are written to") func outputToStreams() throws {
    let folder = try Self.folder()
    let run = ["--data", "root", "-e", "{ User { id } }", "-o"]
    #expect(try Gqlite.run(run + ["-"], in: folder.url).output == Self.one)
    #expect(!folder.exists("-"))
    #expect(try Gqlite.run(run + ["/dev/null"], in: folder.url).status == 0)
    #expect(try Gqlite.run(run + ["/dev/stdout"], in: folder.url).output == Self.one)
    #expect(mkfifo(folder.url.appending(path: "fifo").path, 0o600) == 0)
    let piped = try Gqlite.run(
      URL(filePath: "/bin/sh"),
      ["-c", "cat fifo & '\(Gqlite.binary.path)' --data root -e '{ User { id } }' -o fifo; wait"], in: folder.url)
    #expect(piped.output == Self.one)
    for place in ["root", "none/out"] {
      let refused = try Gqlite.run(run + [place], in: folder.url)
      #expect(refused.status == 2 && refused.output == "", "\(refused)")
    }
  }

  @Test("it is said once that changes are not kept") func nothingIsKept() throws {
    let folder = try Self.folder()
    let change = "mutation { updateUser(all: true, set: {name: \"x\"}) }"
    let result = try folder.gqlite("--data", "root", "-e", change, "-e", change)
    #expect(result.output == "{\"updateUser\":1}\n{\"updateUser\":1}\n")
    #expect(result.errors == "gqlite: note: the changes are not kept; files of data are read, never written\n")
    let asLines = try folder.gqlite("--data", "root", "--diagnostics", "json", "-e", change)
    #expect(
      asLines.errors
        == #"{"severity":"note","message":"the changes are not kept; files of data are read, never written"}"# + "\n")
    #expect(try folder.read("root/User.ndjson") == "{\"id\":1,\"name\":\"Ann\"}\n")
    try folder.write("types.graphql", Self.types)
    let empty = try folder.gqlite("--schema", "types.graphql", "-e", "mutation { deleteUser(all: true) }")
    #expect(empty.errors == "")
  }

  @Test("a time that is given covers loading; that of a profile begins after it") func timeOfLoading() throws {
    let folder = try Scratch()
    let lines = (0..<60_000).map { "{\"id\":\($0),\"name\":\"Ann \($0)\"}\n" }
    try folder.write("root/User.ndjson", lines.joined())
    try folder.write("q.query", Self.types + "{ n: count(User) }")
    try folder.write("named.query", Self.document("root/User.ndjson"))
    let late = try folder.gqlite("q.query", "--data", "root", "--timeout", "1ms")
    #expect(
      late.status == 1 && late.errors.hasPrefix("error[timeout]: root/User.ndjson: the time limit of 1 ms is exceeded"),
      "\(late)")
    let profile = try folder.gqlite("q.query", "--data", "root", "--limits", "serve", "--limit", "time=3000")
    #expect(profile.output == "{\"n\":60000}\n")
    let named = try folder.gqlite(
      "named.query", "--limits", "serve", "--data-root", "root", "--limit", "time=1")
    #expect(named.status == 1 && named.errors.contains("User.ndjson: the time limit of 1 ms is exceeded"), "\(named)")
  }

  @Test("a file of variables may begin with a mark; a variable is named once") func variables() throws {
    let folder = try Self.folder()
    let query = "query($a: Int) { a := $a }"
    try folder.write("mark.json", "\u{FEFF}{\"a\": 1}")
    #expect(try folder.gqlite("-e", query, "--vars", "mark.json").output == "{\"a\":1}\n")
    try folder.write("twice.json", "{\"a\": 1, \"a\": 2}")
    let twice = try folder.gqlite("-e", query, "--vars", "twice.json")
    #expect(
      twice.status == 1
        && twice.errors == """
          error[invalid-json]: this key is in the object twice
            --> twice.json:1:10
             |
           1 | {"a": 1, "a": 2}
             |          ^

          """,
      "\(twice.errors)")
    try folder.write("deep.json", "\u{FEFF}{\"a\": 1,\n \"b\": [{\"c\": {\"d\": 1, \"\\u0064\" : 2}}]}")
    let deep = try folder.gqlite("-e", query, "--vars", "deep.json")
    #expect(deep.status == 1 && deep.errors.contains("--> deep.json:2:23\n"), "\(deep.errors)")
  }
}

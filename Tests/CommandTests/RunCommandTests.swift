import Foundation
import GQLite
import Testing

/// `gqlite [run]`: inputs, variables, formats, exit codes.
@Suite struct RunCommandTests {
  @Test("documents come from files, from standard input and from the command line, flags in any order") func inputs()
    throws
  {
    let people = try Scratch.people()
    try people.write("one.query", "{ User(limit: 1) { id } }")
    try people.write("two.query", "query A { x: count(User) } query B { y: count(User) }")
    let one = #"{"User":[{"id":1}]}"# + "\n"
    let two = #"{"x":3}"# + "\n" + #"{"y":3}"# + "\n"
    for arguments in [
      ["one.query", "--data", "people"], ["--data", "people", "one.query"], ["run", "--data=people", "one.query"],
      ["--data", "people", "run", "one.query"], ["--data", "people", "--schema", "people/schema.graphql", "one.query"],
      ["-e", "{ User(limit: 1) { id } }", "--data", "people"],
      ["--data", "people/User.ndjson", "--schema=people/schema.graphql", "one.query"],
      ["--data", "people", "--", "one.query"],
    ] {
      let result = try Gqlite.run(arguments, in: people.url)
      #expect(result.status == 0 && result.output == one && result.errors == "", "\(arguments): \(result)")
    }
    let input = try people.gqlite("-", "--data", "people", input: "{ User(limit: 1) { id } }")
    #expect(input.output == one && input.status == 0)
    let several = try people.gqlite("two.query", "one.query", "--data", "people")
    #expect(several.output == two + one && several.errors == "")
    let named = try people.gqlite("--operation", "B", "two.query", "--data", "people")
    #expect(named.output == #"{"y":3}"# + "\n")
    let missing = try people.gqlite("--operation", "C", "two.query", "--data", "people")
    #expect(missing.status == 1 && missing.output == "" && missing.errors.contains("'C'"))
  }

  @Test("the formats") func formats() throws {
    let people = try Scratch.people()
    func run(_ format: String, _ text: String) throws -> Gqlite.Result {
      try people.gqlite("--data", "people", "--format", format, "-e", text)
    }
    let query = "{ User(limit: 2) { id name age tags boss { name } } }"
    let compact =
      #"{"User":[{"id":1,"name":"Ann","age":30,"tags":["a","b"],"boss":null},{"id":2,"name":"Bob, \"B\"","age":25,"tags":[],"boss":{"name":"Ann"}}]}"#
      + "\n"
    #expect(try run("json", query).output == compact)
    #expect(try run("ndjson", query).output == compact)
    #expect(try run("graphql", query).output == #"{"data":"# + compact.dropLast() + "}\n")
    #expect(
      try run("pretty", "{ User(limit: 1) { id tags } none: User(where: id == \"9\") { id } }").output == """
        {
          "User": [
            {
              "id": 1,
              "tags": [
                "a",
                "b"
              ]
            }
          ],
          "none": []
        }

        """)
  }

  @Test("the graphql format wraps failures too") func envelopes() throws {
    let people = try Scratch.people()
    for text in [
      "{ User { nope } }", "{ User {", "query($a: Int!) { User(limit: $a) { id } }", "{ x: (1 / 0) }",
      "{ User(limit: -1) { id } }",
    ] {
      let result = try people.gqlite("--data", "people", "--format", "graphql", "-e", text)
      #expect(result.status == 1)
      let answer = try Value(json: Array(result.output.utf8))
      #expect(answer["data"] == .null && answer["errors"]?[0]?["message"]?.string?.isEmpty == false)
      #expect(answer["errors"]?[0]?["extensions"]?["code"]?.string?.isEmpty == false)
      #expect(
        answer["errors"]?[0]?["locations"]?[0]?["line"] == 1
          && answer["errors"]?[0]?["locations"]?[0]?["column"]?.int != nil)
    }
    let data = try people.gqlite("--data", "nowhere", "--format", "graphql", "-e", "{ User { id } }")
    #expect(data.status == 1 && data.output.hasPrefix(#"{"data":null,"errors":[{"#))
  }

  @Test("nothing found is JSON all the same") func nothingFound() throws {
    let people = try Scratch.people()
    let result = try people.gqlite(
      "--data", "people", "-e",
      "{ User(where: age > 99) { id } user(id: \"9\") { id } n: count(User(where: age > 99)) m := max(User(where: age > 99).age) }"
    )
    #expect(result.output == #"{"User":[],"user":null,"n":0,"m":null}"# + "\n" && result.status == 0)
    let table = try people.gqlite("--data", "people", "--format", "csv", "-e", "{ User(where: age > 99) { id name } }")
    #expect(table.output == "id,name\r\n" && table.status == 0)
  }

  @Test("variables are read by their declared types") func variables() throws {
    let people = try Scratch.people()
    func ids(_ arguments: String...) throws -> String {
      let result = try Gqlite.run(["--data", "people", "q.query"] + arguments, in: people.url)
      guard result.status == 0 else { return "\(result.status) \(result.errors)" }
      return (try Value(json: Array(result.output.utf8))["User"]?.list ?? []).map { $0["id"]?.jsonText ?? "" }.joined()
    }
    try people.write(
      "q.query",
      "query($id: ID = 0, $n: String = \"?\", $a: Int = 0, $s: Status, $d: Date = \"2000-01-01\", $m: Decimal = 9, $b: Boolean = false, $t: [ID!] = []) { User(where: id == $id or name == $n or age == $a or (status is not null and status == $s) or born == $d or money == $m or $b or id in $t) { id } }"
    )
    #expect(try ids("--var", "id=2") == "2")
    #expect(try ids("--var", "id=\"2\"") == "")
    #expect(try ids("--var", "n=Bob, \"B\"") == "2")
    #expect(try ids("--var", "n=a=b") == "")
    #expect(try ids("--var", "s=GONE") == "2")
    #expect(try ids("--var", "$s=ACTIVE") == "1")
    #expect(try ids("--var", "d=1990-01-02") == "1")
    #expect(try ids("--var", "m=1.5") == "1")
    #expect(try ids("--var", "b=true") == "123")
    #expect(try ids("--var", "t=[\"1\", 3]") == "13")
    try people.write("v.json", #"{"id": 3, "n": "Ann", "other": [1]}"#)
    #expect(try ids("--vars", "v.json") == "13")
    #expect(try ids("--vars", "v.json", "--var", "n=?") == "3")
    // Wrong values are the run's failure, wrong flags wrong usage.
    #expect(try ids("--var", "m=ten").hasPrefix("1 "))
    #expect(try ids("--var", "b=yes").hasPrefix("1 "))
    #expect(try ids("--var", "s=AWAY").hasPrefix("1 "))
    #expect(try ids("--var", "d=2000-13-01").hasPrefix("1 "))
    #expect(try ids("--vars", "nowhere.json").hasPrefix("1 "))
    #expect(try ids("--var", "idd=2").hasPrefix("2 "))
    #expect(try ids("--var", "idd=2").contains("did you mean 'id'?"))
    #expect(try ids("--var", "id").hasPrefix("2 "))
    #expect(try ids("--var", "id=1", "--var", "id=2").hasPrefix("2 "))
    let tags = try people.gqlite(
      "--data", "people", "--var", "tags=[\"a\",\"b\"]", "-e",
      "query($tags: [String!]!) { User(where: every(User, true) and name in $tags or \"b\" in tags) { id } }")
    #expect(tags.status == 0 && tags.output == #"{"User":[{"id":1}]}"# + "\n", "\(tags)")
  }

  @Test("answers go to a file, errors never to standard output") func outputFile() throws {
    let people = try Scratch.people()
    let result = try people.gqlite("-o", "answer.json", "--data", "people", "-e", "{ n: count(User) }")
    #expect(result.status == 0 && result.output == "" && result.errors == "")
    #expect(try people.read("answer.json") == #"{"n":3}"# + "\n")
    let wrong = try people.gqlite("-o", "no/such/place", "--data", "people", "-e", "{ n: count(User) }")
    #expect(wrong.status != 0 && wrong.output == "" && wrong.errors.contains("no/such/place"))
    let failed = try people.gqlite("--data", "people", "-e", "{ Usr { id } }")
    #expect(failed.status == 1 && failed.output == "" && failed.errors.contains("did you mean 'User'?"))
    // Documents after one that fails are answered all the same.
    try people.write("bad.query", "{ User { nope } }")
    try people.write("good.query", "{ n: count(User) }")
    let both = try people.gqlite("--data", "people", "bad.query", "good.query")
    #expect(both.status == 1 && both.output == #"{"n":3}"# + "\n" && both.errors.contains("bad.query:1:10"))
  }

  @Test(
    "exit codes: 1 for documents, data and queries, 2 for wrong usage",
    arguments: [
      (["--data", "people", "-e", "{"], 1), (["--data", "people", "-e", "{ x: (1 / 0) }"], 1),
      (["--data", "people", "no.query"], 1),
      (["--data", "nowhere", "-e", "{ User { id } }"], 1), (["--schema", "no.graphql", "-e", "{ User { id } }"], 1),
      (["--data", "people", "-e", ""], 1), (["--data", "people"], 2), ([], 2), (["--data"], 2),
      (["--dta", "people", "-e", "{ a }"], 2),
      (["--data", "people", "-e", "{ n: count(User) }", "--timeout", "soon"], 2), (["-x"], 2),
      (["--data", "people", "-e", "{ n: count(User) }", "--analyze"], 2),
      (["--data", "people", "-e", "{ n: count(User) }", "--format", "json", "--format", "csv"], 2),
      (["--help"], 0), (["--version"], 0), (["-h"], 0),
    ] as [([String], Int32)])
  func exitCodes(_ arguments: [String], _ status: Int32) throws {
    let people = try Scratch.people()
    let result = try Gqlite.run(arguments, in: people.url)
    #expect(result.status == status, "\(result)")
    #expect(status == 0 ? result.errors == "" : (result.output == "" && !result.errors.isEmpty))
  }

  @Test("unknown flags name the nearest") func suggestions() throws {
    for (flag, near) in [
      ("--dta", "--data"), ("--schem", "--schema"), ("--opertion", "--operation"), ("--formt=csv", "--format"),
    ] {
      let result = try Gqlite.run([flag, "x"])
      #expect(result.status == 2 && result.errors.contains("did you mean '\(near)'?"), "\(result)")
    }
  }

  /// A word close to a command's name, unless a file is called so.
  @Test func misspelledCommands() throws {
    let people = try Scratch.people()
    for (word, near) in [
      ("shcema", "schema"), ("chekc", "check"), ("explian", "explain"), ("formt", "fmt"), ("halp", "--help"),
      ("version", "--version"),
    ] {
      let result = try people.gqlite(word)
      #expect(result.status == 2, "\(result)")
      #expect(result.errors == "gqlite: there is no command or file '\(word)'\ndid you mean '\(near)'?\n", "\(result)")
    }
    try people.write("shcema", "{ n: count(User) }\n")
    #expect(try people.gqlite("shcema", "--data", "people").status == 0)
  }

  @Test("no colours in pipes, with NO_COLOR or without") func colours() throws {
    let people = try Scratch.people()
    for environment in [[:], ["NO_COLOR": "1"], ["TERM": "xterm-256color"]] {
      let result = try people.gqlite("--data", "people", "-e", "{ User { nope } }", environment: environment)
      #expect(!result.errors.contains("\u{1B}") && result.errors.contains("^^^^"))
    }
  }

  @Test("a closed pipe ends the command quietly") func closedPipe() throws {
    let people = try Scratch.people()
    var text = ""
    for id in 10..<20_000 { text += "{\"id\":\(id),\"name\":\"a rather long name, for the pipe's sake\"}\n" }
    try people.write("people/User.ndjson", text)
    let script =
      "'\(Gqlite.binary.path)' --data people --format pretty -e '{ User { id name } }' | head -1; echo \"${PIPESTATUS[0]}\""
    let result = try Gqlite.run(URL(filePath: "/bin/bash"), ["-c", script], in: people.url)
    #expect(result.output == "{\n0\n" && result.errors == "", "\(result.errors)")
  }

  @Test("a closed standard error loses the messages only") func closedStandardError() throws {
    let people = try Scratch.people()
    let script = "'\(Gqlite.binary.path)' -o out.json -e '{ x := 1/0 }' 2>&-; echo $?; ls"
    let result = try Gqlite.run(URL(filePath: "/bin/bash"), ["-c", script], in: people.url)
    #expect(result.output == "1\npeople\n" && result.errors == "", "\(result)")
  }

  @Test("a path does not end at U+0000") func nullInPath() throws {
    let people = try Scratch.people()
    let result = try people.gqlite("-e", #"extend schema @data(from: "people\u0000.ndjson") { n: count(User) }"#)
    #expect(result.status == 1 && result.errors.contains("U+0000"), "\(result)")
  }

  @Test("a document is a program: it names its interpreter, its types and its data") func programs() throws {
    let people = try Scratch.people()
    let folder = Gqlite.binary.deletingLastPathComponent().path
    let path = ["PATH": folder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")]
    let text = try people.write(
      "bin/oldest.txt",
      "#!/usr/bin/env gqlite\nextend schema @data(from: \"../people/\")\n{ User(orderBy: -age, limit: 1) { name } }\n")
    // Written by another process: what this one has open for writing, those that other tests begin have, too, and a file
    // that somebody writes cannot be run.
    let program = people.url.appending(path: "bin/oldest.query")
    let made = try Gqlite.run(URL(filePath: "/bin/bash"), ["-c", "install -m 755 '\(text)' '\(program.path)'"])
    #expect(made.status == 0, "\(made)")
    let result = try Gqlite.run(program, [], environment: path, in: URL(filePath: "/"))
    #expect(result.output == #"{"User":[{"name":"Ann"}]}"# + "\n" && result.status == 0, "\(result)")
    try people.write("own/Thing.ndjson", #"{"id":1,"n":2}"#)
    try people.write(
      "own.query", "type Thing { id: ID! n: Int! m: Int = 7 }\nextend schema @data(from: \"own/\")\n{ Thing { n m } }")
    #expect(try people.gqlite("own.query").output == #"{"Thing":[{"n":2,"m":7}]}"# + "\n")
    // Two texts with types of their own, one after the other.
    let two = try people.gqlite("-e", "type A { id: ID! } { n: count(A) }", "-e", "type B { id: ID! } { n: count(B) }")
    #expect(two.output == "{\"n\":0}\n{\"n\":0}\n", "\(two)")
  }

  @Test("bad data fails the run, or is left out and counted") func badData() throws {
    let people = try Scratch.people()
    try people.write(
      "people/User.ndjson", "{\"id\":1,\"name\":\"A\"}\n{\"id\":2}\n{\"id\":3,\"name\":\"C\",\"boss\":9}\n")
    let failed = try people.gqlite("--data", "people", "-e", "{ n: count(User) }")
    #expect(failed.status == 1 && failed.output == "" && failed.errors.contains("people/User.ndjson:2:1"))
    let skipped = try people.gqlite("--skip-bad", "--data", "people", "-e", "{ n: count(User) }")
    #expect(skipped.status == 0 && skipped.output == "{\"n\":2}\n")
    #expect(skipped.errors.contains("1 bad record was left out") && skipped.errors.contains("'User.boss'"))
  }

  @Test("a time-out stops a run") func timeout() throws {
    let scratch = try Scratch()
    var text = ""
    for id in 0..<4000 { text += "{\"id\":\(id),\"v\":\(id)}\n" }
    try scratch.write("N.ndjson", text)
    let query = "{ N { x := count(N(where: v * 2 + ^.v * 3 > v * ^.v)) } }"
    for time in ["100ms", "0.1", "0.1s"] {
      let result = try scratch.gqlite("--data", ".", "--timeout", time, "-e", query)
      #expect(result.status == 1 && result.output == "" && result.errors.contains("timeout"), "\(result)")
    }
    let fast = try scratch.gqlite("--data", ".", "--timeout", "2m", "-e", "{ n: count(N) }")
    #expect(fast.output == "{\"n\":4000}\n")
    for flag in ["--max-bytes", "--max-nodes", "--max-memory"] {
      let result = try scratch.gqlite("--data", ".", flag, "100", "-e", "{ N(orderBy: [-v, id]) { v } }")
      #expect(result.status == 1 && result.output == "" && !result.errors.isEmpty, "\(flag)")
    }
  }

  @Test("diagnostics as JSON, one object a line") func diagnosticsAsJSON() throws {
    let people = try Scratch.people()
    let result = try people.gqlite(
      "--data", "people", "--diagnostics", "json", "-e", "{ User(where: agee > 1) { nme } }")
    let lines = result.errors.split(separator: "\n")
    #expect(result.status == 1 && lines.count == 2)
    for line in lines {
      let value = try Value(json: Array(line.utf8))
      #expect(
        value["code"]?.string?.hasPrefix("unknown-") == true && value["message"]?.string?.isEmpty == false, "\(line)")
    }
  }

  @Test("help of the command and of each part; the version") func help() throws {
    let main = try Gqlite.run(["--help"])
    #expect(main.output.contains("exit codes: 0 done") && main.errors == "")
    for command in ["run", "explain", "check", "fmt", "schema", "test", "bench"] {
      #expect(main.output.contains("gqlite [\(command)]") || main.output.contains("gqlite \(command)"))
      for arguments in [[command, "--help"], ["--help", command], ["help", command]] {
        let result = try Gqlite.run(arguments)
        #expect(
          result.status == 0 && result.output.hasPrefix("usage: gqlite") && result.output.contains(command),
          "\(arguments)")
      }
    }
    #expect(try Gqlite.run(["--version"]).output == "gqlite \(GQLiteVersion.current)\n")
  }
}

/// The memory that the process may have, which a limit of the shell makes small.
@Suite struct ProcessMemoryTests {
  @Test func aRunEndsBeforeTheProcessDoes() throws {
    let shell = try Shell()
    defer { shell.remove() }
    try shell.write("type U { id: ID! friends: [U!]! }", to: "data/schema.graphql")
    let all = (0..<600).map(String.init).joined(separator: ",")
    let lines = (0..<600).map { #"{"id":\#($0),"friends":[\#(all)]}"# }
    try shell.write(lines.joined(separator: "\n"), to: "data/U.ndjson")
    // 216 million members, whose rows take 864 MB, of the 750 that are there.
    let result = try shell.run("ulimit -v 1000000; gqlite --data data -e '{ U { friends { friends { id } } } }'")
    #expect(result.hasPrefix("error[memory]: the memory limit of 768000000 bytes is exceeded\n"), "\(result)")
  }
}

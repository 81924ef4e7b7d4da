import Foundation
import GQLite
import Testing

/// The other commands: `explain check fmt schema test bench`.
@Suite struct ToolCommandTests {
  @Test("explain prints plans, with and without numbers, and what really happened") func explain() throws {
    let people = try Scratch.people()
    let text = "query Old($a: Int!) { User(where: age >= $a, orderBy: -age, limit: 1) { name } }"
    let stable = try people.gqlite("explain", "--data", "people", "--costs", "off", "--var", "a=20", "-e", text)
    #expect(stable.status == 0 && stable.output.contains("User") && stable.output.contains("access"))
    #expect(!stable.output.contains("≈") && !stable.output.contains("cost"))
    #expect(
      try people.gqlite("explain", "--costs=off", "--data", "people", "--var", "a=20", "-e", text).output
        == stable.output)
    let full = try people.gqlite("explain", "--data", "people", "--var", "a=20", "-e", text)
    #expect(full.output.contains("≈") && full.output.contains("cost"))
    let analyzed = try people.gqlite("explain", "--analyze", "--data", "people", "--var", "a=20", "-e", text)
    #expect(analyzed.status == 0 && analyzed.output != full.output && analyzed.output.contains("User"))
    #expect(try people.gqlite("explain", "--costs", "some", "--data", "people", "-e", "{ User { id } }").status == 2)
    #expect(try people.gqlite("explain", "--data", "people", "-e", "{ Usr { id } }").status == 1)
    // Many operations are told apart.
    let two = try people.gqlite(
      "explain", "--data", "people", "-e", "query A { User { id } } query B { User { name } }")
    #expect(two.output.contains("A:\n") && two.output.contains("B:\n"))
  }

  @Test("check reports every problem of each document") func check() throws {
    let people = try Scratch.people()
    try people.write("good.query", "{ User { id } }")
    try people.write("bad.query", "{ User(where: agee > 1) { nme } }\n")
    try people.write("syntax.query", "{ User(where: age = 1) { id } }\n{ User { } }\n")
    let good = try people.gqlite("check", "--data", "people", "good.query")
    #expect(good.status == 0 && good.output == "" && good.errors == "")
    let bad = try people.gqlite("check", "--data", "people", "bad.query", "good.query", "syntax.query")
    #expect(bad.status == 1 && bad.output == "")
    for place in ["bad.query:1:15", "bad.query:1:27", "syntax.query:1:19", "syntax.query:2:8"] {
      #expect(bad.errors.contains(place), "\(place) in \(bad.errors)")
    }
    #expect(try people.gqlite("check", "--syntax", "bad.query").status == 0)
    #expect(try people.gqlite("check", "--syntax", "syntax.query").status == 1)
    #expect(try people.gqlite("check", "--syntax", "--dialect", "graphql", "good.query").status == 0)
    let strict = try people.gqlite("check", "--syntax", "--dialect", "graphql", "bad.query")
    #expect(strict.status == 1 && strict.errors.contains("bad.query:1:"))
    #expect(try people.gqlite("check", "--syntax", "--dialect", "extended", "bad.query").status == 0)
    #expect(try people.gqlite("check", "--syntax", "--dialect", "sql", "bad.query").status == 2)
    #expect(try people.gqlite("check", "--schema", "people/schema.graphql", "good.query").status == 0)
    #expect(try people.gqlite("check", "--syntax", "-", input: "{ a }").status == 0)
    #expect(try people.gqlite("check").status == 2)
  }

  @Test("generate swift writes models") func generate() throws {
    let people = try Scratch.people()
    let models = try people.gqlite("generate", "swift", "--data", "people")
    #expect(models.status == 0 && models.output.contains("@EntityModel\nstruct User: Codable, Sendable {"))
    #expect(try people.gqlite("generate", "swift", "--schema", "people/schema.graphql").output == models.output)
    for refused in [
      try people.gqlite("generate"), try people.gqlite("generate", "swift"),
      try people.gqlite("generate", "kotlin", "--data", "people"),
      try people.gqlite("generate", "swift", "x", "--data", "people"),
    ] { #expect(refused.status == 2 && refused.output == "") }
    #expect(try people.gqlite("generate", "--help").output.contains("gqlite generate swift"))
  }

  @Test("fmt formats in place, and only tells with --check") func format() throws {
    let people = try Scratch.people()
    let ugly = "# why\nquery   A {User( limit:1 ){id,name}}"
    try people.write("ugly.query", ugly)
    let check = try people.gqlite("fmt", "--check", "ugly.query")
    #expect(check.status == 1 && check.output == "ugly.query\n")
    #expect(try people.read("ugly.query") == ugly)
    #expect(try people.gqlite("fmt", "ugly.query").status == 0)
    let formatted = try people.read("ugly.query")
    #expect(formatted.hasPrefix("# why\nquery A {\n") && formatted.hasSuffix("}\n"))
    #expect(try people.gqlite("fmt", "--check", "ugly.query").status == 0)
    #expect(try people.gqlite("fmt", "-", input: ugly).output == formatted)
    try people.write("bad.query", "{ a( }")
    let bad = try people.gqlite("fmt", "bad.query", "ugly.query")
    #expect(bad.status == 1 && bad.errors.contains("bad.query:1:"))
    #expect(try people.read("bad.query") == "{ a( }")
    #expect(try people.gqlite("fmt").status == 2)
    // A formatted program keeps its first line, and its answer.
    try people.write("p.query", "#!/usr/bin/env gqlite\nextend   schema @data(from:\"people\")\n{n:count(User)}")
    #expect(try people.gqlite("fmt", "p.query").status == 0)
    #expect(try people.read("p.query").hasPrefix("#!/usr/bin/env gqlite\n"))
    #expect(try people.gqlite("p.query").output == "{\"n\":3}\n")
  }

  @Test("schema prints the schema given or inferred") func schema() throws {
    let people = try Scratch.people()
    let given = try people.gqlite("schema", "--data", "people")
    #expect(given.status == 0 && given.output.contains("type User {") && given.output.contains("age: Int @index"))
    try people.write("printed.graphql", given.output)
    #expect(try people.gqlite("schema", "--schema", "printed.graphql").output == given.output)
    let inferred = try people.gqlite("schema", "--data", "people/User.ndjson")
    #expect(
      inferred.output.contains("id: ID!") && inferred.output.contains("born: Date\n")
        && inferred.output.contains("name: String!"))
    #expect(try people.gqlite("schema").status == 2)
    try people.write("bad.graphql", "type T { id: ID! x: Nope }")
    // What another schema would change and lose.
    try people.write("less.graphql", given.output.replacing(#/  age: Int[^\n]*\n/#, with: ""))
    try people.write("same.graphql", given.output)
    let same = try people.gqlite("schema", "--data", "people", "--to", "same.graphql")
    #expect(same.status == 0 && same.output == "")
    let less = try people.gqlite("schema", "--data", "people", "--to", "less.graphql")
    #expect(less.status == 1 && less.output.contains("- field 'User.age'") && less.output.contains("would be lost"))
    #expect(try people.gqlite("schema", "--data", "people", "--to=less.graphql", "--allow-loss").status == 0)
    #expect(try people.gqlite("schema", "--data", "people", "--allow-loss").status == 2)
    #expect(try people.gqlite("schema", "--data", "people", "--to", "nothing.graphql").status == 1)

    let bad = try people.gqlite("schema", "--schema", "bad.graphql")
    #expect(bad.status == 1 && bad.errors.contains("bad.graphql:1:"))
  }

  @Test("test compares golden files, shows a diff, and updates") func goldenFiles() throws {
    let people = try Scratch.people()
    try people.write("t/a.query", "# data: ../people\n{ User(limit: 1) { id name } }")
    try people.write("t/a.json", "{\"User\": [ {\"id\": 1, \"name\": \"Ann\"} ]}")
    let passed = try people.gqlite("test", "t")
    #expect(passed.status == 0 && passed.output.contains("1 passed, 0 failed"), "\(passed)")
    try people.write("t/a.json", "{\"User\": [{\"id\": 1, \"name\": \"Bob\"}]}")
    let failed = try people.gqlite("test", "t/a.query")
    #expect(failed.status == 1 && failed.output.contains("0 passed, 1 failed"))
    for line in ["--- expected", "+++ actual", "-      \"name\": \"Bob\"", "+      \"name\": \"Ann\""] {
      #expect(failed.output.contains(line), "\(failed.output)")
    }
    try people.write("t/a.plan", "")
    try people.write("t/b.query", "# data: ../people\n{ User { nme } }")
    try people.write("t/b.diagnostics", "")
    #expect(try people.gqlite("test", "t").status == 1)
    #expect(try people.gqlite("test", "--update", "t").status == 0)
    #expect(try people.read("t/a.plan").contains("User") && people.read("t/b.diagnostics").contains("unknown-field"))
    #expect(try people.gqlite("test", "t").status == 0)
    // Expected files without a query fail; so does a run without a test.
    try people.write("t/c.diagnostics", "")
    #expect(try people.gqlite("test", "t").status == 1)
    try people.write("none/x.txt", "")
    #expect(try people.gqlite("test", "none").status == 2)
    #expect(try people.gqlite("test").status == 2)
    #expect(try people.gqlite("test", "nowhere").status == 1)
  }

  @Test("bench prints tab-separated figures") func bench() throws {
    let people = try Scratch.people()
    try people.write("b.query", "query Q($a: Int!) { User(where: age >= $a) { id } }")
    try people.write("v.json", #"[{"a": 1}, {"a": 26}, {"a": 99}]"#)
    let result = try people.gqlite(
      "bench", "--schema", "people/schema.graphql", "--data", "people", "--vars-list", "v.json", "--seconds", "0.05",
      "b.query")
    let lines = result.output.split(separator: "\n").map { $0.split(separator: "\t") }
    #expect(result.status == 0 && lines.count == 4, "\(result)")
    #expect(lines[0].first == "load_ns" && lines[1].first == "peak_memory_bytes")
    #expect(lines[2] == ["name", "median_ns", "minimum_ns", "runs", "bytes"])
    #expect(
      lines[3].count == 5 && lines[3].dropFirst().allSatisfy { (Int($0) ?? 0) > 0 } && lines[3][0].contains("b.query"))
    #expect(try people.gqlite("bench", "--data", "people", "--seconds", "-1", "b.query").status == 2)
    #expect(try people.gqlite("bench", "--data", "people", "b.query").status == 1)
    // As 'run' refuses it.
    let unknown = try people.gqlite("bench", "--data", "people", "--var", "nope=1", "b.query")
    #expect(unknown.status == 2 && unknown.errors.contains("no operation declares the variable '$nope'"), "\(unknown)")
    // One that the text uses has a place there.
    let used = try people.gqlite("--data", "people", "--var", "m=1", "{ a := 1 + $m }")
    #expect(used.status == 1 && used.errors.contains("error[unknown-variable]"), "\(used)")
    #expect(used.errors.contains("the variable '$m' is not declared"), "\(used)")
    let other = try people.gqlite("--data", "people", "--var", "n=1", "query($m: Int) { a := 1 + $m }")
    #expect(other.status == 2 && other.errors.contains("no operation declares the variable '$n'"), "\(other)")
  }
}

import Foundation
import GQLite
import Testing

/// The words of `gqlite test` about what it found.
@Suite struct GoldenCommandTests {
  /// An error where an answer is expected keeps its blanks, and is never written as the answer.
  @Test func problemsAreText() throws {
    let people = try Scratch.people()
    try people.write("t/a.query", "# data: ../people\n{ User { nme } }\n")
    try people.write("t/a.json", "{\"User\": []}\n")
    let failed = try people.gqlite("test", "t")
    #expect(failed.status == 1)
    for line in [
      "+error[unknown-field]: 'User' has no field 'nme'\n", "+  --> a.query:2:10\n", "+ 2 | { User { nme } }\n",
    ] {
      #expect(failed.output.contains(line), "\(failed.output)")
    }
    #expect(try people.gqlite("test", "--update", "t").status == 1)
    #expect(try people.read("t/a.json") == "{\"User\": []}\n")
  }

  @Test func unknownHeadersAreErrors() throws {
    let people = try Scratch.people()
    try people.write(
      "t/a.query",
      "# Comment: with a colon\n# A comment: with https://example.com\n# daat: ../people\n{ User { id } }\n")
    try people.write("t/a.json", "{\"User\": []}\n")
    try people.write("t/b.query", "# data: ../people\n# dialect: graphq\n{ n: count(User) }\n")
    try people.write("t/b.json", "{\"n\": 3}\n")
    try people.write("t/c.query", "# data: ../people\n{ n: count(User) }\n")
    try people.write("t/c.json", "{\"n\": 3}\n")
    try people.write("t/d.query", "# data: ../people\n# statistics: User 100000, User.nme 7\n{ User { id } }\n")
    try people.write("t/d.plan", "User\n└ access   FullScan\n")
    try people.write("t/e.query", "# data: ../people\n# statistics: User 100000\n{ User { id } }\n")
    try people.write("t/e.plan", "User\n└ access   FullScan\n")
    let failed = try people.gqlite("test", "t")
    #expect(failed.status == 1)
    for part in [
      "error[wrong-header]: the header 'statistics' cannot be 'User 100000, User.nme 7'\n", "--> d.query:2:15\n",
      "FAILED t/a.query\n", "error[unknown-header]: golden files have no header 'daat'\n", "--> t/a.query:3:3\n",
      "did you mean 'data'?", "error[wrong-header]: the header 'dialect' cannot be 'graphq'\n", "--> t/b.query:2:12\n",
      "did you mean 'graphql'?", "2 passed, 3 failed\n",
    ] {
      #expect(failed.output.contains(part), "\(part) in \(failed.output)")
    }
  }

  @Test func updatesAreRefusedInContinuousIntegration() throws {
    let people = try Scratch.people()
    try people.write("t/a.query", "# data: ../people\n{ n: count(User) }\n")
    try people.write("t/a.json", "{\"n\": 7}\n")
    for value in ["true", "1"] {
      let refused = try Gqlite.run(["test", "--update", "t"], environment: ["CI": value], in: people.url)
      #expect(refused.status == 2 && refused.errors.contains("the variable CI is set"), "\(refused)")
      #expect(try people.read("t/a.json") == "{\"n\": 7}\n")
      #expect(try Gqlite.run(["test", "t"], environment: ["CI": value], in: people.url).status == 1)
    }
    #expect(try Gqlite.run(["test", "--update", "t"], environment: ["CI": "false"], in: people.url).status == 0)
    #expect(try people.gqlite("test", "t").status == 0)
  }

  @Test func hunksHaveCounts() {
    func diff(_ old: String, _ new: String) -> String { UnifiedDiff.text(old, new) }
    #expect(diff("a\nb\n", "a\nb\n") == "")
    #expect(diff("a\nb\nc\n", "a\nx\ny\nc\n") == "--- expected\n+++ actual\n@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n")
    #expect(diff("", "a\n") == "--- expected\n+++ actual\n@@ -0,0 +1 @@\n+a\n")
    #expect(diff("a\nb\n", "") == "--- expected\n+++ actual\n@@ -1,2 +0,0 @@\n-a\n-b\n")
    #expect(diff("a\n", "a") == "--- expected\n+++ actual\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n")
    // Two changes that are far from each other: lines 5 to 9 are not shown.
    let lines = (1...13).map { "\($0)\n" }
    var changed = lines
    changed[0] = "one\n"
    changed[12] = ""
    #expect(
      diff(lines.joined(), changed.joined()) == """
        --- expected
        +++ actual
        @@ -1,4 +1,4 @@
        -1
        +one
         2
         3
         4
        @@ -10,4 +10,3 @@
         10
         11
         12
        -13

        """)
  }
}

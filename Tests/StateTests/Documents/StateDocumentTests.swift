import Foundation
import GQLiteState
import Testing

/// The table in `docs/statemodel.md` names tests that there are, and its own snippet is run.
@Suite struct StateDocumentTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    .standardizedFileURL

  private let document: String
  /// The sources of the suites by their names.
  private let sources: [String: String]

  init() throws {
    document = try String(contentsOf: Self.root.appending(path: "docs/statemodel.md"), encoding: .utf8)
    var sources: [String: String] = [:]
    for folder in ["Tests/StateTests", "Tests/StateTests/Documents"] {
      let folder = Self.root.appending(path: folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".swift") {
        sources[String(name.dropLast(6))] = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      }
    }
    self.sources = sources
  }

  private func expectTest(_ suite: Substring, _ test: Substring) throws {
    let source = try #require(sources[String(suite)], "there is no suite \(suite)")
    #expect(source.contains("@Suite struct \(suite) {"), "\(suite)")
    #expect(source.contains("@Test func \(test)() "), "\(suite).\(test)")
  }

  @Test func snippetsHaveTests() throws {
    var numbers: [Int] = []
    var missing: [Int] = []
    for row in document.matches(of: #/(?m)^\| (\d+) \| [^|]+ \| ([^|]+) \|/#) {
      let number = try #require(Int(row.1))
      numbers.append(number)
      guard let test = row.2.wholeMatch(of: #/`(\w+)\.(\w+)`/#) else {
        missing.append(number)
        continue
      }
      try expectTest(test.1, test.2)
    }
    #expect(numbers == Array(1...35))
    // Those of synchronization and commands.
    #expect(missing == Array(28...32))
  }

  @Test func chaptersHaveTests() throws {
    let rows = document.matches(of: #/(?m)^\| [A-Z][^|]+ \| `(\w+)\.(\w+)` \|$/#)
    #expect(rows.count == 7)
    for row in rows { try expectTest(row.1, row.2) }
  }

  enum Own {
    @Model(id: 1)
    final class Person {
      @Property(id: 1) var name: String
      @Reference(id: 2) var employer: Person?
      @ReferenceList(id: 3) var friends: [Person]
    }
  }

  @Test func ownSnippet() throws {
    typealias Person = Own.Person
    let database = InMemoryDatabase()
    let alice = Person.create(in: database, id: 123, name: "Alice")
    alice.friends.append(database.create(id: 124))
    let answer = try database.gqlite.run("{ person(id: 123) { name friends } }")
    #expect(answer.jsonString == #"{"person":{"name":"Alice","friends":[124]}}"#)

    let source = try #require(sources["StateDocumentTests"])
    let snippet = try #require(document.firstMatch(of: #/```swift\nimport GQLiteState\n\n([^`]+)```/#)).1
    for line in snippet.split(separator: "\n") {
      #expect(source.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
    }
  }
}

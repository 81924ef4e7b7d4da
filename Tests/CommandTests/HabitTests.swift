import Foundation
import GQLBase
import GQLBinder
import GQLParser
import GQLite
import Testing

/// What people type who come from other languages: `Tests/Corpus/habits` has a document for each habit. Its golden file
/// says where the problem is and what to write; these tests write it.
@Suite struct HabitTests {
  private static let folder = DocumentationFile.root.appending(path: "Tests/Corpus/habits")

  private static func documents() throws -> [(name: String, text: String)] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".query") }.sorted().map {
      ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
    }
  }

  /// The data of the corpus: what is suggested must hold for it.
  private static let database: Result<Database, any Error> = Result {
    let data = folder.appending(path: "../data/team").standardizedFileURL
    let schema = try String(contentsOf: data.appending(path: "schema.graphql"), encoding: .utf8)
    return try Database(schema: schema)
  }

  /// A problem as `--diagnostics json` writes it.
  private struct Problem: Decodable {
    struct FixIt: Decodable { var edits: [Edit] }
    struct Edit: Decodable {
      var range: Range
      var replacement: String
    }
    struct Range: Decodable { var start, end: Place }
    struct Place: Decodable { var offset: Int }
    var severity: String
    var message: String
    var fixIts: [FixIt]?
  }

  private static func errors(_ text: String) throws -> [Problem] {
    var lines = ""
    do {
      let document = try QueryDocument(name: "habit", bytes: Array(text.utf8), dialect: .extended)
      lines = try database.get().check(document)?.jsonLines ?? ""
    } catch let error as QueryError {
      lines = error.jsonLines
    }
    return try lines.split(separator: "\n").map { try JSONDecoder().decode(Problem.self, from: Data($0.utf8)) }
      .filter { $0.severity == "error" }
  }

  /// Applies the first edit of the first problem until there is none; nil where a problem has none.
  private static func mended(_ text: String) throws -> String? {
    var text = text
    for _ in 0..<6 {
      guard let problem = try errors(text).first else { return text }
      guard let fix = problem.fixIts?.first, !fix.edits.isEmpty else { return nil }
      var bytes = Array(text.utf8)
      for edit in fix.edits.sorted(by: { $0.range.start.offset > $1.range.start.offset }) {
        bytes.replaceSubrange(edit.range.start.offset..<edit.range.end.offset, with: Array(edit.replacement.utf8))
      }
      text = String(decoding: bytes, as: UTF8.self)
    }
    return text
  }

  @Test func whatIsSuggestedHasNoErrors() throws {
    var applied = 0
    for (name, text) in try Self.documents() {
      guard try !Self.errors(text).isEmpty, let mended = try Self.mended(text) else { continue }
      applied += 1
      let left = try Self.errors(mended)
      #expect(left.isEmpty, "\(name): \(mended)\n\(left.map(\.message))")
    }
    #expect(applied >= 110, "\(applied) were mended")
  }

  /// A habit that is accepted is written in our form, and means the same.
  @Test func acceptedHabitsAreFormatted() throws {
    let forms = [
      "sql-and": ("Person(where: age > 30 and status == ACTIVE)", ["name"]),
      "sql-or": ("Person(where: age > 30 or level == LEAD)", ["name"]),
      "sql-not": ("Person(where: not age > 30)", ["name"]),
      "sql-like": (#"Person(where: name like "B%")"#, ["name"]),
      "sql-not-like": (#"Person(where: name not like "B%")"#, ["name"]),
      "sql-in": ("Person(where: level in [LEAD, SENIOR])", ["name"]),
      "sql-is-null": ("Person(where: team is null)", ["name"]),
      "sql-is-not-null": ("Person(where: team is not null)", ["name"]),
      "sql-count-star": ("Person(groupBy: status)", ["status", "n: count()"]),
      "count-unnamed": ("Person", ["name", "count: count(reports)"]),
      "sql-count-as": ("Person", ["name", "n: count(reports)"]),
      "count-as": ("Person", ["name", "n: count(reports)"]),
    ]
    for (name, (root, fields)) in forms {
      let text = try String(contentsOf: Self.folder.appending(path: "\(name).query"), encoding: .utf8)
      let query = "{\n  \(root) {\n\(fields.map { "    \($0)\n" }.joined())  }\n}\n"
      let comments = text.prefix { $0 != "{" }
      let formatted = format(SourceText(name: "habit", text: text))
      #expect(formatted.diagnostics.isEmpty && formatted.output == comments + query, "\(name): \(formatted.output)")
      #expect(format(SourceText(name: "habit", text: formatted.output)).output == formatted.output)
      // The tree has the parentheses that the formatter drops.
      let tree = name == "sql-not" ? query.replacing("not age > 30", with: "not (age > 30)") : query
      #expect(print(parse(SourceText(name: "habit", text: text)).output) == tree, "\(name)")
      #expect(print(parse(SourceText(name: "habit", text: formatted.output)).output) == query, "\(name)")
    }
  }

  /// Capital operators stay names wherever GraphQL has a name.
  @Test func capitalsAreNamesInGraphQL() {
    for text in [
      "{ f(a: AND) }", "{ f(a: NOT b: c) }", "{ f(a: [a AND b]) }", "{ f(a: x AND: 1) }", "{ AND OR NOT }",
      "{ f(a: [NOT x]) }", "{ count as n }", "{ a: b OR }", "{ f(a: x IS: y IN: z) }", "{ f(a: CASE WHEN: b) }",
    ] {
      let strict = parse(SourceText(name: "habit", text: text), dialect: .graphql)
      #expect(!strict.hasErrors, "\(text)")
      #expect(print(parse(SourceText(name: "habit", text: text)).output) == print(strict.output), "\(text)")
    }
  }

  @Test func everyHabitOfTheSyntaxHasACase() throws {
    let golden = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { $0.hasSuffix(".diagnostics") }
      .map { try String(contentsOf: Self.folder.appending(path: $0), encoding: .utf8) }.joined()
    for habit in SyntaxHabit.allCases {
      let problem = SyntaxProblem.habit(habit, write: nil).diagnostic(at: SourceRange(at: 0))
      #expect(golden.contains("error[foreign-syntax]: \(problem.message)\n"), "\(habit)")
    }
  }

  @Test func theManualHasEveryName() throws {
    let manual = try String(contentsOf: DocumentationFile.root.appending(path: "docs/habits.md"), encoding: .utf8)
    var names = ForeignName.elements.union(ForeignName.nullFunctions).union(ForeignName.counts)
    names.formUnion(ForeignName.wrappers)
    names.formUnion(ForeignName.totals)
    for table in [
      ForeignName.listArguments, ForeignName.updateArguments, ForeignName.insertArguments, ForeignName.operators,
      ForeignName.connectives, ForeignName.quantifiers, ForeignName.literals, ForeignName.functions,
      ForeignName.operatorFunctions, ForeignName.methods, ForeignName.listMethods, ForeignName.types,
      ForeignName.wordOperators, ForeignName.instants,
    ] {
      names.formUnion(table.keys)
    }
    names.formUnion(ForeignName.verbs.map(\.written))
    names.formUnion(ForeignName.inputEndings.map(\.written))
    for name in names.sorted() { #expect(manual.contains("`\(name)`"), "docs/habits.md has no '\(name)'") }
  }
}

import Foundation
import GQLBase
import GQLBinder
import GQLLoader
import GQLExecutor
import GQLLexer
import GQLParser
import GQLQuery
import GQLStorage
import GQLite
import Testing
@testable import GQLEngine

/// docs/diagnostics.md lists every code once, and each trigger in it triggers its code.
@Suite struct DiagnosticsDocumentTests {
  /// A row `| code | meaning | trigger |`.
  struct Row: Sendable, CustomTestStringConvertible {
    let code: String
    /// What stands before the code span: the kind of trigger.
    let kind: String
    /// The code span; nil if the trigger is told in words.
    let trigger: String?
    static let kinds: Set<String> = ["", "schema:", "data:", "file:", "in GraphQL alone:"]
    var testDescription: String { code }
  }

  static let rows: [Row] = {
    guard let file = try? DocumentationFile(path: "docs/diagnostics.md") else { return [] }
    return file.lines.compactMap { line in
      guard let match = line.wholeMatch(of: #/\| `([a-z0-9-]+)` \| .*? \| (.*) \|/#) else { return nil }
      let cell = match.2
      guard let span = cell.firstMatch(of: #/(```|``|`)(.+?)\1$/#) else {
        return Row(code: String(match.1), kind: String(cell), trigger: nil)
      }
      let kind = cell[..<span.range.lowerBound].trimmingCharacters(in: .whitespaces)
      // Anything else is told in words, which may hold code.
      guard Row.kinds.contains(kind), !span.2.contains("` ") else {
        return Row(code: String(match.1), kind: kind, trigger: nil)
      }
      let text = span.2.trimmingCharacters(in: .whitespaces)
      return Row(code: String(match.1), kind: kind, trigger: text.replacing("⏎", with: "\n"))
    }
  }()

  static let codes: Set<String> = {
    var codes = LexicalProblem.codes + SyntaxProblem.codes + BindingProblem.codes + CoercionProblem.codes
    codes += VariableProblem.codes + SchemaProblem.codes + RuntimeProblem.diagnosticCodes
    codes += MutationProblem.diagnosticCodes
    codes += DiagnosticCode.planningCodes + LoadProblem.allCases.map(\.code) + DocumentProblem.allCases.map(\.code)
    codes += EvolutionProblem.allCases.map(\.code) + GoldenProblem.allCases.map(\.code)
    codes += StorageProblem.codes + PastProblem.codes + EditingProblem.codes + BranchProblem.codes
    return Set(codes.map(\.rawValue))
  }()

  @Test func listIsComplete() {
    let listed = Self.rows.map(\.code)
    #expect(Set(listed).count == listed.count, "a code is listed twice")
    #expect(Self.codes.subtracting(listed).sorted() == [], "codes that docs/diagnostics.md lacks")
    #expect(Set(listed).subtracting(Self.codes).sorted() == [], "codes that no longer exist")
  }

  /// What triggers of the kind `data:` run into: `Thing.ndjson: {…}`.
  static let schema = """
    type Thing {
      id: ID! name: String! email: String @unique n: Int other: Thing twin: Thing @relation(inverse: "twin")
    }
    """

  @Test(arguments: rows.filter { $0.trigger != nil })
  func trigger(_ row: Row) throws {
    let text = try #require(row.trigger)
    let codes: [String]
    do {
      codes = try problems(row.kind, text)
    } catch let error as QueryError {
      codes = error.problems.map(\.code)
    }
    #expect(codes.contains(row.code), "\(row.kind) \(text)")
  }

  /// The codes of warnings; errors are thrown.
  private func problems(_ kind: String, _ text: String) throws -> [String] {
    switch kind {
    case "schema:":
      let parsed = parse(SourceText(name: "schema.graphql", text: text))
      let built = buildCatalog(parsed.output, extending: nil)
      return (parsed.diagnostics + built.diagnostics).map(\.code.rawValue)
    case "data:":
      let colon = try #require(text.firstIndex(of: ":"))
      let database = try Database(schema: Self.schema)
      let bytes = Array(text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces).utf8)
      let source: DataSource =
        switch String(text[..<colon]) {
        case "Thing.csv": .csv(type: "Thing", bytes: bytes)
        case "data.json": .json(bytes: bytes)
        default: .ndjson(type: "Thing", bytes: bytes)
        }
      return try database.load([source]).warnings.map(\.code)
    case "file:":
      return try Database(schema: Self.schema).load(path: text).warnings.map(\.code)
    default:
      let dialect: QueryDialect = kind.hasPrefix("in GraphQL") ? .graphql : .extended
      let document = try QueryDocument(name: "query", bytes: Array(text.utf8), dialect: dialect)
      let database = try Self.people.get()
      var codes = try database.check(document)?.problems.map(\.code) ?? []
      let queries = try database.prepareAll(document)
      if queries.isEmpty { codes.append(contentsOf: document.noOperationError().problems.map(\.code)) }
      for query in queries { _ = try query.run() }
      return codes
    }
  }

  static let people: Result<Database, any Error> = Result {
    let folder = DocumentationFile.root.appending(path: "Examples/people")
    let schema = try String(contentsOf: folder.appending(path: "schema.graphql"), encoding: .utf8)
    let database = try Database(schema: schema)
    try database.load(path: folder.path)
    return database
  }
}

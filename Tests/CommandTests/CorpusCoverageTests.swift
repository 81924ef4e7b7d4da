import Foundation
import GQLBase
import GQLBinder
import GQLParser
import Testing

/// The golden corpus has a case for every code; and under `nulls` and `edges` one for every function, every operator and
/// every directive.
@Suite struct CorpusCoverageTests {
  /// What a document says: functions called, operators, directives.
  struct Vocabulary {
    var calls: Set<String> = []
    var operators: Set<String> = []
    var directives: Set<String> = []

    /// Everything in a tree, whatever it is in.
    mutating func add(_ node: Any) {
      switch node {
      case let found as BinaryOperator: operators.insert(found.rawValue)
      case let found as UnaryOperator: operators.insert("prefix \(found.rawValue)")
      case let found as Directive: directives.insert(found.name.text)
      case let found as Field: calls.insert(found.name.text)
      case let found as GQLParser.Expression.Kind:
        switch found {
        case .call(let name, _): calls.insert(name.text)
        case .member: operators.insert(".name")
        case .index: operators.insert("[index]")
        case .outer: operators.insert("^")
        case .current: operators.insert(".")
        case .isTest(_, let negated, _): operators.insert(negated ? "is not" : "is")
        case .cast: operators.insert("as")
        case .chain(let connective, _): operators.insert(connective.rawValue)
        default: break
        }
      default: break
      }
      for child in Mirror(reflecting: node).children { add(child.value) }
    }
  }

  private static func files(_ folder: String, _ ending: String) -> [URL] {
    let root = DocumentationFile.root.appending(path: folder)
    let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    return (found?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == ending }
  }

  private static func vocabulary(_ area: String) throws -> Vocabulary {
    var vocabulary = Vocabulary()
    for file in files("Tests/Corpus/\(area)", "query") {
      let text = try String(contentsOf: file, encoding: .utf8)
      vocabulary.add(parse(SourceText(name: file.lastPathComponent, text: text)).output)
    }
    return vocabulary
  }

  @Test(arguments: ["nulls", "edges"]) func everyFunctionHasACase(_ area: String) throws {
    let missing = Set(languageFunctions).subtracting(try Self.vocabulary(area).calls)
    #expect(missing.sorted() == [], "functions without a case under Tests/Corpus/\(area)")
  }

  @Test(arguments: ["nulls", "edges"]) func everyOperatorHasACase(_ area: String) throws {
    let others = [".name", "[index]", "^", ".", "is", "is not", "as"]
    let all = BinaryOperator.allCases.map(\.rawValue) + UnaryOperator.allCases.map { "prefix \($0.rawValue)" } + others
    let missing = Set(all).subtracting(try Self.vocabulary(area).operators)
    #expect(missing.sorted() == [], "operators without a case under Tests/Corpus/\(area)")
  }

  @Test(arguments: ["nulls", "edges"]) func everyDirectiveHasACase(_ area: String) throws {
    let all = ["skip", "include", "using", "recurse", "expand"] + SchemaDirective.all.map(\.name)
    let missing = Set(all).subtracting(try Self.vocabulary(area).directives)
    #expect(missing.sorted() == [], "directives without a case under Tests/Corpus/\(area)")
  }

  /// What no document brings up, or only one of a size that nobody wants to read.
  static let elsewhere: Set<String> = [
    // Programs.
    "branch-limit", "branch-name", "not-on-branch", "unknown-branch", "unrelated-branch",
    "cancelled", "command-failed", "context-outdated", "data-conflict", "data-loss", "data-not-allowed",
    "function-failed", "function-name", "merge-conflict", "merged-branch", "nested-transaction", "not-live",
    "read-only", "several-operations", "transaction-ended", "unencodable-value", "wrong-merge",
    // The command line and its limits.
    "memory", "needs-one-list", "no-operation", "timeout", "unknown-header", "unknown-operation",
    "wrong-header", "wrong-limit",
    // Sizes.
    "document-too-long", "field-limit", "too-large", "too-many-columns", "too-many-enum-values",
    "too-many-tokens",
    // Files of databases.
    "not-storable", "storage-busy", "storage-changed", "storage-closed", "storage-corrupt", "storage-failed",
    "storage-full", "storage-network", "storage-read-only", "storage-version",
    // Warnings of loading.
    "contradicting-values", "dangling-link", "left-out",
  ]

  @Test func everyCodeHasACase() throws {
    var found: Set<String> = []
    for folder in ["Tests/Corpus", "Examples"] {
      for file in Self.files(folder, "diagnostics") {
        let text = try String(contentsOf: file, encoding: .utf8)
        for match in text.matches(of: #/(?:error|warning)\[([a-z0-9-]+)\]/#) { found.insert(String(match.1)) }
      }
    }
    let wanted = DiagnosticsDocumentTests.codes.subtracting(Self.elsewhere)
    #expect(wanted.subtracting(found).sorted() == [], "codes without a golden case")
    #expect(Self.elsewhere.intersection(found).sorted() == [], "codes that have one after all")
  }
}

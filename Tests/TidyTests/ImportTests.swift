import Testing

/// The arrows between the stages: each folder imports what the table in ARCHITECTURE.md gives it, and no more.
@Suite struct ImportTests {
  /// A folder under Sources, and the modules it may import beside the C library.
  struct Rule: Sendable, CustomTestStringConvertible {
    let folder: String
    let modules: Set<String>
    /// What a library hands on to programs as its own; the other stages hide what they are made from.
    var reexported: Set<String> = []
    var testDescription: String { folder }
  }

  static let rules = [
    Rule(folder: "Base", modules: []),
    Rule(folder: "Lexer", modules: ["GQLBase"]),
    Rule(folder: "Parser", modules: ["GQLBase", "GQLLexer"]),
    Rule(folder: "Catalog", modules: ["GQLBase"]),
    Rule(folder: "Regex", modules: ["GQLBase", "CPCRE2"]),
    Rule(folder: "Text", modules: ["GQLBase", "CStemmer"]),
    Rule(folder: "Query", modules: ["GQLBase", "GQLCatalog", "GQLRegex"]),
    Rule(folder: "Rewriter", modules: ["GQLBase", "GQLCatalog", "GQLQuery"]),
    Rule(
      folder: "Binder",
      modules: ["GQLBase", "GQLParser", "GQLCatalog", "GQLRegex", "GQLText", "GQLQuery", "GQLRewriter"]),
    Rule(
      folder: "Planner", modules: ["GQLBase", "GQLCatalog", "GQLRegex", "GQLQuery", "GQLRewriter"]),
    Rule(folder: "Store", modules: ["GQLBase", "GQLCatalog", "GQLText", "Dispatch"]),
    Rule(folder: "Writing", modules: ["GQLBase", "GQLCatalog", "GQLStore"]),
    Rule(
      folder: "Executor",
      modules: ["GQLBase", "GQLCatalog", "GQLRegex", "GQLText", "GQLQuery", "GQLStore", "GQLWriting"]),
    Rule(
      folder: "Loader",
      modules: ["GQLBase", "GQLCatalog", "GQLStore", "GQLWriting", "CSQLite3", "CZlib", "CZstd", "Dispatch"]),
    Rule(folder: "Generator", modules: ["GQLBase", "GQLCatalog"]),
    Rule(folder: "ModelMacroExpansion", modules: []),
    Rule(folder: "ModelMacros", modules: ["GQLModelMacroExpansion"]),
    Rule(
      folder: "Engine",
      modules: [
        "GQLBase", "GQLLexer", "GQLParser", "GQLCatalog", "GQLRegex", "GQLQuery", "GQLBinder",
        "GQLPlanner", "GQLStore", "GQLWriting", "GQLExecutor", "Dispatch", "Foundation", "FoundationEssentials",
      ]),
    Rule(
      folder: "Storage",
      modules: ["GQLBase", "GQLCatalog", "GQLStore", "GQLWriting", "GQLEngine", "CSQLite3", "Dispatch", "Foundation"]),
    Rule(
      folder: "Library",
      modules: [
        "GQLBase", "GQLCatalog", "GQLPlanner", "GQLStore", "GQLLoader", "GQLGenerator", "GQLEngine", "GQLStorage",
        "Foundation", "FoundationEssentials",
      ], reexported: ["GQLEngine", "GQLStorage"]),
    Rule(
      folder: "Models",
      modules: [
        "GQLBase", "GQLParser", "GQLCatalog", "GQLText", "GQLQuery", "GQLBinder", "GQLPlanner", "GQLStore",
        "GQLWriting", "GQLExecutor", "Foundation",
      ]),
    Rule(
      folder: "ModelLibrary",
      modules: ["GQLCatalog", "GQLStore", "GQLEngine", "GQLStorage", "GQLModels", "Observation", "CSwiftRuntime"],
      reexported: ["GQLEngine", "GQLStorage", "GQLModels"]),
    Rule(
      folder: "StateLibrary",
      modules: [
        "GQLBase", "GQLCatalog", "GQLStore", "GQLWriting", "GQLEngine", "GQLStorage", "GQLModels", "Foundation",
        "Observation", "Combine", "SwiftUI",
      ], reexported: ["GQLEngine", "GQLStorage"]),
    Rule(folder: "gqlite", modules: ["GQLBase", "GQLite"]),
  ]

  /// The C library of each platform, and what comes with the language.
  static let everywhere: Set<String> = ["Glibc", "Musl", "Darwin", "Synchronization", "Builtin"]

  @Test(arguments: rules) func importsOnlyWhatIsBelow(_ rule: Rule) {
    for file in Repository.files(in: ["Sources/\(rule.folder)"], extensions: ["swift"]) {
      for (number, line) in file.code(holding: ["import"]) {
        guard let module = ImportTests.module(importedBy: line) else { continue }
        #expect(
          rule.modules.contains(module) || ImportTests.everywhere.contains(module),
          "\(file.place(number)): \(rule.folder) must not import \(module)")
        #expect(
          !line.contains("@_exported") || rule.reexported.contains(module),
          "\(file.place(number)): a stage hides what it is made from")
      }
    }
  }

  /// What nobody imports is no dependency, and its target waits for nothing.
  @Test(arguments: rules) func everyModuleIsUsed(_ rule: Rule) {
    var imported: Set<String> = []
    for file in Repository.files(in: ["Sources/\(rule.folder)"], extensions: ["swift"]) {
      for (_, line) in file.code(holding: ["import"]) {
        if let module = ImportTests.module(importedBy: line) { imported.insert(module) }
      }
    }
    #expect(rule.modules.subtracting(imported).sorted() == [])
  }

  @Test func everyFolderHasARule() {
    let known = Set(ImportTests.rules.map(\.folder))
    for file in Repository.files(in: ["Sources"], extensions: ["swift"]) {
      let folder = file.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
      #expect(known.contains(folder), "\(file.path): no rule says what Sources/\(folder) may import")
    }
  }

  @Test(arguments: [
    ("import GQLBase", "GQLBase"), ("  package import GQLBase", "GQLBase"), ("@testable import GQLite", "GQLite"),
    ("@_spi(Tests) import struct GQLBase.SourceRange", "GQLBase"), ("let importance = 1", nil), ("// import X", nil),
  ])
  func findsImports(_ line: String, _ module: String?) {
    #expect(ImportTests.module(importedBy: line) == module)
  }

  private static func module(importedBy line: String) -> String? {
    let pattern =
      #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias|actor)\s+)?(\w+)/#
    return line.firstMatch(of: pattern).map { String($0.1) }
  }
}

// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let package = Package(
  name: "gqlite",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "GQLite", targets: ["GQLite"]),
    .library(name: "GQLiteModels", targets: ["GQLiteModels"]),
    .library(name: "GQLiteState", targets: ["GQLiteState"]),
    .executable(name: "gqlite", targets: ["GQLiteCLI"]),
    .executable(name: "regret", targets: ["regret"]),
  ],
  targets: [
    // Source text, diagnostics, bytes, numbers, times, JSON.
    .target(name: "GQLBase", path: "Sources/Base"),
    .testTarget(name: "GQLBaseTests", dependencies: ["GQLBase"], path: "Tests/BaseTests"),

    // UTF-8 bytes to tokens.
    .target(name: "GQLLexer", dependencies: ["GQLBase"], path: "Sources/Lexer"),

    // Tokens to a document, and back to text.
    .target(name: "GQLParser", dependencies: ["GQLBase", "GQLLexer"], path: "Sources/Parser"),
    .testTarget(name: "GQLParserTests", dependencies: ["GQLBase", "GQLLexer", "GQLParser"], path: "Tests/ParserTests"),

    // What exists: types, properties, relations, indexes, statistics.
    .target(name: "GQLCatalog", dependencies: ["GQLBase"], path: "Sources/Catalog"),

    // Patterns over PCRE2.
    .systemLibrary(
      name: "CPCRE2", path: "Sources/CPCRE2", pkgConfig: "libpcre2-8",
      providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),
    .target(name: "GQLRegex", dependencies: ["GQLBase", "CPCRE2"], path: "Sources/Regex"),
    .testTarget(name: "GQLRegexTests", dependencies: ["GQLBase", "GQLRegex"], path: "Tests/RegexTests"),

    // Words, stems, full-text queries and scores.
    .systemLibrary(
      name: "CStemmer", path: "Sources/CStemmer", providers: [.apt(["libstemmer-dev"]), .brew(["snowball"])]),
    .target(name: "GQLText", dependencies: ["GQLBase", "CStemmer"], path: "Sources/Text"),
    .testTarget(name: "GQLTextTests", dependencies: ["GQLBase", "GQLText"], path: "Tests/TextTests"),

    // Queries as values: bound, with every name resolved, and planned. What binder, planner and executor hand each other.
    .target(
      name: "GQLQuery", dependencies: ["GQLBase", "GQLCatalog", "GQLRegex"], path: "Sources/Query"),

    // A bound query's expressions in the forms that are planned.
    .target(
      name: "GQLRewriter", dependencies: ["GQLBase", "GQLCatalog", "GQLQuery"],
      path: "Sources/Rewriter"),

    // Documents to bound queries and catalogs, and what a catalog says of itself.
    .target(
      name: "GQLBinder",
      dependencies: ["GQLBase", "GQLParser", "GQLCatalog", "GQLRegex", "GQLText", "GQLQuery", "GQLRewriter"],
      path: "Sources/Binder"),
    .testTarget(
      name: "GQLBinderTests", dependencies: ["GQLBase", "GQLParser", "GQLCatalog", "GQLQuery", "GQLBinder"],
      path: "Tests/BinderTests"),

    // Costing, optimizing, explaining.
    .target(
      name: "GQLPlanner",
      dependencies: ["GQLBase", "GQLCatalog", "GQLRegex", "GQLQuery", "GQLRewriter"],
      path: "Sources/Planner"),
    .testTarget(
      name: "GQLPlannerTests",
      dependencies: [
        "GQLBase", "GQLParser", "GQLCatalog", "GQLQuery", "GQLRewriter", "GQLBinder", "GQLPlanner",
      ], path: "Tests/PlannerTests"),

    // Columns, relations, indexes, snapshots, transactions.
    .target(name: "GQLStore", dependencies: ["GQLBase", "GQLCatalog", "GQLText"], path: "Sources/Store"),
    .testTarget(
      name: "GQLStoreTests", dependencies: ["GQLBase", "GQLCatalog", "GQLText", "GQLStore"], path: "Tests/StoreTests"),

    // Records from any door, staged and written into a transaction.
    .target(name: "GQLWriting", dependencies: ["GQLBase", "GQLCatalog", "GQLStore"], path: "Sources/Writing"),

    // A physical plan over a snapshot, to bytes.
    .target(
      name: "GQLExecutor",
      dependencies: ["GQLBase", "GQLCatalog", "GQLRegex", "GQLText", "GQLQuery", "GQLStore", "GQLWriting"],
      path: "Sources/Executor"),
    // The time of a thread, for tests that hold something against a limit.
    .target(name: "TestClocks", path: "Tests/TestClocks"),
    .testTarget(
      name: "GQLExecutorTests",
      dependencies: [
        "GQLBase", "GQLCatalog", "GQLQuery", "GQLBinder", "GQLPlanner", "GQLStore", "GQLWriting", "GQLExecutor",
        "TestClocks",
      ], path: "Tests/ExecutorTests"),

    // Data from elsewhere: JSON, CSV and SQLite files, compressed files.
    .systemLibrary(
      name: "CSQLite3", path: "Sources/CSQLite3", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CZstd", path: "Sources/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),

    .target(
      name: "GQLLoader",
      dependencies: ["GQLBase", "GQLCatalog", "GQLStore", "GQLWriting", "CSQLite3", "CZlib", "CZstd"],
      path: "Sources/Loader"),
    .testTarget(
      name: "GQLLoaderTests", dependencies: ["GQLBase", "GQLLoader", "GQLDifferential"], path: "Tests/LoaderTests"),

    // A catalog as Swift models.
    .target(name: "GQLGenerator", dependencies: ["GQLBase", "GQLCatalog"], path: "Sources/Generator"),

    // The embedded evaluator.
    .target(
      name: "GQLEngine",
      dependencies: [
        "GQLBase", "GQLLexer", "GQLParser", "GQLCatalog", "GQLRegex", "GQLQuery", "GQLBinder",
        "GQLPlanner", "GQLStore", "GQLWriting", "GQLExecutor",
      ], path: "Sources/Engine"),

    // Databases in files.
    .target(
      name: "GQLStorage",
      dependencies: ["GQLBase", "GQLCatalog", "GQLStore", "GQLWriting", "GQLEngine", "CSQLite3"],
      path: "Sources/Storage"),
    .testTarget(
      name: "GQLStorageTests",
      dependencies: [
        "GQLite", "GQLBase", "GQLCatalog", "GQLStore", "GQLEngine", "GQLStorage", "GQLDifferential", "StorageProofs",
        "storageproof", "GQLiteCLI", "CSQLite3",
      ],
      path: "Tests/StorageTests", exclude: ["Files"]),
    // Proofs that nothing in a database file is lost or falsified, and a program that runs many of them.
    .target(
      name: "StorageProofs",
      dependencies: ["GQLite", "GQLBase", "GQLEngine", "GQLStorage", "GQLDifferential", "CSQLite3"],
      path: "Tests/StorageProofs"),
    .executableTarget(name: "storageproof", dependencies: ["StorageProofs"], path: "Tests/StorageProofCommand"),

    // The library: the evaluator, with data and golden files, and generated models.
    .target(
      name: "GQLite",
      dependencies: [
        "GQLBase", "GQLCatalog", "GQLPlanner", "GQLStore", "GQLLoader", "GQLGenerator", "GQLEngine", "GQLStorage",
      ], path: "Sources/Library"),
    .testTarget(
      name: "GQLiteTests",
      dependencies: [
        "GQLite", "GQLStorage", "GQLBase", "GQLParser", "GQLCatalog", "GQLQuery", "GQLRewriter", "GQLBinder",
        "GQLPlanner",
        "GQLStore", "GQLExecutor", "GQLEngine", "GQLDifferential", "CSQLite3", "TestClocks",
      ],
      path: "Tests/EngineTests"),

    // Entities as plain structs over the same store and planner.
    .target(
      name: "GQLModels",
      dependencies: [
        "GQLBase", "GQLParser", "GQLCatalog", "GQLText", "GQLQuery", "GQLBinder", "GQLPlanner", "GQLStore",
        "GQLWriting", "GQLExecutor",
      ], path: "Sources/Models"),

    // A function of Swift's runtime.
    .systemLibrary(name: "CSwiftRuntime", path: "Sources/CSwiftRuntime"),

    // The library of models: entities, with the macros, text, databases and live answers.
    .target(
      name: "GQLiteModels",
      dependencies: [
        "GQLCatalog", "GQLStore", "GQLEngine", "GQLStorage", "GQLModels", "GQLModelMacros", "CSwiftRuntime",
      ],
      path: "Sources/ModelLibrary"
    ),
    // What `gqlite generate swift` writes of some schemas.
    .target(
      name: "GQLGeneratedModels", dependencies: ["GQLiteModels"], path: "Tests/GeneratedModels",
      exclude: ["Schemas"]),
    // The same of a schema whose names are in the way.
    .target(
      name: "GQLGeneratedNames", dependencies: ["GQLiteModels"], path: "Tests/GeneratedNames",
      exclude: ["Schemas"]),
    .testTarget(
      name: "ModelTests",
      dependencies: [
        "GQLiteModels", "GQLModels", "GQLite", "GQLStore", "GQLCatalog", "GQLQuery", "GQLPlanner", "GQLGeneratedModels",
        "GQLGeneratedNames",
        "ModelsExample",
        "GQLDifferential", "CSQLite3", "TestClocks",
      ],
      path: "Tests/ModelTests"),
    .executableTarget(name: "ModelsExample", dependencies: ["GQLiteModels"], path: "Examples/Models"),

    // Objects of classes over paths, as StateModel has them.
    .target(
      name: "GQLiteState",
      dependencies: [
        "GQLBase", "GQLCatalog", "GQLStore", "GQLWriting", "GQLEngine", "GQLStorage", "GQLModels", "GQLModelMacros",
      ],
      path: "Sources/StateLibrary"),
    .testTarget(
      name: "StateTests", dependencies: ["GQLiteState", "GQLEngine", "StateExample"], path: "Tests/StateTests"),
    .executableTarget(name: "StateExample", dependencies: ["GQLiteState"], path: "Examples/State"),

    // Random queries, a plain reference evaluator, and a program that compares many of them.
    .target(
      name: "GQLDifferential",
      dependencies: [
        "GQLite", "GQLCatalog", "GQLQuery", "GQLBinder", "GQLPlanner", "GQLEngine", "GQLStorage", "CSQLite3",
      ],
      path: "Tests/Differential"),
    .executableTarget(name: "differential", dependencies: ["GQLDifferential"], path: "Tests/DifferentialCommand"),

    // Random queries under every plan, timed, and a program that says how far from the best the chosen ones are.
    .target(
      name: "GQLRegret",
      dependencies: [
        "GQLite", "GQLBase", "GQLCatalog", "GQLQuery", "GQLPlanner", "GQLStore", "GQLExecutor", "GQLEngine",
        "GQLDifferential",
      ],
      path: "Tests/Regret"),
    .executableTarget(name: "regret", dependencies: ["GQLRegret", "GQLPlanner"], path: "Tests/RegretCommand"),

    // Changed golden documents through every stage, and a program that runs millions of them.
    .target(
      name: "GQLFuzz", dependencies: ["GQLite", "GQLBase", "GQLLexer", "GQLEngine", "GQLDifferential"],
      path: "Tests/Fuzz"),
    .executableTarget(name: "fuzz", dependencies: ["GQLFuzz", "GQLite"], path: "Tests/FuzzCommand"),

    // The macro plug-in of the models: all of it in an ordinary target, for the tests, beside a thin program.
    .target(name: "GQLModelMacroExpansion", path: "Sources/ModelMacroExpansion"),
    .macro(name: "GQLModelMacros", dependencies: ["GQLModelMacroExpansion"], path: "Sources/ModelMacros"),
    .testTarget(
      name: "GQLModelMacroTests", dependencies: ["GQLModelMacroExpansion"], path: "Tests/ModelMacroTests"),

    // The command.
    .executableTarget(name: "GQLiteCLI", dependencies: ["GQLite", "GQLBase"], path: "Sources/gqlite"),
    .executableTarget(name: "EmbeddingExample", dependencies: ["GQLite"], path: "Examples/Embedding"),
    .testTarget(
      name: "GQLiteCommandTests",
      dependencies: [
        "GQLite", "GQLBase", "GQLLexer", "GQLParser", "GQLCatalog", "GQLQuery", "GQLBinder", "GQLPlanner",
        "GQLExecutor", "GQLLoader", "GQLEngine", "GQLiteCLI", "CSQLite3", "fuzz",
      ], path: "Tests/CommandTests"),

    // The repository's own rules.
    .testTarget(name: "TidyTests", path: "Tests/TidyTests"),
  ],
  swiftLanguageModes: [.v6]
)

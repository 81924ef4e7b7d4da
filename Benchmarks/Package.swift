// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "gqlite-benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "benchmark", targets: ["benchmark"]),
    .executable(name: "loading", targets: ["loading"]),
    .executable(name: "models", targets: ["models"]),
    .executable(name: "durability", targets: ["durability"]),
  ],
  dependencies: [
    .package(name: "gqlite", path: "..")
  ],
  targets: [
    // The yardstick, through its C library.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),

    // SQLite has no regular expressions of its own; the yardstick is given the same library.
    .systemLibrary(
      name: "CRegex", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]),

    // The data: the same bytes for the same seed and scale, on every machine.
    .target(name: "SocialNetwork"),

    .executableTarget(
      name: "benchmark",
      dependencies: [
        "SocialNetwork", "ProcessMemory", "CSQLite", "CRegex", .product(name: "GQLite", package: "gqlite"),
        .product(name: "GQLiteModels", package: "gqlite"),
      ]),

    // What the system says of a process.
    .target(name: "ProcessMemory", dependencies: ["CSQLite"]),

    // Whole processes that read a file and answer one question.
    .executableTarget(
      name: "loading",
      dependencies: ["SocialNetwork", "ProcessMemory", .product(name: "GQLite", package: "gqlite")]),

    // Databases in files, beside SQLite and the disk.
    .executableTarget(
      name: "durability", dependencies: ["CSQLite", "CommitModel", .product(name: "GQLite", package: "gqlite")]),

    // A log in SQLite and nothing else: what commits could cost at least.
    .target(name: "CommitModel", dependencies: ["CSQLite"]),

    // Structs in a context: saving, copying, reading.
    .executableTarget(
      name: "models", dependencies: [.product(name: "GQLiteModels", package: "gqlite")]),
  ],
  swiftLanguageModes: [.v6]
)

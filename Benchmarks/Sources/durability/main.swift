import Foundation
import GQLite

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Times databases in files: single commits beside the disk and SQLite, many threads, folding, opening, and following.
struct DurabilityBenchmark {
  static let usage = """
    usage: durability [--only PARTS] [--rows N] [--commits N] [--folder DIR]
      --only PARTS  some of commits,statements,folding,threads,pipelined,ready,opening,following,text (default: all)
      --rows N      rows of the file that is opened and followed (default 1000000)
      --commits N   commits of each kind (default 2000)
      --folder DIR  where files are written (default: a temporary folder; it must be on the disk that is measured)
    """
  var parts: Set<String> = [
    "commits", "statements", "folding", "threads", "pipelined", "ready", "opening", "following", "text",
  ]
  var rows = 1_000_000
  var commits = 2000
  var folder = FileManager.default.temporaryDirectory.appending(path: "durability-\(getpid())")

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Failure("\(flag) wants a value") }
      switch flag {
      case "--only":
        let wanted = Set(value.split(separator: ",").map(String.init))
        guard wanted.isSubset(of: parts) else { throw Failure("--only wants some of \(parts.sorted())") }
        parts = wanted
      case "--rows": rows = max(1, Int(value) ?? rows)
      case "--commits": commits = max(10, Int(value) ?? commits)
      case "--folder": folder = URL(filePath: value).appending(path: "durability-\(getpid())")
      default: throw Failure("unknown option '\(flag)'")
      }
    }
  }

  func run() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if parts.contains("commits") { try singleCommits() }
    if parts.contains("statements") { try statements() }
    if parts.contains("folding") { try folding() }
    if parts.contains("threads") { try threads() }
    if parts.contains("pipelined") { try pipelined() }
    if parts.contains("ready") { try readyChanges() }
    if !parts.isDisjoint(with: ["opening", "following"]) { try makeRows() }
    if parts.contains("opening") { try opening() }
    if parts.contains("following") { try following() }
    if parts.contains("text") { try fullText() }
  }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  // MARK: - Figures

  static func time(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
  }

  static func median(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.sorted()[values.count / 2] }
  static func number(_ value: Double) -> String { String(format: "%9.2f", value) }
  static func padded(_ text: String, _ count: Int) -> String {
    text.padding(toLength: count, withPad: " ", startingAt: 0)
  }
}

do {
  if CommandLine.arguments.contains("--help") {
    print(DurabilityBenchmark.usage)
  } else {
    try DurabilityBenchmark(Array(CommandLine.arguments.dropFirst())).run()
  }
} catch {
  print("durability: \(error)")
  exit(1)
}

import Foundation
import GQLite
import ProcessMemory

/// Times the first minute of a file: sqlite3's `.import` and gqlite, whole processes in turn, on the same rows.
///
/// Each prints the number of rows and two sums, which must agree.
struct LoadingBenchmark {
  static let usage = """
    usage: loading [--command FILE] [--rows N] [--runs N] [--folder DIR]
      --command FILE   the gqlite binary (default: .build/release/gqlite)
      --rows N         rows of the file (default 1000000)
      --runs N         counted runs of each, after one that is not (default 5)
      --folder DIR     where the files are written, and kept (default: a temporary folder)
    """

  var command = ".build/release/gqlite"
  var rows = 1_000_000
  var runs = 5
  var folder: URL?

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let flag = rest.popFirst() {
      guard let value = rest.popFirst() else { throw ChildProcess.Failure(description: "\(flag) wants a value") }
      switch flag {
      case "--command": command = value
      case "--rows": rows = max(1, Int(value) ?? rows)
      case "--runs": runs = max(1, Int(value) ?? runs)
      case "--folder": folder = URL(filePath: value)
      default: throw ChildProcess.Failure(description: "unknown option '\(flag)'")
      }
    }
  }

  func run() throws {
    let folder = self.folder ?? FileManager.default.temporaryDirectory.appending(path: "loading-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { if self.folder == nil { try? FileManager.default.removeItem(at: folder) } }
    let files = try SalesFiles(rows: rows, folder: folder, program: CommandLine.arguments[0])
    try? FileManager.default.removeItem(at: files.sqlite)
    _ = try ChildProcess([
      "sqlite3", files.sqlite.path, SalesFiles.table, ".import --csv --skip 1 \(files.csv.path) Sale",
      "UPDATE Sale SET note = NULL WHERE note = ''", "VACUUM",
    ])
    let query = "{ rows: count(Sale) amount: sum(Sale.amount) quantity: sum(Sale.quantity) }"
    let cases: [(name: String, arguments: [String])] = [
      (
        "sqlite3 .import",
        [
          "sqlite3", ":memory:", SalesFiles.table, ".import --csv --skip 1 \(files.csv.path) Sale",
          "SELECT count(*), sum(amount), sum(quantity) FROM Sale",
        ]
      ),
      ("csv, schema", [command, "--schema", files.schema.path, "--data", files.csv.path, "-e", query]),
      ("csv, inferred", [command, "--data", files.csv.path, "-e", query]),
      ("ndjson, schema", [command, "--schema", files.schema.path, "--data", files.ndjson.path, "-e", query]),
      ("ndjson, inferred", [command, "--data", files.ndjson.path, "-e", query]),
      ("sqlite, schema", [command, "--schema", files.schema.path, "--data", files.sqlite.path, "-e", query]),
      ("sqlite, inferred", [command, "--data", files.sqlite.path, "-e", query]),
    ]
    var measured: [[ChildProcess]] = Array(repeating: [], count: cases.count)
    for round in 0...runs {
      for (index, entry) in cases.enumerated() {
        let child = try ChildProcess(entry.arguments)
        try check(child.output, files, entry.name)
        // The first round fills the file cache.
        if round > 0 { measured[index].append(child) }
      }
    }
    report(cases.map(\.name), measured, files)
    try reportMemory(files)
  }

  /// Finds the three numbers in an answer.
  private func check(_ output: String, _ files: SalesFiles, _ name: String) throws {
    let numbers = output.split { !($0.isNumber || $0 == ".") }.compactMap { Double($0) }
    let expected = files.expected
    guard numbers.count == 3, numbers[0] == Double(expected.rows), numbers[2] == Double(expected.quantity),
      abs(numbers[1] - Double(expected.cents) / 100) < 0.01
    else { throw ChildProcess.Failure(description: "\(name) answers \(output)") }
  }

  private func report(_ names: [String], _ measured: [[ChildProcess]], _ files: SalesFiles) {
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    let size = (try? FileManager.default.attributesOfItem(atPath: files.csv.path)[.size] as? Int) ?? 0
    print("\(rows) rows, \(size / 1_000_000) MB of CSV, medians of \(runs) runs of whole processes in turn")
    print("case                wall s    cpu s  peak MB  wall / sqlite3")
    for (name, runs) in zip(names, measured) {
      let ratio = median(zip(runs, measured[0]).map { $0.seconds / $1.seconds })
      let figures = String(
        format: "%8.3f %8.3f %8.1f %15.2f", median(runs.map(\.seconds)), median(runs.map(\.processorSeconds)),
        median(runs.map { Double($0.peakBytes) / 1e6 }), ratio)
      print(name.padding(toLength: 18, withPad: " ", startingAt: 0) + figures)
    }
    func ratio(_ first: Int, _ second: Int) -> String {
      String(format: "%.2f", median(zip(measured[first], measured[second]).map { $0.seconds / $1.seconds }))
    }
    print("ndjson, inferred / with a schema: \(ratio(4, 3))")
    print("sqlite / ndjson: \(ratio(5, 3)) with a schema, \(ratio(6, 4)) inferred")
  }

  /// What a load takes beside what stays, in a process of its own for each format.
  private func reportMemory(_ files: SalesFiles) throws {
    for url in [files.csv, files.ndjson, files.sqlite] {
      let child = try ChildProcess([CommandLine.arguments[0], "--load", files.schema.path, url.path])
      print("\(url.lastPathComponent): \(child.output)", terminator: "")
    }
  }

  /// Loads a file and says how much memory is held, and how much was. The pages of this program and its libraries are in
  /// neither, those of the file are in the peak.
  static func load(schema: String, data: String) throws {
    let before = ProcessMemory.resident
    let whole = ProcessMemory.whole
    let database = try Database(schema: String(contentsOfFile: schema, encoding: .utf8))
    try database.load(path: data)
    let peak = ProcessMemory.peak
    ProcessMemory.returnFree()
    let held = ProcessMemory.resident
    withExtendedLifetime(database) {
      print(
        String(
          format: "peak %.1f MB beyond the %.1f MB before, of which %.1f MB stay: %.2f", Double(peak - whole) / 1e6,
          Double(whole) / 1e6, Double(held - before) / 1e6, Double(peak - whole) / Double(held - before)))
    }
  }
}

do {
  var arguments = Array(CommandLine.arguments.dropFirst())
  if arguments.contains("--help") {
    print(LoadingBenchmark.usage)
  } else if arguments.first == "--load", arguments.count == 3 {
    arguments.removeFirst()
    try LoadingBenchmark.load(schema: arguments[0], data: arguments[1])
  } else if arguments.first == "--write", arguments.count == 3, let rows = Int(arguments[1]) {
    let files = try SalesFiles(writing: rows, to: URL(filePath: arguments[2]))
    print(String(decoding: try JSONEncoder().encode(files.expected), as: UTF8.self))
  } else {
    try LoadingBenchmark(arguments).run()
  }
} catch {
  FileHandle.standardError.write(Data("loading: \(error)\n".utf8))
  exit(1)
}

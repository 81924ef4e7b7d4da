import Foundation
import ProcessMemory
import SocialNetwork

extension Benchmark {
  /// Loads each engine in a process of its own, from files, and compares what stays resident.
  func reportMemory() throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "gqlite-benchmark-\(getpid())").path
    try write(to: directory)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var resident: [String: Int] = [:]
    for name in options.isSQLiteOnly ? ["sqlite"] : ["gqlite", "sqlite"] {
      let child = Process()
      let pipe = Pipe()
      child.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      child.arguments = ["--child", name, "--data", directory]
      child.standardOutput = pipe
      try child.run()
      let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
      child.waitUntilExit()
      let fields = String(decoding: output, as: UTF8.self).split(separator: "\t").compactMap {
        Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
      }
      guard child.terminationStatus == 0, fields.count == 2 else { throw Failure("the \(name) child failed") }
      resident[name] = fields[0]
      if options.isJSON {
        print("{\"name\":\"memory_\(name)\",\"resident\":\(fields[0]),\"peak\":\(fields[1])}")
      } else {
        print("memory \(name): \(fields[0] >> 20) MiB resident after load, \(fields[1] >> 20) MiB peak while loading")
      }
    }
    if let engine = resident["gqlite"], let sqlite = resident["sqlite"] {
      let share = Double(engine) / Double(sqlite)
      report.note("memory: \(rounded(share)) of SQLite's, goal at most 1.5: \(share <= 1.5 ? "met" : "NOT MET")")
    }
  }

  /// The child's part of `reportMemory`: resident and peak bytes, with a tab between.
  static func runChild(_ name: String, data directory: String) throws {
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    func read(_ type: String) throws -> (type: String, bytes: [UInt8]) {
      (type, [UInt8](try Data(contentsOf: folder.appending(path: "\(type).ndjson"), options: .alwaysMapped)))
    }
    var kept: [Any] = []
    if name == "gqlite" {
      kept.append(try Engine(schema: SocialNetwork.schema, sources: ["User", "Chat", "Message"].map(read)))
    } else {
      let database = try SQLiteDatabase()
      try SQLiteLoading.load(database, ndjson: ["User", "Chat", "Message"].map(read))
      kept.append(database)
    }
    ProcessMemory.returnFree()
    print(ProcessMemory.resident, ProcessMemory.peak, separator: "\t")
    withExtendedLifetime(kept) {}
  }
}

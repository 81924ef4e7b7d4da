import Foundation
import Testing

/// Everyday tasks on files as they come: each with what a user would type, as short as it may be, at the first attempt.
///
/// `Tests/Tasks` has a command for each, and beside it what it prints.
@Suite struct TaskTests {
  struct Task: Sendable, CustomTestStringConvertible {
    let name: String
    let command: String
    /// Does the same in DuckDB, where that needs no extension; for the comparison of lengths.
    let duckdb: String?
    let expected: String
    var testDescription: String { name }
  }

  private static let files = DocumentationFile.root.appending(path: "Tests/Corpus/data/tasks")

  static let tasks: [Task] = {
    let folder = DocumentationFile.root.appending(path: "Tests/Tasks")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".sh") }.sorted().map { file in
      let name = String(file.dropLast(3))
      let text = (try? String(contentsOf: folder.appending(path: file), encoding: .utf8)) ?? ""
      let output = try? String(contentsOf: folder.appending(path: "\(name).out"), encoding: .utf8)
      let lines = text.split(separator: "\n")
      return Task(
        name: name, command: lines.filter { !$0.hasPrefix("#") }.joined(separator: "\n"),
        duckdb: lines.first { $0.hasPrefix("# duckdb: ") }.map { String($0.dropFirst(10)) },
        expected: output ?? "nothing is expected of it")
    }
  }()

  private static func data() throws -> [String: Data] {
    let folder = files
    var data: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      data[name] = try Data(contentsOf: folder.appending(path: name))
    }
    return data
  }

  @Test("a task", arguments: tasks) func task(_ task: Task) throws {
    let before = try Self.data()
    let shell = try Shell()
    defer { shell.remove() }
    #expect(try shell.run("cd Tests/Corpus/data/tasks && \(task.command)") == task.expected, "\(task.command)")
    // Files of data are never written to, nor is anything put beside them.
    #expect(try Self.data() == before)
  }

  @Test("twelve tasks, nine of them as short as in DuckDB") func lengths() {
    #expect(Self.tasks.count == 12)
    let both = Self.tasks.filter { $0.duckdb != nil }
    #expect(both.count == 9)
    let length = both.reduce(0) { $0 + $1.command.count }
    #expect(length <= 900)
    #expect(length <= both.reduce(0) { $0 + ($1.duckdb?.count ?? 0) })
  }
}

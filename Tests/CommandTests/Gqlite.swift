import Foundation
import Testing

/// The command, run as a process of its own.
enum Gqlite {
  /// Beside the test bundle; `GQLITE_BINARY` names another.
  static let binary: URL = {
    if let named = ProcessInfo.processInfo.environment["GQLITE_BINARY"] { return URL(filePath: named) }
    let folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(filePath: ".build/debug")
    return folder.appending(path: "gqlite")
  }()

  struct Result {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs with standard output and standard error in files: neither is a terminal, and neither can fill up. After
  /// `patience` seconds the process is ended.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], in folder: URL? = nil,
    patience: Double? = nil
  ) throws -> Result {
    try run(binary, arguments, input: input, environment: environment, in: folder, patience: patience)
  }

  static func run(
    _ program: URL, _ arguments: [String], input: String = "", environment: [String: String] = [:],
    in folder: URL? = nil, patience: Double? = nil
  ) throws -> Result {
    let scratch = try Scratch()
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(["CI": ""]) { $1 }.merging(environment) { $1 }
    process.currentDirectoryURL = folder ?? scratch.url
    try scratch.write("in", input)
    for name in ["out", "err"] { try scratch.write(name, "") }
    process.standardInput = try FileHandle(forReadingFrom: scratch.url.appending(path: "in"))
    process.standardOutput = try FileHandle(forWritingTo: scratch.url.appending(path: "out"))
    process.standardError = try FileHandle(forWritingTo: scratch.url.appending(path: "err"))
    try process.run()
    // Who does not end is ended, which its status tells.
    let watch = DispatchWorkItem { if process.isRunning { process.terminate() } }
    if let patience { DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: watch) }
    process.waitUntilExit()
    watch.cancel()
    return Result(
      status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
      output: try scratch.read("out"), errors: try scratch.read("err"))
  }
}

/// A folder with a schema and data, that goes with its owner.
final class Scratch {
  let url = FileManager.default.temporaryDirectory.appending(path: "gqlite-\(UUID().uuidString)")
  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  @discardableResult func write(_ name: String, _ text: String) throws -> String {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }
  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
  }
  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url.appending(path: name).path) }

  /// `people/` with a schema and three users.
  static func people() throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write(
      "people/schema.graphql",
      """
      enum Status { ACTIVE GONE }
      type User {
        id: ID!
        name: String!
        age: Int @index
        status: Status
        born: Date
        tags: [String!]!
        money: Decimal
        boss: User
      }

      """)
    try scratch.write(
      "people/User.ndjson",
      """
      {"id":1,"name":"Ann","age":30,"status":"ACTIVE","born":"1990-01-02","tags":["a","b"],"money":1.50}
      {"id":2,"name":"Bob, \\"B\\"","age":25,"status":"GONE","tags":[],"boss":1}
      {"id":3,"name":"Cid","tags":["a"]}

      """)
    return scratch
  }

  func gqlite(_ arguments: String..., input: String = "", environment: [String: String] = [:]) throws -> Gqlite.Result {
    try Gqlite.run(arguments, input: input, environment: environment, in: url)
  }
}

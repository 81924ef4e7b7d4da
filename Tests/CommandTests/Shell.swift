import Foundation

/// Runs shell commands in a folder of its own that holds links to what the repository holds, `gqlite` on the path.
struct Shell {
  private let folder: URL

  /// The binary that was built beside the tests.
  static let binary: URL? = {
    let folders = [
      URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent(), Bundle.main.bundleURL,
      DocumentationFile.root.appending(path: ".build/debug"),
    ]
    return folders.map { $0.appending(path: "gqlite") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }?.resolvingSymlinksInPath()
  }()

  struct MissingBinary: Error {}

  init() throws {
    guard let binary = Self.binary else { throw MissingBinary() }
    folder = FileManager.default.temporaryDirectory.appending(path: "gqlite-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["Examples", "Tests", "Benchmarks"] {
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: name), withDestinationURL: DocumentationFile.root.appending(path: name))
    }
    let commands = folder.appending(path: ".bin")
    try FileManager.default.createDirectory(at: commands, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: commands.appending(path: "gqlite"), withDestinationURL: binary)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func write(_ text: String, to path: String) throws {
    let url = folder.appending(path: path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: url, atomically: true, encoding: .utf8)
  }

  /// Standard output and standard error of a command, as they came.
  func run(_ command: String) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = folder.appending(path: ".bin").path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    // Examples with 'test --update' run in continuous integration, too.
    environment["CI"] = ""
    process.environment = environment
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    // CSV has lines that end at CRLF.
    return String(decoding: data, as: UTF8.self).replacing("\r\n", with: "\n")
  }
}

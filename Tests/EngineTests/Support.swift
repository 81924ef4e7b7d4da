import CSQLite3
import Foundation
import GQLDifferential
import GQLite
import Testing

/// One generator for all random tests.
typealias SeededRandom = GQLDifferential.SeededRandom

/// The first problem of what must fail.
func problem(
  of body: () throws -> Void, at location: SourceLocation = #_sourceLocation
) -> QueryError.Problem? {
  do {
    try body()
    Issue.record("nothing was wrong", sourceLocation: location)
  } catch let error as QueryError {
    #expect(!error.description.isEmpty && !error.jsonLines.isEmpty, sourceLocation: location)
    return error.problems.first
  } catch {
    Issue.record("another error: \(error)", sourceLocation: location)
  }
  return nil
}

extension DataSource {
  static func lines(_ type: String?, _ text: String) -> DataSource {
    .ndjson(type: type, bytes: Array(text.utf8), name: "data.ndjson")
  }
  static func document(_ text: String) -> DataSource { .json(bytes: Array(text.utf8), name: "data.json") }
  static func table(_ type: String, _ text: String) -> DataSource {
    .csv(type: type, bytes: Array(text.utf8), name: "data.csv")
  }
}

/// A folder that goes with its owner.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory.appending(path: "gqlite-\(UUID().uuidString)")
  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  var path: String { url.path }
  @discardableResult func write(_ name: String, _ text: String) throws -> String {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// Makes a SQLite file by SQL.
  func sqlite(_ name: String, _ sql: String) throws -> String {
    let path = url.appending(path: name).path
    var handle: OpaquePointer?
    #expect(sqlite3_open(path, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    #expect(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(String(cString: sqlite3_errmsg(handle)))")
    return path
  }
}

/// Folders of the checkout, and of the data beside it.
enum Folders {
  static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL

  /// Nil where the data is not there.
  static let shared: URL? = {
    let named = ProcessInfo.processInfo.environment["GQLITE_SHARED"].map { URL(filePath: $0) }
    let shared = named ?? repository.appending(path: "../shared").standardizedFileURL
    return FileManager.default.fileExists(atPath: shared.appending(path: "data").path) ? shared : nil
  }()
}

/// What threads found wrong.
final class Failures: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []
  var all: [String] { lock.withLock { texts } }
  func add(_ text: String) { lock.withLock { texts.append(text) } }
}

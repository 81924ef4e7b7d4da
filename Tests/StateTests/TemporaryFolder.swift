import Foundation

/// A folder that is removed with the object.
final class TemporaryFolder: Sendable {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "gqlite-state-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  deinit { try? FileManager.default.removeItem(at: url) }
}

import Foundation

/// A folder of its own, which is removed with it.
package final class Folder: Sendable {
  package let path: String
  private let disk: WatchedDisk?

  /// - Parameter syncs: Whether SQLite syncs its files there; not needed where the power stays.
  package init(syncs: Bool = true) throws {
    let made = FileManager.default.temporaryDirectory.appending(path: "gqlite-storage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    path = made.path
    disk = syncs ? nil : WatchedDisk(path)
  }

  deinit {
    disk?.forget()
    try? FileManager.default.removeItem(atPath: path)
  }

  package func file(_ name: String) -> String { path + "/" + name }
}

extension FileManager {
  /// Copies a database that is not in use, or one as a killed process would leave it.
  func copyDatabase(_ path: String, to copy: String) throws {
    for suffix in ["", "-wal", "-shm"] {
      try? removeItem(atPath: copy + suffix)
      if suffix != "-shm", fileExists(atPath: path + suffix) {
        try copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
    }
  }
}

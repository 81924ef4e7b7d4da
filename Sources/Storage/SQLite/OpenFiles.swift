import Synchronization

/// The files that connections of this process have open.
///
/// The system drops all locks that a process has on a file when the process closes any descriptor of it. So a file that
/// SQLite has open is not opened in another way, not even to look at its first bytes.
enum OpenFiles {
  private static let counts = Mutex<[FileIdentity: Int]>([:])

  static func add(_ file: FileIdentity) { counts.withLock { $0[file, default: 0] += 1 } }

  static func remove(_ file: FileIdentity) {
    counts.withLock { counts in
      let count = (counts[file] ?? 1) - 1
      counts[file] = count > 0 ? count : nil
    }
  }

  /// Calls `body`, which may open and close the file, if no connection has it open; nil otherwise.
  static func ifClosed<Output>(_ path: String, _ body: () -> Output) -> Output? {
    counts.withLock { counts in
      if let file = FileIdentity(path), counts[file] != nil { return nil }
      return body()
    }
  }
}

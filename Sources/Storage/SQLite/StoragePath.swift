#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Questions about the path of a database.
enum StoragePath {
  /// Makes an empty file that only its owner may read and write, where there is none.
  static func makeFile(_ path: String) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Returns whether nothing is at a path.
  static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) != 0 && errno == ENOENT
  }

  /// Removes a file of SQLite with what lies beside it.
  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal", "-lock"] { unlink(path + suffix) }
  }

  /// Removes the lock of a file that nobody else knows of yet.
  static func removeLock(_ path: String) { unlink(path + "-lock") }

  /// Returns the reason why a path cannot be that of a database; nil if it can.
  static func problem(of path: String, mayBeMissing: Bool) -> String? {
    if path.isEmpty || path.utf8.contains(0) { return "its path is empty, or has U+0000 in it" }
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT, mayBeMissing { return nil }
      return String(cString: strerror(errno))
    }
    if status.st_mode & S_IFMT == S_IFDIR { return "it is a folder" }
    return status.st_mode & S_IFMT == S_IFREG ? nil : "it is no regular file"
  }
}

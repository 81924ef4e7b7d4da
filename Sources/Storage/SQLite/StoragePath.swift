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

  /// Returns whether other names lead to the same file.
  static func hasSeveralNames(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_nlink > 1
  }

  /// Gives a file, which is whole, another name that nothing has. Returns false where something has it.
  static func move(_ path: String, to target: String) -> Bool {
    if !AtomicRename.move(path, toFree: target) {
      if errno == EEXIST { return false }
      // Unlike a plain rename, a link takes nothing's place; some file systems have none.
      if link(path, target) == 0 {
        unlink(path)
      } else if errno == EEXIST || !isMissing(target) || rename(path, target) != 0 {
        return false
      }
    }
    AtomicRename.syncFolder(of: target)
    return true
  }

  /// Returns the folder that a path lies in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Removes a file of SQLite with what lies beside it.
  static func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm", "-journal", "-lock"] { unlink(path + suffix) }
  }

  /// Removes what a file of SQLite that is gone has left beside it.
  static func removeLogs(_ path: String) {
    if isMissing(path) { for suffix in ["-wal", "-shm", "-journal"] { unlink(path + suffix) } }
  }

  /// Removes the lock of a file that nobody else knows of yet.
  static func removeLock(_ path: String) { unlink(path + "-lock") }

  /// Returns the path of the file itself, where a path leads to it by symbolic links.
  static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Returns a path as a URI of SQLite, with every byte escaped that could mean something else.
  static func address(_ path: String) -> String {
    // Of one that begins with a colon, ':memory:', SQLite makes no file.
    var address = path.hasPrefix("/") ? "file://" : path.hasPrefix(":") ? "file:./" : "file:"
    for byte in path.utf8 {
      switch byte {
      case 0x2D...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: address.unicodeScalars.append(Unicode.Scalar(byte))
      default: address += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return address
  }

  /// Returns whether a write-ahead log that may hold commits lies beside a file: more than its header.
  static func hasLog(_ path: String) -> Bool {
    var status = stat()
    return stat(resolved(path) + "-wal", &status) == 0 && status.st_size > 32
  }

  /// Returns the path of a log of SQLite that lies beside a path and has content: a file that came there would be read
  /// with it. Nil where there is none.
  static func leftBeside(_ path: String) -> String? {
    ["-wal", "-journal"].map { path + $0 }.first { other in
      var status = stat()
      return stat(other, &status) == 0 && status.st_size > 0
    }
  }

  /// Returns the reason why a path cannot be that of a database; nil if it can.
  static func problem(of path: String, mayBeMissing: Bool) -> String? {
    if path.isEmpty || path.utf8.contains(0) { return "its path is empty, or has U+0000 in it" }
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT, mayBeMissing else { return String(cString: strerror(errno)) }
      // The file would be made where the link leads, and its lock beside the link.
      return isMissing(path) ? nil : "it is a link that leads to nothing"
    }
    if status.st_mode & S_IFMT == S_IFDIR { return "it is a folder" }
    return status.st_mode & S_IFMT == S_IFREG ? nil : "it is no regular file"
  }
}

import GQLEngine
import GQLLoader

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder that is written as a whole: until ``commit()``, what is at its path stays as it is.
///
/// The new files lie in a folder beside it, which takes its place at the end.
final class FolderReplacement {
  private let path: String
  /// The path that is replaced, links followed.
  private let target: String
  private let temporary: String
  private var isDone = false

  /// Prepares to write a folder.
  ///
  /// - Parameter isReplaceable: Tells of the name of a file that is there whether it may be replaced.
  /// - Throws: ``QueryError`` with the system's reason, or where something is in the folder that may not be replaced.
  init(_ path: String, replacing isReplaceable: (String) -> Bool) throws(QueryError) {
    self.path = path
    guard !path.isEmpty, !path.utf8.contains(0) else { throw Self.failure(path, "the folder has no name") }
    var name = path
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    let found = FileBytes.folder(name)
    if found == nil, FileBytes.exists(name) { throw Self.failure(path, String(cString: strerror(ENOTDIR))) }
    let target = found ?? name
    self.target = target
    let slash = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
    temporary = "\(target[..<slash]).\(target[slash...].prefix(100)).\(getpid()).tmp"
    if let found {
      for entry in FileBytes.names(in: found) where !isReplaceable(entry) {
        throw Self.failure(path, "the folder holds '\(entry)'", help: "name a folder that is empty or not there")
      }
    }
    Self.remove(temporary)
    guard mkdir(temporary, 0o777) == 0 else { throw Self.failure(path) }
  }

  deinit { if !isDone { Self.remove(temporary) } }

  /// The path of a file in the folder until ``commit()``.
  func file(_ name: String) -> String { temporary + "/" + name }

  /// Puts the folder in its place.
  ///
  /// - Throws: ``QueryError`` with the system's reason; then what was at the path is there.
  func commit() throws(QueryError) {
    // An empty folder gives way by itself.
    if rename(temporary, target) == 0 {
      isDone = true
      return
    }
    guard errno == ENOTEMPTY || errno == EEXIST else { throw Self.failure(path) }
    let old = temporary + ".old"
    guard rename(target, old) == 0 else { throw Self.failure(path) }
    guard rename(temporary, target) == 0 else {
      let error = Self.failure(path)
      rename(old, target)
      throw error
    }
    isDone = true
    Self.remove(old)
  }

  /// Removes a folder of files.
  private static func remove(_ folder: String) {
    for name in FileBytes.names(in: folder) { unlink(folder + "/" + name) }
    rmdir(folder)
  }

  private static func failure(_ path: String, _ message: String? = nil, help: String? = nil) -> QueryError {
    QueryError(code: LoadProblem.unreadable.code, message ?? String(cString: strerror(errno)), help: help, file: path)
  }
}

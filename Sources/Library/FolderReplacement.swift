import GQLEngine
import GQLLoader
import GQLStorage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A folder that is written as a whole: until ``commit()``, what is at its path stays as it is.
///
/// The new files lie in a folder beside it. At the end the two change places in one step, where the file system can do
/// so, and the old one is removed. The new folder is locked while it is written.
/// So one that a process has left, because it was killed, is told from others: the next replacement of the same path
/// removes it.
final class FolderReplacement {
  private let path: String
  /// The path that is replaced, links followed.
  private let target: String
  private let temporary: String
  /// The folder beside it, open and locked.
  private let descriptor: CInt
  private var isDone = false

  /// Prepares to write a folder.
  ///
  /// - Parameter firstKept: Finds the first name in a folder that is there of what may not be replaced; nil where all of
  ///   it may be.
  /// - Throws: ``QueryError`` with the system's reason, or where something is in the folder that may not be replaced.
  init(_ path: String, keeping firstKept: (String) -> String?) throws(QueryError) {
    self.path = path
    guard !path.isEmpty, !path.utf8.contains(0) else { throw FileReplacement.failure(path, "the folder has no name") }
    var name = path
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    Self.removeRemains(of: FileBytes.folder(name) ?? name)
    let found = FileBytes.folder(name)
    if found == nil, FileBytes.exists(name) { throw FileReplacement.failure(path, String(cString: strerror(ENOTDIR))) }
    let target = found ?? name
    self.target = target
    let (parent, stem) = Self.beside(target)
    temporary = "\(parent)\(stem)\(getpid()).tmp"
    if let found, let entry = firstKept(found) {
      throw FileReplacement.failure(
        path, "the folder holds '\(entry)'", help: "name a folder that is empty or not there")
    }
    Self.remove(temporary)
    guard mkdir(temporary, 0o777) == 0 else { throw FileReplacement.failure(path) }
    descriptor = open(temporary, O_RDONLY | O_CLOEXEC)
    // Where the file system has no locks, nothing is known of what is left, and nothing is removed.
    if descriptor >= 0 { flock(descriptor, LOCK_EX | LOCK_NB) }
  }

  deinit {
    if !isDone { Self.remove(temporary) }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Prepares to write a file of the folder, which has its final name in messages.
  func file(_ name: String) throws(QueryError) -> FileReplacement {
    try FileReplacement(temporary + "/" + name, shownAs: path.hasSuffix("/") ? path + name : path + "/" + name)
  }

  /// Puts the folder in its place.
  ///
  /// - Throws: ``QueryError`` with the system's reason; then what was at the path is there.
  func commit() throws(QueryError) {
    // An empty folder gives way by itself.
    if rename(temporary, target) == 0 {
      isDone = true
      AtomicRename.syncFolder(of: target)
      return
    }
    guard errno == ENOTEMPTY || errno == EEXIST else { throw FileReplacement.failure(path) }
    if AtomicRename.exchange(temporary, target) {
      isDone = true
      // Not before the new one is there for good.
      AtomicRename.syncFolder(of: target)
      Self.remove(temporary)
      return
    }
    // In two steps: between them, the folder has another name only.
    let old = temporary + ".old"
    guard rename(target, old) == 0 else { throw FileReplacement.failure(path) }
    guard rename(temporary, target) == 0 else {
      let error = FileReplacement.failure(path)
      rename(old, target)
      throw error
    }
    isDone = true
    AtomicRename.syncFolder(of: target)
    Self.remove(old)
  }

  // MARK: - Remains

  /// Returns the path of the folder around a folder, with a slash, and how the names of its replacements begin.
  private static func beside(_ target: String) -> (parent: String, stem: String) {
    let slash = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
    return (String(target[..<slash]), ".\(target[slash...].prefix(100)).")
  }

  /// Removes what replacements that were killed have left beside a folder. If one was killed between the two steps of its
  /// end, the folder is there under another name only, and gets its own back.
  private static func removeRemains(of target: String) {
    let (parent, stem) = beside(target)
    for name in FileBytes.names(in: parent.isEmpty ? "." : parent) where name.hasPrefix(stem) {
      let isOld = name.hasSuffix(".tmp.old")
      guard isOld || name.hasSuffix(".tmp") else { continue }
      let number = name.dropFirst(stem.count).dropLast(isOld ? 8 : 4)
      guard !number.isEmpty, number.allSatisfy(\.isNumber) else { continue }
      let folder = parent + stem + number + ".tmp"
      if isInUse(folder) { continue }
      let isWhole = target.count - parent.count <= 100
      // Of a name that is cut short nobody knows whose it is.
      if isOld, !isWhole { continue }
      if isOld, !FileBytes.exists(target), rename(parent + name, target) == 0 { continue }
      remove(parent + name)
    }
  }

  /// Returns whether a process writes a folder now.
  private static func isInUse(_ folder: String) -> Bool {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    // Where it is not there, or is no folder of ours, there is nothing to keep.
    guard descriptor >= 0 else { return errno != ENOENT }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0
  }

  /// Removes a folder of files.
  private static func remove(_ folder: String) {
    for name in FileBytes.names(in: folder) { unlink(folder + "/" + name) }
    rmdir(folder)
  }
}

import GQLLoader

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file as the system knows it, whatever name leads to it. It need not be there.
package struct FilePlace {
  /// The path of the file itself, links followed.
  package let path: String
  /// What the system calls the file; nil where it is not there.
  private let number: Number?

  private struct Number: Equatable {
    let device: UInt64
    let inode: UInt64
  }

  /// Finds a file; nil where a path leads to anything else, or into a folder that is not there.
  package init?(_ path: String) {
    guard !path.utf8.contains(0), let target = FileReplacement.linked(path) else { return nil }
    let slash = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
    let name = target[slash...]
    guard !name.isEmpty, let folder = MappedFile.resolved(slash == target.startIndex ? "." : String(target[..<slash]))
    else { return nil }
    self.path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
    var status = stat()
    guard stat(path, &status) == 0 else {
      number = nil
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    number = Number(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
  }

  /// Returns whether writing to one file changes the other.
  package func isSame(as other: FilePlace) -> Bool {
    if let number, let same = other.number { return number == same }
    return number == nil && other.number == nil && path == other.path
  }
}

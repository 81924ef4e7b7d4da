import GQLLoader
import GQLStorage

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
  private let identity: FileIdentity?

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
      identity = nil
      return
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    identity = FileIdentity(status)
  }

  /// Returns whether writing to one file changes the other.
  package func isSame(as other: FilePlace) -> Bool {
    if let identity, let same = other.identity { return identity == same }
    return identity == nil && other.identity == nil && path == other.path
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A name of a file that stays when the file is renamed.
package struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  /// Nil where nothing is at the path, or where it is empty.
  init?(ofContentAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
    self.init(status)
  }

  /// Nil where nothing is at the path.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// Nil where the descriptor is none of an open file.
  init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  package init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
  }
}

import GQLBase
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

/// A file that is written as a whole: until ``commit()``, the old one stays as it is.
///
/// The new bytes lie in a file beside the old one, which takes its place at the end, when the disk has them. Where the
/// path is a link, the file that it leads to is replaced. Devices, FIFOs and the process's streams cannot be replaced:
/// what is written goes into them at once.
package final class FileReplacement {
  /// The path in messages.
  private let name: String
  /// The path that is replaced, links followed.
  private let target: String
  /// The file beside it; nil where bytes go to a device or FIFO at once.
  private let temporary: String?
  private var descriptor: CInt

  /// Prepares to write a file.
  ///
  /// - Parameter name: The name of the file in messages, if it is not the path.
  /// - Throws: ``QueryError`` with the system's reason where it cannot be written.
  package init(_ path: String, shownAs name: String? = nil) throws(QueryError) {
    let name = name ?? path
    self.name = name
    guard !path.utf8.contains(0) else { throw Self.failure(name, "a name with U+0000 in it") }
    if let stream = MappedFile.stream(named: path) {
      target = path
      temporary = nil
      descriptor = dup(stream)
      guard descriptor >= 0 else { throw Self.failure(name) }
      return
    }
    var status = stat()
    let isThere = stat(path, &status) == 0
    let kind = status.st_mode & S_IFMT
    if isThere, kind == S_IFDIR { throw Self.failure(name, String(cString: strerror(EISDIR))) }
    if isThere, kind != S_IFREG {
      target = path
      temporary = nil
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.failure(name) }
      return
    }
    // A file that must not be written must not be replaced either.
    if isThere, access(path, W_OK) != 0 { throw Self.failure(name) }
    guard let target = Self.linked(path) else { throw Self.failure(name, String(cString: strerror(ELOOP))) }
    self.target = target
    let slash = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
    let temporary = "\(target[..<slash]).\(target[slash...].prefix(100)).\(getpid()).tmp"
    unlink(temporary)
    self.temporary = temporary
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, isThere ? 0o600 : 0o666)
    guard descriptor >= 0 else { throw Self.failure(name) }
    if isThere { fchmod(descriptor, status.st_mode & 0o7777) }
  }

  /// Follows links by their names, so that a link to what is not there yet leads there; nil where they go round.
  static func linked(_ path: String) -> String? {
    var path = path
    for _ in 0..<40 {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
      let count = readlink(path, &buffer, buffer.count - 1)
      guard count > 0 else { return path }
      let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if link.hasPrefix("/") {
        path = link
      } else {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        path = folder + link
      }
    }
    return nil
  }

  deinit { discard() }

  /// Writes bytes behind those written before.
  ///
  /// - Throws: ``QueryError`` with the system's reason; then nothing is to be committed.
  package func write(_ bytes: [UInt8]) throws(QueryError) {
    var start = 0
    while start < bytes.count {
      let written = bytes.withUnsafeBytes { buffer in
        // Safe because `start` is below the count, so the buffer is not empty.
        posixWrite(descriptor, buffer.baseAddress.unsafelyUnwrapped + start, buffer.count - start)
      }
      if written >= 0 {
        start += written
      } else if errno != EINTR, errno != EAGAIN {
        throw Self.failure(name)
      }
    }
  }

  /// Puts what was written in the place of the old file.
  ///
  /// - Throws: ``QueryError`` with the system's reason; then the old file is there.
  package func commit() throws(QueryError) {
    let isKept = temporary == nil || Self.isSynced(descriptor)
    // The reason of a sync that fails is the one to be told.
    let reason = errno
    let isClosed = close(descriptor) == 0
    descriptor = -1
    guard let temporary else { return }
    if !isKept { errno = reason }
    guard isKept, isClosed, rename(temporary, target) == 0 else {
      let error = Self.failure(name)
      unlink(temporary)
      throw error
    }
    AtomicRename.syncFolder(of: target)
  }

  /// Returns whether the disk has all of a file; true where its file system cannot say so.
  private static func isSynced(_ descriptor: CInt) -> Bool {
    while fsync(descriptor) != 0 {
      if errno == EINTR { continue }
      return errno == EINVAL || errno == ENOTSUP
    }
    return true
  }

  /// Forgets what was written; the old file stays.
  package func discard() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    if let temporary { unlink(temporary) }
  }

  /// Returns the error of a file or folder that cannot be written, with the system's reason if no other is given.
  static func failure(_ name: String, _ message: String? = nil, help: String? = nil) -> QueryError {
    let isFull = message == nil && (errno == ENOSPC || errno == EDQUOT)
    let code: DiagnosticCode = isFull ? "storage-full" : LoadProblem.unreadable.code
    return QueryError(code: code, message ?? String(cString: strerror(errno)), help: help, file: name)
  }
}

private func posixWrite(_ descriptor: CInt, _ start: UnsafeRawPointer, _ count: Int) -> Int {
  write(descriptor, start, count)
}

import Foundation
import GQLBase
import GQLEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Keeps others from writing to a database, for as long as it lives: the lock on a file beside it, which says who holds
/// it. The system takes it back when the process ends, however it ends.
final class FileLock {
  private let descriptor: Int32
  private let owner = getpid()

  /// Beside the file itself, so that each way to it meets the same lock.
  private static func place(_ path: String) -> String { StoragePath.resolved(path) + "-lock" }

  /// Returns whether somebody writes to a database, as far as can be seen.
  static func isHeld(_ path: String) -> Bool {
    let opened = open(place(path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard opened >= 0 else { return ![ENOENT, EACCES, EPERM].contains(errno) }
    defer { close(opened) }
    return flock(opened, LOCK_SH | LOCK_NB) != 0
  }

  init(_ path: String) throws(QueryError) {
    let opened = open(Self.place(path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard opened >= 0 else {
      let message = String(cString: strerror(errno))
      if errno == EACCES || errno == EROFS || errno == EPERM { throw StorageProblem.readOnly(message).error(path) }
      throw StorageProblem.unusable(message).error(path)
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = pread(opened, &buffer, buffer.count, 0)
      close(opened)
      let holder = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      throw StorageProblem.busy(holder: holder.trimmingCharacters(in: .whitespacesAndNewlines)).error(path)
    }
    descriptor = opened
    let text = "process \(getpid()) on \(ProcessInfo.processInfo.hostName)\n"
    _ = ftruncate(opened, 0)
    _ = text.utf8CString.withUnsafeBytes { pwrite(opened, $0.baseAddress, $0.count - 1, 0) }
  }

  deinit {
    // Closing alone would leave the lock to a process that is being started at this moment, until it runs.
    // A fork has the lock of its parent, and leaves it.
    if getpid() == owner { flock(descriptor, LOCK_UN) }
    close(descriptor)
  }
}

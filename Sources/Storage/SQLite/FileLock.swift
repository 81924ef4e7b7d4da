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
  private let path: String
  private let owner = getpid()
  /// Indicates whether the file was not there before.
  let isNew: Bool

  /// Beside the file itself, so that each way to it meets the same lock.
  private static func place(_ path: String) -> String { StoragePath.resolved(path) + "-lock" }

  /// Returns whether somebody writes to a database, as far as can be seen.
  static func isHeld(_ path: String) -> Bool {
    let opened = open(place(path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard opened >= 0 else { return ![ENOENT, EACCES, EPERM].contains(errno) }
    defer { close(opened) }
    return flock(opened, LOCK_SH | LOCK_NB) != 0
  }

  /// Opens the file, and makes it where it is not there.
  private static func opened(_ place: String) -> (descriptor: Int32, isNew: Bool) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let made = open(place, flags | O_EXCL, 0o600)
    if made >= 0 || errno != EEXIST { return (made, made >= 0) }
    return (open(place, flags, 0o600), false)
  }

  init(_ path: String) throws(QueryError) {
    self.path = Self.place(path)
    var (opened, isNew) = Self.opened(self.path)
    var isLocked = opened >= 0 && flock(opened, LOCK_EX | LOCK_NB) == 0
    // One that was removed after it was opened is not the lock that the next one meets. Where a file system gives files
    // other numbers each time, it is taken as it is.
    var tries = 0
    while isLocked, tries < 100, FileIdentity(descriptor: opened) != FileIdentity(self.path) {
      tries += 1
      close(opened)
      (opened, isNew) = Self.opened(self.path)
      isLocked = opened >= 0 && flock(opened, LOCK_EX | LOCK_NB) == 0
    }
    guard opened >= 0 else {
      let reason = errno
      let message = "its lock '\(self.path)' cannot be opened: \(String(cString: strerror(reason)))"
      if [EACCES, EROFS, EPERM].contains(reason) { throw StorageProblem.readOnly(message).error(path) }
      throw StorageProblem.unusable(message).error(path)
    }
    guard isLocked else {
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = pread(opened, &buffer, buffer.count, 0)
      close(opened)
      let holder = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      throw StorageProblem.busy(holder: holder.trimmingCharacters(in: .whitespacesAndNewlines)).error(path)
    }
    descriptor = opened
    self.isNew = isNew
    let text = "process \(getpid()) on \(ProcessInfo.processInfo.hostName)\n"
    _ = ftruncate(opened, 0)
    _ = text.utf8CString.withUnsafeBytes { pwrite(opened, $0.baseAddress, $0.count - 1, 0) }
  }

  /// Removes the file, where it is of no use to anybody.
  func removeFile() { unlink(path) }

  deinit {
    // Closing alone would leave the lock to a process that is being started at this moment, until it runs.
    // A fork has the lock of its parent, and leaves it.
    if getpid() == owner { flock(descriptor, LOCK_UN) }
    close(descriptor)
  }
}

import CSQLite3
import Foundation
import Synchronization

/// A folder whose files SQLite reaches through a file system that notes what is written, and that fails when told to.
///
/// The file system is SQLite's usual one, and hands on all that is not in a watched folder.
package final class WatchedDisk: @unchecked Sendable {
  package enum Kind: String, CaseIterable { case read, write, sync, truncate, open, delete }

  /// What was done to a file, in its order.
  package enum Event {
    case write(file: String, offset: Int, bytes: [UInt8])
    case truncate(file: String, size: Int)
    case sync(file: String)
    case delete(file: String)
    /// A commit was acknowledged.
    case acknowledged(Int64)
  }

  package let folder: String
  private let lock = NSLock()
  package private(set) var events: [Event] = []
  package var records = false
  /// Calls so far, and the one that fails.
  package private(set) var calls = 0
  package private(set) var failures = 0
  package private(set) var lastFailure = ""
  private var failing: (call: Int, isFull: Bool, isLasting: Bool)?

  /// Whether SQLite can neither open nor make the files beside a database, as in a folder that is read-only.
  package var lacksFilesBeside: Bool {
    get { lock.withLock { isReadOnly } }
    set { lock.withLock { isReadOnly = newValue } }
  }
  private var isReadOnly = false

  /// Whether the file that processes share cannot be made as large as it is to be, as on a full disk.
  package var lacksRoomBeside: Bool {
    get { lock.withLock { isWithoutRoom } }
    set { lock.withLock { isWithoutRoom = newValue } }
  }
  private var isWithoutRoom = false

  private static let disks = Mutex<[String: WatchedDisk]>([:])

  package init(_ folder: String) {
    self.folder = folder
    _ = WatchedFiles.isRegistered
    Self.disks.withLock { $0[folder] = self }
  }

  /// Hands on again all that is done to the folder.
  package func forget() { Self.disks.withLock { $0[folder] = nil } }

  static func disk(of path: String) -> WatchedDisk? {
    disks.withLock { disks in disks.first { path.hasPrefix($0.key + "/") }?.value }
  }

  /// Lets a call fail, the first one being 0, with those after it if it is lasting.
  package func fail(at call: Int, isFull: Bool, isLasting: Bool) {
    lock.withLock {
      calls = 0
      failures = 0
      failing = (call, isFull, isLasting)
    }
  }

  package func recover() {
    lock.withLock {
      failing = nil
      calls = 0
      failures = 0
    }
  }

  /// Whether a call fails now.
  func fails(_ kind: Kind) -> Bool {
    lock.withLock {
      guard let failing else {
        calls += 1
        return false
      }
      if failing.isFull, kind != .write { return false }
      defer { calls += 1 }
      guard calls == failing.call || (failing.isLasting && calls > failing.call) else { return false }
      failures += 1
      lastFailure = kind.rawValue
      return true
    }
  }

  /// Whether a write fails because there is no room.
  var isFull: Bool { lock.withLock { failing?.isFull ?? false } }

  package func note(_ event: @autoclosure () -> Event) {
    lock.withLock { if records { events.append(event()) } }
  }

  package func forgetEvents() { lock.withLock { events.removeAll() } }
}

/// An open file: what SQLite sees, the disk that it is on, and behind it the file of the usual file system.
private struct WatchedFile {
  var base: sqlite3_file
  var disk: Unmanaged<WatchedDisk>
  var name: Unmanaged<NSString>

  /// Where the file of the usual file system begins.
  static let size = 64

  static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> (WatchedDisk, String) {
    // Safe because SQLite gives what was opened here.
    let watched = UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: WatchedFile.self)
    return (watched.pointee.disk.takeUnretainedValue(), watched.pointee.name.takeUnretainedValue() as String)
  }

  static func inner(_ file: UnsafeMutablePointer<sqlite3_file>?) -> UnsafeMutablePointer<sqlite3_file> {
    (UnsafeMutableRawPointer(file.unsafelyUnwrapped) + size).assumingMemoryBound(to: sqlite3_file.self)
  }

  static func methods(_ file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_io_methods {
    inner(file).pointee.pMethods.pointee
  }
}

/// The extended result code of a call that fails: the macros of SQLite are not imported.
private func failure(_ kind: Int32) -> Int32 { SQLITE_IOERR | kind << 8 }

/// The file system.
private enum WatchedFiles {
  nonisolated(unsafe) static let usual = sqlite3_vfs_find(nil).unsafelyUnwrapped
  nonisolated(unsafe) static let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
  nonisolated(unsafe) static let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)

  static let isRegistered: Bool = {
    sqlite3_initialize()
    methods.initialize(to: fileMethods)
    var made = usual.pointee
    made.pNext = nil
    made.szOsFile += Int32(WatchedFile.size)
    made.zName = UnsafePointer(strdup("watched"))
    made.xOpen = { _, name, file, flags, outFlags in open(name, file, flags, outFlags) }
    made.xDelete = { _, name, syncs in
      guard let name, let disk = WatchedDisk.disk(of: String(cString: name)) else {
        return usual.pointee.xDelete(usual, name, syncs)
      }
      if disk.fails(.delete) { return failure(10) }
      disk.note(.delete(file: URL(filePath: String(cString: name)).lastPathComponent))
      return usual.pointee.xDelete(usual, name, syncs)
    }
    made.xAccess = { usual.pointee.xAccess(usual, $1, $2, $3) }
    made.xFullPathname = { usual.pointee.xFullPathname(usual, $1, $2, $3) }
    made.xDlOpen = { usual.pointee.xDlOpen(usual, $1) }
    made.xDlError = { usual.pointee.xDlError(usual, $1, $2) }
    made.xDlSym = { usual.pointee.xDlSym(usual, $1, $2) }
    made.xDlClose = { usual.pointee.xDlClose(usual, $1) }
    made.xRandomness = { usual.pointee.xRandomness(usual, $1, $2) }
    made.xSleep = { usual.pointee.xSleep(usual, $1) }
    made.xCurrentTime = { usual.pointee.xCurrentTime(usual, $1) }
    made.xGetLastError = { usual.pointee.xGetLastError(usual, $1, $2) }
    made.xCurrentTimeInt64 = { usual.pointee.xCurrentTimeInt64(usual, $1) }
    made.xSetSystemCall = { usual.pointee.xSetSystemCall(usual, $1, $2) }
    made.xGetSystemCall = { usual.pointee.xGetSystemCall(usual, $1) }
    made.xNextSystemCall = { usual.pointee.xNextSystemCall(usual, $1) }
    system.initialize(to: made)
    return sqlite3_vfs_register(system, 1) == SQLITE_OK
  }()

  private static func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let name, let file, let disk = WatchedDisk.disk(of: String(cString: name)) else {
      return usual.pointee.xOpen(usual, name, file, flags, outFlags)
    }
    file.pointee.pMethods = nil
    if disk.lacksFilesBeside, flags & SQLITE_OPEN_WAL != 0 { return SQLITE_CANTOPEN }
    if disk.fails(.open) { return SQLITE_CANTOPEN }
    let inner = WatchedFile.inner(file)
    inner.pointee.pMethods = nil
    let status = usual.pointee.xOpen(usual, name, inner, flags, outFlags)
    guard status == SQLITE_OK, inner.pointee.pMethods != nil else { return status }
    let last = URL(filePath: String(cString: name)).lastPathComponent as NSString
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: WatchedFile.self).initialize(
      to: WatchedFile(
        base: sqlite3_file(pMethods: methods), disk: .passRetained(disk), name: .passRetained(last)))
    return status
  }

  private static var fileMethods: sqlite3_io_methods {
    var made = sqlite3_io_methods()
    // Without memory-mapped files, whose writes nobody would see.
    made.iVersion = 2
    made.xClose = { file in
      let status = WatchedFile.methods(file).xClose(WatchedFile.inner(file))
      let watched = UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: WatchedFile.self)
      watched.pointee.disk.release()
      watched.pointee.name.release()
      return status
    }
    made.xRead = { file, bytes, count, offset in
      if WatchedFile.of(file).0.fails(.read) { return failure(1) }
      return WatchedFile.methods(file).xRead(WatchedFile.inner(file), bytes, count, offset)
    }
    made.xWrite = { file, bytes, count, offset in
      let (disk, name) = WatchedFile.of(file)
      if disk.fails(.write) { return disk.isFull ? SQLITE_FULL : failure(3) }
      disk.note(
        .write(
          file: name, offset: Int(offset), bytes: Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))))
      return WatchedFile.methods(file).xWrite(WatchedFile.inner(file), bytes, count, offset)
    }
    made.xTruncate = { file, size in
      let (disk, name) = WatchedFile.of(file)
      if disk.fails(.truncate) { return failure(6) }
      disk.note(.truncate(file: name, size: Int(size)))
      return WatchedFile.methods(file).xTruncate(WatchedFile.inner(file), size)
    }
    made.xSync = { file, flags in
      let (disk, name) = WatchedFile.of(file)
      if disk.fails(.sync) { return failure(4) }
      disk.note(.sync(file: name))
      // What is checked is what was asked for; the disk need not do it.
      return SQLITE_OK
    }
    made.xFileSize = { WatchedFile.methods($0).xFileSize(WatchedFile.inner($0), $1) }
    made.xLock = { WatchedFile.methods($0).xLock(WatchedFile.inner($0), $1) }
    made.xUnlock = { WatchedFile.methods($0).xUnlock(WatchedFile.inner($0), $1) }
    made.xCheckReservedLock = { WatchedFile.methods($0).xCheckReservedLock(WatchedFile.inner($0), $1) }
    made.xFileControl = { WatchedFile.methods($0).xFileControl(WatchedFile.inner($0), $1, $2) }
    made.xSectorSize = { WatchedFile.methods($0).xSectorSize(WatchedFile.inner($0)) }
    made.xDeviceCharacteristics = { WatchedFile.methods($0).xDeviceCharacteristics(WatchedFile.inner($0)) }
    made.xShmMap = {
      if WatchedFile.of($0).0.lacksFilesBeside { return SQLITE_CANTOPEN }
      if WatchedFile.of($0).0.lacksRoomBeside { return failure(19) }
      return WatchedFile.methods($0).xShmMap(WatchedFile.inner($0), $1, $2, $3, $4)
    }
    made.xShmLock = { WatchedFile.methods($0).xShmLock(WatchedFile.inner($0), $1, $2, $3) }
    made.xShmBarrier = { WatchedFile.methods($0).xShmBarrier(WatchedFile.inner($0)) }
    made.xShmUnmap = { WatchedFile.methods($0).xShmUnmap(WatchedFile.inner($0), $1) }
    return made
  }
}

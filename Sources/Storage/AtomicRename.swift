#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Renames of one step that more than a plain one can do, where the system and the file system know them.
package enum AtomicRename {
  /// Lets two paths change what they name. Returns false where that cannot be done, and nothing has changed.
  package static func exchange(_ path: String, _ other: String) -> Bool {
    #if canImport(Darwin)
      return renamex_np(path, other, UInt32(RENAME_SWAP)) == 0
    #else
      return rename(path, other, 2) == 0
    #endif
  }

  /// Gives a file a name that nothing has. Returns false where that cannot be done, with the reason in `errno`, which is
  /// `EEXIST` where something has the name.
  static func move(_ path: String, toFree target: String) -> Bool {
    #if canImport(Darwin)
      return renamex_np(path, target, UInt32(RENAME_EXCL)) == 0
    #else
      return rename(path, target, 1) == 0
    #endif
  }

  /// Lets the disk have the names in the folder around a path. Where that fails, a loss of power may bring back the old
  /// ones, and what they stood for.
  package static func syncFolder(of path: String) {
    let descriptor = open(StoragePath.folder(of: path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  #if !canImport(Darwin)
    private typealias Rename =
      @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt) -> CInt

    /// Renames with flags of Linux, which the headers have for programs of GNU only.
    private static func rename(_ path: String, _ target: String, _ flags: CUnsignedInt) -> CInt {
      guard let symbol = dlsym(nil, "renameat2") else {
        errno = ENOSYS
        return -1
      }
      // Safe because the function has had this form since it is there.
      return unsafeBitCast(symbol, to: Rename.self)(AT_FDCWD, path, AT_FDCWD, target, flags)
    }
  #endif
}

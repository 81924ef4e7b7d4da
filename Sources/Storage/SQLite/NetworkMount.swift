import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file systems that several machines share. They have neither the shared memory that SQLite's write-ahead log
/// needs nor locks that hold.
enum NetworkMount {
  private static let types: Set<String> = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "afpfs", "coda", "ceph", "lustre", "glusterfs", "davfs", "webdav",
    "fuse.sshfs", "fuse.glusterfs", "fuse.ceph", "fuse.rclone", "fuse.s3fs",
  ]

  /// Returns the name of the file system that a path is on, if it is one of a network; nil if it is none, or none that
  /// is known.
  ///
  /// - Parameter mounts: The lines of Linux's `/proc/self/mountinfo`; nil for the system's own.
  static func name(of path: String, mounts: String? = nil) -> String? {
    // A file that is not there yet will be where its folder is.
    let place = StoragePath.isMissing(path) ? StoragePath.folder(of: path) : path
    #if os(Linux) || os(Android)
      var status = stat()
      guard stat(place, &status) == 0,
        let lines = mounts ?? (try? String(contentsOfFile: "/proc/self/mountinfo", encoding: .utf8))
      else { return nil }
      return name(ofDevice: UInt64(status.st_dev), in: lines)
    #else
      var system = statfs()
      guard statfs(place, &system) == 0, system.f_flags & UInt32(MNT_LOCAL) == 0 else { return nil }
      return withUnsafeBytes(of: system.f_fstypename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    #endif
  }

  /// Each line has the device as its third word, and the type after a dash.
  private static func name(ofDevice device: UInt64, in lines: String) -> String? {
    let numbers = "\(major(device)):\(minor(device))"
    for line in lines.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 6, words[2] == numbers, let dash = words[6...].firstIndex(of: "-"), dash + 1 < words.count,
        types.contains(String(words[dash + 1]))
      else { continue }
      return String(words[dash + 1])
    }
    return nil
  }

  /// The parts of a device's number, as Linux has them.
  static func major(_ device: UInt64) -> UInt64 { (device >> 8) & 0xFFF | (device >> 32) & 0xFFFF_F000 }
  static func minor(_ device: UInt64) -> UInt64 { device & 0xFF | (device >> 12) & 0xFFFF_FF00 }
}

import Foundation

/// The first bytes of a database file.
enum DatabaseHeader {
  /// Whether a file begins as one of SQLite does, and says that it is ours.
  static func isDatabase(_ path: String) -> Bool {
    guard FileLock.problem(of: path, mayBeMissing: false) == nil, let file = FileHandle(forReadingAtPath: path) else {
      return false
    }
    defer { try? file.close() }
    guard let start = try? file.read(upToCount: 72), start.count == 72 else { return false }
    let bytes = [UInt8](start)
    // The application's number lies at offset 68, the highest byte first.
    return bytes.starts(with: "SQLite format 3\0".utf8) && Array(bytes[68...]) == [0x47, 0x51, 0x4C, 0x64]
  }
}

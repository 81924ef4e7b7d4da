import Foundation

/// The first bytes of a database file.
enum DatabaseHeader {
  private static let signature = Array("SQLite format 3\0".utf8)
  /// The application's number at offset 68, the highest byte first.
  private static let application: [UInt8] = [0x47, 0x51, 0x4C, 0x64]

  private static func start(_ path: String) -> [UInt8] {
    guard FileLock.problem(of: path, mayBeMissing: false) == nil, let file = FileHandle(forReadingAtPath: path) else {
      return []
    }
    defer { try? file.close() }
    return (try? file.read(upToCount: 72)).map { [UInt8]($0) } ?? []
  }

  /// Whether a file begins as one of SQLite does, and says that it is ours.
  static func isDatabase(_ path: String) -> Bool {
    let bytes = start(path)
    return bytes.count == 72 && bytes.starts(with: signature) && Array(bytes[68...]) == application
  }

  /// Whether a file holds something that no file of SQLite begins with. Of one of SQLite that is not known here: what
  /// the loss of power has left of a file that was being made may be empty, and not say whose it is.
  static func isForeign(_ path: String) -> Bool {
    let bytes = start(path)
    return !bytes.isEmpty && !bytes.starts(with: signature)
  }
}

import Foundation

/// The first bytes of a database file.
enum DatabaseHeader {
  private static let signature = Array("SQLite format 3\0".utf8)
  /// The application's number at offset 68, the highest byte first.
  private static let application: [UInt8] = [0x47, 0x51, 0x4C, 0x64]

  /// Nil where this process has the file open as a database.
  private static func start(_ path: String) -> [UInt8]? {
    if StoragePath.problem(of: path, mayBeMissing: false) != nil { return [] }
    return OpenFiles.ifClosed(path) {
      guard let file = FileHandle(forReadingAtPath: path) else { return [] }
      defer { try? file.close() }
      return (try? file.read(upToCount: 72)).map { [UInt8]($0) } ?? []
    }
  }

  /// Returns whether a file begins as one of SQLite does, and has the application's number.
  static func isDatabase(_ path: String) -> Bool {
    guard let bytes = start(path) else { return true }
    return bytes.count == 72 && bytes.starts(with: signature) && Array(bytes[68...]) == application
  }

  /// Returns whether a file holds something that no file of SQLite begins with.
  ///
  /// One of SQLite without our number is not refused here, nor one that begins with zeros: a loss of power may leave
  /// them of a file in the making, with a journal that leads back to an empty one.
  static func isForeign(_ path: String) -> Bool {
    guard let bytes = start(path) else { return false }
    return !bytes.starts(with: signature) && bytes.prefix(signature.count).contains { $0 != 0 }
  }
}

import GQLBase
import GQLEngine
import GQLStore

/// The bytes of a change set, with their CRC-32C at the end, the lowest byte first.
enum CheckedChanges {
  static func bytes(_ changes: ChangeSet) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(changes.bytes.count + 4)
    bytes += changes.bytes
    bytes.append(sum: bytes.withUnsafeBytes { CRC32C.checksum($0) })
    return bytes
  }

  /// Returns the change set; nil where the sum is wrong.
  static func changes(_ bytes: UnsafeRawBufferPointer) -> ChangeSet? {
    guard bytes.count >= 4 else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    return bytes.sum(at: bytes.count - 4) == CRC32C.checksum(body) ? ChangeSet(bytes: ContiguousArray(body)) : nil
  }
}

/// A record of a log: the origin of a commit, if it has one, its change set, the sum of the record before it, and its own
/// sum.
///
/// Records are a chain, so that one of another copy of the file, or of another time, does not fit. The sum is the
/// CRC-32C of the commit's version and time, the origin, the change set, and the sum before. An origin begins with a
/// byte 0, with which no change set does, and the length of its UTF-8 in four bytes.
package struct LogRecord {
  let changes: ChangeSet
  /// A name of who has made the commit; nil where none was given.
  let origin: String?
  /// The sum of the record before; nil in a file of a format whose records are no chain.
  let before: UInt32?
  let sum: UInt32

  /// Returns a commit's record, and its sum.
  package static func bytes(_ commit: Commit, after before: UInt32) -> (bytes: [UInt8], sum: UInt32) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(commit.changes.bytes.count + 8)
    if let origin = commit.origin { bytes += head(origin) }
    bytes += commit.changes.bytes
    bytes.append(sum: before)
    let sum = bytes.withUnsafeBytes { Self.sum(of: $0, commit.version, commit.time) }
    bytes.append(sum: sum)
    return (bytes, sum)
  }

  /// Returns the sum that a commit's record has, or would have.
  static func sum(_ commit: Commit, after before: UInt32) -> UInt32 {
    let head = commit.origin.map(head) ?? []
    let first = head.withUnsafeBytes { Self.sum(of: $0, commit.version, commit.time) }
    let sum = commit.changes.bytes.withUnsafeBytes { CRC32C.checksum($0, after: first) }
    return withUnsafeBytes(of: before.littleEndian) { CRC32C.checksum($0, after: sum) }
  }

  /// The bytes of an origin before the change set.
  private static func head(_ origin: String) -> [UInt8] {
    var bytes: [UInt8] = [0]
    bytes.append(sum: UInt32(truncatingIfNeeded: origin.utf8.count))
    bytes += origin.utf8
    return bytes
  }

  /// Returns the sum of all that is written anew, in the place of a record.
  package static func sum(schema: String, version: Int64, time: Int64, after before: UInt32) -> UInt32 {
    let sum = Array(schema.utf8).withUnsafeBytes { Self.sum(of: $0, version, time) }
    return withUnsafeBytes(of: before.littleEndian) { CRC32C.checksum($0, after: sum) }
  }

  /// Returns the sum that a record ends with; 0 where it is none.
  static func sum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { $0.count < 4 ? 0 : $0.sum(at: $0.count - 4) }
  }

  private static func sum(of body: UnsafeRawBufferPointer, _ version: Int64, _ time: Int64) -> UInt32 {
    let head = withUnsafeBytes(of: (version.littleEndian, time.littleEndian)) { CRC32C.checksum($0) }
    return CRC32C.checksum(body, after: head)
  }

  /// Nil where the record's sum is wrong.
  init?(_ bytes: UnsafeRawBufferPointer, version: Int64, time: Int64) {
    guard bytes.count >= 8 else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    sum = bytes.sum(at: bytes.count - 4)
    before = bytes.sum(at: bytes.count - 8)
    guard Self.sum(of: body, version, time) == sum else { return nil }
    var start = 0
    if body.count >= 9, body[0] == 0 {
      let count = Int(body.sum(at: 1))
      guard count <= body.count - 9 else { return nil }
      start = 5 + count
      origin = String(decoding: UnsafeRawBufferPointer(rebasing: body[5..<start]), as: UTF8.self)
    } else {
      origin = nil
    }
    changes = ChangeSet(bytes: ContiguousArray(body[start..<(body.count - 4)]))
  }

  /// A record of a format whose records are no chain, with the sum that it has in one. Nil where its own sum is wrong.
  init?(unchained bytes: UnsafeRawBufferPointer, version: Int64, time: Int64, after before: UInt32) {
    guard let changes = CheckedChanges.changes(bytes) else { return nil }
    self.changes = changes
    self.before = nil
    origin = nil
    sum = Self.sum(Commit(version: version, time: time, changes: changes), after: before)
  }
}

extension [UInt8] {
  fileprivate mutating func append(sum: UInt32) {
    for shift in 0..<UInt32(4) { append(UInt8(truncatingIfNeeded: sum >> (shift * 8))) }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func sum(at place: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self))
  }
}

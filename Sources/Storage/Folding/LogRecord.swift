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

/// A record of a log: the cause of a commit, if it has one, its change set, the sum of the record before it, and its own
/// sum.
///
/// Records are a chain, so that one of another copy of the file, or of another time, does not fit. The sum is the
/// CRC-32C of the commit's version and time, the cause, the change set, and the sum before. Each part of a cause begins
/// with a byte 0, with which no change set does, and a number in four bytes: the length of the origin's UTF-8, or, with the
/// highest bit set, how many versions were taken back, each in eight bytes.
package struct LogRecord {
  let changes: ChangeSet
  let cause: CommitCause
  /// The sum of the record before; nil in a file of a format whose records are no chain.
  let before: UInt32?
  let sum: UInt32

  /// Returns a commit's record, and its sum.
  package static func bytes(_ commit: Commit, after before: UInt32) -> (bytes: [UInt8], sum: UInt32) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(commit.changes.bytes.count + 8)
    if commit.cause.isKnown { bytes += head(commit.cause) }
    bytes += commit.changes.bytes
    bytes.append(sum: before)
    let sum = bytes.withUnsafeBytes { Self.sum(of: $0, commit.version, commit.time) }
    bytes.append(sum: sum)
    return (bytes, sum)
  }

  /// Returns the sum that a commit's record has, or would have.
  static func sum(_ commit: Commit, after before: UInt32) -> UInt32 {
    let head = head(commit.cause)
    let first = head.withUnsafeBytes { Self.sum(of: $0, commit.version, commit.time) }
    let sum = commit.changes.bytes.withUnsafeBytes { CRC32C.checksum($0, after: first) }
    return withUnsafeBytes(of: before.littleEndian) { CRC32C.checksum($0, after: sum) }
  }

  /// Marks the number of versions that were taken back.
  private static let undoneBit: UInt32 = 1 << 31

  /// The bytes of a cause before the change set.
  private static func head(_ cause: CommitCause) -> [UInt8] {
    var bytes: [UInt8] = []
    if let origin = cause.origin {
      bytes.append(0)
      bytes.append(sum: UInt32(truncatingIfNeeded: origin.utf8.count))
      bytes += origin.utf8
    }
    if !cause.undone.isEmpty {
      bytes.append(0)
      bytes.append(sum: UInt32(truncatingIfNeeded: cause.undone.count) | undoneBit)
      for version in cause.undone { withUnsafeBytes(of: version.littleEndian) { bytes += $0 } }
    }
    return bytes
  }

  /// Reads the cause before a change set. Returns it, and where the change set begins; nil where it is not well-formed.
  private static func cause(_ body: UnsafeRawBufferPointer) -> (CommitCause, start: Int)? {
    var cause = CommitCause()
    var start = 0
    while body.count - start >= 5, body[start] == 0 {
      let number = body.sum(at: start + 1)
      start += 5
      if number & undoneBit == 0 {
        guard Int(number) <= body.count - start else { return nil }
        cause.origin = String(decoding: body[start..<(start + Int(number))], as: UTF8.self)
        start += Int(number)
      } else {
        let count = Int(number & ~undoneBit)
        guard count <= (body.count - start) / 8 else { return nil }
        cause.undone = (0..<count).map { place in
          Int64(littleEndian: body.loadUnaligned(fromByteOffset: start + place * 8, as: Int64.self))
        }
        start += count * 8
      }
    }
    return (cause, start)
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
    let content = UnsafeRawBufferPointer(rebasing: body[..<(body.count - 4)])
    guard let (cause, start) = Self.cause(content) else { return nil }
    self.cause = cause
    changes = ChangeSet(bytes: ContiguousArray(content[start...]))
  }

  /// A record of a format whose records are no chain, with the sum that it has in one. Nil where its own sum is wrong.
  init?(unchained bytes: UnsafeRawBufferPointer, version: Int64, time: Int64, after before: UInt32) {
    guard let changes = CheckedChanges.changes(bytes) else { return nil }
    self.changes = changes
    self.before = nil
    cause = CommitCause()
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

import GQLBase
import GQLStore

/// The bytes of a change set, with their CRC-32C at the end, the lowest byte first.
enum LogRecord {
  static func bytes(_ changes: ChangeSet) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(changes.bytes.count + 4)
    bytes += changes.bytes
    let sum = bytes.withUnsafeBytes { CRC32C.checksum($0) }
    for shift in 0..<UInt32(4) { bytes.append(UInt8(truncatingIfNeeded: sum >> (shift * 8))) }
    return bytes
  }

  /// Returns the change set; nil where the sum is wrong.
  static func changes(_ bytes: UnsafeRawBufferPointer) -> ChangeSet? {
    guard bytes.count >= 4 else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - 4)])
    var sum: UInt32 = 0
    for place in 0..<4 { sum |= UInt32(bytes[bytes.count - 4 + place]) << UInt32(place * 8) }
    return sum == CRC32C.checksum(body) ? ChangeSet(bytes: ContiguousArray(body)) : nil
  }
}

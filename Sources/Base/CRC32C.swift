/// The checksum CRC-32C (Castagnoli), with which the records of a log end.
///
/// The polynomial and the reflected form are those of RFC 3720, appendix B.4; eight bytes are taken at a time, with
/// eight tables ("slicing-by-8", Kounavis and Berry, 2005).
package enum CRC32C {
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var value = UInt32(byte)
      for _ in 0..<8 { value = value & 1 != 0 ? 0x82F6_3B78 ^ value >> 1 : value >> 1 }
      tables[byte] = value
    }
    for byte in 0..<256 {
      for table in 1..<8 {
        let before = tables[(table - 1) * 256 + byte]
        tables[table * 256 + byte] = before >> 8 ^ tables[Int(before & 0xFF)]
      }
    }
    return tables
  }()

  /// Returns the checksum of bytes. Complexity: O(*n*), about one cycle a byte.
  ///
  /// - Parameter start: The checksum of the bytes before them.
  package static func checksum(_ bytes: UnsafeRawBufferPointer, after start: UInt32 = 0) -> UInt32 {
    var sum = ~start
    tables.withUnsafeBufferPointer { tables in
      var index = 0
      while bytes.count - index >= 8 {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(sum)
        sum = 0
        for place in 0..<8 {
          sum ^= tables[(7 - place) * 256 + Int(truncatingIfNeeded: word >> UInt64(place * 8) & 0xFF)]
        }
        index += 8
      }
      while index < bytes.count {
        sum = sum >> 8 ^ tables[Int((sum ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
    }
    return ~sum
  }
}

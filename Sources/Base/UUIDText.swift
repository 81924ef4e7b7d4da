/// UUIDs as text.
package enum UUIDText {
  /// The canonical 36 bytes in lower case of a UUID written with its hyphens or as 32 hexadecimal digits.
  ///
  /// Nil if it is none.
  package static func normalize(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let hasHyphens = bytes.count == 36
    guard hasHyphens || bytes.count == 32 else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(36)
    for byte in bytes {
      let isHyphenPlace = result.count == 8 || result.count == 13 || result.count == 18 || result.count == 23
      if isHyphenPlace {
        result.append(0x2D)
        if hasHyphens {
          guard byte == 0x2D else { return nil }
          continue
        }
      }
      switch byte {
      case 0x30...0x39, 0x61...0x66: result.append(byte)
      case 0x41...0x46: result.append(byte | 0x20)
      default: return nil
      }
    }
    return result
  }
}

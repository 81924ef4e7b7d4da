/// Full Unicode case folding (statuses C and F), independent of language: what `collate(x, CI)` compares.
package enum CaseFolding {
  /// Appends the folded text; bytes that are not UTF-8 are copied as they are.
  package static func fold(_ bytes: UnsafeBufferPointer<UInt8>, into result: inout [UInt8]) {
    guard let start = bytes.baseAddress else { return }
    let count = bytes.count
    result.reserveCapacity(result.count + count)
    var index = 0
    while index < count {
      if count - index >= 8 {
        let word = UnsafeRawPointer(start + index).loadUnaligned(as: UInt64.self)
        if word & 0x8080_8080_8080_8080 == 0 {
          // The high bit of each byte tells whether it is at least A, and whether it is beyond Z.
          let capitals = (word &+ 0x3F3F_3F3F_3F3F_3F3F) & ~(word &+ 0x2525_2525_2525_2525) & 0x8080_8080_8080_8080
          withUnsafeBytes(of: word | capitals >> 2) { result.append(contentsOf: $0) }
          index += 8
          continue
        }
      }
      let byte = start[index]
      if byte < 0x80 {
        result.append(foldASCII(byte))
        index += 1
        continue
      }
      let length = UTF8Validation.sequenceLength(start + index, count - index)
      if length == 0 {
        result.append(byte)
        index += 1
        continue
      }
      let scalar = decode(start + index, length)
      if let replacement = simple(scalar) {
        append(replacement, to: &result)
      } else if let entry = expansion(scalar) {
        for value in expansions[entry + 1...entry + 3] where value != 0 { append(value, to: &result) }
      } else {
        for offset in 0..<length { result.append(start[index + offset]) }
      }
      index += length
    }
  }

  package static func fold(_ text: Text) -> Text {
    var result: [UInt8] = []
    text.bytes.withUnsafeBufferPointer { fold($0, into: &result) }
    return Text(result)
  }

  /// Whether folding would leave the text as it is. Quick for lower-case ASCII.
  package static func isFolded(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var isASCII = true
    for byte in bytes {
      if byte &- 0x41 < 26 { return false }
      if byte >= 0x80 { isASCII = false }
    }
    if isASCII { return true }
    var folded: [UInt8] = []
    fold(bytes, into: &folded)
    return folded.elementsEqual(bytes)
  }

  @inlinable
  @inline(__always)
  package static func foldASCII(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
  }

  private static func simple(_ scalar: UInt32) -> UInt32? {
    // The last run that begins at or before the scalar.
    var low = 0
    var high = ranges.count / 3
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle * 3] <= scalar { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let entry = (low - 1) * 3
    let last = ranges[entry + 1] & 0x00FF_FFFF
    let step = ranges[entry + 1] >> 24
    guard scalar <= last, (scalar - ranges[entry]) % step == 0 else { return nil }
    return scalar &+ ranges[entry + 2]
  }

  private static func expansion(_ scalar: UInt32) -> Int? {
    var low = 0
    var high = expansions.count / 4
    while low < high {
      let middle = (low + high) / 2
      if expansions[middle * 4] < scalar { low = middle + 1 } else { high = middle }
    }
    guard low * 4 < expansions.count, expansions[low * 4] == scalar else { return nil }
    return low * 4
  }

  /// `length` bytes that were found to be well formed.
  private static func decode(_ start: UnsafePointer<UInt8>, _ length: Int) -> UInt32 {
    var scalar = UInt32(start[0]) & (0x7F >> UInt32(length))
    for offset in 1..<length { scalar = scalar << 6 | UInt32(start[offset] & 0x3F) }
    return scalar
  }

  private static func append(_ scalar: UInt32, to result: inout [UInt8]) {
    guard let scalar = Unicode.Scalar(scalar), let encoded = UTF8.encode(scalar) else { return }
    result.append(contentsOf: encoded)
  }
}

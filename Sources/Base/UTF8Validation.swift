/// Whether bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
package enum UTF8Validation {
  /// The length of the sequence at `start`, or 0 if it is ill-formed or longer than `count`.
  package static func sequenceLength(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int {
    guard count > 0 else { return 0 }
    let first = start[0]
    if first < 0x80 { return 1 }
    guard count > 1 else { return 0 }
    let second = start[1]
    if first < 0xE0 { return first >= 0xC2 && second & 0xC0 == 0x80 ? 2 : 0 }
    guard count > 2, start[2] & 0xC0 == 0x80 else { return 0 }
    if first < 0xF0 {
      let low: UInt8 = first == 0xE0 ? 0xA0 : 0x80
      let high: UInt8 = first == 0xED ? 0x9F : 0xBF
      return second >= low && second <= high ? 3 : 0
    }
    guard count > 3, start[3] & 0xC0 == 0x80, first <= 0xF4 else { return 0 }
    let low: UInt8 = first == 0xF0 ? 0x90 : 0x80
    let high: UInt8 = first == 0xF4 ? 0x8F : 0xBF
    return second >= low && second <= high ? 4 : 0
  }

  /// The offset of the first ill-formed byte, or nil.
  package static func firstError(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let start = bytes.baseAddress else { return nil }
    let raw = UnsafeRawPointer(start)
    let count = bytes.count
    var index = 0
    while index < count {
      if count - index >= 8 {
        let high = (raw + index).loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080
        if high == 0 {
          index += 8
          continue
        }
        index += high.trailingZeroBitCount >> 3
      }
      let length = sequenceLength(start + index, count - index)
      if length == 0 { return index }
      index += length
    }
    return nil
  }
}

/// A checksum of one row: of its numbers and values in the order of columns. See `docs/format.md`.
struct StoredSum {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
    state ^= state >> 32
  }

  mutating func addNull() { mix(0) }

  mutating func add(_ value: Int64) {
    mix(1)
    mix(UInt64(bitPattern: value))
  }

  mutating func add(_ value: Double) {
    mix(2)
    mix(value.bitPattern)
  }

  mutating func add(text bytes: UnsafeRawBufferPointer) { add(bytes, mark: 3) }

  /// Other than a text of the same bytes: one bit of the file tells them apart.
  mutating func add(blob bytes: UnsafeRawBufferPointer) { add(bytes, mark: 4) }

  /// Adds bytes, eight at a time, the last ones with zeros behind them.
  private mutating func add(_ bytes: UnsafeRawBufferPointer, mark: UInt64) {
    mix(mark | UInt64(bytes.count) << 8)
    var index = 0
    while bytes.count - index >= 8 {
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
      index += 8
    }
    if index == bytes.count { return }
    var word: UInt64 = 0
    for place in 0..<(bytes.count - index) { word |= UInt64(bytes[index + place]) << UInt64(place * 8) }
    mix(word)
  }

  /// The sum, a number of 32 bits.
  var value: Int64 { Int64(state & 0xFFFF_FFFF) }
}

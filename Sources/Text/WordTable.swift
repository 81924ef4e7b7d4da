/// Numbers by words, in memory of its own: one cache line or two for a word that is there. Not for two threads at once,
/// unless none of them inserts.
package final class WordTable: @unchecked Sendable {
  private struct Slot {
    /// 0 where the slot is free.
    var hash: UInt64
    var start: UInt32
    var count: UInt32
    var value: Int32
  }
  @exclusivity(unchecked) private var slots: UnsafeMutablePointer<Slot>
  @exclusivity(unchecked) private var mask: Int
  @exclusivity(unchecked) private var bytes: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private var byteCapacity: Int
  /// Bytes of all words.
  @exclusivity(unchecked) package private(set) var byteCount = 0
  @exclusivity(unchecked) package private(set) var count = 0

  package init() {
    mask = 63
    slots = .allocate(capacity: 64)
    slots.initialize(repeating: Slot(hash: 0, start: 0, count: 0, value: 0), count: 64)
    byteCapacity = 512
    bytes = .allocate(capacity: 512)
  }

  deinit {
    slots.deallocate()
    bytes.deallocate()
  }

  /// Never 0.
  @inline(__always)
  private static func hash(_ word: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: word.count)
    guard let start = word.baseAddress else { return hash | 1 }
    let raw = UnsafeRawPointer(start)
    var offset = 0
    while offset &+ 8 <= word.count {
      hash = mix(hash ^ (raw + offset).loadUnaligned(as: UInt64.self))
      offset &+= 8
    }
    var rest: UInt64 = 0
    while offset < word.count {
      rest = rest &<< 8 | UInt64(start[offset])
      offset &+= 1
    }
    return mix(hash ^ rest) | 1
  }

  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
  }

  @inline(__always)
  private func slot(_ word: UnsafeBufferPointer<UInt8>, _ hash: UInt64) -> Int {
    var index = Int(truncatingIfNeeded: hash >> 20) & mask
    while slots[index].hash != 0 {
      if slots[index].hash == hash, Int(slots[index].count) == word.count {
        let stored = bytes + Int(slots[index].start)
        var same = true
        var offset = 0
        while same, offset < word.count {
          same = stored[offset] == word[offset]
          offset &+= 1
        }
        if same { return index }
      }
      index = (index &+ 1) & mask
    }
    return index
  }

  package func find(_ word: UnsafeBufferPointer<UInt8>) -> Int32? {
    let found = slot(word, Self.hash(word))
    return slots[found].hash == 0 ? nil : slots[found].value
  }

  package func contains(_ word: UnsafeBufferPointer<UInt8>) -> Bool { find(word) != nil }

  /// Gives the word this number, unless it has one.
  package func insert(_ word: UnsafeBufferPointer<UInt8>, _ value: Int32) {
    if count &* 2 >= mask { grow() }
    let hash = Self.hash(word)
    let index = slot(word, hash)
    guard slots[index].hash == 0 else { return }
    if byteCount + word.count > byteCapacity {
      byteCapacity = max(byteCapacity * 2, byteCount + word.count)
      let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: byteCapacity)
      larger.update(from: bytes, count: byteCount)
      bytes.deallocate()
      bytes = larger
    }
    for (offset, byte) in word.enumerated() { bytes[byteCount + offset] = byte }
    slots[index] = Slot(
      hash: hash, start: UInt32(truncatingIfNeeded: byteCount), count: UInt32(truncatingIfNeeded: word.count),
      value: value)
    byteCount += word.count
    count += 1
  }

  package func removeAll() {
    for index in 0...mask { slots[index].hash = 0 }
    count = 0
    byteCount = 0
  }

  private func grow() {
    let old = slots
    let oldCount = mask + 1
    mask = oldCount * 2 - 1
    slots = .allocate(capacity: oldCount * 2)
    slots.initialize(repeating: Slot(hash: 0, start: 0, count: 0, value: 0), count: oldCount * 2)
    for index in 0..<oldCount where old[index].hash != 0 {
      var place = Int(truncatingIfNeeded: old[index].hash >> 20) & mask
      while slots[place].hash != 0 { place = (place + 1) & mask }
      slots[place] = old[index]
    }
    old.deallocate()
  }
}

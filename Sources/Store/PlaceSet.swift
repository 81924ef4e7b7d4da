/// Places of a list, as bits.
struct PlaceSet: Sendable {
  private var words: ContiguousArray<UInt64> = []
  private(set) var count = 0

  mutating func insert(_ place: UInt32) {
    let word = Int(place >> 6)
    if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
    let bit: UInt64 = 1 << UInt64(place & 63)
    if words[word] & bit == 0 { count += 1 }
    words[word] |= bit
  }

  mutating func remove(_ place: UInt32) {
    let word = Int(place >> 6)
    guard word < words.count else { return }
    let bit: UInt64 = 1 << UInt64(place & 63)
    if words[word] & bit != 0 { count -= 1 }
    words[word] &= ~bit
  }

  /// All places, ascending.
  var places: [UInt32] {
    var result: [UInt32] = []
    result.reserveCapacity(count)
    for (number, word) in words.enumerated() {
      var bits = word
      while bits != 0 {
        result.append(UInt32(truncatingIfNeeded: number * 64 + bits.trailingZeroBitCount))
        bits &= bits &- 1
      }
    }
    return result
  }

  /// Whether it has that place, or one behind it.
  func reaches(_ place: UInt32) -> Bool {
    let word = Int(place >> 6)
    guard word < words.count else { return false }
    return words[word] >> UInt64(place & 63) != 0 || words[(word + 1)...].contains { $0 != 0 }
  }

  /// Complexity: O(place / 64).
  func count(below place: UInt32) -> Int {
    let word = Int(place >> 6)
    var count = 0
    for index in 0..<min(word, words.count) { count += words[index].nonzeroBitCount }
    if word < words.count { count += (words[word] & ((1 << UInt64(place & 63)) - 1)).nonzeroBitCount }
    return count
  }

  /// The place behind so many that are in neither of two sets. Complexity: O(place / 64).
  static func place(behind number: Int, outside first: PlaceSet, _ second: PlaceSet = PlaceSet()) -> UInt32 {
    var rest = number
    let count = max(first.words.count, second.words.count)
    for index in 0..<count {
      var free = ~first.word(index) & ~second.word(index)
      if rest >= free.nonzeroBitCount {
        rest -= free.nonzeroBitCount
        continue
      }
      for _ in 0..<rest { free &= free - 1 }
      return UInt32(truncatingIfNeeded: index * 64 + free.trailingZeroBitCount)
    }
    return UInt32(truncatingIfNeeded: count * 64 + rest)
  }

  private func word(_ index: Int) -> UInt64 { index < words.count ? words[index] : 0 }
}

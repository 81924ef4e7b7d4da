/// Places of a list, as bits.
struct PlaceSet: Sendable {
  private var words: ContiguousArray<UInt64> = []

  mutating func insert(_ place: UInt32) {
    let word = Int(place >> 6)
    if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
    words[word] |= 1 << UInt64(place & 63)
  }

  mutating func remove(_ place: UInt32) {
    let word = Int(place >> 6)
    if word < words.count { words[word] &= ~(1 << UInt64(place & 63)) }
  }

  /// Complexity: O(place / 64).
  func count(below place: UInt32) -> Int {
    let word = Int(place >> 6)
    var count = 0
    for index in 0..<min(word, words.count) { count += words[index].nonzeroBitCount }
    if word < words.count { count += (words[word] & ((1 << UInt64(place & 63)) - 1)).nonzeroBitCount }
    return count
  }
}

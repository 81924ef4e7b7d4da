/// Numbers, told from others without a table; the greatest one is not among them.
final class WordSet {
  @exclusivity(unchecked) private var slots: ContiguousArray<UInt64> = []
  @exclusivity(unchecked) private var only: UInt64 = WordSet.none
  @exclusivity(unchecked) private(set) var count = 0

  private static let none = UInt64.max

  @inline(__always)
  private func place(_ word: UInt64) -> Int {
    // Either half may be the same in all words.
    let product = word &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: product ^ product &>> 32) & (slots.count &- 1)
  }

  @inline(__always)
  func contains(_ word: UInt64) -> Bool {
    if slots.isEmpty { return word == only }
    var place = place(word)
    while slots[place] != Self.none {
      if slots[place] == word { return true }
      place = (place &+ 1) & (slots.count &- 1)
    }
    return false
  }

  /// False if it was there.
  @discardableResult
  func insert(_ word: UInt64) -> Bool {
    if count == 0 {
      only = word
      count = 1
      return true
    }
    if contains(word) { return false }
    if slots.isEmpty {
      slots = ContiguousArray(repeating: Self.none, count: 16)
      add(only)
    } else if count &* 2 >= slots.count {
      let old = slots
      slots = ContiguousArray(repeating: Self.none, count: old.count * 2)
      for word in old where word != Self.none { add(word) }
    }
    add(word)
    count += 1
    return true
  }

  private func add(_ word: UInt64) {
    var place = place(word)
    while slots[place] != Self.none { place = (place &+ 1) & (slots.count &- 1) }
    slots[place] = word
  }

  var byteCount: Int { slots.count * 8 }
}

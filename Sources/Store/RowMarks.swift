/// Entities that a deletion or its undoing concerns; one is told from the others without a table.
final class RowMarks {
  @exclusivity(unchecked) private var slots: ContiguousArray<UInt64> = []
  @exclusivity(unchecked) private var only: UInt64 = RowMarks.none
  @exclusivity(unchecked) private(set) var count = 0

  /// No type has the number.
  private static let none = UInt64.max

  init(_ entities: [DeletedRow]) { for entity in entities { insert(entity) } }

  @inline(__always)
  private static func word(_ entity: DeletedRow) -> UInt64 { UInt64(entity.type.index) << 32 | UInt64(entity.row) }

  @inline(__always)
  private func place(_ word: UInt64) -> Int {
    Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15) &>> 20) & (slots.count &- 1)
  }

  @inline(__always)
  func contains(_ entity: DeletedRow) -> Bool {
    let word = Self.word(entity)
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
  func insert(_ entity: DeletedRow) -> Bool {
    let word = Self.word(entity)
    if count == 0 {
      only = word
      count = 1
      return true
    }
    if contains(entity) { return false }
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

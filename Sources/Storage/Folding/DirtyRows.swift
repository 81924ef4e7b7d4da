/// Rows of some types, as bits.
struct DirtyRows {
  private var types: [[UInt64]] = []
  private(set) var isEmpty = true

  mutating func insert(_ type: Int, _ row: UInt32) {
    while types.count <= type { types.append([]) }
    let word = Int(row >> 6)
    if word >= types[type].count {
      types[type].append(contentsOf: repeatElement(0, count: word + 1 - types[type].count))
    }
    types[type][word] |= 1 << UInt64(row & 63)
    isEmpty = false
  }

  mutating func formUnion(_ other: DirtyRows) {
    for (type, words) in other.types.enumerated() {
      while types.count <= type { types.append([]) }
      if words.count > types[type].count {
        types[type].append(contentsOf: repeatElement(0, count: words.count - types[type].count))
      }
      for (index, word) in words.enumerated() { types[type][index] |= word }
    }
    if !other.isEmpty { isEmpty = false }
  }

  /// Takes out all rows, in the order of types and rows.
  mutating func takeAll() -> [(type: Int, row: UInt32)] { takeFirst(.max) }

  /// Takes out the first rows, in the order of types and rows.
  mutating func takeFirst(_ most: Int) -> [(type: Int, row: UInt32)] {
    var found: [(type: Int, row: UInt32)] = []
    for type in types.indices {
      for index in types[type].indices where types[type][index] != 0 {
        while types[type][index] != 0 {
          if found.count == most { return found }
          let bit = types[type][index].trailingZeroBitCount
          types[type][index] &= types[type][index] &- 1
          found.append((type, UInt32(truncatingIfNeeded: index * 64 + bit)))
        }
      }
    }
    isEmpty = true
    return found
  }
}

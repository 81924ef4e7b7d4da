import GQLCatalog

/// Links of any relations, told from others.
struct LinkMarks {
  /// By relation; shorter where those behind have none.
  private var words: [WordSet?] = []
  private(set) var byteCount = 0

  @inline(__always)
  private static func word(_ source: UInt32, _ target: UInt32) -> UInt64 { UInt64(source) << 32 | UInt64(target) }

  @inline(__always)
  func contains(_ relation: RelationID, _ source: UInt32, _ target: UInt32) -> Bool {
    let number = Int(relation.index)
    return number < words.count && words[number]?.contains(Self.word(source, target)) ?? false
  }

  mutating func insert(_ relation: RelationID, _ source: UInt32, _ target: UInt32) {
    let number = Int(relation.index)
    while words.count <= number { words.append(nil) }
    let set = words[number] ?? WordSet()
    words[number] = set
    byteCount -= set.byteCount
    set.insert(Self.word(source, target))
    byteCount += set.byteCount
  }
}

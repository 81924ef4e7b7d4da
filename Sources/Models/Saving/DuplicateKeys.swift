import GQLStore

/// The records of a save by their entities: a hash table of their numbers, which are written to it when somebody asks.
struct DuplicateKeys {
  /// By place: the last record of an entity; -1 where there is none.
  private var slots: [Int32] = []
  /// How many entities there are.
  private var count = 0
  /// How many records were looked at.
  private var seen = 0

  mutating func removeAll() {
    if seen == 0 { return }
    self = DuplicateKeys()
  }

  /// The last of the records before one that are of the same entity. Precondition: asked in the order of the records.
  mutating func last(before record: Int, in stage: SaveStage) -> Int? {
    if record == 0 { return nil }
    while seen < record {
      if count * 2 >= slots.count { grow(stage) }
      let place = place(of: seen, in: stage)
      if slots[place] < 0 { count += 1 }
      slots[place] = Int32(truncatingIfNeeded: seen)
      seen += 1
    }
    let found = slots[place(of: record, in: stage)]
    return found < 0 ? nil : Int(found)
  }

  private mutating func grow(_ stage: SaveStage) {
    let old = slots
    slots = Array(repeating: -1, count: max(16, old.count * 2))
    for record in old where record >= 0 { slots[place(of: Int(record), in: stage)] = record }
  }

  /// Where a record's entity stands, or would stand.
  private func place(of record: Int, in stage: SaveStage) -> Int {
    let mapping = stage.entities[record].mapping
    let key = stage.key(record).pointee
    var hasher = Hasher()
    hasher.combine(ObjectIdentifier(mapping))
    if mapping.idKind == .text {
      TextView(key).withBytes { hasher.combine(bytes: UnsafeRawBufferPointer(start: $0, count: $1)) }
    } else {
      hasher.combine(key.low)
      hasher.combine(key.high)
    }
    var place = hasher.finalize() & (slots.count - 1)
    while slots[place] >= 0 {
      let other = Int(slots[place])
      if stage.entities[other].mapping === mapping, stage.areEqual(stage.key(other).pointee, key, mapping.idKind) {
        break
      }
      place = (place + 1) & (slots.count - 1)
    }
    return place
  }
}

/// What a hash index has under a key.
@frozen @usableFromInline package enum IndexRows {
  case none
  case one(UInt32)
  /// Ascending, at least two.
  case many(UnsafeBufferPointer<UInt32>)
}

/// The memory layout of a hash index: a table of pages, doubled as they split (extendible hashing).
///
/// ```
/// table: 2^depth addresses; the first `depth` bits of a tag choose one; several may be the same page
///
/// byte  0       4        8       16      20       64
///       ┌───────┬────────┬───────┬───────┬────────┬───────────────────┐
///       │ count │ mask   │ stamp │ depth │ number │ slots, mask + 1   │
///       └───────┴────────┴───────┴───────┴────────┴───────────────────┘
/// slot:  tag in the low half, payload in the high half; all ones where empty
/// ```
/// The low bits of a tag choose the first slot, the next ones follow until one is empty. The payload is a row or, with
/// the highest bit set, the number of a posting: a run of rows.
@usableFromInline package enum HashPage {
  @inlinable static var slotsOffset: Int { 64 }
  @inlinable static var empty: UInt64 { .max }
  @inlinable static var postingFlag: UInt32 { 0x8000_0000 }
}

/// The read side of a hash index, over raw addresses. Valid as long as the ``Snapshot`` that gave it.
///
/// A key is one cell per component in the form of the index's columns, none null. Texts compare without flags,
/// decimals by value, doubles as numbers.
@frozen @usableFromInline package struct HashIndexReader: @unchecked Sendable {
  @usableFromInline let table: UnsafePointer<UnsafeRawPointer?>
  @usableFromInline let shift: UInt32
  @usableFromInline let componentCount: UInt32
  @usableFromInline let components: UnsafePointer<KeyComponent>
  @usableFromInline let columns: UnsafePointer<ColumnReader>
  @usableFromInline let postings: ColumnReader
  @usableFromInline package let distinctKeys: Int
  @usableFromInline let seed: UInt64

  init(
    table: UnsafePointer<UnsafeRawPointer?>, depth: UInt32, layout: KeyLayout, columns: UnsafePointer<ColumnReader>,
    postings: ColumnReader, distinctKeys: Int
  ) {
    self.table = table
    shift = 32 - depth
    components = UnsafePointer(layout.components)
    componentCount = UInt32(layout.count)
    self.columns = columns
    self.postings = postings
    self.distinctKeys = distinctKeys
    seed = KeyHash.seed
  }

  @inlinable func hash(_ key: UnsafePointer<Cell>) -> UInt64 {
    var hash = components[0].hash(key[0], seed)
    var index = 1
    while index < Int(componentCount) {
      hash = KeyHash.combine(hash, components[index].hash(key[index], seed))
      index &+= 1
    }
    return hash
  }

  @inlinable func matches(_ row: UInt32, _ key: UnsafePointer<Cell>) -> Bool {
    var index = 0
    while index < Int(componentCount) {
      let component = components[index]
      if !component.equals(component.cell(columns, row), key[index]) { return false }
      index &+= 1
    }
    return true
  }

  /// A row that stands for the payload.
  @inlinable func firstRow(_ payload: UInt32) -> UInt32 {
    if payload & HashPage.postingFlag == 0 { return payload }
    // Safe because postings have rows.
    return postings.references(payload & ~HashPage.postingFlag)[0]
  }

  /// The payload under the key, or all ones.
  @inlinable func payload(_ key: UnsafePointer<Cell>, tag: UInt32) -> UInt32 {
    // Safe because the table has an address for each prefix of a tag.
    let page = table[Int(UInt64(tag) &>> UInt64(shift))].unsafelyUnwrapped
    let mask = Int((page + 4).load(as: UInt32.self))
    let slots = page + 64
    var index = Int(tag) & mask
    while true {
      let slot = (slots + index &* 8).load(as: UInt64.self)
      if slot == HashPage.empty { return .max }
      if UInt32(truncatingIfNeeded: slot) == tag {
        let payload = UInt32(truncatingIfNeeded: slot &>> 32)
        if matches(firstRow(payload), key) { return payload }
      }
      index = (index &+ 1) & mask
    }
  }

  /// The row of the key (the first one, where the index is not unique), or `PageLayout.noRow`.
  @inlinable package func find(_ key: UnsafePointer<Cell>) -> UInt32 {
    let payload = payload(key, tag: KeyHash.tag(hash(key)))
    return payload == .max ? PageLayout.noRow : firstRow(payload)
  }

  /// Writes the rows of keys of one component each, found in a unique index, in the order of the keys; gives how many.
  ///
  /// Looks in steps at blocks of keys, so that the cache misses of one step overlap.
  package func find(_ keys: UnsafePointer<Cell>, _ count: Int, into rows: UnsafeMutablePointer<UInt32>) -> Int {
    var found = 0
    findEach(keys, count) { _, row in
      rows[found] = row
      if row != PageLayout.noRow { found &+= 1 }
    }
    return found
  }

  /// Writes the row of each key, found in a unique index, or `PageLayout.noRow`.
  func findEach(_ keys: UnsafePointer<Cell>, _ count: Int, into rows: UnsafeMutablePointer<UInt32>) {
    findEach(keys, count) { index, row in rows[index] = row }
  }

  @inline(__always)
  private func findEach(_ keys: UnsafePointer<Cell>, _ count: Int, _ body: (_ index: Int, _ row: UInt32) -> Void) {
    let block = 64
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: block * 2) { buffer in
      // Safe because the capacity is not zero.
      let tags = buffer.baseAddress.unsafelyUnwrapped
      let candidates = tags + block
      var first = 0
      while first < count {
        let size = min(block, count - first)
        for index in 0..<size { tags[index] = KeyHash.tag(hash(keys + (first + index))) }
        for index in 0..<size { candidates[index] = candidate(tags[index]) }
        // What the rows hold is needed only to tell apart keys with the same tag, which lies far away.
        var touched: UInt64 = 0
        for index in 0..<size where candidates[index] < HashPage.postingFlag {
          touched |= components[0].cell(columns, candidates[index]).low
        }
        for index in 0..<size {
          let key = keys + (first + index)
          let candidate = candidates[index]
          // One with all bits set is none.
          if candidate == .max {
            body(first + index, PageLayout.noRow)
          } else if touched == .max || candidate >= HashPage.postingFlag || !matches(candidate, key) {
            body(first + index, find(key))
          } else {
            body(first + index, candidate)
          }
        }
        first += size
      }
    }
  }

  /// The first payload with the tag, or all ones.
  private func candidate(_ tag: UInt32) -> UInt32 {
    // Safe because the table has an address for each prefix of a tag.
    let page = table[Int(UInt64(tag) &>> UInt64(shift))].unsafelyUnwrapped
    let mask = Int((page + 4).load(as: UInt32.self))
    var index = Int(tag) & mask
    while true {
      let slot = (page + (HashPage.slotsOffset &+ index &* 8)).load(as: UInt64.self)
      if slot == HashPage.empty { return .max }
      if UInt32(truncatingIfNeeded: slot) == tag { return UInt32(truncatingIfNeeded: slot &>> 32) }
      index = (index &+ 1) & mask
    }
  }

  /// The rows of the key, ascending.
  @inlinable package func rows(_ key: UnsafePointer<Cell>) -> IndexRows {
    let payload = payload(key, tag: KeyHash.tag(hash(key)))
    if payload == .max { return .none }
    if payload & HashPage.postingFlag == 0 { return .one(payload) }
    return .many(postings.references(payload & ~HashPage.postingFlag))
  }

  @inlinable package func count(_ key: UnsafePointer<Cell>) -> Int {
    switch rows(key) {
    case .none: 0
    case .one: 1
    case .many(let rows): rows.count
    }
  }
}

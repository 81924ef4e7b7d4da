import GQLCatalog

extension HashIndex: EntityIndex {
  convenience init(_ layout: StoreLayout.Index, stamp: UInt64) {
    self.init(layout: layout.keys, isUnique: layout.isUnique, stamp: stamp)
  }

  var inTable: TableIndex { .hash(self) }

  /// Keys with a null have no entry.
  func insert(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    if layout.load(columns, row, into: key) { insertKey(key, of: row, columns: columns) }
  }

  /// The same, where the rows are of a version that may have a key twice, though the index is unique by now.
  func insertRepeatable(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    if layout.load(columns, row, into: key) { insertKey(key, of: row, columns: columns, mayRepeat: true) }
  }

  /// Indicates whether a key has several rows.
  var hasRepeats: Bool { postings.count > 0 }

  func remove(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    if layout.load(columns, row, into: key) { removeKey(key, of: row, columns: columns) }
  }

  func find(_ key: UnsafePointer<Cell>, columns: UnsafePointer<ColumnReader>) -> UInt32 { reader(columns).find(key) }

  var needsCompaction: Bool { postings.needsCompaction }

  func compact() { if postings.needsCompaction { postings.compact { _ in true } } }

  func keyCount(_ columns: UnsafePointer<ColumnReader>, estimated: (() -> Double) -> Double) -> Double? {
    Double(distinctKeys)
  }

  func count(under key: [Cell], columns: UnsafePointer<ColumnReader>) -> Int? { reader(columns).count(key) }

  func hashMemory(into digest: inout MemoryDigest) {
    for index in 0..<pages.count { digest.add(pages.page(index)) }
    digest.add(UnsafeRawPointer(table), 8 << Int(depth))
    postings.hashMemory(into: &digest)
  }

  // MARK: - Checking

  func check(_ table: Table, as id: IndexID) -> [Inconsistency] {
    guard checkStructure() else { return [.indexStructure(id)] }
    var found: [Inconsistency] = []
    let reader = reader(table.readers)
    var entries = 0
    var keys = 0
    withUnsafeTemporaryAllocation(of: Cell.self, capacity: layout.count) { buffer in
      // Safe because keys have at least one component.
      let key = buffer.baseAddress.unsafelyUnwrapped
      for row in table.liveRows {
        guard layout.load(table.readers, row, into: key) else { continue }
        entries += 1
        switch reader.rows(key) {
        case .none: found.append(.indexEntry(id, row: row))
        case .one(let other):
          keys += 1
          if other != row { found.append(.indexEntry(id, row: row)) }
        case .many(let rows):
          if rows[0] == row {
            keys += 1
            if zip(rows, rows.dropFirst()).contains(where: { $0 >= $1 }) { found.append(.indexEntry(id, row: row)) }
          }
          if isUnique || !rows.contains(row) { found.append(.indexEntry(id, row: row)) }
        }
      }
    }
    if keys != distinctKeys { found.append(.indexCount(id, expected: keys, found: distinctKeys)) }
    let postedKeys = postings.count - postings.liveNulls
    let stored = distinctKeys - postedKeys + postedRows
    if stored != entries { found.append(.indexCount(id, expected: entries, found: stored)) }
    return found
  }

  /// Checks that pages, table and counts agree.
  private func checkStructure() -> Bool {
    var keys = 0
    var index = 0
    while index < 1 << Int(depth) {
      guard let page = table[index] else { return false }
      let span = 1 << Int(depth - min(depth, Self.depth(page)))
      guard index % span == 0, UnsafeRawPointer(pages.page(Self.number(page)).base) == page else { return false }
      for other in index..<(index + span) where table[other] != page { return false }
      guard pages.page(Self.number(page)).byteCount == HashPage.slotsOffset + (Self.mask(page) + 1) * 8 else {
        return false
      }
      var count = 0
      for slotIndex in 0...Self.mask(page) {
        let slot = (page + HashPage.slotsOffset + slotIndex * 8).load(as: UInt64.self)
        if slot == HashPage.empty { continue }
        count += 1
        let tag = UInt32(truncatingIfNeeded: slot)
        let payload = UInt32(truncatingIfNeeded: slot >> 32)
        guard table[tableIndex(tag)] == page,
          Self.slotIndex(page, tag, where: { $0 == payload }) == slotIndex
        else { return false }
      }
      guard count == Self.count(page) else { return false }
      keys += count
      index += span
    }
    return keys == distinctKeys
  }
}

import GQLCatalog

extension BTree: EntityIndex {
  convenience init(_ layout: StoreLayout.Index, stamp: UInt64) {
    self.init(layout: layout.keys, isUnique: layout.isUnique, stamp: stamp)
  }

  var inTable: TableIndex { .btree(self) }

  func insert(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    insert(row, columns: columns)
  }

  func remove(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    remove(row, columns: columns)
  }

  func keyCount(_ columns: UnsafePointer<ColumnReader>, estimated: (() -> Double) -> Double) -> Double? {
    isUnique ? Double(main.count) : estimated { reader(columns).estimatedDistinctKeys() }
  }

  func hashMemory(into digest: inout MemoryDigest) {
    for index in 0..<directory.count { digest.add(directory.page(index)) }
    digest.add(UInt64(main.count))
    digest.add(UInt64(nulls.count))
  }

  // MARK: - Checking

  func check(_ table: Table, as id: IndexID) -> [Inconsistency] {
    var found: [Inconsistency] = []
    let reader = reader(table.readers)
    if reader.entryCount != table.live {
      found.append(.indexCount(id, expected: table.live, found: reader.entryCount))
    }
    // Strictly ascending entries with the images of their rows, as many as live rows: with live rows only, all of them.
    guard checkInvariants(table.readers) else { return found + [.indexStructure(id)] }
    var rows = [UInt32](repeating: 0, count: reader.entryCount)
    let bounds = BTreeBounds(includesNulls: true)
    let count = rows.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { reader.walk(bounds, descending: false, skip: 0, limit: buffer.count, into: $0) } ?? 0
    }
    for row in rows[..<count] where !table.isLive(row) { found.append(.indexEntry(id, row: row)) }
    if isUnique {
      for (left, right) in zip(rows, rows.dropFirst())
      where !hasNull(left, table.readers) && reader.compareKeys(left, right, from: 0) == 0 {
        found.append(.indexEntry(id, row: right))
      }
    }
    return found
  }

  private func hasNull(_ row: UInt32, _ columns: UnsafePointer<ColumnReader>) -> Bool {
    (0..<layout.count).contains { layout.components[$0].isNull(columns, row) }
  }

  /// Checks order, counts, first entries and levels.
  func checkInvariants(_ columns: UnsafePointer<ColumnReader>) -> Bool {
    checkTree(main, columns, isNulls: false) && checkTree(nulls, columns, isNulls: true)
  }

  private func checkTree(_ root: BTreeRoot, _ columns: UnsafePointer<ColumnReader>, isNulls: Bool) -> Bool {
    if root.node == PageLayout.noRow { return root.count == 0 }
    let order = reader(columns)
    var previous: BTreeEntry?
    guard checkNode(root.node, order, isNulls: isNulls, &previous) else { return false }
    return node(root.node).total == root.count
  }

  private func checkNode(
    _ id: UInt32, _ order: BTreeReader, isNulls: Bool, _ previous: inout BTreeEntry?
  ) -> Bool {
    let node = node(id)
    guard node.count > 0, node.count <= node.capacity else { return false }
    let end = UnsafeRawPointer((node.isLeaf ? node.rows : node.children) + node.capacity)
    guard end - UnsafeRawPointer(node.base) <= directory.page(Int(id)).byteCount else { return false }
    for index in 0..<node.count {
      let found = BTreeEntry(image: node.images[index], row: node.rows[index])
      if node.isLeaf {
        let (expected, isNull) = entry(found.row, order.columns)
        guard isNull == isNulls, expected.image == found.image else { return false }
        if let previous, order.compare(previous, found, isNulls: isNulls) >= 0 { return false }
        previous = found
      } else {
        let child = self.node(node.children[index])
        guard child.level == node.level - 1, child.total == Int(node.counts[index]), child.count > 0,
          child.images[0] == found.image, child.rows[0] == found.row,
          checkNode(node.children[index], order, isNulls: isNulls, &previous)
        else { return false }
      }
    }
    return true
  }
}

extension BTreeReader {
  /// Distinct keys of the main tree, from 128 samples: the share of entries that begin a group of equal keys.
  func estimatedDistinctKeys() -> Double {
    let count = main.count
    if count == 0 { return 0 }
    let samples = min(128, count)
    var starts = 0
    for sample in 0..<samples {
      let rank = sample * count / samples
      if rank == 0 {
        starts += 1
        continue
      }
      let entry = entry(main, at: rank)
      let before = self.entry(main, at: rank - 1)
      if before.image != entry.image || compareEqualImages(before.row, entry.row, isNulls: false) != 0 { starts += 1 }
    }
    return max(1, Double(count) * Double(starts) / Double(samples))
  }
}

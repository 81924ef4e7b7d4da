extension BTree {
  /// Fills an empty tree with the rows, which must ascend. Two rows with one key of a unique index are given back.
  ///
  /// Where the allowance ends the tree is not to be used.
  func build(
    _ rows: IndexedRows, columns: UnsafePointer<ColumnReader>, _ allowance: WorkAllowance? = nil
  ) -> (UInt32, UInt32)? {
    var entries: [BTreeEntry] = []
    var nullEntries: [BTreeEntry] = []
    var share = allowance.map { MemoryShare($0) }
    // Sorting needs as much again.
    if share?.hold(rows.underestimatedCount * 2 * MemoryLayout<BTreeEntry>.stride) == false { return nil }
    entries.reserveCapacity(rows.underestimatedCount)
    for row in rows {
      if allowance?.advance() == false { return nil }
      let (entry, isNull) = entry(row, columns)
      if isNull { nullEntries.append(entry) } else { entries.append(entry) }
    }
    let order = reader(columns)
    let isAscending = RadixSort.isSorted(entries)
    if !isAscending { RadixSort.sort(&entries, allowance) }
    sortTies(&entries, order, isNulls: false, allowance)
    sortTies(&nullEntries, order, isNulls: true, allowance)
    if allowance?.advance() == false { return nil }
    if isUnique, let pair = firstRepeat(entries, order) { return pair }
    // Why not full where keys come in any order: later insertions would split every leaf.
    main = build(entries, fill: isAscending ? leafCapacity : max(2, leafCapacity * 7 / 8))
    nulls = build(nullEntries, fill: leafCapacity)
    _ = share?.hold(directory.byteCount)
    return nil
  }

  /// Orders entries with equal images by their whole keys.
  private func sortTies(
    _ entries: inout [BTreeEntry], _ order: BTreeReader, isNulls: Bool, _ allowance: WorkAllowance?
  ) {
    if isNulls ? order.componentCount == 1 : order.imageIsKey { return }
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count && entries[end].image == entries[start].image { end += 1 }
      if allowance?.advance(end - start) == false { return }
      if end - start > 1 {
        guard let allowance else {
          entries[start..<end].sort { order.compare($0, $1, isNulls: isNulls) < 0 }
          start = end
          continue
        }
        // Many texts that begin alike are compared as often as there are levels of merging.
        try? entries[start..<end].sort {
          if !allowance.advance() { throw EvolutionFailure.stopped }
          return order.compare($0, $1, isNulls: isNulls) < 0
        }
      }
      start = end
    }
  }

  private func firstRepeat(_ entries: [BTreeEntry], _ order: BTreeReader) -> (UInt32, UInt32)? {
    for index in entries.indices.dropFirst() {
      let (left, right) = (entries[index - 1], entries[index])
      if left.image == right.image && order.compareEqualImages(left.row, right.row, isNulls: false) == 0
        && !(0..<layout.count).contains(where: { layout.components[$0].isNull(order.columns, left.row) })
      {
        return (left.row, right.row)
      }
    }
    return nil
  }

  private func build(_ entries: [BTreeEntry], fill: Int) -> BTreeRoot {
    if entries.isEmpty { return .none }
    var level: [UInt32] = []
    var next = 0
    while next < entries.count {
      let id = makeNode(level: 0)
      let leaf = writableNode(id)
      let count = min(fill, entries.count - next)
      for index in 0..<count {
        leaf.images[index] = entries[next + index].image
        leaf.rows[index] = entries[next + index].row
      }
      leaf.count = count
      next += count
      level.append(id)
    }
    var height = 0
    while level.count > 1 {
      height += 1
      var above: [UInt32] = []
      var first = 0
      while first < level.count {
        let id = makeNode(level: height)
        let inner = writableNode(id)
        let count = min(max(2, innerCapacity * 7 / 8), level.count - first)
        for index in 0..<count {
          inner.children[index] = level[first + index]
          refresh(inner, index)
        }
        inner.count = count
        first += count
        above.append(id)
      }
      level = above
    }
    return BTreeRoot(node: level[0], count: entries.count)
  }
}

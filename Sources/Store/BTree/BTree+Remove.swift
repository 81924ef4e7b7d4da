extension BTree {
  /// Removes a row, whose key must still be in the columns. False if it is not there. Complexity: O(log n).
  @discardableResult
  func remove(_ row: UInt32, columns: UnsafePointer<ColumnReader>) -> Bool {
    let (entry, isNull) = entry(row, columns)
    let order = reader(columns)
    return isNull
      ? remove(entry, from: &nulls, order, isNulls: true) : remove(entry, from: &main, order, isNulls: false)
  }

  private func remove(
    _ entry: BTreeEntry, from root: inout BTreeRoot, _ order: BTreeReader, isNulls: Bool
  ) -> Bool {
    guard root.node != PageLayout.noRow, remove(entry, below: root.node, order, isNulls: isNulls) else { return false }
    root.count -= 1
    while true {
      let node = node(root.node)
      if node.count == 0 {
        freeNodes.append(root.node)
        root.node = PageLayout.noRow
        return true
      }
      if node.isLeaf || node.count > 1 { return true }
      let child = node.children[0]
      freeNodes.append(root.node)
      root.node = child
    }
  }

  private func remove(_ entry: BTreeEntry, below id: UInt32, _ order: BTreeReader, isNulls: Bool) -> Bool {
    let shared = node(id)
    let position = order.position(shared, of: entry, isNulls: isNulls)
    if shared.isLeaf {
      guard position < shared.count, shared.rows[position] == entry.row else { return false }
      shift(writableNode(id), from: position + 1, by: -1)
      return true
    }
    // The entry is below the last child whose first entry is not behind it.
    let isFirst =
      position < shared.count && shared.rows[position] == entry.row && shared.images[position] == entry.image
    let index = isFirst ? position : position - 1
    guard index >= 0, remove(entry, below: shared.children[index], order, isNulls: isNulls) else { return false }
    let inner = writableNode(id)
    let child = node(inner.children[index])
    if child.count == 0 {
      freeNodes.append(inner.children[index])
      shift(inner, from: index + 1, by: -1)
      return true
    }
    if isFirst {
      inner.images[index] = child.images[0]
      inner.rows[index] = child.rows[0]
    }
    inner.counts[index] -= 1
    if child.count <= child.capacity / 4 {
      if !merge(inner, index) && index > 0 { _ = merge(inner, index - 1) }
    }
    return true
  }

  /// Joins child `index` with the next one if both fill at most three quarters of a node.
  private func merge(_ inner: BTreeNode, _ index: Int) -> Bool {
    guard index + 1 < inner.count else { return false }
    let right = inner.children[index + 1]
    let rightNode = node(right)
    let leftCount = node(inner.children[index]).count
    guard (leftCount + rightNode.count) * 4 <= rightNode.capacity * 3 else { return false }
    append(writableNode(inner.children[index]), from: rightNode, 0..<rightNode.count)
    inner.counts[index] += inner.counts[index + 1]
    shift(inner, from: index + 2, by: -1)
    freeNodes.append(right)
    return true
  }
}

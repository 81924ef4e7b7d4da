extension BTree {
  /// Adds a row whose key is in the columns. Complexity: O(log n).
  func insert(_ row: UInt32, columns: UnsafePointer<ColumnReader>) {
    let (entry, isNull) = entry(row, columns)
    let order = reader(columns)
    if isNull {
      insert(entry, into: &nulls, order, isNulls: true)
    } else {
      insert(entry, into: &main, order, isNulls: false)
    }
  }

  private func insert(_ entry: BTreeEntry, into root: inout BTreeRoot, _ order: BTreeReader, isNulls: Bool) {
    if root.node == PageLayout.noRow { root.node = makeNode(level: 0) }
    root.count += 1
    guard let sibling = insert(entry, below: root.node, order, isNulls: isNulls, isRightmost: true) else { return }
    let id = makeNode(level: node(root.node).level + 1)
    let top = writableNode(id)
    top.children[0] = root.node
    top.children[1] = sibling
    top.count = 2
    refresh(top, 0)
    refresh(top, 1)
    root.node = id
  }

  /// Gives the new right sibling if the node was split.
  private func insert(
    _ entry: BTreeEntry, below id: UInt32, _ order: BTreeReader, isNulls: Bool, isRightmost: Bool
  ) -> UInt32? {
    let node = writableNode(id)
    let position = order.position(node, of: entry, isNulls: isNulls)
    if node.isLeaf { return insert(entry, at: position, ofLeaf: id, isRightmost: isRightmost) }
    let index = max(0, position - 1)
    let sibling = insert(
      entry, below: node.children[index], order, isNulls: isNulls,
      isRightmost: isRightmost && index == node.count - 1)
    guard let sibling else {
      node.counts[index] += 1
      if position == 0 {
        node.images[0] = entry.image
        node.rows[0] = entry.row
      }
      return nil
    }
    refresh(node, index)
    return insertChild(sibling, at: index + 1, of: id, isRightmost: isRightmost)
  }

  /// Where a full node is split: in the middle, but right at the end if entries come in ascending order.
  private func splitPoint(_ node: BTreeNode, _ position: Int, isRightmost: Bool) -> Int {
    isRightmost && position == node.count ? node.count : (node.count + 1) / 2
  }

  private func insert(_ entry: BTreeEntry, at position: Int, ofLeaf id: UInt32, isRightmost: Bool) -> UInt32? {
    var leaf = writableNode(id)
    var position = position
    var sibling: UInt32?
    if leaf.count == leafCapacity {
      let split = splitPoint(leaf, position, isRightmost: isRightmost)
      let newID = makeNode(level: 0)
      let new = writableNode(newID)
      append(new, from: leaf, split..<leaf.count)
      leaf.count = split
      sibling = newID
      if position > split || split == leafCapacity {
        leaf = new
        position -= split
      }
    }
    shift(leaf, from: position, by: 1)
    leaf.images[position] = entry.image
    leaf.rows[position] = entry.row
    return sibling
  }

  private func insertChild(_ child: UInt32, at position: Int, of id: UInt32, isRightmost: Bool) -> UInt32? {
    var inner = writableNode(id)
    var position = position
    var sibling: UInt32?
    if inner.count == innerCapacity {
      let split = splitPoint(inner, position, isRightmost: isRightmost)
      let newID = makeNode(level: inner.level)
      let new = writableNode(newID)
      append(new, from: inner, split..<inner.count)
      inner.count = split
      sibling = newID
      if position > split || split == innerCapacity {
        inner = new
        position -= split
      }
    }
    shift(inner, from: position, by: 1)
    inner.children[position] = child
    refresh(inner, position)
    return sibling
  }
}

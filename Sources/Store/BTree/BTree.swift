#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One version of a B-tree, see ``BTreeNode``. Written only by the transaction whose stamp it carries.
///
/// Each entry is in one of two trees: those whose first component is null are in `nulls`, ordered by the others.
final class BTree: @unchecked Sendable {
  let layout: KeyLayout
  let isUnique: Bool
  let stamp: UInt64
  let leafCapacity: Int
  let innerCapacity: Int
  let directory: NodeDirectory
  @exclusivity(unchecked) var main = BTreeRoot.none
  @exclusivity(unchecked) var nulls = BTreeRoot.none
  @exclusivity(unchecked) var freeNodes: [UInt32] = []

  #if DEBUG
    // Why so few: splits and merges occur with twenty keys.
    static let defaultLeafCapacity = 4
    static let defaultInnerCapacity = 4
  #else
    // Both kinds of nodes have 2 KiB.
    static let defaultLeafCapacity = 168
    static let defaultInnerCapacity = 100
  #endif

  init(
    layout: KeyLayout, isUnique: Bool, stamp: UInt64, leafCapacity: Int = defaultLeafCapacity,
    innerCapacity: Int = defaultInnerCapacity
  ) {
    self.layout = layout
    self.isUnique = isUnique
    self.stamp = stamp
    self.leafCapacity = leafCapacity
    self.innerCapacity = innerCapacity
    directory = NodeDirectory(stamp: stamp)
  }

  init(copying other: BTree, keys: KeyLayout? = nil, stamp: UInt64) {
    layout = keys ?? other.layout
    isUnique = other.isUnique
    self.stamp = stamp
    leafCapacity = other.leafCapacity
    innerCapacity = other.innerCapacity
    directory = NodeDirectory(copying: other.directory, stamp: stamp)
    main = other.main
    nulls = other.nulls
    freeNodes = other.freeNodes
  }

  func reader(_ columns: UnsafePointer<ColumnReader>) -> BTreeReader {
    BTreeReader(
      nodes: UnsafePointer(directory.tops), columns: columns, layout: layout, leafCapacity: leafCapacity,
      innerCapacity: innerCapacity, main: main, nulls: nulls)
  }

  var byteCount: Int { directory.byteCount }

  // MARK: - Nodes

  func node(_ id: UInt32) -> BTreeNode {
    BTreeNode(directory.base(Int(id)), leafCapacity: leafCapacity, innerCapacity: innerCapacity)
  }

  func writableNode(_ id: UInt32) -> BTreeNode {
    BTreeNode(directory.writableBase(Int(id)), leafCapacity: leafCapacity, innerCapacity: innerCapacity)
  }

  func makeNode(level: Int) -> UInt32 {
    let id: UInt32
    let base: UnsafeMutableRawPointer
    if let free = freeNodes.popLast() {
      id = free
      base = directory.writableBase(Int(id))
    } else {
      let page = Page(
        byteCount: BTreeNode.byteCount(leafCapacity: leafCapacity, innerCapacity: innerCapacity), stamp: stamp)
      id = UInt32(truncatingIfNeeded: directory.count)
      directory.append(page)
      base = page.base
    }
    base.storeBytes(of: 0, as: UInt32.self)
    base.storeBytes(of: UInt32(truncatingIfNeeded: level), toByteOffset: 4, as: UInt32.self)
    return id
  }

  /// Makes entry `index` of an inner node describe its child.
  func refresh(_ parent: BTreeNode, _ index: Int) {
    let child = node(parent.children[index])
    parent.images[index] = child.images[0]
    parent.rows[index] = child.rows[0]
    parent.counts[index] = UInt32(truncatingIfNeeded: child.total)
  }

  /// Moves the entries of `node` from `index` on by `distance` places.
  func shift(_ node: BTreeNode, from index: Int, by distance: Int) {
    let moved = node.count - index
    if moved > 0 {
      memmove(node.images + index + distance, node.images + index, moved * 8)
      memmove(node.rows + index + distance, node.rows + index, moved * 4)
      if !node.isLeaf {
        memmove(node.counts + index + distance, node.counts + index, moved * 4)
        memmove(node.children + index + distance, node.children + index, moved * 4)
      }
    }
    node.count += distance
  }

  /// Appends entries of one node to another of its level.
  func append(_ target: BTreeNode, from source: BTreeNode, _ range: Range<Int>) {
    let end = target.count
    memcpy(target.images + end, source.images + range.lowerBound, range.count * 8)
    memcpy(target.rows + end, source.rows + range.lowerBound, range.count * 4)
    if !target.isLeaf {
      memcpy(target.counts + end, source.counts + range.lowerBound, range.count * 4)
      memcpy(target.children + end, source.children + range.lowerBound, range.count * 4)
    }
    target.count = end + range.count
  }

  // MARK: - Entries

  /// The row's entry, from the columns.
  func entry(_ row: UInt32, _ columns: UnsafePointer<ColumnReader>) -> (entry: BTreeEntry, isNull: Bool) {
    let component = layout.components[0]
    if component.isNull(columns, row) { return (BTreeEntry(image: 0, row: row), true) }
    return (BTreeEntry(image: KeyOrder.image(component.kind, component.cell(columns, row)), row: row), false)
  }

  /// The row under a whole key without nulls, or `PageLayout.noRow`.
  func find(_ key: UnsafePointer<Cell>, columns: UnsafePointer<ColumnReader>) -> UInt32 {
    var row = PageLayout.noRow
    let bounds = BTreeBounds(equal: key, equalCount: layout.count)
    _ = reader(columns).walk(bounds, descending: false, skip: 0, limit: 1, into: &row)
    return row
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The memory layout of the nodes of an order-statistic B+-tree; children are numbers in a directory of pages, so that
/// copying a node changes no other one.
///
/// ```
/// byte  0       4       8       16 … 32
///       ┌───────┬───────┬───────┬────┬──────────────────┬────────────────┬──────────┬──────────┐
///       │ count │ level │ stamp │    │ images, 8 each   │ rows, 4 each   │ counts   │ children │
///       └───────┴───────┴───────┴────┴──────────────────┴────────────────┴──────────┴──────────┘
/// ```
/// Leaves (level 0) have images and rows only. In an inner node, image and row are those of the first entry below the
/// child, always exactly, and counts say how many entries are below it.
@usableFromInline struct BTreeNode {
  let base: UnsafeMutableRawPointer
  let capacity: Int

  /// Precondition of the mutating use of what this gives: the node is the writer's.
  init(_ base: UnsafeRawPointer, leafCapacity: Int, innerCapacity: Int) {
    self.base = UnsafeMutableRawPointer(mutating: base)
    capacity = (base + 4).load(as: UInt32.self) == 0 ? leafCapacity : innerCapacity
  }

  static func byteCount(leafCapacity: Int, innerCapacity: Int) -> Int {
    max(32 + 12 * leafCapacity, 32 + 20 * innerCapacity)
  }

  var count: Int {
    get { Int(base.load(as: UInt32.self)) }
    nonmutating set { base.storeBytes(of: UInt32(truncatingIfNeeded: newValue), as: UInt32.self) }
  }
  var level: Int { Int((base + 4).load(as: UInt32.self)) }
  var isLeaf: Bool { level == 0 }
  var images: UnsafeMutablePointer<UInt64> { (base + 32).assumingMemoryBound(to: UInt64.self) }
  var rows: UnsafeMutablePointer<UInt32> { (base + (32 + capacity &* 8)).assumingMemoryBound(to: UInt32.self) }
  var counts: UnsafeMutablePointer<UInt32> { rows + capacity }
  var children: UnsafeMutablePointer<UInt32> { rows + capacity &* 2 }

  /// Entries below the node.
  var total: Int {
    if isLeaf { return count }
    var sum = 0
    for index in 0..<count { sum &+= Int(counts[index]) }
    return sum
  }
}

/// The root of one of a B-tree's two trees.
@usableFromInline struct BTreeRoot: Sendable {
  static let none = BTreeRoot(node: PageLayout.noRow, count: 0)
  var node: UInt32
  var count: Int
}

/// The read side of a B-tree, over raw addresses. Valid as long as the ``Snapshot`` that gave it.
///
/// *List order*: ascending keys, or descending keys; entries with equal keys by ascending row in both directions;
/// entries whose ordered component is null behind all others in both directions. (Null components behind the ordered
/// one are the largest values, so descending walks meet them first.)
@frozen @usableFromInline package struct BTreeReader: @unchecked Sendable {
  /// Two levels, see ``NodeDirectory``.
  @usableFromInline let nodes: UnsafePointer<UnsafePointer<UnsafeRawPointer?>>
  @usableFromInline let columns: UnsafePointer<ColumnReader>
  @usableFromInline let components: UnsafePointer<KeyComponent>
  @usableFromInline let componentCount: Int
  @usableFromInline let leafCapacity: Int
  @usableFromInline let innerCapacity: Int
  /// Entries whose first component is not null, and the others.
  @usableFromInline let main: BTreeRoot
  @usableFromInline let nulls: BTreeRoot

  init(
    nodes: UnsafePointer<UnsafePointer<UnsafeRawPointer?>>, columns: UnsafePointer<ColumnReader>, layout: KeyLayout,
    leafCapacity: Int, innerCapacity: Int, main: BTreeRoot, nulls: BTreeRoot
  ) {
    self.nodes = nodes
    self.columns = columns
    components = UnsafePointer(layout.components)
    componentCount = layout.count
    self.leafCapacity = leafCapacity
    self.innerCapacity = innerCapacity
    self.main = main
    self.nulls = nulls
  }

  /// Entries, those with null components included.
  @usableFromInline package var entryCount: Int { main.count + nulls.count }

  func node(_ id: UInt32) -> BTreeNode {
    // Safe because the tree names only nodes that exist.
    BTreeNode(
      nodes[Int(id) >> NodeDirectory.groupShift][Int(id) & NodeDirectory.groupMask].unsafelyUnwrapped,
      leafCapacity: leafCapacity, innerCapacity: innerCapacity)
  }

  // MARK: - Order of entries

  /// Whether equal images mean equal keys.
  var imageIsKey: Bool { componentCount == 1 && KeyOrder.isExact(components[0].kind) }

  /// Compares the keys of two rows from component `first` on, up to `end` where it is given; nulls are the largest.
  func compareKeys(_ left: UInt32, _ right: UInt32, from first: Int, to end: Int = .max) -> Int {
    var index = first
    let end = min(end, componentCount)
    while index < end {
      let component = components[index]
      switch (component.isNull(columns, left), component.isNull(columns, right)) {
      case (true, true): break
      case (true, false): return 1
      case (false, true): return -1
      case (false, false):
        let order = KeyOrder.compare(
          component.kind, component.cell(columns, left), component.cell(columns, right))
        if order != 0 { return order }
      }
      index &+= 1
    }
    return 0
  }

  /// Image, key, row. In the tree of nulls images are 0, and the first component is left out.
  func compare(_ left: BTreeEntry, _ right: BTreeEntry, isNulls: Bool) -> Int {
    if left.image != right.image { return left.image < right.image ? -1 : 1 }
    let order = compareEqualImages(left.row, right.row, isNulls: isNulls)
    if order != 0 { return order }
    return left.row < right.row ? -1 : left.row == right.row ? 0 : 1
  }

  @inline(__always)
  func compareEqualImages(_ left: UInt32, _ right: UInt32, isNulls: Bool) -> Int {
    if isNulls { return componentCount == 1 ? 0 : compareKeys(left, right, from: 1) }
    return imageIsKey ? 0 : compareKeys(left, right, from: 0)
  }

  /// How many of the node's entries are before `entry`.
  func position(_ node: BTreeNode, of entry: BTreeEntry, isNulls: Bool) -> Int {
    var low = 0
    var high = node.count
    let images = node.images
    let rows = node.rows
    while low < high {
      let middle = (low &+ high) &>> 1
      let image = images[middle]
      let isBefore: Bool
      if image != entry.image {
        isBefore = image < entry.image
      } else {
        let order = compareEqualImages(rows[middle], entry.row, isNulls: isNulls)
        isBefore = order != 0 ? order < 0 : rows[middle] < entry.row
      }
      if isBefore { low = middle &+ 1 } else { high = middle }
    }
    return low
  }

  /// How many entries of the tree have a smaller key than that of `entry`, and where its group begins therefore.
  func groupStart(_ root: BTreeRoot, _ entry: BTreeEntry, isNulls: Bool) -> Int {
    rank(root) { node, index in
      let image = node.images[index]
      if image != entry.image { return image < entry.image }
      return compareEqualImages(node.rows[index], entry.row, isNulls: isNulls) < 0
    }
  }

  /// How many entries have a key that is not larger than that of `entry`.
  func groupEnd(_ root: BTreeRoot, _ entry: BTreeEntry, isNulls: Bool) -> Int {
    rank(root) { node, index in
      let image = node.images[index]
      if image != entry.image { return image < entry.image }
      return compareEqualImages(node.rows[index], entry.row, isNulls: isNulls) <= 0
    }
  }

  /// The number of entries that `isBefore` accepts: all of them stand before all others.
  @inline(__always)
  func rank(_ root: BTreeRoot, isBefore: (BTreeNode, Int) -> Bool) -> Int {
    if root.node == PageLayout.noRow { return 0 }
    var node = node(root.node)
    var rank = 0
    while true {
      var low = 0
      var high = node.count
      while low < high {
        let middle = (low &+ high) &>> 1
        if isBefore(node, middle) { low = middle &+ 1 } else { high = middle }
      }
      if node.isLeaf { return rank &+ low }
      // The first entry below child `low` is the first not before: what remains is below the child before it.
      if low == 0 { return rank }
      let counts = node.counts
      for index in 0..<(low &- 1) { rank &+= Int(counts[index]) }
      node = self.node(node.children[low &- 1])
    }
  }

  /// The entry with the number `rank`. Precondition: it exists.
  func entry(_ root: BTreeRoot, at rank: Int) -> BTreeEntry {
    var node = node(root.node)
    var rest = rank
    while !node.isLeaf {
      var index = 0
      while rest >= Int(node.counts[index]) {
        rest -= Int(node.counts[index])
        index += 1
      }
      node = self.node(node.children[index])
    }
    return BTreeEntry(image: node.images[rest], row: node.rows[rest])
  }

  /// Copies rows, and images where wanted, of the entries from number `first` on.
  func copy(
    _ id: UInt32, from first: Int, count: Int, rows: UnsafeMutablePointer<UInt32>,
    images: UnsafeMutablePointer<UInt64>?
  ) {
    let node = node(id)
    if node.isLeaf {
      memcpy(rows, node.rows + first, count * 4)
      if let images { memcpy(images, node.images + first, count * 8) }
      return
    }
    var skip = first
    var done = 0
    var index = 0
    while done < count {
      let below = Int(node.counts[index])
      if skip < below {
        let taken = min(below - skip, count - done)
        copy(node.children[index], from: skip, count: taken, rows: rows + done, images: images.map { $0 + done })
        done += taken
        skip = 0
      } else {
        skip -= below
      }
      index += 1
    }
  }
}

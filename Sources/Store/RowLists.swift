/// Lists of numbers by row, of which few rows have one: a radix tree, whose nodes versions share.
///
/// ```
///   node ─▶ 32 children ─▶ … ─▶ leaf: ends of 32 lists │ the lists, one behind the other
/// ```
/// Writing a list copies the way to its leaf, some hundred bytes a level, and no more however many rows there are. A
/// value; nodes are written only by who passes the stamp that they carry.
struct RowLists {
  private final class Node {
    let stamp: UInt64
    @exclusivity(unchecked) var children: ContiguousArray<Node?>
    /// Of a leaf: where in the words behind them the list of each row ends.
    @exclusivity(unchecked) var words: ContiguousArray<UInt32>
    /// Of a leaf: lists that are not to be copied with their neighbours.
    @exclusivity(unchecked) var long: [Int: ContiguousArray<UInt32>]
    /// Children, or rows with a list.
    @exclusivity(unchecked) var used: Int

    init(isLeaf: Bool, stamp: UInt64) {
      self.stamp = stamp
      children = isLeaf ? [] : ContiguousArray(repeating: nil, count: RowLists.fanout)
      words = isLeaf ? ContiguousArray(repeating: 0, count: RowLists.fanout) : []
      long = [:]
      used = 0
    }

    init(copying other: Node, stamp: UInt64) {
      self.stamp = stamp
      other.children.withUnsafeBufferPointer { $0.touchHeaders() }
      children = other.children
      words = other.words
      long = other.long
      used = other.used
    }

    @inline(__always)
    func child(_ slot: Int) -> Unmanaged<Node>? {
      children.withUnsafeBufferPointer { $0[slot].map { Unmanaged.passUnretained($0) } }
    }

    func range(_ slot: Int) -> Range<Int> {
      let start = slot == 0 ? 0 : Int(words[slot - 1])
      return RowLists.fanout + start..<RowLists.fanout + Int(words[slot])
    }
  }

  private static let shift = 5
  private static let fanout = 32
  /// Words above which a list stands alone.
  private static let longList = 256

  private var root: Node?
  /// Levels above the leaves.
  private var height = 0
  /// Rows that have a list.
  private(set) var count = 0
  /// Bytes held, shared ones included.
  private(set) var byteCount = 0

  private func slot(_ row: UInt32, _ level: Int) -> Int { Int(row >> UInt32(level * Self.shift)) & (Self.fanout - 1) }

  /// Whether the tree is high enough for a row.
  private func reaches(_ row: UInt32) -> Bool {
    root != nil && (height >= 6 || row >> UInt32((height + 1) * Self.shift) == 0)
  }

  private func leaf(_ row: UInt32) -> Node? {
    guard reaches(row), let root else { return nil }
    // Not counted on the way: the root holds all of them.
    var node = Unmanaged.passUnretained(root)
    var level = height
    while level > 0 {
      let slot = slot(row, level)
      guard let child = node._withUnsafeGuaranteedRef({ $0.child(slot) }) else { return nil }
      node = child
      level -= 1
    }
    return node.takeUnretainedValue()
  }

  func isEmpty(_ row: UInt32) -> Bool {
    guard let leaf = leaf(row) else { return true }
    let slot = slot(row, 0)
    return leaf.range(slot).isEmpty && leaf.long[slot] == nil
  }

  /// The row's list, empty where there is none.
  subscript(_ row: UInt32) -> ContiguousArray<UInt32> {
    guard let leaf = leaf(row) else { return [] }
    return Self.list(leaf, slot(row, 0))
  }

  /// Calls with the row's list where it lies.
  func withList<Result>(_ row: UInt32, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    guard let leaf = leaf(row) else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
    let slot = slot(row, 0)
    if let long = leaf.long[slot] { return long.withUnsafeBufferPointer(body) }
    let range = leaf.range(slot)
    return leaf.words.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }

  private static func list(_ leaf: Node, _ slot: Int) -> ContiguousArray<UInt32> {
    if let long = leaf.long[slot] { return long }
    let range = leaf.range(slot)
    return range.isEmpty ? [] : ContiguousArray(leaf.words[range])
  }

  /// Replaces the row's list; an empty one takes it away.
  mutating func set(_ row: UInt32, _ list: ContiguousArray<UInt32>, stamp: UInt64) {
    if list.isEmpty && isEmpty(row) { return }
    if root == nil {
      // Just high enough, so that no node is empty.
      height = 0
      while height < 6, row >> UInt32((height + 1) * Self.shift) != 0 { height += 1 }
      root = makeNode(isLeaf: height == 0, stamp)
    }
    while !reaches(row) {
      let top = makeNode(isLeaf: false, stamp)
      top.children[0] = root
      top.used = 1
      root = top
      height += 1
    }
    guard let top = root else { return }
    let owned = Self.owned(top, stamp)
    root = owned
    write(list, row, owned, height, stamp)
    // What is empty goes, so that a tree of which all lists were taken away holds nothing.
    if owned.used == 0 {
      root = nil
      height = 0
      byteCount = 0
    }
  }

  /// Makes a long list longer where it lies, which takes no copy of it. False, and nothing is done, where the list is
  /// short, or no write that carried the stamp has made it.
  mutating func extend(_ row: UInt32, stamp: UInt64, _ change: (inout ContiguousArray<UInt32>) -> Void) -> Bool {
    let slot = slot(row, 0)
    // Who owns a leaf owns the way to it.
    guard let leaf = leaf(row), leaf.stamp == stamp, var list = leaf.long.removeValue(forKey: slot) else {
      return false
    }
    byteCount -= list.count * 4
    change(&list)
    byteCount += list.count * 4
    leaf.long[slot] = list
    return true
  }

  private static func bytes(isLeaf: Bool) -> Int { 96 + fanout * (isLeaf ? 4 : 8) }

  private mutating func makeNode(isLeaf: Bool, _ stamp: UInt64) -> Node {
    byteCount += Self.bytes(isLeaf: isLeaf)
    return Node(isLeaf: isLeaf, stamp: stamp)
  }

  private static func owned(_ node: Node, _ stamp: UInt64) -> Node {
    node.stamp == stamp ? node : Node(copying: node, stamp: stamp)
  }

  /// Precondition: the node carries the stamp.
  private mutating func write(
    _ list: ContiguousArray<UInt32>, _ row: UInt32, _ node: Node, _ level: Int, _ stamp: UInt64
  ) {
    let slot = slot(row, level)
    if level == 0 { return write(list, slot, node) }
    let child: Node
    if let old = node.children[slot] {
      child = Self.owned(old, stamp)
    } else {
      child = makeNode(isLeaf: level == 1, stamp)
      node.used += 1
    }
    node.children[slot] = child
    write(list, row, child, level - 1, stamp)
    if child.used == 0 {
      node.children[slot] = nil
      node.used -= 1
      byteCount -= Self.bytes(isLeaf: level == 1)
    }
  }

  private mutating func write(_ list: ContiguousArray<UInt32>, _ slot: Int, _ leaf: Node) {
    let range = leaf.range(slot)
    let long = leaf.long[slot]
    let wasThere = !range.isEmpty || long != nil
    byteCount += (list.count - range.count - (long?.count ?? 0)) * 4
    let isLong = list.count > Self.longList
    let inline = isLong ? [] : list
    if long != nil || isLong { leaf.long[slot] = isLong ? list : nil }
    if !range.isEmpty || !inline.isEmpty {
      leaf.words.replaceSubrange(range, with: inline)
      for later in slot..<Self.fanout {
        leaf.words[later] = UInt32(truncatingIfNeeded: Int(leaf.words[later]) + inline.count - range.count)
      }
    }
    let difference = (list.isEmpty ? 0 : 1) - (wasThere ? 1 : 0)
    leaf.used += difference
    count += difference
  }

  /// Calls with each row that has a list, ascending.
  func forEach(_ body: (UInt32, ContiguousArray<UInt32>) -> Void) {
    if let root { Self.walk(root, height, 0, body) }
  }

  private static func walk(
    _ node: Node, _ level: Int, _ first: UInt32, _ body: (UInt32, ContiguousArray<UInt32>) -> Void
  ) {
    for slot in 0..<fanout {
      let row = first | UInt32(slot) << UInt32(level * shift)
      if level > 0 {
        if let child = node.children[slot] { walk(child, level - 1, row, body) }
      } else {
        let list = list(node, slot)
        if !list.isEmpty { body(row, list) }
      }
    }
  }

  /// Writes the rows that have a list, ascending; there must be room for ``count``.
  func copyRows(into rows: UnsafeMutablePointer<UInt32>) {
    var next = rows
    if let root { Self.copyRows(root, height, 0, &next) }
  }

  private static func copyRows(
    _ node: Node, _ level: Int, _ first: UInt32, _ next: inout UnsafeMutablePointer<UInt32>
  ) {
    for slot in 0..<fanout {
      let row = first | UInt32(slot) << UInt32(level * shift)
      if level > 0 {
        if let child = node.children[slot] { copyRows(child, level - 1, row, &next) }
      } else if !node.range(slot).isEmpty || node.long[slot] != nil {
        next.pointee = row
        next += 1
      }
    }
  }

  func hashMemory(into digest: inout MemoryDigest) {
    digest.add(UInt64(count))
    forEach { row, list in
      digest.add(UInt64(row))
      for word in list { digest.add(UInt64(word)) }
    }
  }
}

/// Lists of numbers by row, of which few rows have one: a radix tree, whose nodes versions share.
///
/// ```
///   branch ─▶ 8 children ─▶ … ─▶ leaf: ends of 128 lists │ the lists, one behind the other
/// ```
/// Writing a list copies the way to its leaf, a node a level, each one block, and no more however many rows there are. A
/// value; nodes are written only by who passes the stamp that they carry.
struct RowLists {
  /// A ``RowListBranch``, or a ``RowListLeaf`` where the height is 0.
  private var root: AnyObject?
  /// Levels above the leaves.
  private var height = 0
  /// Rows that have a list.
  private(set) var count = 0
  /// Bytes held, shared ones included.
  private(set) var byteCount = 0

  /// Levels above the leaves that are enough for every row.
  private static let maximumHeight = 9

  @inline(__always)
  private static func slot(_ row: UInt32, _ level: Int) -> Int {
    level == 0
      ? Int(row) & (RowListLeaf.rows - 1)
      : Int(row >> UInt32(RowListLeaf.shift + (level - 1) * RowListBranch.shift)) & (RowListBranch.fanout - 1)
  }

  /// Whether a tree of that height has a place for a row.
  private static func reaches(_ row: UInt32, height: Int) -> Bool {
    height >= maximumHeight || row >> UInt32(RowListLeaf.shift + height * RowListBranch.shift) == 0
  }

  /// Called with the row's leaf, if it is there, which is not counted on the way: the root holds all of them.
  @inline(__always)
  private func withLeaf<Result>(_ row: UInt32, _ body: (RowListLeaf) -> Result) -> Result? {
    guard let root, Self.reaches(row, height: height) else { return nil }
    if height == 0 { return body(unsafeDowncast(root, to: RowListLeaf.self)) }
    // Safe here and below because a level says what its nodes are.
    var branch = Unmanaged.passUnretained(unsafeDowncast(root, to: RowListBranch.self))
    var level = height
    while level > 1 {
      let slot = Self.slot(row, level)
      guard let child = branch._withUnsafeGuaranteedRef({ $0.child(slot, as: RowListBranch.self) }) else { return nil }
      branch = child
      level -= 1
    }
    let slot = Self.slot(row, 1)
    guard let leaf = branch._withUnsafeGuaranteedRef({ $0.child(slot, as: RowListLeaf.self) }) else { return nil }
    return leaf._withUnsafeGuaranteedRef(body)
  }

  /// Reads where the row's list ends, see ``WriteTransaction/touch(_:_:)``.
  @inline(__always)
  func touch(_ row: UInt32) -> UInt64 { withLeaf(row) { $0.touch(Self.slot(row, 0)) } ?? 0 }

  func isEmpty(_ row: UInt32) -> Bool { withLeaf(row) { $0.isEmpty(Self.slot(row, 0)) } ?? true }

  /// The row's list, empty where there is none.
  subscript(_ row: UInt32) -> ContiguousArray<UInt32> { withList(row) { ContiguousArray($0) } }

  /// Calls with the row's list where it lies.
  func withList<Result>(_ row: UInt32, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    withLeaf(row) { $0.withList(Self.slot(row, 0), body) } ?? body(UnsafeBufferPointer(start: nil, count: 0))
  }

  /// Replaces the row's list; an empty one takes it away.
  mutating func set(_ row: UInt32, _ list: ContiguousArray<UInt32>, stamp: UInt64) {
    if list.isEmpty && isEmpty(row) { return }
    if root == nil {
      // Just high enough, so that no node is empty.
      height = 0
      while !Self.reaches(row, height: height) { height += 1 }
    }
    while let old = root, !Self.reaches(row, height: height) {
      let top = RowListBranch.make(stamp: stamp)
      top[0] = old
      top.countChildren(by: 1)
      byteCount += RowListBranch.byteCount
      root = top
      height += 1
    }
    root = write(list, row, root, height, stamp)
    if root == nil { height = 0 }
  }

  /// Makes a long list longer where it lies, which takes no copy of it. False, and nothing is done, where the list is
  /// short, or no write that carried the stamp has made it.
  mutating func extend(_ row: UInt32, stamp: UInt64, _ change: (inout ContiguousArray<UInt32>) -> Void) -> Bool {
    let slot = Self.slot(row, 0)
    let difference = withLeaf(row) { leaf -> Int? in
      // Who owns a leaf owns the way to it.
      guard leaf.stamp == stamp, var list = leaf.takeLong(slot) else { return nil }
      let old = list.count
      change(&list)
      let difference = list.count - old
      leaf.putBack(slot, long: list)
      return difference
    }
    guard let difference, let difference else { return false }
    byteCount += difference * 4
    return true
  }

  /// The node with the row's list replaced: the same where it carries the stamp, or a copy; nil where nothing is left in
  /// it. What is empty goes, so that a tree of which all lists were taken away holds nothing.
  private mutating func write(
    _ list: ContiguousArray<UInt32>, _ row: UInt32, _ node: AnyObject?, _ level: Int, _ stamp: UInt64
  ) -> AnyObject? {
    let slot = Self.slot(row, level)
    if level == 0 {
      let old = node.map { unsafeDowncast($0, to: RowListLeaf.self) }
      let before = old.map { (used: $0.used, bytes: $0.byteCount) } ?? (used: 0, bytes: 0)
      let leaf = (old ?? RowListLeaf.make(stamp: stamp)).replacing(slot, with: list, stamp: stamp)
      let used = leaf.used
      count += used - before.used
      byteCount += (used == 0 ? 0 : leaf.byteCount) - before.bytes
      return used == 0 ? nil : leaf
    }
    let branch: RowListBranch
    if let node {
      let old = unsafeDowncast(node, to: RowListBranch.self)
      branch = old.stamp == stamp ? old : old.copy(stamp: stamp)
    } else {
      branch = RowListBranch.make(stamp: stamp)
      byteCount += RowListBranch.byteCount
    }
    let old = branch[slot]
    let new = write(list, row, old, level - 1, stamp)
    if new !== old {
      branch[slot] = new
      branch.countChildren(by: (new == nil ? 0 : 1) - (old == nil ? 0 : 1))
    }
    if branch.used > 0 { return branch }
    byteCount -= RowListBranch.byteCount
    return nil
  }

  /// Calls with each row that has a list, ascending.
  func forEach(_ body: (UInt32, ContiguousArray<UInt32>) -> Void) {
    forEachLeaf { first, leaf in
      for slot in 0..<RowListLeaf.rows where !leaf.isEmpty(slot) {
        leaf.withList(slot) { body(first | UInt32(slot), ContiguousArray($0)) }
      }
    }
  }

  /// Writes the rows that have a list, ascending; there must be room for ``count``.
  func copyRows(into rows: UnsafeMutablePointer<UInt32>) {
    var next = rows
    forEachLeaf { first, leaf in
      for slot in 0..<RowListLeaf.rows where !leaf.isEmpty(slot) {
        next.pointee = first | UInt32(slot)
        next += 1
      }
    }
  }

  /// Calls with each leaf and its first row, ascending.
  private func forEachLeaf(_ body: (UInt32, RowListLeaf) -> Void) {
    if let root { Self.walk(root, height, 0, body) }
  }

  private static func walk(_ node: AnyObject, _ level: Int, _ first: UInt32, _ body: (UInt32, RowListLeaf) -> Void) {
    if level == 0 { return body(first, unsafeDowncast(node, to: RowListLeaf.self)) }
    let branch = unsafeDowncast(node, to: RowListBranch.self)
    let shift = UInt32(RowListLeaf.shift + (level - 1) * RowListBranch.shift)
    for slot in 0..<RowListBranch.fanout {
      if let child = branch[slot] { walk(child, level - 1, first | UInt32(slot) << shift, body) }
    }
  }

  /// Adds the rows of which the list may be another in another version: those of all nodes that the two do not share.
  func addDifferences(from other: RowLists, to rows: inout [UInt32]) {
    if root === other.root { return }
    if height == other.height, let root, let old = other.root {
      return Self.addDifferences(root, old, height, 0, &rows)
    }
    for lists in [self, other] { lists.forEachLeaf { first, leaf in Self.addRows(leaf, first, &rows) } }
  }

  private static func addDifferences(
    _ node: AnyObject, _ old: AnyObject, _ level: Int, _ first: UInt32, _ rows: inout [UInt32]
  ) {
    if node === old { return }
    if level == 0 {
      for leaf in [node, old] { addRows(unsafeDowncast(leaf, to: RowListLeaf.self), first, &rows) }
      return
    }
    let (branch, oldBranch) = (
      unsafeDowncast(node, to: RowListBranch.self), unsafeDowncast(old, to: RowListBranch.self)
    )
    let shift = UInt32(RowListLeaf.shift + (level - 1) * RowListBranch.shift)
    for slot in 0..<RowListBranch.fanout {
      let first = first | UInt32(slot) << shift
      switch (branch[slot], oldBranch[slot]) {
      case (nil, nil): break
      case (let child?, let oldChild?): addDifferences(child, oldChild, level - 1, first, &rows)
      case (let child?, nil), (nil, let child?): walk(child, level - 1, first) { addRows($1, $0, &rows) }
      }
    }
  }

  private static func addRows(_ leaf: RowListLeaf, _ first: UInt32, _ rows: inout [UInt32]) {
    for slot in 0..<RowListLeaf.rows where !leaf.isEmpty(slot) { rows.append(first | UInt32(slot)) }
  }

  func hashMemory(into digest: inout MemoryDigest) {
    digest.add(UInt64(count))
    forEach { row, list in
      digest.add(UInt64(row))
      for word in list { digest.add(UInt64(word)) }
    }
  }
}

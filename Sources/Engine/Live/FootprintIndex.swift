import GQLCatalog
import GQLExecutor
import GQLStore

/// The footprints of all live queries, in which a change finds those that it may concern.
///
/// Complexity: a change looks up its row, its type, and the old and new values of columns by which rows are looked up;
/// each is a chain of the questions that share it.
struct FootprintIndex {
  /// An entry in a chain of one key.
  private struct Node {
    var key: UInt64
    var columns: ColumnMask
    var question: Int32
    var next: Int32
    var previous: Int32
  }
  /// The first nodes of chains.
  private var heads: [UInt64: Int32] = [:]
  private var nodes: ContiguousArray<Node> = []
  private var free: ContiguousArray<Int32> = []
  /// By type: the columns whose values are looked up, and how many footprints do so.
  private var keyColumns: [Int: [Int: Int]] = [:]
  /// By type: the columns of which intervals are looked up.
  private var trees: [Int: [Int: IntervalTree]] = [:]
  /// The questions that any change may concern.
  private var everything: Set<Int32> = []

  /// The parts of a footprint that were put in for a question.
  struct Entry {
    fileprivate var nodes: ContiguousArray<Int32> = []
    fileprivate var keyColumns: ContiguousArray<UInt64> = []
    fileprivate var intervals: [(interval: Footprint.Interval, place: Int32)] = []
    fileprivate var isEverything = false

    var byteCount: Int { nodes.count * 64 + keyColumns.count * 8 + intervals.count * 112 }
  }

  /// Puts the footprint of a question in the place of the one that it had.
  mutating func replace(_ entry: inout Entry, of question: Int32, by footprint: Footprint) {
    if holds(entry, footprint) { return }
    remove(&entry, of: question)
    entry.isEverything = footprint.isEverything
    if footprint.isEverything {
      everything.insert(question)
      return
    }
    entry.nodes.reserveCapacity(footprint.places.count)
    for place in footprint.places { entry.nodes.append(add(place.key, place.columns, question)) }
    for interval in footprint.intervals { entry.intervals.append((interval, add(interval, question))) }
    for column in footprint.keyColumns {
      entry.keyColumns.append(column)
      keyColumns[Int(column >> 32), default: [:]][Int(UInt32(truncatingIfNeeded: column)), default: 0] += 1
    }
  }

  private mutating func add(_ interval: Footprint.Interval, _ question: Int32) -> Int32 {
    trees[interval.type, default: [:]][interval.column, default: IntervalTree()]
      .insert(interval.lower...interval.upper, interval.columns, of: question)
  }

  private mutating func remove(_ interval: Footprint.Interval, _ place: Int32) {
    trees[interval.type]?[interval.column]?.remove(place)
    if trees[interval.type]?[interval.column]?.isEmpty ?? false { trees[interval.type]?[interval.column] = nil }
    if trees[interval.type]?.isEmpty ?? false { trees[interval.type] = nil }
  }

  mutating func remove(_ entry: inout Entry, of question: Int32) {
    if entry.isEverything { everything.remove(question) }
    for node in entry.nodes { remove(node) }
    for (interval, place) in entry.intervals { remove(interval, place) }
    for column in entry.keyColumns {
      let (type, column) = (Int(column >> 32), Int(UInt32(truncatingIfNeeded: column)))
      guard let count = keyColumns[type]?[column] else { continue }
      keyColumns[type]?[column] = count > 1 ? count - 1 : nil
      if keyColumns[type]?.isEmpty ?? false { keyColumns[type] = nil }
    }
    entry = Entry()
  }

  /// Returns whether an entry has nothing but a footprint.
  private func holds(_ entry: Entry, _ footprint: Footprint) -> Bool {
    if entry.isEverything || footprint.isEverything { return entry.isEverything == footprint.isEverything }
    guard entry.nodes.count == footprint.places.count, entry.keyColumns == footprint.keyColumns,
      entry.intervals.count == footprint.intervals.count
    else { return false }
    for (number, place) in footprint.places.enumerated() {
      let node = nodes[Int(entry.nodes[number])]
      if node.key != place.key || node.columns != place.columns { return false }
    }
    return zip(entry.intervals, footprint.intervals).allSatisfy { $0.interval == $1 }
  }

  private mutating func add(_ key: UInt64, _ columns: ColumnMask, _ question: Int32) -> Int32 {
    let head = heads[key] ?? -1
    let node = Node(key: key, columns: columns, question: question, next: head, previous: -1)
    let place: Int32
    if let used = free.popLast() {
      place = used
      nodes[Int(place)] = node
    } else {
      place = Int32(truncatingIfNeeded: nodes.count)
      nodes.append(node)
    }
    if head >= 0 { nodes[Int(head)].previous = place }
    heads[key] = place
    return place
  }

  private mutating func remove(_ place: Int32) {
    let node = nodes[Int(place)]
    if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
    if node.previous >= 0 {
      nodes[Int(node.previous)].next = node.next
    } else {
      heads[node.key] = node.next >= 0 ? node.next : nil
    }
    free.append(place)
  }

  // MARK: - Finding

  /// Adds the questions that a change set may concern.
  ///
  /// - Parameters:
  ///   - old: The version that the changes lead from. The values of columns that do not change are looked up in it.
  /// - Returns: Whether all could be looked up; false where `old` does not have a row.
  func find(_ changes: ChangeSet, from old: Snapshot, into hits: inout Set<Int32>) -> Bool {
    if changes.isEmpty { return true }
    hits.formUnion(everything)
    if heads.isEmpty, trees.isEmpty { return true }
    var isKnown = true
    do throws(ChangeProblem) {
      try changes.forEachChange { change in if !find(change, old, &hits) { isKnown = false } }
    } catch {
      // Invariant: the engine has written the bytes.
      isKnown = false
    }
    return isKnown
  }

  private func find(_ change: borrowing RowChange, _ old: Snapshot, _ hits: inout Set<Int32>) -> Bool {
    let columns = ColumnMask(of: change)
    find(Footprint.key(allOf: change.type), columns, &hits)
    find(Footprint.key(row: change.row, of: change.type), columns, &hits)
    if let keys = keyColumns[change.type] {
      for column in keys.keys {
        guard let (before, after) = cells(of: change, column, old) else { return false }
        let kind = old.catalog[EntityTypeID(change.type)][ColumnID(column)].kind
        let hash = hash(before, kind)
        find(Footprint.key(hash, in: column, of: change.type), columns, &hits)
        let other = self.hash(after, kind)
        if other != hash { find(Footprint.key(other, in: column, of: change.type), columns, &hits) }
      }
    }
    if let trees = trees[change.type] {
      for (column, tree) in trees {
        guard let (before, after) = cells(of: change, column, old) else { return false }
        let descriptor = old.catalog[EntityTypeID(change.type)][ColumnID(column)]
        for cell in [before, after] {
          guard let image = cell.flatMap({ KeyOrder.image($0, descriptor) }) else { continue }
          tree.find(image) { if !$1.isDisjoint(with: columns) { hits.insert($0) } }
        }
      }
    }
    return true
  }

  /// The values that a row has in a column before and after a change, nil for null; nil where that is not known.
  private func cells(
    of change: borrowing RowChange, _ column: Int, _ old: Snapshot
  ) -> (before: Cell?, after: Cell?)? {
    if let field = change.field(column) { return (field.before, field.after) }
    if change.isNew { return (nil, nil) }
    let (type, id) = (EntityTypeID(change.type), ColumnID(column))
    guard Int(change.row) < old.slotCount(type) else { return nil }
    let reader = old.column(type, id)
    if reader.isNull(change.row) { return (nil, nil) }
    let kind = old.catalog[type][id].kind
    let cell = reader.cell(change.row, kind: kind)
    if kind == .reference, cell.low == UInt64(PageLayout.noRow) { return (nil, nil) }
    return (cell, cell)
  }

  private func hash(_ cell: Cell?, _ kind: ColumnKind) -> UInt64? { cell.flatMap { KeyHash.cell($0, kind) } }

  @inline(__always)
  private func find(_ key: UInt64, _ columns: ColumnMask, _ hits: inout Set<Int32>) {
    var next = heads[key] ?? -1
    while next >= 0 {
      let node = nodes[Int(next)]
      if !node.columns.isDisjoint(with: columns) { hits.insert(node.question) }
      next = node.next
    }
  }
}

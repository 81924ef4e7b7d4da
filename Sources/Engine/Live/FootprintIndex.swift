import GQLCatalog
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
  /// The questions that any change may concern.
  private var everything: Set<Int32> = []

  /// What was put in for a question.
  struct Entry {
    fileprivate var nodes: ContiguousArray<Int32> = []
    fileprivate var keyColumns: ContiguousArray<UInt64> = []
    fileprivate var isEverything = false

    var byteCount: Int { nodes.count * 64 + keyColumns.count * 8 }
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
    for (key, columns) in footprint.places { entry.nodes.append(add(key, columns, question)) }
    for column in footprint.keyColumns {
      entry.keyColumns.append(column)
      keyColumns[Int(column >> 32), default: [:]][Int(UInt32(truncatingIfNeeded: column)), default: 0] += 1
    }
  }

  mutating func remove(_ entry: inout Entry, of question: Int32) {
    if entry.isEverything { everything.remove(question) }
    for node in entry.nodes { remove(node) }
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
    return entry.nodes.count == footprint.places.count && entry.keyColumns.count == footprint.keyColumns.count
      && entry.nodes.allSatisfy { footprint.places[nodes[Int($0)].key] == nodes[Int($0)].columns }
      && entry.keyColumns.allSatisfy { footprint.keyColumns.contains($0) }
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
    if heads.isEmpty { return true }
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
    var columns: ColumnMask = []
    if change.hasOtherStatus || change.hasOtherRecords {
      columns = .all
    } else {
      for field in change.fields { columns.formUnion(ColumnMask(field.column)) }
      for column in change.lists { columns.formUnion(ColumnMask(column)) }
    }
    find(Footprint.key(allOf: change.type), columns, &hits)
    find(Footprint.key(row: change.row, of: change.type), columns, &hits)
    guard let keys = keyColumns[change.type] else { return true }
    let type = EntityTypeID(change.type)
    for column in keys.keys {
      if let field = change.field(column) {
        find(Footprint.key(hash(field.before, field.kind), in: column, of: change.type), columns, &hits)
        find(Footprint.key(hash(field.after, field.kind), in: column, of: change.type), columns, &hits)
      } else if change.isNew {
        find(Footprint.key(nil, in: column, of: change.type), columns, &hits)
      } else {
        guard Int(change.row) < old.slotCount(type) else { return false }
        let id = ColumnID(column)
        let reader = old.column(type, id)
        let kind = old.catalog[type][id].kind
        let cell = reader.isNull(change.row) ? nil : reader.cell(change.row, kind: kind)
        find(Footprint.key(hash(cell, kind), in: column, of: change.type), columns, &hits)
      }
    }
    return true
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

import GQLCatalog

/// A part of the data that keeps a change from being taken back.
package struct UndoConflict: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// A later version has written it.
    case written
    /// Another entity has the unique value.
    case keyTaken
  }
  package let type: EntityTypeID
  package let row: UInt32
  /// Nil where it is the entity itself.
  package let column: ColumnID?
  package let reason: Reason
}

extension ChangeSet {
  /// Takes the changes back in a transaction on a later version, as a new change: each part as it was, the times of change as now.
  ///
  /// A field stands for itself. Links, and entities that come or go, stand together with all that they are linked with in
  /// the change, because the two sides of a relation are one fact.
  ///
  /// - Parameters:
  ///   - later: Visits the changes of the later versions.
  ///   - untouched: Whether the rest is taken back where some of it has been written since.
  ///   - keepsHistory: Whether what goes stays in the past.
  /// - Returns: What has been written since, in the order of types and rows. Unless `untouched`, nothing was done then.
  /// - Throws: where a set is not well-formed, or does not fit; the transaction must be dropped then.
  package func undo(
    in transaction: WriteTransaction, later: [ChangeSet], untouched: Bool, keepsHistory: Bool = true
  ) throws(ChangeProblem) -> [UndoConflict] {
    let inverse = try inverse()
    var undoing = Undoing(transaction.layout)
    for set in later { try set.forEachRowParts { undoing.note($0) } }
    try inverse.forEachRowParts { undoing.rows.append($0) }
    undoing.compare()
    let start = transaction.checkpoint()
    while true {
      if !undoing.conflicts.isEmpty, !untouched { return undoing.sortedConflicts }
      let chosen = try inverse.choosing { undoing.choice($0) }
      try transaction.apply(chosen)
      let taken = try chosen.takenKeys(in: transaction)
      if taken.isEmpty {
        undoing.forEachStamped { transaction.stamp($0, $1) }
        // Versions in which it was there stay as they were.
        if keepsHistory {
          try chosen.forEachRowParts { change in
            if change.after == RowChangeStatus.void {
              RowHistory(in: transaction).keep(EntityTypeID(change.type), row: change.row)
            }
          }
        }
        return undoing.sortedConflicts
      }
      transaction.rollback(to: start)
      undoing.add(taken)
    }
  }

  /// Finds the rows of a set that was applied whose unique values others have: live ones, or deleted ones their primary
  /// keys, which one entity alone has.
  private func takenKeys(in transaction: WriteTransaction) throws(ChangeProblem) -> [UndoConflict] {
    var found: [UndoConflict] = []
    let otherKey = transaction.otherKey
    try forEachRowParts { change in
      guard change.after != RowChangeStatus.void else { return }
      let table = transaction.ownedTable(EntityTypeID(change.type))
      let changed = Set(change.parts.filter { $0.kind == .field }.map(\.number))
      for (number, index) in table.layout.indexes.enumerated() where index.isUnique {
        // Of a deleted entity no other index knows.
        if number > 0, change.after != RowChangeStatus.live { break }
        let columns = (0..<index.keys.count).map { table.layout.source(of: index.keys.components[$0].column) }
        guard change.isOfStatus || columns.contains(where: changed.contains) else { continue }
        guard index.keys.load(table.readers, change.row, into: otherKey) else { continue }
        guard transaction.hasOther(change.row, in: table, index: number, key: otherKey) else { continue }
        for column in columns {
          found.append(
            UndoConflict(
              type: table.layout.id, row: change.row, column: ColumnID(column), reason: .keyTaken))
        }
      }
    }
    return found
  }
}

extension WriteTransaction {
  /// Returns whether an entity other than a row, live or deleted, has the key of a unique index.
  fileprivate func hasOther(_ row: UInt32, in table: Table, index: Int, key other: UnsafePointer<Cell>) -> Bool {
    // The row's own entry would hide another one.
    let isLive = table.isLive(row)
    if isLive { table.removeEntry(index, row, key: key) }
    defer { if isLive { table.addRepeatableEntry(index, row, key: key) } }
    if table.find(index, key: other) != PageLayout.noRow { return true }
    guard index == 0, let tombstones = table.tombstones, tombstones.count > 0 else { return false }
    if isLive { return tombstones.find(other, columns: table.readers) != PageLayout.noRow }
    let owned = table.ownedTombstones()
    owned.removeKey(row, columns: table.readers, key: key)
    defer { owned.addKey(row, columns: table.readers, key: key) }
    return owned.find(other, columns: table.readers) != PageLayout.noRow
  }
}

extension StoreLayout.TypeLayout {
  /// Returns the column whose text a hidden one holds folded, or the column itself.
  fileprivate func source(of column: Int) -> Int { columns[column].foldedFrom.map { Int($0.index) } ?? column }
}

/// The changes to be taken back, and what of them has been written since.
private struct Undoing {
  /// A row, with its type in the high half.
  private typealias RowKey = UInt64
  private struct Column: Hashable {
    var row: RowKey
    var number: Int
  }

  private let layout: StoreLayout
  /// The changes back.
  var rows: [RowParts] = []
  private var writtenRows: Set<RowKey> = []
  private var rowsOfOtherStatus: Set<RowKey> = []
  /// Fields, and relations by their columns.
  private var writtenColumns: Set<Column> = []
  private(set) var conflicts: Set<UndoConflict> = []
  /// Rows that are linked in the change, as a forest in which a parent has the lesser key.
  private var parents: [RowKey: RowKey] = [:]
  private var lockedGroups: Set<RowKey> = []
  private var lockedRows: Set<RowKey> = []
  private var lockedFields: Set<Column> = []

  init(_ layout: StoreLayout) { self.layout = layout }

  private static func key(_ type: Int, _ row: UInt32) -> RowKey { UInt64(type) << 32 | UInt64(row) }

  /// Returns whether a part is a time that each change writes.
  private func isTime(_ part: ChangePart, _ type: Int) -> Bool {
    part.kind == .field && part.number == layout.types[type].updated
  }

  private func isLink(_ part: ChangePart, _ type: Int) -> Bool {
    part.kind != .field || layout.types[type].isRelation[part.number]
  }

  /// Returns the column of a part; nil for a record, which has links of all relations.
  private func column(_ part: ChangePart, _ type: Int) -> Int? {
    switch part.kind {
    case .field, .list: part.number
    case .suspended, .waiting: Int(layout.types[type].relations[part.number].column.index)
    case .record: nil
    }
  }

  /// Calls with each row that a part names.
  private func forEachTarget(_ part: ChangePart, _ type: Int, _ body: (RowKey) -> Void) {
    let type = layout.types[type]
    switch part.kind {
    case .field, .list:
      guard let target = type.targets[part.number] else { return }
      for row in part.targets { body(Self.key(target, row)) }
    case .suspended:
      let target = Int(type.relations[part.number].target.index)
      for row in part.targets { body(Self.key(target, row)) }
    case .record:
      for index in stride(from: 0, to: part.targets.count - 1, by: 2) {
        let place = Int(part.targets[index])
        guard place < type.relations.count else { continue }
        body(Self.key(Int(type.relations[place].target.index), part.targets[index + 1]))
      }
    case .waiting: return
    }
  }

  /// Notes what a later version has written.
  mutating func note(_ change: RowParts) {
    guard change.type < layout.types.count else { return }
    let row = Self.key(change.type, change.row)
    if change.isOfStatus { rowsOfOtherStatus.insert(row) }
    for part in change.parts where !isTime(part, change.type) {
      writtenRows.insert(row)
      if let column = column(part, change.type) {
        writtenColumns.insert(Column(row: row, number: column))
      } else {
        rowsOfOtherStatus.insert(row)
      }
    }
    if change.isOfStatus { writtenRows.insert(row) }
  }

  // MARK: - Groups

  private func group(_ row: RowKey) -> RowKey {
    var row = row
    while let parent = parents[row], parent != row { row = parent }
    return row
  }

  private mutating func join(_ row: RowKey, _ other: RowKey) {
    let (first, second) = (group(row), group(other))
    if first != second { parents[max(first, second)] = min(first, second) }
    // Shortens the ways for the next ones: long chains would take quadratic time.
    for start in [row, other] {
      var row = start
      while let parent = parents[row], parent != row {
        parents[row] = min(first, second)
        row = parent
      }
    }
  }

  /// Finds what has been written since.
  mutating func compare() {
    for change in rows {
      let row = Self.key(change.type, change.row)
      if parents[row] == nil { parents[row] = row }
      for part in change.parts {
        var others: [RowKey] = []
        forEachTarget(part, change.type) { others.append($0) }
        for other in others {
          if parents[other] == nil { parents[other] = other }
          join(row, other)
        }
      }
    }
    for change in rows {
      let row = Self.key(change.type, change.row)
      if change.isOfStatus ? writtenRows.contains(row) : rowsOfOtherStatus.contains(row) {
        add(change, nil, .written)
        lockedRows.insert(row)
        lockedGroups.insert(group(row))
        continue
      }
      lockObjects(change, row)
      for part in change.parts where !isTime(part, change.type) {
        var isWritten = column(part, change.type).map { writtenColumns.contains(Column(row: row, number: $0)) } ?? false
        forEachTarget(part, change.type) { isWritten = isWritten || rowsOfOtherStatus.contains($0) }
        if isWritten { lock(change, part) }
      }
    }
  }

  /// Keeps embedded objects whole: one that comes or goes is not taken back where a field of it has been written since,
  /// nor a field where the object has come or gone since.
  private mutating func lockObjects(_ change: RowParts, _ row: RowKey) {
    let objects = layout.types[change.type].objects
    if objects.isEmpty || change.isOfStatus { return }
    func isWritten(_ column: Int) -> Bool { writtenColumns.contains(Column(row: row, number: column)) }
    for object in objects.flatMap(\.nested) {
      let parts = change.parts.filter { part in
        column(part, change.type).map { $0 == object.presence || object.columns.contains($0) } ?? false
      }
      if parts.isEmpty { continue }
      let comes = parts.contains { column($0, change.type) == object.presence }
      guard isWritten(object.presence) || comes && object.columns.contains(where: isWritten) else { continue }
      for part in parts { lock(change, part) }
    }
  }

  private mutating func lock(_ change: RowParts, _ part: ChangePart) {
    let row = Self.key(change.type, change.row)
    let column = column(part, change.type)
    if change.isOfStatus || isLink(part, change.type) {
      lockedGroups.insert(group(row))
    } else if let column {
      lockedFields.insert(Column(row: row, number: column))
    }
    add(change, column, .written)
  }

  private mutating func add(_ change: RowParts, _ column: Int?, _ reason: UndoConflict.Reason) {
    conflicts.insert(
      UndoConflict(
        type: EntityTypeID(change.type), row: change.row, column: column.map { ColumnID($0) }, reason: reason))
  }

  /// Leaves out what has values that others have.
  mutating func add(_ taken: [UndoConflict]) {
    if taken.isEmpty { return }
    var rowsOfStatus: Set<RowKey> = []
    for change in rows where change.isOfStatus { rowsOfStatus.insert(Self.key(change.type, change.row)) }
    for conflict in taken {
      conflicts.insert(conflict)
      let (type, column) = (Int(conflict.type.index), Int(conflict.column?.index ?? 0))
      let row = Self.key(type, conflict.row)
      lockedFields.insert(Column(row: row, number: column))
      if rowsOfStatus.contains(row) { lockedGroups.insert(group(row)) }
    }
  }

  // MARK: - What is taken back

  /// Returns the parts of a row's change that are taken back; nil for none.
  func choice(_ change: RowParts) -> [ChangePart]? {
    let row = Self.key(change.type, change.row)
    if lockedRows.contains(row) { return nil }
    let isLocked = lockedGroups.contains(group(row))
    if change.isOfStatus { return isLocked ? nil : change.parts }
    func isHeld(_ part: ChangePart) -> Bool {
      isLink(part, change.type) ? isLocked : lockedFields.contains(Column(row: row, number: part.number))
    }
    let whole = wholeColumns(change, where: isHeld)
    return change.parts.filter { part in
      if isTime(part, change.type) || isHeld(part) { return false }
      return !(column(part, change.type).map(whole.contains) ?? false)
    }
  }

  /// Returns the columns of embedded objects that come or go in a row's change, and of which a part is held.
  private func wholeColumns(_ change: RowParts, where isHeld: (ChangePart) -> Bool) -> Set<Int> {
    var result: Set<Int> = []
    for object in layout.types[change.type].objects.flatMap(\.nested) {
      let columns = Set(object.columns + [object.presence])
      let parts = change.parts.filter { column($0, change.type).map(columns.contains) ?? false }
      let comes = parts.contains { column($0, change.type) == object.presence }
      if comes, parts.contains(where: isHeld) { result.formUnion(columns) }
    }
    return result
  }

  /// Calls with each row that is written as an entity's own.
  func forEachStamped(_ body: (EntityTypeID, UInt32) -> Void) {
    for change in rows where change.after == RowChangeStatus.live {
      guard change.parts.contains(where: { isTime($0, change.type) }), let parts = choice(change),
        change.isOfStatus || !parts.isEmpty
      else { continue }
      body(EntityTypeID(change.type), change.row)
    }
  }

  var sortedConflicts: [UndoConflict] {
    conflicts.sorted {
      ($0.type.index, $0.row, $0.column?.index ?? 0) < ($1.type.index, $1.row, $1.column?.index ?? 0)
    }
  }
}

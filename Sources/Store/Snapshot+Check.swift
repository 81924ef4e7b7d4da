import GQLCatalog

extension Snapshot {
  /// Compares every index, relation, count and flag with a full scan; empty unless the store has a mistake.
  /// `fold` must be what the transactions used. Complexity: O(n log n).
  package func check(fold: TextFold = foldASCII) -> [Inconsistency] {
    var found: [Inconsistency] = []
    for table in tables {
      let live = (0..<UInt32(truncatingIfNeeded: table.slots)).reduce(0) { $0 + (table.isLive($1) ? 1 : 0) }
      if live != table.live { found.append(.liveCount(table.layout.id, expected: live, found: table.live)) }
      checkDeleted(table, &found)
      for number in table.columns.indices { checkColumn(table, number, &found) }
      for number in table.columns.indices where table.layout.isFolded[number] {
        checkFolded(table, number, fold, &found)
      }
      for object in table.layout.objects.flatMap(\.nested) { checkObject(table, object, &found) }
      for (index, layout) in zip(table.indexes, table.layout.indexes) {
        found += index.built?.check(table, as: layout.id) ?? []
      }
    }
    for relation in layout.relations {
      checkRelation(relation, &found)
      checkRequired(relation, &found)
      checkSuspended(relation, &found)
    }
    for table in tables { checkMirrors(table, &found) }
    return found
  }

  private func checkColumn(_ table: Table, _ number: Int, _ found: inout [Inconsistency]) {
    let column = table.columns[number]
    let id = table.layout.columns[number].id
    let nullCell = Cell(low: column.kind == .reference ? UInt64(PageLayout.noRow) : 0)
    var liveNulls = 0
    var pageNulls = 0
    var isAscending = true
    let isRequired =
      table.layout.columns[number].isNonNull && !table.layout.isFilled[number] && !table.layout.isFolded[number]
    if column.count != table.slots {
      found.append(.nullCount(table.layout.id, id, expected: table.slots, found: column.count))
      return
    }
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) {
      let isNull = column.isNull(row)
      let cell = column.cell(row)
      if isNull {
        pageNulls += 1
        if table.isLive(row) {
          liveNulls += 1
          if isRequired { found.append(.missingValue(table.layout.id, id, row: row)) }
        }
        if cell != nullCell { found.append(.validity(table.layout.id, id, row: row)) }
        isAscending = false
      } else {
        if column.kind == .reference && cell.low == UInt64(PageLayout.noRow) {
          found.append(.validity(table.layout.id, id, row: row))
        }
        // One that is null is noted at its own row.
        if row > 0 && column.isAscending && !column.isNull(row - 1) && !column.isAbove(cell, column.cell(row - 1)) {
          isAscending = false
        }
      }
      if Int(row) & PageLayout.rowMask == PageLayout.rowMask || Int(row) == table.slots - 1 {
        let stored = Int(column.reader.page(of: row).load(as: Int32.self))
        // Other versions may have appended nulls to the last page.
        let isLast = Int(row) & PageLayout.rowMask != PageLayout.rowMask
        if isLast ? stored < pageNulls : stored != pageNulls {
          found.append(.nullCount(table.layout.id, id, expected: pageNulls, found: stored))
        }
        pageNulls = 0
      }
    }
    if liveNulls != column.liveNulls {
      found.append(.nullCount(table.layout.id, id, expected: liveNulls, found: column.liveNulls))
    }
    if column.isAscending && !isAscending { found.append(.ascendingFlag(table.layout.id, id)) }
  }

  /// Where an embedded object is not there, nothing of it is.
  private func checkObject(_ table: Table, _ object: ObjectColumns, _ found: inout [Inconsistency]) {
    let presence = table.columns[object.presence]
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) where table.isLive(row) && presence.isNull(row) {
      for column in object.columns where !table.columns[column].isNull(row) {
        found.append(.absentObject(table.layout.id, ColumnID(column), row: row))
      }
    }
  }

  private func checkFolded(_ table: Table, _ number: Int, _ fold: TextFold, _ found: inout [Inconsistency]) {
    let descriptor = table.layout.columns[number]
    guard let sourceID = descriptor.foldedFrom else { return }
    let source = table.columns[Int(sourceID.index)]
    let column = table.columns[number]
    var folded: ContiguousArray<UInt8> = []
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) where table.isLive(row) {
      folded.removeAll(keepingCapacity: true)
      if !source.isNull(row) {
        TextView(source.cell(row)).withBytes { fold(UnsafeRawBufferPointer(start: $0, count: $1), &folded) }
      }
      let isEqual = TextView(column.cell(row)).withBytes { start, count in
        UnsafeRawBufferPointer(start: start, count: count).elementsEqual(folded)
      }
      if source.isNull(row) != column.isNull(row) || !isEqual {
        found.append(.foldedText(table.layout.id, descriptor.id, row: row))
      }
    }
  }

  /// Every entity has a row in each interface and union of its type, and every such row mirrors one entity: deleted ones
  /// that are kept too.
  private func checkMirrors(_ table: Table, _ found: inout [Inconsistency]) {
    guard !table.layout.mirrors.isEmpty || !table.layout.members.isEmpty else { return }
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) where table.isLive(row) || table.isDeleted(row) {
      func targets(_ relations: [Relation]) -> Int {
        relations.count { relation in
          table.columns[Int(relation.column.index)].reader.reference(row) != PageLayout.noRow
        }
      }
      if targets(table.layout.mirrors) != table.layout.mirrors.count
        || !table.layout.members.isEmpty && targets(table.layout.members) != 1
      {
        found.append(.mirror(table.layout.id, row: row))
      }
    }
  }

  private func checkRelation(_ relation: Relation, _ found: inout [Inconsistency]) {
    let source = table(relation.source)
    let target = table(relation.target)
    let inverse = layout[relation.inverse]
    var back: Set<UInt64> = []
    forEachLink(inverse) { back.insert(UInt64($0) << 32 | UInt64($1)) }
    var seen: Set<UInt64> = []
    var links = 0
    forEachLink(relation) { row, other in
      links += 1
      if !seen.insert(UInt64(row) << 32 | UInt64(other)).inserted {
        found.append(.repeatedLink(relation.id, source: row, target: other))
      }
      if source.isDeleted(row), layout.ownsTargets(of: relation) {
        // A deleted entity keeps its lists of embedded objects, whose elements are deleted with it.
        if !target.isDeleted(other) { found.append(.oneSidedLink(relation.id, source: row, target: other)) }
        return
      }
      if relation.isMirror, source.isDeleted(row) {
        // They are deleted together.
        if !target.isDeleted(other) || !back.contains(UInt64(other) << 32 | UInt64(row)) {
          found.append(.oneSidedLink(relation.id, source: row, target: other))
        }
        return
      }
      if !source.isLive(row) { found.append(.deletedSource(relation.id, source: row)) }
      if !target.isLive(other) || !back.contains(UInt64(other) << 32 | UInt64(row)) {
        found.append(.oneSidedLink(relation.id, source: row, target: other))
      }
    }
    let column = source.columns[Int(relation.column.index)]
    if relation.isToMany && column.linkCount != links {
      found.append(.linkCount(relation.id, expected: links, found: column.linkCount))
    }
  }

  /// Every live row has the one target that it must have, or waits for it.
  private func checkRequired(_ relation: Relation, _ found: inout [Inconsistency]) {
    guard relation.isRequired, !relation.isToMany, !relation.isMirror else { return }
    let table = table(relation.source)
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) where table.isLive(row) {
      guard table.readers[Int(relation.column.index)].reference(row) == PageLayout.noRow else { continue }
      // Inside an embedded object that is not there, nothing must be.
      if let presence = relation.presence, table.readers[Int(presence.index)].isNull(row) { continue }
      if dangling.waits(DanglingLinks.Link(relation: relation.id, source: row)) { continue }
      found.append(.missingLink(relation.id, source: row))
    }
  }

  /// Calls with source and target, in the order of rows and runs.
  func forEachLink(_ relation: Relation, _ body: (UInt32, UInt32) -> Void) {
    let table = table(relation.source)
    let column = table.columns[Int(relation.column.index)]
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) {
      if relation.isToMany {
        for target in column.reader.references(row) { body(row, target) }
      } else {
        let target = column.reader.reference(row)
        if target != PageLayout.noRow { body(row, target) }
      }
    }
  }
}

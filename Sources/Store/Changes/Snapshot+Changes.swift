import GQLCatalog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Snapshot {
  /// The changes that lead from another version to this one, found by comparing what the two do not share. The versions
  /// may be of any age and order, but must be of one schema: versions of others have nothing to be compared.
  ///
  /// Complexity: O(*n*) in the rows of pages that are not shared, and in the links that wait.
  package func changes(since old: Snapshot) -> ChangeSet {
    precondition(layout.types.count == old.layout.types.count, "versions of one schema can be compared")
    // Its marks for the past belong to the way from the version before.
    if self === old { return ChangeSet() }
    var writer = ChangeWriter()
    let waiting = DanglingLinks.changes(from: old.dangling, to: dangling, layout)
    for number in tables.indices {
      let (table, before) = (tables[number], old.tables[number])
      let links = waiting.filter { Int($0.type.index) == number }
      let marks = pasts.marks(of: number, below: before.slots)
      if table === before, links.isEmpty, marks.isEmpty { continue }
      addChanges(table, before, links, marks, to: &writer)
    }
    return writer.finish()
  }

  /// All that this version holds, as changes since there was nothing. Two stores with equal contents have equal bytes.
  package func content() -> ChangeSet { changes(since: Snapshot.empty(catalog)) }

  /// Returns what a row holds, as changes since it was void; empty for a void one. Precondition: the type is there.
  package func content(of type: Int, _ row: UInt32) -> ChangeSet {
    let table = tables[type]
    var waiting: ContiguousArray<WaitingChange> = []
    if !dangling.isEmpty {
      for (place, relation) in table.layout.relations.enumerated() {
        let link = DanglingLinks.Link(relation: relation.id, source: row)
        if let change = dangling.all(link, place: place) { waiting.append(change) }
      }
    }
    var writer = ChangeWriter()
    writer.add(table.layout, row, before: VoidRow(), after: StoredRow(table, row), waiting: ArraySlice(waiting))
    return writer.finish()
  }

  private func addChanges(
    _ table: Table, _ before: Table, _ waiting: [RowWaitingChanges], _ marks: [UInt32: UInt64],
    to writer: inout ChangeWriter
  ) {
    let candidates = RowCandidates(max(table.slots, before.slots))
    if table !== before {
      for number in table.columns.indices where !table.layout.isFolded[number] {
        candidates.add(table.columns[number], before.columns[number])
      }
      candidates.add(liveness: table, before)
      candidates.add(min(table.slots, before.slots)..<max(table.slots, before.slots))
      var rows: [UInt32] = []
      if table.tombstones !== before.tombstones {
        if let tombstones = table.tombstones {
          tombstones.addDifferences(from: before.tombstones, to: &rows)
        } else {
          before.tombstones?.addDifferences(from: nil, to: &rows)
        }
      }
      for place in table.layout.relations.indices {
        let links = table.suspended.isEmpty ? nil : table.suspended[place]
        let old = before.suspended.isEmpty ? nil : before.suspended[place]
        if links === old { continue }
        if let links { links.addDifferences(from: old, to: &rows) } else { old?.addDifferences(from: nil, to: &rows) }
      }
      for row in rows { candidates.add(row) }
    }
    for found in waiting { candidates.add(found.row) }
    for row in marks.keys { candidates.add(row) }
    var next = 0
    candidates.forEach { row in
      var links: ArraySlice<WaitingChange> = []
      if next < waiting.count, waiting[next].row == row {
        links = waiting[next].changes[...]
        next += 1
      }
      writer.add(
        table.layout, row, before: StoredRow(before, row), after: StoredRow(table, row), waiting: links,
        past: marks[row] ?? 0)
    }
  }
}

/// Rows that may have changed, as bits.
private final class RowCandidates {
  private var words: ContiguousArray<UInt64>

  init(_ slots: Int) { words = ContiguousArray(repeating: 0, count: (slots + 63) / 64) }

  func add(_ row: UInt32) {
    if Int(row >> 6) < words.count { words[Int(row >> 6)] |= 1 << UInt64(row & 63) }
  }

  func add(_ rows: Range<Int>) { for row in rows { add(UInt32(truncatingIfNeeded: row)) } }

  /// Adds the rows that both versions of a column have, and that differ in their words.
  func add(_ column: ColumnStore, _ old: ColumnStore) {
    if column === old { return }
    let count = min(column.count, old.count)
    var first = 0
    while first < count {
      let end = min(first + PageLayout.rows, count)
      let row = UInt32(truncatingIfNeeded: first)
      let (page, before) = (column.reader.page(of: row), old.reader.page(of: row))
      if page != before { addDifferences(of: page, column, from: before, old, first..<end) }
      first = end
    }
  }

  /// Adds the rows of one page that differ, passing over groups of rows whose bytes are equal.
  private func addDifferences(
    of page: UnsafeRawPointer, _ column: ColumnStore, from before: UnsafeRawPointer, _ old: ColumnStore,
    _ rows: Range<Int>
  ) {
    let width = column.kind.width
    let isPlain = column.kind == old.kind && !PageLayout.isFine(page) && !PageLayout.isFine(before)
    var first = rows.lowerBound
    while first < rows.upperBound {
      let end = min(first + 64, rows.upperBound)
      let validity = PageLayout.validityOffset + (first & PageLayout.rowMask) >> 6 &* 8
      let cells = PageLayout.cellsOffset + (first & PageLayout.rowMask) &* width
      let isSame =
        isPlain && (page + validity).load(as: UInt64.self) == (before + validity).load(as: UInt64.self)
        && memcmp(page + cells, before + cells, (end - first) * width) == 0
      if !isSame {
        for row in first..<end {
          let row = UInt32(truncatingIfNeeded: row)
          if column.isNull(row) != old.isNull(row) || column.cell(row) != old.cell(row) { add(row) }
        }
      }
      first = end
    }
  }

  func add(liveness table: Table, _ old: Table) {
    if table.liveness === old.liveness { return }
    let count = min(table.slots, old.slots)
    if let column = table.liveness, let before = old.liveness { return add(column, before) }
    for row in 0..<UInt32(truncatingIfNeeded: count) where table.status(row) != old.status(row) { add(row) }
  }

  func forEach(_ body: (UInt32) -> Void) {
    for number in words.indices {
      var bits = words[number]
      while bits != 0 {
        body(UInt32(truncatingIfNeeded: number * 64 + bits.trailingZeroBitCount))
        bits &= bits &- 1
      }
    }
  }
}

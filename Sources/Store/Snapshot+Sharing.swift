import GQLCatalog

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What two versions of one store have in common.
extension Snapshot {
  /// Whether no entity of a type has come, gone or come back since an older version, as far as pages tell: false may be
  /// wrong, true never is. Precondition: the layouts are one.
  package func hasSameMembers(_ type: EntityTypeID, as old: Snapshot) -> Bool {
    let (now, before) = (table(type), old.table(type))
    if now === before { return true }
    guard now.slots == before.slots, now.live == before.live else { return false }
    switch (now.liveness, before.liveness) {
    case (nil, nil): return true
    case (let now?, let before?): return now.sharesPages(with: before)
    default: return false
    }
  }

  /// Whether nothing that is remembered of a type's deleted entities is another in an older version, as far as is known:
  /// false may be wrong, true never is. Precondition: the layouts are one.
  package func hasSameGraves(_ type: EntityTypeID, as old: Snapshot) -> Bool {
    table(type) === old.table(type) || table(type).tombstones === old.table(type).tombstones
  }

  /// Whether a column's cells are those of an older version, as far as pages tell: false may be wrong, true never is.
  package func hasSameCells(_ type: EntityTypeID, _ column: ColumnID, as old: Snapshot) -> Bool {
    let (now, before) = (table(type), old.table(type))
    if now === before { return true }
    return now.slots == before.slots
      && now.columns[Int(column.index)].sharesPages(with: before.columns[Int(column.index)])
  }

  /// Whether cells of a column may hold something beside their words.
  package func isFine(_ type: EntityTypeID, _ column: ColumnID) -> Bool {
    table(type).columns[Int(column.index)].isFine
  }

  /// Whether a row's cell holds the value that another row's had in an older version. Precondition: no column of links.
  package func hasSameValue(
    _ type: EntityTypeID, _ column: ColumnID, _ row: UInt32, as old: Snapshot, _ oldRow: UInt32
  ) -> Bool {
    let (now, before) = (table(type).columns[Int(column.index)], old.table(type).columns[Int(column.index)])
    if row == oldRow, now.reader.page(of: row) == before.reader.page(of: row) { return true }
    let isNull = now.isNull(row)
    if isNull || before.isNull(oldRow) { return isNull == before.isNull(oldRow) }
    return now.areEqual(now.cell(row), before.cell(oldRow))
  }
}

extension WriteTransaction {
  /// Returns whether a row has a value, and another than a cell. An empty list is none. Precondition: no column of links.
  package func hasOtherValue(_ type: EntityTypeID, _ row: UInt32, _ column: ColumnID, than cell: Cell) -> Bool {
    let column = table(type).columns[Int(column.index)]
    if column.isNull(row) { return false }
    let value = column.cell(row)
    let isList = column.kind == .wordList || column.kind == .wideList
    return !(isList && UInt32(truncatingIfNeeded: value.high) == 0) && !column.areEqual(value, cell)
  }
}

extension ColumnStore {
  /// Returns whether two cells hold one value.
  fileprivate func areEqual(_ left: Cell, _ right: Cell) -> Bool {
    switch kind {
    case .text: TextView(left).equals(TextView(right))
    case .wordList: Self.areEqualLists(left, right, width: 8, areTexts: false)
    case .wideList: Self.areEqualLists(left, right, width: 16, areTexts: elementIsText)
    case .int64, .float64, .byte, .code, .decimal, .reference, .references: left == right
    }
  }

  /// Cells, and behind them a byte of validity for each.
  private static func areEqualLists(_ left: Cell, _ right: Cell, width: Int, areTexts: Bool) -> Bool {
    let count = Int(UInt32(truncatingIfNeeded: left.high))
    guard count == Int(UInt32(truncatingIfNeeded: right.high)) else { return false }
    guard count > 0, let first = UnsafeRawPointer(bitPattern: UInt(left.low)),
      let second = UnsafeRawPointer(bitPattern: UInt(right.low))
    else { return true }
    // Safe because both are lists of as many elements, whose memory the snapshots hold.
    if !areTexts { return memcmp(first, second, count * (width + 1)) == 0 }
    guard memcmp(first + count * width, second + count * width, count) == 0 else { return false }
    return (0..<count).allSatisfy { index in
      TextView((first + index * 16).loadUnaligned(as: Cell.self))
        .equals(TextView((second + index * 16).loadUnaligned(as: Cell.self)))
    }
  }
}

extension ColumnStore {
  fileprivate func sharesPages(with other: ColumnStore) -> Bool {
    if self === other { return true }
    guard count == other.count else { return false }
    let pages = (count + PageLayout.rows - 1) >> PageLayout.rowShift
    if pages == 0 { return true }
    // Pages that both hold cannot have been freed, so an address is one page.
    return memcmp(reader.pages, other.reader.pages, pages * MemoryLayout<UnsafeRawPointer?>.size) == 0
  }
}

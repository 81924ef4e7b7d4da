import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// Rows inserted by columns are those that are inserted one by one.
@Suite struct InsertManyTests {
  let social = SocialFixture()

  private func rows(_ count: Int, first: Int, order: Int, _ random: inout SeededRandom) -> [[TestValue]] {
    (first..<(first + count)).map { number in
      let key = order == 0 ? 1_000_000 + number : number * 7_919 % 100_003
      let isRepeated = order == 2 && random.chance(2)
      return [
        .text("k\(isRepeated ? 1_000_000 : key)"), random.chance(60) ? .text("Name \(random.below(9))") : .null, .null,
        random.chance(30) ? .text("a rather long mail address \(number)") : .null,
        random.chance(90) ? .text("city \(random.below(9))") : .null,
        random.chance(90) ? .int(Int64(random.below(30))) : .null, .null, .null, .bool(true), .null, .null, .null,
        .null,
        .null, .null, .null,
      ]
    }
  }

  /// Inserts as many rows as are not refused; what is refused is left out. Returns the refused ones.
  private func insertColumns(_ transaction: WriteTransaction, _ rows: [[TestValue]]) -> [Int] {
    let width = rows[0].count
    let cells = (0..<width).map { column in rows.map { $0[column] == .null ? Cell(low: 0) : $0[column].cell } }
    let valid = (0..<width).map { column in rows.map { $0[column] != .null } }
    var columns: [ColumnCells] = []
    for column in 0..<width {
      let copy = UnsafeMutablePointer<Cell>.allocate(capacity: rows.count)
      copy.initialize(from: cells[column], count: rows.count)
      let marks = UnsafeMutablePointer<Bool>.allocate(capacity: rows.count)
      marks.initialize(from: valid[column], count: rows.count)
      columns.append(ColumnCells(cells: copy, valid: marks))
    }
    defer {
      for column in columns {
        UnsafeMutablePointer(mutating: column.cells).deallocate()
        UnsafeMutablePointer(mutating: column.valid).deallocate()
      }
    }
    var refused: [Int] = []
    var next = 0
    while next < rows.count {
      let inserted = transaction.insert(social.user, columns: columns, rows: next..<rows.count)
      next += inserted.count
      if inserted.problem != nil {
        refused.append(next)
        next += 1
      }
    }
    return refused
  }

  private func content(_ snapshot: Snapshot) -> [String] {
    var lines: [String] = []
    for row in 0..<UInt32(snapshot.slotCount(social.user)) {
      let texts = [0, 1, 2, 3, 4].map { snapshot.text(social.user, row, $0) ?? "-" }
      lines.append("\(texts) \(snapshot.int(social.user, row, 5) ?? -1) \(snapshot.int(social.user, row, 14) ?? -1)")
    }
    for city in 0..<10 { lines.append("\(snapshot.rows(social.byCity, [.text("city \(city)")]))") }
    lines.append("\(snapshot.walk(social.byAge, BTreeBounds(includesNulls: true), descending: true))")
    lines.append("\(snapshot.hashIndex(social.byNameFolded).distinctKeys)")
    return lines
  }

  @Test(arguments: 1...12) func columnsAreRows(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let order = seed % 3
    var snapshots = [social.empty, social.empty]
    for bulk in 0..<2 {
      let isBulk = bulk == 0 || seed % 4 != 0
      let batches = [700, 1, 1_500, 333].map { count in
        rows(count, first: bulk * 10_000 + random.below(3) * 2_000 + 1, order: order, &random)
      }
      let digest = snapshots[0].memoryDigest
      let transactions = snapshots.map { WriteTransaction($0) }
      for transaction in transactions where isBulk { transaction.beginBulk() }
      for batch in batches {
        let refused = insertColumns(transactions[0], batch)
        var alone: [Int] = []
        for (number, row) in batch.enumerated() {
          do { _ = try transactions[1].insert(social.user, row) } catch { alone.append(number) }
        }
        #expect(refused == alone, "seed \(seed)")
        // A lookup between batches sees all keys.
        var key = batch[0][0].cell
        #expect(transactions[0].findRow(social.user, key: &key) == transactions[1].findRow(social.user, key: &key))
      }
      for transaction in transactions where isBulk { try transaction.endBulk() }
      #expect(snapshots[0].memoryDigest == digest, "seed \(seed)")
      snapshots = transactions.map { $0.commit() }
      #expect(snapshots[0].check().isEmpty, "seed \(seed)")
      #expect(content(snapshots[0]) == content(snapshots[1]), "seed \(seed)")
    }
  }

  /// Two versions that branch from one append to the same page.
  @Test func branchesShareNoRow() throws {
    var random = SeededRandom(7)
    let root = WriteTransaction(social.empty)
    root.beginBulk()
    #expect(insertColumns(root, rows(100, first: 1, order: 0, &random)) == [])
    try root.endBulk()
    let base = root.commit()
    let digest = base.memoryDigest
    let branches = (1...2).map { branch in
      let transaction = WriteTransaction(base)
      transaction.beginBulk()
      return (transaction, rows(50, first: branch * 1_000, order: 0, &random))
    }
    for (transaction, rows) in branches { #expect(insertColumns(transaction, rows) == []) }
    for (transaction, rows) in branches {
      try transaction.endBulk()
      let snapshot = transaction.commit()
      #expect(snapshot.check().isEmpty)
      #expect(snapshot.slotCount(social.user) == 150)
      for (number, row) in rows.enumerated() {
        let id = TextView(row[0].cell).withBytes {
          String(decoding: UnsafeRawBufferPointer(start: $0, count: $1), as: UTF8.self)
        }
        #expect(snapshot.text(social.user, UInt32(100 + number), 0) == id)
      }
    }
    #expect(base.memoryDigest == digest)
  }
}

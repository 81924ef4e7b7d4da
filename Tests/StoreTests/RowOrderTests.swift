import GQLBase
import GQLCatalog
import Testing

@testable import GQLStore

/// Rows as the order of their ids, and the index over ids where they are none, against sorted arrays.
@Suite struct RowOrderTests {
  private struct Fixture {
    let type: EntityTypeID
    let primary: IndexID
    var transaction: WriteTransaction

    init(_ kind: ColumnKind, _ value: ValueType) {
      var builder = CatalogBuilder()
      type = builder.type("T", [("id", kind, value), ("n", .int64, .int)])
      primary = builder.index(type, .hash, [0], unique: true, primary: true)
      transaction = WriteTransaction(Snapshot.empty(builder.catalog))
    }
  }

  /// Compares what lies within bounds with the live rows of an array, forwards and backwards, in parts.
  private func check(
    _ snapshot: Snapshot, _ fixture: Fixture, _ rows: [(id: Int, row: UInt32)], _ random: inout SeededRandom
  ) {
    guard let reader = snapshot.ordered(fixture.primary) else {
      Issue.record("no order")
      return
    }
    for _ in 0..<40 {
      var bounds = BTreeBounds(includesNulls: random.chance(50))
      let lower = random.chance(60) ? random.below(6000) - 500 : nil
      let upper = random.chance(60) ? random.below(6000) - 500 : nil
      bounds.lower = lower.map { Cell(Int64($0)) }
      bounds.upper = upper.map { Cell(Int64($0)) }
      bounds.lowerInclusive = random.chance(50)
      bounds.upperInclusive = random.chance(50)
      let expected = rows.filter { item in
        (lower.map { bounds.lowerInclusive ? item.id >= $0 : item.id > $0 } ?? true)
          && (upper.map { bounds.upperInclusive ? item.id <= $0 : item.id < $0 } ?? true)
      }.sorted { $0.id < $1.id }.map(\.row)
      #expect(reader.count(bounds) == expected.count)
      for descending in [false, true] {
        let skip = random.below(max(1, expected.count + 3))
        let limit = random.chance(50) ? random.below(40) : 6000
        let found = [UInt32](unsafeUninitializedCapacity: 6000) { buffer, count in
          guard let base = buffer.baseAddress else { return }
          count = reader.walk(bounds, descending: descending, skip: skip, limit: limit, into: base)
        }
        let all = descending ? Array(expected.reversed()) : expected
        #expect(found == Array(all.dropFirst(skip).prefix(limit)))
      }
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func rowsThatAscend(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    var fixture = Fixture(.int64, .int)
    var rows: [(id: Int, row: UInt32)] = []
    for number in 0..<2500 {
      rows.append((number * 2, try fixture.transaction.insert(fixture.type, [.int(Int64(number * 2)), .int(0)])))
    }
    var snapshot = fixture.transaction.commit()
    #expect(snapshot.idsAscend(fixture.type) && snapshot.idOrder(fixture.type) == .rows)
    check(snapshot, fixture, rows, &random)
    fixture.transaction = WriteTransaction(snapshot)
    // Whole pages too.
    for _ in 0..<(seed % 2 == 0 ? 2400 : 300) {
      try fixture.transaction.delete(fixture.type, rows.remove(at: random.below(rows.count)).row)
    }
    for row in rows.filter({ (2000..<4200).contains($0.id) }) { try fixture.transaction.delete(fixture.type, row.row) }
    rows.removeAll { (2000..<4200).contains($0.id) }
    snapshot = fixture.transaction.commit()
    #expect(snapshot.idOrder(fixture.type) == .rows)
    #expect(snapshot.check().isEmpty)
    check(snapshot, fixture, rows, &random)
  }

  @Test func idsThatDoNotAscend() throws {
    var random = SeededRandom(7)
    let fixture = Fixture(.int64, .int)
    var rows: [(id: Int, row: UInt32)] = []
    for number in 0..<600 {
      let id = number * 7 % 601
      rows.append((id, try fixture.transaction.insert(fixture.type, [.int(Int64(id)), .int(0)])))
    }
    let base = fixture.transaction.commit()
    #expect(base.idOrder(fixture.type) == .pending)
    #expect(base.ordered(fixture.primary) == nil)
    #expect(!base.hasPendingIndexes && base.hasPendingIndexes(orders: [fixture.type]))
    var snapshot = base.withPendingIndexes(orders: [fixture.type], fold: foldASCII)
    #expect(snapshot.idOrder(fixture.type) == .index)
    #expect(snapshot.byteCount > base.byteCount)
    #expect(snapshot.generation != base.generation)
    check(snapshot, fixture, rows, &random)
    // Writes keep it, those of another version are brought into it.
    func change(_ version: Snapshot, _ rows: inout [(id: Int, row: UInt32)]) throws -> Snapshot {
      let transaction = WriteTransaction(version)
      for _ in 0..<100 { try transaction.delete(fixture.type, rows.remove(at: rows.count / 2).row) }
      rows.append((-5, try transaction.insert(fixture.type, [.int(-5), .int(0)])))
      try transaction.update(fixture.type, rows[0].row, ColumnID(0), Cell(Int64(5000)))
      rows[0].id = 5000
      return transaction.commit()
    }
    var others = rows
    let newest = try change(base, &others)
    #expect(newest.idOrder(fixture.type) == .pending)
    let joined = try snapshot.catchingUp(with: newest, since: base, fold: foldASCII)
    #expect(joined.idOrder(fixture.type) == .index)
    #expect(joined.check().isEmpty)
    check(joined, fixture, others, &random)
    snapshot = try change(snapshot, &rows)
    #expect(snapshot.check().isEmpty)
    check(snapshot, fixture, rows, &random)
  }

  /// An id that is changed, or is below the one before, ends it; the generation changes with it.
  @Test func whatEndsIt() throws {
    for number in 0..<3 {
      var fixture = Fixture(.text, .id)
      for id in ["9", "10", "100", "x"] { _ = try fixture.transaction.insert(fixture.type, [.text(id), .int(0)]) }
      let base = fixture.transaction.commit()
      // Integers by value, before all others.
      #expect(base.idsAscend(fixture.type))
      fixture.transaction = WriteTransaction(base)
      switch number {
      case 0: _ = try fixture.transaction.insert(fixture.type, [.text("11"), .int(0)])
      case 1: try fixture.transaction.update(fixture.type, 0, 0, .text("z"))
      default: _ = try fixture.transaction.insert(fixture.type, [.text("xy"), .int(0)])
      }
      let next = fixture.transaction.commit()
      #expect(next.idsAscend(fixture.type) == (number == 2))
      #expect((next.generation == base.generation) == (number == 2))
      #expect(base.idsAscend(fixture.type))
      #expect(next.check().isEmpty)
    }
  }
}

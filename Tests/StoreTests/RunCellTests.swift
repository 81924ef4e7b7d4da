import Testing

@testable import GQLStore

/// Runs of both forms: those whose count is in the cell, and those that have two words of their own.
@Suite struct RunCellTests {
  private let column: ColumnStore = {
    let column = ColumnStore(kind: .references, elementIsText: false, stamp: Stamp.next(), slot: nil)
    for _ in 0..<3 { column.append(nil) }
    return column
  }()
  private let long = UInt32(RunCell.longest * 3)

  @Test func wordsHoldAddressAndCount() {
    let rows = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
    defer { rows.deallocate() }
    for count in [1, 2, 0x7FFFE] {
      let word = RunCell.word(rows, count: UInt64(count))
      #expect(!RunCell.isLong(word))
      #expect(UnsafeRawPointer(RunCell.rows(word).baseAddress) == UnsafeRawPointer(rows))
      #expect(RunCell.rows(word).count == count)
    }
    rows.storeBytes(of: UInt(bitPattern: rows + 32), as: UInt.self)
    rows.storeBytes(of: 5_000_000_000, toByteOffset: 8, as: UInt.self)
    let word = RunCell.word(rows, count: RunCell.marker)
    #expect(UnsafeRawPointer(RunCell.rows(word).baseAddress) == UnsafeRawPointer(rows + 32))
    #expect(RunCell.rows(word).count == 5_000_000_000)
    #expect(RunCell.rows(0).isEmpty)
  }

  @Test func growingAndShrinkingOverTheBound() {
    var expected: [UInt32] = []
    for value in 0..<long {
      column.appendToRun(1, value)
      expected.append(value)
      #expect(Array(column.reader.references(1)) == expected)
    }
    #expect(column.linkCount == Int(long))
    while expected.count > 1 {
      let index = expected.count / 2
      column.removeFromRun(1, at: index)
      expected.remove(at: index)
      #expect(Array(column.reader.references(1)) == expected)
    }
    column.removeFromRun(1, at: 0)
    #expect(column.isNull(1) && column.reader.references(1).isEmpty)
    #expect(column.liveBytes == 0)
    #expect(column.liveNulls == 3)
    #expect(column.linkCount == 0)
  }

  @Test func versionsKeepTheirOwnCounts() {
    for value in 0..<UInt32(RunCell.longest) { column.appendToRun(0, value) }
    let old = Array(column.reader.references(0))
    let first = ColumnStore(copying: column, stamp: Stamp.next(), slot: nil)
    let second = ColumnStore(copying: column, stamp: Stamp.next(), slot: nil)
    for value in 0..<long {
      first.appendToRun(0, 1000 + value)
      second.appendToRun(0, 2000 + value)
    }
    #expect(Array(column.reader.references(0)) == old)
    #expect(Array(first.reader.references(0)) == old + (0..<long).map { 1000 + $0 })
    #expect(Array(second.reader.references(0)) == old + (0..<long).map { 2000 + $0 })
    let third = ColumnStore(copying: first, stamp: Stamp.next(), slot: nil)
    third.filterRun(0) { $0 < 1000 }
    #expect(Array(third.reader.references(0)) == old)
    #expect(first.reader.references(0).count == old.count + Int(long))
  }

  @Test func compactingMovesThem() {
    for row in 0..<3 as Range<UInt32> { for value in 0..<(long >> row) { column.appendToRun(row, value) } }
    let live = column.liveBytes
    column.compact { $0 != 2 }
    #expect(Array(column.reader.references(0)) == Array(0..<long))
    #expect(Array(column.reader.references(1)) == Array(0..<(long >> 1)))
    #expect(column.reader.references(2).isEmpty)
    #expect(column.liveBytes > 0 && column.liveBytes < live)
    #expect(column.liveBytes == column.arena.used)
    let empty = UnsafeBufferPointer<UInt32>(start: nil, count: 0)
    for row in 0..<2 as Range<UInt32> { column.setRun(row, copying: empty, capacity: 0) }
    #expect(column.liveBytes == 0)
  }
}

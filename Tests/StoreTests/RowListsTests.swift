import GQLCatalog
import Testing

@testable import GQLStore

/// Lists by row against a dictionary: every version keeps what it had.
@Suite struct RowListsTests {
  private func expectEqual(_ lists: RowLists, _ model: [UInt32: ContiguousArray<UInt32>]) {
    var found: [UInt32: ContiguousArray<UInt32>] = [:]
    var order: [UInt32] = []
    lists.forEach {
      found[$0] = $1
      order.append($0)
    }
    #expect(found == model && lists.count == model.count)
    #expect(order == model.keys.sorted())
    var rows = [UInt32](repeating: 0, count: lists.count)
    rows.withUnsafeMutableBufferPointer { buffer in
      if let base = buffer.baseAddress, !buffer.isEmpty { lists.copyRows(into: base) }
    }
    #expect(rows == order)
    for (row, list) in model { #expect(lists[row] == list && !lists.isEmpty(row)) }
  }

  @Test(arguments: 0..<8) func randomVersions(_ seed: Int) {
    var random = SeededRandom(UInt64(seed))
    // Near ones, far ones, and the last row of all.
    let span: UInt32 = [40, 2_000, 200_000, .max][seed % 4]
    var lists = RowLists()
    var model: [UInt32: ContiguousArray<UInt32>] = [:]
    var kept: [(RowLists, [UInt32: ContiguousArray<UInt32>])] = []
    var stamp: UInt64 = 1
    for step in 0..<250 {
      let row = UInt32.random(in: 0...span, using: &random)
      let known = model.keys.sorted()
      let place = Int.random(in: 0..<3, using: &random) == 0 || known.isEmpty ? row : known[Int(row) % known.count]
      let count = [0, 0, 1, 2, 7, 255, 256, 257, 600][Int.random(in: 0..<9, using: &random)]
      let list = ContiguousArray((0..<count).map { UInt32(truncatingIfNeeded: $0 &* step) })
      lists.set(place, list, stamp: stamp)
      model[place] = list.isEmpty ? nil : list
      if step % 50 == 49 {
        kept.append((lists, model))
        stamp += 1
      }
    }
    for (lists, model) in kept { expectEqual(lists, model) }
    for row in model.keys.sorted() { lists.set(row, [], stamp: stamp) }
    expectEqual(lists, [:])
    #expect(lists.byteCount == 0 && lists.isEmpty(0) && lists.isEmpty(.max))
    for (lists, model) in kept { expectEqual(lists, model) }
  }

  @Test func marks() {
    let marks = RowMarks([])
    var model: Set<DeletedRow> = []
    var random = SeededRandom(9)
    for _ in 0..<3_000 {
      let entity = DeletedRow(
        type: EntityTypeID(Int.random(in: 0..<3, using: &random)), row: UInt32.random(in: 0..<600, using: &random))
      #expect(marks.contains(entity) == model.contains(entity))
      #expect(marks.insert(entity) == model.insert(entity).inserted)
      #expect(marks.count == model.count)
    }
  }
}

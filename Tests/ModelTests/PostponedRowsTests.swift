import GQLCatalog
import GQLStore
import Testing

@testable import GQLModels

/// What hooks of many nested deletions ask for belongs to the value of the context.
@Suite struct PostponedRowsTests {
  private func rows(_ numbers: ClosedRange<UInt32>) -> [DeletedRow] {
    numbers.map { DeletedRow(type: EntityTypeID(1), row: $0) }
  }

  @Test func copiesAreIndependent() {
    var first = PostponedRows()
    first.add(rows(1...3))
    var second = first
    second.add(rows(2...5))
    first.removeAll(behind: 1)
    #expect(first.rows(behind: 0) == rows(1...1) && first.count == 1)
    // Each once, in the order in which they were asked for.
    #expect(second.rows(behind: 0) == rows(1...5) && second.rows(behind: 3) == rows(4...5))
    #expect(second.contains(rows(2...4)) && !first.contains(rows(1...2)) && first.contains(rows(1...1)))
    // What was undone may be more than is left.
    #expect(first.rows(behind: 4) == [])
    // It may be asked for again.
    first.add(rows(2...2))
    #expect(first.rows(behind: 1) == rows(2...2))
  }
}

import GQLCatalog

/// The elements of lists of one type. Nulls have no key.
package struct ElementKeys: CandidateKeys {
  private let element: KeyComponent
  private let isWide: Bool

  /// - Parameter element: A component over a column of lists, with the kind of their elements.
  init(_ element: KeyComponent) {
    self.element = element
    switch element.kind {
    case .int64, .float64, .byte, .code: isWide = false
    case .decimal, .text, .id: isWide = true
    }
  }

  /// Nil for a column that holds no lists of values.
  package init?(_ column: ColumnDescriptor) {
    guard let element = KeyComponent(column, of: .elements) else { return nil }
    self.init(element)
  }

  /// Returns the key of an element that is no null.
  package func key(_ cell: Cell) -> UInt32 { KeyHash.tag(element.hash(cell, KeyHash.seed)) }

  func most(_ row: UInt32, _ reader: ColumnReader) -> Int { ListRun(reader.wide(row), isWide: isWide).count }

  func enter(_ row: UInt32, _ reader: ColumnReader, into builder: inout CandidateSegmentBuilder) {
    let run = ListRun(reader.wide(row), isWide: isWide)
    let found = builder.found
    var count = 0
    for index in 0..<run.count where !run.isNull(index) {
      found[count] = key(run.cell(index))
      count += 1
      if count == CandidateSegmentBuilder.partSize {
        builder.enter(count)
        count = 0
      }
    }
    builder.enter(count)
  }

  func keys(_ row: UInt32, _ reader: ColumnReader) -> [UInt32] {
    let run = ListRun(reader.wide(row), isWide: isWide)
    return (0..<run.count).filter { !run.isNull($0) }.map { key(run.cell($0)) }
  }
}

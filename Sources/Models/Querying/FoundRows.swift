/// The rows that a query found for one level of its answer, and what comes with them.
package struct FoundRows {
  package var rows: [UInt32]
  /// Where those of each parent end; empty at the root, and where all parents have all of them.
  var ends: [Int] = []
  /// By number of the nested query: what comes with the rows, nil where nothing does. Nil altogether where it was not
  /// looked for yet.
  var nested: [FoundRows?]?

  init(_ rows: [UInt32], ends: [Int] = [], nested: [FoundRows?]? = nil) {
    self.rows = rows
    self.ends = ends
    self.nested = nested
  }

  /// Where the rows of each parent lie.
  var lists: [Range<Int>] { zip([0] + ends, ends).map { $0..<$1 } }

  /// Some of the rows, one behind the other, with what comes with these.
  func part(_ range: Range<Int>) -> FoundRows {
    FoundRows(Array(rows[range]), nested: nested.map { $0.map { $0?.ofParents(range) } })
  }

  /// Returns the part that belongs to some of the parents.
  private func ofParents(_ range: Range<Int>) -> FoundRows {
    if ends.isEmpty { return self }
    let first = range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
    let last = range.isEmpty ? first : ends[range.upperBound - 1]
    var part = part(first..<last)
    part.ends = ends[range].map { $0 - first }
    return part
  }
}

import GQLCatalog

extension Table {
  /// Calls something with the key of an index, texts folded as it has them, in `key`, and in `valid`, by column, whether a
  /// component has a value. Both are scratch, and texts are there as long as the call.
  ///
  /// - Parameters:
  ///   - folded: Room for texts, which the call must not use.
  ///   - cell: Gives a component's cell as it is written, by its place and the column that has it; nil for null.
  func withKey<Result>(
    _ keys: KeyLayout, _ key: UnsafeMutablePointer<Cell>, _ valid: UnsafeMutablePointer<Bool>, fold: TextFold,
    buffer folded: inout ContiguousArray<UInt8>, cell: (_ component: Int, _ column: Int) -> Cell?,
    _ body: () -> Result
  ) throws(StoreProblem) -> Result {
    var foldsAny = false
    folded.removeAll(keepingCapacity: true)
    for number in 0..<keys.count {
      let column = keys.components[number].column
      let source = layout.isFolded[column] ? layout.columns[column].foldedFrom.map { Int($0.index) } : nil
      let cell = cell(number, source ?? column)
      valid[column] = cell != nil
      key[number] = cell ?? Cell(low: 0)
      guard source != nil, let cell else { continue }
      foldsAny = true
      let start = folded.count
      TextView(cell).withBytes { fold(UnsafeRawBufferPointer(start: $0, count: $1), &folded) }
      guard folded.count - start <= TextView.maximumLength else {
        throw .textTooLong(layout.id, layout.columns[column].id)
      }
      // Where it stands among the folded ones, until all are there.
      key[number] = Cell(low: UInt64(start), high: UInt64(folded.count - start))
    }
    if !foldsAny { return body() }
    return folded.withUnsafeBytes { bytes in
      for number in 0..<keys.count {
        let column = keys.components[number].column
        guard layout.isFolded[column], valid[column] else { continue }
        let (start, count) = (Int(key[number].low), Int(key[number].high))
        key[number] = bytes.baseAddress.map { TextView($0 + start, count: count).cell } ?? Cell(low: 0)
      }
      return body()
    }
  }
}

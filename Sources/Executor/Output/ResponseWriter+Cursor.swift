import GQLBase
import GQLCatalog
import GQLStore

extension ResponseWriter {
  /// Writes the `_cursor` of a member.
  func writeCursor(
    _ selection: CompiledSelection, _ level: LevelState, _ position: Int, _ executable: Executable,
    into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    let set = executable.sets[selection.set]
    var bytes = ByteBuffer(capacity: 64)
    Cursor.begin(set.pagingFingerprint, into: &bytes)
    if let order = set.order {
      if position < level.cursorBatch.start || position >= level.cursorBatch.end || level.cursorBatch.vectors == nil {
        let count = min(ScopeRows.batchRows, level.members.rows.count - position)
        let vectors = try order.program.evaluate(scopes(level, position, count, selection.usedScopes), execution)
        level.cursorBatch = LevelState.Batch(vectors: vectors, start: position, end: position + count)
      }
      if let vectors = level.cursorBatch.vectors {
        for (index, term) in order.terms.enumerated() {
          let place = vectors[index].isConstant ? 0 : position - level.cursorBatch.start
          Cursor.append(vectors[index].isNull(place) ? nil : vectors[index].cell(place), term.type, to: &bytes)
        }
      }
    }
    let row = level.members.rows[position]
    Cursor.append(count: Int(row), to: &bytes)
    if set.access.countsPlacesByLinks {
      try appendNeighbors(of: row, set, level, position, to: &bytes)
    } else {
      Cursor.append(count: 0, to: &bytes)
    }
    Cursor.finish(&bytes, into: &output)
  }

  /// Appends the rows that stand before the member among the links, the nearest first.
  private func appendNeighbors(
    of row: UInt32, _ set: CompiledSet, _ level: LevelState, _ position: Int, to bytes: inout ByteBuffer
  ) throws(RuntimeProblem) {
    let depth = set.access.linkDepth
    let parents = scopes(level, position, 1, depth + 2)
    var outer = ScopeRows(count: 1, scopes: [])
    for scope in parents.scopes.dropFirst() { outer.scopes.append(scope) }
    guard depth < outer.scopes.count else { return Cursor.append(count: 0, to: &bytes) }
    let run: UnsafeBufferPointer<UInt32>
    let parent = outer.scopes[depth][0]
    if set.access.gathersLinks, parent == level.cursorParent {
      run = UnsafeBufferPointer(start: UnsafePointer(level.cursorLinks.base), count: level.cursorLinks.count)
    } else {
      run = try set.access.links(outer, execution, &level.cursorLinks)
      level.cursorParent = parent
    }
    // In link order the next member stands shortly behind the last.
    let hint = min(level.cursorPlace, run.count)
    let found = run[hint...].firstIndex(of: row) ?? run[..<hint].firstIndex(of: row)
    guard let found else { return Cursor.append(count: 0, to: &bytes) }
    level.cursorPlace = found
    let count = min(found, Cursor.neighbors)
    Cursor.append(count: count, to: &bytes)
    for index in 0..<count { Cursor.append(count: Int(run[found - 1 - index]), to: &bytes) }
  }
}

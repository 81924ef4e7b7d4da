import GQLBase

/// Gathers, for batches of members of all elements, the rows of the scopes that enclose each member.
struct OuterScopes {
  private let depth: Int
  private let scopes: ScopeRows
  private let memory: UnsafeMutablePointer<UInt32>
  private var element = 0

  /// `depth` scopes around the member are needed.
  init(_ depth: Int, _ scopes: ScopeRows, _ state: SetState) {
    self.depth = min(depth, scopes.scopes.count)
    self.scopes = scopes
    memory = state.outer.room(for: UInt32.self, count: max(self.depth, 1) * ScopeRows.batchRows)
    if scopes.count == 1 {
      for scope in 0..<self.depth {
        (memory + scope * ScopeRows.batchRows)
          .update(repeating: scopes.scopes[scope][0], count: ScopeRows.batchRows)
      }
    }
  }

  /// The batch of rows `start ..< start + count` of all; batches follow each other. `ends[i]` is where the rows of
  /// element `i` end.
  @inline(never)
  mutating func batch(
    _ rows: UnsafePointer<UInt32>, _ count: Int, start: Int, ends: UnsafePointer<UInt32>
  ) -> ScopeRows {
    var batch = ContiguousArray<UnsafePointer<UInt32>>()
    batch.reserveCapacity(depth + 1)
    batch.append(rows)
    if depth > 0, scopes.count > 1 {
      var position = 0
      while position < count {
        while element < scopes.count - 1, Int(ends[element]) <= start + position { element += 1 }
        let end = element == scopes.count - 1 ? count : min(count, Int(ends[element]) - start)
        for scope in 0..<depth {
          (memory + scope * ScopeRows.batchRows + position)
            .update(repeating: scopes.scopes[scope][element], count: end - position)
        }
        position = end
      }
    }
    for scope in 0..<depth { batch.append(UnsafePointer(memory + scope * ScopeRows.batchRows)) }
    return ScopeRows(count: count, scopes: batch)
  }
}

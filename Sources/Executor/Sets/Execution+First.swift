import GQLBase
import GQLCatalog
import GQLStore

/// The first few members that a filter keeps of each element's run, without a look at the rest of the run.
extension Execution {
  /// Limits up to this are met in parts of the runs.
  static var firstMembers: Int { 64 }

  struct FirstMembers {
    /// How many were found, at most as many as were needed, by element.
    var counts: UnsafePointer<UInt32>
    /// Those of element `i` from `i * needed` on, in link order.
    var rows: UnsafePointer<UInt32>
  }

  /// Looks for `needed` members of a filtered relation for each element. What it gives is valid until the next call
  /// for this set.
  ///
  /// The runs are tested in parts, those of all elements that still need more together; the parts grow.
  func findFirst(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ needed: Int
  ) throws(RuntimeProblem) -> FirstMembers {
    let node = set.access
    let count = scopes.count
    let depth = scopes.scopes.count
    let memory = state.firsts.room(for: UInt32.self, count: count * (3 + depth + needed))
    if state.firsts.byteCount > state.firstsBytes {
      let grown = state.firsts.byteCount - state.firstsBytes
      state.firstsBytes += grown
      try holdRegisters(grown)
    }
    defer { state.part.rest() }
    memory.update(repeating: 0, count: count * 2)
    let cursors = memory
    let counts = memory + count
    let active = memory + 2 * count
    let gathered = memory + 3 * count
    let rows = memory + (3 + depth) * count
    for element in 0..<count { active[element] = UInt32(truncatingIfNeeded: element) }
    var left = count
    var size = max(needed * 2, 8)
    while left > 0 {
      try checkpoint()
      var batch = scopes
      if left < count {
        batch.count = left
        for scope in 0..<depth {
          let target = gathered + scope * count
          for index in 0..<left { target[index] = scopes.scopes[scope][Int(active[index])] }
          batch.scopes[scope] = UnsafePointer(target)
        }
      }
      state.part.removeAll()
      state.part.offsets.append(0)
      for index in 0..<left {
        let element = Int(active[index])
        let before = state.part.rows.count
        appendTargets(
          node.relation, resolve(node.reference, scopes, element), from: Int(cursors[element]), limit: size,
          into: &state.part.rows)
        let taken = state.part.rows.count - before
        cursors[element] = taken < size ? UInt32.max : cursors[element] &+ UInt32(truncatingIfNeeded: taken)
        state.part.offsets.append(UInt32(truncatingIfNeeded: state.part.rows.count))
      }
      note(set, accessRows: state.part.rows.count)
      try filter(set, state, batch, &state.part, from: 0, firstOffset: 1)
      var kept = 0
      for index in 0..<left {
        let element = Int(active[index])
        var found = Int(counts[element])
        var place = Int(state.part.offsets[index])
        let end = Int(state.part.offsets[index + 1])
        while place < end, found < needed {
          rows[element * needed + found] = state.part.rows[place]
          found += 1
          place += 1
        }
        counts[element] = UInt32(truncatingIfNeeded: found)
        if found < needed, cursors[element] != UInt32.max {
          active[kept] = UInt32(truncatingIfNeeded: element)
          kept += 1
        }
      }
      left = kept
      size = min(size * 4, max(16, (1 << 17) / max(left, 1)))
    }
    try hold(state.part, &state.partBytes)
    return FirstMembers(counts: UnsafePointer(counts), rows: UnsafePointer(rows))
  }

  /// Appends each element's slice of a filtered relation in link order.
  func appendFirst(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ slice: Slice, into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard slice.limit > 0 else {
      for _ in 0..<scopes.count { result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count)) }
      return
    }
    let needed = slice.end
    let first = try findFirst(set, state, scopes, needed)
    for element in 0..<scopes.count {
      let count = Int(first.counts[element])
      if count > slice.offset {
        result.rows.append(first.rows + (element * needed + slice.offset), count - slice.offset)
      }
      result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
  }
}

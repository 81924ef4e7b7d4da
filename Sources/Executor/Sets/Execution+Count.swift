import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

extension Execution {
  /// How many members `expand` would give, per element.
  package func count(
    _ id: SetID, _ scopes: ScopeRows, into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) {
    try byKeys(compiledSet(id.index), scopes) { (set, scopes, first) throws(RuntimeProblem) in
      try count(set, scopes, into: counts + first)
    }
  }

  private func count(
    _ set: CompiledSet, _ scopes: ScopeRows, into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) {
    let state = sets[set.id]
    let started = measuredTime
    let elements = scopes.count
    guard set.isPlain, set.secondMember == nil, try countDirectly(set, state, scopes, counts) else {
      if !set.isCorrelated, set.secondMember == nil {
        let total = try countShared(set, state)
        for element in 0..<elements { counts[element] = total }
        return note(counts, of: set, elements, since: started)
      }
      state.counted.removeAll()
      state.counted.offsets.append(0)
      try appendFound(set, scopes, into: &state.counted)
      defer { state.counted.rest() }
      try hold(state.counted, &state.countedBytes)
      for element in 0..<elements {
        counts[element] = Int64(state.counted.offsets[element + 1]) - Int64(state.counted.offsets[element])
      }
      return
    }
    note(counts, of: set, elements, since: started)
  }

  private func note(
    _ counts: UnsafePointer<Int64>, of set: CompiledSet, _ elements: Int, since start: UInt64
  ) {
    if actuals == nil { return }
    let sum = (0..<elements).reduce(0) { $0 &+ Int(counts[$1]) }
    note(set, .counts, loops: elements, rows: sum, since: start)
  }

  /// Whether `expand` would give any, per element: 1 or 0.
  package func exists(
    _ id: SetID, _ scopes: ScopeRows, into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    try byKeys(compiledSet(id.index), scopes) { (set, scopes, first) throws(RuntimeProblem) in
      let started = measuredTime
      if try findAny(set, scopes, into: results + first) {
        if actuals == nil { return }
        let found = (first..<first + scopes.count).reduce(0) { $0 + Int(results[$1]) }
        return note(set, .tests, loops: scopes.count, rows: found, since: started)
      }
      let counts = sets[set.id].totals.room(for: Int64.self, count: scopes.count)
      try count(set, scopes, into: counts)
      for element in 0..<scopes.count { results[first + element] = counts[element] > 0 ? 1 : 0 }
    }
  }

  /// Finds whether there are members without counting them; returns false where counting is as quick.
  private func findAny(
    _ set: CompiledSet, _ scopes: ScopeRows, into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) -> Bool {
    let state = sets[set.id]
    if set.filter != nil, set.distinct == nil, !set.isPaged,
      try set.access.exists(set, state, scopes, self, into: results)
    {
      return true
    }
    if set.filter != nil, set.distinct == nil, set.secondMember == nil, !(set.access is Links), !set.isPaged,
      !set.access.meetsDeleted
    {
      if !set.isCorrelated {
        if state.anyRun != run {
          state.any = try isNotEmpty(set, state, .root)
          state.anyRun = run
        }
        for element in 0..<scopes.count { results[element] = state.any ? 1 : 0 }
      } else if scopes.count == 1 {
        results[0] = try isNotEmpty(set, state, scopes) ? 1 : 0
      } else {
        for element in 0..<scopes.count {
          results[element] = try isNotEmpty(set, state, scopes.element(element)) ? 1 : 0
        }
      }
      return true
    }
    return false
  }

  /// Looks for as many members as it takes to have one behind the offset.
  private func isNotEmpty(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows
  ) throws(RuntimeProblem) -> Bool {
    if !set.isCorrelated, state.sharedRun == run { return state.shared.rows.count > 0 }
    let slice = try slice(set, try set.bounds?.vectors(outer, self), 0, of: outer)
    guard slice.limit > 0, slice.offset < Int.max else { return false }
    state.counted.removeAll()
    try appendFiltered(set, state, outer, slice.offset + 1, inAnyOrder: true, into: &state.counted.rows)
    return state.counted.rows.count > slice.offset
  }

  /// Counts without rows: degrees of runs, ranks in indexes. Returns false where the set has no such form.
  private func countDirectly(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    guard try set.access.count(set, state, scopes, self, into: counts) else { return false }
    guard set.bounds != nil else { return true }
    let vectors = try set.bounds?.vectors(scopes, self)
    for element in 0..<scopes.count {
      let slice = try slice(set, vectors, element, of: scopes)
      let count = Int(counts[element])
      counts[element] = Int64(min(max(count - slice.offset, 0), slice.limit))
    }
    return true
  }

  /// The number of members of a set that depends on nothing around it.
  private func countShared(_ set: CompiledSet, _ state: SetState) throws(RuntimeProblem) -> Int64 {
    if state.sharedRun == run { return Int64(state.shared.rows.count) }
    guard set.isScan, set.distinct == nil, !set.isPaged, let program = set.filter else {
      try share(set, state)
      return Int64(state.shared.rows.count)
    }
    if state.totalRun != run {
      var total = 0
      let slots = snapshot.slotCount(set.type)
      let hasDead = snapshot.liveness(set.type) != nil
      if hasDead {
        state.candidates.removeAll()
        state.candidates.reserve(PageLayout.rows)
        var first = 0
        while first < slots {
          let count = min(PageLayout.rows, slots - first)
          total += try filterPage(set, state, first, count, .root, into: state.candidates.end)
          first += count
        }
      } else {
        let started = measuredTime
        total = try program.countTable(slots, self)
        note(set, filtered: slots, kept: total, since: started)
      }
      note(set, accessRows: slots)
      let slice = try slice(set, try set.bounds?.vectors(.root, self), 0, of: .root)
      state.total = Int64(min(max(total - slice.offset, 0), slice.limit))
      state.totalRun = run
    }
    return state.total
  }
}

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
    let started = actuals == nil ? 0 : MonotonicClock.now
    let elements = scopes.count
    guard set.isPlain, set.secondMember == nil, try countDirectly(set, state, scopes, counts) else {
      if !set.isCorrelated, set.secondMember == nil {
        let total = try countShared(set, state)
        for element in 0..<elements { counts[element] = total }
        return
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
    if actuals != nil {
      actuals?[set.id].parents += elements
      for element in 0..<elements { actuals?[set.id].rows += Int(counts[element]) }
      actuals?[set.id].nanoseconds += MonotonicClock.now &- started
    }
  }

  /// Whether `expand` would give any, per element: 1 or 0.
  package func exists(
    _ id: SetID, _ scopes: ScopeRows, into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    try byKeys(compiledSet(id.index), scopes) { (set, scopes, first) throws(RuntimeProblem) in
      try exists(set, scopes, into: results + first)
    }
  }

  private func exists(
    _ set: CompiledSet, _ scopes: ScopeRows, into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    let state = sets[set.id]
    if set.filter != nil, set.distinct == nil, set.isRelation, !set.isPaged,
      let slice = try commonSlice(set, scopes.count), slice.offset < Execution.firstMembers
    {
      guard slice.limit > 0 else { return results.update(repeating: 0, count: scopes.count) }
      let first = try findFirst(set, state, scopes, slice.offset + 1)
      for element in 0..<scopes.count { results[element] = first.counts[element] > slice.offset ? 1 : 0 }
      return
    }
    if set.isKeyed, set.filter != nil, set.distinct == nil, set.bounds == nil {
      state.counted.removeAll()
      state.counted.offsets.append(0)
      try appendKeyed(set, state, scopes, existenceOnly: true, into: &state.counted)
      defer { state.counted.rest() }
      try hold(state.counted, &state.countedBytes)
      for element in 0..<scopes.count {
        results[element] = state.counted.offsets[element + 1] > state.counted.offsets[element] ? 1 : 0
      }
      return
    }
    if set.filter != nil, set.distinct == nil, set.secondMember == nil, !set.isRelation, !set.isPaged,
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
      return
    }
    let counts = state.totals.room(for: Int64.self, count: scopes.count)
    try count(set, scopes, into: counts)
    for element in 0..<scopes.count { results[element] = counts[element] > 0 ? 1 : 0 }
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

  /// Counts that need no rows: degrees of runs, ranks in indexes. False if the set has no such form.
  private func countDirectly(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    let node = set.access
    let elements = scopes.count
    switch node.kind {
    case _ where set.isKeyed:
      let runs = try keyRuns(set, state, scopes)
      for element in 0..<elements { counts[element] = Int64(runs[element].count) }
    case .relation:
      let path = node.reference.path
      if path.isEmpty, node.relation.isToMany, node.reference.depth < scopes.scopes.count {
        let parents = scopes.scopes[node.reference.depth]
        let reader = readers[node.relation.reader]
        for element in 0..<elements {
          let row = parents[element]
          counts[element] = row == PageLayout.noRow ? 0 : Int64(reader.references(row).count)
        }
      } else {
        for element in 0..<elements {
          counts[element] = Int64(degree(node.relation, resolve(node.reference, scopes, element)))
        }
      }
    case .branches where !node.meetsDeleted:
      for element in 0..<elements {
        counts[element] = node.children.reduce(0) {
          $0 + Int64(degree($1.relation, resolve($1.reference, scopes, element)))
        }
      }
    case .lookup:
      guard let scalars = node.scalars else { return false }
      let vectors = try scalars.vectors(scopes, self)
      for element in 0..<elements {
        counts[element] = Int64(lookupCount(node, scalars, vectors, element, set.type))
      }
    case .range:
      guard let reader = snapshot.ordered(node.index) else { return false }
      for element in 0..<elements {
        let one = elements == 1 ? scopes : scopes.element(element)
        if try innerNull(node, one) != nil { return false }
        let bounds = try rangeBounds(node, state, one)
        counts[element] = bounds.map { Int64(reader.count($0)) } ?? 0
        if !set.isCorrelated {
          for other in 0..<elements { counts[other] = counts[element] }
          break
        }
      }
    case .step where !node.keepsLinkOrder && !node.meetsDeleted:
      for element in 0..<elements {
        counts[element] = try countStep(set, node, state, elements == 1 ? scopes : scopes.element(element))
        if !set.isCorrelated {
          for other in 0..<elements { counts[other] = counts[element] }
          break
        }
      }
    case .scan:
      let live = Int64(snapshot.liveCount(set.type))
      for element in 0..<elements { counts[element] = live }
    case .empty:
      for element in 0..<elements { counts[element] = 0 }
    default: return false
    }
    guard set.bounds != nil else { return true }
    let vectors = try set.bounds?.vectors(scopes, self)
    for element in 0..<elements {
      let slice = try slice(set, vectors, element, of: scopes)
      let count = Int(counts[element])
      counts[element] = Int64(min(max(count - slice.offset, 0), slice.limit))
    }
    return true
  }

  /// The number of distinct targets of the members of the inner set: each link sets a bit.
  private func countStep(
    _ set: CompiledSet, _ node: AccessNode, _ state: SetState, _ outer: ScopeRows
  ) throws(RuntimeProblem) -> Int64 {
    state.inner.removeAll()
    state.inner.offsets.append(0)
    try append(compiledSet(node.number), outer, into: &state.inner)
    defer { state.inner.rest() }
    try hold(state.inner, &state.innerBytes)
    let walk = state.walk
    let slots = snapshot.slotCount(node.relation.target)
    walk.visited.reserve(slots)
    if let count = try countMarks(node.relation, state.inner.rows, slots, walk) {
      note(set, accessRows: count)
      return Int64(count)
    }
    defer { walk.clean() }
    walk.frontier.removeAll()
    walk.frontier.append(UnsafePointer(state.inner.rows.base), state.inner.rows.count)
    try advance(over: node.relation, walk)
    note(set, accessRows: walk.found.count)
    return Int64(walk.found.count)
  }

  /// The same for so many links that all bits are counted and cleared, and no row is kept; nil for fewer.
  private func countMarks(
    _ relation: RelationAccess, _ sources: borrowing RowBuffer, _ slots: Int, _ walk: WalkState
  ) throws(RuntimeProblem) -> Int? {
    guard relation.isToMany, sources.count >= 64 else { return nil }
    let reader = readers[relation.reader]
    let rows = UnsafePointer(sources.base)
    var links = 0
    var index = 0
    // A word is counted and cleared in the time of a link that is kept.
    while index < sources.count, links <= slots >> 6 {
      links &+= reader.references(rows[index]).count
      index &+= 1
    }
    guard links > slots >> 6 else { return nil }
    do {
      var start = 0
      while start < sources.count {
        let end = min(start + 64, sources.count)
        warmRuns(reader, rows + start, end - start)
        var reached = 0
        for index in start..<end {
          let run = reader.references(rows[index])
          walk.visited.mark(run)
          reached &+= run.count
        }
        try visit(reached)
        try checkpoint()
        start = end
      }
    } catch {
      _ = walk.visited.takeCount(slots)
      throw error
    }
    return walk.visited.takeCount(slots)
  }

  /// The number of members of a set that depends on nothing around it.
  private func countShared(_ set: CompiledSet, _ state: SetState) throws(RuntimeProblem) -> Int64 {
    if state.sharedRun == run { return Int64(state.shared.rows.count) }
    guard set.access.kind == .scan, set.distinct == nil, !set.isPaged, let program = set.filter else {
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
        total = try program.countTable(slots, self)
      }
      note(set, accessRows: slots)
      let slice = try slice(set, try set.bounds?.vectors(.root, self), 0, of: .root)
      state.total = Int64(min(max(total - slice.offset, 0), slice.limit))
      state.totalRun = run
    }
    return state.total
  }
}

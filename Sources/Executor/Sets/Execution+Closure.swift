import GQLBase
import GQLCatalog
import GQLStore

/// Breadth-first walks over one relation.
extension Execution {
  /// Appends what repeating the step reaches, nearest first.
  ///
  /// Complexity: O(entities and links reached).
  func closure(
    _ traversal: CompiledTraversal, _ state: SetState, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let (lower, upper) = try depths(traversal, outer)
    guard lower <= upper else { return }
    let walk = state.walk
    let slots = snapshot.slotCount(traversal.type)
    walk.visited.reserve(slots)
    defer { walk.clean() }
    let depths = traversal.wantsDepth ? walk.depths.room(for: UInt32.self, count: slots) : nil
    try members(of: traversal.start, outer, into: &walk.starts)
    walk.frontier.removeAll()
    if lower == 0 {
      walk.found.reserve(walk.starts.rows.count)
      for index in 0..<walk.starts.rows.count {
        let row = walk.starts.rows[index]
        if walk.visited.insert(row) != 0 {
          walk.found.append(row)
          depths?[Int(row)] = 0
        }
      }
      walk.frontier.append(UnsafePointer(walk.found.base), walk.found.count)
    } else {
      walk.frontier.append(UnsafePointer(walk.starts.rows.base), walk.starts.rows.count)
    }
    var depth = 0
    var first = 0
    while depth < upper, walk.frontier.count > 0 {
      depth += 1
      let before = walk.found.count
      if depth <= lower { first = lower == 0 ? 0 : before }
      try advance(traversal, walk, outer)
      if let depths {
        for index in before..<walk.found.count {
          depths[Int(walk.found[index])] = UInt32(truncatingIfNeeded: min(depth, Int(UInt32.max)))
        }
      }
      walk.frontier.removeAll()
      walk.frontier.append(UnsafePointer(walk.found.base + before), walk.found.count - before)
    }
    // A walk that ended before the least depth has nothing.
    guard depth >= lower else { return }
    rows.append(UnsafePointer(walk.found.base + first), walk.found.count - first)
  }

  /// Least and greatest depth.
  func depths(
    _ traversal: CompiledTraversal, _ outer: ScopeRows
  ) throws(RuntimeProblem) -> (lower: Int, upper: Int) {
    var lower = 1
    var upper = Int.max
    guard let depths = traversal.depths else { return (lower, upper) }
    let vectors = try depths.vectors(outer, self)
    if traversal.lower >= 0, let cell = depths.cell(traversal.lower, vectors, 0, self) { lower = Int(cell.int) }
    var isExclusive = false
    if traversal.upper >= 0, let cell = depths.cell(traversal.upper, vectors, 0, self) {
      upper = Int(cell.int)
      isExclusive = !traversal.includesUpper
    }
    if lower < 0 || upper < 0 {
      throw RuntimeProblem(
        .wrongDepth(minimum: 0), at: traversal.range, values: [Text(String(lower < 0 ? lower : upper))])
    }
    return (lower, isExclusive ? upper - 1 : upper)
  }

  func maximumDepth(_ traversal: CompiledTraversal, _ outer: ScopeRows) throws(RuntimeProblem) -> Int {
    try depths(traversal, outer).upper
  }

  /// The entities that a walk starts from or ends at; missing ones are left out.
  func members(
    of end: CompiledTraversal.End, _ outer: ScopeRows, into members: inout Expansion
  ) throws(RuntimeProblem) {
    members.removeAll()
    members.offsets.append(0)
    switch end {
    case .entity(let reference):
      let row = resolve(reference, outer, 0)
      if row != PageLayout.noRow { members.rows.append(row) }
    case .set(let set): try append(compiledSet(set), outer, into: &members)
    }
  }

  /// Takes a step from everything in the frontier, and appends what is new.
  func advance(
    _ traversal: CompiledTraversal, _ walk: WalkState, _ outer: ScopeRows
  ) throws(RuntimeProblem) {
    if traversal.isDirect {
      try advance(over: traversal.relation, walk)
      return
    }
    let set = compiledSet(traversal.step)
    var start = 0
    while start < walk.frontier.count {
      try checkpoint()
      let count = min(ScopeRows.batchRows, walk.frontier.count - start)
      walk.reached.removeAll()
      walk.reached.offsets.append(0)
      try append(set, stepScopes(set, walk, outer, start, count), into: &walk.reached)
      walk.found.reserve(walk.reached.rows.count)
      for index in 0..<walk.reached.rows.count {
        let row = walk.reached.rows[index]
        walk.found.base[walk.found.count] = row
        walk.found.count &+= walk.visited.insert(row)
      }
      try checkMemory(walk.found.count &* 12 &+ walk.visited.byteCount)
      start += count
    }
  }

  /// A batch of the frontier as scope 0, with what encloses the walk behind it.
  func stepScopes(
    _ set: CompiledSet, _ walk: WalkState, _ outer: ScopeRows, _ start: Int, _ count: Int
  ) -> ScopeRows {
    var scopes = ContiguousArray<UnsafePointer<UInt32>>()
    scopes.append(UnsafePointer(walk.frontier.base + start))
    let depth = min(outer.scopes.count, max(set.usedScopes - 1, 0))
    if depth > 0 {
      let memory = walk.outer.room(for: UInt32.self, count: depth * ScopeRows.batchRows)
      for scope in 0..<depth {
        let target = memory + scope * ScopeRows.batchRows
        target.update(repeating: outer.scopes[scope][0], count: count)
        scopes.append(UnsafePointer(target))
      }
    }
    return ScopeRows(count: count, scopes: scopes)
  }

  func advance(over relation: RelationAccess, _ walk: WalkState) throws(RuntimeProblem) {
    let reader = readers[relation.reader]
    var links = 0
    for index in 0..<walk.frontier.count {
      // Runs lie anywhere: those of the next rows are touched together, so that their cache misses overlap.
      if relation.isToMany, index & 63 == 0, walk.frontier.count > 4 {
        warmRuns(reader, UnsafePointer(walk.frontier.base + index), min(64, walk.frontier.count - index))
      }
      let row = walk.frontier[index]
      if relation.isToMany {
        let run = reader.references(row)
        walk.found.reserve(run.count)
        let target = walk.found.base
        var count = walk.found.count
        for place in 0..<run.count {
          let next = run[place]
          target[count] = next
          count &+= walk.visited.insert(next)
        }
        walk.found.count = count
        links &+= run.count
      } else {
        let next = reader.reference(row)
        if next != PageLayout.noRow, walk.visited.insert(next) != 0 { walk.found.append(next) }
        links &+= 1
      }
      if links > 1 << 16 {
        try visit(links)
        links = 0
        try checkpoint()
        try checkMemory(walk.found.count &* 12 &+ walk.visited.byteCount)
      }
    }
    try visit(links)
    try checkpoint()
  }

  // MARK: - Depths of members

  /// As ``append(_:_:into:)`` of a closure whose members' depths are asked for: one more for each row.
  func appendWithDepths(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let isShared = !set.isCorrelated
    let base = result.rows.count
    let depthBase = state.memberDepths.count
    for element in 0..<scopes.count {
      let first = result.rows.count
      if isShared, element > 0 {
        // The same as for the first element.
        let count = Int(result.offsets[result.offsets.count - element]) - base
        result.rows.reserve(count)
        result.rows.append(UnsafePointer(result.rows.base + base), count)
        state.memberDepths.reserve(count)
        state.memberDepths.append(UnsafePointer(state.memberDepths.base + depthBase), count)
        result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
        try checkMemory(result.rows.count &* 8)
        try checkpoint()
        continue
      }
      try appendSingle(set, state, isShared ? .root : scopes.element(element), into: &result)
      let depths = state.walk.depths.room(for: UInt32.self, count: snapshot.slotCount(set.type))
      for index in first..<result.rows.count { state.memberDepths.append(depths[Int(result.rows[index])]) }
    }
  }
}

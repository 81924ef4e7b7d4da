import GQLBase
import GQLCatalog
import GQLStore

/// A closure: the entities that repeating a step reaches, nearest first.
final class Closure: WalkOperator, @unchecked Sendable {
  /// Complexity: O(entities and links reached).
  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let (lower, upper) = try depths(outer, execution)
    guard lower <= upper else { return false }
    let walk = walk(execution)
    let slots = execution.snapshot.slotCount(traversal.type)
    walk.visited.reserve(slots)
    defer { walk.clean() }
    let depths = traversal.wantsDepth ? walk.depths.room(for: UInt32.self, count: slots) : nil
    try members(of: traversal.start, outer, execution, into: &walk.starts)
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
      try advance(walk, outer, execution)
      if let depths {
        for index in before..<walk.found.count {
          depths[Int(walk.found[index])] = UInt32(truncatingIfNeeded: min(depth, Int(UInt32.max)))
        }
      }
      walk.frontier.removeAll()
      walk.frontier.append(UnsafePointer(walk.found.base + before), walk.found.count - before)
    }
    // A walk that ended before the least depth has nothing.
    guard depth >= lower else { return false }
    rows.append(UnsafePointer(walk.found.base + first), walk.found.count - first)
    return false
  }

  /// Takes a step from everything in the frontier, and appends what is new.
  private func advance(_ walk: WalkState, _ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) {
    if traversal.isDirect { return try execution.advance(over: traversal.relation, walk) }
    var start = 0
    while start < walk.frontier.count {
      try execution.checkpoint()
      let count = min(ScopeRows.batchRows, walk.frontier.count - start)
      try reach(walk, outer, start, count, execution)
      walk.found.reserve(walk.reached.rows.count)
      for index in 0..<walk.reached.rows.count {
        let row = walk.reached.rows[index]
        walk.found.base[walk.found.count] = row
        walk.found.count &+= walk.visited.insert(row)
      }
      try execution.checkMemory(walk.found.count &* 12 &+ walk.visited.byteCount)
      start += count
    }
  }

  /// Appends the lists of all elements, walked together where they may be a forest.
  fileprivate func appendWalks(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    if mayBeForest(set), scopes.count > 1, try appendForest(set, scopes, execution, into: &result) { return }
    guard traversal.wantsDepth else { return try set.appendEach(state, scopes, execution, into: &result) }
    try appendWithDepths(set, state, scopes, execution, into: &result)
  }

  // MARK: - Depths of members

  /// Returns how deep each member is that was appended since the last ``forgetDepths(_:)``.
  func memberDepths(_ execution: Execution, into depths: inout RowBuffer) {
    let walk = walk(execution)
    depths.append(UnsafePointer(walk.memberDepths.base), walk.memberDepths.count)
  }

  func forgetDepths(_ execution: Execution) { walk(execution).memberDepths.removeAll() }

  /// Appends the lists of all elements, and how deep their members are.
  private func appendWithDepths(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let isShared = !set.isCorrelated
    let walk = walk(execution)
    let base = result.rows.count
    let depthBase = walk.memberDepths.count
    for element in 0..<scopes.count {
      let first = result.rows.count
      if isShared, element > 0 {
        // The same as for the first element.
        let count = Int(result.offsets[result.offsets.count - element]) - base
        result.rows.reserve(count)
        result.rows.append(UnsafePointer(result.rows.base + base), count)
        walk.memberDepths.reserve(count)
        walk.memberDepths.append(UnsafePointer(walk.memberDepths.base + depthBase), count)
        result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
        try execution.checkMemory(result.rows.count &* 8)
        try execution.checkpoint()
        continue
      }
      try set.members.append(set, state, isShared ? .root : scopes.element(element), execution, into: &result)
      let depths = walk.depths.room(for: UInt32.self, count: execution.snapshot.slotCount(set.type))
      for index in first..<result.rows.count { walk.memberDepths.append(depths[Int(result.rows[index])]) }
    }
  }

  // MARK: - Forests

  /// Rows of a walk of many elements at most. Longer ones overlap their own misses.
  private static var forestRows: Int { 1 << 16 }

  /// Returns whether the closures of several elements may be walked together: those over all links from one entity, as
  /// they are found.
  private func mayBeForest(_ set: CompiledSet) -> Bool {
    set.isCorrelated && traversal.isUniform && set.isWhole
  }

  /// Appends the closures of all elements that share no member, as those of the nodes of a forest: all walks take each
  /// step together, so that their cache misses overlap. Appends how deep their members are if that is asked for.
  ///
  /// Returns false, and appends nothing, where a row is reached twice or too many are: then each element is walked by
  /// itself.
  private func appendForest(
    _ set: CompiledSet, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) -> Bool {
    let walk = walk(execution)
    guard walk.separateRun != execution.run, case .entity(let start) = traversal.start else { return false }
    let (lower, upper) = try depths(scopes, execution)
    guard lower <= upper else { return false }
    walk.visited.reserve(execution.snapshot.slotCount(traversal.relation.target))
    defer { walk.clean() }
    // The roots, of depth 0, come first; `origins` holds the element of each row, `frontier` where each depth begins.
    for element in 0..<scopes.count {
      let row = execution.resolve(start, scopes, element)
      guard row != PageLayout.noRow else { continue }
      walk.found.append(row)
      walk.origins.append(UInt32(truncatingIfNeeded: element))
    }
    var isForest = true
    if lower == 0 {
      for index in 0..<walk.found.count where walk.visited.insert(walk.found[index]) == 0 { isForest = false }
    }
    walk.frontier.removeAll()
    walk.frontier.append(0)
    var links = 0
    var depth = 0
    var first = 0
    while isForest, depth < upper, first < walk.found.count {
      try execution.checkpoint()
      let end = walk.found.count
      depth += 1
      walk.frontier.append(UInt32(truncatingIfNeeded: end))
      isForest = advance(walk, first..<end, &links, execution)
      if walk.found.count > Self.forestRows { isForest = false }
      first = end
    }
    guard isForest else {
      walk.separateRun = execution.run
      return false
    }
    try execution.visit(links)
    try execution.checkMemory(walk.found.count &* 12 &+ walk.visited.byteCount)
    walk.frontier.append(UInt32(truncatingIfNeeded: walk.found.count))
    let total = appendMembers(walk, lower...max(lower, depth), reached: depth, scopes.count, into: &result)
    execution.note(set, accessRows: total)
    return true
  }

  /// Appends the targets of the rows `range`; returns false as soon as one has been reached before.
  private func advance(_ walk: WalkState, _ range: Range<Int>, _ links: inout Int, _ execution: Execution) -> Bool {
    let relation = traversal.relation
    let reader = execution.readers[relation.reader]
    for index in range {
      let row = walk.found[index]
      let element = walk.origins[index]
      guard relation.isToMany else {
        let next = reader.reference(row)
        links &+= 1
        if next == PageLayout.noRow { continue }
        walk.found.append(next)
        walk.origins.append(element)
        if walk.visited.insert(next) == 0 { return false }
        continue
      }
      if (index &- range.lowerBound) & 63 == 0, range.count > 4 {
        execution.warmRuns(reader, UnsafePointer(walk.found.base + index), min(64, range.upperBound &- index))
      }
      let run = reader.references(row)
      if let start = run.baseAddress { walk.found.append(start, run.count) }
      walk.origins.reserve(run.count)
      walk.origins.end.update(repeating: element, count: run.count)
      walk.origins.count &+= run.count
      links &+= run.count
      var new = 0
      for place in 0..<run.count { new &+= walk.visited.insert(run[place]) }
      if new < run.count || walk.found.count > Self.forestRows { return new == run.count }
    }
    return true
  }

  /// Appends what was found in the given depths, element by element, the nearest first; returns how many that are.
  private func appendMembers(
    _ walk: WalkState, _ depths: ClosedRange<Int>, reached: Int, _ elements: Int, into result: inout Expansion
  ) -> Int {
    let first = depths.lowerBound <= reached ? Int(walk.frontier[depths.lowerBound]) : walk.found.count
    let total = walk.found.count - first
    let places = walk.outer.room(for: UInt32.self, count: elements)
    places.update(repeating: 0, count: elements)
    for index in first..<walk.found.count { places[Int(walk.origins[index])] &+= 1 }
    var next = UInt32(truncatingIfNeeded: result.rows.count)
    for element in 0..<elements {
      let count = places[element]
      places[element] = next
      next &+= count
      result.offsets.append(next)
    }
    let base = result.rows.count
    let depthBase = walk.memberDepths.count
    result.rows.reserve(total)
    if traversal.wantsDepth { walk.memberDepths.reserve(total) }
    for depth in depths where depth <= reached {
      for index in Int(walk.frontier[depth])..<Int(walk.frontier[depth + 1]) {
        let element = Int(walk.origins[index])
        let place = Int(places[element])
        places[element] &+= 1
        result.rows.base[place] = walk.found[index]
        if traversal.wantsDepth {
          walk.memberDepths.base[depthBase &+ place &- base] = UInt32(truncatingIfNeeded: depth)
        }
      }
    }
    result.rows.count += total
    if traversal.wantsDepth { walk.memberDepths.count += total }
    return total
  }
}

/// The closures of all elements of a batch, and how deep their members are if that is asked for.
final class WalkLists: ListOperator, @unchecked Sendable {
  override func append(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard let closure = set.access as? Closure else {
      return try set.appendEach(state, scopes, execution, into: &result)
    }
    try closure.appendWalks(set, state, scopes, execution, into: &result)
  }
}

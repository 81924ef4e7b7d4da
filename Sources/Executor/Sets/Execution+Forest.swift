import GQLBase
import GQLCatalog
import GQLStore

/// Closures of many elements that share no member, as those of the nodes of a forest: all walks take each step together,
/// so that their cache misses overlap.
extension Execution {
  /// Rows of one such walk at most. Longer ones overlap their own misses.
  private static let forestRows = 1 << 16

  /// Appends the closures of all elements, and how deep their members are if that is asked for. False, and nothing is
  /// appended, where a row is reached twice or too many are: then each element is walked by itself.
  func appendForest(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) -> Bool {
    guard state.separateRun != run, let traversal = set.access.traversal, case .entity(let start) = traversal.start
    else { return false }
    let (lower, upper) = try depths(traversal, scopes)
    guard lower <= upper else { return false }
    let walk = state.walk
    walk.visited.reserve(snapshot.slotCount(traversal.relation.target))
    defer { walk.clean() }
    // The roots, of depth 0, come first; `origins` holds the element of each row, `frontier` where each depth begins.
    for element in 0..<scopes.count {
      let row = resolve(start, scopes, element)
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
      try checkpoint()
      let end = walk.found.count
      depth += 1
      walk.frontier.append(UInt32(truncatingIfNeeded: end))
      isForest = advance(over: traversal.relation, walk, first..<end, &links)
      if walk.found.count > Execution.forestRows { isForest = false }
      first = end
    }
    guard isForest else {
      state.separateRun = run
      return false
    }
    try visit(links)
    try checkMemory(walk.found.count &* 12 &+ walk.visited.byteCount)
    walk.frontier.append(UInt32(truncatingIfNeeded: walk.found.count))
    appendMembers(set, state, lower...max(lower, depth), reached: depth, scopes.count, into: &result)
    return true
  }

  /// Appends the targets of the rows `range`; false as soon as one has been reached before.
  private func advance(
    over relation: RelationAccess, _ walk: WalkState, _ range: Range<Int>, _ links: inout Int
  ) -> Bool {
    let reader = readers[relation.reader]
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
        warmRuns(reader, UnsafePointer(walk.found.base + index), min(64, range.upperBound &- index))
      }
      let run = reader.references(row)
      if let start = run.baseAddress { walk.found.append(start, run.count) }
      walk.origins.reserve(run.count)
      walk.origins.end.update(repeating: element, count: run.count)
      walk.origins.count &+= run.count
      links &+= run.count
      var new = 0
      for place in 0..<run.count { new &+= walk.visited.insert(run[place]) }
      if new < run.count || walk.found.count > Execution.forestRows { return new == run.count }
    }
    return true
  }

  /// Appends what was found in the given depths, element by element, the nearest first.
  private func appendMembers(
    _ set: CompiledSet, _ state: SetState, _ depths: ClosedRange<Int>, reached: Int, _ elements: Int,
    into result: inout Expansion
  ) {
    let walk = state.walk
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
    let depthBase = state.memberDepths.count
    result.rows.reserve(total)
    if set.wantsDepths { state.memberDepths.reserve(total) }
    for depth in depths where depth <= reached {
      for index in Int(walk.frontier[depth])..<Int(walk.frontier[depth + 1]) {
        let element = Int(walk.origins[index])
        let place = Int(places[element])
        places[element] &+= 1
        result.rows.base[place] = walk.found[index]
        if set.wantsDepths {
          state.memberDepths.base[depthBase &+ place &- base] = UInt32(truncatingIfNeeded: depth)
        }
      }
    }
    result.rows.count += total
    if set.wantsDepths { state.memberDepths.count += total }
    note(set, accessRows: total)
  }
}

import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// ``BoundRecursion`` made ready to run. Immutable.
struct CompiledRecursion {
  let depth: ScalarSources?
  let isMany: Bool
  /// The ways to what the first level starts from, of which one leads there at most; none for the element above itself.
  let entries: [CompiledReference]
  let range: SourceRange

  init(_ recursion: BoundRecursion, _ compiler: inout PlanCompiler) {
    entries = recursion.entry?.alternatives.map { compiler.reference($0) } ?? []
    depth = recursion.depth.map { ScalarSources([$0], compiler) }
    isMany = recursion.isMany
    range = recursion.range
  }
}

/// The working memory of a recursion in one execution.
///
/// ```
/// found.rows      members of depth 1 of all parents │ of depth 2 │ … breadth first
/// found.offsets   ends of the parents' members, then of the members' own ones
/// ```
final class RecursionState {
  @exclusivity(unchecked) var found = Expansion()
  /// What the first level starts from, by element of the level above, those in front of the range left out.
  @exclusivity(unchecked) var roots = RowBuffer()
  /// By member: its parent's place in `found`, or `noParent` in the first level.
  @exclusivity(unchecked) var parents = RowBuffer()
  /// By member: the position, in the level above, that it hangs under.
  @exclusivity(unchecked) var origins = RowBuffer()
  @exclusivity(unchecked) var depths = RowBuffer()
  @exclusivity(unchecked) var cycles = RowBuffer()
  @exclusivity(unchecked) var batch = WorkMemory()
  /// By member: how many members hang under it, itself included; then its place when written.
  @exclusivity(unchecked) var sizes = WorkMemory()
  @exclusivity(unchecked) var places = WorkMemory()

  static var noParent: UInt32 { UInt32.max }

  func removeAll() {
    found.removeAll()
    roots.removeAll()
    parents.removeAll()
    origins.removeAll()
    depths.removeAll()
    cycles.removeAll()
  }
}

extension ResponseWriter {
  /// Expands a recursive selection for the members `range` of the level above, depth by depth for all of them
  /// together, and puts what it found into the order in which it is written.
  ///
  /// Complexity: O(members × depth), because each is compared with those on its path.
  func expandRecursion(
    _ selection: CompiledSelection, _ recursion: CompiledRecursion, _ level: LevelState, above: LevelState,
    _ range: Range<Int>, _ set: CompiledSet
  ) throws(RuntimeProblem) {
    let state = level.recursion
    state.removeAll()
    state.found.offsets.append(0)
    let maximum = try levels(recursion)
    var start = range.lowerBound
    while start < range.upperBound {
      try execution.checkpoint()
      let count = min(ScopeRows.batchRows, range.upperBound - start)
      let first = state.found.offsets.count - 1
      let outer = scopes(above, start, count, max(set.usedScopes - 1, 1))
      state.roots.reserve(count)
      let roots = state.roots.end
      for element in 0..<count {
        roots[element] = recursion.entries.isEmpty ? above.members.rows[start + element] : PageLayout.noRow
        for entry in recursion.entries where roots[element] == PageLayout.noRow {
          roots[element] = execution.resolve(entry, outer, element)
        }
      }
      state.roots.count += count
      let around = set.usedScopes > 1 ? outer.scopes : []
      try set.append(
        ScopeRows(count: count, scopes: [UnsafePointer(roots)] + around), execution, into: &state.found)
      for element in 0..<count {
        for member in Int(state.found.offsets[first + element])..<Int(state.found.offsets[first + element + 1]) {
          note(member, under: RecursionState.noParent, origin: start + element, depth: 1, state, range)
        }
      }
      start += count
    }
    var first = 0
    var depth = 1
    while depth < maximum, first < state.found.rows.count {
      let end = state.found.rows.count
      try expandLevel(set, state, above, range, first..<end, depth: depth + 1, recursion)
      first = end
      depth += 1
      if depth > execution.limits.maximumNesting, state.found.rows.count > first {
        throw RuntimeProblem(
          .limitExceeded(name: "recursion-depth", limit: execution.limits.maximumNesting), at: recursion.range)
      }
    }
    try unfold(selection, state, level, above, range)
  }

  /// How many levels there are at most.
  private func levels(_ recursion: CompiledRecursion) throws(RuntimeProblem) -> Int {
    guard let depth = recursion.depth,
      let cell = depth.cell(0, try depth.vectors(.root, execution), 0, execution)
    else {
      return Int.max
    }
    guard cell.int >= 1 else {
      throw RuntimeProblem(.wrongDepth(minimum: 1), at: recursion.range, values: [Text(String(cell.int))])
    }
    return Int(cell.int)
  }

  /// Members of one depth below those of the last, `members`.
  private func expandLevel(
    _ set: CompiledSet, _ state: RecursionState, _ above: LevelState, _ range: Range<Int>, _ members: Range<Int>,
    depth: Int, _ recursion: CompiledRecursion
  ) throws(RuntimeProblem) {
    let links = followedLinks(set)
    var start = members.lowerBound
    while start < members.upperBound {
      try execution.checkpoint()
      let count = min(ScopeRows.batchRows, members.upperBound - start)
      let before = state.found.rows.count
      if let links {
        try appendLinked(links, set, state, start, count)
      } else {
        try appendBelow(set, state, above, start, count)
      }
      let total = state.found.rows.count
      if total > execution.limits.maximumRecursion {
        throw RuntimeProblem(
          .limitExceeded(name: "recursion-entities", limit: execution.limits.maximumRecursion), at: recursion.range)
      }
      try checkNodes(total, at: recursion.range)
      try execution.checkMemory(total &* 40)
      var member = before
      for index in 0..<count {
        let end = Int(state.found.offsets[range.count + start + index + 1])
        let origin = Int(state.origins[start + index])
        while member < end {
          note(member, under: UInt32(truncatingIfNeeded: start + index), origin: origin, depth: depth, state, range)
          member += 1
        }
      }
      start += count
    }
  }

  /// Returns the relation whose targets, in link order, are the members below a member; nil if they are not all of them.
  private func followedLinks(_ set: CompiledSet) -> RelationAccess? {
    guard let links = set.access as? Links, set.isWhole, execution.actuals == nil,
      links.reference.path.isEmpty, links.reference.depth == 0
    else { return nil }
    return links.relation
  }

  /// Appends what is linked to `count` members from `start` on.
  private func appendLinked(
    _ relation: RelationAccess, _ set: CompiledSet, _ state: RecursionState, _ start: Int, _ count: Int
  ) throws(RuntimeProblem) {
    let before = state.found.rows.count
    if relation.isToMany, count > 4 {
      execution.warmRuns(readers[relation.reader], UnsafePointer(state.found.rows.base + start), count)
    }
    state.found.offsets.reserve(count)
    for member in start..<start + count {
      // A few hubs may have more than the run may hold.
      if member & 63 == 63 { try execution.checkMemory(state.found.rows.count &* 40) }
      // What is on its path already is not entered again.
      if state.cycles[member] == 0 {
        execution.appendTargets(relation, state.found.rows[member], from: 0, limit: Int.max, into: &state.found.rows)
      }
      state.found.offsets.append(UInt32(truncatingIfNeeded: state.found.rows.count))
    }
    if state.found.rows.count > Int(UInt32.max >> 1) {
      throw RuntimeProblem(.memory(limit: execution.limits.maximumMemory), at: set.range)
    }
    try execution.visit(state.found.rows.count - before)
  }

  /// Appends the members of the set for `count` members from `start` on.
  private func appendBelow(
    _ set: CompiledSet, _ state: RecursionState, _ above: LevelState, _ start: Int, _ count: Int
  ) throws(RuntimeProblem) {
    let outer = min(max(set.usedScopes, 1) - 1, above.ancestors.count + 1)
    let memory = state.batch.room(for: UInt32.self, count: (outer + 1) * ScopeRows.batchRows)
    var scopes = ContiguousArray<UnsafePointer<UInt32>>()
    scopes.append(UnsafePointer(memory))
    for index in 0..<count {
      // What is on its path already is not entered again.
      memory[index] = state.cycles[start + index] != 0 ? PageLayout.noRow : state.found.rows[start + index]
    }
    // `^` is the parent at every depth; what lies further out is what the first level sees there, beginning with the
    // element that the recursion starts from.
    for scope in 0..<outer {
      let target = memory + (scope + 1) * ScopeRows.batchRows
      let source = scope == 0 ? above.members.rows.base : above.ancestors[scope - 1].rows.base
      for index in 0..<count { target[index] = source[Int(state.origins[start + index])] }
      scopes.append(UnsafePointer(target))
    }
    try set.append(ScopeRows(count: count, scopes: scopes), execution, into: &state.found)
  }

  /// Remembers where a member hangs, and whether it is on its path already.
  @inline(__always)
  private func note(
    _ member: Int, under parent: UInt32, origin: Int, depth: Int, _ state: RecursionState, _ range: Range<Int>
  ) {
    let row = state.found.rows[member]
    var isCycle = state.roots[origin - range.lowerBound] == row
    var place = parent
    while place != RecursionState.noParent, !isCycle {
      isCycle = state.found.rows[Int(place)] == row
      place = state.parents[Int(place)]
    }
    state.parents.append(parent)
    state.origins.append(UInt32(truncatingIfNeeded: origin))
    state.depths.append(UInt32(truncatingIfNeeded: depth))
    state.cycles.append(isCycle ? 1 : 0)
  }

  /// Puts the members depth first, each behind its parent, so that they are computed and written in one pass.
  private func unfold(
    _ selection: CompiledSelection, _ state: RecursionState, _ level: LevelState, _ above: LevelState,
    _ range: Range<Int>
  ) throws(RuntimeProblem) {
    let total = state.found.rows.count
    let sizes = state.sizes.room(for: UInt32.self, count: total)
    let places = state.places.room(for: UInt32.self, count: total)
    sizes.update(repeating: 1, count: total)
    var member = total - 1
    while member >= 0 {
      let parent = state.parents[member]
      if parent != RecursionState.noParent { sizes[Int(parent)] &+= sizes[member] }
      member -= 1
    }
    // Siblings follow each other: each stands behind all that hangs under the one before.
    var next: UInt32 = 0
    for member in 0..<total {
      let parent = state.parents[member]
      if parent == RecursionState.noParent {
        places[member] = next
        next &+= sizes[member]
      } else if member > 0, state.parents[member - 1] == parent {
        places[member] = places[member - 1] &+ sizes[member - 1]
      } else {
        places[member] = places[Int(parent)] &+ 1
      }
    }
    func scatter(_ source: borrowing RowBuffer, _ target: inout RowBuffer) {
      target.removeAll()
      target.reserve(total)
      for member in 0..<total { target.base[Int(places[member])] = source[member] }
      target.count = total
    }
    level.parentBase = range.lowerBound
    level.members.removeAll()
    scatter(state.found.rows, &level.members.rows)
    scatter(state.depths, &level.depths)
    scatter(state.cycles, &level.cycles)
    level.members.offsets.append(0)
    for parent in 0..<range.count {
      let end = Int(state.found.offsets[parent + 1])
      let last = end > Int(state.found.offsets[parent]) ? places[end - 1] &+ sizes[end - 1] : nil
      level.members.offsets.append(last ?? level.members.offsets[parent])
    }
    try prepare(selection, level)
    guard selection.usedScopes > 1 else { return }
    while level.ancestors.count < selection.usedScopes - 1 { level.ancestors.append(RowBuffer.Owner()) }
    for scope in 0..<selection.usedScopes - 1 {
      let owner = level.ancestors[scope]
      owner.rows.removeAll()
      owner.rows.reserve(total)
      let target = owner.rows.base
      if scope == 0 {
        for member in 0..<total {
          let parent = state.parents[member]
          target[Int(places[member])] =
            parent == RecursionState.noParent
            ? state.roots[Int(state.origins[member]) - range.lowerBound] : state.found.rows[Int(parent)]
        }
      } else {
        guard scope - 2 < above.ancestors.count else { break }
        let source = scope == 1 ? above.members.rows.base : above.ancestors[scope - 2].rows.base
        for member in 0..<total { target[Int(places[member])] = source[Int(state.origins[member])] }
      }
      owner.rows.count = total
    }
  }

  // MARK: - Writing

  /// Writes the members `first ..< end`, which stand depth first. A loop, for they may be deeper than the stack.
  func writeRecursion(
    _ selection: CompiledSelection, _ recursion: CompiledRecursion, _ level: LevelState, _ first: Int, _ end: Int,
    _ executable: Executable, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    guard first < end else { return output.append(recursion.isMany ? "[]" : "null") }
    let last = selection.operationCount - 1
    let operation = selection.operations[last]
    let maximum = try levels(recursion)
    if recursion.isMany { output.append(0x5B) }
    var position = first
    while true {
      if position >= level.warmEnd { warm(selection, level, position) }
      let start = output.count
      try writeFields(selection, level, position, level.members.rows[position], 0, last, executable, into: &output)
      var depth = Int(level.depths[position])
      position += 1
      if position & 1023 == 0 {
        try execution.checkpoint()
        try checkBytes(output.count)
      }
      let nextDepth = position < end ? Int(level.depths[position]) : 0
      if depth < maximum {
        output.append(operation.prefix, Int(operation.prefixCount))
        if nextDepth > depth {
          output.overwrite(start, 0x7B)
          if recursion.isMany { output.append(0x5B) }
          continue
        }
        output.append(recursion.isMany ? "[]" : "null")
      }
      close(start, into: &output)
      while depth > max(nextDepth, 1) {
        if recursion.isMany { output.append(0x5D) }
        output.append(0x7D)
        depth -= 1
      }
      if nextDepth == 0 { break }
      output.append(0x2C)
    }
    if recursion.isMany { output.append(0x5D) }
  }
}

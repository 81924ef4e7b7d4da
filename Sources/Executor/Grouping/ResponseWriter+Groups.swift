import GQLBase
import GQLCatalog
import GQLStore

extension ResponseWriter {
  /// Groups the members for the elements `range` of the level above, or for the root, in one pass; leaves the groups as
  /// the members of their level: rows are numbers of groups, and the first scope around them is their first members.
  func expandGroups(
    _ selection: CompiledSelection, _ grouping: CompiledGrouping, _ level: LevelState,
    above: LevelState?, _ range: Range<Int>, _ executable: Executable
  ) throws(RuntimeProblem) {
    let state = grouping.state(execution)
    let set = executable.sets[selection.set]
    let started = execution.measuredTime
    defer { execution.note(set, .groups, loops: range.count, rows: level.members.rows.count, since: started) }
    level.members.removeAll()
    level.members.offsets.append(0)
    level.parentBase = range.lowerBound
    state.begin(execution)
    var pass = GroupingPass(grouping, state, parents: range.count)
    if set.groupsPages, execution.snapshot.liveness(set.type) == nil {
      try groupPages(set, &pass)
    } else {
      var start = range.lowerBound
      while start < range.upperBound {
        try execution.checkpoint()
        let count = min(ScopeRows.batchRows, range.upperBound - start)
        let scopes =
          above.map { self.scopes($0, start, count, max(set.usedScopes, grouping.outerScopes, 1)) } ?? .root
        try groupMembers(set, scopes, firstParent: start - range.lowerBound, &pass)
        start += count
      }
    }
    pass.listGroups(into: &level.members)
    if grouping.listsMembers { state.listMembers() }
    try finish(grouping, state)
    try arrangeGroups(set, grouping, state, level, above: above, range)
    try countNodes(level.members.rows.count)
    level.warmEnd = Int.max
    level.batches.removeAll(keepingCapacity: true)
    for _ in selection.groups { level.batches.append(LevelState.Batch()) }
  }

  // MARK: - Members

  /// Groups whole pages, of a table without deleted rows.
  private func groupPages(_ set: CompiledSet, _ pass: inout GroupingPass) throws(RuntimeProblem) {
    let started = execution.measuredTime
    let slots = execution.snapshot.slotCount(set.type)
    let program = pass.grouping.program
    var first = 0
    while first < slots {
      try execution.checkpoint()
      let count = min(PageLayout.rows, slots - first)
      let row = UInt32(truncatingIfNeeded: first)
      let mark = execution.scratch.mark
      do throws(RuntimeProblem) {
        let vectors = try program?.evaluatePage(firstRow: row, count: count, execution)
        pass.assign(vectors, count)
        pass.noteFirsts { row &+ UInt32($0) }
        pass.accumulate(vectors, count)
      } catch {
        guard pass.grouping.argumentsCanFail, error.kind.isOfOneRow else { throw error }
        let rows = execution.scratch.allocate(UInt32.self, count: count)
        for index in 0..<count { rows[index] = row &+ UInt32(truncatingIfNeeded: index) }
        try pass.addSingly(ScopeRows(count: count, scopes: [UnsafePointer(rows)]), execution)
      }
      if pass.grouping.listsMembers { pass.list(count) { row &+ UInt32(truncatingIfNeeded: $0) } }
      if pass.releasesScratch { execution.scratch.release(to: mark) }
      try execution.checkMemory(pass.byteCount)
      first += count
    }
    execution.note(set, accessRows: slots)
    execution.note(set, .lists, loops: 1, rows: slots, since: started)
  }

  /// The members for a batch of parents.
  private func groupMembers(
    _ set: CompiledSet, _ parents: ScopeRows, firstParent: Int, _ pass: inout GroupingPass
  ) throws(RuntimeProblem) {
    let state = pass.state
    let grouping = pass.grouping
    state.members.removeAll()
    state.members.offsets.append(0)
    try set.append(parents, execution, into: &state.members)
    let total = state.members.rows.count
    let rows = state.members.rows.base
    let ends = UnsafePointer(state.members.offsets.base + 1)
    var gather = OuterScopes(grouping.outerScopes, parents, execution.sets[set.id])
    var start = 0
    var parent = 0
    while start < total {
      try execution.checkpoint()
      let count = min(ScopeRows.batchRows, total - start)
      let batch = gather.batch(UnsafePointer(rows + start), count, start: start, ends: ends)
      if pass.needsParents {
        for position in 0..<count {
          while Int(ends[parent]) <= start &+ position { parent &+= 1 }
          state.parents[position] = Int64(firstParent &+ parent)
        }
      }
      let mark = execution.scratch.mark
      do throws(RuntimeProblem) {
        let vectors = try grouping.program?.evaluate(batch, execution)
        pass.assign(vectors, count)
        pass.noteFirsts { batch.scopes[0][$0] }
        pass.accumulate(vectors, count)
      } catch {
        guard grouping.argumentsCanFail, error.kind.isOfOneRow else { throw error }
        try pass.addSingly(batch, execution)
      }
      for (number, aggregate) in grouping.aggregates.enumerated() where aggregate.set >= 0 {
        try pass.addBags(aggregate, state.aggregates[number], batch, execution)
      }
      if grouping.listsMembers { pass.list(count) { batch.scopes[0][$0] } }
      if pass.releasesScratch { execution.scratch.release(to: mark) }
      try execution.checkMemory(pass.byteCount &+ total &* 4)
      start += count
    }
  }

  // MARK: - Values

  private func finish(_ grouping: CompiledGrouping, _ state: GroupState) throws(RuntimeProblem) {
    let count = state.firsts.count
    for aggregate in state.aggregates {
      try execution.checkpoint()
      aggregate.extend(to: count)
      try aggregate.finish(state.counts.base, count, firsts: state.firsts.base, grouping, execution)
    }
    try execution.checkMemory(state.byteCount)
  }

  // MARK: - Arranging

  /// `having`, order, offset and limit.
  private func arrangeGroups(
    _ set: CompiledSet, _ grouping: CompiledGrouping, _ state: GroupState, _ level: LevelState, above: LevelState?,
    _ range: Range<Int>
  ) throws(RuntimeProblem) {
    prepareAncestors(grouping, state, level, above: above)
    let all = level.members.rows.count
    if let having = grouping.having {
      try keepGroups(having, grouping, set, level)
      prepareAncestors(grouping, state, level, above: above)
    }
    if let order = grouping.order { try sortGroups(order, grouping, set, level) }
    if let slice = grouping.slice { try cutGroups(slice, grouping, level, above: above, range) }
    if grouping.order != nil || level.members.rows.count != all {
      prepareAncestors(grouping, state, level, above: above)
    }
  }

  /// The scopes around each group of the level: its first member, then what encloses the set.
  private func prepareAncestors(
    _ grouping: CompiledGrouping, _ state: GroupState, _ level: LevelState, above: LevelState?
  ) {
    while level.ancestors.count < grouping.depth - 1 { level.ancestors.append(RowBuffer.Owner()) }
    let total = level.members.rows.count
    for owner in level.ancestors {
      owner.rows.removeAll()
      owner.rows.reserve(total)
      owner.rows.count = total
    }
    let rows = level.members.rows.base
    let firsts = level.ancestors[0].rows.base
    for index in 0..<total { firsts[index] = state.firsts.base[Int(rows[index])] }
    guard let above, level.ancestors.count > 1 else { return }
    for scope in 1..<level.ancestors.count {
      let source: UnsafeMutablePointer<UInt32>
      if scope == 1 {
        source = above.members.rows.base
      } else {
        guard scope - 2 < above.ancestors.count else { break }
        source = above.ancestors[scope - 2].rows.base
      }
      let target = level.ancestors[scope].rows.base
      for parent in 0..<level.members.offsets.count - 1 {
        let first = Int(level.members.offsets[parent])
        let count = Int(level.members.offsets[parent + 1]) - first
        (target + first).update(repeating: source[level.parentBase + parent], count: count)
      }
    }
  }

  private func keepGroups(
    _ having: ExpressionProgram, _ grouping: CompiledGrouping, _ set: CompiledSet, _ level: LevelState
  ) throws(RuntimeProblem) {
    let positions = execution.sets[set.id].positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    let all = scopes(level, 0, level.members.rows.count, grouping.depth)
    let parents = level.members.offsets.count - 1
    try having.keep(&level.members, from: 0, firstOffset: 1, parents, positions, execution) { start, count in
      all.part(start, count)
    }
  }

  private func sortGroups(
    _ order: CompiledOrder, _ grouping: CompiledGrouping, _ set: CompiledSet, _ level: LevelState
  ) throws(RuntimeProblem) {
    let total = level.members.rows.count
    guard total > 1 else { return }
    let state = execution.sets[set.id]
    try execution.checkMemory(total * 25 * order.terms.count)
    var keys = SortKeys(order, count: total, state, execution)
    var start = 0
    while start < total {
      try execution.checkpoint()
      let count = min(ScopeRows.batchRows, total - start)
      let vectors = try order.program.evaluate(scopes(level, start, count, grouping.depth), execution)
      keys.take(vectors, order, start: start, count: count, execution.scratch)
      start += count
    }
    let rows = level.members.rows.base
    for parent in 0..<level.members.offsets.count - 1 {
      let first = Int(level.members.offsets[parent])
      let count = Int(level.members.offsets[parent + 1]) - first
      try keys.arrange(rows + first, count, from: first, state, execution)
    }
  }

  private func cutGroups(
    _ slice: Slice, _ grouping: CompiledGrouping, _ level: LevelState, above: LevelState?, _ range: Range<Int>
  ) throws(RuntimeProblem) {
    var place = (start: 0, written: 0)
    var parent = 0
    while parent < range.count {
      let count = min(ScopeRows.batchRows, range.count - parent)
      let scopes =
        above.map { self.scopes($0, range.lowerBound + parent, count, max(grouping.usedAround, 1)) } ?? .root
      try slice.cut(scopes, &level.members, &place, firstOffset: parent + 1, execution)
      parent += count
    }
    level.members.rows.count = place.written
  }
}

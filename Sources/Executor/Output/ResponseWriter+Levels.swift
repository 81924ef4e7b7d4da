import GQLBase
import GQLCatalog
import GQLStore

extension ResponseWriter {
  /// Expands the levels below the members `range` of a selection at the root, when so many bytes are written.
  func expandLevels(
    below selection: CompiledSelection, _ level: LevelState, _ range: Range<Int>, _ executable: Executable,
    written: Int
  ) throws(RuntimeProblem) {
    execution.expanded = ExpandedLevels(written: written)
    defer { execution.expanded.set = -1 }
    try expandChildren(of: selection, level, range, executable, areWritten: true)
  }

  /// Expands the children of the members `range` of a level, and theirs, down to the last level. `areWritten`: each of
  /// the level's members will be written.
  private func expandChildren(
    of selection: CompiledSelection, _ level: LevelState, _ range: Range<Int>, _ executable: Executable,
    areWritten: Bool
  ) throws(RuntimeProblem) {
    for child in selection.children where child.condition < 0 || conditions[child.condition] {
      let compiled = executable.selections[child.selection]
      let below = levels[child.selection]
      let set = executable.sets[compiled.set]
      let isWritten = areWritten && child.isWritten
      execution.expanded.set = -1
      if let grouping = compiled.grouping {
        try expandGroups(compiled, grouping, below, above: level, range, executable)
        if !compiled.children.isEmpty {
          try expandChildren(of: compiled, below, 0..<below.members.rows.count, executable, areWritten: isWritten)
        }
        continue
      }
      if let recursion = compiled.recursion {
        try expandRecursion(compiled, recursion, below, above: level, range, set)
        trace?.note(child.selection, below.members.rows)
        if !compiled.children.isEmpty {
          try expandChildren(of: compiled, below, 0..<below.members.rows.count, executable, areWritten: isWritten)
        }
        continue
      }
      if compiled.showsDepths { forgetDepths(set) }
      below.members.removeAll()
      below.members.offsets.append(0)
      below.parentBase = range.lowerBound
      var start = range.lowerBound
      if isWritten { execution.expanded.set = set.id }
      while start < range.upperBound {
        try execution.checkpoint()
        let count = min(ScopeRows.batchRows, range.upperBound - start)
        try set.append(
          scopes(level, start, count, max(set.usedScopes, 1)), execution, into: &below.members)
        if isWritten { try execution.checkLevel(below.members.rows.count) }
        start += count
      }
      execution.expanded.set = -1
      let found = below.members.rows.count
      let rows = found &* max(1, level.members.rows.count > 0 ? compiled.usedScopes : 1)
      try execution.checkMemory(rows &* 4)
      trace?.note(child.selection, below.members.rows)
      if compiled.showsDepths { takeDepths(set, below) }
      try begin(compiled, below, above: level)
      execution.expanded.bytes &+= rows &* 4
      if isWritten { execution.expanded.members &+= found }
      if !compiled.children.isEmpty {
        try expandChildren(of: compiled, below, 0..<below.members.rows.count, executable, areWritten: isWritten)
      }
    }
  }

  /// Keeps how deep the members are that a closure has just given.
  func takeDepths(_ set: CompiledSet, _ level: LevelState) {
    level.depths.removeAll()
    (set.access as? Closure)?.memberDepths(execution, into: &level.depths)
  }

  /// Empties the depths of a closure, before its lists are appended.
  func forgetDepths(_ set: CompiledSet) { (set.access as? Closure)?.forgetDepths(execution) }

  /// Counts the members of a level, and forgets what was computed for the last ones.
  func prepare(_ selection: CompiledSelection, _ level: LevelState) throws(RuntimeProblem) {
    try countNodes(level.members.rows.count)
    level.warmEnd = selection.warmReaders.isEmpty || level.members.rows.count <= 4 ? Int.max : 0
    if !selection.groups.isEmpty {
      level.batches.removeAll(keepingCapacity: true)
      for _ in selection.groups { level.batches.append(LevelState.Batch()) }
    }
    level.cursorBatch = LevelState.Batch()
    level.cursorParent = PageLayout.noRow
  }

  /// Prepares a level whose members are there for what depends on them.
  func begin(
    _ selection: CompiledSelection, _ level: LevelState, above: LevelState?
  ) throws(RuntimeProblem) {
    try prepare(selection, level)
    guard selection.usedScopes > 1, let above else { return }
    while level.ancestors.count < selection.usedScopes - 1 { level.ancestors.append(RowBuffer.Owner()) }
    let total = level.members.rows.count
    let parents = level.members.offsets.count - 1
    for scope in 0..<selection.usedScopes - 1 {
      let owner = level.ancestors[scope]
      owner.rows.removeAll()
      owner.rows.reserve(total)
      let source: UnsafeMutablePointer<UInt32>
      if scope == 0 {
        source = above.members.rows.base
      } else {
        guard scope - 1 < above.ancestors.count else { break }
        source = above.ancestors[scope - 1].rows.base
      }
      let target = owner.rows.base
      for parent in 0..<parents {
        let first = Int(level.members.offsets[parent])
        let count = Int(level.members.offsets[parent + 1]) - first
        (target + first).update(repeating: source[level.parentBase + parent], count: count)
      }
      owner.rows.count = total
    }
  }

  /// The scopes of members of a level, as many as `depth` of them.
  func scopes(_ level: LevelState, _ start: Int, _ count: Int, _ depth: Int) -> ScopeRows {
    var scopes = ContiguousArray<UnsafePointer<UInt32>>()
    scopes.reserveCapacity(depth)
    scopes.append(UnsafePointer(level.members.rows.base + start))
    for scope in 0..<min(max(depth - 1, 0), level.ancestors.count) {
      scopes.append(UnsafePointer(level.ancestors[scope].rows.base + start))
    }
    return ScopeRows(count: count, scopes: scopes)
  }

  /// The vectors of a group of computed fields for the batch that holds the member; members come ascending.
  @inline(__always)
  func vectors(
    _ selection: CompiledSelection, _ level: LevelState, _ group: Int, _ position: Int
  ) throws(RuntimeProblem) -> (vectors: UnsafePointer<Vector>, position: Int) {
    let batch = level.batches[group]
    if position < batch.end, let vectors = batch.vectors { return (vectors, position &- batch.start) }
    return try evaluate(selection, level, group, position)
  }

  @inline(never)
  private func evaluate(
    _ selection: CompiledSelection, _ level: LevelState, _ group: Int, _ position: Int
  ) throws(RuntimeProblem) -> (vectors: UnsafePointer<Vector>, position: Int) {
    try execution.checkpoint()
    let isLong = selection.groups[group].isLong
    let most = isLong ? level.batches[group].next : ScopeRows.batchRows
    let count = min(most, level.members.rows.count - position)
    let scopes = scopes(level, position, count, selection.usedScopes)
    let used = execution.scratch.usedBytes
    let vectors = try selection.groups[group].program.evaluate(scopes, execution)
    level.batches[group].vectors = vectors
    level.batches[group].start = position
    level.batches[group].end = position + count
    if isLong { level.batches[group].adapt(toBytes: execution.scratch.usedBytes - used) }
    return (vectors, 0)
  }
}

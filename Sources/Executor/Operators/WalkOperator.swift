import GQLBase
import GQLCatalog
import GQLStore

/// An operator that walks over a step, breadth first: a closure or a shortest path.
class WalkOperator: AccessOperator, @unchecked Sendable {
  let traversal: CompiledTraversal
  private let slot: Int

  init(_ traversal: CompiledTraversal, _ type: EntityTypeID, _ compiler: inout PlanCompiler) {
    self.traversal = traversal
    slot = compiler.stateSlot()
    super.init(type)
  }

  override var isLinkOrdered: Bool { true }

  /// Returns the working memory of the walk.
  final func walk(_ execution: Execution) -> WalkState { execution.state(slot) { WalkState() } }

  /// Returns the least and the greatest depth.
  final func depths(_ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> (lower: Int, upper: Int) {
    var lower = 1
    var upper = Int.max
    guard let depths = traversal.depths else { return (lower, upper) }
    let vectors = try depths.vectors(outer, execution)
    if traversal.lower >= 0, let cell = depths.cell(traversal.lower, vectors, 0, execution) { lower = Int(cell.int) }
    var isExclusive = false
    if traversal.upper >= 0, let cell = depths.cell(traversal.upper, vectors, 0, execution) {
      upper = Int(cell.int)
      isExclusive = !traversal.includesUpper
    }
    if lower < 0 || upper < 0 {
      throw RuntimeProblem(
        .wrongDepth(minimum: 0), at: traversal.range, values: [Text(String(lower < 0 ? lower : upper))])
    }
    return (lower, isExclusive ? upper - 1 : upper)
  }

  /// Finds the entities that a walk starts from or ends at; missing ones are left out.
  final func members(
    of end: CompiledTraversal.End, _ outer: ScopeRows, _ execution: Execution, into members: inout Expansion
  ) throws(RuntimeProblem) {
    members.removeAll()
    members.offsets.append(0)
    switch end {
    case .entity(let reference):
      let row = execution.resolve(reference, outer, 0)
      if row != PageLayout.noRow { members.rows.append(row) }
    case .set(let set): try execution.compiledSet(set).append(outer, execution, into: &members)
    }
  }

  /// Finds the members of the step for a batch of the frontier, in `walk.reached`.
  final func reach(
    _ walk: WalkState, _ outer: ScopeRows, _ start: Int, _ count: Int, _ execution: Execution
  ) throws(RuntimeProblem) {
    let set = execution.compiledSet(traversal.step)
    walk.reached.removeAll()
    walk.reached.offsets.append(0)
    var scopes = ContiguousArray<UnsafePointer<UInt32>>()
    scopes.append(UnsafePointer(walk.frontier.base + start))
    // What encloses the walk comes after the frontier.
    let depth = min(outer.scopes.count, max(set.usedScopes - 1, 0))
    if depth > 0 {
      let memory = walk.outer.room(for: UInt32.self, count: depth * ScopeRows.batchRows)
      for scope in 0..<depth {
        let target = memory + scope * ScopeRows.batchRows
        target.update(repeating: outer.scopes[scope][0], count: count)
        scopes.append(UnsafePointer(target))
      }
    }
    try set.append(ScopeRows(count: count, scopes: scopes), execution, into: &walk.reached)
  }
}

extension Execution {
  /// Takes a step over a relation from everything in the frontier, and appends what is new.
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
}

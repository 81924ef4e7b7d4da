import GQLCatalog
import GQLStore

/// The distinct targets of the members of another set along one or several routes of relations.
final class Steps: AccessOperator, @unchecked Sendable {
  private let base: Int
  private let routes: [[RelationAccess]]
  /// The other set has one member at most: its links stay in order.
  private let keepsLinkOrder: Bool
  private let slot: Int

  init(
    from base: Int, _ routes: [[RelationAccess]], inLinkOrder: Bool, _ type: EntityTypeID,
    _ compiler: inout PlanCompiler
  ) {
    self.base = base
    self.routes = routes
    keepsLinkOrder = inLinkOrder
    slot = compiler.stateSlot()
    super.init(type)
  }

  override var isLinkOrdered: Bool { keepsLinkOrder }
  override var meetsDeleted: Bool { routes.contains { $0.contains { $0.status != .live } } }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let target = routes.first?.last?.target else { return true }
    let steps = execution.stepsState(slot)
    try gatherBase(steps, outer, execution)
    defer { steps.base.rest() }
    let start = rows.count
    for route in routes { try follow(route, steps, state, execution, into: &rows) }
    if keepsLinkOrder { return rows.count - start < 2 }
    execution.sortUnique(&rows, from: start, below: execution.snapshot.slotCount(target), state)
    return true
  }

  /// Gathers the members of the other set, which the caller lets rest.
  private func gatherBase(_ steps: StepsState, _ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) {
    steps.base.removeAll()
    steps.base.offsets.append(0)
    try execution.compiledSet(base).append(outer, execution, into: &steps.base)
    try execution.hold(steps.base, &steps.baseBytes)
  }

  /// Appends the ends of a route from the other set's members, each row on the way once.
  private func follow(
    _ route: [RelationAccess], _ steps: StepsState, _ state: SetState, _ execution: Execution,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard let last = route.last else { return }
    guard route.count > 1 else { return try append(last, of: steps.base.rows, execution, into: &rows) }
    var passed = RowBuffer()
    var next = RowBuffer()
    passed.append(UnsafePointer(steps.base.rows.base), steps.base.rows.count)
    for relation in route.dropLast() {
      next.removeAll()
      try append(relation, of: passed, execution, into: &next)
      if !keepsLinkOrder {
        execution.sortUnique(&next, from: 0, below: execution.snapshot.slotCount(relation.target), state)
      }
      swap(&passed, &next)
    }
    try append(last, of: passed, execution, into: &rows)
  }

  /// Appends the targets that rows have along a relation.
  private func append(
    _ relation: RelationAccess, of members: borrowing RowBuffer, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    for index in 0..<members.count {
      try execution.appendLinks(relation, relation.status, members[index], into: &rows)
      if index & 1023 == 1023 {
        try execution.checkpoint()
        try execution.checkMemory(rows.count &* 4)
      }
    }
  }

  // MARK: - Counts

  /// Counts distinct targets of one relation: each link sets a bit.
  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    guard !keepsLinkOrder, !meetsDeleted, routes.count == 1, routes[0].count == 1 else { return false }
    for element in 0..<scopes.count {
      let one = scopes.count == 1 ? scopes : scopes.element(element)
      counts[element] = try count(routes[0][0], set, state, one, execution)
      if !set.isCorrelated {
        for other in 0..<scopes.count { counts[other] = counts[element] }
        break
      }
    }
    return true
  }

  private func count(
    _ relation: RelationAccess, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> Int64 {
    let steps = execution.stepsState(slot)
    try gatherBase(steps, outer, execution)
    defer { steps.base.rest() }
    let walk = steps.walk
    let slots = execution.snapshot.slotCount(relation.target)
    walk.visited.reserve(slots)
    if let count = try countMarks(relation, steps.base.rows, slots, walk, execution) {
      execution.note(set, accessRows: count)
      return Int64(count)
    }
    defer { walk.clean() }
    walk.frontier.removeAll()
    walk.frontier.append(UnsafePointer(steps.base.rows.base), steps.base.rows.count)
    try execution.advance(over: relation, walk)
    execution.note(set, accessRows: walk.found.count)
    return Int64(walk.found.count)
  }

  /// Counts the targets of so many links that all bits are counted and cleared, and no row is kept; returns nil for
  /// fewer.
  private func countMarks(
    _ relation: RelationAccess, _ sources: borrowing RowBuffer, _ slots: Int, _ walk: WalkState,
    _ execution: Execution
  ) throws(RuntimeProblem) -> Int? {
    guard relation.isToMany, sources.count >= 64 else { return nil }
    let reader = execution.readers[relation.reader]
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
        execution.warmRuns(reader, rows + start, end - start)
        var reached = 0
        for index in start..<end {
          let run = reader.references(rows[index])
          walk.visited.mark(run)
          reached &+= run.count
        }
        try execution.visit(reached)
        try execution.checkpoint()
        start = end
      }
    } catch {
      _ = walk.visited.takeCount(slots)
      throw error
    }
    return walk.visited.takeCount(slots)
  }
}

/// The members of the set that steps are taken from.
final class StepsState: OperatorState {
  @exclusivity(unchecked) var base = Expansion()
  /// Bytes of it that are counted.
  @exclusivity(unchecked) var baseBytes = 0
  private(set) lazy var walk = WalkState()
}

extension Execution {
  fileprivate func stepsState(_ slot: Int) -> StepsState { state(slot) { StepsState() } }
}

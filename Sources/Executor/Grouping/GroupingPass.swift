import GQLBase
import GQLCatalog
import GQLStore

/// One pass over members that gives each its group and adds it to the group's aggregates, batch by batch.
struct GroupingPass {
  let grouping: CompiledGrouping
  let state: GroupState
  let table: KeyTable
  let parentCount: Int
  /// Groups are those of a parent each, so that the parent is a part of the key.
  let needsParents: Bool
  let releasesScratch: Bool
  /// The parent of each group, ascending.
  private var owners = [UInt32]()
  /// Members of the current batch.
  private var batchCount = 0

  init(_ grouping: CompiledGrouping, _ state: GroupState, parents: Int) {
    self.grouping = grouping
    self.state = state
    parentCount = parents
    needsParents = parents > 1
    table = needsParents ? state.manyParents : state.oneParent
    table.removeAll()
    table.execution = state.execution
    releasesScratch = grouping.releasesScratch && grouping.program?.releasesScratch ?? false
    if grouping.keys.isEmpty {
      // One group for each parent, even of nothing.
      state.firsts.extend(to: parents, filling: PageLayout.noRow)
      state.counts.extend(to: parents, filling: 0)
      for aggregate in state.aggregates { aggregate.extend(to: parents) }
    }
  }

  var byteCount: Int { state.byteCount &+ table.byteCount }

  /// Puts the numbers of the batch's groups into `state.ids`.
  mutating func assign(_ vectors: UnsafePointer<Vector>?, _ count: Int) {
    let ids = state.ids
    batchCount = count
    guard !grouping.keys.isEmpty, let vectors else {
      if needsParents {
        for position in 0..<count { ids[position] = UInt32(truncatingIfNeeded: state.parents[position]) }
      } else {
        ids.update(repeating: 0, count: count)
      }
      return
    }
    if needsParents {
      state.vectors.initialize(
        to: Vector(
          kind: .word, values: UnsafeMutableRawPointer(state.parents), validity: state.ones, allValid: true))
      for key in 0..<grouping.keys.count { (state.vectors + key + 1).initialize(to: vectors[key]) }
      table.map(UnsafePointer(state.vectors), count, into: ids)
    } else {
      table.map(vectors, count, into: ids)
    }
  }

  /// Notes the first members of the groups that the batch has brought; `row` gives the member at a position.
  @inline(__always)
  mutating func noteFirsts(_ row: (Int) -> UInt32) {
    if grouping.keys.isEmpty {
      guard state.firsts.count > 0 else { return }
      return noteFirstsOfParents(row)
    }
    guard table.newCount > 0 else { return }
    for place in 0..<table.newCount {
      let position = Int(table.newPositions[place])
      state.firsts.append(row(position))
      state.counts.append(0)
      owners.append(needsParents ? UInt32(truncatingIfNeeded: state.parents[position]) : 0)
    }
    for aggregate in state.aggregates { aggregate.extend(to: state.firsts.count) }
  }

  private func noteFirstsOfParents(_ row: (Int) -> UInt32) {
    let firsts = state.firsts.base
    for position in 0..<(needsParents ? batchCount : min(batchCount, 1)) {
      let group = Int(state.ids[position])
      if firsts[group] == PageLayout.noRow { firsts[group] = row(position) }
    }
  }

  func count(_ count: Int) {
    let ids = state.ids
    let counts = state.counts.base
    for position in 0..<count { counts[Int(ids[position])] &+= 1 }
  }

  /// Adds the batch to its groups.
  func accumulate(_ vectors: UnsafePointer<Vector>?, _ count: Int) {
    guard let vectors else { return self.count(count) }
    // Members are counted on the way through the first sum, if there is one.
    var isCounted = false
    defer { if !isCounted { self.count(count) } }
    for aggregate in state.aggregates where aggregate.plan.set < 0 && aggregate.plan.argument >= 0 {
      let argument = vectors[aggregate.plan.argument]
      if !isCounted, aggregate.sumsWords(argument) {
        aggregate.addCounting(argument, count, UnsafePointer(state.ids), into: state.counts.base)
        isCounted = true
        continue
      }
      let comparand = aggregate.plan.comparand
      aggregate.add(argument, comparand < 0 ? argument : vectors[comparand], count, UnsafePointer(state.ids))
    }
  }

  @inline(__always)
  func list(_ count: Int, _ row: (Int) -> UInt32) {
    for position in 0..<count {
      state.numbers.append(state.ids[position])
      state.memberRows.append(row(position))
    }
  }

  /// The groups of each parent, as the members of a level.
  func listGroups(into members: inout Expansion) {
    let total = state.firsts.count
    members.rows.reserve(total)
    for group in 0..<total { members.rows.append(UInt32(truncatingIfNeeded: group)) }
    members.offsets.reserve(parentCount)
    if grouping.keys.isEmpty {
      for parent in 0..<parentCount { members.offsets.append(UInt32(truncatingIfNeeded: parent + 1)) }
      return
    }
    var group = 0
    for parent in 0..<parentCount {
      while group < total, Int(owners[group]) == parent { group += 1 }
      members.offsets.append(UInt32(truncatingIfNeeded: group))
    }
  }
}

extension ExpressionProgram {
  /// Evaluates for the rows `firstRow ..< firstRow + count`, which must lie in one page, all live.
  func evaluatePage(
    firstRow: UInt32, count: Int, _ execution: Execution
  ) throws(RuntimeProblem) -> UnsafePointer<Vector> {
    let state = execution.state(for: self)
    state.begin(execution)
    return try state.roots(state.pageBatch(firstRow, count, nil), execution)
  }
}

import GQLBase
import GQLCatalog
import GQLStore

/// The entities on the shortest way between two sets of entities, both ends included; of several ways the one that
/// follows the earlier links, which is the one that a search from the start alone finds first.
final class ShortestPath: WalkOperator, @unchecked Sendable {
  private static var noOrigin: UInt32 { UInt32.max }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let target = traversal.target else { return false }
    // Each search clears what it keeps for every row.
    try execution.checkpoint()
    let maximum = try depths(outer, execution).upper
    let walk = walk(execution)
    let slots = execution.snapshot.slotCount(traversal.type)
    walk.visited.reserve(slots)
    walk.backVisited.reserve(slots)
    defer { walk.clean() }
    try members(of: traversal.start, outer, execution, into: &walk.starts)
    try members(of: target, outer, execution, into: &walk.targets)
    guard walk.starts.rows.count > 0, walk.targets.rows.count > 0 else { return false }
    let distances = walk.distances.room(for: UInt32.self, count: slots)
    for index in 0..<walk.targets.rows.count {
      let row = walk.targets.rows[index]
      if walk.backVisited.insert(row) != 0 {
        walk.backFound.append(row)
        distances[Int(row)] = 0
      }
    }
    var meeting = -1
    for index in 0..<walk.starts.rows.count {
      let row = walk.starts.rows[index]
      guard walk.visited.insert(row) != 0 else { continue }
      walk.found.append(row)
      walk.origins.append(Self.noOrigin)
      if walk.backVisited.contains(row) {
        meeting = walk.found.count - 1
        break
      }
    }
    if meeting < 0 {
      meeting =
        traversal.isDirect
        ? try meet(traversal.relation, traversal.inverse, walk, maximum, distances, execution)
        : try search(walk, outer, maximum, execution)
    }
    guard meeting >= 0 else { return false }
    appendWay(to: meeting, walk, distances, execution, into: &rows)
    return false
  }

  /// Appends the way from the start to the place where both sides met, and on to the target along the first links that
  /// come nearer to it.
  private func appendWay(
    to meeting: Int, _ walk: WalkState, _ distances: UnsafePointer<UInt32>, _ execution: Execution,
    into rows: inout RowBuffer
  ) {
    let reader = execution.readers[traversal.relation.reader]
    let first = rows.count
    var place = UInt32(truncatingIfNeeded: meeting)
    while place != Self.noOrigin {
      rows.append(walk.found[Int(place)])
      place = walk.origins[Int(place)]
    }
    var low = first
    var high = rows.count - 1
    while low < high {
      let row = rows.base[low]
      rows.base[low] = rows.base[high]
      rows.base[high] = row
      low += 1
      high -= 1
    }
    var row = walk.found[meeting]
    var distance = distances[Int(row)]
    while distance > 0 {
      var next = PageLayout.noRow
      if traversal.relation.isToMany {
        for other in reader.references(row)
        where walk.backVisited.contains(other) && distances[Int(other)] == distance &- 1 {
          next = other
          break
        }
      } else {
        next = reader.reference(row)
      }
      guard next != PageLayout.noRow else { return }
      rows.append(next)
      row = next
      distance &-= 1
    }
  }

  /// Searches from both ends, the smaller side first. Returns the place in `found` of the first entity on a shortest way that
  /// is as far from the start as the search went, or -1.
  private func meet(
    _ relation: RelationAccess, _ inverse: RelationAccess, _ walk: WalkState, _ maximum: Int,
    _ distances: UnsafeMutablePointer<UInt32>, _ execution: Execution
  ) throws(RuntimeProblem) -> Int {
    var level = 0
    var backLevel = 0
    var distance: UInt32 = 0
    var steps = 0
    while steps < maximum {
      let frontier = walk.found.count - level
      let backFrontier = walk.backFound.count - backLevel
      guard frontier > 0, backFrontier > 0 else { return -1 }
      steps += 1
      try execution.visit(min(frontier, backFrontier))
      if frontier <= backFrontier {
        let end = walk.found.count
        for place in level..<end {
          let meeting = takeLinks(relation, from: place, walk, execution)
          if meeting >= 0 { return meeting }
          if place & 255 == 255 { try checkWalk(walk, execution) }
        }
        level = end
      } else {
        let end = walk.backFound.count
        distance &+= 1
        var hasMet = false
        for place in backLevel..<end {
          let start = walk.backFound.count
          appendNew(inverse, walk.backFound[place], execution, &walk.backFound, walk.backVisited)
          for index in start..<walk.backFound.count {
            distances[Int(walk.backFound[index])] = distance
            if walk.visited.contains(walk.backFound[index]) { hasMet = true }
          }
          if place & 255 == 255 { try checkWalk(walk, execution) }
        }
        backLevel = end
        if hasMet {
          for place in level..<walk.found.count
          where walk.backVisited.contains(walk.found[place]) && distances[Int(walk.found[place])] == distance {
            return place
          }
        }
      }
      try checkWalk(walk, execution)
    }
    return -1
  }

  private func checkWalk(_ walk: WalkState, _ execution: Execution) throws(RuntimeProblem) {
    try execution.checkpoint()
    try execution.checkMemory((walk.found.count &+ walk.backFound.count) &* 12 &+ walk.visited.byteCount &* 2)
  }

  /// Visits what the entity at a place is linked to. Returns the place of the first that the other side has found, or -1.
  private func takeLinks(
    _ relation: RelationAccess, from place: Int, _ walk: WalkState, _ execution: Execution
  ) -> Int {
    let start = walk.found.count
    appendNew(relation, walk.found[place], execution, &walk.found, walk.visited)
    for index in start..<walk.found.count {
      walk.origins.append(UInt32(truncatingIfNeeded: place))
      if walk.backVisited.contains(walk.found[index]) { return index }
    }
    return -1
  }

  @inline(__always)
  private func appendNew(
    _ relation: RelationAccess, _ row: UInt32, _ execution: Execution, _ rows: inout RowBuffer,
    _ visited: borrowing VisitedRows
  ) {
    guard relation.isToMany else {
      let next = execution.readers[relation.reader].reference(row)
      if next != PageLayout.noRow, visited.insert(next) != 0 { rows.append(next) }
      return
    }
    let run = execution.readers[relation.reader].references(row)
    rows.reserve(run.count)
    let target = rows.base
    var count = rows.count
    for place in 0..<run.count {
      target[count] = run[place]
      count &+= visited.insert(run[place])
    }
    rows.count = count
  }

  /// Searches from the start, over steps that have conditions, orders or limits.
  private func search(
    _ walk: WalkState, _ outer: ScopeRows, _ maximum: Int, _ execution: Execution
  ) throws(RuntimeProblem) -> Int {
    var level = 0
    var steps = 0
    while steps < maximum, level < walk.found.count {
      steps += 1
      walk.frontier.removeAll()
      walk.frontier.append(UnsafePointer(walk.found.base + level), walk.found.count - level)
      let end = walk.found.count
      var start = 0
      while start < walk.frontier.count {
        try checkWalk(walk, execution)
        let count = min(ScopeRows.batchRows, walk.frontier.count - start)
        try reach(walk, outer, start, count, execution)
        for element in 0..<count {
          for index in Int(walk.reached.offsets[element])..<Int(walk.reached.offsets[element + 1]) {
            let row = walk.reached.rows[index]
            guard walk.visited.insert(row) != 0 else { continue }
            walk.found.append(row)
            walk.origins.append(UInt32(truncatingIfNeeded: level + start + element))
            if walk.backVisited.contains(row) { return walk.found.count - 1 }
          }
        }
        start += count
      }
      level = end
    }
    return -1
  }
}

import GQLBase
import GQLCatalog
import GQLStore

extension Execution {
  private static var noOrigin: UInt32 { UInt32.max }

  /// Appends the entities on the shortest way, both ends included; of several the one that follows the earlier links,
  /// which is the one that a search from the start alone finds first.
  func shortestPath(
    _ traversal: CompiledTraversal, _ state: SetState, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard let target = traversal.target else { return }
    // Each search clears what it keeps for every row.
    try checkpoint()
    let maximum = try maximumDepth(traversal, outer)
    let walk = state.walk
    let slots = snapshot.slotCount(traversal.type)
    walk.visited.reserve(slots)
    walk.backVisited.reserve(slots)
    defer { walk.clean() }
    try members(of: traversal.start, outer, into: &walk.starts)
    try members(of: target, outer, into: &walk.targets)
    guard walk.starts.rows.count > 0, walk.targets.rows.count > 0 else { return }
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
      walk.origins.append(Execution.noOrigin)
      if walk.backVisited.contains(row) {
        meeting = walk.found.count - 1
        break
      }
    }
    if meeting < 0 {
      meeting =
        traversal.isDirect
        ? try meet(traversal.relation, traversal.inverse, walk, maximum, distances)
        : try search(traversal, walk, outer, maximum)
    }
    guard meeting >= 0 else { return }
    appendWay(to: meeting, traversal.relation, walk, distances, into: &rows)
  }

  /// The way from the start to the place where both sides met, and on to the target along the first links that come
  /// nearer to it.
  private func appendWay(
    to meeting: Int, _ relation: RelationAccess, _ walk: WalkState, _ distances: UnsafePointer<UInt32>,
    into rows: inout RowBuffer
  ) {
    let first = rows.count
    var place = UInt32(truncatingIfNeeded: meeting)
    while place != Execution.noOrigin {
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
      if relation.isToMany {
        for other in readers[relation.reader].references(row)
        where walk.backVisited.contains(other) && distances[Int(other)] == distance &- 1 {
          next = other
          break
        }
      } else {
        next = readers[relation.reader].reference(row)
      }
      guard next != PageLayout.noRow else { return }
      rows.append(next)
      row = next
      distance &-= 1
    }
  }

  /// Searches from both ends, the smaller side first; the place in `found` of the first entity on a shortest way that
  /// is as far from the start as the search went, or -1.
  private func meet(
    _ relation: RelationAccess, _ inverse: RelationAccess, _ walk: WalkState, _ maximum: Int,
    _ distances: UnsafeMutablePointer<UInt32>
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
      try visit(min(frontier, backFrontier))
      if frontier <= backFrontier {
        let end = walk.found.count
        for place in level..<end {
          let meeting = takeLinks(relation, from: place, walk)
          if meeting >= 0 { return meeting }
          if place & 255 == 255 { try checkWalk(walk) }
        }
        level = end
      } else {
        let end = walk.backFound.count
        distance &+= 1
        var hasMet = false
        for place in backLevel..<end {
          let start = walk.backFound.count
          appendNew(inverse, walk.backFound[place], &walk.backFound, walk.backVisited)
          for index in start..<walk.backFound.count {
            distances[Int(walk.backFound[index])] = distance
            if walk.visited.contains(walk.backFound[index]) { hasMet = true }
          }
          if place & 255 == 255 { try checkWalk(walk) }
        }
        backLevel = end
        if hasMet {
          for place in level..<walk.found.count
          where walk.backVisited.contains(walk.found[place]) && distances[Int(walk.found[place])] == distance {
            return place
          }
        }
      }
      try checkWalk(walk)
    }
    return -1
  }

  private func checkWalk(_ walk: WalkState) throws(RuntimeProblem) {
    try checkpoint()
    try checkMemory((walk.found.count &+ walk.backFound.count) &* 12 &+ walk.visited.byteCount &* 2)
  }

  /// Visits what the entity at a place is linked to; the place of the first that the other side knows, or -1.
  private func takeLinks(_ relation: RelationAccess, from place: Int, _ walk: WalkState) -> Int {
    let start = walk.found.count
    appendNew(relation, walk.found[place], &walk.found, walk.visited)
    for index in start..<walk.found.count {
      walk.origins.append(UInt32(truncatingIfNeeded: place))
      if walk.backVisited.contains(walk.found[index]) { return index }
    }
    return -1
  }

  @inline(__always)
  private func appendNew(
    _ relation: RelationAccess, _ row: UInt32, _ rows: inout RowBuffer, _ visited: borrowing VisitedRows
  ) {
    guard relation.isToMany else {
      let next = readers[relation.reader].reference(row)
      if next != PageLayout.noRow, visited.insert(next) != 0 { rows.append(next) }
      return
    }
    let run = readers[relation.reader].references(row)
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
    _ traversal: CompiledTraversal, _ walk: WalkState, _ outer: ScopeRows, _ maximum: Int
  ) throws(RuntimeProblem) -> Int {
    let set = compiledSet(traversal.step)
    var level = 0
    var steps = 0
    while steps < maximum, level < walk.found.count {
      steps += 1
      walk.frontier.removeAll()
      walk.frontier.append(UnsafePointer(walk.found.base + level), walk.found.count - level)
      let end = walk.found.count
      var start = 0
      while start < walk.frontier.count {
        try checkWalk(walk)
        let count = min(ScopeRows.batchRows, walk.frontier.count - start)
        walk.reached.removeAll()
        walk.reached.offsets.append(0)
        try append(set, stepScopes(set, walk, outer, start, count), into: &walk.reached)
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

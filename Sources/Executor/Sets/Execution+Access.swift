import GQLBase
import GQLCatalog
import GQLStore

extension Execution {
  /// Appends the rows that an access path gives for one element; true if they are ascending and without repeats.
  func gather(
    _ node: AccessNode, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    switch node.kind {
    case .empty: return true
    case .given:
      if let start = given.baseAddress { rows.append(start, given.count) }
      return given.count < 2
    case .scan:
      appendLive(set.type, from: 0, limit: Int.max, into: &rows)
      return true
    case .lookup:
      guard let scalars = node.scalars else { return true }
      let vectors = try scalars.vectors(outer, self)
      return lookup(node, scalars, vectors, 0, set.type, into: &rows)
    case .lookupEach:
      guard let scalars = node.scalars else { return true }
      return try lookupEach(node, scalars, set, state, outer, into: &rows)
    case .range:
      let start = rows.count
      if let place = try innerNull(node, outer) {
        try gatherBehindNull(node, place, state, outer, into: &rows)
        return rows.count - start < 2
      }
      let bounds = try rangeBounds(node, state, outer)
      guard let bounds else { return true }
      guard let reader = snapshot.ordered(node.index) else {
        try gatherUnordered(node, set.type, outer, into: &rows)
        return true
      }
      if node.firstOfEach > 0, case .tree(let tree) = reader {
        try gatherFirsts(tree, bounds, components: node.firstOfEach, into: &rows)
        return rows.count - start < 2
      }
      let count = reader.count(bounds)
      try checkMemory(count &* 4)
      rows.reserve(count)
      rows.count = start + reader.walk(bounds, descending: false, skip: 0, limit: count, into: rows.end)
      return count < 2 || reader.isByRow
    case .rowSet:
      try builtRowSet(node.number).bits.collect(into: &rows)
      return true
    case .relation:
      let row = resolve(node.reference, outer, 0)
      appendTargets(node.relation, row, from: 0, limit: Int.max, into: &rows)
      return !node.relation.isToMany
    case .deleted, .all:
      appendDeleted(set.type, includesLive: node.kind == .all, into: &rows)
      return true
    case .timeRange:
      try appendTimes(node, set.type, state, outer, into: &rows)
      return true
    case .groupMembers:
      let list = groupMembers(node, outer, 0)
      if let start = list.baseAddress { rows.append(start, list.count) }
      return list.count < 2
    case .hashJoin:
      guard let scalars = node.scalars else { return true }
      let table = try joinTable(node, set, state)
      let found = table.find(scalars, try scalars.vectors(outer, self), 0, self)
      if let start = found.start { rows.append(start, found.count) }
      return true
    case .step:
      return try step(node, state, outer, into: &rows)
    case .routes:
      return try routes(node, state, outer, into: &rows)
    case .branches:
      for child in node.children { try appendBranch(child, outer, 0, into: &rows) }
      return false
    case .set:
      // The state's own buffer would be that of the set which is being gathered.
      var members = Expansion()
      members.offsets.append(0)
      try append(compiledSet(node.number), outer, into: &members)
      rows.append(UnsafePointer(members.rows.base), members.rows.count)
      return false
    case .closure:
      if let traversal = node.traversal { try closure(traversal, state, outer, into: &rows) }
      return false
    case .shortestPath:
      if let traversal = node.traversal { try shortestPath(traversal, state, outer, into: &rows) }
      return false
    case .intersection:
      return try intersection(node, set, state, outer, into: &rows)
    case .fullText:
      try search(node, set, outer, into: &rows)
      return true
    case .trigram:
      try appendCandidates(node, set, state, outer, into: &rows)
      return true
    case .union:
      let start = rows.count
      for child in node.children { _ = try gather(child, set, state, outer, into: &rows) }
      rows.count =
        start
        + RowSorting.sortUnique(
          rows.base + start, rows.count - start, limit: snapshot.slotCount(set.type), bits: &state.bits)
      return true
    }
  }

  /// Appends the first row of each of the keys within the bounds: the entries that agree in so many components.
  private func gatherFirsts(
    _ tree: BTreeReader, _ bounds: BTreeBounds, components: Int, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    var groups = tree.groups(bounds, components: components)
    var seen = 0
    while let row = groups.next() {
      rows.append(row)
      seen &+= 1
      if seen & 1023 == 0 {
        try checkpoint()
        try checkMemory(rows.count &* 4)
      }
    }
  }

  // MARK: - Scans

  /// Appends live rows in order, leaving out the first `skip`.
  func appendLive(_ type: EntityTypeID, from skip: Int, limit: Int, into rows: inout RowBuffer) {
    let slots = snapshot.slotCount(type)
    guard limit > 0, slots > 0 else { return }
    guard let live = snapshot.liveness(type) else {
      guard skip < slots else { return }
      let count = min(limit, slots - skip)
      rows.reserve(count)
      let target = rows.end
      let first = UInt32(truncatingIfNeeded: skip)
      for index in 0..<count { target[index] = first &+ UInt32(truncatingIfNeeded: index) }
      rows.count += count
      return
    }
    var skip = skip
    var left = limit
    var first = 0
    while first < slots, left > 0 {
      let count = min(PageLayout.rows, slots - first)
      let cells = (live.page(of: UInt32(truncatingIfNeeded: first)) + PageLayout.cellsOffset)
        .assumingMemoryBound(to: UInt8.self)
      rows.reserve(count)
      let target = rows.end
      var written = 0
      for index in 0..<count {
        target[written] = UInt32(truncatingIfNeeded: first &+ index)
        written &+= Int(cells[index] & 1)
      }
      let skipped = min(skip, written)
      skip -= skipped
      if skipped > 0 { target.update(from: target + skipped, count: written - skipped) }
      let kept = min(written - skipped, left)
      rows.count += kept
      left -= kept
      first += count
    }
  }

  // MARK: - References

  /// The entity of one element, or `PageLayout.noRow`.
  @inline(__always)
  func resolve(_ reference: CompiledReference, _ scopes: ScopeRows, _ element: Int) -> UInt32 {
    guard reference.depth < scopes.scopes.count else { return PageLayout.noRow }
    var row = scopes.scopes[reference.depth][element]
    for slot in reference.path {
      if row == PageLayout.noRow { return row }
      row = readers[slot].reference(row)
    }
    return row
  }

  @inline(__always)
  func appendTargets(
    _ relation: RelationAccess, _ row: UInt32, from skip: Int, limit: Int, into rows: inout RowBuffer
  ) {
    guard row != PageLayout.noRow, limit > 0 else { return }
    if relation.isToMany {
      let run = readers[relation.reader].references(row)
      guard skip < run.count, let start = run.baseAddress else { return }
      rows.append(start + skip, min(run.count - skip, limit))
    } else {
      let target = readers[relation.reader].reference(row)
      if target != PageLayout.noRow, skip == 0 { rows.append(target) }
    }
  }

  /// How many targets there are.
  @inline(__always)
  func degree(_ relation: RelationAccess, _ row: UInt32) -> Int {
    guard row != PageLayout.noRow else { return 0 }
    if relation.isToMany { return readers[relation.reader].references(row).count }
    return readers[relation.reader].reference(row) == PageLayout.noRow ? 0 : 1
  }

  /// Appends the distinct targets of the members of the inner set, ascending.
  private func step(
    _ node: AccessNode, _ state: SetState, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    try gatherBase(of: node, state, outer)
    defer { state.inner.rest() }
    let start = rows.count
    try appendLinks(node.relation, of: state.inner.rows, into: &rows)
    return ordered(node, node.relation.target, state, &rows, from: start)
  }

  /// Gathers the members of the set that a step is taken from in `state.inner`, which the caller lets rest.
  private func gatherBase(of node: AccessNode, _ state: SetState, _ outer: ScopeRows) throws(RuntimeProblem) {
    state.inner.removeAll()
    state.inner.offsets.append(0)
    try append(compiledSet(node.number), outer, into: &state.inner)
    try hold(state.inner, &state.innerBytes)
  }

  /// Leaves each of the rows from `start` on once, ascending, or all in link order. Returns whether they ascend.
  private func ordered(
    _ node: AccessNode, _ target: EntityTypeID, _ state: SetState, _ rows: inout RowBuffer, from start: Int
  ) -> Bool {
    if node.keepsLinkOrder { return rows.count - start < 2 }
    rows.count =
      start
      + RowSorting.sortUnique(
        rows.base + start, rows.count - start, limit: snapshot.slotCount(target), bits: &state.bits)
    return true
  }

  /// Ends of all routes from the members of another set, each of which is gathered once.
  private func routes(
    _ node: AccessNode, _ state: SetState, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let target = node.routes.first?.last?.target else { return true }
    try gatherBase(of: node, state, outer)
    defer { state.inner.rest() }
    let start = rows.count
    var passed = RowBuffer()
    var next = RowBuffer()
    for route in node.routes {
      guard let last = route.last else { continue }
      passed.removeAll()
      passed.append(UnsafePointer(state.inner.rows.base), state.inner.rows.count)
      for relation in route.dropLast() {
        next.removeAll()
        try appendLinks(relation, of: passed, into: &next)
        if !node.keepsLinkOrder {
          next.count = RowSorting.sortUnique(
            next.base, next.count, limit: snapshot.slotCount(relation.target), bits: &state.bits)
        }
        swap(&passed, &next)
      }
      try appendLinks(last, of: passed, into: &rows)
    }
    return ordered(node, target, state, &rows, from: start)
  }

  /// Appends the targets that the members of a set have along a relation.
  private func appendLinks(
    _ relation: RelationAccess, of members: borrowing RowBuffer, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    for index in 0..<members.count {
      try appendLinks(relation, relation.status, members[index], into: &rows)
      if index & 1023 == 1023 {
        try checkpoint()
        try checkMemory(rows.count &* 4)
      }
    }
  }

  private func intersection(
    _ node: AccessNode, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let start = rows.count
    var isAscending = true
    let limit = snapshot.slotCount(set.type)
    // Row sets last: they are tested bit by bit, whatever is left.
    var first = true
    for child in node.children where child.kind != .rowSet {
      if first {
        isAscending = try gather(child, set, state, outer, into: &rows)
        // The link order of a relation stays; other rows are merged in ascending order.
        if !isAscending, child.kind != .relation {
          rows.count =
            start + RowSorting.sortUnique(rows.base + start, rows.count - start, limit: limit, bits: &state.bits)
          isAscending = true
        }
        first = false
        continue
      }
      if rows.count == start { return isAscending }
      var other = RowBuffer()
      let otherAscending = try gather(child, set, state, outer, into: &other)
      if isAscending {
        if !otherAscending {
          other.count = RowSorting.sortUnique(other.base, other.count, limit: limit, bits: &state.bits)
        }
        rows.count =
          start + RowSorting.intersect(rows.base + start, rows.count - start, UnsafePointer(other.base), other.count)
      } else {
        state.bits.clear(rows: limit)
        state.bits.insert(other.base, other.count)
        keep(&rows, from: start, in: state.bits)
      }
    }
    for child in node.children where child.kind == .rowSet {
      if first {
        try builtRowSet(child.number).bits.collect(into: &rows)
        first = false
      } else {
        keep(&rows, from: start, in: try builtRowSet(child.number).bits)
      }
    }
    return isAscending
  }

  private func keep(_ rows: inout RowBuffer, from start: Int, in bits: borrowing BitMemory) {
    var written = start
    for index in start..<rows.count {
      let row = rows[index]
      rows.base[written] = row
      if bits.contains(row) { written &+= 1 }
    }
    rows.count = written
  }
}

import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The targets of a relation of each element, in link order.
final class Links: AccessOperator, @unchecked Sendable {
  let relation: RelationAccess
  let reference: CompiledReference
  private let slot: Int
  private let findsLive: Bool

  init(
    _ relation: RelationAccess, of reference: CompiledReference, _ type: EntityTypeID, _ compiler: inout PlanCompiler
  ) {
    self.relation = relation
    self.reference = reference
    slot = compiler.stateSlot()
    // A relation leads to live entities, but the lines of a deleted owner are its own.
    findsLive = relation.status == .live && !compiler.catalog[type].isElement
    super.init(type)
  }

  override var isLinkOrdered: Bool { true }
  override var findsLiveRowsOnly: Bool { findsLive }
  override var meetsDeleted: Bool { relation.status != .live }
  override var countsPlacesByLinks: Bool { relation.isToMany }
  override var linkDepth: Int { reference.depth }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let row = execution.resolve(reference, outer, 0)
    execution.appendTargets(relation, row, from: 0, limit: Int.max, into: &rows)
    return !relation.isToMany
  }

  override func links(
    _ outer: ScopeRows, _ execution: Execution, _ memory: inout RowBuffer
  ) throws(RuntimeProblem) -> UnsafeBufferPointer<UInt32> {
    let row = execution.resolve(reference, outer, 0)
    guard relation.isToMany, row != PageLayout.noRow else { return UnsafeBufferPointer(start: nil, count: 0) }
    return execution.readers[relation.reader].references(row)
  }

  // MARK: - Lists

  override func appendLists(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let vectors = try set.bounds?.vectors(scopes, execution)
    let first = result.rows.count
    let firstOffset = result.offsets.count
    var parents: UnsafePointer<UInt32>?
    if reference.path.isEmpty, reference.depth < scopes.scopes.count { parents = scopes.scopes[reference.depth] }
    let common = try execution.commonSlice(set, scopes.count)
    var watch = ListWatch(set, result.rows)
    if relation.isToMany, let parents, scopes.count > 4 {
      execution.warmRuns(execution.readers[relation.reader], parents, scopes.count)
    }
    if set.isPlain, set.order == nil {
      result.offsets.reserve(scopes.count)
      if let common, let parents {
        for element in 0..<scopes.count {
          execution.appendTargets(
            relation, parents[element], from: common.offset, limit: common.limit, into: &result.rows)
          try execution.end(&result, &watch)
        }
      } else {
        for element in 0..<scopes.count {
          let slice = try execution.slice(set, vectors, element, of: scopes)
          let row = execution.resolve(reference, scopes, element)
          execution.appendTargets(relation, row, from: slice.offset, limit: slice.limit, into: &result.rows)
          try execution.end(&result, &watch)
        }
      }
      return execution.note(set, accessRows: result.rows.count - first)
    }
    if set.isPlain, set.method == .topN, let order = set.order, order.leading >= 0, set.bounds != nil,
      isAscending(order, execution)
    {
      for element in 0..<scopes.count {
        let slice = try execution.slice(set, vectors, element, of: scopes)
        let row = execution.resolve(reference, scopes, element)
        try appendTop(order, row, slice, state, execution, into: &result.rows)
        try execution.end(&result, &watch)
      }
      if order.direct >= 0 { return }
      execution.note(set, accessRows: result.rows.count - first)
      return try execution.arrange(set, state, scopes, &result, from: first, firstOffset: firstOffset)
    }
    if set.filter != nil, set.order == nil, set.distinct == nil, let common, common.end <= Self.mostFirst {
      return try appendFirst(set, state, scopes, common, execution, into: &result)
    }
    for element in 0..<scopes.count {
      let row = execution.resolve(reference, scopes, element)
      execution.appendTargets(relation, row, from: 0, limit: Int.max, into: &result.rows)
      try execution.end(&result, &watch)
    }
    execution.note(set, accessRows: result.rows.count - first)
    try execution.filter(set, state, scopes, &result, from: first, firstOffset: firstOffset)
    try execution.arrange(set, state, scopes, &result, from: first, firstOffset: firstOffset)
  }

  /// Returns whether the order term's column does not decrease with the row; looked up once a run.
  private func isAscending(_ order: CompiledOrder, _ execution: Execution) -> Bool {
    let state = execution.linksState(slot)
    if state.ascendingRun != execution.run {
      state.ascendingRun = execution.run
      state.isAscending = execution.snapshot.isAscending(type, order.directColumn)
    }
    return state.isAscending
  }

  /// Appends a slice of a run in the order of a column that does not decrease with the row: an ascending run needs
  /// only one of its ends. Where further terms decide among equal values, appends what may belong to the slice.
  private func appendTop(
    _ order: CompiledOrder, _ row: UInt32, _ slice: Execution.Slice, _ state: SetState, _ execution: Execution,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard row != PageLayout.noRow, slice.limit > 0 else { return }
    guard relation.isToMany else {
      return execution.appendTargets(relation, row, from: slice.offset, limit: slice.limit, into: &rows)
    }
    let run = execution.readers[relation.reader].references(row)
    guard let start = run.baseAddress, slice.offset < run.count else { return }
    try execution.charge(run.count)
    var disorder: UInt32 = 0
    var previous = start[0]
    for index in 1..<max(run.count, 1) {
      let next = start[index]
      // Borrows into the high bit where rows decrease; rows are below 2³¹.
      disorder |= next &- previous
      previous = next
    }
    let end = min(slice.end, run.count)
    let isAscending = disorder >> 31 == 0
    let isSingle = order.direct >= 0
    if isAscending, isSingle, !order.terms[0].isDescending {
      rows.append(start + slice.offset, end - slice.offset)
      return
    }
    var first = 0
    let images = DirectKeys(order, execution.readers[order.leading])
    if !isSingle {
      var last = run.count
      if isAscending, end > 0 {
        // One end of the run, and all that have the key of the last one there.
        if order.terms[0].isDescending {
          first = run.count - end
          let boundary = images.image(start[first])
          while first > 0, images.image(start[first - 1]) == boundary { first -= 1 }
        } else {
          last = end
          let boundary = images.image(start[last - 1])
          while last < run.count, images.image(start[last]) == boundary { last += 1 }
        }
      }
      return rows.append(start + first, last - first)
    }
    if isAscending {
      // The last ones, and all that have the key of the first of them.
      first = run.count - end
      let boundary = images.image(start[first])
      while first > 0, images.image(start[first - 1]) == boundary { first -= 1 }
    }
    let count = run.count - first
    let items = state.items.room(for: SortItem.self, count: max(end, 1))
    var heap = TopHeap(items, capacity: end)
    for index in 0..<count {
      let row = start[first + index]
      heap.offer(SortItem(key: images.image(row), index: UInt32(truncatingIfNeeded: index), row: row))
    }
    let spare = state.spare.room(for: SortItem.self, count: heap.count)
    try RowSorting.sort(items, heap.count, spare: spare, execution)
    for index in slice.offset..<max(heap.count, slice.offset) { rows.append(items[index].row) }
  }

  // MARK: - Counts

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    if reference.path.isEmpty, relation.isToMany, reference.depth < scopes.scopes.count {
      let parents = scopes.scopes[reference.depth]
      let reader = execution.readers[relation.reader]
      for element in 0..<scopes.count {
        let row = parents[element]
        counts[element] = row == PageLayout.noRow ? 0 : Int64(reader.references(row).count)
      }
    } else {
      for element in 0..<scopes.count {
        counts[element] = Int64(execution.degree(relation, execution.resolve(reference, scopes, element)))
      }
    }
    return true
  }

  override func exists(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) -> Bool {
    guard let slice = try execution.commonSlice(set, scopes.count), slice.offset < Self.mostFirst else { return false }
    guard slice.limit > 0 else {
      results.update(repeating: 0, count: scopes.count)
      return true
    }
    let first = try findFirst(set, state, scopes, slice.offset + 1, execution)
    for element in 0..<scopes.count { results[element] = first.counts[element] > slice.offset ? 1 : 0 }
    return true
  }

  // MARK: - The first few that a filter keeps

  /// Limits up to this are met in parts of the runs.
  private static var mostFirst: Int { 64 }

  private struct FirstMembers {
    /// How many were found, at most as many as were needed, by element.
    var counts: UnsafePointer<UInt32>
    /// Those of element `i` from `i * needed` on, in link order.
    var rows: UnsafePointer<UInt32>
  }

  /// Finds the first `needed` targets of each element that the filter keeps. The result is valid until the next call
  /// for this set.
  ///
  /// The runs are tested in parts, those of all elements that still need more together; the parts grow.
  private func findFirst(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ needed: Int, _ execution: Execution
  ) throws(RuntimeProblem) -> FirstMembers {
    let links = execution.linksState(slot)
    let count = scopes.count
    let depth = scopes.scopes.count
    let memory = links.firsts.room(for: UInt32.self, count: count * (3 + depth + needed))
    if links.firsts.byteCount > links.firstsBytes {
      let grown = links.firsts.byteCount - links.firstsBytes
      links.firstsBytes += grown
      try execution.holdRegisters(grown)
    }
    defer { links.part.rest() }
    memory.update(repeating: 0, count: count * 2)
    let cursors = memory
    let counts = memory + count
    let active = memory + 2 * count
    let gathered = memory + 3 * count
    let rows = memory + (3 + depth) * count
    for element in 0..<count { active[element] = UInt32(truncatingIfNeeded: element) }
    var left = count
    var size = max(needed * 2, 8)
    while left > 0 {
      try execution.checkpoint()
      var batch = scopes
      if left < count {
        batch.count = left
        for scope in 0..<depth {
          let target = gathered + scope * count
          for index in 0..<left { target[index] = scopes.scopes[scope][Int(active[index])] }
          batch.scopes[scope] = UnsafePointer(target)
        }
      }
      links.part.removeAll()
      links.part.offsets.append(0)
      for index in 0..<left {
        let element = Int(active[index])
        let before = links.part.rows.count
        let row = execution.resolve(reference, scopes, element)
        execution.appendTargets(relation, row, from: Int(cursors[element]), limit: size, into: &links.part.rows)
        let taken = links.part.rows.count - before
        cursors[element] = taken < size ? UInt32.max : cursors[element] &+ UInt32(truncatingIfNeeded: taken)
        links.part.offsets.append(UInt32(truncatingIfNeeded: links.part.rows.count))
      }
      execution.note(set, accessRows: links.part.rows.count)
      try execution.filter(set, state, batch, &links.part, from: 0, firstOffset: 1)
      var kept = 0
      for index in 0..<left {
        let element = Int(active[index])
        var found = Int(counts[element])
        var place = Int(links.part.offsets[index])
        let end = Int(links.part.offsets[index + 1])
        while place < end, found < needed {
          rows[element * needed + found] = links.part.rows[place]
          found += 1
          place += 1
        }
        counts[element] = UInt32(truncatingIfNeeded: found)
        if found < needed, cursors[element] != UInt32.max {
          active[kept] = UInt32(truncatingIfNeeded: element)
          kept += 1
        }
      }
      left = kept
      size = min(size * 4, max(16, (1 << 17) / max(left, 1)))
    }
    try execution.hold(links.part, &links.partBytes)
    return FirstMembers(counts: UnsafePointer(counts), rows: UnsafePointer(rows))
  }

  /// Appends each element's slice of the targets that the filter keeps, in link order.
  private func appendFirst(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ slice: Execution.Slice, _ execution: Execution,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard slice.limit > 0 else {
      for _ in 0..<scopes.count { result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count)) }
      return
    }
    let needed = slice.end
    let first = try findFirst(set, state, scopes, needed, execution)
    for element in 0..<scopes.count {
      let count = Int(first.counts[element])
      if count > slice.offset {
        result.rows.append(first.rows + (element * needed + slice.offset), count - slice.offset)
      }
      result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
  }
}

/// Parts of all elements' runs, and what was found in them.
final class LinksState: OperatorState {
  @exclusivity(unchecked) var part = Expansion()
  /// Bytes of it that are counted.
  @exclusivity(unchecked) var partBytes = 0
  @exclusivity(unchecked) var firsts = WorkMemory()
  @exclusivity(unchecked) var firstsBytes = 0
  /// Indicates whether the leading order column does not decrease with the row, in this run.
  @exclusivity(unchecked) var isAscending = false
  @exclusivity(unchecked) var ascendingRun: UInt64 = 0
}

extension Execution {
  fileprivate func linksState(_ slot: Int) -> LinksState { state(slot) { LinksState() } }

  /// Returns the entity of one element, or `PageLayout.noRow`.
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

  /// Appends a part of the targets of a relation.
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

  /// Returns how many targets there are.
  @inline(__always)
  func degree(_ relation: RelationAccess, _ row: UInt32) -> Int {
    guard row != PageLayout.noRow else { return 0 }
    if relation.isToMany { return readers[relation.reader].references(row).count }
    return readers[relation.reader].reference(row) == PageLayout.noRow ? 0 : 1
  }

  /// Touches the runs of parents that lie anywhere: the cells, then what the cells point to, in loops of nothing but
  /// loads, so that their cache misses overlap.
  @inline(never)
  func warmRuns(_ reader: ColumnReader, _ parents: UnsafePointer<UInt32>, _ count: Int) {
    var touched: UInt32 = 0
    for element in 0..<count where parents[element] != PageLayout.noRow {
      touched |= UInt32(truncatingIfNeeded: reader.references(parents[element]).count)
    }
    for element in 0..<count where parents[element] != PageLayout.noRow {
      let run = reader.references(parents[element])
      guard let start = run.baseAddress, run.count > 0 else { continue }
      // One of each line; the processor sees longer runs coming.
      touched |= start[run.count &- 1]
      var place = 0
      while place < min(run.count, 128) {
        touched |= start[place]
        place &+= 16
      }
    }
    warmed = UInt64(touched)
  }
}

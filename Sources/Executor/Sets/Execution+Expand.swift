import GQLBase
import GQLCatalog
import GQLStore

extension Execution {
  /// Appends the members for each element of a batch of at most 1,024: rows, and one end offset per element.
  func append(
    _ set: CompiledSet, _ scopes: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    try byKeys(set, scopes) { (set, scopes, _) throws(RuntimeProblem) in try appendFound(set, scopes, into: &result) }
  }

  /// The same where the keys of the access path are known not to fail.
  func appendFound(
    _ set: CompiledSet, _ scopes: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let started = actuals == nil ? 0 : MonotonicClock.now
    let before = result.rows.count
    let state = sets[set.id]
    if !set.isCorrelated, !set.wantsDepths, scopes.count != 1 || !scopes.scopes.isEmpty {
      try appendShared(set, state, scopes.count, into: &result)
    } else if set.mayBeForest, scopes.count > 1, try appendForest(set, state, scopes, into: &result) {
      // All together.
    } else if set.wantsDepths {
      try appendWithDepths(set, state, scopes, into: &result)
    } else if set.isRelation {
      try appendRelated(set, state, scopes, into: &result)
    } else if set.access.kind == .branches, !set.isPaged {
      try appendBranches(set, state, scopes, into: &result)
    } else if set.access.kind == .groupMembers, !set.isPaged {
      try appendGroupMembers(set, state, scopes, into: &result)
    } else if set.isKeyed {
      try appendKeyed(set, state, scopes, into: &result)
    } else if set.access.kind == .lookup, set.order == nil, set.isPlain, set.bounds == nil,
      let scalars = set.access.scalars
    {
      let vectors = try scalars.vectors(scopes, self)
      var watch = ListWatch(set, result.rows)
      for element in 0..<scopes.count {
        _ = lookup(set.access, scalars, vectors, element, set.type, into: &result.rows)
        try end(&result, &watch)
      }
      note(set, accessRows: result.rows.count - before)
    } else if scopes.count == 1 {
      try appendSingle(set, state, scopes, into: &result)
    } else {
      var watch = ListWatch(set, result.rows)
      for element in 0..<scopes.count {
        try appendSingle(set, state, scopes.element(element), into: &result)
        try look(result.rows, &watch)
      }
    }
    try checkOffsets(result.rows.count)
    if let problem = set.secondMember { try refuseSecondMembers(problem, result, scopes.count) }
    if set.filter == nil { try visit(result.rows.count - before) }
    try checkMemory(result.rows.count &* 4)
    if actuals != nil {
      actuals?[set.id].rows += result.rows.count - before
      actuals?[set.id].parents += scopes.count
      actuals?[set.id].nanoseconds += MonotonicClock.now &- started
    }
  }

  /// Throws the problem if one of the last `count` lists of an expansion has more than one member.
  private func refuseSecondMembers(
    _ problem: RuntimeProblem, _ result: borrowing Expansion, _ count: Int
  ) throws(RuntimeProblem) {
    let first = result.offsets.count - count
    for list in first..<result.offsets.count where result.offsets[list] - result.offsets[list - 1] > 1 { throw problem }
  }

  /// Where the lists of an expansion end are numbers of 32 bits.
  func checkOffsets(_ rows: Int) throws(RuntimeProblem) {
    if rows > Int(UInt32.max >> 1) {
      throw RuntimeProblem(.memory(limit: limits.maximumMemory), at: SourceRange(at: 0))
    }
  }

  @inline(__always)
  func note(_ set: CompiledSet, accessRows: Int) {
    if actuals != nil { actuals?[set.id].accessRows += accessRows }
  }

  /// Computes the members once, for all elements of the run.
  private func appendShared(
    _ set: CompiledSet, _ state: SetState, _ count: Int, into result: inout Expansion
  ) throws(RuntimeProblem) {
    try share(set, state)
    // Nothing is begun that cannot be held.
    try checkMemory((result.rows.count &+ state.shared.rows.count &* count) &* 4)
    var watch = ListWatch(set, result.rows)
    for _ in 0..<count {
      result.rows.append(UnsafePointer(state.shared.rows.base), state.shared.rows.count)
      try end(&result, &watch)
    }
  }

  func share(_ set: CompiledSet, _ state: SetState) throws(RuntimeProblem) {
    guard state.sharedRun != run else { return }
    state.shared.removeAll()
    state.shared.offsets.append(0)
    try appendSingle(set, state, .root, into: &state.shared)
    state.sharedRun = run
  }

  // MARK: - Limit and offset

  /// The slice of the list of one element.
  struct Slice {
    var offset = 0
    var limit = Int.max
    /// Where the slice ends.
    var end: Int {
      let (end, overflow) = offset.addingReportingOverflow(limit)
      return overflow ? Int.max : end
    }
  }

  @inline(__always)
  func slice(
    _ set: CompiledSet, _ vectors: UnsafePointer<Vector>?, _ element: Int, of outer: ScopeRows
  ) throws(RuntimeProblem) -> Slice {
    guard let bounds = set.bounds else { return Slice() }
    var slice = Slice()
    if set.limit >= 0, let cell = bounds.cell(set.limit, vectors, element, self) { slice.limit = Int(cell.int) }
    if set.offset >= 0, let cell = bounds.cell(set.offset, vectors, element, self) { slice.offset = Int(cell.int) }
    if slice.limit < 0 || slice.offset < 0 { throw negativeSlice(set, slice, element, of: outer) }
    if set.isProbe {
      let end = slice.end
      return end == Int.max ? Slice(offset: 0, limit: 0) : Slice(offset: end, limit: 1)
    }
    return slice
  }

  /// The slice of every element's list, if it is the same for all; nil also if there are none.
  func commonSlice(
    _ set: CompiledSet, _ count: Int
  ) throws(RuntimeProblem) -> Slice? {
    guard count > 0, set.bounds?.program == nil else { return nil }
    return try slice(set, nil, 0, of: .root)
  }

  private func negativeSlice(
    _ set: CompiledSet, _ slice: Slice, _ element: Int, of outer: ScopeRows
  ) -> RuntimeProblem {
    let isLimit = slice.limit < 0
    var entity: (type: EntityTypeID, row: UInt32)?
    if let type = set.bounds?.program?.elementType, let row = outer.scopes.first?[element],
      row != PageLayout.noRow
    {
      entity = (type, row)
    }
    return RuntimeProblem(
      .negativeLimit(argument: isLimit ? "limit" : "offset"), at: isLimit ? set.limitRange : set.offsetRange,
      entity: entity, values: [Text(String(isLimit ? slice.limit : slice.offset))])
  }

  // MARK: - Relations

  /// The targets of a relation, for all elements together.
  private func appendRelated(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    if set.isPaged {
      var watch = ListWatch(set, result.rows)
      for element in 0..<scopes.count {
        try appendPage(set, state, scopes.element(element), into: &result)
        try look(result.rows, &watch)
      }
      return
    }
    let node = set.access
    let relation = node.relation
    let vectors = try set.bounds?.vectors(scopes, self)
    let first = result.rows.count
    let firstOffset = result.offsets.count
    var parents: UnsafePointer<UInt32>?
    if node.reference.path.isEmpty, node.reference.depth < scopes.scopes.count {
      parents = scopes.scopes[node.reference.depth]
    }
    let common = try commonSlice(set, scopes.count)
    var watch = ListWatch(set, result.rows)
    if relation.isToMany, let parents, scopes.count > 4 {
      warmRuns(readers[relation.reader], parents, scopes.count)
    }
    if set.isPlain, set.order == nil {
      result.offsets.reserve(scopes.count)
      if let common, let parents {
        for element in 0..<scopes.count {
          appendTargets(relation, parents[element], from: common.offset, limit: common.limit, into: &result.rows)
          try end(&result, &watch)
        }
      } else {
        for element in 0..<scopes.count {
          let slice = try slice(set, vectors, element, of: scopes)
          let row = resolve(node.reference, scopes, element)
          appendTargets(relation, row, from: slice.offset, limit: slice.limit, into: &result.rows)
          try end(&result, &watch)
        }
      }
      note(set, accessRows: result.rows.count - first)
      return
    }
    if set.isPlain, set.method == .topN, let order = set.order, order.leading >= 0, set.bounds != nil,
      isAscending(set, state, order)
    {
      for element in 0..<scopes.count {
        let slice = try slice(set, vectors, element, of: scopes)
        let row = resolve(node.reference, scopes, element)
        try appendTop(order, relation, row, slice, state, into: &result.rows)
        try end(&result, &watch)
      }
      if order.direct >= 0 { return }
      note(set, accessRows: result.rows.count - first)
      return try arrange(set, state, scopes, &result, from: first, firstOffset: firstOffset)
    }
    if set.filter != nil, set.order == nil, set.distinct == nil, let common, common.end <= Execution.firstMembers {
      return try appendFirst(set, state, scopes, common, into: &result)
    }
    for element in 0..<scopes.count {
      appendTargets(
        relation, resolve(node.reference, scopes, element), from: 0, limit: Int.max, into: &result.rows)
      try end(&result, &watch)
    }
    note(set, accessRows: result.rows.count - first)
    try filter(set, state, scopes, &result, from: first, firstOffset: firstOffset)
    try arrange(set, state, scopes, &result, from: first, firstOffset: firstOffset)
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

  /// Whether the order term's column does not decrease with the row; asked once a run.
  private func isAscending(_ set: CompiledSet, _ state: SetState, _ order: CompiledOrder) -> Bool {
    if state.ascendingRun != run {
      state.ascendingRun = run
      state.ascending = snapshot.isAscending(set.type, order.directColumn)
    }
    return state.ascending
  }

  /// Appends a slice of a run in the order of a column that does not decrease with the row: an ascending run needs
  /// only one of its ends. Where further terms decide among equal values, appends what may belong to the slice.
  private func appendTop(
    _ order: CompiledOrder, _ relation: RelationAccess, _ row: UInt32, _ slice: Slice, _ state: SetState,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard row != PageLayout.noRow, slice.limit > 0 else { return }
    guard relation.isToMany else {
      return appendTargets(relation, row, from: slice.offset, limit: slice.limit, into: &rows)
    }
    let run = readers[relation.reader].references(row)
    guard let start = run.baseAddress, slice.offset < run.count else { return }
    try charge(run.count)
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
    let images = DirectKeys(order, readers[order.leading])
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
    try RowSorting.sort(items, heap.count, spare: state.spare.room(for: SortItem.self, count: heap.count), self)
    for index in slice.offset..<max(heap.count, slice.offset) { rows.append(items[index].row) }
  }

  // MARK: - Filters

  /// Keeps the rows from `first` on that the filter is true for. Their element's offsets stand from `firstOffset` on.
  func filter(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int,
    firstOffset: Int
  ) throws(RuntimeProblem) {
    guard let program = set.filter else { return }
    let end = result.rows.count
    let positions = state.positions.room(for: UInt16.self, count: ScopeRows.batchRows)
    let elements = scopes.count
    let offsets = result.offsets.base + firstOffset
    var written = first
    var element = 0
    var gather = OuterScopes(set.outerScopes, scopes, state)
    var start = first
    while start < end {
      try checkpoint()
      let count = min(ScopeRows.batchRows, end - start)
      try visit(count)
      let batch = gather.batch(
        UnsafePointer(result.rows.base + start), count, start: start, ends: UnsafePointer(offsets))
      let kept = try program.filter(batch, self, into: positions)
      let rows = result.rows.base
      for index in 0..<kept {
        let position = start &+ Int(positions[index])
        while element < elements, Int(offsets[element]) <= position {
          offsets[element] = UInt32(truncatingIfNeeded: written)
          element &+= 1
        }
        rows[written] = rows[position]
        written &+= 1
      }
      // Ends within this batch, before the next one is read: the gatherer has passed them.
      while element < elements, Int(offsets[element]) <= start + count {
        offsets[element] = UInt32(truncatingIfNeeded: written)
        element += 1
      }
      start += count
    }
    while element < elements {
      offsets[element] = UInt32(truncatingIfNeeded: written)
      element += 1
    }
    result.rows.count = written
  }
}

extension ScopeRows {
  /// A batch of one of the elements.
  func element(_ index: Int) -> ScopeRows {
    var scopes = ContiguousArray<UnsafePointer<UInt32>>()
    scopes.reserveCapacity(self.scopes.count)
    for scope in self.scopes { scopes.append(scope + index) }
    return ScopeRows(count: 1, scopes: scopes)
  }
}

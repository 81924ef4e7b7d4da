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
    let started = measuredTime
    let before = result.rows.count
    let state = sets[set.id]
    switch set.lists {
    case .once where scopes.count != 1 || !scopes.scopes.isEmpty:
      try appendShared(set, state, scopes.count, into: &result)
    case .once, .together: try set.access.appendLists(set, state, scopes, self, into: &result)
    case .each: try appendEach(set, state, scopes, into: &result)
    }
    try checkOffsets(result.rows.count)
    if let problem = set.secondMember { try refuseSecondMembers(problem, result, scopes.count) }
    if set.filter == nil { try visit(result.rows.count - before) }
    try checkMemory(result.rows.count &* 4)
    note(set, .lists, loops: scopes.count, rows: result.rows.count - before, since: started)
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

  // MARK: - Elements

  /// Appends the list of each element by itself.
  func appendEach(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, into result: inout Expansion
  ) throws(RuntimeProblem) {
    if scopes.count == 1 { return try appendSingle(set, state, scopes, into: &result) }
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      try appendSingle(set, state, scopes.element(element), into: &result)
      try look(result.rows, &watch)
    }
  }

  // MARK: - Filters

  /// Keeps the rows from `first` on that the filter is true for. Their element's offsets stand from `firstOffset` on.
  func filter(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int,
    firstOffset: Int
  ) throws(RuntimeProblem) {
    guard let program = set.filter else { return }
    let started = measuredTime
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
    note(set, filtered: end - first, kept: written - first, since: started)
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

import GQLBase
import GQLCatalog
import GQLStore

/// Sets that are found under one key for each element: through an index or a hash join, for all elements of a batch
/// together. A filter and an order see the rows of many elements at once, as they do behind a relation.
extension Execution {
  /// A run up to this is filtered and arranged together with others; longer ones by themselves, where an early stop or
  /// a known list saves more.
  private static var shortRun: Int { 256 }
  /// How many rows are put together.
  private static var gatheredRows: Int { 1 << 16 }

  /// The table of a hash join, made when it is first needed.
  func joinTable(_ node: AccessNode, _ set: CompiledSet, _ state: SetState) throws(RuntimeProblem) -> JoinTable {
    let table: JoinTable
    if let known = state.joinTable {
      table = known
    } else {
      table = JoinTable(node.buildTypes)
      state.joinTable = table
    }
    if table.run != run, let program = node.buildProgram {
      var rows = RowBuffer()
      if let source = node.children.first {
        // It depends on nothing around the set.
        let isAscending = try gather(source, set, state, .root, into: &rows)
        if !isAscending, !isLinkOrdered(source) {
          rows.count = RowSorting.sortUnique(
            rows.base, rows.count, limit: snapshot.slotCount(set.type), bits: &state.bits)
        }
      } else {
        appendLive(set.type, from: 0, limit: Int.max, into: &rows)
      }
      try table.build(program, rows, self)
      note(set, accessRows: rows.count)
    }
    return table
  }

  /// The rows under the key of each element; valid until the next call for this set.
  func keyRuns(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows
  ) throws(RuntimeProblem) -> UnsafeMutablePointer<KeyRun> {
    let node = set.access
    let runs = state.keyRuns.room(for: KeyRun.self, count: scopes.count)
    runs.initialize(repeating: KeyRun(), count: scopes.count)
    guard let scalars = node.scalars else { return runs }
    state.keyRows.removeAll()
    if node.kind == .hashJoin {
      let table = try joinTable(node, set, state)
      let vectors = try scalars.vectors(scopes, self)
      for element in 0..<scopes.count { runs[element] = table.find(scalars, vectors, element, self) }
      return runs
    }
    let vectors = try scalars.vectors(scopes, self)
    let components = scalars.count
    let key = scratch.allocate(Cell.self, count: components)
    for element in 0..<scopes.count {
      var isNull = false
      for component in 0..<components {
        if let cell = scalars.cell(component, vectors, element, self) {
          key[component] = cell
        } else {
          isNull = true
        }
      }
      if !isNull {
        runs[element] = keyRun(node, UnsafePointer(key), state)
      } else if !node.keysAreNonNull {
        if components == 1 {
          runs[element] = nullRun(set, state)
        } else {
          let start = state.keyRows.count
          _ = lookup(node, scalars, vectors, element, set.type, into: &state.keyRows)
          runs[element] = KeyRun(start: nil, offset: start, count: state.keyRows.count - start)
        }
      }
    }
    return runs
  }

  private func keyRun(_ node: AccessNode, _ key: UnsafePointer<Cell>, _ state: SetState) -> KeyRun {
    let start = state.keyRows.count
    if node.indexKind == .btree {
      let bounds = BTreeBounds.equal(key, node.keyReaders.count)
      let reader = snapshot.btree(node.index)
      let count = reader.count(bounds)
      let copied = count > Execution.shortRun ? 1 : count
      state.keyRows.reserve(copied)
      state.keyRows.count += reader.walk(bounds, descending: false, skip: 0, limit: copied, into: state.keyRows.end)
      return KeyRun(start: nil, offset: start, count: count)
    }
    let reader = snapshot.hashIndex(node.index)
    if node.isUnique {
      let row = reader.find(key)
      guard row != PageLayout.noRow else { return KeyRun() }
      state.keyRows.append(row)
      return KeyRun(start: nil, offset: start, count: 1)
    }
    switch reader.rows(key) {
    case .none: return KeyRun()
    case .one(let row):
      state.keyRows.append(row)
      return KeyRun(start: nil, offset: start, count: 1)
    case .many(let run): return KeyRun(start: run.baseAddress, count: run.count)
    }
  }

  /// The rows whose only key column is null, which no index holds: one scan a run.
  private func nullRun(_ set: CompiledSet, _ state: SetState) -> KeyRun {
    if state.nullRun != run {
      state.nullRun = run
      state.nullRows.removeAll()
      appendLive(set.type, from: 0, limit: Int.max, into: &state.nullRows)
      let reader = readers[set.access.keyReaders[0]]
      var written = 0
      for index in 0..<state.nullRows.count {
        let row = state.nullRows[index]
        state.nullRows.base[written] = row
        if reader.isNull(row) { written += 1 }
      }
      state.nullRows.count = written
    }
    return KeyRun(start: UnsafePointer(state.nullRows.base), count: state.nullRows.count)
  }

  // MARK: - Lists

  /// Appends the lists of all elements. `existenceOnly`: whether a list has a member is all that is asked; there are
  /// no bounds and no `distinctOn` then.
  func appendKeyed(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, existenceOnly: Bool = false,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    let runs = try keyRuns(set, state, scopes)
    let isDirect = set.isPlain && set.order == nil
    let vectors = isDirect ? try set.bounds?.vectors(scopes, self) : nil
    if !isDirect, !existenceOnly, set.limit >= 0 { dropEmptySlices(set, scopes, runs) }
    var first = result.rows.count
    var firstOffset = result.offsets.count
    var firstElement = 0
    func flush(_ end: Int, _ result: inout Expansion) throws(RuntimeProblem) {
      if end > firstElement, !isDirect {
        let part = scopes.part(firstElement, end - firstElement)
        note(set, accessRows: result.rows.count - first)
        try filter(set, state, part, &result, from: first, firstOffset: firstOffset)
        if !existenceOnly { try arrange(set, state, part, &result, from: first, firstOffset: firstOffset) }
      }
      first = result.rows.count
      firstOffset = result.offsets.count
      firstElement = end
    }
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      let run = runs[element]
      // A long run of a B-tree is not there as a whole.
      if run.count > Execution.shortRun, !isDirect || set.access.indexKind == .btree && run.start == nil {
        try flush(element, &result)
        try appendLong(set, state, scopes.element(element), rows(run, state)[0], existenceOnly, into: &result)
        first = result.rows.count
        firstOffset = result.offsets.count
        firstElement = element + 1
        try look(result.rows, &watch)
        continue
      }
      if isDirect {
        let slice = try slice(set, vectors, element, of: scopes)
        if slice.offset < run.count {
          result.rows.append(rows(run, state) + slice.offset, min(run.count - slice.offset, slice.limit))
        }
      } else if run.count > 0 {
        result.rows.append(rows(run, state), run.count)
      }
      try end(&result, &watch)
      if !isDirect, result.rows.count - first > Execution.gatheredRows { try flush(element + 1, &result) }
    }
    try flush(scopes.count, &result)
  }

  /// Of what is limited to none nobody is looked at, so that nothing can fail for anybody. A limit that is wrong is told
  /// when its list is cut.
  private func dropEmptySlices(
    _ set: CompiledSet, _ scopes: ScopeRows, _ runs: UnsafeMutablePointer<KeyRun>
  ) {
    guard let bounds = set.bounds else { return }
    let vectors: UnsafePointer<Vector>?
    do { vectors = try bounds.vectors(scopes, self) } catch { return }
    for element in 0..<scopes.count {
      if let slice = try? slice(set, vectors, element, of: scopes), slice.limit <= 0 { runs[element] = KeyRun() }
    }
  }

  func rows(_ run: KeyRun, _ state: SetState) -> UnsafePointer<UInt32> {
    run.start ?? UnsafePointer(state.keyRows.base + run.offset)
  }

  /// Appends the list of one element under whose key there are many rows; `row` is the first of them.
  private func appendLong(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ row: UInt32, _ existenceOnly: Bool,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard set.dependsOnKeyOnly else {
      guard existenceOnly else { return try appendSingle(set, state, outer, into: &result) }
      try appendFiltered(set, state, outer, 1, inAnyOrder: true, into: &result.rows)
      return result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
    if state.keyListRun != run {
      state.keyListRun = run
      state.keyLists.removeAll(keepingCapacity: true)
      state.keyListRows.removeAll()
    }
    if let known = state.keyLists[row] {
      let count = existenceOnly ? min(known.count, 1) : known.count
      result.rows.append(UnsafePointer(state.keyListRows.base + known.lowerBound), count)
      return result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
    let start = result.rows.count
    try appendSingle(set, state, outer, into: &result)
    let place = state.keyListRows.count
    let count = result.rows.count - start
    try checkMemory((place + count) &* 4)
    state.keyListRows.append(UnsafePointer(result.rows.base + start), count)
    state.keyLists[row] = place..<place + count
  }
}

extension AccessNode {
  /// Whether the rows are those under one key, ascending.
  var isKeyed: Bool {
    switch kind {
    case .lookup, .hashJoin: true
    case .range:
      indexKind == .btree && equalCount > 0 && equalCount == keyReaders.count && lower < 0 && upper < 0 && prefix < 0
        && !onlyNulls && scalars?.count == equalCount && (keysAreNonNull || equalCount == 1)
    default: false
    }
  }
}

extension ScopeRows {
  /// A batch of some consecutive elements.
  func part(_ first: Int, _ count: Int) -> ScopeRows {
    if first == 0, count == self.count { return self }
    var scopes = ContiguousArray<UnsafePointer<UInt32>>()
    scopes.reserveCapacity(self.scopes.count)
    for scope in self.scopes { scopes.append(scope + first) }
    return ScopeRows(count: count, scopes: scopes)
  }
}

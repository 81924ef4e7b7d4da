import GQLBase
import GQLCatalog
import GQLStore

/// The rows under the keys of a batch of elements, in one execution.
final class KeyedState: OperatorState {
  /// A run up to this is filtered and arranged together with others; longer ones by themselves, where an early stop or
  /// a known list saves more.
  static var shortRun: Int { 256 }
  /// How many rows are put together.
  static var gatheredRows: Int { 1 << 16 }

  @exclusivity(unchecked) var runs = WorkMemory()
  /// Rows that had to be copied.
  @exclusivity(unchecked) var rows = RowBuffer()
  /// The rows whose only key column is null.
  @exclusivity(unchecked) var nullRows = RowBuffer()
  @exclusivity(unchecked) var nullRun: UInt64 = 0
  /// The lists of keys with many rows, by the first of the rows.
  @exclusivity(unchecked) var lists: [UInt32: Range<Int>] = [:]
  @exclusivity(unchecked) var listRows = RowBuffer()
  @exclusivity(unchecked) var listRun: UInt64 = 0
  @exclusivity(unchecked) var joinTable: JoinTable?

  func rows(_ run: KeyRun) -> UnsafePointer<UInt32> { run.start ?? UnsafePointer(rows.base + run.offset) }
}

extension Execution {
  /// The state of a keyed operator; made when first needed.
  func keyedState(_ slot: Int) -> KeyedState { state(slot) { KeyedState() } }
}

/// Sets that are found under one key for each element: through an index or a hash join, for all elements of a batch
/// together. A filter and an order see the rows of many elements at once, as they do those of a relation.
extension AccessOperator {
  private func keyed(_ execution: Execution) -> KeyedState {
    switch self {
    case let indexed as IndexedOperator: execution.keyedState(indexed.slot)
    case let join as HashJoin: execution.keyedState(join.slot)
    default: preconditionFailure("only a keyed operator has runs")
    }
  }

  /// Returns the rows of a run.
  func rows(_ run: KeyRun, _ execution: Execution) -> UnsafePointer<UInt32> { keyed(execution).rows(run) }

  /// Counts the rows under the key of each element.
  func countRuns(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) {
    let runs = try keyRuns(set, state, scopes, execution)
    for element in 0..<scopes.count { counts[element] = Int64(runs[element].count) }
  }

  /// Finds whether the filter keeps any of the rows under the key of each element.
  func findAnyKeyed(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    state.counted.removeAll()
    state.counted.offsets.append(0)
    try appendKeyed(set, state, scopes, execution, existenceOnly: true, into: &state.counted)
    defer { state.counted.rest() }
    try execution.hold(state.counted, &state.countedBytes)
    for element in 0..<scopes.count {
      results[element] = state.counted.offsets[element + 1] > state.counted.offsets[element] ? 1 : 0
    }
  }

  /// Appends the lists of all elements. `existenceOnly`: whether a list has a member is all that is asked; there are
  /// no bounds and no `distinctOn` then.
  func appendKeyed(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, existenceOnly: Bool = false,
    into result: inout Expansion
  ) throws(RuntimeProblem) {
    let runs = try keyRuns(set, state, scopes, execution)
    let keyed = keyed(execution)
    let isTree = (self as? IndexedOperator)?.indexKind == .btree
    let isDirect = set.isPlain && set.order == nil
    let vectors = isDirect ? try set.bounds?.vectors(scopes, execution) : nil
    if !isDirect, !existenceOnly, set.limit >= 0 { dropEmptySlices(set, scopes, runs, execution) }
    var first = result.rows.count
    var firstOffset = result.offsets.count
    var firstElement = 0
    func flush(_ end: Int, _ result: inout Expansion) throws(RuntimeProblem) {
      if end > firstElement, !isDirect {
        let part = scopes.part(firstElement, end - firstElement)
        execution.note(set, accessRows: result.rows.count - first)
        try execution.filter(set, state, part, &result, from: first, firstOffset: firstOffset)
        if !existenceOnly { try execution.arrange(set, state, part, &result, from: first, firstOffset: firstOffset) }
      }
      first = result.rows.count
      firstOffset = result.offsets.count
      firstElement = end
    }
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      let run = runs[element]
      // A long run of a B-tree is not there as a whole.
      if run.count > KeyedState.shortRun, !isDirect || isTree && run.start == nil {
        try flush(element, &result)
        let row = keyed.rows(run)[0]
        try appendLong(set, state, scopes.element(element), row, execution, existenceOnly, into: &result)
        first = result.rows.count
        firstOffset = result.offsets.count
        firstElement = element + 1
        try execution.look(result.rows, &watch)
        continue
      }
      if isDirect {
        let slice = try execution.slice(set, vectors, element, of: scopes)
        if slice.offset < run.count {
          result.rows.append(keyed.rows(run) + slice.offset, min(run.count - slice.offset, slice.limit))
        }
      } else if run.count > 0 {
        result.rows.append(keyed.rows(run), run.count)
      }
      try execution.end(&result, &watch)
      if !isDirect, result.rows.count - first > KeyedState.gatheredRows { try flush(element + 1, &result) }
    }
    try flush(scopes.count, &result)
  }

  /// Of what is limited to none nobody is looked at, so that nothing can fail for anybody. A limit that is wrong is told
  /// when its list is cut.
  private func dropEmptySlices(
    _ set: CompiledSet, _ scopes: ScopeRows, _ runs: UnsafeMutablePointer<KeyRun>, _ execution: Execution
  ) {
    guard let bounds = set.bounds else { return }
    let vectors: UnsafePointer<Vector>?
    do { vectors = try bounds.vectors(scopes, execution) } catch { return }
    for element in 0..<scopes.count {
      if let slice = try? execution.slice(set, vectors, element, of: scopes), slice.limit <= 0 {
        runs[element] = KeyRun()
      }
    }
  }

  /// Appends the list of one element under whose key there are many rows; `row` is the first of them.
  private func appendLong(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ row: UInt32, _ execution: Execution,
    _ existenceOnly: Bool, into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard set.dependsOnKeyOnly else {
      guard existenceOnly else { return try execution.appendSingle(set, state, outer, into: &result) }
      try execution.appendFiltered(set, state, outer, 1, inAnyOrder: true, into: &result.rows)
      return result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
    let keyed = keyed(execution)
    if keyed.listRun != execution.run {
      keyed.listRun = execution.run
      keyed.lists.removeAll(keepingCapacity: true)
      keyed.listRows.removeAll()
    }
    if let known = keyed.lists[row] {
      let count = existenceOnly ? min(known.count, 1) : known.count
      result.rows.append(UnsafePointer(keyed.listRows.base + known.lowerBound), count)
      return result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
    let start = result.rows.count
    try execution.appendSingle(set, state, outer, into: &result)
    let place = keyed.listRows.count
    let count = result.rows.count - start
    try execution.checkMemory((place + count) &* 4)
    keyed.listRows.append(UnsafePointer(result.rows.base + start), count)
    keyed.lists[row] = place..<place + count
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

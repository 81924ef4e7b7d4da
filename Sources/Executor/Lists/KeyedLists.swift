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

extension AccessOperator {
  /// Returns the memory of a keyed operator. Precondition: it is keyed.
  final func keyed(_ execution: Execution) -> KeyedState { execution.state(keySlot) { KeyedState() } }

  /// Returns the rows of a run.
  final func rows(_ run: KeyRun, _ execution: Execution) -> UnsafePointer<UInt32> { keyed(execution).rows(run) }

  /// Counts the rows under the key of each element.
  final func countRuns(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) {
    let runs = try keyRuns(set, state, scopes, execution)
    for element in 0..<scopes.count { counts[element] = Int64(runs[element].count) }
  }
}

/// Finds the rows under one key for each element, through an index or a hash join, for all elements of a batch together.
/// A filter and an order see the rows of many elements at once, as they do those of a relation.
class KeyedLists: ListOperator, @unchecked Sendable {
  /// Indicates whether all that is asked is whether a list has a member. There are no bounds and no `distinctOn` then.
  fileprivate var findsFirst: Bool { false }

  override func append(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let runs = try set.access.keyRuns(set, state, scopes, execution)
    let keyed = set.access.keyed(execution)
    let isTree = (set.access as? IndexedOperator)?.isTree == true
    let isDirect = set.isPlain && set.order == nil
    let vectors = isDirect ? try set.slice?.sources.vectors(scopes, execution) : nil
    if !isDirect, !findsFirst { dropEmptySlices(set, scopes, runs, execution) }
    var first = result.rows.count
    var firstOffset = result.offsets.count
    var firstElement = 0
    func flush(_ end: Int, _ result: inout Expansion) throws(RuntimeProblem) {
      if end > firstElement, !isDirect {
        let part = scopes.part(firstElement, end - firstElement)
        execution.note(set, accessRows: result.rows.count - first)
        try set.filter?.keepLists(set, state, part, &result, from: first, firstOffset: firstOffset, execution)
        if !findsFirst {
          try set.arrange(state, part, &result, from: first, firstOffset: firstOffset, execution)
        }
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
        try appendLong(set, state, scopes.element(element), keyed.rows(run)[0], keyed, execution, into: &result)
        first = result.rows.count
        firstOffset = result.offsets.count
        firstElement = element + 1
        try execution.look(result.rows, &watch)
        continue
      }
      if isDirect {
        let slice = try set.slice(vectors, element, of: scopes, execution)
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

  /// Of what is limited to none nobody is looked at, so that nothing can fail for anybody. A limit that is wrong is
  /// reported when its list is cut.
  private func dropEmptySlices(
    _ set: CompiledSet, _ scopes: ScopeRows, _ runs: UnsafeMutablePointer<KeyRun>, _ execution: Execution
  ) {
    guard let slice = set.slice else { return }
    let vectors: UnsafePointer<Vector>?
    do { vectors = try slice.sources.vectors(scopes, execution) } catch { return }
    for element in 0..<scopes.count {
      if let range = try? slice.range(vectors, element, of: scopes, execution), range.limit <= 0 {
        runs[element] = KeyRun()
      }
    }
  }

  /// Appends the list of one element under whose key there are many rows; `row` is the first of them.
  private func appendLong(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ row: UInt32, _ keyed: KeyedState,
    _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    guard set.dependsOnKeyOnly else {
      guard findsFirst else { return try set.members.append(set, state, outer, execution, into: &result) }
      let one = KeptRows(needed: 1, inAnyOrder: true)
      _ = try set.access.appendKept(set, state, outer, one, execution, into: &result.rows)
      return result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
    if keyed.listRun != execution.run {
      keyed.listRun = execution.run
      keyed.lists.removeAll(keepingCapacity: true)
      keyed.listRows.removeAll()
    }
    if let known = keyed.lists[row] {
      let count = findsFirst ? min(known.count, 1) : known.count
      result.rows.append(UnsafePointer(keyed.listRows.base + known.lowerBound), count)
      return result.offsets.append(UInt32(truncatingIfNeeded: result.rows.count))
    }
    let start = result.rows.count
    try set.members.append(set, state, outer, execution, into: &result)
    let place = keyed.listRows.count
    let count = result.rows.count - start
    try execution.checkMemory((place + count) &* 4)
    keyed.listRows.append(UnsafePointer(result.rows.base + start), count)
    keyed.lists[row] = place..<place + count
  }
}

/// Finds, of the rows under the key of each element, enough to know whether the filter keeps any.
final class FirstOfKeys: KeyedLists, @unchecked Sendable {
  fileprivate override var findsFirst: Bool { true }
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

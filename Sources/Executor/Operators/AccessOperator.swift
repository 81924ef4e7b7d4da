import GQLBase
import GQLCatalog
import GQLStore

/// An operator that finds the rows of a set, before its filter and its order: an ``AccessPath`` made ready to run.
///
/// Each kind of path is a subclass in a file of its own. Operators are immutable once they are made, and threads share
/// them; the memory of a run lies in ``SetState``, and in the state of an operator's slot (``OperatorState``).
///
/// Unchecked because subclasses add only constants.
class AccessOperator: @unchecked Sendable {
  /// The type of the rows that it finds.
  let type: EntityTypeID

  init(_ type: EntityTypeID) { self.type = type }

  // MARK: - Properties

  /// Indicates whether rows stand in an order of their own, as links do, which is list order where no other is asked for.
  var isLinkOrdered: Bool { false }
  /// Indicates whether no deleted row can be among those that it finds.
  var findsLiveRowsOnly: Bool { false }
  /// Indicates whether it follows links to deleted entities, or of them.
  var meetsDeleted: Bool { false }
  /// The slot of the state of an operator that finds the rows of each element under one key: see ``keyRuns(_:_:_:_:)``.
  var keySlot: Int { preconditionFailure("only a keyed operator has runs") }
  /// Indicates whether cursors count places by links, as to the targets of a relation of many.
  var countsPlacesByLinks: Bool { false }
  /// The scope of the elements whose links these are.
  var linkDepth: Int { 0 }
  /// Indicates whether links lie in memory that is filled for each element, rather than in the store.
  var gathersLinks: Bool { false }
  /// Indicates whether a range of a B-tree in it has a null that the tree cannot walk past.
  func isBehindNull(_ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> Bool { false }

  // MARK: - Uses

  /// Appends the rows for one element; returns whether they ascend without repeats.
  func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    preconditionFailure("an operator finds rows")
  }

  /// Appends the first rows for one element in canonical order, as many as are needed; returns false, and appends
  /// nothing, where it finds all rows at once.
  func gatherFirst(
    _ needed: Int, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool { false }

  /// Returns how many rows of the type, from the first on, most likely hold as many of this operator's rows as are
  /// needed; nil where it finds all rows at once, or that would be no slower.
  func firstWindow(
    needed: Int, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> Int? { nil }

  /// Appends the rows for one element that are in a window, ascending. Precondition: there is a first window.
  func gather(
    in window: Range<Int>, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) { preconditionFailure("only an operator with windows looks into one") }

  /// Appends the rows of all elements of a batch, list after list. Precondition: the plan gathers lists of it.
  func gatherLists(
    _ set: CompiledSet, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) { preconditionFailure("only links are gathered as lists") }

  /// Appends a part of the rows of one element in their order, without a look at the others; returns false, and appends
  /// nothing, where it cannot.
  func appendSlice(
    _ slice: SliceRange, _ scopes: ScopeRows, _ element: Int, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool { false }

  /// Appends each element's slice of the rows. Precondition: the plan takes slices of it.
  func appendSlices(
    _ set: CompiledSet, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let slices = set.slice
    let vectors = try slices?.sources.vectors(scopes, execution)
    result.offsets.reserve(scopes.count)
    var watch = ListWatch(set, result.rows)
    for element in 0..<scopes.count {
      let slice = try slices?.range(vectors, element, of: scopes, execution) ?? SliceRange()
      _ = try appendSlice(slice, scopes, element, execution, into: &result.rows)
      try execution.end(&result, &watch)
    }
  }

  // MARK: - With the filter

  /// Appends the rows for one element that the set's filter keeps, in natural order, until enough are there.
  ///
  /// Where it looks at too many rows, the plan to retreat to goes on; or, if it may abandon the search, it appends
  /// nothing and returns false.
  func appendKept(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ wanted: KeptRows, _ execution: Execution,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let first = rows.count
    let isLimited = wanted.needed < Int.max
    if isLimited, !(set.filter?.canFail ?? false),
      let window = try firstWindow(needed: wanted.needed, outer, execution)
    {
      try appendWindows(set, state, outer, wanted.needed, window, execution, into: &rows)
      return true
    }
    if isLimited, set.filter == nil, try gatherFirst(wanted.needed, state, outer, execution, into: &rows) {
      execution.note(set, accessRows: rows.count - first)
      return true
    }
    var isAscending = try gather(set, state, outer, execution, into: &rows)
    execution.note(set, accessRows: rows.count - first)
    if !isAscending, !wanted.inAnyOrder, isLimited, set.filter != nil, !isLinkOrdered {
      // In order first, so that no more rows are tested than are needed.
      execution.sortUnique(&rows, from: first, set, state)
      isAscending = true
    }
    let needed = isAscending || wanted.inAnyOrder ? wanted.needed : Int.max
    try set.filter?.keep(&rows, from: first, needed: needed, set, state, outer, execution)
    // An intersection that starts with a relation keeps the order of the links.
    if !isAscending, !isLinkOrdered { execution.sortUnique(&rows, from: first, set, state) }
    return true
  }

  /// Appends what is found and the filter keeps, window by window, until `needed` rows are there.
  private func appendWindows(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ needed: Int, _ first: Int, _ execution: Execution,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let start = rows.count
    let slots = execution.look { $0.slotCount(type) }
    var size = first
    var low = 0
    while low < slots, rows.count - start < needed {
      try execution.checkpoint()
      let high = min(low + size, slots)
      let found = rows.count
      try gather(in: low..<high, outer, execution, into: &rows)
      execution.note(set, accessRows: rows.count - found)
      try set.filter?.keep(&rows, from: found, set, state, outer, execution)
      low = high
      size = min(size * 2, slots)
    }
  }

  /// Appends the rows for one element that the filter keeps, in canonical or link order, part by part. The body, which
  /// gets the place where the part begins and whether it is the last one, may leave some out.
  func appendParts(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer,
    _ body: (inout RowBuffer, Int, _ isLast: Bool) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) {
    let first = rows.count
    let isAscending = try gather(set, state, outer, execution, into: &rows)
    execution.note(set, accessRows: rows.count - first)
    try set.filter?.keep(&rows, from: first, set, state, outer, execution)
    if !isAscending, !isLinkOrdered { execution.sortUnique(&rows, from: first, set, state) }
    try body(&rows, first, true)
  }

  // MARK: - Counts

  /// Counts the rows of each element without finding them; returns false where it cannot.
  func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool { false }

  /// Finds the rows under the key of each element; valid until the next call. Precondition: it is keyed.
  func keyRuns(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> UnsafeMutablePointer<KeyRun> {
    preconditionFailure("only a keyed operator has runs")
  }

  /// Finds all links of one element, of which the members are some; those of several relations lie in `memory`.
  func links(
    _ outer: ScopeRows, _ execution: Execution, _ memory: inout RowBuffer
  ) throws(RuntimeProblem) -> UnsafeBufferPointer<UInt32> { UnsafeBufferPointer(start: nil, count: 0) }

  /// Estimates the rows for the parameters that are bound, as the planner does, without an allocation.
  func estimate(_ execution: Execution) -> Double { 0 }
}

/// How many of the rows that a filter keeps are wanted, and how.
struct KeptRows {
  var needed = Int.max
  /// Indicates whether rows are only counted, so that unordered ones may stop early, too.
  var inAnyOrder = false
  /// Indicates whether a search that looks at too many rows may end with nothing, rather than by the plan's retreat.
  var mayAbandon = false
}

/// The memory of an operator in one execution.
class OperatorState {}

/// The stored side of a relation.
struct RelationAccess {
  var id = RelationID(0)
  /// Which links are followed; those to deleted entities are not in the column.
  var status = LinkStatus.live
  var reader = 0
  var isToMany = false
  var target = EntityTypeID(0)
}

/// An entity reference by the reader slots of its to-one columns.
struct CompiledReference {
  var depth = 0
  var path: [Int] = []
}

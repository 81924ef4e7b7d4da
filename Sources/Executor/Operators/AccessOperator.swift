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
  /// Indicates whether the rows of each element are those under one key, ascending: see ``keyRuns(_:_:_:_:)``.
  var isKeyed: Bool { false }
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

  /// Appends the lists of all elements of a batch, for a set without cursors.
  func appendLists(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    if set.isKeyed { return try appendKeyed(set, state, scopes, execution, into: &result) }
    try execution.appendEach(set, state, scopes, into: &result)
  }

  /// Counts the rows of each element without finding them; returns false where it cannot.
  func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool { false }

  /// Finds whether the filter keeps any row of each element, 1 or 0; returns false where it does so no faster than by
  /// the rows of one element after the other. The set has a filter and neither cursors nor `distinctOn`.
  func exists(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) -> Bool {
    guard set.isKeyed, set.bounds == nil else { return false }
    try findAnyKeyed(set, state, scopes, execution, into: results)
    return true
  }

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

import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// A ``BoundSet`` with its plan, made ready to run: the operators that the plan names, over each other. Immutable.
final class CompiledSet: @unchecked Sendable {
  let id: Int
  let type: EntityTypeID
  /// The operator that finds its rows.
  let access: AccessOperator
  let filter: Filter?
  let order: CompiledOrder?
  let distinct: DistinctOn?
  let slice: Slice?
  /// The operator that makes the list of one element of the rows that access path and filter leave.
  let members: OrderOperator
  /// The operator that makes the lists of a batch of elements.
  let lists: ListOperator
  let counter: CountOperator
  private let tester: ExistenceOperator
  /// Indicates whether the pages of its table are grouped where they lie.
  let groupsPages: Bool
  /// How many scopes beyond the element itself the filter, the order terms and `distinctOn` see.
  let outerScopes: Int
  let range: SourceRange
  /// Indicates whether only members after or before a cursor belong.
  let isPaged: Bool
  let pagingFingerprint: UInt64
  /// Indicates whether it depends on what encloses it.
  let isCorrelated: Bool
  /// Indicates whether each element has one key, and the rows under it are found at once.
  let isKeyed: Bool
  /// Indicates whether elements with equal keys have equal lists.
  let dependsOnKeyOnly: Bool
  /// What is wrong where an element has more than one member: of a set that a key finds the one member of.
  private let secondMember: RuntimeProblem?
  /// How many scopes of what encloses it are used.
  let usedScopes: Int
  /// Those keys of the access path that may fail.
  private let failingKeys: ScalarSources?
  /// The set by a scan, for an element for which a key fails.
  private let whenKeysFail: CompiledSet?
  /// Holds the same set by another plan, which takes over from a scan or a walk that has looked at too many rows.
  let retreat: CompiledSet?
  /// How many rows are looked at before; `Int.max` without a retreat.
  let rowsBeforeRetreat: Int

  convenience init(_ id: Int, _ compiler: inout PlanCompiler) {
    self.init(id, compiler.plan.sets[id], &compiler)
  }

  private init(_ id: Int, _ plan: SetPlan, _ compiler: inout PlanCompiler) {
    let bound = compiler.plan.query.sets[id]
    self.id = id
    type = bound.type
    access = compiler.access(plan.access, of: bound, number: id)
    filter = plan.filter.map { Filter(compiler.program([$0]), canFail: compiler.plan.query.canFail($0)) }
    order = bound.order.isEmpty ? nil : CompiledOrder(bound.order, type: bound.type, &compiler)
    distinct = bound.distinctOn.isEmpty ? nil : DistinctOn(bound.distinctOn, type: bound.type, &compiler)
    slice = Slice(bound, compiler)
    members = compiler.members(plan, bound, access)
    lists = compiler.lists(plan.operators.lists)
    counter = compiler.counter(plan.operators.count)
    tester = compiler.tester(plan.operators.exists)
    groupsPages = plan.operators.groups == .pages
    isPaged = bound.isPaged
    pagingFingerprint = bound.paging?.fingerprint ?? 0
    range = bound.range
    usedScopes = compiler.scopesUsed(byAround: id)
    isCorrelated = usedScopes > 0
    if let scan = plan.whenKeysFail {
      failingKeys = ScalarSources(plan.access.keyExpressions.filter { compiler.plan.query.canFail($0) }, compiler)
      whenKeysFail = CompiledSet(id, scan.plan, &compiler)
    } else {
      failingKeys = nil
      whenKeysFail = nil
    }
    retreat = plan.retreat.map { CompiledSet(id, $0.plan, &compiler) }
    rowsBeforeRetreat = plan.retreat?.rows ?? Int.max
    secondMember = bound.isOneByKey ? RuntimeProblem(.ambiguousLink(bound.type), at: bound.range) : nil
    var outer = 0
    if let filter = plan.filter { outer = max(outer, compiler.scopes(filter) - 1) }
    for term in bound.order { outer = max(outer, compiler.scopes(term.expression) - 1) }
    for expression in bound.distinctOn { outer = max(outer, compiler.scopes(expression) - 1) }
    outerScopes = max(outer, 0)
    isKeyed = plan.operators.lists == .keyed
    dependsOnKeyOnly = isKeyed && outer <= 0 && slice?.isCommon ?? true
  }

  // MARK: - Properties

  /// Indicates whether its members are the rows of its access path, or a slice of them.
  var isPlain: Bool { filter == nil && distinct == nil && !isPaged }
  /// Indicates whether its lists are just what its access path finds.
  var isWhole: Bool { isPlain && order == nil && slice == nil }

  /// Returns the slice of the list of one element.
  @inline(__always)
  func slice(
    _ vectors: UnsafePointer<Vector>?, _ element: Int, of outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> SliceRange {
    guard let slice else { return SliceRange() }
    return try slice.range(vectors, element, of: outer, execution)
  }

  /// Returns the slice of the list of the only element of a batch.
  func slice(of outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> SliceRange {
    guard let slice else { return SliceRange() }
    return try Unmanaged.passUnretained(slice).borrow { (slice) throws(RuntimeProblem) in
      try slice.range(try slice.sources.vectors(outer, execution), 0, of: outer, execution)
    }
  }

  /// Returns the slice of every element's list, if it is the same for all; nil also if there are none.
  func commonSlice(_ count: Int, _ execution: Execution) throws(RuntimeProblem) -> SliceRange? {
    guard count > 0, slice?.isCommon ?? true else { return nil }
    return try slice(nil, 0, of: .root, execution)
  }

  // MARK: - Uses

  /// Appends the members for each element of a batch of at most 1,024: rows, and one end offset per element.
  func append(
    _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    try byKeys(scopes, execution) { (set, scopes, _) throws(RuntimeProblem) in
      try set.appendFound(scopes, execution, into: &result)
    }
  }

  /// Finds the members for each element of a batch, in place of what the expansion has.
  func expand(
    _ scopes: ScopeRows, _ execution: Execution, into expansion: inout Expansion
  ) throws(RuntimeProblem) {
    expansion.removeAll()
    expansion.offsets.append(0)
    try append(scopes, execution, into: &expansion)
  }

  /// Appends the members where the keys of the access path are known not to fail.
  func appendFound(
    _ scopes: ScopeRows, _ execution: Execution, into result: inout Expansion
  ) throws(RuntimeProblem) {
    let started = execution.measuredTime
    let before = result.rows.count
    try Unmanaged.passUnretained(execution.sets[id]).borrow { (state) throws(RuntimeProblem) in
      try lists.append(self, state, scopes, execution, into: &result)
    }
    try execution.checkOffsets(result.rows.count)
    if let secondMember {
      for list in result.offsets.count - scopes.count..<result.offsets.count
      where result.offsets[list] - result.offsets[list - 1] > 1 { throw secondMember }
    }
    if filter == nil { try execution.visit(result.rows.count - before) }
    try execution.checkMemory(result.rows.count &* 4)
    execution.note(self, .lists, loops: scopes.count, rows: result.rows.count - before, since: started)
  }

  /// Throws if an element of which there is one at most has more of the counted members.
  func refuseSecond(_ counts: UnsafePointer<Int64>, _ elements: Int) throws(RuntimeProblem) {
    guard let secondMember else { return }
    for element in 0..<elements where counts[element] > 1 { throw secondMember }
  }

  /// Counts the members of each element.
  func count(
    _ scopes: ScopeRows, _ execution: Execution, into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) {
    try byKeys(scopes, execution) { (set, scopes, first) throws(RuntimeProblem) in
      try set.counter.count(set, execution.sets[set.id], scopes, execution, into: counts + first)
    }
  }

  /// Finds whether each element has members: 1 or 0. That the condition fails for a member is an error only where the
  /// others are too few.
  func exists(
    _ scopes: ScopeRows, _ execution: Execution, into results: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    try byKeys(scopes, execution) { (set, scopes, first) throws(RuntimeProblem) in
      do throws(RuntimeProblem) {
        try set.tester.exists(set, execution.sets[set.id], scopes, execution, into: results + first)
      } catch {
        guard error.kind.isOfOneRow, let filter = set.filter, filter.canFail, set.distinct == nil, !set.isPaged else {
          throw error
        }
        try set.existsDespiteFailures(filter, scopes, execution, into: results + first)
      }
    }
  }

  /// Puts the rows from `first` on, element by element, into list order, and keeps `distinctOn`'s and the slice.
  func arrange(
    _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int, firstOffset: Int,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    if let order {
      let started = execution.measuredTime
      let count = result.rows.count - first
      defer { execution.note(self, ordered: count, since: started) }
      let isCut = try order.sort(self, state, scopes, &result, from: first, firstOffset: firstOffset, execution)
      if isCut { return }
    }
    try cut(state, scopes, &result, from: first, firstOffset: firstOffset, execution)
  }

  /// Keeps `distinctOn`'s and the slice of the rows from `first` on, which stand in list order.
  func cut(
    _ state: SetState, _ scopes: ScopeRows, _ result: inout Expansion, from first: Int, firstOffset: Int,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    try distinct?.keepFirst(self, state, scopes, &result, from: first, firstOffset: firstOffset, execution)
    try slice?.cut(scopes, &result, from: first, firstOffset: firstOffset, execution)
  }

  // MARK: - Keys that fail

  /// Does something for all elements of a batch, or where a key of the access path fails for one of them, for each by
  /// itself: by the scan for those whose key fails. `work` gets the number of its first element, too.
  @inline(__always)
  func byKeys(
    _ scopes: ScopeRows, _ execution: Execution,
    _ work: (CompiledSet, ScopeRows, Int) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) {
    guard let scan = whenKeysFail, keysFail(scopes, execution) else { return try work(self, scopes, 0) }
    guard isCorrelated, scopes.count > 1 else { return try work(scan, scopes, 0) }
    for element in 0..<scopes.count {
      let one = scopes.element(element)
      try work(keysFail(one, execution) ? scan : self, one, element)
    }
  }

  /// Returns whether a key of the access path fails for one of the elements.
  func keysFail(_ scopes: ScopeRows, _ execution: Execution) -> Bool {
    guard let keys = failingKeys else { return false }
    do {
      _ = try keys.vectors(scopes, execution)
      return false
    } catch {
      // A run that has to end does so at the scan's first look.
      return true
    }
  }
}

import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// Row ids of each enclosing scope for a batch of at most ``batchRows`` elements.
///
/// `rows(0)` is `.`, `rows(1)` is `^`, …; every array has `count` entries; a missing entity is `PageLayout.noRow`.
/// At the root of an operation there is no scope and `count` is 1.
package struct ScopeRows {
  package static let batchRows = 1024
  package var count: Int
  package var scopes: ContiguousArray<UnsafePointer<UInt32>>

  package init(count: Int, scopes: ContiguousArray<UnsafePointer<UInt32>>) {
    self.count = count
    self.scopes = scopes
  }
  package static var root: ScopeRows { ScopeRows(count: 1, scopes: []) }
}

/// One run of an ``Executable``: its snapshot, parameters, limits, and the memory of its operators. Used by one thread at
/// a time; reused by later runs of the same executable.
package final class Execution {
  package let catalog: Catalog
  /// Alive, without a count: executions are made by an executable, which keeps those that rest, and are run only by its
  /// methods, or by a ``ValueProgram`` or a `ReadyRun`, which own it.
  let executable: Unmanaged<Executable>
  /// The run's hold on its snapshot: from ``begin(_:_:)`` to ``end()``, so that between runs no version of the data is
  /// kept.
  @exclusivity(unchecked) private var data: SnapshotHold
  /// One reader per slot of the executable.
  let readers: UnsafeMutablePointer<ColumnReader>
  /// Another number in every run: what a state derived from parameters or the snapshot is stale under another number.
  @exclusivity(unchecked) package internal(set) var run: UInt64 = 0
  private let parameters: ParameterMemory
  /// Freed at the end of the run; who needs much in a loop releases to a mark.
  package let scratch = ScratchArena()
  /// The working memory of each set's operators.
  let sets: ContiguousArray<SetState>
  /// The elements that each list call goes through, by its number.
  let items: UnsafeMutablePointer<ListItems>
  @exclusivity(unchecked) private var states: OperatorStates
  @exclusivity(unchecked) var actuals: [SetActuals]?
  @exclusivity(unchecked) var limits = RunLimits.none
  @exclusivity(unchecked) var cancellation: Cancellation?
  @exclusivity(unchecked) var usage = RunUsage()
  @exclusivity(unchecked) var input = RunInput()
  /// The slowest functions take about 130 ns a byte: some milliseconds.
  private static let chargedBytes = 1 << 15
  /// An execution that needed more than this is not kept for later runs.
  private static let keptBytes = 1 << 22
  /// Bytes from which on a run looks at the memory of the process.
  private static let unwatchedBytes = 1 << 26
  private static let freeRegisterBytes = 1 << 20
  private static let keptRegisterBytes = 1 << 26

  init(_ executable: Executable, _ snapshot: Snapshot) {
    catalog = executable.catalog
    self.executable = Unmanaged.passUnretained(executable)
    data = SnapshotHold(snapshot)
    sets = ContiguousArray(executable.sets.map { _ in SetState() })
    readers = .allocate(capacity: max(executable.readers.count, 1))
    parameters = ParameterMemory(executable.plan.query.parameters.count)
    items = .allocate(capacity: max(executable.plan.query.itemCount, 1))
    states = OperatorStates(executable.stateCount)
  }

  deinit {
    readers.deallocate()
    items.deallocate()
  }

  /// The run's version of the data. Between ``begin(_:_:)`` and ``end()`` only.
  package var snapshot: Snapshot {
    @inline(__always) get {
      assert(data.owned != nil, "an execution's snapshot lives as long as its run")
      return data.current.takeUnretainedValue()
    }
  }

  /// Asks the run's version of the data without counting that it is used.
  @inline(__always)
  func look<Output>(_ body: (Snapshot) -> Output) -> Output {
    assert(data.owned != nil, "an execution's snapshot lives as long as its run")
    return data.current.borrow(body)
  }

  /// By number of the index; see ``Snapshot/hashIndexes``.
  var hashIndexes: UnsafePointer<HashIndexReader?> { @inline(__always) get { data.hashIndexes } }

  /// The parameters in the form of a column of their type; texts and lists live as long as the run.
  package var parameterCells: UnsafePointer<Cell> { @inline(__always) get { UnsafePointer(parameters.cells) } }
  package var parameterValid: UnsafePointer<Bool> { @inline(__always) get { UnsafePointer(parameters.valid) } }

  /// The members of sets whose source is `.given`.
  var given: UnsafeBufferPointer<UInt32> {
    get { input.given }
    set { input.given = newValue }
  }

  /// The code of host nodes; nil where a plan has none.
  var host: (any HostCode)? {
    get { input.host }
    set { input.host = newValue }
  }

  /// The levels of the answer that are expanded and not written yet.
  var expanded: ExpandedLevels {
    @inline(__always) get { usage.expanded }
    @inline(__always) _modify { yield &usage.expanded }
  }

  /// Starts a run, or a part of one: ``end()`` ends it. The snapshot is the execution's from here on.
  @inline(__always)
  func begin(_ snapshot: consuming Snapshot, _ executable: Executable) {
    data.current = Unmanaged.passUnretained(snapshot)
    data.owned = consume snapshot
    begin(executable)
  }

  private func begin(_ executable: Executable) {
    run &+= 1
    usage.expanded = ExpandedLevels()
    usage.visitedRows = 0
    if look({ $0.identity }) == data.identity { return }
    let snapshot = snapshot
    data.identity = snapshot.identity
    data.hashIndexes = snapshot.hashIndexes
    let addresses = executable.readers
    for index in 0..<addresses.count {
      (readers + index).initialize(to: snapshot.column(addresses[index].type, addresses[index].column))
    }
  }

  /// Lets go of what belongs to one run only, the snapshot included.
  package func end() {
    data.owned = nil
    if cancellation != nil { cancellation = nil }
    if input.host != nil { input.host = nil }
    if usage.isStopped {
      usage.isStopped = false
      usage.stop = nil
    }
    states.end()
    scratch.removeAll()
  }

  /// Takes the parameters in; those that were not provided are null.
  func bind(_ values: [Value?], _ executable: Executable) {
    for index in 0..<executable.plan.query.parameters.count {
      if index < values.count, let value = values[index],
        let cell = ParameterCells.cell(value, executable.parameterKinds[index], scratch)
      {
        setParameter(index, cell)
      } else {
        setParameter(index, nil)
      }
    }
  }

  /// Whether it may rest until another run; one that needed much memory may not.
  package var isWorthKeeping: Bool { !usage.isLarge }

  /// Replaces the value of a parameter; nil is null. Before anything is evaluated in a run.
  package func setParameter(_ index: Int, _ cell: Cell?) { parameters.set(index, cell) }

  /// Throws if the run is cancelled or its time is up. Call it once a batch.
  @inline(never)
  package func checkpoint() throws(RuntimeProblem) {
    try checkStop()
    if let cancellation, cancellation.isCancelled { throw RuntimeProblem(.cancelled, at: SourceRange(at: 0)) }
    if limits.maximumMemory != Int.max { try checkMemory(0) }
    if limits.deadline != .max, MonotonicClock.now > limits.deadline {
      throw RuntimeProblem(.timeout(milliseconds: limits.milliseconds), at: SourceRange(at: 0))
    }
  }

  /// Counts work within a batch: bytes of texts, or what takes about as long. A batch of long texts would else be gone
  /// through between two looks at the clock.
  @inline(__always)
  func charge(_ bytes: Int) throws(RuntimeProblem) {
    usage.charged &+= bytes
    if usage.charged >= Execution.chargedBytes {
      usage.charged = 0
      try checkpoint()
    }
  }

  /// The same for work that cannot throw, and holds so many bytes meanwhile: false once the run is to end. Then what the
  /// work gives has no meaning, and whoever started it throws by ``checkStop()``.
  @inline(__always)
  func shouldContinue(_ bytes: Int, holding held: @autoclosure () -> Int = 0) -> Bool {
    usage.charged &+= bytes
    return usage.charged < Execution.chargedBytes ? !usage.isStopped : look(held())
  }

  @inline(never)
  private func look(_ held: Int) -> Bool {
    usage.charged = 0
    if usage.isStopped { return false }
    do throws(RuntimeProblem) {
      try checkpoint()
      if held > 0 { try checkComputed(held) }
    } catch {
      usage.stop = error
      usage.isStopped = true
    }
    return !usage.isStopped
  }

  /// Throws why work that cannot throw was to end.
  @inline(__always)
  func checkStop() throws(RuntimeProblem) {
    if usage.isStopped, let stop = usage.stop { throw stop }
  }

  /// Counts rows that a condition is evaluated for, or that an access path gives without one.
  @inline(__always)
  func visit(_ rows: Int) throws(RuntimeProblem) {
    usage.visitedRows &+= rows
    try checkVisits(0)
  }

  /// Throws if so many rows more are too many.
  @inline(__always)
  func checkVisits(_ rows: Int) throws(RuntimeProblem) {
    if usage.visitedRows &+ rows > limits.maximumVisitedRows {
      throw RuntimeProblem(
        .limitExceeded(name: "visited-rows", limit: limits.maximumVisitedRows), at: SourceRange(at: 0))
    }
  }

  /// Whether something may stop the run before its end, so that steps of unknown length look for it.
  var mayStop: Bool { cancellation != nil || limits.deadline != .max }

  /// The same for work that knows no execution; nil if nothing may.
  var interruption: Interruption? {
    mayStop
      ? Interruption(deadline: limits.deadline, milliseconds: limits.milliseconds, cancellation: cancellation) : nil
  }

  /// Counts the memory of programs, which lives as long as the execution.
  func holdRegisters(_ bytes: Int) throws(RuntimeProblem) {
    usage.registerBytes += bytes
    if usage.registerBytes > Execution.keptRegisterBytes { usage.isLarge = true }
    try checkMemory(0)
  }

  /// Counts what is kept of an expansion's memory for the next batch: there is one for each set of an expression.
  func hold(_ expansion: borrowing Expansion, _ held: inout Int) throws(RuntimeProblem) {
    let bytes = min(expansion.byteCount, Expansion.keptBytes)
    if bytes > held {
      let grown = bytes &- held
      held = bytes
      try holdRegisters(grown)
    }
  }

  /// Throws if so many bytes of rows, with the levels of the answer and what was computed, are more than the run may
  /// hold.
  @inline(never)
  func checkMemory(_ bytes: Int) throws(RuntimeProblem) {
    if bytes > Execution.keptBytes { usage.isLarge = true }
    let held = scratch.usedBytes + max(0, usage.registerBytes - Execution.freeRegisterBytes) + usage.expanded.bytes
    if bytes > limits.maximumMemory - held {
      throw RuntimeProblem(.memory(limit: limits.maximumMemory), at: SourceRange(at: 0))
    }
    // What is less does no harm, and needs no look at the process.
    if bytes + held > Execution.unwatchedBytes { try checkCeiling(bytes + held) }
  }

  /// Throws if the process has no room for an answer that grows, and for so many bytes beside what it holds.
  func checkCeiling(holding bytes: Int) throws(RuntimeProblem) {
    if bytes > Execution.unwatchedBytes { try checkCeiling(bytes) }
  }

  @inline(never)
  private func checkCeiling(_ bytes: Int) throws(RuntimeProblem) {
    // Rows that grow are copied into twice the room.
    if MemoryCeiling.isReached(taking: bytes &* 2) {
      throw RuntimeProblem(.memory(limit: MemoryCeiling.bytes), at: SourceRange(at: 0))
    }
  }

  /// The working memory of a program in this execution; made at the first call.
  package func state(for program: ExpressionProgram) -> ExpressionState { states.programs.state(for: program) }

  /// Returns the memory of an operator, made at the first call. Precondition: a slot has one type of state.
  @inline(__always)
  func state<State: OperatorState>(_ slot: Int, _ make: () -> State) -> State {
    if let known = states.operators[slot] { return unsafeDowncast(known, to: State.self) }
    let made = make()
    states.operators[slot] = made
    return made
  }

  /// Returns the memory of an operator, if there is some.
  @inline(__always)
  func known<State: OperatorState>(_ slot: Int) -> State? {
    states.operators[slot].map { unsafeDowncast($0, to: State.self) }
  }

  /// Returns the groups of a grouped selection.
  func groups(of selection: Int) -> GroupState? {
    executable._withUnsafeGuaranteedRef { $0.selections[selection].grouping }?.state(self)
  }

  /// Memory for comparing JSON.
  var jsonComparison: JSONComparison { states.json }

  /// Full-text queries of operators and expressions.
  var textSearches: [FullTextSearchState] { states.textSearches }
  func makeSearch(_ language: String) -> FullTextSearchState {
    let made = FullTextSearchState(language: language)
    states.textSearches.append(made)
    return made
  }

  /// Returns the links to and of deleted entities, found once a run; nil where there are none.
  func remembered(_ id: RelationID) -> RestorableLinks? {
    for known in states.remembered where known.relation == id { return known.links }
    let links = snapshot.restorableLinks(id)
    states.remembered.append((id, links))
    return links
  }

  /// The members of a set for each element of a batch (the scopes are those that the set's `limit` sees), behind its
  /// predicate, order, `distinctOn`, offset and limit, in list order.
  package func expand(
    _ set: SetID, _ scopes: ScopeRows, into expansion: inout Expansion
  ) throws(RuntimeProblem) {
    try compiledSet(set.index).expand(scopes, self, into: &expansion)
  }

  /// The members of `PhysicalPlan.rowSets[index]`, a bit per row, least significant first; computed when first asked for.
  package func rowSetBits(_ index: Int) throws(RuntimeProblem) -> UnsafePointer<UInt64> {
    index < 0 ? input.inserted.pointer : try builtRowSet(index).bits.pointer
  }

  @inline(__always)
  func compiledSet(_ index: Int) -> CompiledSet {
    executable._withUnsafeGuaranteedRef { $0.sets[index] }
  }
}

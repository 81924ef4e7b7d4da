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

/// One run of an ``Executable``: its snapshot, parameters, working memory. Used by one thread at a time; reused by
/// later runs of the same executable.
package final class Execution {
  package let catalog: Catalog
  /// The run's hold on its snapshot: from ``begin(_:_:outputStart:)`` to ``end()``, so that between runs no version of
  /// the data is kept.
  @exclusivity(unchecked) private var owned: Snapshot?
  /// The same without a count, as every batch reads it. Set together with `owned` and nowhere else, so what it points to
  /// lives whenever something runs; it points to nothing between runs.
  @exclusivity(unchecked) private unowned(unsafe) var current: Snapshot
  /// The snapshot that `readers` and `hashIndexes` are of. No later one has the same number, so that they are never read
  /// for another, nor behind their own one's end.
  @exclusivity(unchecked) private var identity: UInt64 = 0
  /// By number of the index; see ``Snapshot/hashIndexes``.
  @exclusivity(unchecked) private(set) var hashIndexes: UnsafePointer<HashIndexReader?>
  /// Another number in every run: what a state derived from parameters or the snapshot is stale under another number.
  @exclusivity(unchecked) package internal(set) var run: UInt64 = 0
  /// The parameters in the form of a column of their type; texts and lists live as long as the run.
  package let parameterCells: UnsafePointer<Cell>
  package let parameterValid: UnsafePointer<Bool>
  /// Freed at the end of the run; who needs much in a loop releases to a mark.
  package let scratch = ScratchArena()

  /// Alive, without a count: executions are made by an executable, which keeps those that rest, and are run only by its
  /// methods, or by a ``ValueProgram`` or a `ReadyRun`, which own it.
  let executable: Unmanaged<Executable>
  let sets: ContiguousArray<SetState>
  let levels: ContiguousArray<LevelState>
  /// One reader per slot of the executable.
  let readers: UnsafeMutablePointer<ColumnReader>
  private let cells: UnsafeMutablePointer<Cell>
  private let valid: UnsafeMutablePointer<Bool>
  /// Conditions of fields, by slot: whether the field is written.
  let conditions: UnsafeMutablePointer<Bool>
  /// By selection; nil for those that are not grouped.
  let groups: ContiguousArray<GroupState?>
  /// The elements that each list call goes through, by its number.
  let items: UnsafeMutablePointer<ListItems>
  @exclusivity(unchecked) var actuals: [SetActuals]?
  @exclusivity(unchecked) var limits = RunLimits.none
  @exclusivity(unchecked) var cancellation: Cancellation?
  /// Entities, groups and objects of introspection in the answer so far.
  @exclusivity(unchecked) private(set) var nodes = 0
  @exclusivity(unchecked) private var visitedRows = 0
  /// What was counted since the clock was last looked at, see ``charge(_:)``.
  @exclusivity(unchecked) private var charged = 0
  @exclusivity(unchecked) private var isStopped = false
  @exclusivity(unchecked) private var stop: RuntimeProblem?
  /// Memory for comparing JSON.
  lazy var jsonComparison = JSONComparison()
  /// The slowest functions take about 130 ns a byte: some milliseconds.
  private static let chargedBytes = 1 << 15
  /// An execution that needed more than this is not kept for later runs.
  private static let keptBytes = 1 << 22
  /// Bytes from which on a run looks at the memory of the process.
  private static let unwatchedBytes = 1 << 26
  /// Bytes of the answer between two looks at its limits.
  static let outputInterval = 1 << 23
  /// The length of the output at which its limits are looked at next.
  @exclusivity(unchecked) var lookAtOutput = Execution.outputInterval
  /// The levels of the answer that are expanded and not written yet.
  @exclusivity(unchecked) var expanded = ExpandedLevels()
  @exclusivity(unchecked) var isLarge = false
  /// Memory of the registers of all programs. What usual queries need is not counted.
  @exclusivity(unchecked) private var registerBytes = 0
  private static let freeRegisterBytes = 1 << 20
  private static let keptRegisterBytes = 1 << 26
  /// What keeps loads that only warm the cache.
  @exclusivity(unchecked) var warmed: UInt64 = 0
  /// Where the answer begins in the output.
  @exclusivity(unchecked) var outputStart = 0
  /// The members of sets whose source is `.given`.
  @exclusivity(unchecked) var given = UnsafeBufferPointer<UInt32>(start: nil, count: 0)
  /// What `_inserted` is true for, a bit a row.
  @exclusivity(unchecked) var inserted = BitMemory()
  @exclusivity(unchecked) private var states = StateTable()
  /// The links that sleep, of relations that were asked for them; nil where there are none.
  @exclusivity(unchecked) var remembered: [(relation: RelationID, links: RememberedLinks?)] = []
  /// By slot; nil until needed.
  @exclusivity(unchecked) private var operatorStates: ContiguousArray<OperatorState?>
  /// Full-text queries of operators.
  @exclusivity(unchecked) var textSearches: [FullTextSearchState] = []

  init(_ executable: Executable, _ snapshot: Snapshot) {
    catalog = executable.catalog
    self.executable = Unmanaged.passUnretained(executable)
    current = snapshot
    hashIndexes = snapshot.hashIndexes
    sets = ContiguousArray(executable.sets.map { _ in SetState() })
    levels = ContiguousArray(executable.selections.map { _ in LevelState() })
    groups = ContiguousArray(executable.selections.map { $0.grouping.map { GroupState($0) } })
    readers = .allocate(capacity: max(executable.readers.count, 1))
    let parameters = max(executable.plan.query.parameters.count, 1)
    cells = .allocate(capacity: parameters)
    cells.initialize(repeating: Cell(low: 0), count: parameters)
    valid = .allocate(capacity: parameters)
    valid.initialize(repeating: false, count: parameters)
    conditions = .allocate(capacity: executable.conditionCount + 1)
    conditions.initialize(repeating: true, count: executable.conditionCount + 1)
    items = .allocate(capacity: max(executable.plan.query.itemCount, 1))
    operatorStates = ContiguousArray(repeating: nil, count: executable.stateCount)
    parameterCells = UnsafePointer(cells)
    parameterValid = UnsafePointer(valid)
  }

  deinit {
    readers.deallocate()
    cells.deallocate()
    valid.deallocate()
    conditions.deallocate()
    items.deallocate()
  }

  /// The run's version of the data. Between ``begin(_:_:outputStart:)`` and ``end()`` only.
  package var snapshot: Snapshot {
    @inline(__always) get {
      assert(owned != nil, "an execution's snapshot lives as long as its run")
      return current
    }
  }

  /// Starts a run, or a part of one: ``end()`` ends it. The snapshot is the execution's from here on.
  @inline(__always)
  func begin(_ snapshot: consuming Snapshot, _ executable: Executable, outputStart: Int) {
    current = snapshot
    owned = consume snapshot
    begin(executable, outputStart: outputStart)
  }

  private func begin(_ executable: Executable, outputStart: Int) {
    let snapshot = current
    self.outputStart = outputStart
    run &+= 1
    expanded = ExpandedLevels()
    lookAtOutput = outputStart &+ Execution.outputInterval
    nodes = 0
    visitedRows = 0
    if identity == snapshot.identity { return }
    identity = snapshot.identity
    hashIndexes = snapshot.hashIndexes
    let addresses = executable.readers
    for index in 0..<addresses.count {
      (readers + index).initialize(to: snapshot.column(addresses[index].type, addresses[index].column))
    }
  }

  /// Lets go of what belongs to one run only, the snapshot included.
  package func end() {
    owned = nil
    if cancellation != nil { cancellation = nil }
    if isStopped {
      isStopped = false
      stop = nil
    }
    if !remembered.isEmpty { remembered.removeAll() }
    for state in textSearches { state.search = nil }
    scratch.removeAll()
  }

  /// Takes the parameters in; those that were not provided are null.
  func bind(_ parameters: [Value?], _ executable: Executable) {
    let count = executable.plan.query.parameters.count
    guard count > 0 else { return }
    for index in 0..<count {
      if index < parameters.count, let value = parameters[index],
        let cell = ParameterCells.cell(value, executable.parameterKinds[index], scratch)
      {
        cells[index] = cell
        valid[index] = true
      } else {
        cells[index] = Cell(low: 0)
        valid[index] = false
      }
    }
  }

  /// Whether it may rest until another run; one that needed much memory may not.
  package var isWorthKeeping: Bool { !isLarge }

  /// Replaces the value of a parameter; nil is null. Before anything is evaluated in a run.
  package func setParameter(_ index: Int, _ cell: Cell?) {
    cells[index] = cell ?? Cell(low: 0)
    valid[index] = cell != nil
  }

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
    charged &+= bytes
    if charged >= Execution.chargedBytes {
      charged = 0
      try checkpoint()
    }
  }

  /// The same for work that cannot throw, and holds so many bytes meanwhile: false once the run is to end. Then what the
  /// work gives has no meaning, and whoever started it throws by ``checkStop()``.
  @inline(__always)
  func goesOn(_ bytes: Int, holding held: @autoclosure () -> Int = 0) -> Bool {
    charged &+= bytes
    return charged < Execution.chargedBytes ? !isStopped : look(held())
  }

  @inline(never)
  private func look(_ held: Int) -> Bool {
    charged = 0
    if isStopped { return false }
    do throws(RuntimeProblem) {
      try checkpoint()
      if held > 0 { try checkComputed(held) }
    } catch {
      stop = error
      isStopped = true
    }
    return !isStopped
  }

  /// Throws why work that cannot throw was to end.
  @inline(__always)
  func checkStop() throws(RuntimeProblem) {
    if isStopped, let stop { throw stop }
  }

  /// Counts rows that a condition is evaluated for, or that an access path gives without one.
  @inline(__always)
  func visit(_ rows: Int) throws(RuntimeProblem) {
    visitedRows &+= rows
    try checkVisits(0)
  }

  /// Throws if so many rows more are too many.
  @inline(__always)
  func checkVisits(_ rows: Int) throws(RuntimeProblem) {
    if visitedRows &+ rows > limits.maximumVisitedRows {
      throw RuntimeProblem(
        .limitExceeded(name: "visited-rows", limit: limits.maximumVisitedRows), at: SourceRange(at: 0))
    }
  }

  /// Counts nodes of the answer.
  @inline(__always)
  func countNodes(_ number: Int) throws(RuntimeProblem) {
    try checkNodes(number, at: SourceRange(at: 0))
    nodes &+= number
  }

  /// Throws if so many nodes more, which are yet to be counted, are more than the answer may have.
  @inline(__always)
  func checkNodes(_ number: Int, at range: SourceRange) throws(RuntimeProblem) {
    if number > limits.maximumNodes &- nodes {
      throw RuntimeProblem(.limitExceeded(name: "answer-nodes", limit: limits.maximumNodes), at: range)
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
    registerBytes += bytes
    if registerBytes > Execution.keptRegisterBytes { isLarge = true }
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
    if bytes > Execution.keptBytes { isLarge = true }
    let held = scratch.usedBytes + max(0, registerBytes - Execution.freeRegisterBytes) + expanded.bytes
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
  package func state(for program: ExpressionProgram) -> ExpressionState {
    states.state(for: program)
  }

  /// Returns the memory of an operator, made at the first call. Precondition: a slot has one type of state.
  @inline(__always)
  func state<State: OperatorState>(_ slot: Int, _ make: () -> State) -> State {
    if let known = operatorStates[slot] { return unsafeDowncast(known, to: State.self) }
    let made = make()
    operatorStates[slot] = made
    return made
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
    index < 0 ? inserted.pointer : try builtRowSet(index).bits.pointer
  }

  @inline(__always)
  func compiledSet(_ index: Int) -> CompiledSet {
    executable._withUnsafeGuaranteedRef { $0.sets[index] }
  }
}

/// Finds the state of a program by its address.
private struct StateTable {
  private var keys: ContiguousArray<UInt> = ContiguousArray(repeating: 0, count: 16)
  private var states: ContiguousArray<ExpressionState?> = ContiguousArray(repeating: nil, count: 16)
  private var count = 0

  mutating func state(for program: ExpressionProgram) -> ExpressionState {
    let address = UInt(bitPattern: Unmanaged.passUnretained(program).toOpaque())
    var slot = StateTable.slot(address) & (keys.count - 1)
    while keys[slot] != 0 {
      if keys[slot] == address, let state = states[slot] { return state }
      slot = (slot + 1) & (keys.count - 1)
    }
    let state = ExpressionState(program)
    insert(address, state)
    return state
  }

  private mutating func insert(_ address: UInt, _ state: ExpressionState) {
    if count * 2 >= keys.count {
      let old = zip(keys, states).filter { $0.0 != 0 }
      keys = ContiguousArray(repeating: 0, count: keys.count * 2)
      states = ContiguousArray(repeating: nil, count: keys.count)
      for (key, state) in old { place(key, state) }
    }
    place(address, state)
    count += 1
  }

  private mutating func place(_ address: UInt, _ state: ExpressionState?) {
    var slot = StateTable.slot(address) & (keys.count - 1)
    while keys[slot] != 0 { slot = (slot + 1) & (keys.count - 1) }
    keys[slot] = address
    states[slot] = state
  }

  private static func slot(_ address: UInt) -> Int {
    Int(truncatingIfNeeded: (address >> 4) &* 0x9E37_79B9_7F4A_7C15 >> 40)
  }
}

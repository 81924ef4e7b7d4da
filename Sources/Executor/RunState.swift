import GQLBase
import GQLCatalog
import GQLStore

/// A hold on the version of the data that a run reads.
struct SnapshotHold {
  /// Nil between runs.
  var owned: Snapshot?
  /// Holds the snapshot without a count, as every batch reads it. Set together with `owned` and nowhere else, so what it points to
  /// lives whenever something runs; it points to nothing between runs.
  var current: Unmanaged<Snapshot>
  /// The snapshot that the readers of columns and `hashIndexes` are of. No later one has the same number, so that they
  /// are never read for another, nor after their own one's end.
  var identity: UInt64 = 0
  var hashIndexes: UnsafePointer<HashIndexReader?>

  init(_ snapshot: Snapshot) {
    current = Unmanaged.passUnretained(snapshot)
    hashIndexes = snapshot.hashIndexes
  }
}

/// The parameters of a run in the form of a column of their type.
struct ParameterMemory: ~Copyable {
  let cells: UnsafeMutablePointer<Cell>
  let valid: UnsafeMutablePointer<Bool>

  init(_ count: Int) {
    cells = .allocate(capacity: max(count, 1))
    cells.initialize(repeating: Cell(low: 0), count: max(count, 1))
    valid = .allocate(capacity: max(count, 1))
    valid.initialize(repeating: false, count: max(count, 1))
  }

  deinit {
    cells.deallocate()
    valid.deallocate()
  }

  /// Replaces the value of a parameter; nil is null.
  @inline(__always)
  func set(_ index: Int, _ cell: Cell?) {
    cells[index] = cell ?? Cell(low: 0)
    valid[index] = cell != nil
  }
}

/// A count of how much of its limits a run has used.
struct RunUsage {
  var visitedRows = 0
  /// Counts the work since the clock was last looked at, see ``Execution/charge(_:)``.
  var charged = 0
  /// Indicates whether work that cannot throw was to end, and why.
  var isStopped = false
  var stop: RuntimeProblem?
  /// Memory of the registers of all programs. What usual queries need is not counted.
  var registerBytes = 0
  /// Indicates whether it needed too much memory to be kept for later runs.
  var isLarge = false
  var expanded = ExpandedLevels()
  /// Collects loads that only warm the cache, so that they are not removed.
  var warmed: UInt64 = 0
}

/// The input of a run beside its parameters.
struct RunInput: ~Copyable {
  /// The members of sets whose source is `.given`.
  var given = UnsafeBufferPointer<UInt32>(start: nil, count: 0)
  /// Holds a bit for each row for which `_inserted` is true.
  var inserted = BitMemory()
  /// The code of host nodes; nil where a plan has none.
  var host: (any HostCode)?
}

/// The memory of operators and programs in one execution, kept between runs.
struct OperatorStates {
  /// By slot; nil until needed.
  var operators: ContiguousArray<OperatorState?>
  var programs = ProgramStates()
  /// Full-text queries of operators and expressions.
  var textSearches: [FullTextSearchState] = []
  /// The links to and of deleted entities, of relations that were asked for them in this run.
  var remembered: [(relation: RelationID, links: RestorableLinks?)] = []
  lazy var json = JSONComparison()

  init(_ slots: Int) { operators = ContiguousArray(repeating: nil, count: slots) }

  /// Lets go of what belongs to one run only.
  mutating func end() {
    if !remembered.isEmpty { remembered.removeAll() }
    for state in textSearches { state.search = nil }
  }
}

/// Finds the state of a program by its address.
struct ProgramStates {
  private var keys: ContiguousArray<UInt> = ContiguousArray(repeating: 0, count: 16)
  private var states: ContiguousArray<ExpressionState?> = ContiguousArray(repeating: nil, count: 16)
  private var count = 0

  mutating func state(for program: ExpressionProgram) -> ExpressionState {
    let address = UInt(bitPattern: Unmanaged.passUnretained(program).toOpaque())
    var slot = ProgramStates.slot(address) & (keys.count - 1)
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
    var slot = ProgramStates.slot(address) & (keys.count - 1)
    while keys[slot] != 0 { slot = (slot + 1) & (keys.count - 1) }
    keys[slot] = address
    states[slot] = state
  }

  private static func slot(_ address: UInt) -> Int {
    Int(truncatingIfNeeded: (address >> 4) &* 0x9E37_79B9_7F4A_7C15 >> 40)
  }
}

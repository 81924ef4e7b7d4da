import GQLBase
import GQLCatalog
import GQLStore

/// An operator that finds rows by keys, of a B-tree or of a hash index: what lookups and ranges have in common.
class IndexedOperator: AccessOperator, @unchecked Sendable {
  let index: IndexID
  let isTree: Bool
  let isUnique: Bool
  /// Reader slots of the key columns, for what an index cannot find.
  let keyReaders: [Int]
  let keyKinds: [ColumnKind]
  /// A null key finds nothing, as nothing is null.
  let keysAreNonNull: Bool
  /// Key components; in a range the equal ones, then what of lower, upper and prefix there is.
  let scalars: ScalarSources
  /// Where its state lies in an execution.
  let slot: Int

  init(_ index: IndexDescriptor, _ scalars: ScalarSources, keysAreNonNull: Bool, _ compiler: inout PlanCompiler) {
    self.index = index.id
    isTree = index.kind.facts.isOrdered
    isUnique = index.isUnique
    var readers: [Int] = []
    var kinds: [ColumnKind] = []
    var isNonNull = true
    for column in index.columns {
      let description = compiler.catalog[index.type][column]
      readers.append(compiler.reader(index.type, column))
      kinds.append(description.kind)
      if !description.isNonNull { isNonNull = false }
    }
    keyReaders = readers
    keyKinds = kinds
    self.keysAreNonNull = isNonNull || keysAreNonNull
    self.scalars = scalars
    slot = compiler.stateSlot()
    super.init(index.type)
  }

  override var findsLiveRowsOnly: Bool { true }
  override var keySlot: Int { slot }

  /// Appends the rows under a key without nulls, ascending.
  @inline(__always)
  final func find(_ key: UnsafePointer<Cell>, _ execution: Execution, into rows: inout RowBuffer) {
    if isTree {
      let bounds = BTreeBounds.equal(key, keyReaders.count)
      let reader = execution.look { $0.tree(index) }
      let count = reader.count(bounds)
      rows.reserve(count)
      rows.count += reader.walk(bounds, descending: false, skip: 0, limit: count, into: rows.end)
      return
    }
    // Of a unique index too: in a past before it, a key may have several rows.
    switch execution.look({ $0.hashIndex(index) }).rows(key) {
    case .none: break
    case .one(let row): rows.append(row)
    case .many(let run): if let start = run.baseAddress { rows.append(start, run.count) }
    }
  }

  /// Counts the rows under a key without nulls.
  final func count(_ key: UnsafePointer<Cell>, _ components: Int, _ execution: Execution) -> Int {
    if isTree { return execution.look { $0.tree(index) }.count(BTreeBounds.equal(key, components)) }
    return execution.hashIndexes[Int(index.index)]?.count(key) ?? 0
  }

  /// Returns what a body makes of the values of key and bounds, where all are known before the run; else 0: nothing is
  /// estimated of what lies within null, or is computed.
  final func estimate(_ execution: Execution, _ body: (UnsafeMutablePointer<Cell>) -> Double) -> Double {
    withUnsafeTemporaryAllocation(of: Cell.self, capacity: max(scalars.count, 1)) { memory in
      // Safe because the capacity is not zero.
      let cells = memory.baseAddress.unsafelyUnwrapped
      for index in 0..<scalars.count {
        guard let cell = scalars.cell(index, nil, 0, execution) else { return 0 }
        cells[index] = cell
      }
      return body(cells)
    }
  }

  /// Appends, by a scan, the rows whose key columns equal the key, of which the components in `nulls` are null.
  ///
  /// Null equals null in the language, and hash indexes do not hold nulls.
  final func appendWithNulls(
    _ key: UnsafePointer<Cell>, _ nulls: Int, _ execution: Execution, into rows: inout RowBuffer
  ) {
    let start = rows.count
    execution.appendLive(type, from: 0, limit: Int.max, into: &rows)
    var written = start
    for index in start..<rows.count {
      let row = rows[index]
      rows.base[written] = row
      var matches = true
      for component in 0..<keyReaders.count where matches {
        let reader = execution.readers[keyReaders[component]]
        let wantsNull = nulls >> component & 1 != 0
        if reader.isNull(row) != wantsNull {
          matches = false
        } else if !wantsNull {
          let kind = keyKinds[component]
          matches = Self.cellsEqual(reader.cell(row, kind: kind), key[component], kind)
        }
      }
      if matches { written += 1 }
    }
    rows.count = written
  }

  static func cellsEqual(_ left: Cell, _ right: Cell, _ kind: ColumnKind) -> Bool {
    switch kind {
    case .text:
      let a = TextView(left)
      let b = TextView(right)
      guard a.count == b.count else { return false }
      return a.withBytes { first, count in
        b.withBytes { second, _ in
          compareBytes(
            UnsafeRawBufferPointer(start: first, count: count), UnsafeRawBufferPointer(start: second, count: count))
            == 0
        }
      }
    case .decimal: return Decimal(packed: (left.low, left.high)) == Decimal(packed: (right.low, right.high))
    case .float64: return left.double == right.double
    default: return left.low == right.low
    }
  }

  // MARK: - Runs

  /// Finds the rows under the key of each element, whose components the scalars are.
  final override func keyRuns(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> UnsafeMutablePointer<KeyRun> {
    let keyed = keyed(execution)
    let runs = keyed.runs.room(for: KeyRun.self, count: scopes.count)
    runs.initialize(repeating: KeyRun(), count: scopes.count)
    keyed.rows.removeAll()
    let vectors = try scalars.vectors(scopes, execution)
    let components = scalars.count
    let key = execution.scratch.allocate(Cell.self, count: components)
    for element in 0..<scopes.count {
      var nulls = 0
      for component in 0..<components {
        if let cell = scalars.cell(component, vectors, element, execution) {
          key[component] = cell
        } else {
          key[component] = Cell(low: 0)
          nulls |= 1 << component
        }
      }
      if nulls == 0 {
        runs[element] = keyRun(UnsafePointer(key), keyed, execution)
      } else if !keysAreNonNull {
        if components == 1 {
          runs[element] = nullRun(keyed, execution)
        } else {
          let start = keyed.rows.count
          appendWithNulls(key, nulls, execution, into: &keyed.rows)
          runs[element] = KeyRun(start: nil, offset: start, count: keyed.rows.count - start)
        }
      }
    }
    return runs
  }

  private func keyRun(_ key: UnsafePointer<Cell>, _ keyed: KeyedState, _ execution: Execution) -> KeyRun {
    let start = keyed.rows.count
    if isTree {
      let bounds = BTreeBounds.equal(key, keyReaders.count)
      let reader = execution.look { $0.tree(index) }
      let count = reader.count(bounds)
      let copied = count > KeyedState.shortRun ? 1 : count
      keyed.rows.reserve(copied)
      keyed.rows.count += reader.walk(bounds, descending: false, skip: 0, limit: copied, into: keyed.rows.end)
      return KeyRun(start: nil, offset: start, count: count)
    }
    switch execution.look({ $0.hashIndex(index) }).rows(key) {
    case .none: return KeyRun()
    case .one(let row):
      keyed.rows.append(row)
      return KeyRun(start: nil, offset: start, count: 1)
    case .many(let run): return KeyRun(start: run.baseAddress, count: run.count)
    }
  }

  /// Finds the rows whose only key column is null, which no index holds: by one scan a run.
  private func nullRun(_ keyed: KeyedState, _ execution: Execution) -> KeyRun {
    if keyed.nullRun != execution.run {
      keyed.nullRun = execution.run
      keyed.nullRows.removeAll()
      execution.appendLive(type, from: 0, limit: Int.max, into: &keyed.nullRows)
      let reader = execution.readers[keyReaders[0]]
      var written = 0
      for index in 0..<keyed.nullRows.count {
        let row = keyed.nullRows[index]
        keyed.nullRows.base[written] = row
        if reader.isNull(row) { written += 1 }
      }
      keyed.nullRows.count = written
    }
    return KeyRun(start: UnsafePointer(keyed.nullRows.base), count: keyed.nullRows.count)
  }
}

extension BTreeBounds {
  /// All entries with these leading components.
  static func equal(_ key: UnsafePointer<Cell>, _ count: Int) -> BTreeBounds {
    BTreeBounds(equal: key, equalCount: count, includesNulls: true)
  }
}

import GQLBase
import GQLCatalog

/// Appends the case-folded form of UTF-8 bytes to a buffer.
package typealias TextFold = @Sendable (UnsafeRawBufferPointer, inout ContiguousArray<UInt8>) -> Void

/// Changes on the way to the next snapshot. For one thread; dropping it leaves no trace.
///
/// A call that throws leaves the transaction as it was before that call, but for ``endBulk()`` and
/// ``StoreProblem/stopped``.
package final class WriteTransaction {
  package let base: Snapshot
  let layout: StoreLayout
  let fold: TextFold
  @exclusivity(unchecked) var stamp: UInt64
  @exclusivity(unchecked) var tables: [Table]
  @exclusivity(unchecked) var dangling: DanglingLinks
  /// Rows whose suspended links of a relation may lead to purged ones: the relation in the high half.
  @exclusivity(unchecked) var staleSuspended: Set<UInt64> = []
  /// Indicates whether memory was left behind that only earlier versions hold.
  @exclusivity(unchecked) var isCompacted = false
  /// What becomes of the history of rows.
  @exclusivity(unchecked) var pasts = PastMarks()
  /// Notes what is changed; nil where nobody asks. See ``beginRecording()``.
  @exclusivity(unchecked) var recorder: ChangeRecorder?
  /// Tells whether indexes and counts are kept with each change; they are not while a file is opened.
  @exclusivity(unchecked) var keepsIndexes = true
  /// How often changes were taken.
  @exclusivity(unchecked) var takenChanges = 0
  var growth: GrowthMark
  var version: UInt64
  @exclusivity(unchecked) var bulk: BulkState?
  // Computed, as two more below: other modules have the runtime check each access to what is stored.
  @exclusivity(unchecked) private var instant: Int64 = 0
  /// What `_createdAt` and `_updatedAt` become, in microseconds since 1970.
  package var now: Int64 {
    get { instant }
    set { instant = newValue }
  }
  /// Asked once in a while, with the bytes that are held meanwhile, by calls that may reach any number of entities, while
  /// the transaction is watched; where it says so they throw ``StoreProblem/stopped``.
  package var isStopped: ((Int) -> Bool)? {
    get { stopTest }
    set { (stopTest, watches, steps) = (newValue, newValue != nil, 0) }
  }
  @exclusivity(unchecked) private var stopTest: ((Int) -> Bool)?
  /// Tells whether ``isStopped`` is asked, as it is once it is set. A flag, because to set a function counts references.
  package var isWatched: Bool {
    get { watches }
    set { (watches, steps) = (newValue, 0) }
  }
  @exclusivity(unchecked) private var watches = false
  private let meter = PageMeter()
  /// Bytes of pages that were made and not given back within ``countingPages(_:)``: of columns, indexes and their
  /// directories. Texts and lists are ``writtenBytes``.
  package var pageBytes: Int { max(0, meter.bytes) }
  /// Bytes of texts and lists that were written, in memory that this and later versions keep; what was superseded since
  /// counts on.
  package var writtenBytes: Int { writtenPayload }
  @exclusivity(unchecked) var writtenPayload = 0
  /// What ``touch(_:_:)`` has read last; it has no meaning.
  @exclusivity(unchecked) var warmed: UInt64 = 0
  /// Entities and links since it was asked.
  @exclusivity(unchecked) private var steps = 0

  #if DEBUG
    /// The version since which changes are observed; see ``ChangeObservation``.
    var observed: Snapshot?
  #endif

  /// Scratch for one entity's cells, and for keys.
  let cells: UnsafeMutablePointer<Cell>
  let valid: UnsafeMutablePointer<Bool>
  let key: UnsafeMutablePointer<Cell>
  let otherKey: UnsafeMutablePointer<Cell>
  /// Scratch for a row that is replaced: the columns whose cells differ, and the indexes whose keys do.
  @exclusivity(unchecked) var changedColumns: [Int] = []
  @exclusivity(unchecked) var affectedIndexes: [Int] = []
  /// Tells whether the last replacement has moved a column, so that readers of it see what was there before.
  @exclusivity(unchecked) var movesReaders = false
  @exclusivity(unchecked) var folded: ContiguousArray<UInt8> = []

  /// `fold` fills the hidden columns of case-folded text.
  package init(_ base: Snapshot, fold: @escaping TextFold = foldASCII) {
    self.base = base
    self.fold = fold
    layout = base.layout
    stamp = Stamp.next()
    tables = base.tables
    dangling = base.dangling
    dangling.recorder = nil
    growth = base.growth
    version = base.version
    let columns = max(1, layout.types.reduce(0) { max($0, $1.columns.count) })
    cells = .allocate(capacity: columns)
    valid = .allocate(capacity: columns)
    key = .allocate(capacity: columns)
    otherKey = .allocate(capacity: columns)
    cells.initialize(repeating: Cell(low: 0), count: columns)
    valid.initialize(repeating: false, count: columns)
    key.initialize(repeating: Cell(low: 0), count: columns)
    otherKey.initialize(repeating: Cell(low: 0), count: columns)
    #if DEBUG
      if ChangeObservation.current != nil {
        beginRecording()
        observed = base
      }
    #endif
  }

  deinit {
    cells.deallocate()
    valid.deallocate()
    key.deallocate()
    otherKey.deallocate()
  }

  /// The next version. The transaction must not be used afterwards. Precondition: not within a bulk.
  package func commit() -> Snapshot { snapshot() }

  /// A snapshot of what was written so far; the transaction goes on. Complexity: as ``commit()``, and what is written
  /// next is copied again.
  ///
  /// Compaction is O(rows), once in as many changes: who cannot wait for it leaves it to ``takeUpCompaction()``.
  package func snapshot(compacting: Bool = true) -> Snapshot {
    precondition(bulk == nil, "a bulk must be ended first")
    settle()
    #if DEBUG
      let observedChanges = observed.map { ($0, takeRecorded()) }
    #endif
    // What is noted refers to memory that compaction frees.
    if compacting, recorder?.isEmpty ?? true { compactWritten() }
    trimIndexes()
    version += 1
    growth = growth.advanced(tables, stamp: stamp)
    // What was published is not written any more: from here on it has a stranger's stamp.
    stamp = Stamp.next()
    let made = Snapshot(
      base.catalog, version: version, layout: layout, tables: tables, dangling: dangling.withoutRecorder,
      growth: growth, pasts: pasts, isCompacted: isCompacted)
    #if DEBUG
      if let (old, changes) = observedChanges {
        ChangeObservation.current?(old, changes, made)
        observed = made
      }
    #endif
    return made
  }

  /// A look at what was written so far, for as long as nothing more is written: from then on it is not to be used.
  /// Complexity: O(types); what is written next is not copied.
  package func provisional() -> Snapshot {
    precondition(bulk == nil, "a bulk must be ended first")
    settle()
    return Snapshot(
      base.catalog, version: version, layout: layout, tables: tables, dangling: dangling.withoutRecorder,
      growth: growth, pasts: pasts)
  }

  /// What readers rely on that writers put off.
  private func settle() {
    dropPurged()
    for type in tables.indices { settleIndexes(EntityTypeID(type)) }
  }

  /// What ``rollback(to:)`` goes back to.
  package struct Checkpoint {
    fileprivate let tables: [Table]
    fileprivate let dangling: DanglingLinks
    fileprivate let pasts: PastMarks
    /// How often changes had been taken.
    fileprivate let taken: Int
  }

  /// Marks the state to which ``rollback(to:)`` goes back; older ones stay valid. Complexity: O(types), but pages that
  /// are written next are copied again, so not for each row. Precondition: not within a bulk.
  package func checkpoint() -> Checkpoint {
    precondition(bulk == nil, "a bulk must be ended first")
    dropPurged()
    // Nothing of what is there is written any more.
    stamp = Stamp.next()
    return Checkpoint(tables: tables, dangling: dangling, pasts: pasts, taken: takenChanges)
  }

  /// Undoes what was written after the checkpoint, which stays valid. Precondition: no changes were taken since.
  package func rollback(to checkpoint: Checkpoint) {
    #if DEBUG
      // Tests take changes with each version.
      if observed != nil, checkpoint.taken != takenChanges {
        observed = nil
        takenChanges = checkpoint.taken
      }
    #endif
    precondition(checkpoint.taken == takenChanges, "changes were taken after the checkpoint")
    bulk = nil
    staleSuspended.removeAll()
    tables = checkpoint.tables
    dangling = checkpoint.dangling
    pasts = checkpoint.pasts
    stamp = Stamp.next()
  }

  /// Does what indexes have put off, whichever of the transaction's parts has written them: after a checkpoint indexes
  /// carry a stamp that is not the transaction's any more.
  private func settleIndexes(_ type: EntityTypeID, _ allowance: WorkAllowance? = nil) {
    for number in layout.types[Int(type.index)].deferredIndexes {
      guard table(type).indexes[number].built?.needsSettling(table(type)) == true else { continue }
      let owned = ownedTable(type)
      owned.ownIndex(number)
      owned.indexes[number].built?.settle(owned, allowance)
    }
  }

  /// Counts the pages that a call makes on the current thread, see ``pageBytes``.
  package func countingPages<Output, Failure>(_ body: () throws(Failure) -> Output) throws(Failure) -> Output {
    meter.begin()
    defer { meter.end() }
    return try body()
  }

  /// One entity or link of many; `bytes` are those that the call holds.
  @inline(__always)
  func step(holding bytes: @autoclosure () -> Int = 0) throws(StoreProblem) {
    steps &+= 1
    // Why 128: an entity with full text and several indexes costs up to a hundred microseconds.
    if steps >= 128 {
      steps = 0
      if watches, let isStopped, isStopped(bytes()) { throw .stopped }
    }
  }

  /// Counts what was gone through of a list of rows: a long one takes as long as many entities.
  @inline(__always)
  func charge(_ rows: Int) { steps &+= rows >> 9 }

  /// Does what indexes have put off, which ``commit()`` would else do at a stroke.
  package func settleIndexes() throws(StoreProblem) {
    guard watches, let isStopped else { return }
    let allowance = WorkAllowance { isStopped(0) }
    for type in tables.indices {
      settleIndexes(EntityTypeID(type), allowance)
      if allowance.excess != nil { throw .stopped }
    }
  }

  /// The table, copied first if another version shares it.
  @inline(__always)
  func ownedTable(_ type: EntityTypeID) -> Table {
    ownTable(type)
    return tables[Int(type.index)]
  }

  /// Makes the transaction the only writer of a table.
  @inline(__always)
  func ownTable(_ type: EntityTypeID) {
    if tables[Int(type.index)].stamp != stamp { copyTable(type) }
  }

  private func copyTable(_ type: EntityTypeID) {
    let table = table(type)
    tables[Int(type.index)] = Table(copying: table, stamp: stamp, recorder: recorder?.table(table))
  }

  func table(_ type: EntityTypeID) -> Table { tables[Int(type.index)] }

  // MARK: - Reading what was written

  package func slotCount(_ type: EntityTypeID) -> Int { table(type).slots }
  package func liveCount(_ type: EntityTypeID) -> Int { table(type).live }
  package func isLive(_ type: EntityTypeID, _ row: UInt32) -> Bool { table(type).isLive(row) }

  /// The reader is valid until the next call that changes the transaction.
  package func column(_ type: EntityTypeID, _ column: ColumnID) -> ColumnReader {
    table(type).readers[Int(column.index)]
  }

  /// The row with this primary key: one cell per component, texts as they are written or in their folded form.
  package func findRow(_ type: EntityTypeID, key: UnsafePointer<Cell>) -> UInt32? {
    if bulk != nil { settleKeys(type) }
    let table = table(type)
    if table.indexes.isEmpty { return nil }
    let row = table.layout.foldsKey ? findFolded(table, key) : table.find(0, key: key)
    return row == PageLayout.noRow ? nil : row
  }

  /// Finds the rows with primary keys of one component: `PageLayout.noRow` where there is none.
  package func findRows(
    _ type: EntityTypeID, keys: UnsafePointer<Cell>, _ count: Int, into rows: UnsafeMutablePointer<UInt32>
  ) {
    if bulk != nil { settleKeys(type) }
    let table = table(type)
    if let index = table.indexes.first?.asHash, !table.layout.foldsKey {
      index.reader(table.readers).findEach(keys, count, into: rows)
    } else {
      for index in 0..<count { rows[index] = findRow(type, key: keys + index) ?? PageLayout.noRow }
    }
  }

  /// The row that an index has under the key. Precondition: a unique index; not between begin- and endBulk.
  package func findRow(_ index: IndexID, key: UnsafePointer<Cell>) -> UInt32? {
    guard let place = layout.places[Int(index.index)] else { return nil }
    let row = tables[place.type].find(place.index, key: key)
    return row == PageLayout.noRow ? nil : row
  }

  package func deletedCount(_ type: EntityTypeID) -> Int { table(type).tombstones?.count ?? 0 }
  package func isDeleted(_ type: EntityTypeID, _ row: UInt32) -> Bool { table(type).isDeleted(row) }

  /// The kept row of a deleted entity with this primary key: one cell per component.
  package func deletedRow(_ type: EntityTypeID, key: UnsafePointer<Cell>) -> UInt32? {
    let table = table(type)
    let row = table.tombstones?.find(key, columns: table.readers) ?? PageLayout.noRow
    return row == PageLayout.noRow ? nil : row
  }
}

/// An entity that a deletion removed.
package struct DeletedRow: Hashable, Sendable {
  package var type: EntityTypeID
  package var row: UInt32
  package init(type: EntityTypeID, row: UInt32) {
    self.type = type
    self.row = row
  }
}

/// Folds A–Z only.
@Sendable package func foldASCII(_ bytes: UnsafeRawBufferPointer, _ folded: inout ContiguousArray<UInt8>) {
  for byte in bytes { folded.append(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) }
}

import GQLCatalog

/// One version of the entities of one type: columns, liveness and indexes.
///
/// Written only by the transaction whose stamp it carries; its parts are copied one by one when first written.
final class Table: @unchecked Sendable {
  let layout: StoreLayout.TypeLayout
  let stamp: UInt64
  /// Notes what rows hold before they are written; nil where nobody asks.
  private let recorder: TableRecorder?
  @exclusivity(unchecked) private(set) var columns: [ColumnStore]
  /// One reader a column, and behind them the reader of liveness: what keys and snapshots read through.
  let readers: UnsafeMutablePointer<ColumnReader>
  @exclusivity(unchecked) private(set) var liveness: ColumnStore?
  @exclusivity(unchecked) private(set) var indexes: [TableIndex]
  /// The deleted entities that are kept; nil before the first one.
  @exclusivity(unchecked) private(set) var tombstones: TombstoneTable?
  /// By place in `layout.relations`: the suspended links of live rows, see ``SuspendedLinks``; nil where there never were
  /// any, and empty while the table has none.
  @exclusivity(unchecked) private(set) var suspended: [SuspendedLinks?]
  /// Rows given out, tombstones included.
  @exclusivity(unchecked) var slots: Int
  @exclusivity(unchecked) var live: Int
  /// Whether all columns carry the stamp.
  @exclusivity(unchecked) private var ownsColumns: Bool

  init(_ layout: StoreLayout.TypeLayout, stamp: UInt64) {
    self.layout = layout
    self.stamp = stamp
    recorder = nil
    readers = .allocate(capacity: layout.columns.count + 1)
    var columns: [ColumnStore] = []
    for (number, column) in layout.columns.enumerated() {
      columns.append(
        ColumnStore(
          kind: column.kind, elementIsText: layout.elementIsText[number], stamp: stamp, slot: readers + number,
          order: layout.order(number)))
    }
    self.columns = columns
    liveness = nil
    tombstones = nil
    suspended = []
    indexes = layout.indexes.map { $0.isIDOrder ? .pending : TableIndex($0, stamp: stamp) }
    slots = 0
    live = 0
    ownsColumns = true
  }

  init(copying other: Table, stamp: UInt64, recorder: TableRecorder? = nil) {
    layout = other.layout
    self.stamp = stamp
    self.recorder = recorder
    let count = other.layout.columns.count + 1
    readers = .allocate(capacity: count)
    for (number, column) in other.columns.enumerated() { (readers + number).initialize(to: column.reader) }
    if let liveness = other.liveness { (readers + (count - 1)).initialize(to: liveness.reader) }
    columns = other.columns
    liveness = other.liveness
    tombstones = other.tombstones
    suspended = other.suspended
    indexes = other.indexes
    slots = other.slots
    live = other.live
    ownsColumns = false
  }

  deinit { readers.deallocate() }

  // MARK: - Putting parts in place

  /// What makes a table of the parts of one with another layout; for tables that nobody reads yet.
  func setColumn(_ number: Int, _ make: (UnsafeMutablePointer<ColumnReader>) -> ColumnStore) {
    columns[number] = make(readers + number)
  }

  func setLiveness(_ make: (UnsafeMutablePointer<ColumnReader>) -> ColumnStore) {
    liveness = make(readers + columns.count)
  }

  func setTombstones(_ tombstones: TombstoneTable?) { self.tombstones = tombstones }

  /// `place` is the relation's in `layout.relations`.
  func setSuspended(_ place: Int, _ links: SuspendedLinks?) {
    if links == nil && suspended.isEmpty { return }
    if suspended.isEmpty { suspended = Array(repeating: nil, count: layout.relations.count) }
    suspended[place] = links
  }

  func setIndex(_ number: Int, _ index: TableIndex) { indexes[number] = index }

  // MARK: - Owning parts

  func ownColumns() {
    if ownsColumns { return }
    for number in columns.indices { _ = ownedColumn(number) }
    ownsColumns = true
  }

  func ownedColumn(_ number: Int) -> ColumnStore {
    if columns[number].stamp != stamp { ownColumn(number) }
    return columns[number]
  }

  /// Calls with a column that may be written, without counting that it is used: the table keeps it.
  @inline(__always)
  func writingColumn<Output>(_ number: Int, _ body: (ColumnStore) -> Output) -> Output {
    if columns[number].stamp != stamp { ownColumn(number) }
    return Unmanaged.passUnretained(columns[number]).borrow(body)
  }

  private func ownColumn(_ number: Int) {
    columns[number] = ColumnStore(
      copying: columns[number], stamp: stamp, slot: readers + number, recorder: recorder, number: number)
  }

  func ownedLiveness() -> ColumnStore {
    let slot = readers + columns.count
    if let liveness {
      if liveness.stamp == stamp { return liveness }
      let copy = ColumnStore(copying: liveness, stamp: stamp, slot: slot, recorder: recorder, number: columns.count)
      self.liveness = copy
      return copy
    }
    let made = ColumnStore(
      kind: .byte, elementIsText: false, stamp: stamp, slot: slot, recorder: recorder, number: columns.count)
    made.appendRepeated(Cell(low: RowStatus.live), count: slots)
    liveness = made
    return made
  }

  func ownedTombstones() -> TombstoneTable {
    if let tombstones, tombstones.stamp == stamp { return tombstones }
    let made =
      tombstones.map { TombstoneTable(copying: $0, stamp: stamp, recorder: recorder) }
      ?? TombstoneTable(layout, stamp: stamp, recorder: recorder)
    tombstones = made
    return made
  }

  /// `place` is the relation's in `layout.relations`.
  func ownedSuspended(_ place: Int) -> SuspendedLinks {
    if suspended.isEmpty { suspended = Array(repeating: nil, count: layout.relations.count) }
    if let links = suspended[place], links.stamp == stamp { return links }
    let made = SuspendedLinks(copying: suspended[place], stamp: stamp, recorder: recorder, place: place)
    suspended[place] = made
    return made
  }

  func ownIndex(_ number: Int) {
    if indexes[number].isOwned(by: stamp) { return }
    if let shared = indexes[number].built { indexes[number] = shared.copy(stamp: stamp) }
  }

  /// Replaces an index by an empty one. An order of ids that nobody has asked for stays away.
  func resetIndex(_ number: Int) {
    if layout.indexes[number].isIDOrder, indexes[number].isPending { return }
    makeIndex(number)
  }

  /// Puts an empty index in the place of what is there.
  func makeIndex(_ number: Int) { indexes[number] = TableIndex(layout.indexes[number], stamp: stamp) }

  // MARK: - Reading

  /// Whether ids ascend with rows, those of deleted rows included.
  var idsAscend: Bool {
    guard let key = layout.idKey else { return false }
    let column = columns[key.column]
    // Another version of the schema may have compared the cells in another way.
    return column.isAscending && column.order == key.kind
  }

  /// What delivers rows in the order of their ids.
  var idOrder: IDOrder {
    guard let number = layout.idOrder else { return .none }
    return idsAscend ? .rows : indexes[number].isPending ? .pending : .index
  }

  func isLive(_ row: UInt32) -> Bool {
    guard Int(row) < slots else { return false }
    return liveness.map { UInt64($0.reader.byte(row)) == RowStatus.live } ?? true
  }

  /// Whether the row is that of a deleted entity that is kept.
  func isDeleted(_ row: UInt32) -> Bool {
    guard Int(row) < slots, let liveness else { return false }
    return UInt64(liveness.reader.byte(row)) == RowStatus.deleted
  }

  /// The live rows, for builds and checks of indexes.
  var liveRows: IndexedRows {
    if liveness == nil { return IndexedRows(below: slots) }
    return IndexedRows((0..<UInt32(truncatingIfNeeded: slots)).filter { isLive($0) })
  }

  /// The row under a key without nulls, or `PageLayout.noRow`.
  func find(_ number: Int, key: UnsafePointer<Cell>) -> UInt32 { indexes[number].find(key, columns: readers) }

  // MARK: - Index entries

  /// Adds the row's key, which is in the columns, to an index. `key` is scratch for as many cells.
  func addEntry(_ number: Int, _ row: UInt32, key: UnsafeMutablePointer<Cell>) {
    ownIndex(number)
    indexes[number].insert(row, columns: readers, key: key)
  }

  /// Adds the row's key as ``addEntry(_:_:key:)`` does. The rows are of a version that may have a key twice, though the
  /// index is unique by now.
  func addRepeatableEntry(_ number: Int, _ row: UInt32, key: UnsafeMutablePointer<Cell>) {
    ownIndex(number)
    if let hash = indexes[number].asHash {
      hash.insertRepeatable(row, columns: readers, key: key)
    } else {
      indexes[number].insert(row, columns: readers, key: key)
    }
  }

  /// Removes the row's key, which must still be in the columns, from an index.
  func removeEntry(_ number: Int, _ row: UInt32, key: UnsafeMutablePointer<Cell>) {
    ownIndex(number)
    indexes[number].remove(row, columns: readers, key: key)
  }

  /// Bytes held, those shared with other versions included.
  var byteCount: Int {
    var sum = columns.reduce(0) { $0 + $1.byteCount } + (liveness?.byteCount ?? 0) + (tombstones?.byteCount ?? 0)
    for links in suspended { sum += links?.byteCount ?? 0 }
    for index in indexes { sum += index.built?.byteCount ?? 0 }
    return sum
  }
}

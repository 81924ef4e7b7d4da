import GQLCatalog

/// What the cells of a table's liveness say.
enum RowStatus {
  static var purged: UInt64 { 0 }
  /// Bit 0 is what the hot loops test.
  static var live: UInt64 { 1 }
  static var deleted: UInt64 { 2 }
}

/// The deleted entities of one type that are kept. Written only by the transaction whose stamp it carries.
final class Graveyard: @unchecked Sendable {
  let stamp: UInt64
  /// The rows, as images: ascending, and found by number.
  let rows: BTree
  /// The rows by primary key; nil for types without one.
  let byKey: HashIndex?
  /// By row: what a ``DeletionRecord`` writes.
  private let records: ColumnStore

  init(_ layout: StoreLayout.TypeLayout, stamp: UInt64) {
    self.stamp = stamp
    rows = BTree(layout: Self.rowLayout, isUnique: true, stamp: stamp)
    byKey = layout.indexes.first.map { HashIndex(layout: $0.keys, isUnique: true, stamp: stamp) }
    records = ColumnStore(kind: .references, elementIsText: false, stamp: stamp, slot: nil)
  }

  /// `keys` lay the same primary keys in other columns.
  init(copying other: Graveyard, keys: KeyLayout? = nil, stamp: UInt64) {
    self.stamp = stamp
    rows = BTree(copying: other.rows, stamp: stamp)
    byKey = other.byKey.map { HashIndex(copying: $0, layout: keys, stamp: stamp) }
    records = ColumnStore(copying: other.records, stamp: stamp, slot: nil)
  }

  /// One component with exact images, so that entries are compared without a look at columns.
  private static let rowLayout = KeyLayout([KeyComponent(column: 0, kind: .int64)])

  var count: Int { rows.main.count }

  /// `key` is scratch for a primary key.
  func add(
    _ row: UInt32, record: DeletionRecord, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>
  ) {
    rows.insertImage(UInt64(row), row, columns: columns)
    if let byKey, byKey.layout.load(columns, row, into: key) { byKey.insert(row, key: key, columns: columns) }
    let needed = Int(row) + 1 - records.count
    if needed > 0 { records.appendRepeated(nil, count: needed) }
    record.words.withUnsafeBufferPointer { records.setRun(row, copying: $0, capacity: $0.count) }
  }

  func remove(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    rows.removeImage(UInt64(row), row, columns: columns)
    if let byKey, byKey.layout.load(columns, row, into: key) { byKey.remove(row, key: key, columns: columns) }
    records.setRun(row, copying: UnsafeBufferPointer(start: nil, count: 0), capacity: 0)
  }

  /// Precondition: the row is deleted.
  func replaceRecord(_ row: UInt32, _ record: DeletionRecord) {
    record.words.withUnsafeBufferPointer { records.setRun(row, copying: $0, capacity: $0.count) }
  }

  /// The record of a deleted row.
  func record(_ row: UInt32) -> DeletionRecord {
    guard Int(row) < records.count else { return DeletionRecord(deletion: 0) }
    return DeletionRecord(words: Array(records.reader.references(row)))
  }

  /// The deleted row under a primary key, or `PageLayout.noRow`.
  func find(_ key: UnsafePointer<Cell>, columns: UnsafePointer<ColumnReader>) -> UInt32 {
    byKey?.reader(columns).find(key) ?? PageLayout.noRow
  }

  func compact() {
    if records.needsCompaction { records.compact { _ in true } }
  }

  var byteCount: Int { rows.byteCount + (byKey?.byteCount ?? 0) + records.byteCount }

  func hashMemory(into digest: inout MemoryDigest) {
    rows.hashMemory(into: &digest)
    byKey?.hashPages(into: &digest)
    records.hashMemory(into: &digest)
  }
}

/// What is remembered of a deleted entity: by which deletion it went, and its links, dormant ones included, in order.
///
/// As words: the deletion's number in two halves, then for each relation that has links its place among the type's
/// relations, the number of links, and their targets.
struct DeletionRecord {
  private(set) var words: [UInt32]

  init(deletion: UInt64) {
    words = [UInt32(truncatingIfNeeded: deletion), UInt32(truncatingIfNeeded: deletion >> 32)]
  }

  init(words: [UInt32]) { self.words = words.count >= 2 ? words : [0, 0] }

  /// The number that all entities of one deletion share.
  var deletion: UInt64 { UInt64(words[0]) | UInt64(words[1]) << 32 }

  mutating func add(relation place: Int, targets: [UInt32]) {
    if targets.isEmpty { return }
    words.append(UInt32(truncatingIfNeeded: place))
    words.append(UInt32(truncatingIfNeeded: targets.count))
    words += targets
  }

  /// The record with one target more, behind the others of the relation at `place`.
  func adding(_ target: UInt32, relation place: Int) -> DeletionRecord {
    var result = DeletionRecord(deletion: deletion)
    var index = 2
    var isAdded = false
    while index + 2 <= words.count {
      let end = min(words.count, index + 2 + Int(words[index + 1]))
      var targets = Array(words[(index + 2)..<end])
      if Int(words[index]) == place {
        targets.append(target)
        isAdded = true
      }
      result.add(relation: Int(words[index]), targets: targets)
      index = end
    }
    if !isAdded { result.add(relation: place, targets: [target]) }
    return result
  }

  /// The targets of the relation at `place`, in order.
  func targets(relation place: Int) -> ArraySlice<UInt32> {
    var index = 2
    while index + 2 <= words.count {
      let end = min(words.count, index + 2 + Int(words[index + 1]))
      if Int(words[index]) == place { return words[(index + 2)..<end] }
      index = end
    }
    return []
  }
}

/// The *dormant* links of the live rows of one relation: those whose target is deleted, but kept.
///
/// A dormant link knows its place: before how many links of the run it stood. A row's dormant links are in the order in
/// which they would stand in the run, so a run and its dormant links together are the list that restoring brings back.
/// A to-one relation has a target, or at most one dormant link: writing it forgets that.
final class DormantLinks: @unchecked Sendable {
  struct Link: Equatable {
    /// How many links of the run stand before it.
    var place: UInt32
    var target: UInt32
  }
  let stamp: UInt64
  /// By row: places and targets by turns.
  private let cells: ColumnStore

  init(stamp: UInt64) {
    self.stamp = stamp
    cells = ColumnStore(kind: .references, elementIsText: false, stamp: stamp, slot: nil)
  }

  init(copying other: DormantLinks, stamp: UInt64) {
    self.stamp = stamp
    cells = ColumnStore(copying: other.cells, stamp: stamp, slot: nil)
  }

  func isEmpty(_ row: UInt32) -> Bool { Int(row) >= cells.count || cells.reader.references(row).isEmpty }

  subscript(_ row: UInt32) -> [Link] {
    get {
      if isEmpty(row) { return [] }
      let run = cells.reader.references(row)
      return (0..<(run.count / 2)).map { Link(place: run[2 * $0], target: run[2 * $0 + 1]) }
    }
    set {
      if newValue.isEmpty && isEmpty(row) { return }
      let needed = Int(row) + 1 - cells.count
      if needed > 0 { cells.appendRepeated(nil, count: needed) }
      var words: [UInt32] = []
      words.reserveCapacity(newValue.count * 2)
      for link in newValue {
        words.append(link.place)
        words.append(link.target)
      }
      words.withUnsafeBufferPointer { cells.setRun(row, copying: $0, capacity: $0.count) }
    }
  }

  /// Rows below which all rows with dormant links are.
  var rowLimit: UInt32 { UInt32(truncatingIfNeeded: cells.count) }

  func compact() {
    if cells.needsCompaction { cells.compact { _ in true } }
  }

  var byteCount: Int { cells.byteCount }
  func hashMemory(into digest: inout MemoryDigest) { cells.hashMemory(into: &digest) }
}

import GQLCatalog

/// What the cells of a table's liveness say.
enum RowStatus {
  static var purged: UInt64 { 0 }
  /// Bit 0 is what the hot loops test.
  static var live: UInt64 { 1 }
  static var deleted: UInt64 { 2 }
}

/// The deleted entities of one type that are kept. Written only by the transaction whose stamp it carries.
final class TombstoneTable: @unchecked Sendable {
  let stamp: UInt64
  /// The rows by primary key; nil for types without one.
  let byKey: HashIndex?
  /// By row: what a ``DeletionRecord`` writes.
  @exclusivity(unchecked) private var records: RowLists
  private let recorder: TableRecorder?

  init(_ layout: StoreLayout.TypeLayout, stamp: UInt64, recorder: TableRecorder? = nil) {
    self.stamp = stamp
    self.recorder = recorder
    byKey = layout.indexes.first.map { HashIndex(layout: $0.keys, isUnique: true, stamp: stamp) }
    records = RowLists()
  }

  /// `keys` lay the same primary keys in other columns.
  init(copying other: TombstoneTable, keys: KeyLayout? = nil, stamp: UInt64, recorder: TableRecorder? = nil) {
    self.stamp = stamp
    self.recorder = recorder
    byKey = other.byKey.map { HashIndex(copying: $0, keys: keys, stamp: stamp) }
    records = other.records
  }

  var count: Int { records.count }

  /// Writes the rows, ascending; there must be room for ``count``.
  func copyRows(into rows: UnsafeMutablePointer<UInt32>) { records.copyRows(into: rows) }

  /// `key` is scratch for a primary key.
  func add(
    _ row: UInt32, record: DeletionRecord, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>
  ) {
    addKey(row, columns: columns, key: key)
    setWords(row, record.words)
  }

  /// Adds a row's primary key alone.
  func addKey(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    byKey?.insert(row, columns: columns, key: key)
  }

  /// Removes a row's primary key alone.
  func removeKey(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    byKey?.remove(row, columns: columns, key: key)
  }

  /// Replaces the words of a row's record alone; none take it away.
  func setWords(_ row: UInt32, _ words: ContiguousArray<UInt32>) {
    noteRecord(row)
    records.set(row, words, stamp: stamp)
  }

  private func noteRecord(_ row: UInt32) {
    if let recorder { records.withList(row) { recorder.noteRecord(row, $0) } }
  }

  func remove(_ row: UInt32, columns: UnsafePointer<ColumnReader>, key: UnsafeMutablePointer<Cell>) {
    removeKey(row, columns: columns, key: key)
    setWords(row, [])
  }

  /// See ``WriteTransaction/touch(_:_:)``.
  @inline(__always)
  func touch(_ row: UInt32) -> UInt64 { records.touch(row) }

  /// Precondition: the row is deleted.
  func replaceRecord(_ row: UInt32, _ record: DeletionRecord) { setWords(row, record.words) }

  /// Adds a target to those of a relation, behind so many others, or all. Precondition: the row is deleted.
  func addTarget(_ row: UInt32, _ target: UInt32, relation place: Int, at number: Int? = nil) {
    noteRecord(row)
    let isAdded = records.extend(row, stamp: stamp) {
      DeletionRecord.add(target, relation: place, at: number, to: &$0)
    }
    if isAdded { return }
    var words = record(row).words
    DeletionRecord.add(target, relation: place, at: number, to: &words)
    setWords(row, words)
  }

  /// Whether a deleted row is remembered as linked to a target. Complexity: O(targets).
  func knows(_ row: UInt32, _ target: UInt32, relation place: Int) -> Bool {
    withWords(row) { words in DeletionRecord.range(of: place, in: words).map { words[$0].contains(target) } ?? false }
  }

  /// Whether a deleted row was not deleted before a deletion.
  func isLater(_ row: UInt32, than deletion: UInt64) -> Bool {
    withWords(row) { $0.count >= 2 && DeletionRecord.deletion($0[0], $0[1]) >= deletion }
  }

  /// The record of a deleted row.
  func record(_ row: UInt32) -> DeletionRecord { DeletionRecord(words: records[row]) }

  /// Calls with the words of the record of a deleted row, where they lie.
  func withWords<Result>(_ row: UInt32, _ body: (UnsafeBufferPointer<UInt32>) -> Result) -> Result {
    records.withList(row, body)
  }

  /// The deleted row under a primary key, or `PageLayout.noRow`.
  func find(_ key: UnsafePointer<Cell>, columns: UnsafePointer<ColumnReader>) -> UInt32 {
    byKey?.find(key, columns: columns) ?? PageLayout.noRow
  }

  var byteCount: Int { (byKey?.byteCount ?? 0) + records.byteCount }

  /// See ``RowLists/addDifferences(from:to:)``.
  func addDifferences(from other: TombstoneTable?, to rows: inout [UInt32]) {
    records.addDifferences(from: other?.records ?? RowLists(), to: &rows)
  }

  func hashMemory(into digest: inout MemoryDigest) {
    byKey?.hashMemory(into: &digest)
    records.hashMemory(into: &digest)
  }
}

/// A record of a deleted entity: by which deletion it went, and its links, suspended ones included, in order.
///
/// As words: the deletion's number in two halves, the highest bit of which says that it came as deleted, then for each
/// relation that has links its place among the type's relations, the number of links, and their targets.
struct DeletionRecord {
  private(set) var words: ContiguousArray<UInt32>

  init(deletion: UInt64) {
    words = [UInt32(truncatingIfNeeded: deletion), UInt32(truncatingIfNeeded: deletion >> 32)]
  }

  init(words: ContiguousArray<UInt32>) { self.words = words.count >= 2 ? words : [0, 0] }

  /// The number that all entities of one deletion share.
  var deletion: UInt64 { Self.deletion(words[0], words[1]) }

  static func deletion(_ low: UInt32, _ high: UInt32) -> UInt64 { UInt64(low) | UInt64(high & ~elsewhere) << 32 }
  private static var elsewhere: UInt32 { 1 << 31 }

  /// Whether it was not deleted here: then it knows what it was told, not what it was linked to at that time.
  var isFromElsewhere: Bool { words[1] & Self.elsewhere != 0 }

  /// The same of an entity that came as deleted.
  var fromElsewhere: DeletionRecord {
    var words = words
    words[1] |= Self.elsewhere
    return DeletionRecord(words: words)
  }

  /// Returns the record as one of another deletion.
  func with(deletion: UInt64) -> DeletionRecord {
    var words = words
    let other = DeletionRecord(deletion: deletion).words
    (words[0], words[1]) = (other[0], other[1] & ~Self.elsewhere | words[1] & Self.elsewhere)
    return DeletionRecord(words: words)
  }

  /// The same without links.
  var withoutLinks: DeletionRecord { DeletionRecord(words: [words[0], words[1]]) }

  /// The record with other targets of the relation at `place`.
  func with(_ targets: [UInt32], relation place: Int) -> DeletionRecord {
    var result = withoutLinks
    var index = 2
    while index + 2 <= words.count {
      let end = min(words.count, index + 2 + Int(words[index + 1]))
      if Int(words[index]) != place { result.add(relation: Int(words[index]), targets: words[(index + 2)..<end]) }
      index = end
    }
    result.add(relation: place, targets: targets)
    return result
  }

  mutating func add(relation place: Int, targets: some Collection<UInt32>) {
    if targets.isEmpty { return }
    words.append(UInt32(truncatingIfNeeded: place))
    words.append(UInt32(truncatingIfNeeded: targets.count))
    words += targets
  }

  /// Adds to the words of a record a target behind so many others of the relation at `place`, or all. Complexity: O(1)
  /// behind all of the relation that stands last.
  static func add(_ target: UInt32, relation place: Int, at number: Int?, to words: inout ContiguousArray<UInt32>) {
    guard let known = range(of: place, in: words) else {
      words.append(UInt32(truncatingIfNeeded: place))
      words.append(1)
      return words.append(target)
    }
    let index = known.lowerBound + min(number ?? known.count, known.count)
    if index == words.count { words.append(target) } else { words.insert(target, at: index) }
    words[known.lowerBound - 1] = UInt32(truncatingIfNeeded: known.count + 1)
  }

  /// The record without a target of the relation at `place`.
  func removing(_ target: UInt32, relation place: Int) -> DeletionRecord {
    var result = withoutLinks
    var index = 2
    while index + 2 <= words.count {
      let end = min(words.count, index + 2 + Int(words[index + 1]))
      let targets = words[(index + 2)..<end]
      if Int(words[index]) == place {
        result.add(relation: place, targets: targets.filter { $0 != target })
      } else {
        result.add(relation: Int(words[index]), targets: targets)
      }
      index = end
    }
    return result
  }

  /// The targets of the relation at `place`, in order.
  /// Calls with each relation's place and target of a record's words.
  static func forEachTarget(in words: ContiguousArray<UInt32>, _ body: (Int, UInt32) -> Void) {
    var index = 2
    while index + 2 <= words.count {
      let end = min(words.count, index + 2 + Int(words[index + 1]))
      for target in words[(index + 2)..<end] { body(Int(words[index]), target) }
      index = end
    }
  }

  func targets(relation place: Int) -> ArraySlice<UInt32> { Self.range(of: place, in: words).map { words[$0] } ?? [] }

  /// Where the targets of the relation at `place` stand; nil if it has none. Complexity: O(relations).
  static func range<Words: RandomAccessCollection<UInt32>>(of place: Int, in words: Words) -> Range<Int>?
  where Words.Index == Int {
    var index = 2
    while index + 2 <= words.count {
      let end = min(words.count, index + 2 + Int(words[index + 1]))
      if Int(words[index]) == place { return (index + 2)..<end }
      index = end
    }
    return nil
  }
}

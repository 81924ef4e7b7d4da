import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// A receiver of what a backend keeps, which makes a version of it. Everything is checked: numbers, checksums, and the
/// changes of records against what is before them.
public final class StorageReader {
  private let name: String
  /// The store that is being filled; nil before ``begin(_:)``.
  private(set) var transaction: WriteTransaction?
  private(set) var catalog = Catalog()
  /// The latest time of the commits that are known.
  private(set) var newestTime = Int64.min
  private var state: StorageState?
  /// By type and row: the version of rows that are newer than the state, for which older records are passed over.
  private var newer: [Int: [UInt32: Int64]] = [:]
  /// The greatest of these versions.
  private var newestRow: Int64 = 0
  private(set) var dirty = DirtyRows()
  /// The version that rows and records lead to.
  private(set) var point = StoragePoint(version: 0, sum: 0)
  private(set) var recordBytes = 0
  /// The records that were added, those whose commits the rows hold among them, with the number of their bytes.
  private(set) var records: [(version: Int64, bytes: Int)] = []
  private var lastPlace: (type: Int, row: Int) = (0, -1)
  private var history = HistoryTypes(Catalog())
  /// By type: how many rows have had an entity that the past may name.
  private var reserved: [Int: Int] = [:]

  init(_ name: String) { self.name = name }

  private func corrupt(_ what: String) -> QueryError { StorageProblem.corrupt(what).error(name) }

  /// The version whose commits the rows hold.
  var folded: StoragePoint { state?.folded ?? StoragePoint(version: 0, sum: 0) }

  /// Begins with the state. Called once, before rows and records.
  ///
  /// - Throws: ``GQLEngine/QueryError`` `storage-corrupt`, which the backend throws on.
  public func begin(_ state: StorageState) throws(QueryError) {
    let (folded, newest) = (state.folded, state.newest)
    guard self.state == nil, folded.version >= 0, newest.version < 1 << 62,
      folded.version < newest.version || folded == newest
    else {
      throw corrupt("what it says of itself is not readable")
    }
    if !state.schema.isEmpty {
      do {
        catalog = try Database.catalog(of: [SourceText(name: name, text: state.schema)]).catalog
      } catch {
        throw corrupt("its schema is none: \(error.problems.first?.message ?? "")")
      }
    }
    self.state = state
    history = HistoryTypes(catalog)
    point = folded
    let transaction = WriteTransaction(Snapshot.empty(catalog), fold: foldText)
    transaction.beginOpening()
    self.transaction = transaction
  }

  /// Notes the version of a row that was added.
  func note(_ type: Int, _ row: UInt32, _ version: Int64) {
    guard version > folded.version else { return }
    newer[type, default: [:]][row] = version
    newestRow = max(newestRow, version)
    dirty.insert(type, row)
  }

  /// Notes that the past may name the first rows of a type: their numbers are not given again, where they are void.
  func reserve(_ type: Int, rows: Int) { reserved[type] = max(reserved[type] ?? 0, rows) }

  /// Notes the time of a commit.
  func note(time: Int64) { newestTime = max(newestTime, time) }

  /// Reserves the rows of a record whose commit the rows hold. Where the past is in the records, what is not readable is
  /// found when it is read.
  private func reserveRows(of record: StorageRecord) {
    guard history.isAny else { return }
    let changes = record.bytes.withUnsafeBytes { bytes in
      record.isChained
        ? LogRecord(bytes, version: record.version, time: record.time)?.changes
        : LogRecord(unchained: bytes, version: record.version, time: record.time, after: 0)?.changes
    }
    try? changes?.forEachRow { type, row in
      if history.isNamed.indices.contains(type), history.isNamed[type] { reserve(type, rows: Int(row) + 1) }
    }
  }

  /// Adds a row, which follows those that were added, in the order of types and rows.
  ///
  /// - Throws: ``GQLEngine/QueryError`` `storage-corrupt`, which the backend throws on.
  public func add(_ row: StorageRow) throws(QueryError) {
    guard let transaction, catalog.types.indices.contains(row.type) else {
      throw corrupt("row \(row.row) is of no type that there is")
    }
    func misfit(_ what: String) -> QueryError {
      corrupt("row \(row.row) of '\(catalog.types[row.type].name)': \(what)")
    }
    guard row.row >= 0, row.row < PageLayout.maximumRows, row.type > lastPlace.type || row.row > lastPlace.row,
      row.type >= lastPlace.type
    else { throw misfit("its number is out of order") }
    lastPlace = (row.type, row.row)
    guard let content = row.bytes.withUnsafeBytes({ CheckedChanges.changes($0) }) else {
      throw misfit("its checksum is wrong")
    }
    let number = UInt32(truncatingIfNeeded: row.row)
    do throws(ChangeProblem) {
      var (own, others) = (0, 0)
      try content.forEachRow { if $0 == row.type, $1 == number { own += 1 } else { others += 1 } }
      guard own == 1, others == 0 else { throw .otherLayout(offset: 0) }
      try transaction.apply(content)
    } catch {
      throw misfit("it is not readable")
    }
    note(row.type, number, row.version)
  }

  /// Adds a record, which follows those that were added. Those up to the state's version are only counted.
  ///
  /// - Throws: ``GQLEngine/QueryError`` `storage-corrupt`, which the backend throws on.
  public func add(_ record: StorageRecord) throws(QueryError) {
    if record.version <= folded.version { reserveRows(of: record) }
    try record.bytes.withUnsafeBufferPointer { (bytes) throws(QueryError) in
      try add(
        record: UnsafeRawBufferPointer(bytes), version: record.version, time: record.time,
        isChained: record.isChained)
    }
  }

  func add(
    record bytes: UnsafeRawBufferPointer, version found: Int64, time: Int64, isChained: Bool = true
  ) throws(QueryError) {
    records.append((found, bytes.count))
    note(time: time)
    if found <= folded.version { return }
    guard let transaction, found == point.version + 1 else {
      throw corrupt("commit \(point.version + 1) is missing from its log")
    }
    let decoded =
      isChained
      ? LogRecord(bytes, version: found, time: time)
      : LogRecord(unchained: bytes, version: found, time: time, after: point.sum)
    guard let record = decoded else { throw corrupt("the checksum of commit \(found) is wrong") }
    if let before = record.before, before != point.sum {
      throw corrupt("commit \(found) does not follow the one before it")
    }
    point = StoragePoint(version: found, sum: record.sum)
    recordBytes += bytes.count
    do throws(ChangeProblem) {
      try transaction.apply(record.changes) { type, row in self.newer[type]?[row].map { $0 >= found } ?? false }
      try record.changes.forEachRow { type, row in self.dirty.insert(type, row) }
    } catch {
      throw corrupt("commit \(found) does not fit what was before it")
    }
    if let newest = state?.newest, found == newest.version, point != newest {
      throw corrupt("commit \(found) is not the one that its rows were written for")
    }
  }

  /// The version with all that was added; nil where nothing was.
  ///
  /// - Parameter limit: See ``WriteTransaction/endOpening(postponingAbove:)``.
  func finish(postponingAbove limit: Int = .max) throws(QueryError) -> (snapshot: Snapshot, hasSchema: Bool)? {
    guard let transaction, let state else { return nil }
    let last = max(state.newest.version, newestRow)
    if point.version < last {
      throw corrupt("its log ends with commit \(point.version), but there was a commit \(last)")
    }
    guard transaction.endOpening(postponingAbove: limit, reserving: reserved) else {
      throw corrupt("its rows are not those of one version")
    }
    self.transaction = nil
    return (transaction.commit(), !state.schema.isEmpty)
  }
}

import CSQLite3
import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore
import GQLWriting

/// The table of one type's rows: writes rows of a version, and reads all.
///
/// `row` is the number that a row has in the store, `v` the version that it was written for, `sum` a ``StoredSum`` of all
/// else, `extra` what ``Snapshot/append(extraOf:_:to:)`` gives. A field's value is as SQLite has it: whole numbers, times
/// as microseconds, dates as days, enum values as their positions and links as rows are integers, decimals are texts,
/// lists are ``ListText``. An id that is a number is an integer, or bytes where it does not fit into one; a time with a
/// part below the microsecond is 16 bytes.
final class RowTable {
  private let kind: StorageLayout.Kind
  /// Those of the kind. Their parts are looked at in place, so that no row counts references.
  private let fields: [StorageLayout.Field]
  private let checks: [StoredValue.Check]
  private let insertion: StorageStatement
  private let deletion: StorageStatement
  private let lookup: StorageStatement
  /// Indicates whether the file has the next two; all but those of format 0 do.
  private let hasCounts: Bool
  /// How many rows the table holds, and the sum of their sums in 32 bits: without them, a row that is gone from a
  /// damaged file would be one that was never there.
  private var count: Int64 = 0
  private var total: Int64 = 0
  private var isCounted = true
  /// Rows from here on are not in the table.
  private var firstNew: Int64 = 0
  private let connection: StorageConnection
  private let catalog: Catalog
  /// Columns before the fields.
  static let head: Int32 = 5

  init(
    _ kind: StorageLayout.Kind, _ catalog: Catalog, _ connection: StorageConnection, hasCounts: Bool
  ) throws(QueryError) {
    self.kind = kind
    self.hasCounts = hasCounts
    fields = kind.fields
    checks = kind.fields.map { StoredValue.Check($0.column.type, catalog) }
    self.catalog = catalog
    self.connection = connection
    let marks = Array(repeating: "?", count: kind.fields.count + Int(Self.head)).joined(separator: ", ")
    insertion = try connection.prepare("INSERT OR REPLACE INTO \(kind.table) VALUES (\(marks))")
    deletion = try connection.prepare("DELETE FROM \(kind.table) WHERE row = ?")
    lookup = try connection.prepare("SELECT sum FROM \(kind.table) WHERE row = ?")
    firstNew = (try connection.integer("SELECT max(row) FROM \(kind.table)") ?? -1) &+ 1
    if !hasCounts { return }
    let known = try connection.prepare("SELECT rows, sum FROM gqlite_type WHERE number = \(kind.number)")
    guard try known.step() else { return }
    count = known.integer(0)
    total = known.integer(1)
  }

  /// Writes the counts of a table that was written. Called within the transaction.
  func saveCounts() throws(QueryError) {
    if isCounted { return }
    try connection.execute("UPDATE gqlite_type SET rows = \(count), sum = \(total) WHERE number = \(kind.number)")
    isCounted = true
  }

  /// Begins with a table that was made just now.
  func resetCounts() {
    count = 0
    total = 0
    firstNew = 0
    isCounted = false
  }

  /// A row of some sum comes, or goes.
  private func count(_ sum: Int64, by difference: Int64) {
    // What another program has put there may be any number.
    count &+= difference
    total = (total &+ difference &* sum) & 0xFFFF_FFFF
    isCounted = false
  }

  /// Takes the row that is there out of the counts.
  private func uncount(_ row: UInt32) throws(QueryError) {
    lookup.bind(1, Int64(row))
    if try lookup.step() { count(lookup.integer(0), by: -1) }
    lookup.reset()
  }

  static func create(_ kind: StorageLayout.Kind, _ connection: StorageConnection) throws(QueryError) {
    let fields = kind.fields.map { ", f\($0.number)" }.joined()
    try connection.execute("DROP TABLE IF EXISTS \(kind.table)")
    try connection.execute(
      "CREATE TABLE \(kind.table)(row INTEGER PRIMARY KEY, v INTEGER, status INTEGER, sum INTEGER, extra BLOB\(fields))"
    )
  }

  // MARK: - Writing

  /// Writes a row as it is in a version, or takes it out where it is void.
  func write(_ row: UInt32, _ snapshot: Snapshot, version: Int64, _ memory: StorageMemory) throws(QueryError) {
    let status = snapshot.status(kind.type.id, row)
    let isNew = Int64(row) >= firstNew
    if isNew, status == 0 { return }
    if isNew { firstNew = Int64(row) + 1 } else { try uncount(row) }
    if status == 0 {
      deletion.bind(1, Int64(row))
      return try deletion.run()
    }
    memory.reset()
    var sum = StoredSum()
    sum.add(kind.number)
    sum.add(Int64(row))
    sum.add(version)
    sum.add(Int64(status))
    insertion.bind(1, Int64(row))
    insertion.bind(2, version)
    insertion.bind(3, Int64(status))
    let extra = memory.fill { snapshot.append(extraOf: kind.type.id, row, to: &$0) }
    if extra.isEmpty {
      insertion.bindNull(5)
      sum.addNull()
    } else {
      insertion.bind(5, blob: extra)
      sum.add(blob: extra)
    }
    let readers = snapshot.readers(kind.type.id)
    for index in fields.indices {
      let number = Self.head + 1 + Int32(truncatingIfNeeded: index)
      bind(number, readers[Int(fields[index].column.id.index)], row, index, memory, &sum)
    }
    insertion.bind(4, sum.value)
    try insertion.run()
    count(sum.value, by: 1)
  }

  private func bind(
    _ number: Int32, _ reader: ColumnReader, _ row: UInt32, _ field: Int, _ memory: StorageMemory,
    _ sum: inout StoredSum
  ) {
    let kind = fields[field].column.kind
    if kind == .references {
      let run = reader.references(row)
      return run.isEmpty
        ? bindNull(number, &sum) : bind(number, text: memory.fill { ListText.append(rows: run, to: &$0) }, &sum)
    }
    if reader.isNull(row) { return bindNull(number, &sum) }
    let cell = reader.wholeCell(row, kind: kind)
    switch kind {
    case .int64 where cell.high != 0:
      bind(
        number,
        blob: memory.fill { output in for word in [cell.low, cell.high] { output.append(littleEndian: word) } }, &sum)
    case .int64, .byte, .code, .reference:
      insertion.bind(number, cell.int)
      sum.add(cell.int)
    case .float64:
      insertion.bind(number, cell.double)
      sum.add(cell.double)
    case .decimal:
      bind(number, text: memory.fill { $0.append(decimal: Decimal(packed: (cell.low, cell.high))) }, &sum)
    case .text: bind(number, text: TextView(cell), isBytes: fields[field].column.type.scalar == .bytes, memory, &sum)
    case .wordList, .wideList:
      guard case .list(let element) = fields[field].column.type else { return bindNull(number, &sum) }
      bind(number, text: memory.fill { ListText.append(cell, element, to: &$0) }, &sum)
    case .references: break
    }
  }

  private func bind(
    _ number: Int32, text view: TextView, isBytes: Bool, _ memory: StorageMemory, _ sum: inout StoredSum
  ) {
    if view.isNumber, let value = view.canonicalInteger {
      insertion.bind(number, value)
      return sum.add(value)
    }
    // A short text lies in the cell itself.
    let bytes = memory.fill { output in view.withBytes { output.append($0, $1) } }
    if isBytes || view.isNumber { bind(number, blob: bytes, &sum) } else { bind(number, text: bytes, &sum) }
  }

  private func bindNull(_ number: Int32, _ sum: inout StoredSum) {
    insertion.bindNull(number)
    sum.addNull()
  }

  private func bind(_ number: Int32, text bytes: UnsafeRawBufferPointer, _ sum: inout StoredSum) {
    insertion.bind(number, text: bytes)
    sum.add(text: bytes)
  }

  private func bind(_ number: Int32, blob bytes: UnsafeRawBufferPointer, _ sum: inout StoredSum) {
    insertion.bind(number, blob: bytes)
    sum.add(blob: bytes)
  }

  // MARK: - Reading

  /// Rows that are read together.
  private static let batch = 1024

  /// Adds all rows to a store that is being opened. Calls with the rows that are newer than a version.
  func read(
    into transaction: WriteTransaction, newerThan folded: Int64, _ note: (UInt32, Int64) -> Void
  ) throws(QueryError) {
    let fields = kind.fields.map { ", f\($0.number)" }.joined()
    let statement = try connection.prepare(
      "SELECT row, v, status, sum, extra\(fields) FROM \(kind.table) ORDER BY row")
    let feed = BatchFeed(width: kind.type.columns.count, capacity: Self.batch) { batch throws(QueryError) in
      try self.append(batch, to: transaction)
    }
    // Whoever fails has let go of the file.
    defer { feed.wait() }
    var batch = feed.batch
    var next: Int64 = 0
    var (found, sums): (Int64, Int64) = (0, 0)
    while try statement.step() {
      let row = statement.integer(0)
      guard row >= next, row < Int64(PageLayout.maximumRows), statement.type(0) == SQLITE_INTEGER else {
        throw corrupt(row, "its number is out of order")
      }
      // Void rows have no place in the table.
      if next < row || batch.columns.count == Self.batch {
        batch.voids = Int(row - next)
        batch = try feed.advance()
      }
      let version = statement.integer(1)
      if version > folded { note(UInt32(truncatingIfNeeded: row), version) }
      try read(statement, UInt32(truncatingIfNeeded: row), version, into: batch)
      next = row + 1
      found += 1
      sums = (sums + statement.integer(3)) & 0xFFFF_FFFF
    }
    try feed.finish()
    guard !hasCounts || (found == count && sums == total) else {
      throw StorageProblem.corrupt("rows of '\(kind.type.name)' are missing").error(connection.path)
    }
  }

  private func corrupt(_ row: Int64, _ what: String) -> QueryError {
    StorageProblem.corrupt("row \(row) of '\(kind.type.name)': \(what)").error(connection.path)
  }

  private func append(_ batch: RowBatch, to transaction: WriteTransaction) throws(QueryError) {
    let type = kind.type.id
    guard batch.columns.count == 0 || batch.columns.append(to: transaction, type) else {
      throw corrupt(Int64(transaction.storedCount(type)), "it does not fit")
    }
    for list in batch.lists {
      guard let targets = ListText.rows(list.bytes) else { throw corrupt(Int64(list.row), "a list is no list") }
      transaction.setStoredList(type, list.column, list.row, targets)
    }
    for (row, bytes) in batch.extras {
      do throws(ChangeProblem) {
        try transaction.setExtra(type, row, bytes)
      } catch {
        throw corrupt(Int64(row), "what is kept beside its fields is not readable")
      }
    }
    guard transaction.appendVoid(type, count: batch.voids) else {
      throw corrupt(Int64(transaction.storedCount(type)), "too many rows are missing")
    }
  }

  private func read(
    _ statement: StorageStatement, _ row: UInt32, _ version: Int64, into batch: RowBatch
  ) throws(QueryError) {
    var sum = StoredSum()
    let status = statement.integer(2)
    sum.add(kind.number)
    sum.add(Int64(row))
    sum.add(version)
    sum.add(status)
    guard status == 1 || status == 2 else { throw corrupt(Int64(row), "its status is unknown") }
    let place = batch.columns.add(UInt8(truncatingIfNeeded: status))
    if statement.type(4) == SQLITE_NULL {
      sum.addNull()
    } else {
      let bytes = statement.bytes(4)
      sum.add(blob: bytes)
      batch.extras.append((row, batch.copy(bytes)))
    }
    for index in fields.indices {
      let number = Self.head + Int32(truncatingIfNeeded: index)
      let kind = statement.type(number)
      let bytes: UnsafeRawBufferPointer
      switch kind {
      case SQLITE_NULL:
        sum.addNull()
        continue
      case SQLITE_INTEGER:
        sum.add(statement.integer(number))
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      case SQLITE_FLOAT:
        sum.add(statement.double(number))
        bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      default:
        bytes = statement.bytes(number)
        if kind == SQLITE_BLOB { sum.add(blob: bytes) } else { sum.add(text: bytes) }
      }
      if fields[index].column.kind == .references {
        guard kind == SQLITE_TEXT else {
          throw corrupt(Int64(row), "'\(fields[index].column.name)' is no list")
        }
        batch.lists.append((row, fields[index].column.id, batch.copy(bytes)))
        continue
      }
      guard let cell = cell(statement, number, kind, bytes, index, batch.arena),
        StoredValue.isValid(cell, checks[index], fields[index].column.type, catalog)
      else { throw corrupt(Int64(row), "the value of '\(fields[index].column.name)' is none of its type") }
      batch.columns.set(Int(fields[index].column.id.index), place, cell)
    }
    guard sum.value == statement.integer(3) else { throw corrupt(Int64(row), "its checksum is wrong") }
  }

  private func cell(
    _ statement: StorageStatement, _ number: Int32, _ kind: Int32, _ bytes: UnsafeRawBufferPointer,
    _ field: Int, _ arena: StagingArena
  ) -> Cell? {
    switch (fields[field].column.kind, kind) {
    case (.int64, SQLITE_INTEGER), (.byte, SQLITE_INTEGER), (.code, SQLITE_INTEGER): Cell(statement.integer(number))
    case (.int64, SQLITE_BLOB) where bytes.count == 16:
      Cell(
        low: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)),
        high: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    case (.reference, SQLITE_INTEGER):
      UInt32(exactly: statement.integer(number)).flatMap {
        $0 < UInt32(PageLayout.maximumRows) ? Cell(low: UInt64($0)) : nil
      }
    case (.float64, SQLITE_FLOAT): Cell(statement.double(number))
    case (.decimal, SQLITE_TEXT):
      Decimal(parsing: bytes.bindMemory(to: UInt8.self)).map { Cell(low: $0.packed.0, high: $0.packed.1) }
    case (.text, SQLITE_INTEGER):
      withUnsafeTemporaryAllocation(byteCount: 24, alignment: 1) { buffer in
        var output = ByteBuffer(capacity: 24)
        output.append(int: statement.integer(number))
        return output.withUnsafeBytes { arena.text($0, flags: TextView.numberFlag) }
      }
    case (.text, SQLITE_TEXT) where fields[field].column.type.scalar != .bytes: arena.text(bytes)
    case (.text, SQLITE_BLOB):
      arena.text(bytes, flags: fields[field].column.type.scalar == .bytes ? 0 : TextView.numberFlag)
    case (.wordList, SQLITE_TEXT), (.wideList, SQLITE_TEXT):
      if case .list(let element) = fields[field].column.type { ListText.cell(bytes, element, arena) } else { nil }
    default: nil
    }
  }
}

extension TextView {
  /// The number that an id is, where it is written as SQLite would write it.
  fileprivate var canonicalInteger: Int64? {
    withBytes { start, count in
      let bytes = UnsafeRawBufferPointer(start: start, count: count)
      let isNegative = bytes.first == 0x2D
      let digits = bytes.dropFirst(isNegative ? 1 : 0)
      // Neither zeros in front nor -0, and no more digits than fit into the product below.
      guard let first = digits.first, digits.count <= 19, first != 0x30 || bytes.count == 1 else { return nil }
      var magnitude: UInt64 = 0
      for byte in digits {
        guard byte &- 0x30 < 10 else { return nil }
        magnitude = magnitude * 10 + UInt64(byte &- 0x30)
      }
      if !isNegative { return Int64(exactly: magnitude) }
      return magnitude == 1 << 63 ? .min : Int64(exactly: magnitude).map { -$0 }
    }
  }
}

/// Memory for the values of one row that is written.
final class StorageMemory {
  private let arena = StagingArena()
  private var buffer = ByteBuffer(capacity: 1024)

  func reset() { arena.removeAll() }

  /// Returns the bytes that `body` writes; valid until the next ``reset()``.
  func fill(_ body: (inout ByteBuffer) -> Void) -> UnsafeRawBufferPointer {
    buffer.removeAll()
    body(&buffer)
    return buffer.withUnsafeBytes { UnsafeRawBufferPointer(start: arena.copy($0), count: $0.count) }
  }
}

import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Tables of SQLite files: rows are read into a stage by columns, or one by one where bad ones are to be skipped.
extension Loader {
  mutating func loadRows(_ file: LoadFile, _ source: SQLiteTableSource, _ number: Int) throws(RecordFailure) {
    guard let type = file.type else { throw RecordFailure(.unknownType, "a table is named for its type", at: 0) }
    let rows = try Self.reading(source, at: 0) { () throws(SQLiteConnection.Failure) in try source.open() }
    guard !skipsBadRecords, let columns = reader.rowColumns(rows, type) else {
      return try loadRowByRow(rows, type, file, source, number)
    }
    let stage = writer.stage(of: Int(type.index))
    var row = 0
    while true {
      source.connection.boundValues()
      reader.removeAll()
      let read: (count: Int, end: RecordReader.RowsEnd)
      do throws(SQLiteConnection.Failure) {
        read = try reader.readRows(rows, columns, from: row, into: stage)
      } catch {
        stage.removeAll()
        throw RecordFailure(error, of: source.connection, at: row)
      }
      records += read.count
      row += read.count
      try insert(stage, number)
      if read.end == .end { return }
      if read.end == .refused {
        // This says what is wrong with it, or finds more than one row in it.
        try loadRow(rows, row, type, file, number)
        try flush(number)
        row += 1
      }
      try lookAround(file.file.name, at: source.position(of: row, in: file.file), after: read.count + 1)
    }
  }

  private mutating func loadRowByRow(
    _ rows: SQLiteTableReader, _ type: EntityTypeID, _ file: LoadFile, _ source: SQLiteTableSource, _ number: Int
  ) throws(RecordFailure) {
    var row = 0
    while try Self.reading(source, at: row, { () throws(SQLiteConnection.Failure) in try rows.rows.next() }) {
      do throws(RecordFailure) {
        try loadRow(rows, row, type, file, number)
      } catch {
        try skip(error, file.file)
      }
      row += 1
      try lookAround(file.file.name, at: source.position(of: row, in: file.file))
    }
  }

  private static func reading<Result>(
    _ source: SQLiteTableSource, at row: Int, _ body: () throws(SQLiteConnection.Failure) -> Result
  ) throws(RecordFailure) -> Result {
    do throws(SQLiteConnection.Failure) {
      return try body()
    } catch {
      throw RecordFailure(error, of: source.connection, at: row)
    }
  }

  /// Reads the row at which the reader stands as a record, and inserts it.
  private mutating func loadRow(
    _ rows: SQLiteTableReader, _ row: Int, _ type: EntityTypeID, _ file: LoadFile, _ number: Int
  ) throws(RecordFailure) {
    reader.removeAll(keepsTexts: writer.stagedRecords > 0)
    var written = ByteBuffer(capacity: 1024)
    rows.writeRecord(into: &written)
    let count = written.count
    let start = arena.take(&written).assumingMemoryBound(to: UInt8.self)
    var scanner = JSONScanner(UnsafeBufferPointer(start: start, count: count))
    do throws(RecordFailure) {
      var type = type
      if reader.layouts[Int(type.index)].isAbstract {
        type = try reader.typename(scanner, offset: 0, among: type)
      }
      _ = try reader.readRecord(type, &scanner, offset: 0, isTopLevel: true)
    } catch {
      // Nobody wrote the text, so places are those of rows.
      var failure = error
      (failure.start, failure.end) = (row, row + 1)
      throw failure
    }
    for index in reader.stage.records.indices {
      reader.stage.records[index].origin = RecordStage.Origin(start: row, end: row + 1)
    }
    try insertStage(number)
  }
}

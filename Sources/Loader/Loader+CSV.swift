import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// CSV files: lines are read into a stage by columns, or one by one where bad ones are to be skipped.
extension Loader {
  mutating func loadCSV(_ file: LoadFile, _ dialect: CSVDialect, _ number: Int) throws(RecordFailure) {
    let bytes = file.file.bytes
    guard let type = file.type, !catalog[type].isAbstract else {
      throw RecordFailure(.unknownType, "a CSV file is named for its type", at: 0)
    }
    var csv = CSVReader(bytes, dialect)
    let columns = try reader.csvColumns(CSVHeader(&csv, reader.arena), type)
    var fields: [CSVReader.Field] = []
    let slots = reader.layouts[Int(type.index)].slots
    guard !skipsBadRecords, columns.allSatisfy({ $0.presences.isEmpty || RecordLayout.isPlain(slots[$0.place]) }) else {
      return try loadLineByLine(&csv, columns, file, number, type)
    }
    let stage = writer.stage(of: Int(type.index))
    let lines = CSVLines(
      width: columns.count, capacity: EntityStage.mostRecords(columns: max(stage.columnCount, columns.count)))
    while !csv.isAtEnd {
      reader.removeAll()
      let isRegular = lines.read(&csv)
      let read = reader.readLines(lines, columns, into: stage, bytes)
      records += read
      try insert(stage, number)
      if read < lines.count {
        // This says what is wrong with it.
        reader.removeAll()
        try reader.readLine(lines.line(read), columns, type, bytes)
        try insertStage(number)
        csv.position = lines.end(of: read)
      } else if !isRegular {
        try loadLine(&csv, &fields, columns, number, type)
      }
      try lookAround(file.file.name, at: csv.position, after: lines.count)
    }
  }

  private mutating func loadLineByLine(
    _ csv: inout CSVReader, _ columns: [RecordReader.CSVColumn], _ file: LoadFile, _ number: Int, _ type: EntityTypeID
  ) throws(RecordFailure) {
    var fields: [CSVReader.Field] = []
    while !csv.isAtEnd {
      do throws(RecordFailure) {
        try loadLine(&csv, &fields, columns, number, type)
      } catch {
        try skip(error, file.file)
      }
      try lookAround(file.file.name, at: csv.position)
    }
  }

  private mutating func loadLine(
    _ csv: inout CSVReader, _ fields: inout [CSVReader.Field], _ columns: [RecordReader.CSVColumn], _ number: Int,
    _ type: EntityTypeID
  ) throws(RecordFailure) {
    reader.removeAll(keepsTexts: writer.stagedRecords > 0)
    do throws(RecordFailure) {
      try csv.nextLine(into: &fields)
    } catch {
      csv.skipLine()
      throw error
    }
    if fields.isEmpty { return }
    try fields.withUnsafeBufferPointer { (fields) throws(RecordFailure) in
      try reader.readLine(fields, columns, type, csv.bytes)
    }
    try insertStage(number)
  }
}

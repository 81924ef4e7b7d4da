import GQLBase

extension SchemaInference {
  /// Infers the schema of the files, of which tables of SQLite bring their own types.
  ///
  /// A record that cannot be read has no part in the schema; the load reports it. Only where nothing can be read at all
  /// there is no load: then it throws what is wrong.
  ///
  /// - Parameter ids: By type, the column that is the id.
  package static func schema(
    of files: [LoadFile], ids: [String: String] = [:]
  ) throws(LoadFailure) -> InferredSchema {
    let sources = files.compactMap { $0.typeName }
    var wanted: Set<Text> = []
    // Names of types that are found in the records may ask for the values of more columns.
    for attempt in 0..<3 {
      var inference = SchemaInference(sources, wanted: wanted, ids: ids)
      inference.read(files)
      if inference.isEmpty {
        if let problem = inference.problem { throw problem }
        return InferredSchema(sdl: "", notes: [])
      }
      let before = wanted
      try inference.decideIdentities(wanted: &wanted)
      inference.liftNested()
      let names = inference.nameTypes()
      inference.relate(wanted: &wanted)
      if wanted.count > before.count, attempt < 2 { continue }
      return try inference.written(names)
    }
    return InferredSchema(sdl: "", notes: [])
  }

  /// Reads all records of the files.
  mutating func read(_ files: [LoadFile]) {
    // Where tables stand alone, their file says everything.
    let needsValues = files.contains { $0.table == nil }
    for file in files {
      if let table = file.table { declare(table, file.typeName ?? table.name) }
    }
    // By name: the whole name of the first file that is called so.
    var owners: [String: String] = [:]
    for file in files where file.table == nil || needsValues {
      let source = source(of: file, &owners)
      // A file without records has a type all the same.
      if let source, !file.recordsAreNamed { declare(source) }
      do throws(RecordFailure) {
        switch file.layout {
        case .json(let table): try readJSON(file, table, source)
        case .csv(let dialect): try readCSV(file, dialect, source)
        }
        if let fault = file.fault { throw fault }
      } catch {
        note(error, file)
      }
    }
  }

  /// Returns the name of a file's table. One that is called as another one, such as `orders.csv` beside `orders.json`
  /// or a table of SQLite, is told from it by its whole name.
  private mutating func source(of file: LoadFile, _ owners: inout [String: String]) -> String? {
    guard let name = file.typeName, file.table == nil, let whole = file.wholeName, !file.recordsAreNamed else {
      return file.typeName
    }
    if !isTable(name) {
      // One key in several files leads to one table, and so do files of one name in several folders.
      let owner = file.isNamedByKey ? "" : whole
      if owners[name] == nil { owners[name] = owner }
      if owners[name] == owner { return name }
    }
    declare(whole, calledLike: name)
    return whole
  }

  private mutating func note(_ failure: RecordFailure, _ file: LoadFile) {
    if problem == nil { problem = LoadFailure([Loader.diagnostic(failure, in: file.file, severity: .error)]) }
  }

  /// Reads record by record: those before a fault count.
  private mutating func readJSON(
    _ file: LoadFile, _ table: JSONShape.Table, _ source: String?
  ) throws(RecordFailure) {
    var records = JSONRecords(table, file.file.bytes)
    while try records.next() {
      if let fault = records.fault() {
        note(fault, file)
        guard records.recover() else { return }
        continue
      }
      try readRecord(&records, source)
      try records.end()
    }
  }

  /// Notes a record that is JSON; the load reports what is no object.
  private mutating func readRecord(_ records: inout JSONRecords, _ source: String?) throws(RecordFailure) {
    guard records.scanner.peek() == .object, let source = records.name?.text ?? source else {
      return try skip(&records)
    }
    let id = records.id
    do throws(JSONScanner.Failure) {
      try note(source, &records.scanner, id: id)
    } catch {
      throw RecordFailure(.invalidJSON, error.problem.message, at: error.offset + records.offset)
    }
  }

  private func skip(_ records: inout JSONRecords) throws(RecordFailure) {
    do throws(JSONScanner.Failure) {
      try records.scanner.skipValue()
    } catch {
      throw RecordFailure(.invalidJSON, error.problem.message, at: error.offset + records.offset)
    }
  }

  private mutating func readCSV(_ file: LoadFile, _ dialect: CSVDialect, _ source: String?) throws(RecordFailure) {
    guard let source else { return }
    let bytes = file.file.bytes
    let arena = LoadArena()
    var csv = CSVReader(bytes, dialect)
    var fields: [CSVReader.Field] = []
    while !csv.isAtEnd, fields.isEmpty { try csv.nextLine(into: &fields) }
    var columns = CSVColumns(fields.map { String(decoding: $0.text(of: bytes, in: arena), as: UTF8.self) })
    declare(source, &columns)
    let count = fields.count
    while !csv.isAtEnd {
      guard (try? csv.nextLine(into: &fields)) != nil else {
        csv.skipLine()
        continue
      }
      guard fields.count == count else { continue }
      arena.removeAll()
      note(source, fields, columns, bytes, arena)
    }
  }
}

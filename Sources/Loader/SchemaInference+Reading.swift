import GQLBase

extension SchemaInference {
  /// Infers the schema of the files, of which tables of SQLite bring their own types.
  ///
  /// A record that cannot be read has no part in the schema; the load reports it. Only where nothing can be read at all
  /// there is no load: then it throws what is wrong.
  ///
  /// - Parameter ids: By type, the column that is the id.
  package static func schema(
    of files: [LoadFile], ids: [String: String] = [:], _ watch: LoadWatch = LoadWatch()
  ) throws(LoadFailure) -> InferredSchema {
    let sources = files.compactMap { $0.typeName }
    var wanted: Set<Text> = []
    // Names of types that are found in the records may ask for the values of more columns.
    for attempt in 0..<3 {
      var inference = SchemaInference(sources, wanted: wanted, ids: ids)
      try inference.read(files, watch)
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
  mutating func read(_ files: [LoadFile], _ watch: LoadWatch) throws(LoadFailure) {
    // Where tables stand alone, their file says everything.
    let needsValues = files.contains { $0.table == nil }
    for file in files {
      if let table = file.table { declare(table, file.typeName ?? table.name) }
    }
    var owners = SourceOwners()
    var looks = LookAround(watch, totalBytes: LoadFile.byteCount(files))
    for (index, file) in files.enumerated() where file.table == nil || needsValues {
      let source = source(of: file, &owners)
      // A file without records has a type all the same.
      if let source, !file.recordsAreNamed { declare(source) }
      do throws(RecordFailure) {
        switch file.layout {
        case .json(let table): try readJSON(file, table, source, &owners, &looks)
        case .csv(let dialect): try readCSV(file, dialect, source, &looks)
        }
        if let fault = file.fault { throw fault }
      } catch {
        if error.problem == .interrupted { throw watch.interrupted(file.file.name) }
        note(error, file)
      }
      if LoadFile.endsFile(index, files) { try looks.finish(file.file) }
    }
  }

  /// Looks at the time now and then, and tells how far the reading has come.
  private struct LookAround {
    private let watch: LoadWatch
    private let totalBytes: Int
    private var before = 0
    private var records = 0

    init(_ watch: LoadWatch, totalBytes: Int) {
      self.watch = watch
      self.totalBytes = totalBytes
    }

    /// - Throws: a failure `.interrupted` where the load is to end.
    @inline(__always)
    mutating func passRecord(of file: MappedFile, at position: Int) throws(RecordFailure) {
      records &+= 1
      if records & 0xFF == 0 { try look(file, at: position) }
    }

    private func look(_ file: MappedFile, at position: Int) throws(RecordFailure) {
      if records & 0xFFFF == 0 { tell(file, at: position) }
      if watch.isDue { throw RecordFailure(.interrupted, "", at: position) }
    }

    /// Goes behind a file.
    mutating func finish(_ file: MappedFile) throws(LoadFailure) {
      before += file.bytes.count
      tell(file, at: 0)
      try watch.check(file.name)
    }

    private func tell(_ file: MappedFile, at position: Int) {
      watch.progress?(
        LoadPosition(
          step: .inferring, file: file.name, bytes: before + position, totalBytes: totalBytes, records: records))
    }
  }

  /// Whose the names of types are.
  private struct SourceOwners {
    /// By name: the whole name of the first file that is called so; empty where keys and records are.
    private var owners: [String: String] = [:]

    /// Returns whether a name is free, or that of the same owner.
    mutating func mayTake(_ name: String, _ owner: String) -> Bool {
      if let found = owners[name] { return found == owner }
      owners[name] = owner
      return true
    }
  }

  /// Returns the name of a file's table. One that is called as another one, such as `orders.csv` beside `orders.json`
  /// or a table of SQLite, is told from it by its whole name.
  private mutating func source(of file: LoadFile, _ owners: inout SourceOwners) -> String? {
    guard let name = file.typeName, file.table == nil, let whole = file.wholeName, !file.recordsAreNamed else {
      return file.typeName
    }
    // One key in several files leads to one table, and so do files of one name in several folders.
    return source(name, whole, owner: file.isNamedByKey ? "" : whole, &owners)
  }

  private mutating func source(
    _ name: String, _ whole: String, owner: String, _ owners: inout SourceOwners
  ) -> String {
    if !isTable(name), owners.mayTake(name, owner) { return name }
    declare(whole, calledLike: name)
    return whole
  }

  private mutating func note(_ failure: RecordFailure, _ file: LoadFile) {
    if problem == nil { problem = LoadFailure([Loader.diagnostic(failure, in: file.file, severity: .error)]) }
  }

  /// Reads record by record: those before a fault count.
  private mutating func readJSON(
    _ file: LoadFile, _ table: JSONShape.Table, _ source: String?, _ owners: inout SourceOwners,
    _ looks: inout LookAround
  ) throws(RecordFailure) {
    var records = JSONRecords(table, file.file.bytes)
    // By the names that records say.
    var sources: [String: String] = [:]
    while try records.next() {
      try looks.passRecord(of: file.file, at: records.position)
      if let fault = records.fault() {
        note(fault, file)
        guard records.recover() else { return }
        continue
      }
      var source = source
      if let name = records.name?.text {
        let whole = file.wholeName(ofRecords: name)
        source = sources[name] ?? self.source(name, whole, owner: "", &owners)
        sources[name] = source
      }
      try readRecord(&records, source)
      try records.end()
    }
  }

  /// Notes a record that is JSON; the load reports what is no object.
  private mutating func readRecord(_ records: inout JSONRecords, _ source: String?) throws(RecordFailure) {
    guard records.scanner.peek() == .object, let source else {
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

  private mutating func readCSV(
    _ file: LoadFile, _ dialect: CSVDialect, _ source: String?, _ looks: inout LookAround
  ) throws(RecordFailure) {
    guard let source else { return }
    let bytes = file.file.bytes
    let arena = LoadArena()
    var csv = CSVReader(bytes, dialect)
    var fields = try csv.names()
    var columns = CSVColumns(fields.map { String(decoding: $0.text(of: bytes, in: arena), as: UTF8.self) })
    declare(source, &columns)
    let count = fields.count
    while !csv.isAtEnd {
      try looks.passRecord(of: file.file, at: csv.position)
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

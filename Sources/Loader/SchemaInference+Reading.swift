import GQLBase
import GQLWriting

extension SchemaInference {
  /// Infers the schema of the files, of which tables of SQLite bring their own types.
  ///
  /// A record that cannot be read has no part in the schema; the load reports it. Only where nothing can be read at all
  /// there is no load: then it throws what is wrong.
  ///
  /// - Parameters:
  ///   - ids: By type, the column that is the id.
  ///   - partBytes: How many bytes of lines are read by one processor at a time.
  package static func schema(
    of files: [LoadFile], ids: [String: String] = [:], _ watch: LoadWatch = LoadWatch(), partBytes: Int = 1 << 20
  ) throws(LoadFailure) -> InferredSchema {
    let sources = files.compactMap { $0.typeName }
    var wanted: Set<Text> = []
    // Names of types that are found in the records may ask for the values of more columns.
    for attempt in 0..<3 {
      var inference = SchemaInference(sources, wanted: wanted, ids: ids)
      try inference.read(files, watch, partBytes: partBytes)
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
  private mutating func read(_ files: [LoadFile], _ watch: LoadWatch, partBytes: Int) throws(LoadFailure) {
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
      if let source, !file.recordsAreNamed {
        declare(source)
        if let place = file.place { set(place, of: source) }
      }
      do throws(RecordFailure) {
        switch file.layout {
        case .json(let table): try readJSON(file, table, source, &owners, &looks, partBytes)
        case .csv(let dialect): try readCSV(file, dialect, source, &looks)
        case .rows(let table): try readRows(file, table, source, &looks)
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

    var interruption: Interruption? { watch.interruption }

    /// Counts records that were read under another one, up to a position.
    mutating func pass(_ part: LookAround, of file: MappedFile, at position: Int) {
      let before = records
      records &+= part.records
      if before >> 16 != records >> 16 { tell(file, at: position) }
    }

    /// - Throws: a failure `.interrupted` where the load is to end.
    @inline(__always)
    mutating func passRecord(of file: MappedFile, at position: Int) throws(RecordFailure) {
      records &+= 1
      if records & 0xFF == 0 { try look(file, at: position) }
    }

    /// Counts rows of a table, which SQLite itself stops where the load is to end.
    mutating func passRows(_ count: Int, of file: MappedFile, at position: Int) {
      records &+= count
      if records & 0xFFFF == 0 { tell(file, at: position) }
    }

    private func look(_ file: MappedFile, at position: Int) throws(RecordFailure) {
      if records & 0xFFFF == 0 { tell(file, at: position) }
      if watch.isDue { throw RecordFailure(.interrupted, "", at: position) }
    }

    /// Goes behind a file.
    mutating func finish(_ file: MappedFile) throws(LoadFailure) {
      before += file.size
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

  /// Reads the records of a table; those before a fault count.
  ///
  /// They are read once, on the assumption that nothing is wrong with them. Where something is, the records that were
  /// read with it are read anew, each checked before it counts.
  private mutating func readJSON(
    _ file: LoadFile, _ table: JSONShape.Table, _ source: String?, _ owners: inout SourceOwners,
    _ looks: inout LookAround, _ partBytes: Int
  ) throws(RecordFailure) {
    guard table.form == .lines, table.style == .plain else {
      var part = part(of: table.style == .plain ? source : nil, among: 1)
      var (partOwners, partLooks) = (owners, looks)
      var records = JSONRecords(table, file.file.bytes)
      if try part.readSound(&records, file, source, &partOwners, &partLooks) {
        merge(part)
        (owners, looks) = (partOwners, partLooks)
        return
      }
      records = JSONRecords(table, file.file.bytes)
      return try readRecords(&records, file, source, &owners, &looks, isChecked: true)
    }
    var lines = LineRanges(file.file.bytes, from: table.start, size: partBytes)
    while let ranges = lines.next() {
      let part = part(of: source, among: ranges.count)
      let interruption = looks.interruption
      let read = ConcurrentWork.map(ranges) { range in
        LinesPart(part, JSONRecords(table, file.file.bytes, lines: range), file, source, interruption)
      }
      for (range, result) in zip(ranges, read) {
        if result.isInterrupted { throw RecordFailure(.interrupted, "", at: range.lowerBound) }
        if result.isSound {
          merge(result.inference)
          looks.pass(result.looks, of: file.file, at: range.upperBound)
        } else {
          var records = JSONRecords(table, file.file.bytes, lines: range)
          try readRecords(&records, file, source, &owners, &looks, isChecked: true)
        }
        file.file.release(upTo: range.upperBound)
      }
    }
  }

  /// Lines of a table that were read on some thread.
  private struct LinesPart {
    private(set) var inference: SchemaInference
    private(set) var looks: LookAround
    private(set) var isSound = false
    private(set) var isInterrupted = false

    init(
      _ part: SchemaInference, _ records: consuming JSONRecords, _ file: LoadFile, _ source: String?,
      _ interruption: Interruption?
    ) {
      inference = part
      // It tells nothing, on whichever thread it is.
      looks = LookAround(LoadWatch(interruption), totalBytes: 0)
      // These records say no names.
      var owners = SourceOwners()
      do throws(RecordFailure) {
        isSound = try inference.readSound(&records, file, source, &owners, &looks)
      } catch {
        isInterrupted = true
      }
    }
  }

  /// Reads records into a part; false where something is wrong with one, so that the part is of no use.
  ///
  /// - Throws: a failure `.interrupted` where the load is to end.
  private mutating func readSound(
    _ records: inout JSONRecords, _ file: LoadFile, _ source: String?, _ owners: inout SourceOwners,
    _ looks: inout LookAround
  ) throws(RecordFailure) -> Bool {
    do throws(RecordFailure) {
      try readRecords(&records, file, source, &owners, &looks, isChecked: false)
      return !isFull
    } catch {
      if error.problem == .interrupted { throw error }
      return false
    }
  }

  /// Reads record by record.
  ///
  /// - Parameter isChecked: Whether a record that is no JSON is gone past, before anything of it counts.
  private mutating func readRecords(
    _ records: inout JSONRecords, _ file: LoadFile, _ source: String?, _ owners: inout SourceOwners,
    _ looks: inout LookAround, isChecked: Bool
  ) throws(RecordFailure) {
    var scratch = ByteBuffer(capacity: 256)
    // Where records say names, the table's own is that of a type only if one says none.
    var own: Int?
    // By the names that records say.
    var places: [String: Int] = [:]
    while try records.next() {
      try looks.passRecord(of: file.file, at: records.position)
      if isChecked, let fault = records.fault() {
        note(fault, file)
        guard records.recover() else { return }
        continue
      }
      var place: Int?
      if let name = records.name?.text {
        place = places[name]
        if place == nil {
          let found = declare(self.source(name, file.wholeName(ofRecords: name), owner: "", &owners))
          places[name] = found
          place = found
        }
      } else if let source, records.scanner.peek() == .object {
        if own == nil { own = declare(source) }
        place = own
      }
      do throws(JSONScanner.Failure) {
        if let place {
          try note(place, &records.scanner, id: records.id, named: records.keyName, &scratch)
        } else {
          // The load reports what is no object.
          try records.scanner.skipValue()
        }
      } catch {
        throw RecordFailure(error, offset: records.offset)
      }
      try records.end()
    }
  }

  /// Reads the rows of a table of SQLite for the values of its keys and of columns that may relate.
  private mutating func readRows(
    _ file: LoadFile, _ table: SQLiteTableSource, _ source: String?, _ looks: inout LookAround
  ) throws(RecordFailure) {
    guard let source else { return }
    let place = declare(source)
    var scratch = ByteBuffer(capacity: 256)
    var record = ByteBuffer(capacity: 1024)
    var row = 0
    do throws(SQLiteConnection.Failure) {
      let reader = try table.open()
      while try reader.rows.next() {
        record.removeAll(keeping: 1 << 16)
        reader.writeRecord(into: &record)
        record.withUnsafeBytes { bytes in
          // What is no JSON, as a text that is not UTF-8, the load reports.
          var scanner = JSONScanner(bytes.bindMemory(to: UInt8.self))
          try? note(place, &scanner, id: nil, named: "id", &scratch)
        }
        row += 1
        if row & 0xFF == 0 { looks.passRows(256, of: file.file, at: table.position(of: row, in: file.file)) }
      }
    } catch {
      throw RecordFailure(error, of: table.connection, at: row)
    }
  }

  private mutating func readCSV(
    _ file: LoadFile, _ dialect: CSVDialect, _ source: String?, _ looks: inout LookAround
  ) throws(RecordFailure) {
    guard let source else { return }
    let bytes = file.file.bytes
    let arena = StagingArena()
    var csv = CSVReader(bytes, dialect)
    let header = try CSVHeader(&csv, arena)
    var columns = CSVColumns(header)
    declare(source, &columns)
    let place = declare(source)
    let count = header.columns.count
    var fields: [CSVReader.Field] = []
    while !csv.isAtEnd {
      try looks.passRecord(of: file.file, at: csv.position)
      guard (try? csv.nextLine(into: &fields)) != nil else {
        csv.skipLine()
        continue
      }
      guard fields.count == count else { continue }
      arena.removeAll()
      note(place, fields, columns, bytes, arena)
    }
  }
}

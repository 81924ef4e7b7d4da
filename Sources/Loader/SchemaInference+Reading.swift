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
    for file in files where file.table == nil || needsValues {
      var file = file
      // A file that is called as a table is told from it by its whole name.
      if file.table == nil, let type = file.typeName, isTable(type) {
        file.typeName = LoadFile.name(of: file.file.name)
      }
      // A file without records has a type all the same.
      if let type = file.typeName { declare(type) }
      do throws(RecordFailure) {
        switch file.format {
        case .ndjson: readLines(file)
        case .json: try readJSON(file)
        case .csv: try readCSV(file)
        }
      } catch {
        note(error, file)
      }
    }
  }

  private mutating func note(_ failure: RecordFailure, _ file: LoadFile) {
    if problem == nil { problem = LoadFailure([Loader.diagnostic(failure, in: file.file, severity: .error)]) }
  }

  private mutating func readLines(_ file: LoadFile) {
    let bytes = file.file.bytes
    var position = Self.textStart(bytes)
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[position..<end]))
      if scanner.peek() != .end {
        do throws(JSONScanner.Failure) {
          var behind = scanner
          try behind.skipValue()
          try behind.finish()
          try readRecord(&scanner, file.typeName)
        } catch {
          note(RecordFailure(.invalidJSON, error.problem.message, at: error.offset + position), file)
        }
      }
      position = end + 1
    }
  }

  /// Behind a byte order mark.
  private static func textStart(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  /// Reads record by record: those before a fault count.
  private mutating func readJSON(_ file: LoadFile) throws(RecordFailure) {
    var scanner = JSONScanner(file.file.bytes)
    scanner.position = Self.textStart(file.file.bytes)
    var scratch = ByteBuffer(capacity: 256)
    do throws(JSONScanner.Failure) {
      switch scanner.peek() {
      case .array: try readArray(&scanner, file.typeName)
      case .object where file.typeName == nil:
        try scanner.beginObject()
        while let key = try scanner.nextKey(&scratch)?.string {
          guard scanner.peek() == .array else {
            try scanner.skipValue()
            continue
          }
          declare(key)
          try readArray(&scanner, key)
        }
      case .end: return
      default: try readRecord(&scanner, file.typeName)
      }
      try scanner.finish()
    } catch {
      throw RecordFailure(.invalidJSON, error.problem.message, at: error.offset)
    }
  }

  private mutating func readArray(
    _ scanner: inout JSONScanner, _ type: String?
  ) throws(JSONScanner.Failure) {
    try scanner.beginArray()
    while try scanner.nextElement() { try readRecord(&scanner, type) }
  }

  /// Notes a record that is whole; the load reports what is no object.
  private mutating func readRecord(
    _ scanner: inout JSONScanner, _ type: String?
  ) throws(JSONScanner.Failure) {
    var record = scanner
    let isObject = record.peek() == .object
    try scanner.skipValue()
    guard isObject else { return }
    var type = type
    if type == nil { type = try Self.typename(record) }
    guard let type else { return }
    try note(type, &record)
  }

  private static func typename(_ record: JSONScanner) throws(JSONScanner.Failure) -> String? {
    var scanner = record
    var scratch = ByteBuffer(capacity: 64)
    try scanner.beginObject()
    while let key = try scanner.nextKey(&scratch) {
      guard key.bytes.elementsEqual("__typename".utf8), scanner.peek() == .string else {
        try scanner.skipValue()
        continue
      }
      return try scanner.scanString(&scratch).string
    }
    return nil
  }

  private mutating func readCSV(_ file: LoadFile) throws(RecordFailure) {
    guard let type = file.typeName else { return }
    let bytes = file.file.bytes
    let arena = LoadArena()
    var csv = CSVReader(bytes)
    var fields: [CSVReader.Field] = []
    while !csv.isAtEnd, fields.isEmpty { try csv.nextLine(into: &fields) }
    var columns = CSVColumns(fields.map { String(decoding: $0.text(of: bytes, in: arena), as: UTF8.self) })
    declare(type, &columns)
    let count = fields.count
    while !csv.isAtEnd {
      guard (try? csv.nextLine(into: &fields)) != nil else {
        csv.skipLine()
        continue
      }
      guard fields.count == count else { continue }
      arena.removeAll()
      note(type, fields, columns, bytes, arena)
    }
  }
}

import GQLBase

extension SchemaInference {
  /// Reads all records of the files.
  ///
  /// A record that cannot be read has no part in the schema; the load reports it. Only where nothing can be read at all
  /// there is no load: then ``problem`` says why.
  package mutating func read(_ files: [LoadFile]) {
    for file in files {
      // A file without records has a type all the same.
      if let type = file.typeName {
        if Self.isTypeName(type) {
          declare(type)
        } else {
          note(
            RecordFailure(.unknownType, "no type can be named '\(type)'", at: 0, help: "give the file another name"),
            LoadFile(file: MappedFile(name: file.file.name, bytes: []), format: file.format))
        }
      }
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
    var scratch = ByteBuffer(capacity: 256)
    var position = Self.textStart(bytes)
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      var scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[position..<end]))
      if scanner.peek() != .end {
        do throws(JSONScanner.Failure) {
          var behind = scanner
          try behind.skipValue()
          try behind.finish()
          try readRecord(&scanner, &scratch, file.typeName, file, offset: position)
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
      case .array: try readArray(&scanner, &scratch, file.typeName, file)
      case .object where file.typeName == nil:
        try scanner.beginObject()
        while true {
          scanner.skipSpace()
          let start = scanner.position
          guard let key = try scanner.nextKey(&scratch)?.string else { break }
          guard scanner.peek() == .array else {
            try scanner.skipValue()
            continue
          }
          if isType(key, file, at: start) { declare(key) }
          try readArray(&scanner, &scratch, key, file)
        }
      case .end: return
      default: try readRecord(&scanner, &scratch, file.typeName, file, offset: 0)
      }
      try scanner.finish()
    } catch {
      throw RecordFailure(.invalidJSON, error.problem.message, at: error.offset)
    }
  }

  private mutating func readArray(
    _ scanner: inout JSONScanner, _ scratch: inout ByteBuffer, _ type: String?, _ file: LoadFile
  ) throws(JSONScanner.Failure) {
    try scanner.beginArray()
    while try scanner.nextElement() { try readRecord(&scanner, &scratch, type, file, offset: 0) }
  }

  /// Notes a record that is whole; the load reports what is no object. `offset` is where the scanner's text begins.
  private mutating func readRecord(
    _ scanner: inout JSONScanner, _ scratch: inout ByteBuffer, _ type: String?, _ file: LoadFile, offset: Int
  ) throws(JSONScanner.Failure) {
    var record = scanner
    let isObject = record.peek() == .object
    try scanner.skipValue()
    guard isObject else { return }
    var type = type
    if type == nil { type = try Self.typename(record, &scratch) }
    guard let type, isType(type, file, at: record.position + offset) else { return }
    try note(type) { (shape) throws(JSONScanner.Failure) in try Self.note(&record, &scratch, in: &shape) }
  }

  private static func typename(
    _ record: JSONScanner, _ scratch: inout ByteBuffer
  ) throws(JSONScanner.Failure) -> String? {
    var scanner = record
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

  private mutating func isType(_ name: String, _ file: LoadFile, at start: Int) -> Bool {
    if Self.isTypeName(name) { return true }
    note(RecordFailure(.unknownType, "no type can be named '\(name)'", at: start), file)
    return false
  }

  private mutating func readCSV(_ file: LoadFile) throws(RecordFailure) {
    guard let type = file.typeName, Self.isTypeName(type) else { return }
    let bytes = file.file.bytes
    let arena = LoadArena()
    var csv = CSVReader(bytes)
    var fields: [CSVReader.Field] = []
    while !csv.isAtEnd, fields.isEmpty { try csv.nextLine(into: &fields) }
    let columns = CSVColumns(fields.map { String(decoding: $0.text(of: bytes, in: arena), as: UTF8.self) })
    declare(type, columns)
    let count = fields.count
    while !csv.isAtEnd {
      guard (try? csv.nextLine(into: &fields)) != nil else {
        csv.skipLine()
        continue
      }
      guard fields.count == count else { continue }
      arena.removeAll()
      note(type) { shape in columns.note(fields, bytes, arena, in: &shape) }
    }
  }

  /// The columns of a CSV file by name: `address.city` is a field of an embedded object.
  struct CSVColumns {
    /// The names of one object, in their order, with the column or the columns of the object.
    private(set) var fields: [(name: Text, column: Int?, inner: CSVColumns)] = []
    private var places: [Text: Int] = [:]
    /// Objects inside each other that a name can lead through.
    private static let deepest = 64

    init(_ names: [String]) {
      for (column, name) in names.enumerated() {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map { Text(String($0)) }
        // The load says which name is none.
        guard parts.count <= Self.deepest, parts.allSatisfy({ !$0.isEmpty }) else { continue }
        insert(parts[...], column)
      }
    }

    private init() {}

    private mutating func insert(_ path: ArraySlice<Text>, _ column: Int) {
      guard let name = path.first else { return }
      let place = places[name] ?? fields.count
      if place == fields.count {
        fields.append((name, nil, CSVColumns()))
        places[name] = place
      }
      if path.count > 1 {
        fields[place].inner.insert(path.dropFirst(), column)
      } else if fields[place].column == nil {
        fields[place].column = column
      }
    }

    /// Notes a line. An embedded object of which it names nothing is null.
    func note(
      _ values: [CSVReader.Field], _ bytes: UnsafeBufferPointer<UInt8>, _ arena: LoadArena, in shape: inout Shape
    ) {
      shape.objects += 1
      shape.values += 1
      for field in fields {
        guard let place = shape.memberIndex[field.name] else { continue }
        if let column = field.column {
          Self.note(values[column], bytes, arena, in: &shape.members[place].shape)
        } else if field.inner.isNamed(in: values) {
          field.inner.note(values, bytes, arena, in: &shape.members[place].shape)
        } else {
          shape.members[place].shape.noteNull()
        }
      }
    }

    private func isNamed(in values: [CSVReader.Field]) -> Bool {
      fields.contains { field in
        field.column.map { values[$0].isQuoted || values[$0].start < values[$0].end } ?? field.inner.isNamed(in: values)
      }
    }

    private static func note(
      _ field: CSVReader.Field, _ bytes: UnsafeBufferPointer<UInt8>, _ arena: LoadArena, in shape: inout Shape
    ) {
      let text = field.text(of: bytes, in: arena)
      if text.isEmpty, !field.isQuoted { return shape.noteNull() }
      if text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8) { return shape.noteBoolean() }
      // Only what a JSON number could be: `007` and `+1` are texts.
      var scanner = JSONScanner(text)
      if scanner.peek() == .number, let number = try? scanner.scanNumber(), number.count == text.count {
        return shape.note(number)
      }
      shape.note(text: text)
    }
  }
}

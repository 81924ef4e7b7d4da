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
    var position = Self.textStart(bytes)
    while position < bytes.count {
      let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
      let line = UnsafeBufferPointer(rebasing: bytes[position..<end])
      var scanner = JSONScanner(line)
      if scanner.peek() != .end {
        do throws(JSONScanner.Failure) {
          add(try JSONValue.parse(line), file, at: scanner.position + position)
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
      case .array: try readArray(&scanner, &scratch) { $0.add($1, file, at: $2) }
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
          try readArray(&scanner, &scratch) { inference, record, _ in inference.add(key, record) }
        }
      case .end: return
      default:
        let start = scanner.position
        add(try scanner.scanValue(&scratch), file, at: start)
      }
      try scanner.finish()
    } catch {
      throw RecordFailure(.invalidJSON, error.problem.message, at: error.offset)
    }
  }

  private mutating func readArray(
    _ scanner: inout JSONScanner, _ scratch: inout ByteBuffer, _ add: (inout SchemaInference, JSONValue, Int) -> Void
  ) throws(JSONScanner.Failure) {
    try scanner.beginArray()
    while try scanner.nextElement() {
      scanner.skipSpace()
      let start = scanner.position
      add(&self, try scanner.scanValue(&scratch), start)
    }
  }

  private mutating func add(_ record: JSONValue, _ file: LoadFile, at start: Int) {
    if let type = file.typeName {
      add(type, record)
    } else if case .string(let name)? = record["__typename"], isType(name.string, file, at: start) {
      add(name.string, record)
    }
  }

  private mutating func isType(_ name: String, _ file: LoadFile, at start: Int) -> Bool {
    if Self.isTypeName(name) { return true }
    note(RecordFailure(.unknownType, "no type can be named '\(name)'", at: start), file)
    return false
  }

  private mutating func readCSV(_ file: LoadFile) throws(RecordFailure) {
    guard let type = file.typeName, Self.isTypeName(type) else { return }
    var csv = CSVReader(file.file.bytes)
    var fields: [CSVReader.Field] = []
    while !csv.isAtEnd, fields.isEmpty { try csv.nextLine(into: &fields) }
    func text(_ field: CSVReader.Field) -> Text {
      Text(field.decoded ?? Array(file.file.bytes[field.start..<field.end]))
    }
    let columns = CSVColumns(fields.map { text($0).string })
    declare(type, columns)
    let count = fields.count
    while !csv.isAtEnd {
      guard (try? csv.nextLine(into: &fields)) != nil else {
        csv.skipLine()
        continue
      }
      guard fields.count == count else { continue }
      let values = fields.map { Self.csvValue(text($0), isQuoted: $0.isQuoted) }
      add(type, .object(columns.members(values)))
    }
  }

  private static func csvValue(_ text: Text, isQuoted: Bool) -> JSONValue {
    if text.isEmpty { return isQuoted ? .string(text) : .null }
    if text == "true" || text == "false" { return .bool(text == "true") }
    // Only what a JSON number could be: `007` and `+1` are texts.
    if case .number(let digits)? = try? JSONValue.parse(Array(text.bytes)) { return .number(digits) }
    return .string(text)
  }

  /// The columns of a CSV file by name: `address.city` is a field of an embedded object.
  struct CSVColumns {
    /// The names of one object, in their order, with the column or the columns of the object.
    private(set) var fields: [(name: Text, column: Int?, inner: CSVColumns)] = []
    private var places: [Text: Int] = [:]

    init(_ names: [String]) {
      for (column, name) in names.enumerated() {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map { Text(String($0)) }
        // The load says which name is none.
        guard parts.allSatisfy({ !$0.isEmpty }) else { continue }
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

    /// The members of a line; an embedded object of which it names nothing is null.
    func members(_ values: [JSONValue]) -> [JSONValue.Member] {
      fields.map { field in
        if let column = field.column { return JSONValue.Member(field.name, values[column]) }
        let inner = field.inner.members(values)
        return JSONValue.Member(field.name, inner.allSatisfy { $0.value == .null } ? .null : .object(inner))
      }
    }
  }
}

import GQLBase
import GQLCatalog
import GQLEngine

/// The tables of a file: which type and which field has which number. A number is never used again.
struct StorageLayout {
  struct Field {
    let number: Int64
    let column: ColumnDescriptor
  }
  struct Kind {
    let number: Int64
    let type: EntityType
    /// The columns that are stored: all but those of folded texts, which follow from others.
    let fields: [Field]

    var table: String { "gqlite_t\(number)" }
  }
  /// In the order of the catalog.
  let kinds: [Kind]

  /// The numbers of a catalog's types and fields, those that a file knows and new ones for others.
  init(_ catalog: Catalog, _ connection: StorageConnection) throws(QueryError) {
    var types: [String: Int64] = [:]
    var fields: [Int64: [String: Int64]] = [:]
    var (lastType, lastField): (Int64, Int64) = (0, 0)
    let known = try connection.prepare("SELECT number, name FROM gqlite_type")
    while try known.step() {
      try Self.check(known.integer(0), connection)
      types[known.string(1)] = known.integer(0)
      lastType = max(lastType, known.integer(0))
    }
    let columns = try connection.prepare("SELECT number, type, name FROM gqlite_field")
    while try columns.step() {
      try Self.check(columns.integer(0), connection)
      fields[columns.integer(1), default: [:]][columns.string(2)] = columns.integer(0)
      lastField = max(lastField, columns.integer(0))
    }
    var kinds: [Kind] = []
    for type in catalog.types {
      let number = types[type.name] ?? lastType + 1
      lastType = max(lastType, number)
      types[type.name] = number
      var found: [Field] = []
      for column in type.columns where column.foldedFrom == nil {
        let field = fields[number]?[column.name] ?? lastField + 1
        lastField = max(lastField, field)
        found.append(Field(number: field, column: column))
      }
      kinds.append(Kind(number: number, type: type, fields: found))
    }
    self.kinds = kinds
  }

  /// Refuses a number after which there would be no next one.
  private static func check(_ number: Int64, _ connection: StorageConnection) throws(QueryError) {
    guard number > 0, number < 1 << 32 else {
      throw StorageProblem.corrupt("a type or a field has the number \(number)").error(connection.path)
    }
  }

  /// Writes the numbers into the file.
  func save(_ connection: StorageConnection) throws(QueryError) {
    let type = try connection.prepare("INSERT OR IGNORE INTO gqlite_type(number, name) VALUES (?, ?)")
    let field = try connection.prepare(
      """
      INSERT INTO gqlite_field(number, type, name, kind) VALUES (?, ?, ?, ?)
      ON CONFLICT(number) DO UPDATE SET kind = excluded.kind
      """)
    for kind in kinds {
      type.bind(1, kind.number)
      try type.run(binding: [(2, kind.type.name)])
      for found in kind.fields {
        field.bind(1, found.number)
        field.bind(2, kind.number)
        try field.run(binding: [(3, found.column.name), (4, "\(found.column.kind)")])
      }
    }
  }
}

extension StorageStatement {
  /// Runs with some texts bound.
  func run(binding texts: [(number: Int32, text: String)]) throws(QueryError) {
    var arrays: [ContiguousArray<UInt8>] = []
    for (_, text) in texts { arrays.append(ContiguousArray(text.utf8)) }
    // Kept until the statement has run.
    let buffers = arrays.map { array -> UnsafeMutableRawBufferPointer in
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(array.count, 1), alignment: 1)
      buffer.copyBytes(from: array)
      return buffer
    }
    defer { for buffer in buffers { buffer.deallocate() } }
    for (index, (number, _)) in texts.enumerated() {
      bind(number, text: UnsafeRawBufferPointer(rebasing: buffers[index][..<arrays[index].count]))
    }
    try run()
  }
}

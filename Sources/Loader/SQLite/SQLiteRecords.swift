import GQLBase
import GQLCatalog

/// The rows of a SQLite file as records, an object a line, for the loader.
struct SQLiteRecords {
  private let connection: SQLiteConnection
  private let schema: SQLiteSchema
  /// The schema that the records are for; nil where the file's own is taken.
  private let catalog: Catalog?
  private let types: SourceTypes?
  private let path: String

  init(_ connection: SQLiteConnection, _ schema: SQLiteSchema, for catalog: Catalog?, path: String) {
    self.path = path
    self.connection = connection
    self.schema = schema
    self.catalog = catalog
    types = catalog.map { SourceTypes($0) }
  }

  private struct Output {
    var name: String
    var kind: SQLiteSchema.Kind
    /// The first column of the statement, and how many make the value.
    var first: Int
    var count: Int
  }

  /// A file of records for each table that the schema has a type for; empty tables too.
  func files() throws(SQLiteConnection.Failure) -> [LoadFile] {
    var files: [LoadFile] = []
    for (index, type) in schema.types.enumerated() {
      guard let name = typeName(type) else { continue }
      var lines = try records(index)
      let file = MappedFile(name: "\(path)/\(type.table.name)", taking: &lines, isMadeOfRows: true)
      var opened = LoadFile.lines(file, typeName: name)
      if catalog == nil { opened.table = schema.draft(index) } else { opened.type = entityType(type) }
      files.append(opened)
    }
    return files
  }

  /// The name of the type for a table: the same but for case, underscores, or the plural.
  private func typeName(_ type: SQLiteSchema.EntityTable) -> String? {
    guard let catalog else { return type.source }
    return entityType(type).map { catalog[$0].name }
  }

  private func entity(_ index: Int) -> EntityType? {
    guard let catalog, let type = entityType(schema.types[index]) else { return nil }
    return catalog[type]
  }

  private func entityType(_ type: SQLiteSchema.EntityTable) -> EntityTypeID? {
    types?.type(ofSource: TableNames.source(type.table.name, of: path)) ?? types?.type(named: type.table.name)
  }

  // MARK: - One table

  private func records(_ index: Int) throws(SQLiteConnection.Failure) -> ByteBuffer {
    let type = schema.types[index]
    let table = type.table
    var columns: [String] = []
    var outputs: [Output] = []
    var links: [(name: String, values: [String: [UInt8]])] = []
    // Where even the number of a row has no name, rows are counted.
    let key =
      type.key.isEmpty
      ? [table.rowIDName ?? "row_number() OVER ()"]
      : type.key.map { Self.key(table, $0) }
    columns += key
    let entity = entity(index)
    for field in type.fields {
      switch field.kind {
      case .id:
        outputs.append(Output(name: idName(field, entity), kind: .id, first: 0, count: key.count))
      case .inverse: break
      case .junction(let number):
        let junction = schema.junctions[number]
        guard entity == nil || property(field.name, of: entity) != nil || !isWrittenFromTheOtherSide(index, field)
        else { break }
        links.append(
          (
            property(field.name, of: entity)?.name ?? field.name,
            try pairs(junction, from: junction.source, to: junction.target)
          ))
      default:
        let (name, kind) = target(field, table, entity)
        outputs.append(Output(name: name, kind: kind, first: columns.count, count: field.columns.count))
        columns += field.columns.map { SQLiteConnection.quoted(table.columns[$0].name) }
      }
    }
    // A column of a key that refers to another table is read into both fields.
    var written: Set<String> = []
    outputs.removeAll { !written.insert($0.name).inserted }
    links += try reversedLinks(index, entity)
    links += try linksToAbsent(index, entity)
    let order =
      table.hasRowID
      ? table.rowIDName.map { " ORDER BY \($0)" } ?? " NOT INDEXED" : " ORDER BY " + key.joined(separator: ", ")
    let rows = try connection.select(columns, "FROM \(SQLiteConnection.quoted(table.name))\(order)")
    var buffer = ByteBuffer(capacity: 1 << 16)
    var counted = 0
    while try rows.next() {
      try connection.take(buffer.count - counted)
      counted = buffer.count
      var separator: UInt8 = 0x7B
      for output in outputs {
        buffer.append(separator)
        separator = 0x2C
        buffer.append(json: output.name)
        buffer.append(0x3A)
        write(output, rows, into: &buffer)
      }
      if !links.isEmpty {
        let id = keyText(rows, 0, key.count)
        for link in links {
          buffer.append(separator)
          buffer.append(json: link.name)
          buffer.append(":[")
          if let ids = link.values[id] {
            ids.withUnsafeBytes { bytes in
              if let start = bytes.baseAddress { buffer.append(start, bytes.count) }
            }
          }
          buffer.append(0x5D)
        }
      }
      buffer.append("}\n")
    }
    try connection.take(buffer.count - counted)
    return buffer
  }

  /// The fields of this table that hold the other ends of junction tables whose first side the schema does not name.
  private func reversedLinks(
    _ index: Int, _ entity: EntityType?
  ) throws(SQLiteConnection.Failure) -> [(name: String, values: [String: [UInt8]])] {
    guard let entity else { return [] }
    var result: [(name: String, values: [String: [UInt8]])] = []
    for number in schema.junctionsTo[index] {
      let junction = schema.junctions[number]
      let field = schema.types[junction.sourceType].fields[junction.field]
      let source = self.entity(junction.sourceType)
      guard source == nil || property(field.name, of: source) == nil, let inverse = field.inverse,
        let property = property(inverse, of: entity)
      else { continue }
      result.append((property.name, try pairs(junction, from: junction.target, to: junction.source)))
    }
    return result
  }

  /// Rows of junction tables whose first side is not there: written from the second side, they are links that the
  /// loader finds dangling, and tells.
  private func linksToAbsent(
    _ index: Int, _ entity: EntityType?
  ) throws(SQLiteConnection.Failure) -> [(name: String, values: [String: [UInt8]])] {
    var result: [(name: String, values: [String: [UInt8]])] = []
    for number in schema.junctionsTo[index] {
      let junction = schema.junctions[number]
      let type = schema.types[junction.sourceType]
      let field = type.fields[junction.field]
      guard let inverse = field.inverse, let key = type.key.first, type.key.count == 1,
        entity == nil || self.entity(junction.sourceType).map({ property(field.name, of: $0) != nil }) ?? false,
        let name = entity == nil ? inverse : property(inverse, of: entity)?.name
      else { continue }
      let absent =
        " AND NOT EXISTS (SELECT 1 FROM \(SQLiteConnection.quoted(type.table.name)) AS s"
        + " WHERE s.\(SQLiteConnection.quoted(type.table.columns[key].name)) = j.\(SQLiteConnection.quoted(junction.source)))"
      let values = try pairs(junction, from: junction.target, to: junction.source, where: absent)
      if !values.isEmpty { result.append((name, values)) }
    }
    return result
  }

  private func isWrittenFromTheOtherSide(_ index: Int, _ field: SQLiteSchema.Field) -> Bool {
    guard case .junction(let number) = field.kind, let inverse = field.inverse else { return false }
    return property(inverse, of: entity(schema.junctions[number].targetType)) != nil
  }

  /// For each key of one side the ids of the other, as JSON with commas between.
  private func pairs(
    _ junction: SQLiteSchema.Junction, from: String, to: String, where condition: String = ""
  ) throws(SQLiteConnection.Failure) -> [String: [UInt8]] {
    var result: [String: [UInt8]] = [:]
    let (source, target) = (SQLiteConnection.quoted(from), SQLiteConnection.quoted(to))
    let rows = try connection.statement(
      """
      SELECT \(source), \(target) FROM \(SQLiteConnection.quoted(junction.table)) AS j
      WHERE \(source) IS NOT NULL AND \(target) IS NOT NULL\(condition)\(junction.rowIDName.map { " ORDER BY \($0)" } ?? "")
      """)
    while try rows.next() {
      var buffer = ByteBuffer(capacity: 16)
      writeKey(rows, 1, 1, into: &buffer)
      let id = buffer.takeArray()
      let key = keyText(rows, 0, 1)
      if result[key] == nil { result[key] = id } else { result[key]?.append(contentsOf: [0x2C] + id) }
    }
    return result
  }

  // MARK: - The schema's side

  /// Returns the name by which the loader finds a field: that of its column, where a schema does not say another.
  private func idName(_ field: SQLiteSchema.Field, _ entity: EntityType?) -> String {
    guard let entity, let property = entity.idProperties.first else { return field.source ?? field.name }
    return entity[property].source ?? entity[property].name
  }

  /// The expression for one part of a key: a null is `#` with the number of its row, which no other row has.
  private static func key(_ table: SQLiteTable, _ column: Int) -> String {
    let name = SQLiteConnection.quoted(table.columns[column].name)
    guard let number = table.rowIDName, !table.columns[column].isNotNull else { return name }
    return "COALESCE(\(name), '#' || \(number))"
  }

  private func property(_ name: String, of entity: EntityType?) -> Property? {
    entity?.properties.first { SourceNames.areAlike($0.name, name) }
  }

  /// The name of a field and how its values are written: as the schema has them.
  private func target(
    _ field: SQLiteSchema.Field, _ table: SQLiteTable, _ entity: EntityType?
  ) -> (String, SQLiteSchema.Kind) {
    guard let entity else { return (field.source ?? field.name, field.kind) }
    var found = entity.properties.first { $0.source != nil && $0.source == field.source }
    if found == nil { found = property(field.name, of: entity) }
    if found == nil, field.columns.count == 1 { found = property(table.columns[field.columns[0]].name, of: entity) }
    guard let found else { return (field.name, field.kind) }
    let name = found.source ?? found.name
    switch found.signature.type {
    case .scalar(let scalar): return (name, Self.kind(scalar))
    case .entity: return (name, field.kind)
    case .list, .embedded: return (name, .json)
    case .enumeration, .null: return (name, .string)
    }
  }

  private static func kind(_ scalar: ScalarType) -> SQLiteSchema.Kind {
    switch scalar {
    case .int: .int
    case .float: .float
    case .decimal: .decimal
    case .boolean: .boolean
    case .id: .id
    case .dateTime: .dateTime
    case .date: .date
    case .json: .json
    case .bytes: .bytes
    case .uuid: .uuid
    case .string, .cursor, .duration: .string
    }
  }

  // MARK: - Values

  private func write(_ output: Output, _ rows: SQLiteRows, into buffer: inout ByteBuffer) {
    switch output.kind {
    case .id, .reference: return writeKey(rows, output.first, output.count, into: &buffer)
    default: break
    }
    let column = output.first
    switch rows.kind(column) {
    case .null: buffer.append("null")
    case .integer:
      let value = rows.integer(column)
      if output.kind == .boolean, value == 0 || value == 1 {
        buffer.append(value == 1 ? "true" : "false")
      } else if output.kind == .string || output.kind == .uuid {
        buffer.append(json: String(value))
      } else {
        buffer.append(int: value)
      }
    case .real:
      let value = rows.real(column)
      if output.kind != .string, value.isFinite {
        buffer.append(double: value)
      } else {
        // What is infinite is no JSON number: a schema that wants a number has the loader say that it does not fit.
        buffer.append(json: value.isFinite ? "\(value)" : rows.text(column))
      }
    case .text: writeText(output.kind, rows, column, into: &buffer)
    case .blob: writeBlob(rows, column, into: &buffer)
    }
  }

  private func writeText(
    _ kind: SQLiteSchema.Kind, _ rows: SQLiteRows, _ column: Int, into buffer: inout ByteBuffer
  ) {
    rows.withBytes(column) { bytes in
      if kind == .json, JSONScanner.isJSON(bytes), let start = bytes.baseAddress {
        // A line is a record.
        buffer.reserve(bytes.count)
        for byte in UnsafeRawBufferPointer(start: start, count: bytes.count) {
          buffer.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte)
        }
        return
      }
      if let start = bytes.baseAddress {
        buffer.append(json: UnsafeRawPointer(start), bytes.count)
      } else {
        buffer.append("\"\"")
      }
    }
  }

  private func writeBlob(_ rows: SQLiteRows, _ column: Int, into buffer: inout ByteBuffer) {
    rows.withBytes(column) { bytes in
      buffer.append(0x22)
      Base64.encode(UnsafeRawBufferPointer(bytes), into: &buffer)
      buffer.append(0x22)
    }
  }

  /// One value stands as it is, several are joined; null if a part is.
  private func writeKey(_ rows: SQLiteRows, _ first: Int, _ count: Int, into buffer: inout ByteBuffer) {
    if (first..<first + count).contains(where: { rows.kind($0) == .null }) { return buffer.append("null") }
    if count == 1, rows.kind(first) == .integer { return buffer.append(int: rows.integer(first)) }
    if count == 1, rows.kind(first) == .blob { return writeBlob(rows, first, into: &buffer) }
    buffer.append(json: keyText(rows, first, count))
  }

  private func keyText(_ rows: SQLiteRows, _ first: Int, _ count: Int) -> String {
    if count == 1 { return rows.text(first) }
    return (first..<first + count).map { Self.escaped(rows.text($0)) }.joined(separator: "/")
  }

  /// A part of a key such that no two keys give one text.
  private static func escaped(_ part: String) -> String {
    guard part.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C }) else { return part }
    return part.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "/" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }
}

import GQLBase

/// The rows of a table of a SQLite file, as records of a type. They are read when they are asked for.
///
/// Safe to pass on because one thread at a time reads: that of the load.
final class SQLiteTableSource: @unchecked Sendable {
  /// A value of a record.
  struct Output {
    var name: String
    var kind: SQLiteSchema.Kind
    /// The first column of the statement, and how many make the value.
    var first: Int
    var count: Int

    /// Indicates whether values are written as ids are.
    var isKey: Bool {
      switch kind {
      case .id, .reference: true
      default: false
      }
    }
  }

  /// The pairs of a junction table as links of the rows of one side.
  struct Links {
    var name: String
    /// The columns of this side and of the other.
    var source: String
    var target: String
    var rest: String
    var order: String
  }

  let connection: SQLiteConnection
  let outputs: [Output]
  let links: [Links]
  let rowCount: Int
  private let columns: [String]
  private let rest: String
  private let keyCount: Int

  init(
    _ connection: SQLiteConnection, columns: [String], from rest: String, outputs: [Output], keyCount: Int,
    links: [Links], rowCount: Int
  ) {
    self.connection = connection
    self.columns = columns
    self.rest = rest
    self.outputs = outputs
    self.keyCount = keyCount
    self.links = links
    self.rowCount = rowCount
  }

  /// Returns how many of the bytes of the table are read with so many rows.
  func position(of row: Int, in file: MappedFile) -> Int {
    Int(Double(file.size) * min(1, Double(row) / Double(max(1, rowCount))))
  }

  /// Begins to read the rows.
  func open() throws(SQLiteConnection.Failure) -> SQLiteTableReader {
    var values: [[String: [UInt8]]] = []
    for links in links { values.append(try pairs(links)) }
    return SQLiteTableReader(
      rows: try connection.select(columns, rest), outputs: outputs, keyCount: keyCount, links: links, values: values)
  }

  /// Returns for each key of one side the ids of the other, as a list in JSON.
  private func pairs(_ links: Links) throws(SQLiteConnection.Failure) -> [String: [UInt8]] {
    var result: [String: [UInt8]] = [:]
    let rows = try connection.statement("SELECT \(links.source), \(links.target) \(links.rest)\(links.order)")
    var buffer = ByteBuffer(capacity: 16)
    while try rows.next() {
      buffer.append(0x2C)
      rows.writeKey(1, 1, into: &buffer)
      let id = buffer.takeArray()
      result[rows.keyText(0, 1), default: []] += id
      try connection.take(id.count)
    }
    return result.mapValues { ids in [0x5B] + ids.dropFirst() + [0x5D] }
  }
}

/// A reader of the rows of a table, which stands at one of them.
struct SQLiteTableReader {
  let rows: SQLiteRows
  let outputs: [SQLiteTableSource.Output]
  private let keyCount: Int
  let links: [SQLiteTableSource.Links]
  /// By links: for each key a list of ids in JSON.
  private let values: [[String: [UInt8]]]

  fileprivate init(
    rows: SQLiteRows, outputs: [SQLiteTableSource.Output], keyCount: Int, links: [SQLiteTableSource.Links],
    values: [[String: [UInt8]]]
  ) {
    self.rows = rows
    self.outputs = outputs
    self.keyCount = keyCount
    self.links = links
    self.values = values
  }

  /// Writes the row as an object of JSON.
  func writeRecord(into buffer: inout ByteBuffer) {
    var separator: UInt8 = 0x7B
    for output in outputs {
      buffer.append(separator)
      separator = 0x2C
      buffer.append(json: output.name)
      buffer.append(0x3A)
      rows.write(output, into: &buffer)
    }
    for place in links.indices {
      buffer.append(separator)
      separator = 0x2C
      buffer.append(json: links[place].name)
      buffer.append(0x3A)
      if let ids = ids(place) { buffer.append(ids) } else { buffer.append("[]") }
    }
    buffer.append(0x7D)
  }

  /// Returns the ids that a junction table has for the row, as a list in JSON; nil where there are none.
  func ids(_ links: Int) -> [UInt8]? {
    let ids = values[links]
    return ids.isEmpty ? nil : ids[rows.keyText(0, keyCount)]
  }
}

/// Values as JSON writes them.
extension SQLiteRows {
  func write(_ output: SQLiteTableSource.Output, into buffer: inout ByteBuffer) {
    if output.isKey { return writeKey(output.first, output.count, into: &buffer) }
    let column = output.first
    switch kind(column) {
    case .null: buffer.append("null")
    case .integer:
      let value = integer(column)
      if output.kind == .boolean, value == 0 || value == 1 {
        buffer.append(value == 1 ? "true" : "false")
      } else if output.kind == .string || output.kind == .uuid {
        buffer.append(json: String(value))
      } else {
        buffer.append(int: value)
      }
    case .real:
      let value = real(column)
      if output.kind != .string, value.isFinite {
        buffer.append(double: value)
      } else {
        // What is infinite is no JSON number: a schema that wants a number has the loader say that it does not fit.
        buffer.append(json: value.isFinite ? "\(value)" : text(column))
      }
    case .text: writeText(output.kind, column, into: &buffer)
    case .blob: writeBlob(column, into: &buffer)
    }
  }

  private func writeText(_ kind: SQLiteSchema.Kind, _ column: Int, into buffer: inout ByteBuffer) {
    withBytes(column) { bytes in
      if kind == .json, JSONScanner.isJSON(bytes) {
        buffer.append(UnsafeRawBufferPointer(bytes))
      } else if let start = bytes.baseAddress {
        buffer.append(json: UnsafeRawPointer(start), bytes.count)
      } else {
        buffer.append("\"\"")
      }
    }
  }

  private func writeBlob(_ column: Int, into buffer: inout ByteBuffer) {
    withBytes(column) { bytes in
      buffer.append(0x22)
      Base64.encode(UnsafeRawBufferPointer(bytes), into: &buffer)
      buffer.append(0x22)
    }
  }

  /// Writes one value as it stands, several joined; null if a part is.
  func writeKey(_ first: Int, _ count: Int, into buffer: inout ByteBuffer) {
    if (first..<first + count).contains(where: { kind($0) == .null }) { return buffer.append("null") }
    if count == 1, kind(first) == .integer { return buffer.append(int: integer(first)) }
    if count == 1, kind(first) == .blob { return writeBlob(first, into: &buffer) }
    buffer.append(json: keyText(first, count))
  }

  func keyText(_ first: Int, _ count: Int) -> String {
    if count == 1 { return text(first) }
    return (first..<first + count).map { Self.escaped(text($0)) }.joined(separator: "/")
  }

  /// Returns a part of a key such that no two keys give one text.
  private static func escaped(_ part: String) -> String {
    guard part.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C }) else { return part }
    return part.unicodeScalars.reduce(into: "") { text, scalar in
      if scalar == "/" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }
}

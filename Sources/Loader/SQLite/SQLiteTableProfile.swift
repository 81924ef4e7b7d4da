import GQLBase
import GQLCatalog

/// A summary of the values of a table's columns: the narrowest type that holds them.
///
/// SQLite's declared types are advice, so the values decide, and the declaration where they leave a choice.
struct SQLiteTableProfile {
  /// A column, and how many values of each kind it has.
  private struct Column {
    let declared: String
    /// Indicates whether truth values, texts of JSON and times are looked for.
    let mayBeBoolean: Bool
    let mayBeJSON: Bool
    var mayBeDate: Bool
    var mayBeDateTime: Bool
    var nulls = 0
    var integers = 0
    var reals = 0
    var texts = 0
    var blobs = 0
    var booleans = 0
    var jsons = 0
    var hasInfinity = false
    /// Indicates whether doubles may hold neighbors of some whole numbers: they are beyond 2^53.
    var hasLongIntegers = false
    /// Indicates whether Decimal holds all numbers with a fraction.
    var areDecimals = true

    init(_ column: SQLiteTable.Column) {
      declared = column.declaredType
      mayBeBoolean = ScalarType.boolean.isDeclared(by: declared)
      mayBeJSON = ScalarType.json.isDeclared(by: declared)
      mayBeDate = !ScalarType.string.isDeclared(by: declared)
      mayBeDateTime = mayBeDate
    }
  }

  private var columns: [Column]
  private var rowCount = 0

  /// Complexity: one scan of the table.
  init(_ table: SQLiteTable, _ connection: SQLiteConnection) throws(SQLiteConnection.Failure) {
    columns = table.columns.map { Column($0) }
    let all = try connection.statement("SELECT count(*) FROM \(SQLiteConnection.quoted(table.name))")
    let expected = try all.next() ? Int(all.integer(0)) : 0
    let rows = try connection.select(
      table.columns.map { SQLiteConnection.quoted($0.name) }, "FROM \(SQLiteConnection.quoted(table.name))")
    while try rows.next() {
      rowCount += 1
      for index in columns.indices { Self.note(rows, index, in: &columns[index]) }
      if rowCount & 0xFFFF == 0 { connection.tellProfiling(rowCount, of: expected) }
    }
  }

  @inline(__always)
  private static func note(_ rows: SQLiteRows, _ index: Int, in column: inout Column) {
    switch rows.kind(index) {
    case .null: column.nulls += 1
    case .integer:
      column.integers += 1
      if !column.hasLongIntegers { column.hasLongIntegers = rows.integer(index).magnitude > 1 << 53 }
      if column.mayBeBoolean, rows.integer(index) & ~1 == 0 { column.booleans += 1 }
    case .real:
      column.reals += 1
      if !column.hasInfinity { column.hasInfinity = rows.real(index).isInfinite }
      if column.areDecimals { column.areDecimals = isDecimal(rows.real(index)) }
    case .text:
      column.texts += 1
      guard column.mayBeDate || column.mayBeDateTime || column.mayBeJSON else { return }
      rows.withBytes(index) { text in
        if column.mayBeDate { column.mayBeDate = DateCodec.read(text) != nil }
        if column.mayBeDateTime { column.mayBeDateTime = CivilTime.parseDateTime(text) != nil }
        if column.mayBeJSON, JSONScanner.isJSON(text) { column.jsons += 1 }
      }
    case .blob: column.blobs += 1
    }
  }

  /// Returns whether Decimal holds a number. Within these bounds it holds each of so few digits.
  private static func isDecimal(_ value: Double) -> Bool {
    1e-19..<1e36 ~= value.magnitude || Decimal(shortest: value) != nil
  }

  /// Returns whether every row has a value in a column.
  func hasNoNull(_ place: Int) -> Bool { columns[place].nulls == 0 }

  func kind(_ place: Int) -> SQLiteSchema.Kind {
    let column = columns[place]
    let present = rowCount - column.nulls
    func says(_ scalar: ScalarType) -> Bool { scalar.isDeclared(by: column.declared) }
    if present == 0 { return Self.affinity(column.declared) }
    if column.integers == present {
      if column.booleans == present { return .boolean }
      return says(.decimal) ? .decimal : says(.float) && !column.hasLongIntegers ? .float : .int
    }
    if column.integers + column.reals == present, !column.hasInfinity {
      if says(.decimal) { return .decimal }
      return !column.hasLongIntegers ? .float : column.areDecimals ? .decimal : .string
    }
    if column.texts == present {
      if column.mayBeDate { return .date }
      if column.mayBeDateTime { return .dateTime }
      return column.jsons == present ? .json : .string
    }
    return column.blobs == present ? .bytes : .string
  }

  /// Returns whether a column has values that no row of another table has in a column.
  ///
  /// Complexity: a search in the other table for each row, by its key.
  static func hasDangling(
    _ table: SQLiteTable, _ place: Int, _ other: SQLiteTable, _ target: Int, _ connection: SQLiteConnection
  ) throws(SQLiteConnection.Failure) -> Bool {
    let name = SQLiteConnection.quoted(table.columns[place].name)
    let key = SQLiteConnection.quoted(other.columns[target].name)
    let rows = try connection.statement(
      """
      SELECT 1 FROM \(SQLiteConnection.quoted(table.name)) AS s WHERE s.\(name) IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM \(SQLiteConnection.quoted(other.name)) AS t WHERE t.\(key) = s.\(name)) LIMIT 1
      """)
    return try rows.next()
  }

  /// Returns what a column without values is declared to have.
  static func affinity(_ declared: String) -> SQLiteSchema.Kind {
    if let scalar = ScalarType.declared(as: declared) { return SQLiteRecords.kind(scalar) }
    return declared.isEmpty ? .bytes : .string
  }
}

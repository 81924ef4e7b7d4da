import GQLBase

/// The narrowest type that holds all values of a column.
///
/// SQLite's declared types are advice, so the values decide, and the declaration where they leave a choice.
struct SQLiteColumnValues {
  var kind: SQLiteSchema.Kind
  var isNonNull: Bool

  /// Complexity: one scan of the table.
  init(_ table: SQLiteTable, _ place: Int, _ connection: SQLiteConnection) throws(SQLiteConnection.Failure) {
    let column = table.columns[place]
    let name = SQLiteConnection.quoted(column.name)
    let declared = column.declaredType
    func says(_ words: String...) -> Bool { words.contains { declared.contains($0) } }
    // Kinds are told without values; only where values are asked for are large ones read, and JSON parsed.
    let rows = try connection.statement(
      """
      SELECT count(*), sum(t = 'null'), sum(t = 'integer'), sum(t = 'real'), sum(t = 'text'), sum(t = 'blob'),
        \(says("BOOL") ? "sum(t = 'integer' AND v IN (0, 1))" : "0"),
        \(says("JSON") ? "sum(t = 'text' AND json_valid(v))" : "0"), sum(t = 'real' AND abs(v) = 9e999)
      FROM (SELECT \(name) AS v, typeof(\(name)) AS t FROM \(SQLiteConnection.quoted(table.name)))
      """)
    guard try rows.next() else {
      (kind, isNonNull) = (.string, false)
      return
    }
    let all = rows.integer(0)
    let present = all - rows.integer(1)
    isNonNull = (column.isNotNull || column.keyPlace > 0) && rows.integer(1) == 0
    if present == 0 {
      kind = Self.affinity(declared)
    } else if rows.integer(2) == present {
      kind =
        says("BOOL") && rows.integer(6) == present
        ? .boolean : says("DEC", "NUMERIC", "MONEY") ? .decimal : says("REAL", "FLOA", "DOUB") ? .float : .int
    } else if rows.integer(2) + rows.integer(3) == present, rows.integer(8) == 0 {
      kind = says("DEC", "NUMERIC", "MONEY") ? .decimal : .float
    } else if rows.integer(4) == present {
      if !says("CHAR", "TEXT", "CLOB"), let time = try Self.timeKind(table, column, connection) {
        kind = time
      } else {
        kind = says("JSON") && rows.integer(7) == present ? .json : .string
      }
    } else if rows.integer(5) == present {
      kind = .bytes
    } else {
      kind = .string
    }
  }

  /// Returns what the texts of a column are that has no other values: dates, or dates with a time in any form that is
  /// read; nil if they are neither.
  ///
  /// Complexity: one scan of the table, which ends at the first text that is something else.
  private static func timeKind(
    _ table: SQLiteTable, _ column: SQLiteTable.Column, _ connection: SQLiteConnection
  ) throws(SQLiteConnection.Failure) -> SQLiteSchema.Kind? {
    let name = SQLiteConnection.quoted(column.name)
    let rows = try connection.statement(
      "SELECT \(name) FROM \(SQLiteConnection.quoted(table.name)) WHERE \(name) IS NOT NULL")
    var isDate = true
    var isDateTime = true
    while isDate || isDateTime, try rows.next() {
      rows.withBytes(0) { text in
        isDate = isDate && CivilTime.parseDate(text) != nil
        isDateTime = isDateTime && CivilTime.parseDateTime(text) != nil
      }
    }
    return isDate ? .date : isDateTime ? .dateTime : nil
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

  /// Returns whether a column is declared to have a value and has one in every row.
  static func hasNoNull(
    _ table: SQLiteTable, _ place: Int, _ connection: SQLiteConnection
  ) throws(SQLiteConnection.Failure) -> Bool {
    let column = table.columns[place]
    guard column.isNotNull || column.keyPlace > 0 else { return false }
    let name = SQLiteConnection.quoted(column.name)
    let rows = try connection.statement(
      "SELECT 1 FROM \(SQLiteConnection.quoted(table.name)) WHERE \(name) IS NULL LIMIT 1")
    return try !rows.next()
  }

  private static func affinity(_ declared: String) -> SQLiteSchema.Kind {
    func says(_ words: String...) -> Bool { words.contains { declared.contains($0) } }
    if says("BOOL") { return .boolean }
    if says("INT") { return .int }
    if says("CHAR", "CLOB", "TEXT") { return .string }
    if says("DATETIME", "TIMESTAMP") { return .dateTime }
    if says("DATE") { return .date }
    if says("REAL", "FLOA", "DOUB") { return .float }
    if says("DEC", "NUMERIC", "MONEY") { return .decimal }
    if says("JSON") { return .json }
    return declared.isEmpty || says("BLOB") ? .bytes : .string
  }
}

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
    let rows = try connection.statement(
      """
      SELECT count(*), sum(t = 'null'), sum(t = 'integer'), sum(t = 'real'), sum(t = 'text'), sum(t = 'blob'),
        sum(t = 'integer' AND v IN (0, 1)), sum(t = 'text' AND v IS date(v)),
        sum(t = 'text' AND (v IS strftime('%Y-%m-%d %H:%M:%S', v) OR v IS strftime('%Y-%m-%dT%H:%M:%S', v)
          OR v IS strftime('%Y-%m-%dT%H:%M:%SZ', v) OR v IS strftime('%Y-%m-%d %H:%M:%f', v)
          OR v IS strftime('%Y-%m-%dT%H:%M:%fZ', v))),
        sum(t = 'text' AND json_valid(v))
      FROM (SELECT \(name) AS v, typeof(\(name)) AS t FROM \(SQLiteConnection.quoted(table.name)))
      """)
    guard try rows.next() else {
      (kind, isNonNull) = (.string, false)
      return
    }
    let all = rows.integer(0)
    let present = all - rows.integer(1)
    isNonNull = (column.isNotNull || column.keyPlace > 0) && rows.integer(1) == 0
    let declared = column.declaredType
    func says(_ words: String...) -> Bool { words.contains { declared.contains($0) } }
    if present == 0 {
      kind = Self.affinity(declared)
    } else if rows.integer(2) == present {
      kind =
        says("BOOL") && rows.integer(6) == present
        ? .boolean : says("DEC", "NUMERIC", "MONEY") ? .decimal : says("REAL", "FLOA", "DOUB") ? .float : .int
    } else if rows.integer(2) + rows.integer(3) == present {
      kind = says("DEC", "NUMERIC", "MONEY") ? .decimal : .float
    } else if rows.integer(4) == present {
      if rows.integer(7) == present, !says("CHAR", "TEXT", "CLOB") {
        kind = .date
      } else if rows.integer(8) == present, !says("CHAR", "TEXT", "CLOB") {
        kind = .dateTime
      } else if says("JSON"), rows.integer(9) == present {
        kind = .json
      } else {
        kind = .string
      }
    } else if rows.integer(5) == present {
      kind = .bytes
    } else {
      kind = .json
    }
  }

  /// Whether a column is declared to have a value and has one in every row.
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

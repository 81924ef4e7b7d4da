import CSQLite3
import GQLStorage

/// The counts of a file's records of the past and of its branches, compared with the rows that are there as
/// `docs/format.md` says, without the library.
package enum FileSums {
  private struct Span {
    let type: Int64
    let version: Int64
    var records: Int64
    var sum: Int64
  }

  /// Returns what is wrong; nil for nothing, and for a file that has none.
  package static func problem(_ path: String) throws -> String? {
    if try has("gqlite_history_sum", path) {
      if let problem = try pastProblem(path) { return problem }
    }
    return try has("gqlite_branch", path) ? branchProblem(path) : nil
  }

  private static func has(_ table: String, _ path: String) throws -> Bool {
    try RawFile.integer(path, "SELECT count(*) FROM sqlite_schema WHERE name = '\(table)'") > 0
  }

  private static func pastProblem(_ path: String) throws -> String? {
    var spans: [Span] = []
    try RawFile.forEachRow(path, "SELECT * FROM gqlite_history_sum ORDER BY type, version") { row in
      spans.append(
        Span(
          type: sqlite3_column_int64(row, 0), version: sqlite3_column_int64(row, 1),
          records: sqlite3_column_int64(row, 2), sum: sqlite3_column_int64(row, 3)))
    }
    if let empty = spans.first(where: { $0.records < 1 }) { return "the span \(empty) has no records" }
    var strays: [String] = []
    /// Takes a record out of the last span that does not begin after it.
    func remove(_ type: Int64, _ version: Int64, _ sum: Int64) {
      guard let place = spans.lastIndex(where: { $0.type == type && $0.version <= version }) else {
        return strays.append("\(type):\(version)")
      }
      spans[place].records -= 1
      spans[place].sum = (spans[place].sum - sum + 1 << 32) % (1 << 32)
    }
    try RawFile.forEachRow(path, "SELECT type, version, body FROM gqlite_history") { row in
      let count = Int(sqlite3_column_bytes(row, 2))
      let body = UnsafeRawBufferPointer(start: sqlite3_column_blob(row, 2), count: count)
      // The lowest byte is the first of four.
      let sum = body.suffix(4).reversed().reduce(0 as Int64) { $0 * 256 + Int64($1) }
      remove(sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), sum)
    }
    if try has("gqlite_history_origin", path) {
      try RawFile.forEachRow(path, "SELECT version, sum FROM gqlite_history_origin") { row in
        remove(0, sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1))
      }
    }
    if !strays.isEmpty { return "records are in no span: \(strays.prefix(3))" }
    return spans.first { $0.records != 0 || $0.sum != 0 }.map { "the span \($0) is left" }
  }

  private static func branchProblem(_ path: String) throws -> String? {
    var (rows, listed): ([String], String?) = ([], nil)
    try RawFile.forEachRow(path, "SELECT number || ' ' || name FROM gqlite_branch ORDER BY number") { row in
      rows.append(String(cString: sqlite3_column_text(row, 0)))
    }
    try RawFile.forEachRow(path, "SELECT value FROM gqlite_meta WHERE key = 'branches'") { row in
      listed = String(cString: sqlite3_column_text(row, 0))
    }
    guard let listed, listed != rows.joined(separator: "\n") else { return nil }
    return "the branches \(rows) are noted as '\(listed)'"
  }
}

import GQLEngine

/// The forms of a file, by number: which one a file has, and how one of before becomes the newest.
///
/// Format 0 was never released. It is there so that tests see files of another format read and upgraded: it has neither
/// counts of rows nor the numbers that a schema gives.
enum StorageFormat {
  static let newest: Int64 = 1

  /// The number of a file's form, which is one that can be read.
  static func of(_ connection: StorageConnection) throws(QueryError) -> Int64 {
    let format = try connection.integer("PRAGMA user_version") ?? 0
    if format > newest { throw StorageProblem.newer(format: Int(format)).error(connection.path) }
    if format < 0 { throw StorageProblem.corrupt("its format has the number \(format)").error(connection.path) }
    return format
  }

  /// Refuses tables that are of another format than the file says. Its tables are there.
  static func check(_ format: Int64, _ connection: StorageConnection) throws(QueryError) {
    if try connection.hasColumn("rows", in: "gqlite_type") != (format > 0) {
      throw StorageProblem.corrupt("its tables are not those of format \(format)").error(connection.path)
    }
  }

  /// Makes a file of format 0 one of format 1. Called within a transaction, after all of it was read.
  static func upgrade(_ connection: StorageConnection) throws(QueryError) {
    try connection.execute(
      """
      ALTER TABLE gqlite_type ADD COLUMN rows INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE gqlite_type ADD COLUMN sum INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE gqlite_type ADD COLUMN given INTEGER;
      ALTER TABLE gqlite_field ADD COLUMN given INTEGER;
      """)
    let types = try connection.prepare(
      """
      SELECT number FROM gqlite_type
      WHERE EXISTS (SELECT * FROM sqlite_schema WHERE type = 'table' AND name = 'gqlite_t' || number)
      """)
    var numbers: [Int64] = []
    while try types.step() { numbers.append(types.integer(0)) }
    types.reset()
    for number in numbers {
      try connection.execute(
        """
        UPDATE gqlite_type SET (rows, sum) = (SELECT count(*), coalesce(sum(sum), 0) & 0xFFFFFFFF FROM gqlite_t\(number))
        WHERE number = \(number)
        """)
    }
    try connection.execute("PRAGMA user_version = 1")
  }
}

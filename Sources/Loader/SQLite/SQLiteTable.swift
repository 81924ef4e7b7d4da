/// A table as the file declares it.
struct SQLiteTable {
  struct Column {
    var name: String
    /// As declared, in upper case; may be empty.
    var declaredType: String
    var isNotNull: Bool
    /// Place in the primary key, from 1; 0 for others.
    var keyPlace: Int
  }
  struct ForeignKey {
    /// Places in `columns`.
    var columns: [Int]
    var table: String
    /// Names of the columns referred to; empty for the primary key.
    var targets: [String]
    var onDelete: String
  }
  struct Index {
    var columns: [Int]
    var isUnique: Bool
  }

  var name: String
  var columns: [Column]
  var foreignKeys: [ForeignKey] = []
  var indexes: [Index] = []
  /// Whether its rows have numbers.
  var hasRowID: Bool

  /// The name of the number of a row; nil if there is none, or columns have all names that SQLite knows for it.
  var rowIDName: String? {
    hasRowID ? ["rowid", "_rowid_", "oid"].first { column(named: $0) == nil } : nil
  }

  /// The columns of the primary key, in its order.
  var key: [Int] {
    columns.indices.filter { columns[$0].keyPlace > 0 }.sorted { columns[$0].keyPlace < columns[$1].keyPlace }
  }

  /// Two foreign keys and nothing else: pairs of rows of two tables.
  var isJunction: Bool {
    columns.count == 2 && foreignKeys.count == 2 && foreignKeys.allSatisfy { $0.columns.count == 1 }
      && Set(foreignKeys.flatMap(\.columns)).count == 2
  }

  /// The tables of a file, in the order in which they were made; those of extensions and SQLite's own left out.
  static func all(in connection: SQLiteConnection) throws(SQLiteConnection.Failure) -> [SQLiteTable] {
    var tables: [SQLiteTable] = []
    let list = try connection.statement(
      """
      SELECT m.name, l.wr FROM sqlite_master m JOIN pragma_table_list l ON l.name = m.name AND l.schema = 'main'
      WHERE m.type = 'table' AND l.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.rowid
      """)
    while try list.next() {
      var table = SQLiteTable(name: list.text(0), columns: [], hasRowID: list.integer(1) == 0)
      try table.read(connection)
      tables.append(table)
    }
    return tables
  }

  private mutating func read(_ connection: SQLiteConnection) throws(SQLiteConnection.Failure) {
    let info = try connection.statement(
      "SELECT name, type, \"notnull\", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid")
    info.bind(1, name)
    while try info.next() {
      columns.append(
        Column(
          name: info.text(0), declaredType: info.text(1).uppercased(), isNotNull: info.integer(2) != 0,
          keyPlace: Int(info.integer(3))))
    }
    let keys = try connection.statement(
      "SELECT id, \"from\", \"table\", \"to\", on_delete FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq")
    keys.bind(1, name)
    var last: Int64?
    while try keys.next() {
      let place = column(named: keys.text(1))
      if keys.integer(0) != last {
        foreignKeys.append(ForeignKey(columns: [], table: keys.text(2), targets: [], onDelete: keys.text(4)))
        last = keys.integer(0)
      }
      guard let place, let index = foreignKeys.indices.last else { continue }
      foreignKeys[index].columns.append(place)
      if keys.kind(3) == .text { foreignKeys[index].targets.append(keys.text(3)) }
    }
    let list = try connection.statement(
      "SELECT name, \"unique\" FROM pragma_index_list(?) WHERE origin <> 'pk' AND partial = 0 ORDER BY seq DESC")
    list.bind(1, name)
    while try list.next() {
      let parts = try connection.statement("SELECT cid FROM pragma_index_info(?) ORDER BY seqno")
      parts.bind(1, list.text(0))
      var places: [Int] = []
      while try parts.next() { places.append(Int(parts.integer(0))) }
      // An index over an expression names no column.
      guard !places.isEmpty, places.allSatisfy({ columns.indices.contains($0) }) else { continue }
      indexes.append(Index(columns: places, isUnique: list.integer(1) != 0))
    }
  }

  func column(named name: String) -> Int? {
    let wanted = name.lowercased()
    return columns.firstIndex { $0.name.lowercased() == wanted }
  }
}

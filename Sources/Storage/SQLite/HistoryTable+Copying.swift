import GQLEngine

/// Copies of the past, which another file has.
extension HistoryTable {
  /// Copies the records of another file that has the same schema, up to a version. Called within a transaction, with the
  /// file attached as `source`.
  func copy(through version: Int64) throws(QueryError) {
    if !types.isAny { return }
    let types = "source.gqlite_type o ON o.number = h.type JOIN gqlite_type n ON n.name = o.name"
    try connection.execute(
      """
      DELETE FROM gqlite_history; DELETE FROM gqlite_history_start;
      INSERT INTO gqlite_history
        SELECT n.number, h.version, h.row, h.time, h.body FROM source.gqlite_history h JOIN \(types)
        WHERE h.version <= \(version);
      INSERT INTO gqlite_history_start
        SELECT n.number, h.version, h.time FROM source.gqlite_history_start h JOIN \(types);
      INSERT OR REPLACE INTO gqlite_meta SELECT key, value FROM source.gqlite_meta WHERE key = 'history_time';
      INSERT OR REPLACE INTO gqlite_meta
        SELECT key, min(value, \(version)) FROM source.gqlite_meta WHERE key = 'history_erased';
      """)
    try starts.note(areSound: starts.areSound(in: "source"))
    try origins.copy(through: version)
    try sums.copy(through: version, joining: types)
    try takeLog(through: version, from: "source.")
  }

  /// Returns whether the past of each type without a limit begins with a version or before it. It begins later where a
  /// schema has dropped the type meanwhile. Called within a transaction.
  func begins(through version: Int64) throws(QueryError) -> Bool {
    try starts.read().allSatisfy { type, start in
      guard let rule = types[type]?.rule, rule.versions == nil, rule.duration == nil else { return true }
      return start.version <= version
    }
  }
}

import GQLBase
import GQLEngine

/// The versions with which the past of each type begins, with a checksum of all of them.
struct HistoryStartTable {
  let connection: StorageConnection
  /// By type: its number in the file.
  let numbers: [Int64]

  /// Says that the starts are not those that were noted.
  static let unsound = "the checksum of where its past begins is wrong"

  /// Returns where the past of each type begins.
  func read() throws(QueryError) -> [Int: HistoryStart] {
    let statement = try connection.prepare("SELECT type, version, time FROM gqlite_history_start")
    var starts: [Int: HistoryStart] = [:]
    while try statement.step() {
      guard let type = numbers.firstIndex(of: statement.integer(0)) else { continue }
      starts[type] = HistoryStart(version: statement.integer(1), time: statement.integer(2))
    }
    return starts
  }

  /// Returns whether the starts are those that were noted. A file that was written before they had a checksum has none.
  func areSound(in schema: String = "main") throws(QueryError) -> Bool {
    let noted = try connection.integer("SELECT value FROM \(schema).gqlite_meta WHERE key = 'history_start_sum'")
    guard let noted else { return true }
    return try noted == sum(in: schema)
  }

  private func sum(in schema: String) throws(QueryError) -> Int64 {
    let statement = try connection.prepare(
      "SELECT type, version, time FROM \(schema).gqlite_history_start ORDER BY type")
    var starts: [String] = []
    while try statement.step() {
      starts.append("\(statement.integer(0)):\(statement.integer(1)):\(statement.integer(2))")
    }
    return Int64(Array(starts.joined(separator: " ").utf8).withUnsafeBytes { CRC32C.checksum($0) })
  }

  /// Notes where the past of types begins, with the checksum of all.
  ///
  /// - Parameter areSound: Tells whether those before were. The checksum of damaged ones stays wrong.
  func note(_ starts: [Int: HistoryStart] = [:], areSound: Bool) throws(QueryError) {
    for (type, start) in starts.sorted(by: { $0.key < $1.key }) {
      try connection.execute(
        "INSERT OR REPLACE INTO gqlite_history_start VALUES (\(numbers[type]), \(start.version), \(start.time))")
    }
    let sum = try areSound ? sum(in: "main") : -1
    try connection.execute("INSERT OR REPLACE INTO gqlite_meta VALUES ('history_start_sum', \(sum))")
  }
}

import GQLBase
import GQLCatalog
import GQLEngine
import GQLStore

/// A row of `gqlite_branch`.
struct StoredBranch {
  var record: BranchRecord
  /// The version of the database beside which the branch is kept.
  let beside: StoragePoint
  /// The sum of the last commit, or of the change set where there is none.
  var lastSum: UInt32 = 0
  /// By the number of a type in the file: the number of rows of the base.
  var rows = ""
  var pastSum: UInt32 = 0
  var ownSum: UInt32 = 0

  static let selection = """
    SELECT number, name, base, version, commits, time, beside, beside_sum, last_sum, rows, past_sum, own_sum, sum
    FROM gqlite_branch
    """

  init(_ record: BranchRecord, beside: StoragePoint) {
    self.record = record
    self.beside = beside
  }

  /// Reads a row, be it damaged.
  init(unchecked row: StorageStatement) {
    record = BranchRecord(
      number: row.integer(0), name: row.string(1), base: row.integer(2), version: row.integer(3),
      commits: row.integer(4), time: row.integer(5))
    beside = StoragePoint(version: row.integer(6), sum: UInt32(truncatingIfNeeded: row.integer(7)))
    lastSum = UInt32(truncatingIfNeeded: row.integer(8))
    rows = row.string(9)
    pastSum = UInt32(truncatingIfNeeded: row.integer(10))
    ownSum = UInt32(truncatingIfNeeded: row.integer(11))
  }

  /// Nil where the checksum is wrong.
  init?(_ row: StorageStatement) {
    self.init(unchecked: row)
    if row.integer(12) != sum || beside.version < 0 || record.version < 0 { return nil }
    // No valid file has such numbers, and sums with them have no room.
    if record.commits < 0 || record.commits > 1 << 53 || record.number < 0 { return nil }
    let most = "\(PageLayout.maximumRows)".utf8.count
    if rows.split(whereSeparator: { !$0.isNumber }).contains(where: { $0.utf8.count > most }) { return nil }
  }

  private var sum: Int64 {
    let numbers = [
      record.number, record.base, record.version, record.commits, record.time, beside.version, Int64(beside.sum),
      Int64(lastSum), Int64(pastSum), Int64(ownSum),
    ]
    let text = numbers.map { "\($0)" }.joined(separator: " ") + " \(rows) \(record.name)"
    return Int64(Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) })
  }

  func save(_ connection: StorageConnection) throws(QueryError) {
    let statement = try connection.prepare(
      "INSERT OR REPLACE INTO gqlite_branch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    let numbers: [(Int32, Int64)] = [
      (1, record.number), (3, record.base), (4, record.version), (5, record.commits), (6, record.time),
      (7, beside.version), (8, Int64(beside.sum)), (9, Int64(lastSum)), (11, Int64(pastSum)), (12, Int64(ownSum)),
      (13, sum),
    ]
    for (place, number) in numbers { statement.bind(place, number) }
    try statement.run(binding: [(2, record.name), (10, rows)])
  }

  /// `7:12 8:3` for types of these numbers.
  static func text(_ counts: [Int], _ numbers: [Int64]) -> String {
    zip(numbers, counts).map { "\($0):\($1)" }.joined(separator: " ")
  }

  /// By type: the number of rows, of those that the schema has.
  func rowCounts(_ numbers: [Int64]) -> [(type: Int, rows: Int)] {
    rows.split(separator: " ").compactMap { entry in
      let parts = entry.split(separator: ":").compactMap { Int($0) }
      guard parts.count == 2, (0...PageLayout.maximumRows).contains(parts[1]),
        let type = numbers.firstIndex(of: Int64(parts[0]))
      else { return nil }
      return (type, parts[1])
    }
  }
}

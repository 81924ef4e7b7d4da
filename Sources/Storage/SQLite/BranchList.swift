import GQLBase
import GQLEngine

/// The numbers and names of a file's branches, noted beside their table: without them, a branch whose row a damaged table
/// lacks would look like one that was dropped.
struct BranchList {
  /// By number, the names.
  private(set) var names: [Int64: String]

  /// Reads the list. Nil where none was noted, as in a file that was written before there were any, and where it is damaged.
  init?(_ connection: StorageConnection) throws(QueryError) {
    guard let text = try Self.text(connection), try Self.isSound(connection) else { return nil }
    names = [:]
    // By bytes, because a mark at the beginning of a name makes one character with the space before it.
    for line in text.utf8.split(separator: 0x0A) {
      // What has its checksum was written so.
      guard let space = line.firstIndex(of: 0x20), let number = Int64(Substring(line[..<space])) else { continue }
      names[number] = String(Substring(line[line.index(after: space)...]))
    }
  }

  /// Makes the list of the branches that the table has.
  init(counting connection: StorageConnection) throws(QueryError) {
    names = [:]
    let statement = try connection.prepare("SELECT number, name FROM gqlite_branch")
    while try statement.step() { names[statement.integer(0)] = statement.string(1) }
  }

  private static func text(_ connection: StorageConnection) throws(QueryError) -> String? {
    try connection.text("SELECT value FROM gqlite_meta WHERE key = 'branches'")
  }

  /// Returns whether the list is not damaged, be it missing.
  static func isSound(_ connection: StorageConnection) throws(QueryError) -> Bool {
    guard let text = try text(connection) else { return true }
    return try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'branches_sum'") == sum(text)
  }

  private static func sum(_ text: String) -> Int64 {
    Int64(Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) })
  }

  /// Notes a name, or that a branch is gone. Called within a transaction, in which the table is changed so.
  static func note(_ name: String?, of number: Int64, _ connection: StorageConnection) throws(QueryError) -> Self {
    let known = try Self(connection)
    var list: Self
    if let known { list = known } else { list = try Self(counting: connection) }
    list.names[number] = name
    if let known, known.names == list.names { return list }
    // Names have no line breaks.
    let text = list.names.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "\n")
    try connection.prepare("INSERT OR REPLACE INTO gqlite_meta VALUES ('branches', ?)").run(binding: [(1, text)])
    try connection.execute("INSERT OR REPLACE INTO gqlite_meta VALUES ('branches_sum', \(sum(text)))")
    return list
  }
}

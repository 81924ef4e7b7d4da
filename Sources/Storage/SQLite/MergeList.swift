import GQLBase
import GQLEngine

/// The merges of a file's branches into others, noted in `gqlite_meta`: without them a second merge would add numbers twice.
enum MergeList {
  /// Reads the list. Nil where it is damaged; none where nothing was noted.
  static func read(_ connection: StorageConnection) throws(QueryError) -> [BranchMerge]? {
    guard let text = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'branch_merges'") else { return [] }
    guard try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'branch_merges_sum'") == sum(text) else {
      return nil
    }
    var merges: [BranchMerge] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      let numbers = words.prefix(4).compactMap { Int64($0) }
      // What has its checksum was written so.
      guard words.count == 5, numbers.count == 4, let standing = BranchMerge.Standing(words[4]) else { return nil }
      merges.append(
        BranchMerge(
          source: numbers[0], version: numbers[1], base: numbers[2], target: numbers[3], standing: standing))
    }
    return merges
  }

  private static func sum(_ text: String) -> Int64 {
    Int64(Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) })
  }

  /// Writes the list. Called within a transaction.
  static func note(_ merges: [BranchMerge], _ connection: StorageConnection) throws(QueryError) {
    if merges.isEmpty {
      return try connection.execute(
        "DELETE FROM gqlite_meta WHERE key IN ('branch_merges', 'branch_merges_sum')")
    }
    let lines = merges.map { merge in
      "\(merge.source) \(merge.version) \(merge.base) \(merge.target) \(merge.standing.text)"
    }
    let text = lines.joined(separator: "\n")
    try connection.execute(
      """
      INSERT OR REPLACE INTO gqlite_meta VALUES ('branch_merges', '\(text)');
      INSERT OR REPLACE INTO gqlite_meta VALUES ('branch_merges_sum', \(sum(text)))
      """)
  }

  /// Adds a merge. A damaged list stays so. Called within a transaction.
  static func add(_ merge: BranchMerge, _ connection: StorageConnection) throws(QueryError) {
    guard let merges = try read(connection) else { return }
    try note(merges + [merge], connection)
  }

  /// Forgets the merges of a branch, and those into it. Called within a transaction.
  static func forget(_ branch: Int64, _ connection: StorageConnection) throws(QueryError) {
    guard let merges = try read(connection) else { return }
    let left = merges.filter { $0.source != branch && $0.target != branch }
    if left != merges { try note(left, connection) }
  }
}

extension BranchMerge.Standing {
  fileprivate init?(_ text: Substring) {
    switch text {
    case "=": self = .settled
    case "-": self = .saved
    case "?": self = .unknown
    default:
      guard let version = Int64(text) else { return nil }
      self = .inVersion(version)
    }
  }

  fileprivate var text: String {
    switch self {
    case .inVersion(let version): "\(version)"
    case .settled: "="
    case .saved: "-"
    case .unknown: "?"
    }
  }
}

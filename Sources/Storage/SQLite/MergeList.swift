import GQLBase
import GQLEngine

/// A list of what a file's branches have got of each other by merges, noted in `gqlite_meta`: without it a second merge
/// would add numbers twice.
enum MergeList {
  /// Reads the list. Nil where it is damaged; none where nothing was noted.
  static func read(_ connection: StorageConnection) throws(QueryError) -> BranchMerges? {
    let sum = try connection.integer("SELECT value FROM gqlite_meta WHERE key = 'branch_merges_sum'")
    guard let text = try connection.text("SELECT value FROM gqlite_meta WHERE key = 'branch_merges'") else {
      return sum == nil ? BranchMerges() : nil
    }
    guard sum == Self.sum(text) else { return nil }
    var merges: [BranchMerge] = []
    for line in text.split(separator: "\n") {
      // What has its checksum was written so.
      guard let merge = BranchMerge(line: line) else { return nil }
      merges.append(merge)
    }
    return BranchMerges(merges)
  }

  private static func sum(_ text: String) -> Int64 {
    Int64(Array(text.utf8).withUnsafeBytes { CRC32C.checksum($0) })
  }

  /// Writes the list. Called within a transaction.
  static func write(_ merges: BranchMerges, _ connection: StorageConnection) throws(QueryError) {
    if merges.isEmpty {
      return try connection.execute(
        "DELETE FROM gqlite_meta WHERE key IN ('branch_merges', 'branch_merges_sum')")
    }
    let text = merges.list.map(\.line).joined(separator: "\n")
    try connection.execute(
      """
      INSERT OR REPLACE INTO gqlite_meta VALUES ('branch_merges', '\(text)');
      INSERT OR REPLACE INTO gqlite_meta VALUES ('branch_merges_sum', \(sum(text)))
      """)
  }

  /// Changes the list. A damaged one stays so. Called within a transaction.
  static func change(
    _ connection: StorageConnection, _ body: (inout BranchMerges) -> Void
  ) throws(QueryError) {
    guard let before = try read(connection) else { return }
    var merges = before
    body(&merges)
    if merges != before { try write(merges, connection) }
  }
}

extension BranchMerge {
  fileprivate init?(line: Substring) {
    let words = line.split(separator: " ")
    if words.count == 5 {
      // As it was written before what is taken back was told apart.
      let numbers = words.prefix(4).compactMap { Int64($0) }
      guard numbers.count == 4 else { return nil }
      self.init(
        source: numbers[0], target: numbers[3], at: Int64(words[4]) ?? 0, .unknown, base: numbers[2], hasNumbers: true)
      return
    }
    guard words.count == 7, let source = Int64(words[0]), let target = Int64(words[1]), let at = Int64(words[2]),
      let content = Content(words[3]), let base = Int64(words[4]), ["-", "n"].contains(words[5]),
      ["-", "s"].contains(words[6])
    else { return nil }
    self.init(
      source: source, target: target, at: at, content, base: base, hasNumbers: words[5] == "n",
      isSaved: words[6] == "s")
  }

  fileprivate var line: String {
    "\(source) \(target) \(at) \(content.text) \(base) \(hasNumbers ? "n" : "-") \(isSaved ? "s" : "-")"
  }
}

extension BranchMerge.Content {
  fileprivate init?(_ text: Substring) {
    switch text {
    case "-": self = .nothing
    case "?": self = .unknown
    default:
      let isPart = text.first == "?"
      guard let version = Int64(isPart ? text.dropFirst() : text) else { return nil }
      self = isPart ? .partly(version) : .version(version)
    }
  }

  fileprivate var text: String {
    switch self {
    case .nothing: "-"
    case .unknown: "?"
    case .version(let version): "\(version)"
    case .partly(let version): "?\(version)"
    }
  }
}

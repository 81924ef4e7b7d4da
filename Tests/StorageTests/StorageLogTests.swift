import Foundation
import GQLBase
import GQLDifferential
import GQLStore
import GQLite
import StorageProofs
import Testing

/// The commits of a file's log as JSON: each is what differs between the versions beside it.
@Suite struct StorageLogTests {
  private static let schema = """
    enum Kind { BOOK LAMP }
    type Maker { id: ID! name: String! products: [Product] @relation(inverse: "maker") }
    type Product { id: ID! n: Int kind: Kind price: Decimal tags: [String] maker: Maker @relation(inverse: "products") }
    """

  /// A database and each of its versions, by number.
  private struct History {
    let folder: Folder
    let database: Database
    var versions: [Snapshot]
    var path: String { folder.file("a.gqlite") }

    init(_ options: StorageOptions) throws {
      folder = try Folder()
      database = try Database(path: folder.file("a.gqlite"), schema: StorageLogTests.schema, storage: options)
      versions = [database.currentSnapshot]
    }

    mutating func run(_ text: String) throws {
      try database.run(text)
      if database.version == Int64(versions.count) { versions.append(database.currentSnapshot) }
    }

    mutating func change(_ random: inout SeededRandom, _ number: Int) throws {
      let (id, maker) = (1 + random.below(9), 1 + random.below(3))
      switch random.below(6) {
      case 0: try run("mutation { upsertMaker(data: {id: \(maker), name: \"m\(number)\"}) }")
      case 1: try run("mutation { deleteProduct(where: id == \(id)) { id } }")
      case 2: try run("mutation { restoreProduct(where: id == \(id)) { id } }")
      case 3: try run("mutation { deleteMaker(where: id == \(maker), hard: true) }")
      default:
        try run(
          """
          mutation { upsertProduct(data: {
            id: \(id), n: \(number), kind: \(random.chance(50) ? "BOOK" : "null"), price: \(number).50,
            tags: ["t\(number)", null], maker: \(random.chance(30) ? "null" : "{id: \(maker), name: \"n\"}")}) { id } }
          """)
      }
    }
  }

  private static func changes(_ rows: [String], _ snapshot: Snapshot) throws -> ChangeSet {
    try Array("[\(rows.joined(separator: ","))]".utf8).withUnsafeBytes { try ChangeJSON(snapshot).changes($0) }
  }

  /// The version and the changes of a line.
  private static func commit(_ line: String) throws -> (version: Int, rows: String) {
    let match = try #require(
      line.wholeMatch(of: #/\{"version":(\d+),"time":"20\d\d-[0-9T:.-]+Z","changes":\[(.*)\]\}/#))
    return (try #require(Int(match.1)), String(match.2))
  }

  @Test(arguments: 1...6) func commitsAndDifferences(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    var options = StorageOptions(durability: .normal)
    options.folding.logBytes = seed % 2 == 0 ? 16 << 20 : 300
    options.folding.sliceRows = 1
    options.folding.keptBytes = 0
    var history = try History(options)
    for number in 1...60 { try history.change(&random, number) }
    let log = try StorageLog(path: history.path)
    let newest = history.versions.count - 1
    #expect(log.version == Int64(newest))
    let oldest = Int(log.oldest)
    #expect(seed % 2 == 0 ? oldest == 0 : oldest > 0 && oldest <= newest)
    var lines: [String] = []
    try log.forEachCommit { lines.append(String(decoding: $0, as: UTF8.self)) }
    #expect(lines.count == newest - oldest)
    for (index, line) in lines.enumerated() {
      let (version, rows) = try Self.commit(line)
      #expect(version == oldest + 1 + index)
      let wanted = history.versions[version].changes(since: history.versions[version - 1])
      #expect(try Self.changes([rows], history.versions[version]) == wanted, "seed \(seed), version \(version)")
    }
    var later: [String] = []
    try log.forEachCommit(after: Int64(newest - 2)) { later.append(String(decoding: $0, as: UTF8.self)) }
    #expect(later == Array(lines.suffix(2)))
    for _ in 0..<30 {
      let (from, to) = (oldest + random.below(newest - oldest + 1), oldest + random.below(newest - oldest + 1))
      var rows: [String] = []
      try log.forEachDifference(from: Int64(from), to: Int64(to)) { rows.append(String(decoding: $0, as: UTF8.self)) }
      let wanted = history.versions[to].changes(since: history.versions[from])
      #expect(try Self.changes(rows, history.versions[to]) == wanted, "seed \(seed), from \(from) to \(to)")
    }
    for version in [oldest - 1, newest + 1] {
      #expect { try log.forEachDifference(from: Int64(version), to: nil) { _ in } } throws: {
        ($0 as? QueryError)?.problems.first?.code == "unknown-version"
      }
    }
    if oldest > 0 {
      #expect { try log.forEachCommit(after: Int64(oldest - 1)) { _ in } } throws: {
        "\($0)".contains("the oldest that it leads to is \(oldest)")
      }
    }
  }

  @Test func newCommitsComeAsTheyAreMade() throws {
    var options = StorageOptions(durability: .normal)
    options.folding.largeCommit = 3000
    var history = try History(options)
    try history.run("mutation { insertMaker(data: {id: 1, name: \"a\"}) { id } }")
    let log = try StorageLog(path: history.path)
    func news() throws -> [String] {
      var lines: [String] = []
      try log.forEachNewCommit { lines.append(String(decoding: $0, as: UTF8.self)) }
      return lines
    }
    #expect(try news() == [])
    try history.run("mutation { updateMaker(where: id == 1, set: {name: \"b\"}) { id } }")
    try history.run("mutation { insertProduct(data: {id: 1, maker: {id: 1}}) { id } }")
    let lines = try news()
    #expect(try lines.map { try Self.commit($0).version } == [2, 3])
    #expect(lines.first?.contains(#""id":1,"change":"update","fields":{"name":{"old":"a","new":"b"}"#) == true)
    #expect(try news() == [])
    // A commit without a record, another one, and one after a change of the schema.
    try history.run("mutation { insertMaker(data: {id: 2, name: \"\(String(repeating: "x", count: 4000))\"}) { id } }")
    #expect(try news() == [#"{"version":4,"since":3,"changes":null}"#])
    try history.database.changeSchema(to: Self.schema + "\ntype Other { id: ID! }")
    try history.run("mutation { insertOther(data: {id: 7}) { id } }")
    let last = try news()
    #expect(last.first == #"{"version":5,"since":4,"changes":null}"#)
    #expect(last.count == 2 && last.last?.contains(#""version":6"#) == true && last.last?.contains("Other") == true)
    try history.database.close()
    #expect(try news() == [])
  }

  /// A commit that comes while the log is opened is not passed over, be it the last one.
  @Test func opensWhileAWriterEnds() throws {
    for _ in 0..<30 {
      var history = try History(StorageOptions(durability: .normal))
      try history.run("mutation { insertMaker(data: {id: 1, name: \"a\"}) { id } }")
      let database = history.database
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        for number in 2...20 {
          _ = try? database.run("mutation { updateMaker(where: id == 1, set: {name: \"n\(number)\"}) { id } }")
        }
        done.signal()
      }
      let log = try StorageLog(path: history.path)
      done.wait()
      var next = log.version
      try log.forEachNewCommit { bytes in
        next += 1
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("{\"version\":\(next),"))
      }
      #expect(next == 20)
    }
  }

  /// Whatever is folded meanwhile, each version is in one line, or in the gap of one.
  @Test(arguments: [300, 16 << 20]) func aWriterGoesOnMeanwhile(logBytes: Int) throws {
    var options = StorageOptions(durability: .normal)
    options.folding.logBytes = logBytes
    options.folding.sliceRows = 3
    options.folding.largeCommit = 2000
    var history = try History(options)
    try history.run("mutation { insertMaker(data: {id: 1, name: \"a\"}) { id } }")
    let log = try StorageLog(path: history.path)
    let database = history.database
    let last: Int64 = 600
    let writer = Thread {
      for number in 2...last {
        let name = String(repeating: "n\(number)", count: number % 100 == 0 ? 1000 : 1)
        _ = try? database.run("mutation { updateMaker(where: id == 1, set: {name: \"\(name)\"}) { id } }")
      }
    }
    writer.start()
    var reached: Int64 = 1
    var problems: [String] = []
    let start = Date()
    while reached < last, Date().timeIntervalSince(start) < 120 {
      try log.forEachNewCommit { bytes in
        let line = String(decoding: bytes, as: UTF8.self)
        guard let version = line.firstMatch(of: #/^\{"version":(\d+)/#).flatMap({ Int64($0.1) }) else {
          return problems.append(line)
        }
        let since = line.firstMatch(of: #/"since":(\d+),"changes":null\}$/#).flatMap { Int64($0.1) }
        if since.map({ $0 != reached || version <= $0 }) ?? (version != reached + 1) {
          problems.append("after \(reached): \(line.prefix(200))")
        }
        reached = version
      }
      let other = try StorageLog(path: history.path)
      var next = other.oldest
      try other.forEachCommit { bytes in
        next += 1
        if !String(decoding: bytes, as: UTF8.self).hasPrefix("{\"version\":\(next),") { problems.append("no \(next)") }
      }
      if next != other.version { problems.append("\(next), not \(other.version)") }
    }
    #expect(reached == last && problems.isEmpty, "\(reached) \(problems.prefix(3))")
  }

  @Test func aDamagedRecordIsRefused() throws {
    var history = try History(StorageOptions(durability: .normal))
    try history.run("mutation { insertMaker(data: {id: 1, name: \"a\"}) { id } }")
    try Data("no database".utf8).write(to: URL(filePath: history.folder.file("b.gqlite")))
    for name in ["b.gqlite", "missing.gqlite", "."] {
      #expect(throws: QueryError.self) { try StorageLog(path: history.folder.file(name)) }
    }
  }
}

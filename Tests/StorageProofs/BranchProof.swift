import Foundation
import GQLDifferential
import GQLStorage
import GQLite

/// Branches of files: each step of them is whole or nothing, whatever fails, and they are merged as a context in memory is.
package enum BranchProof {
  /// Tries stories: the power goes in each at many instants, one of its calls of the system fails, and random merges are
  /// made of it.
  package static func run(tries: Int, seed: UInt64, jobs: Int) -> ProofReport {
    let parts = Proofs.parts(tries, of: 40)
    return .trying("branches", parts: parts.count, jobs: jobs) { part, report in
      let seed = seed &* 1_000_000 &+ UInt64(part)
      if let problem = try power(seed, states: parts[part], &report) ?? faults(seed, parts[part] / 4, &report) {
        return report.fail("seed \(seed): \(problem)")
      }
      for number in 0..<max(1, parts[part] / 8) {
        let seed = seed &* 100 &+ UInt64(number)
        report.count("merges")
        if let problem = try BranchMerge(seed: seed).run() { return report.fail("merge \(seed): \(problem)") }
      }
    }
  }

  // MARK: - Power

  private static func power(_ seed: UInt64, states: Int, _ report: inout ProofReport) throws -> String? {
    let folder = try Folder()
    let disk = WatchedDisk(folder.path)
    defer { disk.forget() }
    disk.records = true
    var contents: [String] = []
    var story = try BranchStory(folder.file("recorded.gqlite"), seed)
    for step in 0...30 {
      if step > 0 { try story.step() }
      contents.append(try BranchStory.content(of: story.database))
      if let problem = try story.difference(contents[step]) { return "step \(step), \(story.last): \(problem)" }
      disk.note(.acknowledged(Int64(step)))
    }
    report.count("stories")
    report.count("steps", 30)
    var random = SeededRandom(seed: seed)
    let path = try Folder(syncs: false)
    let ends = (0..<states).map { _ in random.below(disk.events.count + 1) }.sorted()
    var history = DiskHistory(disk.events)
    for end in ends {
      history.advance(to: end)
      let state = history.state(&random)
      try state.write(path.file("power.gqlite"), "recorded.gqlite")
      report.count("states")
      // Before the first step there may be no schema.
      if state.acknowledged == 0 { continue }
      let opened = try Database(path: path.file("power.gqlite"))
      if let problem = try FileSums.problem(path.file("power.gqlite")) { return "\(end) events: \(problem)" }
      let found = try BranchStory.content(of: opened)
      let wanted = contents[Int(state.acknowledged)...].prefix(2)
      if !wanted.contains(found) {
        return "\(end) events, \(state.how), step \(state.acknowledged): "
          + Proofs.firstDifference(found, wanted.first ?? "")
      }
    }
    return nil
  }

  // MARK: - Faults

  private static func faults(_ seed: UInt64, _ tries: Int, _ report: inout ProofReport) throws -> String? {
    var random = SeededRandom(seed: seed &+ 1)
    for _ in 0..<max(1, tries) {
      let folder = try Folder()
      let disk = WatchedDisk(folder.path)
      defer { disk.forget() }
      var story = try BranchStory(folder.file("a.gqlite"), random.next())
      for _ in 0..<(5 + random.below(20)) { try story.step() }
      var open = try BranchStory.branches(of: story.database)
      let before = try BranchStory.content(of: story.database, open)
      let isFull = random.chance(30)
      disk.fail(at: random.below(12), isFull: isFull, isLasting: random.chance(50))
      report.count("faults")
      var failure: String?
      do { try story.stepOfFile() } catch let error as QueryError { failure = error.problems.first?.code }
      disk.recover()
      if let failure {
        report.count("told")
        if !failure.hasPrefix("storage-") || failure == "storage-corrupt" { return "\(story.last): \(failure)" }
        // What is kept is seen, and nothing else is.
        if !story.isReopening {
          let seen = try BranchStory.content(of: story.database, open)
          if seen != before { return "\(story.last): what is seen: \(Proofs.firstDifference(seen, before))" }
        }
      }
      if story.isReopening { open = [] }
      try story.stepOfTwin()
      let after = try story.twin.map { try BranchStory.content(of: $0) }
      if story.isReopening { try story.open() } else { try story.database.reopen() }
      for attempt in 0..<2 {
        let found = try BranchStory.content(of: story.database)
        open = []
        if found != after, failure == nil || found != before {
          return "\(story.last), attempt \(attempt), \(failure ?? "no failure"): "
            + Proofs.firstDifference(found, after ?? before)
        }
        try story.open()
      }
      if let problem = try Database.verify(path: story.path).first { return "\(story.last): \(problem)" }
      if let problem = try FileSums.problem(story.path) { return "\(story.last): \(problem)" }
    }
    return nil
  }
}

/// Random steps of a database with branches in a file, and of one in memory that is given the same.
private struct BranchStory {
  let path: String
  private(set) var database: Database
  let twin: Database?
  private var random: SeededRandom
  private var number = 0
  private var isWider = false
  /// What was done last, in words.
  private(set) var last = ""
  private(set) var isReopening = false
  private var pending: ((Database) throws -> Void)?
  private let options: StorageOptions

  private static let schema = """
    type A {
      id: ID! n: Int! = 0 @merge(by: SUM) note: String tags: [String!] code: Int @unique
      b: B @relation(inverse: "as") others: [A!]! @relation(inverse: "others") parts: [Part!]
    }
    type B { id: ID! as: [A!]! @relation(inverse: "b", onDelete: CASCADE) }
    type Part { what: String }
    """
  private static let widerSchema = schema.replacing("note: String", with: "note: String extra: Int = 7")
  private static let everything = """
    { A(orderBy: id, deleted: INCLUDE) { id n note tags code b { id } others(orderBy: id) { id } parts { what } _status }
      B(orderBy: id) { id as(orderBy: id) { id } } }
    """

  init(_ path: String, _ seed: UInt64) throws {
    self.path = path
    random = SeededRandom(seed: seed)
    var options = StorageOptions()
    options.folding.logBytes = random.pick([400, 2_000, 16 << 20])
    options.folding.keptBytes = random.pick([0, 1_000, 4 << 20])
    options.folding.sliceRows = random.pick([2, 100])
    options.folding.largeCommit = random.pick([1_500, 4 << 20])
    self.options = options
    database = try Database(path: path, schema: Self.schema, storage: options)
    twin = try Database(schema: Self.schema)
    for database in [database, twin].compactMap(\.self) {
      try database.run("mutation { insertB(data: [{id: 1}, {id: 2}]) { id } }")
      let rows = (1...5).map { "{id: \($0), n: 0, note: \"start\", b: \(1 + $0 % 2)}" }.joined(separator: ", ")
      try database.run("mutation { insertA(data: [\(rows)]) { id } }")
    }
  }

  mutating func open() throws {
    try? database.close()
    database = Database()
    database = try Database(path: path, storage: options)
  }

  /// What a database has, in its branches too.
  static func content(of database: Database) throws -> String { try content(of: database, branches(of: database)) }

  /// The branches of a database, opened.
  static func branches(of database: Database) throws -> [Branch] {
    try database.branches.map { try database.branch($0.name, creates: false) }
  }

  static func content(of database: Database, _ branches: [Branch]) throws -> String {
    var text = try database.run(everything).jsonString
    let problems = database.check()
    if !problems.isEmpty { text += "\nCHECK \(problems.prefix(2))" }
    for branch in branches {
      text += "\n\(branch.name): \(try branch.run(everything).jsonString)\n\(branch.changes)"
      let problems = branch.database.check()
      if !problems.isEmpty { text += "\nCHECK \(problems.prefix(2))" }
    }
    return text
  }

  /// What differs between the file and the memory.
  func difference(_ content: String) throws -> String? {
    guard let twin else { return nil }
    if content.contains("CHECK") { return content }
    let wanted = try Self.content(of: twin)
    return wanted == content ? nil : Proofs.firstDifference(content, wanted)
  }

  mutating func step() throws {
    try stepOfFile()
    try stepOfTwin()
  }

  mutating func stepOfTwin() throws { if let twin { try pending?(twin) } }

  mutating func stepOfFile() throws {
    number += 1
    isReopening = false
    let name = random.pick(["one", "two", "three"])
    switch random.below(20) {
    case 0...4:
      let text = "mutation { \(statement()) }"
      try both("write \(text)") { database in try Self.trying { try database.run(text) } }
    case 5...10:
      let texts = (0..<(1 + random.below(3))).map { _ in "mutation { \(statement()) }" }
      let isTransaction = random.chance(40)
      // Made before, so that the step is one.
      if try !database.branches.contains(where: { $0.name == name }) {
        return try both("make \(name)") { _ = try $0.branch(name) }
      }
      try both("write to \(name) \(texts)") { database in
        let branch = try database.branch(name)
        guard isTransaction else { return try Self.trying { try branch.run(texts[0]) } }
        try Self.trying { try branch.transaction { for text in texts { try $0.run(text) } } }
      }
    case 11, 12:
      try both("merge \(name)") { database in
        try Self.trying { try Self.known(name, database)?.merge(into: database, conflicts: .mine) }
      }
    case 13:
      try both("merge \(name), theirs") { database in
        try Self.trying { try Self.known(name, database)?.merge(into: database, conflicts: .theirs) }
      }
    case 14:
      try both("refresh \(name)") { database in
        try Self.trying { try Self.known(name, database)?.refresh(conflicts: .mine) }
      }
    case 15:
      let other = random.pick(["one", "two", "three"])
      // Brought to the newest data before, so that the step is one.
      if let target = try Self.known(other, database), target.base != database.version {
        return try both("refresh \(other)") { database in
          try Self.trying { try Self.known(other, database)?.refresh(conflicts: .mine) }
        }
      }
      try both("merge \(name) into \(other)") { database in
        guard let branch = try Self.known(name, database), let target = try Self.known(other, database),
          branch !== target
        else { return }
        try Self.trying { try branch.merge(into: target, conflicts: .mine) }
      }
    case 16: try both("discard \(name)") { try Self.known(name, $0)?.discard() }
    case 17: try both("drop \(name)") { try Self.known(name, $0)?.drop() }
    case 18 where random.chance(50):
      isWider.toggle()
      let schema = isWider ? Self.widerSchema : Self.schema
      try both("schema") { try $0.changeSchema(to: schema, allowingLoss: true) }
    case 18: try both("compact") { try $0.compact() }
    default:
      pending = nil
      isReopening = true
      last = "open"
      if random.chance(50) { try database.close() }
      // As where the process has ended: it is let go of.
      database = Database()
      database = try Database(path: path, storage: options)
    }
  }

  private mutating func both(_ words: String, _ body: @escaping (Database) throws -> Void) throws {
    last = words
    pending = body
    try body(database)
  }

  private static func known(_ name: String, _ database: Database) throws -> Branch? {
    guard try database.branches.contains(where: { $0.name == name }) else { return nil }
    return try database.branch(name)
  }

  /// What a statement or a merge refuses is refused in memory too; what the storage does is a failure.
  private static func trying(_ body: () throws -> some Any) throws {
    do { _ = try body() } catch let error as QueryError {
      if error.problems.contains(where: { $0.code.hasPrefix("storage-") }) { throw error }
    }
  }

  private mutating func statement() -> String {
    let id = 1 + random.below(7)
    switch random.below(10) {
    case 0, 1:
      return
        "insertA(data: {id: \(100 + number * 3 + random.below(3)), note: \"new \(number)\", b: \(1 + random.below(2))})"
    case 2: return "upsertA(data: {id: \(id), note: \"up \(number)\"})"
    case 3: return "deleteA(where: id == \(id)\(random.chance(50) ? ", hard: true" : ""))"
    case 4: return "restoreA(where: id == \(id))"
    case 5: return "updateA(where: id == \(id), set: {n: n + \(1 + random.below(3)), code: \(random.below(6))})"
    case 6:
      return
        "updateA(where: id == \(id), set: {tags: [\"\(random.below(3))\", \"t\"], parts: [{what: \"\(random.below(3))\"}]})"
    case 7: return "updateA(where: id == \(id), set: {others: {append: [\(1 + random.below(7))]}})"
    case 8:
      return
        "updateA(where: id <= \(id), set: {note: \"\(String(repeating: "long ", count: random.below(60)))\(number)\"})"
    default: return "updateA(where: id == \(id), set: {b: \(1 + random.below(2)), note: \"\(random.below(4))\"})"
    }
  }
}

/// A random merge of a branch in a file, which is closed and opened between the changes, and of a context in memory that is
/// given the same changes and saved in the same way.
private struct BranchMerge {
  let seed: UInt64

  func run() throws -> String? {
    var random = SeededRandom(seed: seed)
    let folder = try Folder(syncs: false)
    let path = folder.file("a.gqlite")
    var options = StorageOptions(durability: random.pick([.full, .normal, .memory]))
    options.folding.logBytes = random.pick([300, 16 << 20])
    options.folding.keptBytes = random.pick([0, 4 << 20])
    options.folding.largeCommit = random.pick([800, 4 << 20])
    var database = try Database(path: path, schema: MergeCampaign.strict, storage: options)
    let twin = try Database(schema: MergeCampaign.strict)
    for text in MergeCampaign.strictStart() {
      try database.run(text)
      try twin.run(text)
    }
    _ = try database.branch("draft")
    let context = twin.edit(.snapshot)
    let mine = MergeCampaign.strictChanges(&random, 100)
    let theirs = MergeCampaign.strictChanges(&random, 200)
    let order = (mine.map { (true, $0) } + theirs.map { (false, $0) }).shuffled(using: &random)
    for (isMine, text) in order {
      let isRun = [
        (try? isMine ? database.branch("draft").run(text) : database.run(text)) != nil,
        (try? isMine ? context.run(text) : twin.run(text)) != nil,
      ]
      if isRun[0] != isRun[1] { return "\(text) is refused by one of the two" }
      if random.chance(25) {
        // Without closing: the process has ended.
        if random.chance(50) || options.durability == .memory { try database.close() }
        database = Database()
        database = try Database(path: path, storage: options)
      }
      if random.chance(10) { try database.compact() }
    }
    let branch = try database.branch("draft", creates: false)
    let choice = random.pick([MergeChoice.fail, .mine, .theirs])
    func report(_ problem: String) -> String {
      "\(choice): \(problem)\n\(order.map { "\($0.0 ? "mine" : "theirs") \($0.1)" }.joined(separator: "\n"))"
    }
    if branch.changes.description != context.changes.description {
      return report("changes\n\(branch.changes)\nnot\n\(context.changes)")
    }
    let (found, wanted) = (
      Self.outcome { try branch.merge(into: database, conflicts: choice) },
      Self.outcome { try context.save(conflicts: choice) }
    )
    if found != wanted { return report("\(found)\nnot\n\(wanted)") }
    for (left, right) in [(database, twin), (branch.database, context.database)] {
      let (found, wanted) = (
        try left.run(MergeCampaign.everything).jsonString, try right.run(MergeCampaign.everything).jsonString
      )
      if found != wanted { return report(Proofs.firstDifference(found, wanted)) }
      if !left.check().isEmpty { return report("\(left.check())") }
    }
    return nil
  }

  private static func outcome(_ body: () throws -> MergeReport) -> String {
    do {
      let report = try body()
      return "\(report.applied)\n\(report.conflicts.map { "\($0) \($0.resolved)" }.joined(separator: "\n"))"
    } catch { return "\(error)" }
  }
}

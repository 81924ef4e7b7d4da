import GQLDifferential
import GQLStorage
import GQLite

/// Random commits of several threads, each of which has entities of its own and counts its commits.
///
/// A commit is a function of the seed, the thread, its number and what the thread's commits before it have made. So
/// any other database gets the same content from the same commits, in whatever order the threads take turns. Each
/// commit leaves its number in a counter or an entity: how many a file has is read from its content.
package struct Workload: Sendable {
  package let seed: UInt64
  package let threads: Int

  package init(seed: UInt64, threads: Int) {
    self.seed = seed
    self.threads = threads
  }

  package static let schema = """
    enum Kind { BOOK LAMP }
    interface Named { name: String }
    type Counter @history { id: Int! n: Int! seen: [Int!] note: String }
    type Maker implements Named @history { id: ID! seq: Int! owner: Int! name: String items: [Item] }
    type Item implements Named @history(versions: 20) {
      id: ID!
      seq: Int! @index
      owner: Int! @index
      name: String @fulltext(language: "en")
      code: String @unique
      price: Decimal
      kind: Kind
      tags: [String!]
      parts: [Part!]!
      main: Part
      maker: Maker
      similar: [Item] @relation(inverse: "similarTo")
      similarTo: [Item]
      friends: [Item!]! @relation(inverse: "friends")
    }
    type Part { what: String count: Int }
    type Ballast { id: Int! text: String }
    """
  /// The same with a field more.
  package static let widerSchema = schema.replacing("kind: Kind", with: "kind: Kind extra: Int = 7 @index")

  /// All that there is but for times, and for what threads have seen of one another.
  package static let everything = """
    { Counter(orderBy: id) { id n note }
      Maker(orderBy: id, deleted: INCLUDE) { id seq owner name _status items(orderBy: id) { id } }
      Item(orderBy: id, deleted: INCLUDE) { id seq owner name code price kind tags parts { what count } main { what }
        _status maker { id } similar { id } similarTo(orderBy: id) { id } friends(orderBy: id) { id } }
      found: Item(where: name matches "lamp", orderBy: id) { id } named: count(Named) }
    """

  /// Makes the counters where they are missing.
  package func begin(_ database: Database) throws {
    guard try database.run("{ n: count(Counter) }").jsonString == #"{"n":0}"# else { return }
    let counters = (0..<threads).map { "{id: \($0), n: 0}" }.joined(separator: ", ")
    try database.run("mutation { insertCounter(data: [\(counters)]) }")
  }

  /// How many commits of a thread a database has.
  package func count(of thread: Int, in database: Database) throws -> Int {
    let answer = try database.run(
      """
      { c: Counter(where: id == \(thread)) { n }
        i: Item(where: owner == \(thread), deleted: INCLUDE, orderBy: -seq, limit: 1) { n: seq }
        m: Maker(where: owner == \(thread), deleted: INCLUDE, orderBy: -seq, limit: 1) { n: seq } }
      """
    ).jsonString
    return answer.split(separator: "\"n\":").dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }.max() ?? 0
  }

  /// Makes one commit, and no other.
  package func run(_ number: Int, of thread: Int, in database: Database) throws {
    var random = SeededRandom(seed: seed &+ UInt64(number) &* 1_000_003 &+ UInt64(thread) &* 7_919_000_017)
    let text = statement(number, thread, &random)
    let mark = "updateCounter(where: id == \(thread), set: {n: \(number), note: \"\(random.below(1000))\"}) { id }"
    do {
      if random.chance(12) {
        return try transaction([text, random.chance(50) ? text : "", mark], thread, in: database)
      }
      if !text.isEmpty, let answer = try write(text, mark, &random, database), !answer.contains("[]") { return }
    } catch let error as QueryError {
      if error.problems.contains(where: { $0.code.hasPrefix("storage-") }) { throw error }
    }
    try database.run("mutation { \(mark) }", options: RunOptions(origin: number % 3 == 0 ? nil : "thread \(thread)"))
  }

  /// Runs a statement that leaves the number itself alone, and another with the mark.
  private func write(
    _ text: String, _ mark: String, _ random: inout SeededRandom, _ database: Database
  ) throws -> String? {
    if text.contains("seq:") { return try database.run("mutation { \(text) }").jsonString }
    try database.run("mutation { a: \(text) b: \(mark) }")
    return ""
  }

  private func transaction(_ texts: [String], _ thread: Int, in database: Database) throws {
    try database.transaction { transaction in
      for text in texts where !text.isEmpty { try transaction.run("mutation { \(text) }") }
      let seen = try transaction.run("{ Counter(orderBy: id) { n } }").jsonString
        .split(separator: "\"n\":").dropFirst().map { $0.prefix { $0.isNumber } }.joined(separator: ", ")
      try transaction.run("mutation { updateCounter(where: id == \(thread), set: {seen: [\(seen)]}) { id } }")
    }
  }

  private func statement(_ number: Int, _ thread: Int, _ random: inout SeededRandom) -> String {
    func item(_ random: inout SeededRandom) -> String { "\"\(thread)-\(random.below(40))\"" }
    let id = item(&random)
    switch random.below(14) {
    case 0...2: return "upsertItem(data: \(values(id, number, thread, &random))) { id }"
    case 3...5:
      let sets = fields(thread, &random).joined(separator: ", ")
      return "updateItem(where: id == \(id), set: {seq: \(number), \(sets)}) { id }"
    case 6: return "deleteItem(where: id == \(id)) { id }"
    case 7: return "restoreItem(where: id == \(id)) { id }"
    case 8: return "deleteItem(where: id == \(id), hard: true) { id }"
    case 9, 10:
      let relation = random.pick(["similar", "friends", "similarTo"])
      let change = random.pick(["append", "remove", "set"])
      let targets = [item(&random), item(&random)].joined(separator: ", ")
      return "updateItem(where: id == \(id), set: {seq: \(number), \(relation): {\(change): [\(targets)]}}) { id }"
    case 11:
      let maker = "\"\(thread)-m\(random.below(4))\""
      return random.pick([
        "upsertMaker(data: {id: \(maker), seq: \(number), owner: \(thread), name: \"m\(number)\"}) { id }",
        "updateItem(where: id == \(id), set: {seq: \(number), maker: \(maker)}) { id }",
        "deleteMaker(where: id == \(maker)) { id }", "restoreMaker(where: id == \(maker)) { id }",
      ])
    case 12:
      let first = random.below(60)
      let rows = (0..<(5 + random.below(40))).map { row in
        "{id: \"\(thread)-\(40 + first + row)\", seq: \(number), owner: \(thread), name: \"row \(number)\"}"
      }
      return "upsertItem(data: [\(rows.joined(separator: ", "))]) { id }"
    default: return ""
    }
  }

  private func values(_ id: String, _ number: Int, _ thread: Int, _ random: inout SeededRandom) -> String {
    let all = ["id: \(id)", "seq: \(number)", "owner: \(thread)"] + fields(thread, &random)
    return "{" + all.joined(separator: ", ") + "}"
  }

  private func fields(_ thread: Int, _ random: inout SeededRandom) -> [String] {
    let word = random.pick(["lamp", "lamps of a name that is long, and longer", "Söhne", "b\\\"q\\\\", ""])
    var all = [
      "name: \"\(word) \(random.below(100))\"", "price: \(random.below(10_000)).\(random.below(10))",
      "kind: \(random.pick(["BOOK", "LAMP", "null"]))", "tags: [\"\(word)\", \"t\"]", "tags: []", "main: null",
      "main: {what: \"\(word)\", count: \(random.below(9))}",
      "parts: [{what: \"a\", count: \(random.below(9))}, {what: \"\(word)\"}]",
    ]
    // No field twice.
    var names: Set<Substring> = []
    all = all.shuffled(using: &random).prefix(1 + random.below(5))
      .filter { names.insert($0.prefix { $0 != ":" }).inserted }
    if random.chance(15) { all.append("code: \"\(thread)-c\(random.below(30))\"") }
    return all
  }
}

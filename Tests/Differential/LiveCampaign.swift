import GQLEngine
import GQLite
import Synchronization

/// Random live queries on random databases that change: the patched answer is that of the query run again, and a change
/// is told once, if and only if the answer is another one.
package struct LiveCampaign: Sendable {
  /// Live queries on one database.
  package var queries = 20
  /// Rounds of changes.
  package var rounds = 8
  package var allowsLarge = false

  package init() {}

  package struct Result: Sendable {
    /// Pairs of a live query and a change.
    package var checks = 0
    /// Answers that were told.
    package var told = 0
    /// Answers that were found by changing the one before.
    package var changed = 0
    package var reports: [String] = []

    package init() {}

    package mutating func add(_ other: Result) {
      checks += other.checks
      told += other.told
      changed += other.changed
      reports += other.reports
    }
  }

  /// A database in memory, or one that keeps its data.
  private static func database(_ schema: String, _ seed: UInt64) throws -> Database {
    let durabilities: [StorageOptions.Durability?] = [nil, nil, nil, .full, .normal, .memory]
    guard let durability = durabilities[Int(seed % 6)] else { return try Database(schema: schema) }
    return try Database(MemoryBackend(), schema: schema, storage: StorageOptions(durability: durability))
  }

  /// One database; stops at its first difference.
  package func run(seed: UInt64) -> Result {
    var result = Result()
    var random = SeededRandom(seed: seed)
    var model = Model.random(&random, allowsLarge: allowsLarge)
    let database: Database
    do {
      database = try Self.database(model.sdl, seed)
      // Most lists are short. Where they are changed in parts from the first element on, all of that is met.
      if seed % 4 != 0 { database.live.fewestChanged.store(1, ordering: .relaxed) }
      try database.load([.ndjson(bytes: Array(model.ndjson.utf8), name: "data.ndjson")])
    } catch {
      result.reports.append("seed \(seed): the data does not load: \(error)\n\(model.sdl)")
      return result
    }
    var generator = QueryGenerator(model, random)
    var followers: [(node: Node, follower: LiveFollower)] = []
    for number in 0..<queries {
      let node =
        switch number % 4 {
        case 3: generator.plainQuery()
        case 1: generator.flatList()
        default: generator.query()
        }
      // A document that is refused is another test's.
      guard let query = try? database.prepare(node.text) else { continue }
      let follower = LiveFollower(query, node.variables)
      do { try follower.begin(number % 3 == 0 ? .full : .diff) } catch { continue }
      followers.append((node, follower))
    }
    var log: [String] = []
    func check(mayRepeat: Bool) -> Bool {
      database.waitUntilTold()
      for (node, follower) in followers {
        result.checks += 1
        guard let problem = follower.take(database, told: &result.told, mayRepeat: mayRepeat) else { continue }
        let plan = (try? follower.query.explain(node.variables)) ?? ""
        result.reports.append(
          """
          seed \(seed), after \(log.suffix(4).joined(separator: "\n      "))
          query    \(node.text)
          with     \(node.variables)
          \(problem)
          plan
          \(plan)
          schema
          \(model.sdl)
          """)
        return false
      }
      return true
    }
    guard check(mayRepeat: false) else { return result }
    var waiting = 0
    for _ in 0..<rounds {
      for change in model.changes(&generator.random) {
        do {
          // As a statement, or as a transaction, whose changes are found by comparing versions.
          if generator.random.chance(75) {
            try database.run(change.text, change.variables)
          } else {
            try database.transaction { _ = try $0.run(change.text, change.variables) }
          }
        } catch {
          result.reports.append("seed \(seed): \(change.text) with \(change.variables): \(error)")
          return result
        }
        log.append("\(change.text) with \(change.variables)")
        // Now and then several changes come as one, or in parts.
        waiting += 1
        if generator.random.chance(10) { continue }
        guard check(mayRepeat: waiting > 1) else { return result }
        waiting = 0
      }
    }
    for (_, follower) in followers { follower.end() }
    result.changed = database.live.changedLists.load(ordering: .relaxed)
    return result
  }
}

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
    package var reports: [String] = []

    package init() {}

    package mutating func add(_ other: Result) {
      checks += other.checks
      told += other.told
      reports += other.reports
    }
  }

  /// A live query and all that it was told.
  private final class Follower: Sendable {
    let node: Node
    let query: PreparedQuery
    let events = Mutex<[LiveEvent]>([])
    /// The text of the last answer, or of the error after it.
    let last = Mutex<(answer: String?, error: String?)>((nil, nil))
    let subscription = Mutex<LiveSubscription?>(nil)

    init(_ node: Node, _ query: PreparedQuery) {
      self.node = node
      self.query = query
    }

    func begin(_ mode: LiveMode) throws {
      let made = try query.subscribe(node.variables, mode: mode) { [weak self] event in
        self?.events.withLock { $0.append(event) }
      }
      subscription.withLock { $0 = made }
    }

    /// Takes what was told. Returns what is wrong with it.
    func take(_ database: Database, told: inout Int, mayRepeat: Bool) -> String? {
      let events = self.events.withLock { events in
        defer { events = [] }
        return events
      }
      var expected: (answer: String?, error: String?)
      do {
        expected = (try query.run(node.variables).jsonString, nil)
      } catch {
        expected = (nil, "\(error)")
      }
      return last.withLock { last in
        let before = last
        for event in events {
          switch event.content {
          case .answer(let answer): last = (answer.jsonString, nil)
          case .error(let error): last.error = "\(error)"
          case .patch(let patch):
            do {
              var tree = try JSONReference(last.answer ?? "")
              try tree.apply(try JSONReference(patch.jsonString))
              last = (tree.text, nil)
            } catch {
              return "the patch \(patch) of \(last.answer ?? "nothing") fails: \(error)"
            }
          }
        }
        told += events.count
        let isRight = expected.error != nil ? last.error == expected.error : last.error == nil && last == expected
        if !isRight {
          return """
            expected \(expected.answer ?? expected.error ?? "")
            has      \(last.error ?? last.answer ?? "nothing"), told \(events.map(\.jsonLine))
            """
        }
        let isChanged = before.error != last.error || before.answer != last.answer && last.error == nil
        let wanted = isChanged ? 1 : 0
        if !mayRepeat, let version = events.last?.version, version != database.version {
          return "told version \(version) instead of \(database.version)"
        }
        if events.count == wanted || mayRepeat { return nil }
        return "told \(events.count) times instead of \(wanted): \(events.map(\.jsonLine)), before \(before)"
      }
    }
  }

  /// One database; stops at its first difference.
  package func run(seed: UInt64) -> Result {
    var result = Result()
    var random = SeededRandom(seed: seed)
    var model = Model.random(&random, allowsLarge: allowsLarge)
    let database: Database
    do {
      database = try Database(schema: model.sdl)
      try database.load([.ndjson(bytes: Array(model.ndjson.utf8), name: "data.ndjson")])
    } catch {
      result.reports.append("seed \(seed): the data does not load: \(error)\n\(model.sdl)")
      return result
    }
    var generator = QueryGenerator(model, random)
    var followers: [Follower] = []
    for number in 0..<queries {
      let node = number % 4 == 3 ? generator.plainQuery() : generator.query()
      // A document that is refused is another test's.
      guard let query = try? database.prepare(node.text) else { continue }
      let follower = Follower(node, query)
      do { try follower.begin(number % 3 == 0 ? .full : .diff) } catch { continue }
      followers.append(follower)
    }
    var log: [String] = []
    func check(mayRepeat: Bool) -> Bool {
      database.waitUntilTold()
      for follower in followers {
        result.checks += 1
        guard let problem = follower.take(database, told: &result.told, mayRepeat: mayRepeat) else { continue }
        let plan = (try? follower.query.explain(follower.node.variables)) ?? ""
        result.reports.append(
          """
          seed \(seed), after \(log.suffix(4).joined(separator: "\n      "))
          query    \(follower.node.text)
          with     \(follower.node.variables)
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
          try database.run(change.text, change.variables)
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
    for follower in followers { follower.subscription.withLock { $0 = nil } }
    return result
  }
}

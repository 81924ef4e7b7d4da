import Foundation
import GQLite
import Synchronization

/// Live queries: what they cost those who write, and how soon they are told.
struct LiveBenchmark {
  private let database: Database
  private let update: PreparedQuery
  private let query: PreparedQuery
  private let rows: Int
  private let report: Report
  private static let groupSize = 10
  private static let subscriptions = 10_000
  private static let schema =
    "type Member { id: ID! group: Int! @index(kind: HASH) place: Int! name: String! score: Int! }"

  /// A million entities, ten to a group.
  init(_ scale: Double, _ report: Report) throws {
    rows = max(Int(1_000_000 * scale), 2 * Self.groupSize * Self.subscriptions)
    self.report = report
    database = try Database(schema: Self.schema)
    var text = ""
    for id in 0..<rows {
      text +=
        #"{"id":\#(id),"group":\#(id / Self.groupSize),"place":\#(id % Self.groupSize),"name":"member \#(id)","score":0}"#
        + "\n"
    }
    try database.load([.ndjson(type: "Member", bytes: Array(text.utf8))])
    update = try database.prepare(
      "mutation($id: ID!, $s: Int!) { updateMember(where: id == $id, set: {score: $s}) }")
    query = try database.prepare(
      "query($g: Int!) { Member(where: group == $g, orderBy: [-score, id], limit: 10) { id name score } }")
  }

  /// When the last event was told, and how many were.
  private final class Told: Sendable {
    private let state = Mutex((count: 0, last: ContinuousClock.now))
    private let wanted = Atomic<Int>(0)
    private let done = DispatchSemaphore(value: 0)

    func expect(_ count: Int) {
      state.withLock { $0.count = 0 }
      wanted.store(count, ordering: .sequentiallyConsistent)
    }
    func note() {
      let now = ContinuousClock.now
      let count = state.withLock { state in
        state.count += 1
        state.last = now
        return state.count
      }
      if count == wanted.load(ordering: .sequentiallyConsistent) { done.signal() }
    }
    /// The moment of the last event that was expected.
    func wait() -> ContinuousClock.Instant {
      done.wait()
      return state.withLock { $0.last }
    }
  }

  func run() throws {
    let clock = ContinuousClock()
    let told = Told()
    let unwatched = rows - 1
    // Without anybody who follows.
    let alone = try commits(unwatched, clock)
    // One.
    told.expect(1)
    let one = try query.subscribe(["g": 0]) { _ in told.note() }
    _ = told.wait()
    let single = try tells(0, told, clock, gap: true)
    one.cancel()
    // Many.
    let before = Self.heldBytes
    told.expect(Self.subscriptions)
    let bytes = Mutex(0)
    var all: [LiveSubscription] = []
    all.reserveCapacity(Self.subscriptions)
    for group in 0..<Self.subscriptions {
      all.append(
        try query.subscribe(["g": .int(Int64(group))]) { event in
          if let answer = event.answer { bytes.withLock { $0 += answer.utf8.count } }
          told.note()
        })
    }
    _ = told.wait()
    let held = (Self.heldBytes - before - bytes.withLock { $0 }) / Self.subscriptions
    let followed = try commits(unwatched, clock)
    let again = try commits(unwatched, clock)
    let hit = try tells(0, told, clock, gap: true)
    let busy = try tells(0, told, clock, gap: false)
    let everyone = try tellsAll(told, clock)
    withExtendedLifetime(all) {}
    note("a commit that nobody follows", alone, nil)
    note("a commit that touches none of 10,000 subscriptions", min(followed, again), alone + 2000)
    note("until the one that is hit is told, of 10,000", hit, 150_000)
    note("the same, one commit after the other", busy, nil)
    note("until one subscription is told", single, 100_000)
    note("until all 10,000 are told", everyone, 100_000_000)
    report.note("memory of a subscription beside its answer: \(held) bytes, goal at most 2048")
    try list(clock)
  }

  /// A long list, of which one element changes.
  private func list(_ clock: ContinuousClock) throws {
    let long = try database.prepare("{ Member(where: place == 0, orderBy: [-score, id]) { id name score } }")
    let told = Told()
    told.expect(2)
    let answer = Mutex<Answer?>(nil)
    let whole = try long.subscribe(mode: .full) { event in
      answer.withLock { $0 = event.answer }
      told.note()
    }
    let patched = try long.subscribe(mode: .diff) { _ in told.note() }
    _ = told.wait()
    var times: [Double] = []
    for number in 1...200 {
      usleep(500)
      told.expect(2)
      let start = clock.now
      try update.run(["id": .int(Int64(number * Self.groupSize)), "s": .int(Int64(number % 7))])
      times.append((told.wait() - start).nanoseconds)
    }
    var runs: [Double] = []
    var last = try long.run()
    for _ in 0..<20 { runs.append(try clock.measure { last = try long.run() }.nanoseconds) }
    withExtendedLifetime((whole, patched)) {}
    if answer.withLock({ $0 }) != last { throw Failure("a followed list is not the answer of its query") }
    note("until a change in a list of \(rows / Self.groupSize) is told, whole and as a patch", times.sorted()[100], nil)
    note("the query of that list", runs.sorted()[10], nil)
  }

  private func note(_ what: String, _ time: Double, _ goal: Double?) {
    let end = goal.map { ", goal at most \(duration($0)): \(time <= $0 ? "met" : "NOT MET")" } ?? ""
    report.note("\(what): \(duration(time))\(end)")
  }

  /// The median time of a commit, of many that follow one another.
  private func commits(_ id: Int, _ clock: ContinuousClock) throws -> Double {
    var times: [Double] = []
    for number in 0..<20_000 {
      let row = id - number % (rows / 4)
      let time = try clock.measure { try update.run(["id": .int(Int64(row)), "s": .int(Int64(number))]) }
      times.append(time.nanoseconds)
    }
    return times.sorted()[times.count / 2]
  }

  /// The median time from the begin of a commit until who is hit is told.
  private func tells(_ id: Int, _ told: Told, _ clock: ContinuousClock, gap: Bool) throws -> Double {
    var times: [Double] = []
    for number in 1...2000 {
      if gap { usleep(500) }
      told.expect(1)
      let start = clock.now
      try update.run(["id": .int(Int64(id)), "s": .int(Int64(number))])
      let last = told.wait()
      times.append((last - start).nanoseconds)
    }
    return times.sorted()[times.count / 2]
  }

  /// The median time from the end of a commit that concerns all until the last one is told.
  private func tellsAll(_ told: Told, _ clock: ContinuousClock) throws -> Double {
    let change = try database.prepare(
      "mutation($g: Int!, $s: Int!) { updateMember(where: group < $g and place == 0, set: {score: $s}) }")
    var times: [Double] = []
    for number in 1...5 {
      told.expect(Self.subscriptions)
      try change.run(["g": .int(Int64(Self.subscriptions)), "s": .int(Int64(1_000_000 + number))])
      let start = clock.now
      times.append((told.wait() - start).nanoseconds)
    }
    return times.sorted()[times.count / 2]
  }

  /// Bytes of memory that the process holds, where that can be found.
  private static var heldBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
}

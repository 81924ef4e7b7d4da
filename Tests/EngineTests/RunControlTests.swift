import Dispatch
import Foundation
import GQLite
import TestClocks
import Testing

/// Limits, time-outs, cancellation, and many threads.
@Suite struct RunControlTests {
  private static let schema = "type N { id: ID! n: Int! text: String! next: N }"

  /// 6,000 entities: a query that compares all pairs takes long enough to be stopped.
  private static let database: Database? = try? {
    let database = try Database(schema: schema)
    var text = ""
    for id in 0..<6000 { text += "{\"id\":\(id),\"n\":\(id),\"text\":\"text \(id)\",\"next\":\((id + 1) % 6000)}\n" }
    try database.load([.lines("N", text)])
    return database
  }()
  private static let long = "{ N { id x := count(N(where: n * 2 + ^.n > 7 and text contains \"9\")) } }"

  private func code(_ text: String, _ options: RunOptions) throws -> String? {
    let database = try #require(Self.database)
    do {
      _ = try database.query(text, options: options)
      return nil
    } catch { return error.problems.first?.code }
  }

  @Test("a time-out stops a long run soon") func timeout() throws {
    var found: String?
    let time = try ThreadTime.measure { found = try code(Self.long, RunOptions(timeout: .milliseconds(50))) }
    #expect(found == "timeout" && time < .seconds(1), "\(time)")
    #expect(try code("{ N(limit: 1) { id } }", RunOptions(timeout: .seconds(60))) == nil)
    #expect(try code(Self.long, RunOptions(timeout: .zero)) == "timeout")
  }

  /// Each goes through tens of megabytes, or compares about as often: seconds, where nothing stops it.
  @Test(
    "a time-out stops functions of long texts and lists",
    arguments: [
      #"{ x := padStart("", 1000000, "a") like concat("%", padStart("", 500000, "_"), "b%") }"#,
      #"{ n: count(N(where: length(upper(padStart(text, 1000000, "é"))) > 3)) }"#,
      #"{ n: count(N(where: padStart(text, 1000000, "aé") ilike "%zz%")) }"#,
      #"{ n: count(N(where: padStart(text, 1000000, "a") contains concat(padStart("", 500000, "a"), "b"))) }"#,
      #"{ N(limit: 100) { x := sort(split(padStart(text, 50000, "abc"), ""))[9] } }"#,
      #"{ x := length(replace(padStart("", 30000000, "ab"), "b", "cc")) }"#,
      #"{ x := length(lower(padStart("", 30000000, "É"))) }"#,
    ]) func functions(_ text: String) throws
  {
    var found: String?
    let time = try ThreadTime.measure { found = try code(text, RunOptions(timeout: .milliseconds(20))) }
    // Far more than what is wanted, because this runs without optimization.
    #expect(found == "timeout" && time < .seconds(2), "\(time)")
  }

  /// When a thread did something; read only after what it did was seen.
  private final class Moment: @unchecked Sendable { var instant: ContinuousClock.Instant? }

  @Test("another thread cancels a run") func cancellation() throws {
    let cancellation = QueryCancellation()
    let moment = Moment()
    // A thread of its own, because those of queues may all be busy with other tests.
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 0.05)
      moment.instant = ContinuousClock().now
      cancellation.cancel()
    }
    #expect(try code(Self.long, RunOptions(cancellation: cancellation)) == "cancelled" && cancellation.isCancelled)
    let instant = try #require(moment.instant)
    #expect(instant.duration(to: ContinuousClock().now) < .seconds(5))
    #expect(try code("{ N(limit: 1) { id } }", RunOptions(cancellation: cancellation)) == "cancelled")
  }

  @Test("limits of bytes, nodes and memory") func limits() throws {
    #expect(try code("{ N { id text } }", RunOptions(maximumBytes: 10_000)) == "limit-exceeded")
    #expect(try code("{ N { id text } }", RunOptions(maximumNodes: 100)) == "limit-exceeded")
    #expect(
      try code("{ N(orderBy: [text, -n]) { id next { next { id } } } }", RunOptions(maximumMemory: 1000)) == "memory"
        || (try code("{ N(orderBy: [text, -n]) { id next { next { id } } } }", RunOptions(maximumMemory: 1000)))
          == "limit-exceeded"
    )
    let wide = RunOptions(maximumBytes: 10_000_000, maximumNodes: 1_000_000, maximumMemory: 1 << 30)
    #expect(try code("{ N { id text } }", wide) == nil)
    #expect(try code("{ N(limit: 0) { id } }", RunOptions(maximumBytes: 8, maximumNodes: 0)) == nil)
    // A run that was stopped leaves the prepared query usable.
    let query = try #require(Self.database).prepare("{ N { id } }")
    _ = try? query.run(options: RunOptions(maximumBytes: 100))
    #expect(try query.run().utf8.count > 6000)
  }

  @Test("readers see whole versions while one loads") func concurrency() throws {
    let database = try Database(
      schema: """
        type A { id: ID! n: Int! @index bs: [B!]! @relation(inverse: "a") }
        type B { id: ID! n: Int! a: A! @relation(inverse: "bs") }
        """)
    let query = try database.prepare(
      "query($min: Int!) { as: count(A) bs: count(B) sum: sum(B.n) bad: count(A(where: count(bs) != 2)) A(where: n >= $min, orderBy: -n, limit: 1) { n bs { n a { n } } } }"
    )
    final class Failures: @unchecked Sendable {
      private let queue = DispatchQueue(label: "failures")
      private var list: [String] = []
      func add(_ text: String) { queue.sync { list.append(text) } }
      var all: [String] { queue.sync { list } }
    }
    let failures = Failures()
    let rounds = 60
    DispatchQueue.concurrentPerform(iterations: 9) { worker in
      if worker == 0 {
        for round in 0..<rounds {
          // Ten A with two B each, in one step; n of B is 1 and -1.
          var text = ""
          for a in (round * 10)..<(round * 10 + 10) {
            text += "{\"id\":\(a),\"n\":\(a),\"bs\":[{\"id\":\(2 * a),\"n\":1},{\"id\":\(2 * a + 1),\"n\":-1}]}\n"
          }
          do { try database.load([.lines("A", text)]) } catch { failures.add("\(error)") }
          // A load that fails must never be seen.
          let bad = "{\"id\":\"x\(round)\",\"n\":0}\n{\"id\":1,\"n\":0}"
          if (try? database.load([.lines("A", bad)])) != nil { failures.add("a bad load was taken") }
        }
      } else {
        var last: Int64 = 0
        for turn in 0..<120 {
          do {
            let view = database.view()
            let answer = try query.run(["min": .int(Int64(turn % 7))], on: view).value
            let again = try query.run(["min": .int(Int64(turn % 7))], on: view).value
            let count = answer["as"]?.int ?? -1
            if answer != again { failures.add("a view changed") }
            if count % 10 != 0 || answer["bs"]?.int != 2 * count || answer["sum"]?.double != 0
              || answer["bad"]?.int != 0
            {
              failures.add("half a load: \(answer.jsonText)")
            }
            if count < last { failures.add("time went back") }
            last = count
            if count > 0, answer["A"]?[0]?["n"]?.int != count - 1 { failures.add("not the newest: \(answer.jsonText)") }
          } catch { failures.add("\(error)") }
        }
      }
    }
    #expect(failures.all.prefix(3) == [])
    #expect(database.count(of: "A") == rounds * 10 && database.check() == [])
  }

  @Test("an explained operation changes nothing, wherever it runs") func explained() throws {
    let database = try Database(schema: "type T { id: ID! n: Int }")
    try database.load([.lines("T", "{\"id\":1,\"n\":1}\n{\"id\":2}")])
    let deletion = try database.prepare("mutation @explain(costs: false) { deleteT(all: true, where: true) }")
    let reading = try database.prepare("query @explain(costs: false, analyze: false) { T { n } }")
    let (deletes, reads) = (
      #"{"plan":["delete T","T","└ access   FullScan"]}"#, #"{"plan":["T","└ access   FullScan"]}"#
    )
    #expect(deletion.isExplained && deletion.isMutation && reading.isExplained)
    #expect(try deletion.run().jsonString == deletes)
    #expect(try reading.run().jsonString == reads)
    #expect(try deletion.run(on: database.view()).jsonString == deletes)
    #expect(try reading.run(on: database.view()).jsonString == reads)
    var buffer: [UInt8] = []
    try deletion.run(into: &buffer)
    #expect(String(decoding: buffer, as: UTF8.self) == deletes)
    let both = try database.transaction { transaction in
      try [transaction.run(deletion).jsonString, transaction.run(reading).jsonString]
    }
    #expect(both == [deletes, reads])
    #expect(try database.query("{ n: count(T) }").jsonString == #"{"n":2}"#)
  }
}

import Foundation
import Synchronization

/// What a proof has tried, how often, and what was wrong.
package struct ProofReport: Sendable, CustomStringConvertible {
  package let name: String
  /// In the order in which they were counted first.
  private var counts: [(what: String, count: Int)] = []
  package private(set) var problems: [String] = []

  package init(_ name: String) { self.name = name }

  package mutating func count(_ what: String, _ number: Int = 1) {
    if let place = counts.firstIndex(where: { $0.what == what }) {
      counts[place].count += number
    } else {
      counts.append((what, number))
    }
  }

  package mutating func fail(_ problem: String) { problems.append(problem) }

  package subscript(what: String) -> Int { counts.first { $0.what == what }?.count ?? 0 }

  private mutating func add(_ other: ProofReport) {
    for (what, number) in other.counts { count(what, number) }
    problems += other.problems
  }

  package var description: String {
    let tried = counts.map { "\($0.count) \($0.what)" }.joined(separator: ", ")
    return "\(name): \(tried)" + (problems.isEmpty ? "" : ", \(problems.count) PROBLEMS")
  }

  private final class Total: Sendable {
    let report: Mutex<ProofReport>
    let next = Atomic<Int>(0)
    init(_ name: String) { report = Mutex(ProofReport(name)) }
  }

  /// Problems after which a proof ends.
  private static let enough = 5

  /// Tries parts on several threads. An error that a part throws is a problem.
  ///
  /// - Parameter end: When no other part begins, but for the first of each thread.
  package static func trying(
    _ name: String, parts: Int, jobs: Int, until end: Date = .distantFuture,
    _ part: @escaping @Sendable (Int, inout ProofReport) throws -> Void
  ) -> ProofReport {
    let total = Total(name)
    Proofs.inThreads(max(1, jobs)) { _ in
      while true {
        let number = Proofs.firstPart.load(ordering: .relaxed) + total.next.add(1, ordering: .relaxed).oldValue
        if number >= jobs, Date() >= end { return }
        if number >= parts || total.report.withLock({ $0.problems.count >= enough }) { return }
        var report = ProofReport(name)
        do { try part(number, &report) } catch { report.fail("part \(number): \(error)") }
        let result = report
        total.report.withLock { $0.add(result) }
      }
    }
    return total.report.withLock { $0 }
  }
}

/// What proofs have in common.
package enum Proofs {
  /// The part with which a proof begins, so that a problem is met at once again.
  package static let firstPart = Atomic<Int>(0)

  /// A program beside the one that runs.
  package static func program(_ name: String) -> URL {
    let folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(filePath: ".build/debug")
    return folder.appending(path: name)
  }

  /// Runs `body` on so many threads at once, however few processors there are; returns when all have ended.
  static func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      let thread = Thread {
        body(number)
        group.leave()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
    group.wait()
  }

  package static func firstDifference(_ found: String, _ wanted: String) -> String {
    let (left, right) = (Array(found.utf8), Array(wanted.utf8))
    let place = zip(left, right).prefix { $0 == $1 }.count
    func around(_ bytes: [UInt8]) -> String {
      String(decoding: bytes[max(0, min(place, bytes.count) - 120)..<min(bytes.count, place + 120)], as: UTF8.self)
    }
    return "found …\(around(left))…\nnot …\(around(right))…"
  }

  /// The sizes of parts that have a number of tries together.
  static func parts(_ count: Int, of size: Int) -> [Int] {
    stride(from: 0, to: count, by: size).map { min(size, count - $0) }
  }
}

import Foundation
import GQLBase
import GQLite
import Synchronization
import Testing

@testable import GQLStore

/// The laws of change sets, held against every version that the golden files make: loads, mutations, restored and
/// purged entities, interfaces, embedded lists and links that wait.
@Suite(.serialized) struct ChangeLawTests {
  #if DEBUG
    /// Rows up to which a version is looked at: each of them is copied several times.
    private static let mostRows = 20_000

    static func problems(_ old: Snapshot, _ changes: ChangeSet, _ new: Snapshot) -> [String] {
      guard new.tables.reduce(0, { $0 + $1.slots }) <= mostRows else { return [] }
      // Tests of damaged change sets make versions that are not consistent.
      guard old.check(fold: foldText).isEmpty, new.check(fold: foldText).isEmpty else { return [] }
      var found: [String] = []
      if changes != new.changes(since: old) { found.append("what is recorded is not what differs") }
      do throws(ChangeProblem) {
        let inverse = try changes.inverse()
        // What becomes of the history does not come back.
        if new.pasts.isEmpty, try inverse.inverse() != changes {
          found.append("the inverse of the inverse is another set")
        }
        for set in [changes, inverse] {
          let versions = set == changes ? (before: old, after: new) : (before: new, after: old)
          if let problem = try jsonProblem(set, versions) { found.append(problem) }
        }
        let forward = WriteTransaction(old, fold: foldText)
        try forward.apply(changes)
        let made = forward.commit()
        if made.content() != new.content() { found.append("applying leads elsewhere") }
        let wrong = made.check(fold: foldText)
        if !wrong.isEmpty { found.append("applied: \(wrong.prefix(3))") }
        let back = WriteTransaction(made, fold: foldText)
        try back.apply(inverse)
        let before = back.commit()
        if before.content() != old.content() { found.append("the inverse leads elsewhere") }
        let wrongBefore = before.check(fold: foldText)
        if !wrongBefore.isEmpty { found.append("inverted: \(wrongBefore.prefix(3))") }
      } catch {
        found.append("\(error)")
      }
      return found
    }

    /// What is wrong with a set as JSON that is read again.
    private static func jsonProblem(
      _ changes: ChangeSet, _ versions: (before: Snapshot, after: Snapshot)
    ) throws(ChangeProblem) -> String? {
      var text = ByteBuffer()
      let coder = ChangeJSON(versions.after)
      try coder.append(changes, between: versions, to: &text)
      do {
        let read = try text.withUnsafeBytes { try coder.changes($0) }
        if read != changes { return "its JSON is another set: \(text.string.prefix(2000))" }
        let tree = try JSONValue.parse(Array(text.string.utf8))
        guard case .array = tree else { return "its JSON is no list" }
      } catch {
        return "its JSON is not read: \(error) \(text.string.prefix(2000))"
      }
      return nil
    }

    @Test func everyVersionOfTheCorpus() throws {
      let found = Mutex<(versions: Int, changes: Int, problems: [String])>((0, 0, []))
      ChangeObservation.observe { old, changes, new in
        // What is applied here is not looked at again.
        if Thread.current.threadDictionary["laws"] != nil { return }
        let isDone = DispatchSemaphore(value: 0)
        // Versions are made on threads of other tests, whose stacks may be too small for this.
        let thread = Thread {
          Thread.current.threadDictionary["laws"] = true
          let problems = Self.problems(old, changes, new)
          found.withLock {
            $0.versions += 1
            if !changes.isEmpty { $0.changes += 1 }
            $0.problems += problems.map { "\($0) in \(new.catalog.types.map(\.name).prefix(4))" }
          }
          isDone.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        isDone.wait()
      }
      defer { ChangeObservation.observe(nil) }
      let root = Folders.repository
      for area in [
        "mutations", "lifecycle", "interfaces", "loading", "embedded", "relations", "edges", "unions", "schemas",
        "past",
      ] {
        let path = root.appending(path: "Tests/Corpus/\(area)").path
        var runner = GoldenRunner(updates: false)
        try runner.run(path) { _ in }
      }
      // While all tests run, their versions are looked at, too.
      let seconds = ProcessInfo.processInfo.environment["GQLITE_OBSERVED_SECONDS"].flatMap { Double($0) } ?? 0
      Thread.sleep(forTimeInterval: seconds)
      let (versions, changes, problems) = found.withLock { $0 }
      #expect(problems.isEmpty, "\(problems.prefix(5))")
      #expect(versions > 100 && changes > 50)
    }
  #endif
}

import GQLEngine
import GQLite
import Synchronization

/// A live query and all that it was told.
package final class LiveFollower: Sendable {
  package let query: PreparedQuery
  package let variables: [String: Value]
  private let events = Mutex<[LiveEvent]>([])
  /// The text of the last answer, or of the error after it.
  private let last = Mutex<(answer: String?, error: String?)>((nil, nil))
  private let subscription = Mutex<LiveSubscription?>(nil)

  package init(_ query: PreparedQuery, _ variables: [String: Value]) {
    self.query = query
    self.variables = variables
  }

  package func begin(_ mode: LiveMode) throws {
    let made = try query.subscribe(variables, mode: mode, every: .zero) { [weak self] event in
      self?.events.withLock { $0.append(event) }
    }
    subscription.withLock { $0 = made }
  }

  /// Takes what was told. Returns what is wrong with it.
  package func take(_ database: Database, told: inout Int, mayRepeat: Bool) -> String? {
    let events = self.events.withLock { events in
      defer { events = [] }
      return events
    }
    var expected: (answer: String?, error: String?)
    do {
      expected = (try query.run(variables).jsonString, nil)
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
      let isRight =
        expected.error != nil
        ? last.error == expected.error : last.error == nil && Self.isSame(last.answer, expected.answer)
      if !isRight {
        return """
          expected \(expected.answer ?? expected.error ?? "")
          has      \(last.error ?? last.answer ?? "nothing"), told \(events.map(\.jsonLine))
          """
      }
      let isChanged = before.error != last.error || last.error == nil && !Self.isSame(before.answer, last.answer)
      let wanted = isChanged ? 1 : 0
      if !mayRepeat, let version = events.last?.version, version != database.version {
        return "told version \(version) instead of \(database.version)"
      }
      if events.count == wanted || mayRepeat { return nil }
      return "told \(events.count) times instead of \(wanted): \(events.map(\.jsonLine)), before \(before)"
    }
  }

  /// Compares bytes: texts are equal to Swift that are composed in different ways.
  private static func isSame(_ left: String?, _ right: String?) -> Bool {
    left.map { Array($0.utf8) } == right.map { Array($0.utf8) }
  }

  package func end() { subscription.withLock { $0 = nil } }
}

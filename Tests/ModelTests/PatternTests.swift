import Foundation
import GQLiteModels
import RegexBuilder
import Synchronization
import Testing

/// Patterns of Foundation and of Swift in conditions on texts.
@Suite struct PatternTests {
  @EntityModel
  struct Note {
    let id: Int
    var title: String
    var text: String?
  }

  private func context() throws -> Context {
    var context = Context()
    for (id, title, text) in [
      (1, "Order 12", nil), (2, "plain", "call 555-1234"), (3, "👩‍👩‍👧 family 7", "none"), (4, "nothing", "at all"),
    ] as [(Int, String, String?)] {
      try Note(id: id, title: title, text: text).save(to: &context)
    }
    return context
  }

  private func ids(_ predicate: QueryPredicate<Note>, _ context: Context) -> [Int] {
    Note.filter(predicate).resolve(in: context).map(\.id)
  }

  @Test func regularExpressions() throws {
    let context = try context()
    let digits = try NSRegularExpression(pattern: "[0-9]+")
    #expect(ids(.string(\.title, matches: digits), context) == [1, 3])
    #expect(ids(.string(\.title, notMatching: digits), context) == [2, 4])
    #expect(ids(.string(\.text, matches: digits), context) == [2])
    // What is missing has no match.
    #expect(ids(.string(\.text, notMatching: digits), context) == [1, 3, 4])
    let anchored = try NSRegularExpression(pattern: "7$")
    // Behind characters of several UTF-16 units too.
    #expect(ids(.string(\.title, matches: anchored, options: []), context) == [3])
    #expect(ids(.string(\.title, matches: try NSRegularExpression(pattern: "12"), options: .anchored), context).isEmpty)
  }

  @Test func swiftPatterns() throws {
    let context = try context()
    #expect(ids(.string(\.title, matches: /\d+/), context) == [1, 3])
    #expect(ids(.string(\.title, notMatching: /\d+/), context) == [2, 4])
    #expect(ids(.string(\.text, matches: /(\d{3})-(\d{4})/), context) == [2])
    let erased = try Regex("^n")
    #expect(ids(.string(\.title, matches: erased), context) == [4])
    #expect(ids(.string(\.title, \.id.description, matches: /4/), context) == [4])
  }

  @Test func amongOtherConditions() throws {
    let context = try context()
    let list = Note.filter(.string(\.title, matches: /\d/)).and(\.id > 1).sorted(by: \.title).limit(1)
    #expect(list.resolve(in: context).map(\.id) == [3])
    #expect(ids(.string(\.title, matches: /\d/) || \.id == 4, context) == [1, 3, 4])
    #expect(Note.filter(\.id == 4).or(.filter(.string(\.title, matches: /Order/))).resolve(in: context).count == 2)
    // What is in order is looked at until there is one.
    let plan = list.explain(in: context, costs: false)
    #expect(plan.contains("in Swift: filter by 1 condition\n└ order    natural, stop after 1\n"), "\(plan)")
  }

  /// Code of the program in patterns, which may ask anything, even what asks for it.
  @Test(.timeLimit(.minutes(2))) func patternsWithCode() throws {
    let context = try context()
    let asked = Shared<QueryList<Note>>()
    let depth = Atomic<Int>(0)
    // Matches the digits of 12, for as many notes as the same query, asked within it, finds.
    let query = Note.filter(
      .string(
        \.title,
        matches: Regex {
          TryCapture(OneOrMore(.digit)) { digits -> Int? in
            if depth.load(ordering: .relaxed) == 0 {
              depth.store(1, ordering: .relaxed)
              defer { depth.store(0, ordering: .relaxed) }
              guard asked.value?.resolve(in: context).map(\.id) == [1] else { return nil }
            }
            return Int(digits) == 12 ? 12 : nil
          }
        }))
    asked.value = query
    #expect(try query.results(in: context).map(\.id) == [1])
    // One thread after the other.
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      #expect(query.resolve(in: context).map(\.id) == [1])
    }
  }

  /// What changes in a pattern's code is changed by one thread at a time: nothing is lost.
  @Test func patternsThatCount() throws {
    let context = try context()
    let counter = Unguarded(0)
    let list = Note.filter(
      .string(
        \.title,
        matches: Regex {
          TryCapture("Order") { word -> Substring? in
            counter.value += 1
            return word
          }
        }))
    DispatchQueue.concurrentPerform(iterations: 8) { _ in for _ in 0..<100 { _ = list.resolve(in: context) } }
    #expect(counter.value == 800)
  }

  /// Two patterns whose code asks for each other on two threads: one of them is told, and both end.
  @Test(.timeLimit(.minutes(2))) func patternsThatWaitForEachOther() throws {
    let context = try context()
    let (left, right) = (Meeting.Side(), Meeting.Side())
    let meeting = Meeting()
    left.query.value = Self.query(asking: right, of: left, meeting, context)
    right.query.value = Self.query(asking: left, of: right, meeting, context)
    let done = DispatchGroup()
    for side in [left, right] {
      done.enter()
      Thread.detachNewThread {
        _ = side.query.value?.resolve(in: context)
        done.leave()
      }
    }
    done.wait()
    #expect(meeting.errors.load(ordering: .relaxed) >= 1)
  }

  private static func query(
    asking other: Meeting.Side, of side: Meeting.Side, _ meeting: Meeting, _ context: Context
  ) -> QueryList<Note> {
    Note.filter(
      .string(
        \.title,
        matches: Regex {
          TryCapture("Order") { word -> Substring? in
            if side.hasAsked.exchange(true, ordering: .relaxed) { return word }
            meeting.inside.add(1, ordering: .relaxed)
            // Both are in their own code before they ask for the other's.
            let start = Date()
            while meeting.inside.load(ordering: .relaxed) < 2, Date().timeIntervalSince(start) < 5 {}
            do {
              _ = try other.query.value?.results(in: context)
            } catch {
              meeting.errors.add(1, ordering: .relaxed)
            }
            return word
          }
        }))
  }

  private final class Meeting: Sendable {
    final class Side: Sendable {
      let query = Shared<QueryList<Note>>()
      let hasAsked = Atomic<Bool>(false)
    }
    let inside = Atomic<Int>(0)
    let errors = Atomic<Int>(0)
  }
}

/// What nobody guards.
private final class Unguarded<Value>: @unchecked Sendable {
  var value: Value
  init(_ value: Value) { self.value = value }
}

/// Something that is known later.
private final class Shared<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)
  var value: Value? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

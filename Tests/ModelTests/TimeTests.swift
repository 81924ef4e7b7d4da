import Foundation
import GQLite
import GQLiteModels
import Synchronization
import Testing

/// Keeps no metadata.
@EntityModel
private struct Untimed {
  let id: Int
  func saveMetadata(to context: inout Context) throws {}
}

@EntityModel
private struct Timed {
  let id: Int
  var name: String = ""
}

/// Says itself when it was changed.
@EntityModel
private struct Dated {
  let id: Int
  var changed: Date
  func saveMetadata(to context: inout Context) throws {
    try updateMetadata(.updatedAt, value: changed, in: &context)
  }
}

@EntityModel
private struct Everything {
  let id: Int
  @Relationship var untimed: [Untimed]? = nil
  @Relationship var timed: [Timed]? = nil
  @Relationship var dated: [Dated]? = nil
}

private struct Phone: Codable, Equatable {
  var number: String
}

@EntityModel
private struct Subscriber {
  let id: String
  var phones: [Phone]
}

/// Gives a copy to another thread, which saves in it later.
@EntityModel
private struct Handing {
  let id: Int
  func didSave(to context: inout Context) throws {
    let handed = Handed.current
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [copy = context] in
      var copy = copy
      // Behind the instant of the save that waits here.
      let start = Date()
      while Date().timeIntervalSince(start) < 0.001 {}
      try? Timed(id: 9).save(to: &copy)
      handed.withLock { [copy] in $0 = copy }
      done.signal()
    }
    done.wait()
    try Timed(id: 8).save(to: &context)
  }
}

private enum Handed {
  @TaskLocal static var current = Box()

  final class Box: Sendable {
    private let context = Mutex<Context?>(nil)
    func withLock<Result: Sendable>(_ body: (inout sending Context?) -> sending Result) -> Result {
      context.withLock(body)
    }
  }
}

/// When entities were saved, and in which order schema queries give them.
@Suite struct TimeTests {
  private func time(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  @Test("schema queries order by time, and leave types without it as they were saved") func schemaQueries() throws {
    var context = try Context(for: Everything.self)
    try Everything(id: 1).save(to: &context)
    for id in [3, 1, 2] {
      try Untimed(id: id).save(to: &context)
      try Timed(id: id).save(to: &context)
    }
    for (id, seconds) in [(1, 30.0), (2, 10), (3, 20)] {
      try Timed(id: id).updateMetadata(.updatedAt, value: time(seconds), in: &context)
    }
    try Untimed(id: 3).save(to: &context)
    let all = try #require(Everything.queryAll(with: .schemaEntities).resolve(in: context).first)
    #expect(all.untimed?.map(\.id) == [3, 1, 2] && all.timed?.map(\.id) == [2, 3, 1])
    let fragments = try #require(Everything.queryAll(with: .schemaFragments).resolve(in: context).first)
    #expect(fragments.$untimed.ids == [3, 1, 2] && fragments.$timed.ids == [2, 3, 1])
    #expect(fragments.$untimed.isFragment && Untimed(id: 3).updatedAt(in: context) == nil)
    // Nothing without a time was changed at any.
    let changed = Everything.queryAll(with: .schemaEntities(filter: .updated(within: time(0)...Date.distantFuture)))
    let some = try #require(changed.resolve(in: context).first)
    #expect(some.untimed?.isEmpty == true && some.timed?.map(\.id) == [2, 3, 1])
  }

  @Test("what is put in keeps its time") func inserting() throws {
    var context = Context()
    try Timed(id: 1).save(to: &context)
    try Timed(id: 1).updateMetadata(.updatedAt, value: time(10), in: &context)
    try context.insert(Timed(id: 1, name: "a"))
    #expect(Timed(id: 1).updatedAt(in: context) == time(10) && Timed.query(1).resolve(in: context)?.name == "a")
    try context.insert(Timed(id: 2, name: "b"))
    #expect(try #require(Timed(id: 2).updatedAt(in: context)) > time(1_000_000))
    try Timed(id: 1, name: "c").save(to: &context)
    #expect(try #require(Timed(id: 1).updatedAt(in: context)) > time(1_000_000))
  }

  @Test("a restored context has the times that its models say") func restoring() throws {
    var source = Context()
    try Everything(id: 1).save(to: &source)
    for id in 1...3 { try Dated(id: id, changed: time(Double(10 - id))).save(to: &source) }
    var context = Context()
    try #require(Everything.queryAll(with: .schemaEntities).resolve(in: source).first).save(to: &context)
    #expect((1...3).map { Dated(id: $0, changed: time(0)).updatedAt(in: context) } == [time(9), time(8), time(7)])
    #expect(Dated.query().sorted(by: .updatedAt).resolve(in: context).map(\.id) == [3, 2, 1])
  }

  @Test("what is put in keeps its time, with lists of objects too") func insertingLists() throws {
    let database = try Database(schema: "type Phone { number: String! } type Subscriber { id: ID! phones: [Phone!]! }")
    var context = database.entities
    try Subscriber(id: "1", phones: [Phone(number: "0")]).save(to: &context)
    try Subscriber(id: "1", phones: []).updateMetadata(.updatedAt, value: time(10), in: &context)
    try context.insert(Subscriber(id: "1", phones: [Phone(number: "1"), Phone(number: "2")]))
    let saved = try #require(Subscriber.query("1").resolve(in: context))
    #expect(saved.phones.map(\.number) == ["1", "2"] && saved.updatedAt(in: context) == time(10))
  }

  @Test("a copy in another thread has the time of that one") func otherThreads() throws {
    var context = try Context(for: Handing.self, Timed.self)
    let handed = Handed.Box()
    try Handed.$current.withValue(handed) { try Handing(id: 1).save(to: &context) }
    let copy = try #require(handed.withLock { $0 })
    let (inner, outer) = (Timed(id: 9).updatedAt(in: copy), Handing(id: 1).updatedAt(in: context))
    #expect(try #require(inner) > #require(outer))
    #expect(Timed(id: 8).updatedAt(in: context) == outer)
  }
}

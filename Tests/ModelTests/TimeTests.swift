import Foundation
import GQLiteModels
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
}

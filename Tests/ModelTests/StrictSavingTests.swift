import Foundation
import GQLite
import GQLiteModels
import TestClocks
import Testing

@EntityModel
struct Draft: Sendable {
  let id: String
  var title: String?
  var at: Date = .distantPast
  @Relationship(inverse: \.drafts) var shelf: Shelf?

  static var defaultMergeStrategy: MergeStrategy<Self> { .lastWriteWins(comparedBy: \.at) }
}

@EntityModel
struct Shelf: Sendable {
  let id: Int
  var note: String?
  @Relationship(inverse: \.shelf) var drafts: [Draft]?
  @Relationship var others: [Draft]? = nil
  @Relationship var best: Draft? = nil
}

@EntityModel
struct Version: Sendable, Comparable {
  let id: Int
  var text: String
  var at: Date

  static func < (left: Self, right: Self) -> Bool { left.at < right.at }
  static var defaultMergeStrategy: MergeStrategy<Self> { .lastWriteWins() }
}

/// What merging and linking must not do.
@Suite struct StrictSavingTests {
  // MARK: - The last write wins

  /// Times between two microseconds, which columns do not have.
  static let instants = (0..<200).map { Date(timeIntervalSinceReferenceDate: 700_000_000 + Double($0) * 0.000_000_37) }

  @Test func ofEqualTimesTheOldOneWins() throws {
    var context = Context()
    for (number, at) in Self.instants.enumerated() {
      try Draft(id: "\(number)", title: "old", at: at).save(to: &context)
      try Draft(id: "\(number)", title: "new", at: at).save(to: &context)
      try Version(id: number, text: "old", at: at).save(to: &context)
      try Version(id: number, text: "new", at: at).save(to: &context)
    }
    #expect(Draft.query().filter(\.title == "new").resolve(in: context).count == 0)
    #expect(Version.query().filter(\.text == "new").resolve(in: context).count == 0)
    let later = Date(timeIntervalSinceReferenceDate: 700_000_001)
    try Draft(id: "3", title: "later", at: later).save(to: &context)
    #expect(Draft.query("3").resolve(in: context)?.title == "later")
    try Draft(id: "3", title: "before", at: Self.instants[0]).save(to: &context)
    #expect(Draft.query("3").resolve(in: context)?.title == "later")
  }

  /// The same where the old one comes in the same graph.
  @Test func ofEqualTimesInAGraphTheFirstOneWins() throws {
    for at in Self.instants {
      var context = Context()
      var shelf = Shelf(id: 1)
      shelf.$drafts = .relation([Draft(id: "1", title: "first", at: at), Draft(id: "1", title: "second", at: at)])
      try shelf.save(to: &context)
      #expect(Draft.query("1").resolve(in: context)?.title == "first")
    }
  }

  // MARK: - Ids

  @Test func strategiesCannotChangeIDs() throws {
    let renaming = MergeStrategy<Draft> { _, new in Draft(id: "other", title: new.title, at: new.at) }
    for hasOther in [false, true] {
      var context = Context()
      try Draft(id: "1", title: "one").save(to: &context)
      if hasOther { try Draft(id: "other", title: "two").save(to: &context) }
      let before = Draft.query().resolve(in: context)
      let error = #expect(throws: ModelError.self) {
        try Draft(id: "1", title: "new").save(to: &context, options: renaming)
      }
      #expect(
        error?.description
          == "a Draft cannot be stored: the merge strategy makes 'other' of the id '1', which it must keep")
      var shelf = Shelf(id: 1)
      shelf.$drafts = .relation([Draft(id: "1", title: "new")])
      #expect(Draft.query().resolve(in: context).map(\.title) == before.map(\.title))
      #expect(context.ids(Draft.self) == before.map(\.id))
    }
  }

  // MARK: - Links that wait

  @Test func whatIsSavedAsItWasReadGoesOnWaiting() throws {
    var context = Context()
    try Draft(id: "b").save(to: &context)
    var shelf = Shelf(id: 1)
    shelf.$drafts = .ids(["a", "b", "c"])
    shelf.$others = .ids(["a"])
    shelf.$best = .id("c")
    try shelf.save(to: &context)
    let query = Shelf.query(1).id(\.$drafts).id(\.$others).id(\.$best)
    var read = try #require(query.resolve(in: context))
    #expect(read.$drafts.ids == ["b"])
    read.note = "read"
    try read.save(to: &context)
    // As entities, too.
    try #require(Shelf.query(1).with(\.$drafts).with(\.$others).with(\.$best).resolve(in: context)).save(to: &context)
    for id in ["a", "c"] { try Draft(id: id).save(to: &context) }
    read = try #require(query.resolve(in: context))
    #expect(Set(read.$drafts.ids ?? []) == ["a", "b", "c"])
    #expect(read.$others.ids == ["a"])
    #expect(read.$best.id == "c")
    #expect(read.note == "read")
  }

  @Test func whatIsSaidOtherwiseDoesNotWait() throws {
    func waiting() throws -> Context {
      var context = Context()
      for id in ["b", "d"] { try Draft(id: id).save(to: &context) }
      var shelf = Shelf(id: 1)
      shelf.$others = .ids(["a", "b"])
      shelf.$best = .id("a")
      try shelf.save(to: &context)
      return context
    }
    func ids(_ change: (inout Context, inout Shelf) throws -> Void) throws -> [String] {
      var context = try waiting()
      var shelf = try #require(Shelf.query(1).id(\.$others).resolve(in: context))
      try change(&context, &shelf)
      try shelf.save(to: &context)
      try Draft(id: "a").save(to: &context)
      let read = try #require(Shelf.query(1).id(\.$others).id(\.$best).resolve(in: context))
      return (read.$others.ids ?? []).sorted() + [read.$best.id ?? "-"]
    }
    #expect(try ids { _, _ in } == ["a", "b", "a"])
    #expect(try ids { $1.$others = .ids(["b", "d"]) } == ["b", "d", "a"])
    #expect(try ids { $1.$others = .ids([]) } == ["a"])
    // The same ids as a program says them are all that there are.
    #expect(try ids { $1.$others = .ids(["b"]) } == ["b", "a"])
    #expect(try ids { $1.$others = .ids(["b", "e"]) } == ["b", "a"])
    #expect(try ids { $1.$others = .appending(ids: ["d"]) } == ["a", "b", "d", "a"])
    #expect(try ids { $1.$best = .null } == ["a", "b", "-"])
    #expect(
      try ids { context, shelf in
        shelf.detach(\.$others, in: &context)
        shelf.detach(\.$best, in: &context)
        shelf.$others = .none
      } == ["-"])
    #expect(
      try ids { context, shelf in
        shelf.detach("b", relation: \.$others, in: &context)
        shelf.$others = .none
      } == ["a", "a"])
  }

  // MARK: - Time

  /// How much longer four times as many take.
  private func ratio(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
    let (small, large) = (try ThreadTime.least { try body(count) }, try ThreadTime.least { try body(count * 4) })
    return large / small
  }

  private func drafts(_ count: Int) -> [Draft] { (0..<count).map { Draft(id: "draft \($0)", title: "t", at: .now) } }

  @Test func savingFragmentsIsLinear() throws {
    let fragments = try ratio(1000) { count in
      var context = Context()
      var shelf = Shelf(id: 1)
      shelf.$drafts = .fragment(drafts(count))
      try shelf.save(to: &context)
    }
    #expect(fragments < 10)
    let lastWrites = try ratio(1000) { count in
      var context = Context()
      var shelf = Shelf(id: 1)
      shelf.$others = .relation(drafts(count))
      try shelf.save(to: &context)
      try shelf.save(to: &context)
    }
    #expect(lastWrites < 10)
  }

  @Test func deletingAndDetachingTargetsIsLinear() throws {
    func filled(_ count: Int) throws -> (Context, Shelf) {
      var context = Context()
      var shelf = Shelf(id: 1)
      shelf.$drafts = .relation(drafts(count))
      try shelf.save(to: &context)
      return (context, shelf)
    }
    let sizes = [1000, 4000]
    let contexts = try Dictionary(uniqueKeysWithValues: sizes.map { ($0, try filled($0)) })
    func ratio(_ change: (inout Context, Shelf) throws -> Void) rethrows -> Double {
      try self.ratio(sizes[0]) { count in
        guard let (filled, shelf) = contexts[count] else { return }
        var context = filled
        try change(&context, shelf)
        #expect(Shelf.query(1).id(\.$drafts).resolve(in: context)?.$drafts.ids == [])
      }
    }
    #expect(try ratio { try $1.delete(\.$drafts, inverse: \.$shelf, from: &$0) } < 10)
    #expect(
      try ratio {
        try Draft.deleteAll(in: &$0); _ = $1
      } < 10)
    #expect(ratio { $1.detach(\.$drafts, inverse: \.$shelf, in: &$0) } < 10)
  }

  /// Of what leads to many, one after the other: the work for each does not read all others.
  @Test func detachingOneByOne() throws {
    func filled(_ count: Int) throws -> Context {
      var (context, shelf) = (Context(), Shelf(id: 1))
      shelf.$drafts = .relation(drafts(count))
      try shelf.save(to: &context)
      return context
    }
    let contexts = (small: try filled(500), large: try filled(8_000))
    func time(_ filled: Context) -> Duration {
      ThreadTime.least {
        var context = filled
        for number in 0..<100 { Shelf(id: 1).detach("draft \(number)", relation: \.$drafts, in: &context) }
        let left = Shelf.query(1).id(\.$drafts).resolve(in: context)?.$drafts.ids
        #expect(left?.first == "draft 100")
      }
    }
    #expect(time(contexts.large) / time(contexts.small) < 6)
  }
}

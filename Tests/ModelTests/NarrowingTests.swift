import GQLite
import GQLiteModels
import Testing

@EntityModel
private struct Reel {
  let id: Int
  @Relationship(inverse: \.reel) var frames: [Frame]?
}

@EntityModel
private struct Frame {
  let id: Int
  var n: Int
  @Relationship(inverse: \.frames) var reel: Reel?
}

/// Nested queries that combine others give of each entity's targets what they would if there were no others.
@Suite struct NarrowingTests {
  /// Reel 1 with the frames 3, 1, 2 and 9, whose numbers these are, and reel 2 with 5, whose number is 5, and 4, whose is 1.
  private static func reels() throws -> Context {
    var context = Context()
    for (id, n) in [(1, 1), (2, 2), (3, 3), (4, 1), (5, 5), (9, 9)] { try Frame(id: id, n: n).save(to: &context) }
    for (id, frames) in [(1, [3, 1, 2, 9]), (2, [5, 4])] {
      var reel = Reel(id: id)
      reel.$frames = .ids(frames)
      try reel.save(to: &context)
    }
    return context
  }

  private static let cases: [(@Sendable (QueryList<Frame>) -> QueryList<Frame>, [[Int]])] = [
    ({ $0.filter(\.n > 1).distinct() }, [[3, 2, 9], [5]]),
    ({ $0.and(Frame.query([2, 5, 3])) }, [[3, 2], [5]]),
    ({ $0.limit(1).or(.filter(\.n == 9)) }, [[3, 9], [5]]),
    ({ $0.limit(1).or($0.filter(\.n == 1).limit(1)).or(Frame.query([2])) }, [[3, 1, 2], [5, 4]]),
    ({ _ in Frame.query([2, 3, 4]) }, [[2, 3], [4]]),
    ({ _ in Frame.query([2, 3, 4]).filter(\.n > 2) }, [[3], []]),
    ({ $0.distinct().sorted(by: \.n).limit(1) }, [[1], [4]]),
    ({ $0.distinct().limit(2).distinct().filter(\.n > 2) }, [[3], [5]]),
    ({ _ in Reel.query(1).related(\.$frames) }, [[3, 1, 2, 9], []]),
    ({ $0.and(Frame.query([9, 8])).sorted(by: \.n.desc) }, [[9], []]),
    ({ _ in Frame.query([]) }, [[], []]),
  ]

  @Test(arguments: cases.indices) func combined(_ number: Int) throws {
    let context = try Self.reels()
    let (narrow, wanted) = Self.cases[number]
    let entities = Reel.query().with(\.$frames) { narrow($0) }.resolve(in: context)
    #expect(entities.map { $0.frames?.map(\.id) } == wanted)
    let fragments = Reel.query().fragment(slice: \.$frames) { narrow($0) }.resolve(in: context)
    #expect(fragments.map { $0.$frames.ids } == wanted)
    let ids = Reel.query().id(slice: \.$frames) { narrow($0) }.resolve(in: context)
    #expect(ids.map { $0.$frames.ids } == wanted)
    // One at a time it is the same.
    #expect((1...2).map { Reel.query($0).with(\.$frames) { narrow($0) }.resolve(in: context)?.$frames.ids } == wanted)
    // And one that is asked again and again.
    let database = Database(context)
    let live = FetchAll(Reel.query().with(\.$frames) { narrow($0) }, in: database)
    #expect(live.wrappedValue.map { $0.$frames.ids } == wanted)
    let plan = Reel.query().with(\.$frames) { narrow($0) }.explain(in: context)
    #expect(plan.contains("├ frames  ") || plan.contains("└ frames  "), "\(plan)")
    #expect(!plan.contains("in Swift"))
  }

  @Test func ofOneEntity() throws {
    let context = try Self.reels()
    #expect(Frame.query(3).with(\.$reel) { _ in Reel.query(2) }.resolve(in: context)?.reel == nil)
    #expect(Frame.query(3).with(\.$reel) { _ in Reel.query(1) }.resolve(in: context)?.reel?.id == 1)
    #expect(Frame.query(3).fragment(\.$reel) { _ in Reel.query(2) }.resolve(in: context)?.$reel.isNone == true)
    let both = Frame.query([3, 5]).with(\.$reel) { _ in Reel.query(2) }.resolve(in: context)
    #expect(both.map { $0.reel?.id } == [nil, 2])
  }

  @Test func changesAreSeen() throws {
    let database = Database(try Self.reels())
    let live = FetchAll(Reel.query().with(\.$frames) { $0.filter(\.n > 1).distinct() }, in: database)
    #expect(live.wrappedValue.map { $0.$frames.ids } == [[3, 2, 9], [5]])
    try Frame(id: 4, n: 7).save(to: database)
    #expect(live.wrappedValue.map { $0.$frames.ids } == [[3, 2, 9], [5, 4]])
  }
}

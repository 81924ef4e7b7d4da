import GQLiteModels
import Testing

@EntityModel
private struct Knot {
  let id: Int
  @Relationship var kids: [Knot]? = nil
  @Relationship var heir: Knot? = nil
}

@EntityModel
private struct Wide {
  let id: UInt64
}

/// What queries within closures give that do not begin with what the closure gets, and lists of groups.
@Suite struct NestedSourceTests {
  /// 1 to 6; 1 leads to 4, 5, 6, and 2 to 2, 3.
  private func knots() throws -> Context {
    var context = Context()
    for id in 1...6 { try Knot(id: id).save(to: &context) }
    var (one, two) = (Knot(id: 1), Knot(id: 2))
    one.$kids = .ids([4, 5, 6])
    one.$heir = .id(4)
    two.$kids = .ids([2, 3])
    two.$heir = .id(5)
    for knot in [one, two] { try knot.save(to: &context) }
    return context
  }

  private func kids(_ modify: (QueryList<Knot>) -> QueryList<Knot>) throws -> [[Int]?] {
    Knot.query([1, 2]).with(\.$kids, modify).resolve(in: try knots()).map { $0.kids?.map(\.id) }
  }

  @Test("what other queries give of all is cut of all") func othersAreCutOfAll() throws {
    let low = Knot.query().sorted(by: \.id).limit(4)
    #expect(try kids { $0.and(low) } == [[4], [2, 3]])
    #expect(try kids { $0.and(Knot.query().limit(1)) } == [[], []])
    #expect(try kids { $0.and(Knot.query([5, 2, 1]).limit(2)) } == [[5], [2]])
    #expect(try kids { $0.sorted(by: \.id.desc).and(low).limit(1) } == [[4], [3]])
    #expect(try kids { $0.limit(1).or(low.and(.filter(\.id > 2))) } == [[4], [2, 3]])
    #expect(try kids { _ in low } == [[4], [2, 3]])
    #expect(try kids { _ in Knot.query().sorted(by: \.id.desc) } == [[6, 5, 4], [3, 2]])
    #expect(try kids { _ in low.distinct() } == [[4], [2, 3]])
    #expect(try kids { _ in Knot.query().sorted(by: \.id.desc).limit(3).and(low) } == [[4], []])
    #expect(try kids { Knot.query().limit(3).and($0.limit(2)) } == [[], [2, 3]])
  }

  @Test("what begins with the list is cut of the list") func listsAreCutOfThemselves() throws {
    #expect(try kids { $0.limit(2).and($0.limit(1)) } == [[4], [2]])
    #expect(try kids { $0.limit(1).or($0.sorted(by: \.id.desc).limit(1)) } == [[4, 6], [2, 3]])
    #expect(try kids { $0.filter(\.id > 4).and($0.limit(2)) } == [[5], []])
    #expect(try kids { $0.or(.filter(\.id == 1)) } == [[4, 5, 6], [2, 3]])
    // Whichever of both begins with the list.
    #expect(try kids { $0.filter(\.id > 1).and(.filter(\.id > 0)).limit(1) } == [[4], [2]])
    #expect(try kids { Knot.filter(\.id > 0).and($0.filter(\.id > 1)).limit(1) } == [[4], [2]])
    #expect(try kids { Knot.filter(\.id > 5).or($0.filter(\.id < 5)).limit(1) } == [[4], [2]])
    #expect(try kids { Knot.query().limit(4).and($0.filter(\.id > 1)) } == [[4], [2, 3]])
  }

  @Test("relations to one") func toOne() throws {
    func heirs(_ modify: (Query<Knot>) -> Query<Knot>) throws -> [Int?] {
      Knot.query([1, 2]).with(\.$heir, modify).resolve(in: try knots()).map { $0.heir?.id }
    }
    #expect(try heirs { $0.filter(\.id > 4) } == [nil, 5])
    #expect(try heirs { _ in Knot.query(4) } == [4, nil])
    #expect(try heirs { _ in Knot.query().sorted(by: \.id.desc).limit(2).last() } == [nil, 5])
  }

  @Test("what relations lead to from the list is looked for from each list") func relations() throws {
    var context = try knots()
    for (id, heir) in [(5, 4), (6, 4), (3, 2)] {
      var knot = Knot(id: id)
      knot.$heir = .id(heir)
      try knot.save(to: &context)
    }
    func kids(_ modify: (QueryList<Knot>) -> QueryList<Knot>) -> [[Int]?] {
      Knot.query([1, 2]).with(\.$kids, modify).resolve(in: context).map { $0.kids?.map(\.id) }
    }
    #expect(kids { $0.related(\.$heir) } == [[4], [2]])
    #expect(kids { $0.filter(\.id == 6).related(\.$heir) } == [[4], []])
    #expect(kids { $0.related(\.$kids).flatMap { $0 } } == [[], [2, 3]])
    #expect(kids { $0.first().related(\.$kids) } == [[], [2, 3]])
    #expect(kids { $0.related(\.$kids).flatMap { $0.sorted(by: \.id.desc) }.limit(1) } == [[], [3]])
    #expect(kids { $0.and($0.related(\.$heir)) } == [[4], [2]])
    // What an outer closure got is all of its type within an inner one: 1 and 2 lead to 2 to 6.
    let pairs = Knot.query([1, 2]).with(\.$kids) { outer in
      outer.with(\.$kids) { inner in inner.and(outer.limit(2)).or(inner.and(outer.related(\.$heir))) }
    }
    // Of all, 1 and 2 are the first two, and 4, 5 and 2 are heirs.
    #expect(pairs.resolve(in: context).last?.kids?.map { $0.kids?.map(\.id) } == [[2], []])
    // From other entities it is looked for once.
    #expect(kids { _ in Knot.query([6]).related(\.$heir) } == [[4], []])
  }

  @Test("flatMap changes each list of a group") func groups() throws {
    let context = try knots()
    let group = Knot.query([1, 2]).related(\.$kids)
    func ids(_ list: QueryList<Knot>) -> [Int] { list.resolve(in: context).map(\.id) }
    #expect(ids(group.flatMap { $0 }) == [4, 5, 6, 2, 3])
    #expect(ids(group.flatMap { $0.limit(2) }) == [4, 5, 2, 3])
    #expect(ids(group.flatMap { $0.sorted(by: \.id.desc).limit(1) }) == [6, 3])
    #expect(ids(group.flatMap { $0.limit(2) }.limit(3)) == [4, 5, 2])
    #expect(ids(group.flatMap { $0.and(Knot.query([2, 6, 5])) }) == [5, 6, 2])
    #expect(ids(group.flatMap { $0.filter(\.id > 2) }.sorted(by: \.id)) == [3, 4, 5, 6])
    #expect(ids(group.flatten().limit(2)) == [4, 5])
    let nested = group.flatMap { $0.limit(1).with(\.$kids) }.resolve(in: context)
    #expect(nested.map(\.id) == [4, 2] && nested.map { $0.kids?.map(\.id) } == [[], [2, 3]])
    let plan = group.flatMap { $0.limit(2) }.limit(3).explain(in: context, costs: false)
    #expect(plan.contains("natural, stop after 2") && plan.contains("natural, stop after 3"), "\(plan)")
  }

  @Test("an id that no column can hold is saved nowhere") func unwritableIDs() throws {
    var context = Context()
    let largest = UInt64(Int64.max)
    try Wide(id: largest).save(to: &context)
    #expect(Wide.query([.max, largest, 7]).resolve(in: context).map(\.id) == [largest])
    #expect(Wide.query(.max).resolve(in: context) == nil)
    #expect(Wide.query([.max]).explain(in: context, costs: false).contains("Wide"))
  }
}

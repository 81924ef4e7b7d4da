import Foundation
import GQLite
import GQLiteModels
import Testing

@EntityModel
struct Rung: Codable, Sendable {
  let id: Int
  var note: String?
  @Relationship(deleteRule: .cascade, inverse: \.parent) var kids: [Rung]?
  @Relationship(inverse: \.kids) var parent: Rung?

  /// What no column knows.
  var isFirst: Bool { id == 1 }

  /// One within the other, the innermost with the greatest number.
  static func ladder(_ depth: Int) -> Rung {
    var rung = Rung(id: depth)
    for id in stride(from: depth - 1, through: 1, by: -1) {
      var outer = Rung(id: id)
      outer.$kids = .relation([rung])
      rung = outer
    }
    return rung
  }
}

extension Query {
  /// What a list asks, with verbs that throw.
  fileprivate func asking(_ list: QueryList<Entity>) -> Self {
    var query = self
    query._list = list
    return query
  }
}

@EntityModel
struct LoudRung {
  let id: Int
  @Relationship var next: LoudRung? = nil

  func didSave(to context: inout Context) throws { try Rung(id: -id).save(to: &context) }
}

@EntityModel
struct PastRung {
  let id: Int
  @Relationship var past: Deleted<PastRung>? = nil
}

/// Graphs and queries of any depth, on a stack of 512 KiB: they work, or there is an error.
@Suite struct DepthTests {
  /// Runs on a thread with a small stack.
  private func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
    let result = Slot<Result>()
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      result.value = Swift.Result(catching: body)
      done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
    return try #require(result.value).get()
  }

  /// Unchecked because the thread that writes it has ended when it is read.
  private final class Slot<Result>: @unchecked Sendable { var value: Swift.Result<Result, any Error>? }

  /// Values that nobody takes apart again: Swift does that one within the other.
  private final class Kept<Value> {
    let value: Value
    init(_ value: Value) {
      self.value = value
      _ = Unmanaged.passRetained(self)
    }
  }

  @Test func deepGraphsAreSaved() throws {
    let depth = 50_000
    let (count, ends, isNested) = try onSmallStack {
      let chain = Kept(Rung.ladder(depth))
      var context = Context()
      try chain.value.save(to: &context)
      let last = Rung.query(depth).id(\.$parent).resolve(in: context)
      let newest = chain.value.updatedAt(in: context, withNested: true)
      return (context.ids(Rung.self).count, last?.$parent.id, newest == last?.updatedAt(in: context))
    }
    #expect(count == depth)
    #expect(ends == depth - 1)
    #expect(isNested)
  }

  @Test func deepGraphsAreSavedWithHooks() throws {
    let depth = 5_000
    let (rungs, told) = try onSmallStack {
      var rung = LoudRung(id: depth)
      var all: [Kept<LoudRung>] = []
      for id in stride(from: depth - 1, through: 1, by: -1) {
        var outer = LoudRung(id: id)
        outer.$next = .relation(rung)
        rung = outer
      }
      all.append(Kept(rung))
      var context = Context()
      try rung.save(to: &context)
      return (context.ids(LoudRung.self), context.ids(Rung.self))
    }
    #expect(rungs == Array(1...depth))
    // The innermost is saved first: before it nobody's relations are.
    #expect(told == (1...depth).reversed().map { -$0 })
  }

  @Test func deepGraphsOfDeletedEntitiesAreSaved() throws {
    let depth = 2_000
    let (live, gone) = try onSmallStack {
      var rung = PastRung(id: depth)
      for id in stride(from: depth - 1, through: 1, by: -1) {
        var outer = PastRung(id: id)
        outer.$past = .relation(Deleted(rung))
        rung = outer
      }
      let kept = Kept(rung)
      var context = Context()
      try kept.value.save(to: &context)
      return (context.ids(PastRung.self), try Deleted<PastRung>.count(in: context))
    }
    #expect(live == [1])
    #expect(gone == depth - 1)
  }

  @Test func deepCascadesAreDeleted() throws {
    let left = try onSmallStack {
      let chain = Kept(Rung.ladder(20_000))
      var context = Context()
      try chain.value.save(to: &context)
      try Rung.delete(id: 2, from: &context)
      return context.ids(Rung.self)
    }
    #expect(left == [1])
  }

  // MARK: - Queries

  /// The kids of the kids …, as many relations deep.
  private static func nested(_ depth: Int) -> QueryList<Rung> {
    var query = Rung.query()
    for _ in 0..<depth {
      let inner = query
      query = Rung.query().with(\.$kids) { _ in inner }
    }
    return query.filter(\.id == 1)
  }

  /// The same, asked as the other verbs do.
  private static func asked(_ depth: Int) -> Query<Rung> {
    var inner = Rung.query()
    for _ in 1..<depth {
      let next = inner
      inner = Rung.query().with(\.$kids) { _ in next }
    }
    return Query<Rung>().filter(\.id == 1).with(\.$kids) { _ in inner }
  }

  @Test func queriesAreNestedTo64() throws {
    let (depth, told) = try onSmallStack {
      var context = Context()
      try Rung.ladder(100).save(to: &context)
      var found = try Self.asked(64).results(in: context).first
      var depth = 0
      while let next = found?.kids?.first { (found, depth) = (next, depth + 1) }
      let database = Database(context)
      let all = FetchAll(Self.nested(64), in: database)
      return (depth, all.wrappedValue.count)
    }
    #expect(depth == 64)
    #expect(told == 1)
  }

  @Test(arguments: [65, 20_000]) func queriesAreNotNestedDeeper(_ depth: Int) throws {
    let (message, resolved, plan) = try onSmallStack {
      var context = Context()
      try Rung.ladder(3).save(to: &context)
      let query = Self.nested(depth)
      var message = ""
      do { _ = try Self.asked(depth).results(in: context) } catch { message = "\(error)" }
      return (message, query.resolve(in: context).count, query.explain(in: context))
    }
    #expect(message == "the query failed: it is nested more than 64 deep")
    #expect(resolved == 0)
    #expect(plan.contains("nested more than 64 deep"))
  }

  /// Any number of conditions side by side, however they were put together.
  @Test(arguments: [1_000, 40_000]) func conditionsBesideEachOther(_ count: Int) throws {
    let found = try onSmallStack {
      var context = Context()
      try Rung.ladder(3).save(to: &context)
      var condition = \Rung.id == 0
      var either = Rung.filter(condition)
      var all = Rung.query()
      for number in 0..<count {
        condition = condition || (number % 2 == 0 ? \Rung.id == -number : \Rung.id > 1_000 + number)
        either = either.or(number % 2 == 0 ? .filter(\.id == -number) : .filter(\.id < -1_000 - number))
        all = all.and(.filter(\.id != -number))
      }
      // Another version of the same conditions.
      let others = either.or(.filter(\.id == 3))
      either = either.or(.filter(\.id == 2))
      _ = (either.explain(in: context), all.explain(in: context))
      return [Rung.filter(condition), either, others, all].map { $0.resolve(in: context).map(\.id) }
    }
    #expect(found == [[], [2], [3], [1, 2, 3]])
  }

  /// The same in Swift, and what is no condition.
  @Test func otherConditionsBesideEachOther() throws {
    let found = try onSmallStack {
      var context = Context()
      try Rung.ladder(3).save(to: &context)
      var condition = \Rung.isFirst == true
      var either = Rung.query([2])
      var both = Rung.query([3, 1])
      for _ in 0..<5_000 {
        condition = condition || \Rung.isFirst == true
        either = either.or(Rung.query([3])).distinct().distinct()
        both = both.and(Rung.query([1, 3]))
      }
      var any = Rung.query([2])
      for _ in 0..<5_000 { any = any.or(Rung.query([3])) }
      _ = any.explain(in: context)
      return [Rung.filter(condition), both, any].map { $0.resolve(in: context).map(\.id) }
    }
    #expect(found == [[1], [3, 1], [2, 3]])
  }

  /// Conditions within conditions, and queries behind queries: they work to a depth, or there is an error.
  @Test(arguments: [(10, 1), (30, 1), (60, 0), (100_000, 0)])
  func conditionsWithinConditions(_ depth: Int, _ count: Int) throws {
    let (found, messages) = try onSmallStack {
      var context = Context()
      try Rung.ladder(3).save(to: &context)
      var mixed = Rung.filter(\.id == 2)
      var turned = \Rung.id == 2
      for number in 0..<depth {
        mixed = mixed.or(.filter(\.id == -1 - number)).and(\.id != -1 - number)
        turned = !(!turned)
      }
      _ = (mixed.explain(in: context), Rung.filter(turned).explain(in: context))
      let queries = [mixed, Rung.filter(turned), Rung.query().limit(0).filter(turned)]
      let messages = queries.map { query in
        do { return "\(try Query<Rung>().asking(query).results(in: context).count)" } catch { return "\(error)" }
      }
      return (queries.map { $0.resolve(in: context).count }, messages)
    }
    #expect(found == [count, count, 0])
    let problem = "the query failed: it is nested more than 64 deep"
    #expect(messages == (count == 1 ? ["1", "1", "0"] : [problem, problem, problem]))
  }

  @Test(arguments: [(10, 1), (30, 1), (60, 0), (20_000, 0)])
  func queriesBehindEachOther(_ depth: Int, _ count: Int) throws {
    let counts = try onSmallStack {
      var context = Context()
      try Rung.ladder(100).save(to: &context)
      var related = Rung.query([2])
      var combined = Rung.query([2])
      var up = Rung.query([100])
      var down = Rung.query([1])
      for number in 0..<depth {
        combined = combined.or(Rung.query([2]))
        up = up.related(\.$parent)
        down = down.related(\.$kids).flatten()
        related = number % 2 == 0 ? Rung.query([2, 3]).and(related.limit(9)) : related.distinct()
      }
      _ = [up, down, related, combined].map { $0.explain(in: context) }
      return [up, down, related, combined].map { $0.resolve(in: context).count }
    }
    #expect(counts == [count, count, count, 1])
  }

  /// Each type leads to each other in several ways, so that there are very many ways at this depth.
  @Test func bulkQueriesAreAsLargeAsTheirAnswers() throws {
    var context = Context()
    try Rung(id: 1, kids: .relation([Rung(id: 2)])).save(to: &context)
    let forms = Array(repeating: Nested.entities, count: 12)
    #expect(Rung.query().with(forms).resolve(in: context).count == 2)
    let empty = try Context(for: Rung.self)
    let deep = Rung.query().with(Array(repeating: Nested.entities, count: 64))
    #expect(deep.resolve(in: empty).isEmpty)
    #expect(deep.explain(in: empty).contains("which are not shown"))
    let database = Database(empty)
    #expect(FetchAll(deep, in: database).wrappedValue.isEmpty)
    #expect(try Query<Rung>().with(Array(repeating: .ids, count: 64)).fetchedResults(in: empty).isEmpty)
    #expect(throws: ModelError.self) {
      try Query<Rung>().with(Array(repeating: Nested.entities, count: 100_000)).results(in: context)
    }
  }

  // MARK: - Codable

  private static let strategies: [(RelationEncodingStrategy, RelationDecodingStrategy)] = [
    (.plain, .plain), (.exact, .exact), (.keyedContainer, .keyedContainer),
    (.explicitKeyedContainer, .explicitKeyedContainer),
  ]

  @Test func relationsAreCodedTo24() throws {
    for (encoding, decoding) in Self.strategies {
      let (count, tooDeep) = try onSmallStack {
        let encoder = JSONEncoder()
        encoder.relationEncodingStrategy = encoding
        let decoder = JSONDecoder()
        decoder.relationDecodingStrategy = decoding
        let data = try encoder.encode(Rung.ladder(25))
        var rung = try decoder.decode(Rung.self, from: data)
        var count = 1
        while let kid = rung.kids?.first { (rung, count) = (kid, count + 1) }
        var tooDeep = false
        do { _ = try encoder.encode(Rung.ladder(26)) } catch is EncodingError { tooDeep = true }
        return (count, tooDeep)
      }
      #expect(count == 25)
      #expect(tooDeep)
    }
  }

  @Test func deepJSONIsAnErrorInAllForms() throws {
    for strategy in [RelationDecodingStrategy.plain, [.plain, .exact], [.plain, .keyedContainer, .exact]] {
      let message = try onSmallStack {
        let depth = 100
        let text = (1...depth).map { "{\"id\": \($0), \"parent\": null, \"kids\": [" }.joined()
        let data = Data((text + String(repeating: "]}", count: depth)).utf8)
        let decoder = JSONDecoder()
        decoder.relationDecodingStrategy = strategy
        do {
          _ = try decoder.decode(Rung.self, from: data)
          return ""
        } catch { return "\(error)" }
      }
      #expect(message.contains("relations are nested more than 24 deep"))
    }
  }

  /// An error at the bottom is not looked for twice at each depth.
  @Test func formsAreNotTriedAgainAndAgain() {
    let depth = 40
    let text = (1...depth).map { "{\"id\": \($0), \"parent\": null, \"kids\": {\"objects\": [" }.joined()
    let data = Data((text + "{}" + String(repeating: "]}}", count: depth)).utf8)
    let decoder = JSONDecoder()
    decoder.relationDecodingStrategy = [.keyedContainer, .explicitKeyedContainer, .exact]
    #expect(throws: DecodingError.self) { try decoder.decode(Rung.self, from: data) }
  }
}

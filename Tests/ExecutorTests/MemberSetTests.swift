import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore
import Testing

private typealias F = PipelineFixture

/// Code of a program that knows rows only: even ones pass, orders are reversed.
private final class EvenRows: HostCode {
  var tested: [UInt32] = []
  var fails = false

  func test(
    _ number: Int, _ rows: UnsafeBufferPointer<UInt32>, into truths: UnsafeMutablePointer<UInt8>
  ) throws(RuntimeProblem) {
    if fails { throw RuntimeProblem(.cancelled, at: SourceRange(at: 0)) }
    tested += rows
    for (place, row) in rows.enumerated() { truths[place] = row % 2 == 0 ? 2 : 0 }
  }

  func sort(_ number: Int, _ rows: UnsafeMutableBufferPointer<UInt32>) throws(RuntimeProblem) {
    for (place, row) in Array(rows.reversed()).enumerated() { rows[place] = row }
  }

  func rows(_ number: Int) throws(RuntimeProblem) -> [UInt32] { [3, 1, 3] }
}

/// Sets over other sets, and what code of the program decides, by the rows that selections have.
///
/// User 0 has the messages 0, 2 and 3, user 1 has 1, and message 4 is nobody's.
@Suite struct MemberSetTests {
  private let fixture = PipelineFixture()
  private let snapshot: Snapshot

  init() throws { snapshot = try fixture.snapshot() }

  private static let own = BoundSet.Source.relation(.scope(0, F.user), F.userMessages)
  private static func likes(_ test: ComparisonOperator, _ number: Int64) -> BoundExpression {
    compare(test, column(F.message, F.likes, .int), int(number))
  }

  private func run(
    _ query: PipelineQuery, _ parameters: [Value?] = [], host: (any HostCode)? = nil
  ) throws -> [[UInt32]] {
    var found: [[UInt32]] = []
    let given: [UInt32] = [1, 0]
    try given.withUnsafeBufferPointer { given in
      try Executable(query.plan, catalog: fixture.catalog).findLevels(
        snapshot, parameters: parameters, given: given, host: host
      ) { levels in
        for index in query.query.selections.indices {
          let level = levels(SelectionID(index))
          for list in 1..<level.offsets.count {
            found.append(Array(level.rows[Int(level.offsets[list - 1])..<Int(level.offsets[list])]))
          }
        }
      }
    }
    return found
  }

  /// The members of a set at the root.
  private func members(
    _ parameters: [ValueType] = [], _ values: [Value?] = [], host: (any HostCode)? = nil,
    _ make: (inout PipelineQuery) -> SetID
  ) throws -> [UInt32] {
    var query = PipelineQuery(fixture.catalog, parameters: parameters)
    query.root("m", .many(query.selection(make(&query))))
    return try run(query, values, host: host)[0]
  }

  /// The members of a set for the users 0 and 1.
  private func lists(
    host: (any HostCode)? = nil, _ make: (inout PipelineQuery) -> SetID
  ) throws -> [[UInt32]] {
    var query = PipelineQuery(fixture.catalog)
    let users = query.selection(query.set(F.user, access: .scan, limit: int(2)))
    let below = query.selection(make(&query))
    query.fill(users, [field("m", .many(below))])
    query.root("u", .many(users))
    return Array(try run(query, host: host).dropFirst())
  }

  @Test func ofEachUser() throws {
    #expect(try lists { $0.set(F.message, Self.own) } == [[0, 2, 3], [1]])
    // A condition behind a slice, and a slice behind a slice.
    #expect(
      try lists { query in
        let first = query.set(F.message, Self.own, limit: int(2))
        return query.set(F.message, .members(.all, [first]), filter: Self.likes(.notEqual, 3))
      } == [[], [1]])
    #expect(
      try lists { query in
        let first = query.set(F.message, Self.own, limit: int(2))
        return query.set(F.message, .members(.all, [first]), limit: int(1), offset: int(1))
      } == [[2], []])
    // An order behind a slice: likes 3, 7 of the last two.
    #expect(
      try lists { query in
        let last = query.set(F.message, Self.own, offset: int(1))
        let term = BoundOrderTerm(column(F.message, F.likes, .int), isDescending: true)
        return query.set(F.message, .members(.all, [last]), order: [term], method: .sort)
      } == [[3, 2], []])
    #expect(
      try lists { query in
        let all = query.set(F.message, Self.own)
        return query.set(F.message, .members(.last, [all]))
      } == [[3], [1]])
    // What is in both, in the order of the first.
    #expect(
      try lists { query in
        let all = query.set(F.message, Self.own)
        let some = query.set(F.message, Self.own, offset: int(1))
        let few = query.set(F.message, access: .scan, filter: Self.likes(.less, 7))
        return query.set(F.message, .members(.common, [all, some, few]))
      } == [[2], []])
  }

  /// What is one for all comes in its own order, as often as it stands there.
  @Test func ofOneForAll() throws {
    let key = constant(
      .list(["13", "99", "10", "13", "11"].map { .id(Text($0), isNumber: true) }), .list(.id))
    #expect(try members { $0.set(F.message, .keys(F.messageID, key)) } == [3, 0, 3, 1])
    #expect(
      try lists { query in
        let wanted = query.set(F.message, .keys(F.messageID, key))
        let all = query.set(F.message, Self.own)
        return query.set(F.message, .members(.common, [wanted, all]))
      } == [[3, 0, 3], [1]])
    #expect(
      try lists { query in
        let wanted = query.set(F.message, .keys(F.messageID, key))
        let all = query.set(F.message, Self.own)
        let both = query.set(F.message, .members(.common, [wanted, all]))
        return query.set(F.message, .members(.once, [both]), limit: int(1), offset: int(1))
      } == [[0], []])
    #expect(
      try members { query in
        let wanted = query.set(F.message, .keys(F.messageID, key))
        return query.set(F.message, .members(.once, [wanted]))
      } == [3, 0, 1])
    #expect(try members { $0.set(F.message, .union([])) } == [])
  }

  @Test func ofEachMember() throws {
    #expect(
      try members { query in
        let users = query.set(F.user, .given)
        let own = query.set(F.message, Self.own, limit: int(2))
        return query.set(F.message, .each(users, own))
      } == [1, 0, 2])
    // Of each user's messages' authors the messages: a set that sees two scopes.
    #expect(
      try lists { query in
        let messages = query.set(F.message, Self.own, limit: int(2))
        let again = query.set(F.message, .relation(.scope(1, F.user), F.userMessages), limit: int(1))
        return query.set(F.message, .each(messages, again))
      } == [[0, 0], [1]])
  }

  @Test func ofTheProgram() throws {
    func test(_ type: EntityTypeID) -> BoundExpression {
      BoundExpression(.host(.scope(0, type), 0), .boolean, at: PipelineQuery.nowhere)
    }
    let host = EvenRows()
    #expect(
      try members(host: host) { $0.set(F.message, access: .scan, filter: test(F.message)) } == [0, 2, 4])
    #expect(host.tested == [0, 1, 2, 3, 4])
    // It sees what the conditions before it leave: likes 3, 9, 3, 7, 0.
    host.tested = []
    let both = BoundExpression(
      .and([Self.likes(.greater, 2), test(F.message)]), .boolean, at: PipelineQuery.nowhere)
    #expect(try lists(host: host) { $0.set(F.message, Self.own, filter: both) } == [[0, 2], []])
    #expect(Set(host.tested) == [0, 1, 2, 3])
    #expect(
      try lists(host: host) { query in
        let all = query.set(F.message, Self.own)
        return query.set(F.message, .members(.sorted(0), [all]), limit: int(2))
      } == [[3, 2], [1]])
    #expect(try members(host: host) { $0.set(F.message, .host(0)) } == [3, 1, 3])
    host.fails = true
    #expect(throws: RuntimeProblem.self) {
      try members(host: host) { $0.set(F.message, access: .scan, filter: test(F.message)) }
    }
  }
}

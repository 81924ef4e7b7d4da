import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore
import TestClocks
import Testing

private typealias F = PipelineFixture

@Suite struct PipelineTests {
  let fixture = PipelineFixture()
  let userID = column(F.user, F.id, .id)
  let userName = column(F.user, F.name, .string)
  let userAge = column(F.user, F.age, .int)
  let messageID = column(F.message, F.id, .id)
  let sent = column(F.message, F.sent, .int)
  let likes = column(F.message, F.likes, .int)

  /// `{ User { id name age score status } }`
  @Test func everyRowAndColumn() throws {
    var query = PipelineQuery(fixture.catalog)
    let set = query.set(F.user, access: .scan)
    let selection = query.selection(
      set,
      [
        field("id", .value(userID)), field("name", .value(userName)), field("age", .value(userAge)),
        field("score", .value(column(F.user, F.score, .float))),
        field("status", .value(column(F.user, F.state, .enumeration(F.status)))),
        field("__typename", .typename("User")),
      ])
    query.root("User", .many(selection))
    let expected =
      #"{"User":[{"id":1,"name":"Ann","age":30,"score":1.5,"status":"ACTIVE","__typename":"User"},"#
      + #"{"id":2,"name":"Bo \"B\"","age":null,"score":2,"status":"ACTIVE","__typename":"User"},"#
      + #"{"id":"x3","name":"Cid, a longer name","age":25,"score":null,"status":"GONE","__typename":"User"},"#
      + #"{"id":4,"name":null,"age":30,"score":-0.25,"status":null,"__typename":"User"}]}"#
    #expect(try fixture.answer(query.plan, fixture.snapshot()) == expected)
  }

  /// `{ user(id: $p) { id name } }`
  @Test(arguments: [
    ("1", #"{"user":{"id":1,"name":"Ann"}}"#), ("x3", #"{"user":{"id":"x3","name":"Cid, a longer name"}}"#),
    ("9", #"{"user":null}"#),
  ])
  func oneByKey(_ id: String, _ expected: String) throws {
    var query = PipelineQuery(fixture.catalog, parameters: [.id])
    let set = query.set(F.user, .key(F.userID, [parameter(0, .id)]))
    let selection = query.selection(set, [field("id", .value(userID)), field("name", .value(userName))])
    query.root("user", .one(selection))
    #expect(try fixture.answer(query.plan, fixture.snapshot(), [.id(Text(id), isNumber: false)]) == expected)
  }

  /// The ids of users, by any access path.
  private func users(
    _ access: AccessPath, filter: BoundExpression? = nil, order: [BoundOrderTerm] = [],
    method: OrderMethod = .natural, distinctOn: [BoundExpression] = [], limit: Int64? = nil, offset: Int64? = nil,
    _ snapshot: Snapshot? = nil
  ) throws -> String {
    var query = PipelineQuery(fixture.catalog)
    let set = query.set(
      F.user, access: access, filter: filter, order: order, method: method, distinctOn: distinctOn,
      limit: limit.map { int($0) }, offset: offset.map { int($0) })
    query.query.selections.append(BoundSelection(set: set, shape: .value(userID)))
    query.root("u", .many(SelectionID(0)))
    query.root("n", .value(count(set)))
    return try fixture.answer(query.plan, snapshot ?? fixture.snapshot())
  }

  @Test func accessPaths() throws {
    let adults = compare(.greaterOrEqual, userAge, int(26))
    let range = AccessPath.range(F.userAge, IndexRange(lower: .init(int(26), isInclusive: true)))
    let active = constant(.enumeration(F.status, code: 0), .enumeration(F.status))
    let byStatus = AccessPath.lookup(F.userStatus, [active])
    #expect(try users(.scan, filter: adults) == #"{"u":[1,4],"n":2}"#)
    #expect(try users(range) == #"{"u":[1,4],"n":2}"#)
    #expect(try users(range, limit: 1, offset: 1) == #"{"u":[4],"n":1}"#)
    #expect(try users(.scan, filter: adults, limit: 1, offset: 1) == #"{"u":[4],"n":1}"#)
    #expect(try users(byStatus) == #"{"u":[1,2],"n":2}"#)
    #expect(try users(byStatus, filter: adults) == #"{"u":[1],"n":1}"#)
    #expect(try users(.intersection([byStatus, range])) == #"{"u":[1],"n":1}"#)
    #expect(try users(.union([range, byStatus])) == #"{"u":[1,2,4],"n":3}"#)
    #expect(try users(.empty) == #"{"u":[],"n":0}"#)
    let ids = ["4", "1", "9", "4"].map { constant(.id(Text($0), isNumber: true), .id) }
    #expect(try users(.lookupEach(F.userID, ids)) == #"{"u":[1,4],"n":2}"#)
    // Null equals null, which a hash index does not hold.
    let none = constant(.null, .enumeration(F.status))
    #expect(try users(.lookup(F.userStatus, [none])) == #"{"u":[4],"n":1}"#)
    #expect(try users(.lookupEach(F.userStatus, [none, active])) == #"{"u":[1,2,4],"n":3}"#)
    #expect(try users(.range(F.userAge, IndexRange(onlyNulls: true))) == #"{"u":[2],"n":1}"#)
  }

  /// By age, then canonical order: x3, 1, 4, and 2, whose age is null, last in both directions.
  @Test func orders() throws {
    let walk = AccessPath.range(F.userAge, IndexRange(includesNulls: true))
    for descending in [false, true] {
      let order = [BoundOrderTerm(userAge, isDescending: descending)]
      let all = descending ? #"1,4,"x3",2"# : #""x3",1,4,2"#
      #expect(try users(.scan, order: order, method: .sort) == #"{"u":[\#(all)],"n":4}"#)
      #expect(try users(walk, order: order, method: .fromAccess(descending: descending)) == #"{"u":[\#(all)],"n":4}"#)
      #expect(try users(walk, order: order, method: .sort) == #"{"u":[\#(all)],"n":4}"#)
      let middle = descending ? #"4,"x3""# : #"1,4"#
      for (access, method): (AccessPath, OrderMethod) in [
        (.scan, .topN), (walk, .topN), (.scan, .sort), (walk, .fromAccess(descending: descending)),
      ] {
        #expect(
          try users(access, order: order, method: method, limit: 2, offset: 1) == #"{"u":[\#(middle)],"n":2}"#)
        #expect(try users(access, order: order, method: method, limit: 9) == #"{"u":[\#(all)],"n":4}"#)
      }
    }
    let byName = [BoundOrderTerm(userName, isDescending: true, nullsFirst: true)]
    for method in [OrderMethod.sort, .topN] {
      #expect(try users(.scan, order: byName, method: method, limit: 3) == #"{"u":[4,"x3",2],"n":3}"#)
    }
    let two = [
      BoundOrderTerm(column(F.user, F.state, .enumeration(F.status)), isDescending: false),
      BoundOrderTerm(userAge, isDescending: true, nullsFirst: true),
    ]
    for method in [OrderMethod.sort, .topN] {
      #expect(try users(.scan, order: two, method: method, limit: 10) == #"{"u":[2,1,"x3",4],"n":4}"#)
    }
  }

  @Test func distinct() throws {
    let order = [BoundOrderTerm(userAge, isDescending: true)]
    #expect(try users(.scan, distinctOn: [userAge]) == #"{"u":[1,2,"x3"],"n":3}"#)
    for method in [OrderMethod.sort, .topN] {
      #expect(
        try users(.scan, order: order, method: method, distinctOn: [userAge], limit: 2)
          == #"{"u":[1,"x3"],"n":2}"#)
    }
    #expect(
      try users(
        .range(F.userAge, IndexRange(includesNulls: true)), order: order, method: .fromAccess(descending: true),
        distinctOn: [userAge], limit: 2, offset: 1) == #"{"u":["x3",2],"n":2}"#)
  }

  @Test func deletedRows() throws {
    let transaction = WriteTransaction(try fixture.snapshot())
    try transaction.delete(F.user, 0)
    let snapshot = transaction.commit()
    #expect(try users(.scan, snapshot) == #"{"u":[2,"x3",4],"n":3}"#)
    #expect(try users(.scan, limit: 1, offset: 1, snapshot) == #"{"u":["x3"],"n":1}"#)
    let order = [BoundOrderTerm(userAge, isDescending: true)]
    #expect(try users(.scan, order: order, method: .topN, limit: 1, snapshot) == #"{"u":[4],"n":1}"#)
    let adults = compare(.greaterOrEqual, userAge, int(1))
    #expect(try users(.scan, filter: adults, snapshot) == #"{"u":["x3",4],"n":2}"#)
  }

  /// `{ User { id n: count(messages) messages(…) { id author { id } } } }`
  private func nested(
    filter: BoundExpression? = nil, order: [BoundOrderTerm] = [], method: OrderMethod = .natural,
    limit: BoundExpression? = nil, offset: BoundExpression? = nil, distinctOn: [BoundExpression] = []
  ) throws -> String {
    var query = PipelineQuery(fixture.catalog)
    let users = query.set(F.user, access: .scan)
    let messages = query.set(
      F.message, .relation(.scope(0, F.user), F.userMessages), filter: filter, order: order, method: method,
      distinctOn: distinctOn, limit: limit, offset: offset)
    let author = query.set(F.user, .relation(.scope(0, F.message), F.messageAuthor))
    let top = query.selection(users)
    let middle = query.selection(messages)
    let bottom = query.selection(author, [field("id", .value(userID))])
    query.fill(
      top,
      [field("id", .value(userID)), field("n", .value(count(messages))), field("m", .many(middle))])
    query.fill(middle, [field("id", .value(messageID)), field("a", .one(bottom))])
    query.root("User", .many(top))
    return try fixture.answer(query.plan, fixture.snapshot())
  }

  private func expected(_ first: [Int], _ second: [Int]) -> String {
    func list(_ ids: [Int], _ user: Int) -> String {
      ids.map { #"{"id":\#($0),"a":{"id":\#(user)}}"# }.joined(separator: ",")
    }
    return #"{"User":[{"id":1,"n":\#(first.count),"m":[\#(list(first, 1))]},"#
      + #"{"id":2,"n":\#(second.count),"m":[\#(list(second, 2))]},{"id":"x3","n":0,"m":[]},{"id":4,"n":0,"m":[]}]}"#
  }

  @Test func relations() throws {
    #expect(try nested() == expected([10, 12, 13], [11]))
    #expect(try nested(limit: int(1), offset: int(1)) == expected([12], []))
    #expect(try nested(filter: compare(.greater, likes, int(3))) == expected([13], [11]))
    #expect(try nested(filter: compare(.equal, likes, int(3)), limit: int(1)) == expected([10], []))
    let order = [BoundOrderTerm(sent, isDescending: false)]
    for method in [OrderMethod.sort, .topN] {
      #expect(try nested(order: order, method: method) == expected([13, 12, 10], [11]))
      #expect(try nested(order: order, method: method, limit: int(2)) == expected([13, 12], [11]))
      #expect(try nested(order: order, method: method, limit: int(2), offset: int(1)) == expected([12, 10], []))
    }
    // Equal likes stay in link order.
    let byLikes = [BoundOrderTerm(likes, isDescending: true), BoundOrderTerm(int(0), isDescending: true)]
    #expect(try nested(order: byLikes, method: .topN, limit: int(9)) == expected([13, 10, 12], [11]))
    #expect(try nested(limit: int(1), distinctOn: [likes]) == expected([10], [11]))
    #expect(try nested(distinctOn: [likes]) == expected([10, 13], [11]))
    // The limit sees the parent.
    let age = BoundExpression(
      .arithmetic(.subtract, userAge, int(28)), .int, at: PipelineQuery.nowhere)
    #expect(throws: RuntimeProblem.self) { try nested(limit: age) }
    #expect(
      try nested(
        limit: BoundExpression(.coalesce([userAge, int(0)]), .int, at: PipelineQuery.nowhere))
        == expected([10, 12, 13], []))
  }

  /// A filter that sees the parent: messages that have more likes than the author's age less 27.
  @Test func correlatedFilter() throws {
    let threshold = BoundExpression(
      .arithmetic(.subtract, column(F.user, F.age, .int, scope: 1), int(27)), .int, at: PipelineQuery.nowhere)
    #expect(try nested(filter: compare(.greater, likes, threshold)) == expected([13], []))
  }

  @Test func rowSetsAndSteps() throws {
    var query = PipelineQuery(fixture.catalog)
    let popular = query.set(F.message, access: .scan, filter: compare(.greater, likes, int(3)))
    let users = query.set(F.user, access: .rowSet(0))
    let authors = query.set(F.user, .step(popular, F.messageAuthor))
    query.rowSets = [RowSetPlan(type: F.user, set: popular, routes: [[F.messageAuthor]])]
    query.query.selections = [
      BoundSelection(set: users, shape: .value(userID)), BoundSelection(set: authors, shape: .value(userID)),
    ]
    query.root("a", .many(SelectionID(0)))
    query.root("b", .many(SelectionID(1)))
    #expect(try fixture.answer(query.plan, fixture.snapshot()) == #"{"a":[1,2],"b":[1,2]}"#)
  }

  @Test func conditionsAndEmptyObjects() throws {
    var query = PipelineQuery(fixture.catalog, parameters: [.boolean])
    let set = query.set(F.user, access: .scan, limit: int(1))
    let selection = query.selection(set, [field("id", .value(userID), if: parameter(0, .boolean))])
    query.root("User", .many(selection))
    query.root("t", .typename("Query"), if: parameter(0, .boolean))
    let snapshot = try fixture.snapshot()
    #expect(try fixture.answer(query.plan, snapshot, [.boolean(true)]) == #"{"User":[{"id":1}],"t":"Query"}"#)
    #expect(try fixture.answer(query.plan, snapshot, [.boolean(false)]) == #"{"User":[{}]}"#)
    #expect(try fixture.answer(query.plan, snapshot, [nil]) == #"{"User":[{}]}"#)
  }

  @Test func makingReadyCanBeInterrupted() throws {
    var query = PipelineQuery(fixture.catalog)
    let set = query.set(F.user, access: .scan)
    let selection = query.selection(set, [field("id", .value(userID))])
    query.root("User", .many(selection))
    let late = Interruption(deadline: 0, milliseconds: 7, cancellation: nil)
    #expect(throws: RuntimeProblem(.timeout(milliseconds: 7), at: SourceRange(at: 0))) {
      try Executable(query.plan, catalog: fixture.catalog, interruption: late)
    }
    let cancellation = Cancellation()
    let open = Interruption(deadline: .max, milliseconds: 0, cancellation: cancellation)
    _ = try Executable(query.plan, catalog: fixture.catalog, interruption: open)
    cancellation.cancel()
    #expect(throws: RuntimeProblem(.cancelled, at: SourceRange(at: 0))) {
      try Executable(query.plan, catalog: fixture.catalog, interruption: open)
    }
  }

  /// A condition of hundreds of thousands of parts takes longer to compile than the caller waits.
  @Test func compilingOneLongConditionCanBeInterrupted() throws {
    let parts = (0..<100_000).map { number in
      let pattern = BoundExpression(.constant(.string(Text("a\(number)"))), .string, at: SourceRange(at: 0))
      return BoundExpression(.textTest(.contains, userName, pattern), .boolean, at: SourceRange(at: 0))
    }
    var query = PipelineQuery(fixture.catalog)
    let set = query.set(
      F.user, access: .scan, filter: BoundExpression(.or(parts), .boolean, at: SourceRange(at: 0)))
    let selection = query.selection(set, [field("id", .value(userID))])
    query.root("User", .many(selection))
    let plan = query.plan
    let time = ThreadTime.measure {
      // Due when the set is begun to be compiled, or soon after.
      let soon = Interruption(deadline: MonotonicClock.now + 5_000_000, milliseconds: 5, cancellation: nil)
      #expect(throws: RuntimeProblem(.timeout(milliseconds: 5), at: SourceRange(at: 0))) {
        try Executable(plan, catalog: fixture.catalog, interruption: soon)
      }
    }
    let whole = try ThreadTime.measure { _ = try Executable(plan, catalog: fixture.catalog) }
    #expect(time * 2 < whole, "\(time) of \(whole)")
  }

  @Test func limitsLeaveTheOutputAlone() throws {
    var query = PipelineQuery(fixture.catalog)
    let set = query.set(F.user, access: .scan)
    let selection = query.selection(set, [field("id", .value(userID))])
    query.root("User", .many(selection))
    let executable = try Executable(query.plan, catalog: fixture.catalog)
    let snapshot = try fixture.snapshot()
    var limits = RunLimits.none
    limits.maximumNodes = 3
    var output = ByteBuffer()
    output.append("before")
    #expect(throws: RuntimeProblem.self) {
      try executable.run(snapshot, parameters: [], limits: limits, cancellation: nil, into: &output)
    }
    #expect(output.string == "before")
    limits = .none
    limits.maximumBytes = 10
    #expect(throws: RuntimeProblem.self) {
      try executable.run(snapshot, parameters: [], limits: limits, cancellation: nil, into: &output)
    }
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(throws: RuntimeProblem.self) {
      try executable.run(snapshot, parameters: [], limits: .none, cancellation: cancellation, into: &output)
    }
    limits = .none
    limits.deadline = 1
    #expect(throws: RuntimeProblem.self) {
      try executable.run(snapshot, parameters: [], limits: limits, cancellation: nil, into: &output)
    }
    #expect(output.string == "before")
    try executable.run(snapshot, parameters: [], limits: .none, cancellation: nil, into: &output)
    #expect(output.string == #"before{"User":[{"id":1},{"id":2},{"id":"x3"},{"id":4}]}"#)
    let actuals = try executable.analyze(snapshot, parameters: [])
    #expect(actuals[0].lists.rows == 4)
    #expect(actuals[0].access.rows == 4)
  }

  /// `{ any: exists(…) … u: User(where: exists(Message(where: likes == ^.age - 27))) { id } }`
  @Test func existence() throws {
    var query = PipelineQuery(fixture.catalog)
    func exists(_ set: SetID) -> BoundExpression {
      BoundExpression(.quantifier(.exists, set, nil), .boolean, at: PipelineQuery.nowhere)
    }
    let many = query.set(F.message, access: .scan, filter: compare(.equal, likes, int(3)))
    let none = query.set(F.message, access: .scan, filter: compare(.equal, likes, int(4)))
    let beyond = query.set(F.message, access: .scan, filter: compare(.equal, likes, int(3)), offset: int(2))
    let threshold = BoundExpression(
      .arithmetic(.subtract, column(F.user, F.age, .int, scope: 1), int(27)), .int, at: PipelineQuery.nowhere)
    let matching = query.set(F.message, access: .scan, filter: compare(.equal, likes, threshold))
    let users = query.set(F.user, access: .scan, filter: exists(matching))
    query.query.selections = [BoundSelection(set: users, shape: .value(userID))]
    query.root("a", .value(exists(many)))
    query.root("b", .value(exists(none)))
    query.root("c", .value(exists(beyond)))
    query.root("u", .many(SelectionID(0)))
    #expect(
      try fixture.answer(query.plan, fixture.snapshot()) == #"{"a":true,"b":false,"c":false,"u":[1,4]}"#)
  }

  /// An embedded object by its presence, here a status column that stands in for one: absent where it is 0.
  @Test func embeddedObjects() throws {
    var query = PipelineQuery(fixture.catalog)
    let set = query.set(F.user, access: .scan)
    let presence = BoundExpression(
      .not(BoundExpression(.isNull(userAge), .boolean, at: PipelineQuery.nowhere)), .boolean,
      at: PipelineQuery.nowhere)
    let selection = query.selection(
      set,
      [
        field("e", .embedded(presence: presence, [field("age", .value(userAge)), field("id", .value(userID))])),
        field("x", .value(userID)),
      ])
    query.root("u", .many(selection))
    let expected =
      #"{"u":[{"e":{"age":30,"id":1},"x":1},{"e":null,"x":2},{"e":{"age":25,"id":"x3"},"x":"x3"},"#
      + #"{"e":{"age":30,"id":4},"x":4}]}"#
    #expect(try fixture.answer(query.plan, fixture.snapshot()) == expected)
  }
}

import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore
import GQLWriting
import Testing

private typealias F = PipelineFixture

/// Scans of several pages, whose summaries come with the second run, and early stops in long runs.
@Suite struct ScanTests {
  let fixture: PipelineFixture
  /// Of page 0 close together, of page 1 far apart, of page 2 all the same, of the last page a few.
  let sent: [Int64]
  let snapshot: Snapshot

  init() throws {
    let fixture = PipelineFixture()
    self.fixture = fixture
    var sent: [Int64] = []
    for row in 0..<1024 { sent.append(Int64(row * 7919 % 1000) - 300) }
    for row in 0..<1024 { sent.append(row == 77 ? Int64.min : row == 500 ? Int64.max : Int64(row)) }
    for _ in 0..<1024 { sent.append(250) }
    for row in 0..<28 { sent.append(Int64(row * 50)) }
    self.sent = sent
    let transaction = WriteTransaction(Snapshot.empty(fixture.catalog))
    let pool = CellPool()
    func add(_ type: EntityTypeID, _ values: [Value?]) throws -> UInt32 {
      let cells = zip(values, fixture.catalog[type].columns).map { value, column in
        value.flatMap { pool.cell($0, column.type) }
      }
      return try transaction.insert(type, cells: cells.map { $0 ?? Cell(low: 0) }, valid: cells.map { $0 != nil })
    }
    for user in 0..<3 {
      _ = try add(F.user, [.id(Text("\(user)"), isNumber: true), nil, .int(Int64(user)), nil, nil, nil])
    }
    for (row, time) in sent.enumerated() {
      let text = Text("a long text number \(row)")
      _ = try add(F.message, [.id(Text("\(row)"), isNumber: true), .string(text), .int(time), nil, .int(Int64(row))])
      // All but the last ten belong to user 0, those to user 1.
      try transaction.setReference(
        F.messageAuthor, source: UInt32(row), target: row < sent.count - 10 ? 0 : 1)
    }
    snapshot = transaction.commit()
  }

  private func run(_ executable: Executable, _ snapshot: Snapshot, _ parameters: [Value?]) throws -> String {
    var output = ByteBuffer()
    try executable.run(snapshot, parameters: parameters, limits: .none, cancellation: nil, into: &output)
    return output.string
  }

  private static let time = column(F.message, F.sent, .int)
  private static let id = column(F.message, F.id, .id)

  /// `query($0) { n: count(Message(where: sent … $0)) m: Message(where: sent … $0) }`, before and after a change.
  @Test(arguments: [ComparisonOperator.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual])
  func comparisons(_ test: ComparisonOperator) throws {
    func holds(_ left: Int64, _ right: Int64) -> Bool {
      switch test {
      case .equal: left == right
      case .notEqual: left != right
      case .less: left < right
      case .lessOrEqual: left <= right
      case .greater: left > right
      case .greaterOrEqual: left >= right
      }
    }
    var query = PipelineQuery(fixture.catalog, parameters: [.int])
    let filter = compare(test, Self.time, parameter(0, .int))
    let set = query.set(F.message, access: .scan, filter: filter)
    query.query.selections = [BoundSelection(set: set, shape: .value(Self.id))]
    let counted = query.set(F.message, access: .scan, filter: filter)
    query.root("m", .many(SelectionID(0)))
    query.root("n", .value(count(counted)))
    let executable = try Executable(query.plan, catalog: fixture.catalog)

    func check(_ snapshot: Snapshot, _ sent: [Int64]) throws {
      let bounds: [Int64] = [.min, -301, -300, -299, 0, 249, 250, 251, 699, 700, 1023, 40_000, .max - 1, .max]
      for bound in bounds {
        let rows = sent.indices.filter { holds(sent[$0], bound) }
        let expected = #"{"m":[\#(rows.map(String.init).joined(separator: ","))],"n":\#(rows.count)}"#
        #expect(try run(executable, snapshot, [.int(bound)]) == expected, "\(test) \(bound)")
      }
      let all = test == .notEqual ? sent.indices.map(String.init) : []
      #expect(
        try run(executable, snapshot, [nil])
          == #"{"m":[\#(all.joined(separator: ","))],"n":\#(all.count)}"#)
    }
    for _ in 0..<3 { try check(snapshot, sent) }

    var changed = sent
    let transaction = WriteTransaction(snapshot)
    for row in [3, 1100, 2100] {
      changed[row] = 100_000
      try transaction.update(F.message, UInt32(row), F.sent, Cell(Int64(100_000)))
    }
    let digest = snapshot.memoryDigest
    let later = transaction.commit()
    for _ in 0..<3 { try check(later, changed) }
    try check(snapshot, sent)
    #expect(snapshot.memoryDigest == digest)
  }

  /// The first and the last by time, of equal ones the first inserted.
  @Test func extremes() throws {
    for descending in [false, true] {
      var query = PipelineQuery(fixture.catalog)
      let set = query.set(
        F.message, access: .scan, order: [BoundOrderTerm(Self.time, isDescending: descending)], method: .topN,
        limit: int(5))
      query.query.selections = [BoundSelection(set: set, shape: .value(Self.id))]
      query.root("m", .many(SelectionID(0)))
      let executable = try Executable(query.plan, catalog: fixture.catalog)
      let order = sent.indices.sorted { left, right in
        sent[left] == sent[right] ? left < right : (sent[left] < sent[right]) != descending
      }
      let expected = #"{"m":[\#(order.prefix(5).map(String.init).joined(separator: ","))]}"#
      for _ in 0..<3 { #expect(try run(executable, snapshot, []) == expected) }
    }
  }

  /// `User { m: messages(where: likes >= $0, offset: 1, limit: 3) e: exists(messages(where: likes >= $0, offset: 1)) }`
  @Test(arguments: [0, 5, 1000, 3000, 3085, 3089, 3095, 5000])
  func firstOfLongRuns(_ bound: Int) throws {
    var query = PipelineQuery(fixture.catalog, parameters: [.int])
    let filter = compare(.greaterOrEqual, column(F.message, F.likes, .int), parameter(0, .int))
    let users = query.set(F.user, access: .scan)
    let own = BoundSet.Source.relation(.scope(0, F.user), F.userMessages)
    let messages = query.set(F.message, own, filter: filter, limit: int(3), offset: int(1))
    let some = query.set(F.message, own, filter: filter, offset: int(1))
    let parent = query.selection(users)
    query.query.selections.append(BoundSelection(set: messages, shape: .value(Self.id)))
    let exists = BoundExpression(.quantifier(.exists, some, nil), .boolean, at: PipelineQuery.nowhere)
    query.fill(parent, [field("m", .many(SelectionID(1))), field("e", .value(exists))])
    query.root("u", .many(parent))
    let lists = [0..<sent.count - 10, sent.count - 10..<sent.count, 0..<0].map { range -> String in
      let rows = range.filter { $0 >= bound }
      let list = rows.dropFirst().prefix(3).map(String.init).joined(separator: ",")
      return #"{"m":[\#(list)],"e":\#(rows.count > 1)}"#
    }
    let executable = try Executable(query.plan, catalog: fixture.catalog)
    #expect(try run(executable, snapshot, [.int(Int64(bound))]) == #"{"u":[\#(lists.joined(separator: ","))]}"#)
  }

  /// A build side that would fail is not computed for a field that is left out.
  @Test func unusedRowSet() throws {
    var query = PipelineQuery(fixture.catalog, parameters: [.boolean])
    let quotient = BoundExpression(
      .arithmetic(.divide, column(F.message, F.likes, .int), int(0)), .int, at: PipelineQuery.nowhere)
    let failing = query.set(F.message, access: .scan, filter: compare(.greater, quotient, int(1)))
    let users = query.set(F.user, access: .rowSet(0))
    query.rowSets = [RowSetPlan(type: F.user, set: failing, routes: [[F.messageAuthor]])]
    query.query.selections = [BoundSelection(set: users, shape: .value(column(F.user, F.id, .id)))]
    query.root("a", .many(SelectionID(0)), if: parameter(0, .boolean))
    let executable = try Executable(query.plan, catalog: fixture.catalog)
    #expect(try run(executable, snapshot, [.boolean(false)]) == "{}")
    #expect(throws: RuntimeProblem.self) { try run(executable, snapshot, [.boolean(true)]) }
  }

  /// Texts that a query computes count as its memory.
  @Test func computedTexts() throws {
    var query = PipelineQuery(fixture.catalog)
    let folded = BoundExpression(
      .fold(column(F.message, F.text, .string)), .string, at: PipelineQuery.nowhere)
    let set = query.set(F.message, access: .scan)
    query.query.selections = [BoundSelection(set: set, shape: .value(folded))]
    query.root("m", .many(SelectionID(0)))
    let executable = try Executable(query.plan, catalog: fixture.catalog)
    var limits = RunLimits.none
    var output = ByteBuffer()
    limits.maximumMemory = 40_000
    #expect(throws: RuntimeProblem.self) {
      try executable.run(snapshot, parameters: [], limits: limits, cancellation: nil, into: &output)
    }
    limits.maximumMemory = 400_000
    for _ in 0..<3 {
      try executable.run(snapshot, parameters: [], limits: limits, cancellation: nil, into: &output)
    }
  }

  /// Null equals null in every component of a B-tree's key; users by (status, age) are (ACTIVE, 30), (ACTIVE, null),
  /// (GONE, 25), (null, 30).
  @Test func nullsWithinKeys() throws {
    var fixture = PipelineFixture()
    let pair = IndexID(fixture.catalog.indexes.count)
    fixture.catalog.indexes.append(
      IndexDescriptor(id: pair, type: F.user, name: "pair", kind: .btree, columns: [F.state, F.age]))
    fixture.catalog.types[0].indexes.append(pair)
    let snapshot = try fixture.snapshot()
    let status = ValueType.enumeration(F.status)
    let none = constant(.null, status)
    let active = constant(.enumeration(F.status, code: 0), status)
    let age = column(F.user, F.age, .int)
    func users(_ range: IndexRange, _ method: OrderMethod = .natural) throws -> String {
      var query = PipelineQuery(fixture.catalog)
      var order: [BoundOrderTerm] = []
      if case .fromAccess(let descending) = method { order = [BoundOrderTerm(age, isDescending: descending)] }
      let set = query.set(F.user, access: .range(pair, range), order: order, method: method)
      query.query.selections = [BoundSelection(set: set, shape: .value(column(F.user, F.id, .id)))]
      query.root("u", .many(SelectionID(0)))
      query.root("n", .value(count(set)))
      return try fixture.answer(query.plan, snapshot)
    }
    let nothing = #"{"u":[],"n":0}"#
    let four = #"{"u":[4],"n":1}"#
    #expect(try users(IndexRange(equal: [none, int(30)])) == four)
    #expect(try users(IndexRange(equal: [none, int(31)])) == nothing)
    #expect(try users(IndexRange(equal: [none, constant(.null, .int)])) == nothing)
    #expect(try users(IndexRange(equal: [active, constant(.null, .int)])) == #"{"u":[2],"n":1}"#)
    #expect(try users(IndexRange(equal: [none], lower: .init(int(30), isInclusive: true))) == four)
    #expect(try users(IndexRange(equal: [none], lower: .init(int(30), isInclusive: false))) == nothing)
    #expect(try users(IndexRange(equal: [none], upper: .init(int(30), isInclusive: false))) == nothing)
    #expect(try users(IndexRange(equal: [none])) == four)
    #expect(try users(IndexRange(equal: [none], includesNulls: true)) == four)
    #expect(try users(IndexRange(equal: [none], onlyNulls: true)) == nothing)
    #expect(
      try users(IndexRange(equal: [none], lower: .init(int(1), isInclusive: true)), .fromAccess(descending: true))
        == four)
  }
}

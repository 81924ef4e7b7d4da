import GQLBase
import GQLCatalog
import GQLExecutor
import GQLQuery
import GQLStore
import GQLWriting
import Testing

private typealias F = PipelineFixture

/// Every plan for a query gives what plain loops over plain arrays give, across batch and page borders.
@Suite struct PipelinePlansTests {
  struct Message {
    var row: Int
    var id: Int
    var text: String
    var sent: Int64
    var likes: Int64
    var author: Int?
  }
  struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) ^ (state << 17)
    }
  }

  static let users = 1100
  let fixture: PipelineFixture
  let messages: [Message]
  /// By user, in link order.
  let links: [[Message]]
  let ages: [Int64?]
  let liveUsers: [Int]
  let snapshot: Snapshot

  init() throws {
    let fixture = PipelineFixture()
    let users = Self.users
    self.fixture = fixture
    var random = Random(state: 42)
    var messages: [Message] = []
    var ages: [Int64?] = []
    let pool = CellPool()
    let transaction = WriteTransaction(Snapshot.empty(fixture.catalog))
    func add(_ type: EntityTypeID, _ values: [Value?]) throws -> UInt32 {
      var cells: [Cell] = []
      var valid: [Bool] = []
      for (value, column) in zip(values, fixture.catalog[type].columns) {
        let cell = value.flatMap { pool.cell($0, column.type) }
        cells.append(cell ?? Cell(low: 0))
        valid.append(cell != nil)
      }
      return try transaction.insert(type, cells: cells, valid: valid)
    }
    for index in 0..<users {
      let age: Int64? = Int.random(in: 0..<10, using: &random) == 0 ? nil : Int64.random(in: 0..<60, using: &random)
      ages.append(age)
      _ = try add(
        F.user,
        [
          .id(Text("\(index)"), isNumber: true), .string(Text("n\(index % 7)")), age.map { .int($0) }, nil, nil, nil,
        ])
    }
    for index in 0..<2300 {
      let message = Message(
        row: index, id: index + 10_000, text: "a text that is long \(Int.random(in: 0..<900, using: &random))",
        sent: Int64.random(in: 0..<2000, using: &random), likes: Int64.random(in: 0..<40, using: &random),
        author: Int.random(in: 0..<9, using: &random) == 0 ? nil : Int.random(in: 0..<users, using: &random))
      messages.append(message)
      let row = try add(
        F.message,
        [
          .id(Text("\(message.id)"), isNumber: true), .string(Text(message.text)), .int(message.sent), nil,
          .int(message.likes),
        ])
      if let author = message.author {
        try transaction.setReference(F.messageAuthor, source: row, target: UInt32(author))
      }
    }
    var dead: Set<Int> = []
    for _ in 0..<150 {
      let row = Int.random(in: 0..<messages.count, using: &random)
      if dead.insert(row).inserted { try transaction.delete(F.message, UInt32(row)) }
    }
    var deadUsers: Set<Int> = []
    for _ in 0..<40 {
      let row = Int.random(in: 0..<users, using: &random)
      if deadUsers.insert(row).inserted { try transaction.delete(F.user, UInt32(row)) }
    }
    let live = messages.filter { !dead.contains($0.row) }
    var links = Array(repeating: [Message](), count: users)
    for message in live { if let author = message.author { links[author].append(message) } }
    self.messages = live
    self.links = links
    self.ages = ages
    liveUsers = (0..<users).filter { !deadUsers.contains($0) }
    snapshot = transaction.commit()
  }

  enum Order: CaseIterable { case none, sent, sentDown, likesDown, text, textDownLikes, likesText }

  private func terms(_ order: Order) -> [BoundOrderTerm] {
    let sent = column(F.message, F.sent, .int)
    let likes = column(F.message, F.likes, .int)
    let text = column(F.message, F.text, .string)
    switch order {
    case .none: return []
    case .sent: return [BoundOrderTerm(sent, isDescending: false)]
    case .sentDown: return [BoundOrderTerm(sent, isDescending: true)]
    case .likesDown: return [BoundOrderTerm(likes, isDescending: true)]
    case .text: return [BoundOrderTerm(text, isDescending: false)]
    case .likesText: return [BoundOrderTerm(likes, isDescending: false), BoundOrderTerm(text, isDescending: true)]
    case .textDownLikes: return [BoundOrderTerm(text, isDescending: true), BoundOrderTerm(likes, isDescending: false)]
    }
  }

  /// What the language says: filter, stable order, slice.
  private func list(
    _ all: [Message], least: Int64?, _ order: Order, limit: Int?, offset: Int, distinct: Bool
  ) -> [Int] {
    var list = all
    if let least { list = list.filter { $0.likes >= least } }
    // The texts are ASCII, where the order of strings is that of bytes.
    func isBefore(_ a: Message, _ b: Message) -> Bool? {
      switch order {
      case .none: nil
      case .sent: a.sent == b.sent ? nil : a.sent < b.sent
      case .sentDown: a.sent == b.sent ? nil : a.sent > b.sent
      case .likesDown: a.likes == b.likes ? nil : a.likes > b.likes
      case .text: a.text == b.text ? nil : a.text < b.text
      case .likesText:
        a.likes == b.likes ? (a.text == b.text ? nil : b.text < a.text) : a.likes < b.likes
      case .textDownLikes:
        a.text == b.text
          ? (a.likes == b.likes ? nil : a.likes < b.likes)
          : b.text < a.text
      }
    }
    list = list.enumerated().sorted { isBefore($0.element, $1.element) ?? ($0.offset < $1.offset) }.map(\.element)
    if distinct {
      var seen: Set<Int64> = []
      list = list.filter { seen.insert($0.likes).inserted }
    }
    return list.dropFirst(offset).prefix(limit ?? Int.max).map(\.id)
  }

  private static let slices: [(Int?, Int)] = [(nil, 0), (7, 0), (1200, 3), (10, 2000), (0, 0)]

  @Test(arguments: Order.allCases) func rootLists(_ order: Order) throws {
    let sent = AccessPath.range(F.messageSent, IndexRange(includesNulls: true))
    for least in [nil, Int64(3)] {
      for (limit, offset) in Self.slices {
        for distinct in [false, true] {
          var plans: [(AccessPath, OrderMethod)] = [(.scan, .sort), (sent, .sort), (.union([.scan, sent]), .sort)]
          if order == .none { plans = plans.map { ($0.0, .natural) } }
          if order != .none, limit != nil { plans += [(.scan, .topN), (sent, .topN)] }
          if order == .sent { plans.append((sent, .fromAccess(descending: false))) }
          if order == .sentDown { plans.append((sent, .fromAccess(descending: true))) }
          if order == .sent { plans.append((.intersection([sent, .scan]), .fromAccess(descending: false))) }
          let expected = list(messages, least: least, order, limit: limit, offset: offset, distinct: distinct)
          let text = expected.map(String.init).joined(separator: ",")
          for (access, method) in plans {
            var query = PipelineQuery(fixture.catalog)
            let set = query.set(
              F.message, access: access,
              filter: least.map { compare(.greaterOrEqual, column(F.message, F.likes, .int), int($0)) },
              order: terms(order), method: method, distinctOn: distinct ? [column(F.message, F.likes, .int)] : [],
              limit: limit.map { int(Int64($0)) }, offset: offset == 0 ? nil : int(Int64(offset)))
            query.query.selections = [BoundSelection(set: set, shape: .value(column(F.message, F.id, .id)))]
            query.root("m", .many(SelectionID(0)))
            query.root("n", .value(count(set)))
            let answer = try fixture.answer(query.plan, snapshot)
            #expect(
              answer == #"{"m":[\#(text)],"n":\#(expected.count)}"#,
              "\(access) \(method) \(order) least \(String(describing: least)) limit \(String(describing: limit)) offset \(offset) distinct \(distinct)"
            )
          }
        }
      }
    }
  }

  @Test(arguments: Order.allCases) func nestedLists(_ order: Order) throws {
    for least in [nil, Int64(20)] {
      for (limit, offset): (Int?, Int) in [(nil, 0), (1, 0), (2, 1)] {
        for distinct in [false, true] {
          for method in order == .none ? [OrderMethod.natural] : [.sort, .topN] {
            var query = PipelineQuery(fixture.catalog)
            let top = query.set(F.user, access: .scan)
            let below = query.set(
              F.message, .relation(.scope(0, F.user), F.userMessages),
              filter: least.map { compare(.greaterOrEqual, column(F.message, F.likes, .int), int($0)) },
              order: terms(order), method: method, distinctOn: distinct ? [column(F.message, F.likes, .int)] : [],
              limit: limit.map { int(Int64($0)) }, offset: offset == 0 ? nil : int(Int64(offset)))
            let author = query.set(F.user, .relation(.scope(0, F.message), F.messageAuthor))
            let users = query.selection(top)
            let messages = query.selection(below)
            let authors = query.selection(
              author,
              [
                field("age", .value(column(F.user, F.age, .int))),
                // From the message, and from the user two levels up, who is the author.
                field("likes", .value(column(F.message, F.likes, .int, scope: 1))),
                field("up", .value(column(F.user, F.id, .id, scope: 2))),
              ])
            query.fill(
              users,
              [
                field("id", .value(column(F.user, F.id, .id))), field("n", .value(count(below))),
                field("m", .many(messages)),
              ])
            query.fill(
              messages,
              [field("id", .value(column(F.message, F.id, .id))), field("a", .one(authors))])
            query.root("u", .many(users))
            let byID = Dictionary(uniqueKeysWithValues: self.messages.map { ($0.id, $0) })
            let expected = liveUsers.map { user in
              let ids = list(
                links[user], least: least, order, limit: limit, offset: offset, distinct: distinct)
              let age = ages[user].map(String.init) ?? "null"
              let members = ids.map { id in
                #"{"id":\#(id),"a":{"age":\#(age),"likes":\#(byID[id]?.likes ?? -1),"up":\#(user)}}"#
              }
              return #"{"id":\#(user),"n":\#(ids.count),"m":[\#(members.joined(separator: ","))]}"#
            }
            let answer = try fixture.answer(query.plan, snapshot)
            #expect(
              answer == #"{"u":[\#(expected.joined(separator: ","))]}"#,
              "\(method) \(order) least \(String(describing: least)) limit \(String(describing: limit)) distinct \(distinct)"
            )
          }
        }
      }
    }
  }

  /// `^` in the filter of a child, over all batches: messages with fewer likes than the user's age.
  @Test func correlatedFilters() throws {
    var query = PipelineQuery(fixture.catalog)
    let top = query.set(F.user, access: .scan)
    let below = query.set(
      F.message, .relation(.scope(0, F.user), F.userMessages),
      filter: compare(.less, column(F.message, F.likes, .int), column(F.user, F.age, .int, scope: 1)))
    query.query.selections = [
      BoundSelection(set: top, shape: .object([field("m", .many(SelectionID(1)))])),
      BoundSelection(set: below, shape: .value(column(F.message, F.id, .id))),
    ]
    query.root("u", .many(SelectionID(0)))
    let expected = liveUsers.map { user in
      let ids = links[user].filter { message in ages[user].map { message.likes < $0 } ?? false }.map(\.id)
      return #"{"m":[\#(ids.map(String.init).joined(separator: ","))]}"#
    }
    #expect(try fixture.answer(query.plan, snapshot) == #"{"u":[\#(expected.joined(separator: ","))]}"#)
  }
}

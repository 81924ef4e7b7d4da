import GQLBase
import GQLCatalog
import GQLPlanner
import GQLQuery
import Testing

private typealias User = ChatFixture.User
private typealias Message = ChatFixture.Message
private typealias Index = ChatFixture.Index

@Suite struct OptimizerAccessTests {
  private func check(
    _ predicate: BoundExpression?, _ expected: String, parameters: [BoundParameter] = [], values: [Value?]? = nil,
    orderBy: [BoundOrderTerm] = [], limit: BoundExpression? = nil, offset: BoundExpression? = nil,
    location: SourceLocation = #_sourceLocation
  ) {
    let set = collection(ChatFixture.user, where: predicate, orderBy: orderBy, limit: limit, offset: offset)
    let actual = explained(query(set, parameters: parameters), parameters: values)
    #expect(actual == "User\n" + expected, sourceLocation: location)
  }

  @Test func noCondition() { check(nil, "└ access   FullScan") }

  @Test func byPrimaryKey() {
    check(compare(user(User.id), .equal, id("7")), "└ access   Primary User.id == \"7\"")
  }

  @Test func byUniqueKeyKeepsTheRest() {
    check(
      all(compare(user(User.balance), .greater, int(3)), compare(text("a@b"), .equal, user(User.email))),
      "├ access   Unique User.email == \"a@b\"\n└ filter   balance > 3")
  }

  @Test func primaryKeysOfAList() {
    check(
      bool(.inList(user(User.id), parameter(0, .list(.id)))), "└ access   Primary User.id in $ids",
      parameters: [declared("ids", .list(.id))])
  }

  @Test func indexedRange() {
    check(
      all(compare(user(User.age), .greaterOrEqual, int(30)), compare(user(User.age), .less, int(31))),
      "└ access   BTreeRange User.age [30, 31)")
  }

  @Test func exclusiveLowerBound() {
    check(
      all(compare(user(User.age), .greater, int(30)), compare(int(31), .greaterOrEqual, user(User.age))),
      "└ access   BTreeRange User.age (30, 31]")
  }

  @Test func prefixOfText() {
    check(bool(.textTest(.startsWith, user(User.name), text("an"))), "└ access   BTreeRange User.name prefix \"an\"")
    check(
      bool(.like(user(User.name), pattern: text("an%"), isCaseInsensitive: false)),
      "└ access   BTreeRange User.name prefix \"an\"")
    check(
      bool(.like(user(User.name), pattern: text("an%x"), isCaseInsensitive: false)),
      "├ access   BTreeRange User.name prefix \"an\"\n└ filter   name like \"an%x\"")
    check(
      bool(.regex(user(User.name), pattern: text("^anx?b"))),
      "├ access   BTreeRange User.name prefix \"an\"\n└ filter   name =~ \"^anx?b\"")
  }

  @Test func patternsWithoutALiteralBeginning() {
    for pattern in ["an", "^(an)", "^an|b", "^.a", "^a?"] {
      check(
        bool(.regex(user(User.name), pattern: text(pattern))),
        "├ access   FullScan\n└ filter   name =~ \"\(pattern)\"")
    }
  }

  @Test func nullsOfAnIndex() {
    check(
      compare(user(User.age), .equal, BoundExpression(.constant(.null), .int, at: nowhere)),
      "└ access   BTreeRange User.age null")
  }

  @Test func compoundKey() {
    check(
      all(compare(user(User.city), .equal, text("Rome")), compare(user(User.age), .equal, int(3))),
      "└ access   BTreeRange User(city, age) == \"Rome\", 3")
    check(
      all(compare(user(User.age), .greater, int(3)), compare(user(User.city), .equal, text("Rome"))),
      "└ access   BTreeRange User(city, age) == \"Rome\", (3, ∞)")
  }

  @Test func equalLeadingComponentOnlyKeepsRowsWithNullBehind() throws {
    let plan = plan(query(collection(ChatFixture.user, where: compare(user(User.city), .equal, text("Rome")))))
    guard case .range(Index.cityAge, let range) = plan.sets[0].access else {
      Issue.record("\(plan.sets[0].access)")
      return
    }
    #expect(range.includesNulls)
  }

  @Test func unselectiveIndexLosesToTheScan() {
    check(
      compare(user(User.age), .greater, int(3)), "├ access   FullScan\n└ filter   age > 3")
  }

  @Test func moreSelectiveOfTwoIndexes() {
    // and2: one age in a hundred against a third of the statuses.
    check(
      all(compare(user(User.status), .equal, status(0)), compare(user(User.age), .equal, int(30))),
      "├ access   BTreeRange User.age == 30\n└ filter   status == ACTIVE")
  }

  /// What one index finds is tested faster than another index is read for it, as long as the tests are cheap.
  @Test func oneOfTwoSelectiveIndexes() {
    var fixture = ChatFixture()
    fixture.statistics.shares[Index.status] = { _ in 1_000 }
    let predicate = all(
      compare(user(User.status), .equal, status(2)), compare(user(User.age), .equal, int(30)),
      bool(.textTest(.contains, user(User.city), text("x"))))
    let text = explained(query(collection(ChatFixture.user, where: predicate)), fixture)
    #expect(text.contains("access   Hash User.status == BANNED"), "\(text)")
    #expect(text.contains("└ filter   age == 30 and city contains \"x\""))
  }

  @Test func unionForOr() {
    // or2
    check(
      any(compare(user(User.age), .equal, int(30)), bool(.textTest(.startsWith, user(User.name), text("an")))),
      "└ access   BTreeRange User.age == 30 ∪ BTreeRange User.name prefix \"an\"")
  }

  @Test func orWithOneUnindexedBranchScans() {
    check(
      any(compare(user(User.age), .equal, int(30)), compare(user(User.balance), .equal, int(1))),
      "├ access   FullScan\n└ filter   age == 30 or balance == 1")
  }

  @Test func inexactBranchKeepsTheFilter() {
    check(
      any(
        all(compare(user(User.age), .equal, int(30)), compare(user(User.balance), .equal, int(1))),
        compare(user(User.email), .equal, text("a"))),
      """
      ├ access   BTreeRange User.age == 30 ∪ Unique User.email == "a"
      └ filter   age == 30 and balance == 1 or email == "a"
      """)
  }

  @Test func equalitiesBecomeOneList() {
    check(
      any(compare(user(User.email), .equal, text("a")), compare(user(User.email), .equal, text("b"))),
      "└ access   Unique User.email in [\"a\", \"b\"]")
  }

  @Test func inequalityHasNoAccess() {
    check(
      compare(user(User.email), .notEqual, text("a")), "├ access   FullScan\n└ filter   email != \"a\"")
  }

  // MARK: Nulls

  @Test func nullableKeys() {
    // The executor finds the rows with a null under a null key.
    check(
      compare(user(User.age), .equal, parameter(0, .int)), "└ access   BTreeRange User.age == $a",
      parameters: [declared("a", .int, isNonNull: false)], values: [.int(3)])
    check(
      compare(user(User.email), .equal, parameter(0, .string)), "└ access   Unique User.email == $e",
      parameters: [declared("e", .string, isNonNull: false)])
  }

  @Test func nothingBehindAKeyThatMayBeNull() {
    // A city that may be null, asked for by a parameter that may be: the ages behind it are tested row by row.
    var fixture = ChatFixture()
    fixture.catalog.types[0].columns[5].isNonNull = false
    func access(isNonNull: Bool) -> String {
      let set = collection(
        ChatFixture.user,
        where: all(
          compare(user(User.city), .equal, parameter(0, .string)), compare(user(User.age), .greater, int(30))),
        orderBy: [ascending(user(User.age))])
      return explained(query(set, parameters: [declared("c", .string, isNonNull: isNonNull)]), fixture)
    }
    #expect(
      access(isNonNull: true) == """
        User
        ├ access   BTreeRange User(city, age) == $c, (30, ∞)
        └ order    from index
        """)
    #expect(
      access(isNonNull: false) == """
        User
        ├ access   BTreeRange User(city, age) == $c
        ├ filter   age > 30
        └ order    sort by age
        """)
  }

  // MARK: What can fail

  @Test func nothingPassesWhatCanFail() {
    let quotient = BoundExpression(.arithmetic(.divide, int(1), user(User.balance)), .float, at: nowhere)
    let failing = compare(quotient, .greater, BoundExpression(.constant(.float(0)), .float, at: nowhere))
    let equality = compare(user(User.email), .equal, text("a"))
    check(
      all(failing, equality), "├ access   FullScan\n└ filter   1 / balance > 0 and email == \"a\"")
    check(
      all(equality, failing), "├ access   Unique User.email == \"a\"\n└ filter   1 / balance > 0")
  }

  @Test func cheapAndSelectiveFirst() {
    check(
      all(
        bool(.textTest(.contains, user(User.city), text("x"))), compare(user(User.balance), .equal, int(3))),
      "├ access   FullScan\n└ filter   balance == 3 and city contains \"x\"")
  }

  // MARK: Order

  @Test func orderFromIndexStopsEarly() {
    // top_idx
    check(
      nil, "├ access   BTreeWalk User.age  descending\n└ order    from index, stop after 10",
      orderBy: [descending(user(User.age))], limit: int(10))
  }

  @Test func deepOffsetIsARank() {
    check(
      nil, "├ access   BTreeWalk User.age\n└ order    from index, stop after 10, skipping 50000",
      orderBy: [ascending(user(User.age))], limit: int(10), offset: int(50_000))
  }

  @Test func walkOfEverythingIncludesNulls() throws {
    let plan = plan(
      query(collection(ChatFixture.user, orderBy: [ascending(user(User.age))], limit: int(10))))
    #expect(plan.sets[0].access == .range(Index.age, IndexRange(includesNulls: true)))
  }

  @Test func nullsFirstIsNotWhatTheIndexGives() {
    check(
      nil, "├ access   FullScan\n└ order    top 10 by asc(age, nulls: FIRST)",
      orderBy: [BoundOrderTerm(user(User.age), isDescending: false, nullsFirst: true)], limit: int(10))
  }

  @Test func topOfAnUnindexedField() {
    check(
      nil, "├ access   FullScan\n└ order    top 10 by -balance", orderBy: [descending(user(User.balance))],
      limit: int(10))
  }

  @Test func unlimitedOrderSorts() {
    check(
      compare(user(User.email), .equal, text("a")),
      "├ access   Unique User.email == \"a\"\n└ order    sort by balance", orderBy: [ascending(user(User.balance))])
  }

  @Test func commonConditionWalksTheOrder() {
    check(
      compare(user(User.status), .equal, status(0)),
      """
      ├ access   BTreeWalk User.age
      ├ filter   status == ACTIVE
      ├ order    from index, stop after 10
      └ else     Hash User.status == ACTIVE
        └ order    top 10 by age
      """,
      orderBy: [ascending(user(User.age))], limit: int(10))
  }

  @Test func rareConditionSortsItsRows() {
    check(
      bool(.textTest(.startsWith, user(User.name), text("an"))),
      "├ access   BTreeRange User.name prefix \"an\"\n└ order    top 10 by age",
      orderBy: [ascending(user(User.age))], limit: int(10))
  }

  @Test func compoundIndexServesTheOrderBehindItsEquality() {
    check(
      compare(user(User.city), .equal, text("Rome")),
      "├ access   BTreeRange User(city, age) == \"Rome\"  descending\n└ order    from index, stop after 3",
      orderBy: [descending(user(User.age))], limit: int(3))
  }

  @Test func twoTermsAscendingButNotDescending() {
    check(
      nil, "├ access   BTreeWalk User(city, age)\n└ order    from index, stop after 3",
      orderBy: [ascending(user(User.city)), ascending(user(User.age))], limit: int(3))
    check(
      nil,
      "├ access   BTreeWalk User(city, age)  descending\n"
        + "└ order    from index by -city, ties sorted by -age, stop after 3",
      orderBy: [descending(user(User.city)), descending(user(User.age))], limit: int(3))
    // Equal cities come by age instead of by row.
    check(
      nil,
      "├ access   BTreeWalk User(city, age)\n└ order    from index by city, ties in canonical order, stop after 3",
      orderBy: [ascending(user(User.city))], limit: int(3))
  }

  @Test func failingFilterSeesEveryRow() {
    let quotient = BoundExpression(.arithmetic(.divide, int(1), user(User.balance)), .float, at: nowhere)
    check(
      compare(quotient, .greater, BoundExpression(.constant(.float(0)), .float, at: nowhere)),
      "├ access   FullScan\n├ filter   1 / balance > 0\n└ order    top 10 by age",
      orderBy: [ascending(user(User.age))], limit: int(10))
  }

  @Test func distinctOnForbidsTopN() {
    var set = collection(ChatFixture.user, orderBy: [ascending(user(User.balance))], limit: int(3))
    set.distinctOn = [user(User.city)]
    #expect(plan(query(set)).sets[0].order == .sort)
  }

  @Test func neverTrueLooksNowhere() {
    check(compare(int(1), .greater, int(2)), "└ access   Empty")
  }

  // MARK: Parameters

  @Test func parametersDecide() {
    let set = collection(ChatFixture.user, where: compare(user(User.age), .greaterOrEqual, parameter(0, .int)))
    let bound = query(set, parameters: [declared("min", .int)])
    #expect(explained(bound, parameters: [.int(99)]) == "User\n└ access   BTreeRange User.age [$min, ∞)")
    #expect(explained(bound, parameters: [.int(1)]) == "User\n├ access   FullScan\n└ filter   age >= $min")
    let fixture = ChatFixture()
    let plan = plan(bound, fixture, parameters: [.int(99)])
    #expect(plan.isParameterSensitive)
    #expect(accessEstimates(plan, parameters: [.int(99)], statistics: fixture.statistics) == [990])
    #expect(accessEstimates(plan, parameters: [.int(50)], statistics: fixture.statistics) == [49_500])
  }

  @Test func uniqueKeysAreNotSensitive() {
    let set = collection(ChatFixture.user, where: compare(user(User.email), .equal, parameter(0, .string)))
    #expect(
      !plan(query(set, parameters: [declared("e", .string)]), parameters: ["a"].map { .string(Text($0)) })
        .isParameterSensitive)
  }

  // MARK: Hints

  private func hinted(_ access: AccessHint.Access, index: String? = nil) -> Analyzed<PhysicalPlan> {
    let fixture = ChatFixture()
    let set = collection(
      ChatFixture.user,
      where: all(compare(user(User.age), .equal, int(30)), compare(user(User.status), .equal, status(0))),
      hint: AccessHint(access: access, index: index, range: SourceRange(start: 4, end: 9)))
    return optimize(query(set), catalog: fixture.catalog, statistics: fixture.statistics)
  }

  @Test func hintsForceAnAccess() {
    #expect(hinted(.scan).output.sets[0].access == .scan)
    #expect(hinted(.index(.hash)).output.sets[0].access == .lookup(Index.status, [status(0)]))
    #expect(hinted(.index(.btree), index: "age").diagnostics.isEmpty)
  }

  @Test func impossibleHintSaysWhatIsPossible() throws {
    let result = hinted(.index(.btree), index: "name")
    let diagnostic = try #require(result.diagnostics.first)
    #expect(diagnostic.code == .accessNotPossible)
    #expect(diagnostic.message == "access BTREE with index 'name' is not possible for 'User' here")
    #expect(diagnostic.range == SourceRange(start: 4, end: 9))
    let help = try #require(diagnostic.help)
    #expect(
      help.contains("SCAN") && help.contains("BTREE with index 'age'") && help.contains("HASH with index 'status'"))
    #expect(!hinted(.index(.fullText)).diagnostics.isEmpty)
    #expect(!hinted(.id).diagnostics.isEmpty)
  }
}

import GQLBase
import GQLCatalog
import GQLPlanner
import GQLQuery
import Testing

private typealias User = ChatFixture.User
private typealias Message = ChatFixture.Message
private typealias Country = ChatFixture.Country
private typealias Index = ChatFixture.Index

/// Directions: from the parent, from the child, or a row set beside.
@Suite struct OptimizerSemiJoinTests {
  private func some(_ body: BoundExpression) -> BoundExpression { bool(.quantifier(.some, SetID(1), body)) }

  @Test func selectiveInsideStartsInside() {
    // exists_in
    let root = collection(ChatFixture.user, where: some(compare(message(Message.text), .equal, text("hi"))))
    #expect(
      explained(query(root, messages())) == """
        User
        └ access   SemiJoin some(messages, text == "hi")
          └ by semi-join from Message
            └ access   Hash Message.text == "hi"
        """)
    let plan = plan(query(root, messages()))
    #expect(plan.rowSets.map(\.routes) == [[[ChatFixture.author]]])
    #expect(plan.rowSets.map(\.type) == [ChatFixture.user])
  }

  @Test func linksThatSleepAreNotFoundFromTheOtherEnd() {
    let root = collection(ChatFixture.user, where: some(compare(message(Message.text), .equal, text("hi"))))
    for (status, word) in [(LinkStatus.deleted, "ONLY"), (.any, "INCLUDE")] {
      var inner = messages()
      inner.linkStatus = status
      let query = query(root, inner)
      #expect(plan(query).rowSets.isEmpty)
      #expect(explained(query).contains("filter   some(messages(deleted: \(word)), text == \"hi\")"))
      #expect(query.isIndexed(SetID(0)) && !query.isIndexed(SetID(1)) && !query.isIndexed)
    }
  }

  @Test func selectiveOutsideTestsPerRow() {
    // exists_out: one user, whose few messages are looked at.
    let root = collection(
      ChatFixture.user,
      where: all(
        some(compare(message(Message.createdAt), .greater, time(500_000))),
        compare(user(User.age), .equal, int(30)), compare(user(User.city), .equal, text("Rome"))))
    let text = explained(query(root, messages()))
    #expect(
      text.hasPrefix(
        """
        User
        ├ access   BTreeRange User(city, age) == "Rome", 30
        └ filter   some(messages, createdAt > "
        """), "\(text)")
    #expect(plan(query(root, messages())).rowSets.isEmpty)
  }

  @Test func broadInsideBuildsOneSetForAllRows() {
    // No index, but reading the messages in sequence once is cheaper than following a million links.
    let root = collection(ChatFixture.user, where: some(compare(message(Message.likes), .greater, int(1_000))))
    let plan = plan(query(root, messages()))
    #expect(plan.rowSets.count == 1)
    #expect(plan.sets[plan.rowSets[0].set.index].access == .scan)
  }

  @Test func negationIsAResidualFilter() {
    let root = collection(
      ChatFixture.user, where: bool(.quantifier(.none, SetID(1), compare(message(Message.text), .equal, text("hi")))))
    #expect(
      explained(query(root, messages())) == """
        User
        ├ access   FullScan
        └ filter   not some(messages, text == "hi")
          └ by semi-join from Message
            └ access   Hash Message.text == "hi"
        """)
  }

  @Test func pathToOneStartsAtItsEnd() {
    let root = collection(ChatFixture.message, where: compare(author(User.email), .equal, text("a@b")))
    #expect(
      explained(query(root)) == """
        Message
        └ access   SemiJoin author.email == "a@b"
          └ by semi-join from User
            └ access   Unique User.email == "a@b"
        """)
    #expect(plan(query(root)).rowSets.map(\.routes) == [[[ChatFixture.messages]]])
  }

  @Test func missingTargetsBelongToSomeConditions() {
    // `author.email != "a"` holds for messages without an author.
    let root = collection(ChatFixture.message, where: compare(author(User.email), .notEqual, text("a")))
    #expect(plan(query(root)).rowSets.isEmpty)
    let nullable = collection(ChatFixture.message, where: compare(author(User.email), .equal, parameter(0, .string)))
    #expect(plan(query(nullable, parameters: [declared("e", .string, isNonNull: false)])).rowSets.isEmpty)
    #expect(plan(query(nullable, parameters: [declared("e", .string)])).rowSets.count == 1)
  }

  @Test func chainOfRelations() {
    // Messages whose author said something else: author → messages.
    var inner = messages(where: compare(message(Message.text), .equal, text("hi")))
    inner.source = .relation(.toOne(.scope(0, ChatFixture.message), ChatFixture.author), ChatFixture.messages)
    let root = collection(ChatFixture.message, where: bool(.quantifier(.exists, SetID(1), nil)))
    let plan = plan(query(root, inner))
    #expect(plan.sets[0].access == .rowSet(0))
    #expect(plan.rowSets.map(\.routes) == [[[ChatFixture.author, ChatFixture.messages]]])
  }

  @Test func correlatedConditionIsTestedPerRow() {
    // some(messages, likes > ^.balance)
    let root = collection(
      ChatFixture.user, where: some(compare(message(Message.likes), .greater, user(User.balance, scope: 1))))
    let plan = plan(query(root, messages()))
    #expect(plan.rowSets.isEmpty)
    #expect(plan.sets[0].access == .scan)
  }

  @Test func whatCanFailIsTestedPerRow() {
    let quotient = BoundExpression(.arithmetic(.divide, int(1), message(Message.likes)), .float, at: nowhere)
    let failing = compare(quotient, .greater, BoundExpression(.constant(.float(0)), .float, at: nowhere))
    let root = collection(
      ChatFixture.user, where: some(all(compare(message(Message.text), .equal, text("hi")), failing)))
    let plan = plan(query(root, messages()))
    #expect(plan.sets[0].access == .scan)
    // The first part cannot fail, so its rows may be known beforehand; the division stays behind it.
    #expect(plan.rowSets.allSatisfy { $0.routes == [[]] })
    #expect(plan.sets[1].filter?.operands.last == failing)
  }

  @Test func limitedSetsAreNotTurnedAround() {
    var limited = messages()
    limited.limit = int(3)
    let root = collection(ChatFixture.user, where: some(compare(message(Message.text), .equal, text("hi"))))
    #expect(plan(query(root, limited)).rowSets.isEmpty)
  }

  @Test func disabledRuleLeavesTheQuantifier() {
    let root = collection(ChatFixture.user, where: some(compare(message(Message.text), .equal, text("hi"))))
    let plan = plan(query(root, messages()), options: PlannerOptions(disabledRules: [.pushQuantifier]))
    #expect(plan.query.sets[1].predicate == nil)
    // The semi-join takes the body as it is.
    #expect(plan.sets[0].access == .rowSet(0))
  }

  @Test func correlatedTypeInAnExpressionIsLookedUp() {
    // Country(where: area > ^.area … first(Country(where: numeric == ^.numeric))): the key sees one scope fewer.
    let fixture = ChatFixture()
    let inner = collection(
      ChatFixture.country, where: compare(country(Country.numeric), .equal, country(Country.numeric, scope: 1)))
    let root = collection(
      ChatFixture.country,
      where: bool(
        .compare(
          .equal, BoundExpression(.aggregate(.count, SetID(1), nil), .int, at: nowhere), int(2))))
    let plan = plan(query(root, inner), fixture)
    #expect(plan.sets[1].access == .lookup(Index.numeric, [country(Country.numeric)]))
    #expect(plan.sets[1].filter == nil)
    #expect(
      explain(plan, catalog: fixture.catalog, options: ExplainOptions(costs: false)).contains(
        "access   Hash Country.numeric == ^.numeric"))
  }

  @Test func countOfARangeHasNoFilter() {
    // count_idx
    let count = BoundExpression(.aggregate(.count, SetID(0), nil), .int, at: nowhere)
    let half = collection(ChatFixture.message, where: compare(message(Message.createdAt), .greater, time(500_000)))
    let plan = plan(computation(count, half))
    #expect(
      plan.sets[0].access
        == .range(Index.createdAt, IndexRange(lower: .init(time(500_000), isInclusive: false))))
    #expect(plan.sets[0].filter == nil)
  }

  @Test func childrenReachedOftenAreFilteredByASet() {
    // User { messages(where: text == "hi") }: a million texts to compare, or three rows to know.
    var bound = query(collection(ChatFixture.user), messages(where: compare(message(Message.text), .equal, text("hi"))))
    bound.selections.append(BoundSelection(set: SetID(1), shape: .value(message(Message.id))))
    bound.selections[0].shape = .object([
      BoundField(key: "messages", content: .many(SelectionID(1)), range: nowhere)
    ])
    #expect(
      explained(bound) == """
        User
        ├ access   FullScan
        └ messages batched to-many User.messages → Message
          └ filter   text == "hi"
            └ by set of Message
              └ access   Hash Message.text == "hi"
        """)
    // For one user, it does not pay.
    bound.sets[0].predicate = compare(user(User.id), .equal, id("7"))
    #expect(plan(bound).rowSets.isEmpty)
  }

  @Test func forcedScanUsesNothing() {
    let root = collection(
      ChatFixture.user, where: some(compare(message(Message.text), .equal, text("hi"))),
      orderBy: [ascending(user(User.age))], limit: int(3))
    let plan = plan(query(root, messages()), options: PlannerOptions(forcing: .scanOnly))
    #expect(plan.sets[0].access == .scan)
    #expect(plan.sets[0].order == .topN)
    #expect(plan.rowSets.isEmpty)
  }

  @Test func everySeedAndAlternativeIsValid() {
    let root = collection(
      ChatFixture.user,
      where: all(
        any(compare(user(User.age), .equal, int(30)), compare(user(User.email), .equal, text("a"))),
        some(compare(message(Message.text), .equal, text("hi"))), compare(user(User.status), .equal, status(0))),
      orderBy: [ascending(user(User.age))], limit: int(10))
    let fixture = ChatFixture()
    var seen: [SetPlan] = []
    for number in 0..<60 {
      for forcing in [ForcedAccess.perturbed(seed: UInt64(number)), .alternative(number % 30)] {
        let plan = plan(query(root, messages()), fixture, options: PlannerOptions(forcing: forcing))
        #expect(PlanValidator.problems(plan, catalog: fixture.catalog).isEmpty)
        var bare = plan.sets[0]
        bare.dropped = []
        bare.estimate = PlanEstimate()
        if !seen.contains(bare) { seen.append(bare) }
      }
    }
    #expect(seen.count > 5)
  }
}

import GQLBase
import GQLCatalog
import GQLPlanner
import GQLQuery
import GQLRewriter
import Testing

private typealias User = ChatFixture.User
private typealias Message = ChatFixture.Message

/// Rewrites, seen through the plan's query.
@Suite struct RewriteTests {
  private func check(
    _ predicate: BoundExpression, _ expected: String?, _ sets: [BoundSet] = [], disabled: Set<RewriteRule> = [],
    location: SourceLocation = #_sourceLocation
  ) {
    var bound = query(collection(ChatFixture.user, where: predicate))
    bound.sets += sets
    let fixture = ChatFixture()
    let plan = plan(bound, fixture, options: PlannerOptions(disabledRules: disabled))
    let actual = plan.query.sets[0].predicate.map { describe($0, in: plan.query, catalog: fixture.catalog) }
    #expect(actual == expected, sourceLocation: location)
  }

  private let rich = compare(user(User.balance), .greater, int(3))
  private let old = compare(user(User.age), .greaterOrEqual, int(60))
  private let roman = compare(user(User.city), .equal, text("Rome"))
  private var quotient: BoundExpression {
    let division = BoundExpression(.arithmetic(.divide, int(1), user(User.balance)), .float, at: nowhere)
    return compare(division, .greater, BoundExpression(.constant(.float(0)), .float, at: nowhere))
  }
  private let yes = bool(.constant(.boolean(true)))
  private let no = bool(.constant(.boolean(false)))
  private let null = BoundExpression(.constant(.null), .int, at: nowhere)

  /// Rewriting counts what it makes, and so does planning behind it.
  @Test func memory() {
    let fixture = ChatFixture()
    let terms: [BoundExpression] = (0..<4_000).map { number in
      bool(.or([compare(user(User.age), .equal, int(Int64(number))), all(rich, old)]))
    }
    let wide = query(collection(ChatFixture.user, where: bool(.and(terms))))
    let rewriting = PreparationMemory(limit: .max)
    let planning = PreparationMemory(limit: .max)
    func interruption(_ memory: PreparationMemory) -> Interruption {
      Interruption(deadline: .max, milliseconds: 0, cancellation: nil, memory: memory)
    }
    _ = Rewriter.rewrite(wide, disabled: [], interruption(rewriting))
    // Eleven nodes for each of the terms.
    #expect(rewriting.taken >= 4_000 * 8 * BoundExpression.bytesOfNode)
    var options = PlannerOptions()
    options.interruption = interruption(planning)
    _ = optimize(wide, catalog: fixture.catalog, statistics: fixture.statistics, options: options)
    #expect(planning.taken >= rewriting.taken + 4_000 * MemoryLayout<BoundExpression>.stride)
    options.interruption = Interruption(
      deadline: .max, milliseconds: 0, cancellation: nil, memory: PreparationMemory(limit: 1 << 20))
    let stopped = optimize(wide, catalog: fixture.catalog, statistics: fixture.statistics, options: options)
    #expect(stopped.diagnostics.map(\.code) == [DiagnosticCode("memory")])
  }

  /// What is left is as it was, and says that it is not to be used.
  @Test func interruptions() {
    let fixture = ChatFixture()
    let terms: [BoundExpression] = (0..<2_000).map { number in
      all(compare(user(User.age), .equal, int(Int64(number))), all(rich, old))
    }
    let wide = query(collection(ChatFixture.user, where: bool(.or(terms))))
    var options = PlannerOptions()
    options.interruption = Interruption(deadline: 0, milliseconds: 5, cancellation: nil)
    func planned() -> Analyzed<PhysicalPlan> {
      optimize(wide, catalog: fixture.catalog, statistics: fixture.statistics, options: options)
    }
    #expect(planned().diagnostics.map(\.code) == [DiagnosticCode("timeout")])
    func isNested(_ part: BoundExpression) -> Bool {
      guard case .and(let inner) = part.kind else { return false }
      for one in inner { if case .and = one.kind { return true } }
      return false
    }
    func nested(_ plan: PhysicalPlan) -> Int {
      guard case .or(let parts)? = plan.query.sets[0].predicate?.kind else { return 0 }
      return parts.filter(isNested).count
    }
    #expect(nested(planned().output) > 1_000)
    options.interruption = Interruption(deadline: .max, milliseconds: 0, cancellation: Cancellation())
    #expect(planned().diagnostics.isEmpty && nested(planned().output) == 0)
  }

  @Test func connectivesAreFlat() {
    check(all(all(rich, old), roman), "balance > 3 and age >= 60 and city == \"Rome\"")
    check(any(rich, any(old, roman)), "balance > 3 or age >= 60 or city == \"Rome\"")
    check(bool(.isTrue(rich)), "balance > 3")
    check(bool(.isTrue(rich)), "(balance > 3) == true", disabled: [.flatten])
  }

  @Test func negationGoesInside() {
    check(not(all(rich, roman)), "balance <= 3 or city != \"Rome\"")
    check(not(any(rich, not(roman))), "balance <= 3 and city == \"Rome\"")
    check(not(not(rich)), "balance > 3")
    check(not(rich), "not balance > 3", disabled: [.pushNot])
    // Nulls: `not (x is true)` is true for null, `not x` is not.
    check(not(bool(.isTrue(rich))), "not (balance > 3) == true")
    check(not(compare(user(User.age), .equal, null)), "age is not null")
  }

  @Test func constantsFold() {
    check(all(yes, rich), "balance > 3")
    check(any(no, rich), "balance > 3")
    check(all(rich, no), "false")
    // What always holds is no condition.
    check(any(rich, yes), nil)
    check(compare(int(1), .less, int(2)), nil)
    check(compare(user(User.age), .less, null), "null")
    check(bool(.inValues(user(User.age), [])), "false")
    // 9223372036854775807 + 1 is an error at run time, not here.
    let overflow = BoundExpression(.arithmetic(.add, int(.max), int(1)), .int, at: nowhere)
    check(compare(user(User.age), .less, overflow), "age < 9223372036854775807 + 1")
    let sum = BoundExpression(.arithmetic(.add, int(2), int(1)), .int, at: nowhere)
    check(compare(user(User.age), .less, sum), "age < 3")
  }

  @Test func errorsOfWhatStandsBeforeRemain() {
    check(all(quotient, no), "1 / balance > 0 and false")
    check(all(quotient, no, rich), "1 / balance > 0 and false")
    check(all(no, quotient), "false")
  }

  @Test func boundsMerge() {
    let upper = compare(user(User.age), .less, int(70))
    check(all(old, roman, upper), "age in 60..<70 and city == \"Rome\"")
    check(all(compare(user(User.age), .lessOrEqual, int(70)), old), "age in 60..70")
    check(all(old, upper), "age >= 60 and age < 70", disabled: [.mergeBounds])
    // Not past what can fail, and `>` has no closed form.
    check(all(old, quotient, upper), "age >= 60 and 1 / balance > 0 and age < 70")
    check(all(compare(user(User.age), .greater, int(3)), upper), "age > 3 and age < 70")
    // Under a negation null matters.
    check(bool(.not(bool(.isTrue(all(old, upper))))), "not (age in 60..<70) == true")
  }

  @Test func equalitiesMerge() {
    let paris = compare(text("Paris"), .equal, user(User.city))
    check(any(roman, paris), "city in [\"Rome\", \"Paris\"]")
    check(any(roman, rich, paris), "city in [\"Rome\", \"Paris\"] or balance > 3")
    check(any(roman, quotient, paris), "city == \"Rome\" or 1 / balance > 0 or \"Paris\" == city")
    check(any(roman, paris), "city == \"Rome\" or \"Paris\" == city", disabled: [.mergeEqualities])
  }

  @Test func quantifiersBecomeExistence() {
    let liked = compare(message(Message.likes), .greater, int(2))
    func call(_ quantifier: Quantifier) -> BoundExpression { bool(.quantifier(quantifier, SetID(1), liked)) }
    check(call(.some), "some(messages, likes > 2)", [messages()])
    check(call(.none), "not some(messages, likes > 2)", [messages()])
    // Null is not true, so an unknown is a counter-example.
    check(call(.every), "not some(messages, not (likes > 2) == true)", [messages()])
    check(call(.one), "one(messages, likes > 2)", [messages()])
    check(bool(.quantifier(.some, SetID(1), nil)), "exists(messages)", [messages()])
    var limited = messages()
    limited.limit = int(3)
    check(call(.some), "some(messages(limit: 3), likes > 2)", [limited])
    // Two places, one set: the predicate is not the set's.
    check(
      all(call(.some), bool(.quantifier(.exists, SetID(1), nil))), "some(messages, likes > 2) and exists(messages)",
      [messages()])
  }

  @Test func countsBecomeExistence() {
    let count = BoundExpression(.aggregate(.count, SetID(1), nil), .int, at: nowhere)
    check(compare(count, .greater, int(0)), "exists(messages)", [messages()])
    check(compare(int(1), .lessOrEqual, count), "exists(messages)", [messages()])
    check(compare(count, .equal, int(0)), "not exists(messages)", [messages()])
    check(compare(count, .greater, int(1)), "count(messages) > 1", [messages()])
    check(compare(count, .greater, int(0)), "count(messages) > 0", [messages()], disabled: [.countToExists])
  }

  @Test func printingKeepsMeaning() {
    let sum = BoundExpression(.arithmetic(.add, user(User.age), int(1)), .int, at: nowhere)
    let product = BoundExpression(.arithmetic(.multiply, sum, int(2)), .int, at: nowhere)
    check(compare(product, .less, parameter(0, .int)), "(age + 1) * 2 < $0")
    check(all(any(rich, old), roman), "(balance > 3 or age >= 60) and city == \"Rome\"")
    check(compare(user(User.status), .equal, status(2)), "status == BANNED")
    check(compare(user(User.city), .equal, text("a\"b\n")), "city == \"a\\\"b\\n\"")
    check(bool(.like(user(User.city), pattern: text("%x"), isCaseInsensitive: true)), "city ilike \"%x\"")
  }
}

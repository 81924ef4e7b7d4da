import Foundation
import GQLPlanner
import GQLQuery
import GQLite
import Testing

@testable import GQLModels
@testable import GQLiteModels

/// Equal queries have equal plans, whether they come from key paths or from text.
@Suite struct ExplainTests {
  enum Grade: String, CaseIterable, Codable { case low, middle, high }

  /// An index of each kind, and columns without one.
  @EntityModel
  struct Item {
    @Index<Self>(\.price) private var priceIndex
    @Index<Self>(\.shelf, \.place) private var placeIndex
    @HashIndex<Self>(\.kind) private var kindIndex
    @HashIndex<Self>(\.grade) private var gradeIndex
    @HashIndex<Self>(\.region, \.kind) private var regionIndex
    @Unique<Self>(\.code, collisions: .throw) private var uniqueCode
    @FullTextIndex<Self>(\.text) private var words

    let id: Int
    var code: String
    var kind: String
    var region: String
    var grade: Grade
    var shelf: Int
    var place: Int
    var price: Double
    var text: String
    var note: String?
    var isSold: Bool
    @Relationship(inverse: \.items) var owner: Owner?
    @Relationship(inverse: \.item) var parts: [Part]?
  }

  @EntityModel
  struct Owner {
    @Index<Self>(\.name) private var nameIndex

    let id: String
    var name: String
    var since: Date
    @Relationship(inverse: \.owner) var items: [Item]?
  }

  @EntityModel
  struct Part {
    let id: UUID
    var weight: Int
    @Relationship(inverse: \.parts) var item: Item?
  }

  private static let kinds = ["pen", "book", "lamp", "chair", "rope"]

  private static let context = Result {
    var context = try Context(for: Owner.self, User.self, Account.self)
    for number in 0..<300 {
      let owner = Owner(
        id: "o\(number % 20)", name: "Owner \(number % 20)", since: Date(timeIntervalSince1970: Double(number % 20)))
      var item = Item(
        id: number, code: "c\(number)", kind: kinds[number % 5], region: number % 3 == 0 ? "US" : "EU",
        grade: Grade.allCases[number % 3], shelf: number % 10, place: number, price: Double(number * 7 % 300),
        text: number % 50 == 0 ? "a rare find \(number)" : "an ordinary thing \(number)",
        note: number % 4 == 0 ? nil : "n\(number)", isSold: number % 2 == 0, owner: .relation(owner))
      if number % 6 == 0 { item.$parts = .relation([Part(id: UUID(), weight: number)]) }
      try item.save(to: &context)
    }
    for number in 0..<50 {
      try User(id: "\(number)", name: "Name \(number)", age: number % 40).save(to: &context)
      try Account(id: number, email: "e\(number)", login: "l\(number)", age: number).save(to: &context)
    }
    for number in 0..<10 {
      try Chat(
        id: "\(number)", users: .ids((0..<5).map { "\(number + $0)" }),
        messages: .relation([Message(id: "\(number)", text: "hello \(number)", author: .id("\(number)"))])
      ).save(to: &context)
    }
    return context
  }

  struct Pair: Sendable, CustomTestStringConvertible {
    let text: String
    let plan: @Sendable (Context, Bool) -> String
    let analyzed: @Sendable (Context) -> String
    /// The plan that runs, with values in the place of parameters.
    let running: @Sendable (Context) throws -> String
    var testDescription: String { text }

    init<Entity>(_ text: String, _ query: @escaping @Sendable () -> QueryList<Entity>) {
      self.text = text
      plan = { query().explain(in: $0, costs: $1) }
      analyzed = { query().explain(in: $0, analyze: true) }
      running = { try runningPlan(query(), in: $0) }
    }

    init<Entity>(one text: String, _ query: @escaping @Sendable () -> Query<Entity>) {
      self.text = text
      plan = { query().explain(in: $0, costs: $1) }
      analyzed = { query().explain(in: $0, analyze: true) }
      running = { try runningPlan(query().asList, in: $0) }
    }
  }

  private static func runningPlan<Entity>(_ list: QueryList<Entity>, in context: Context) throws -> String {
    let reading = try #require(try QueryReading<Entity>.of(context))
    _ = list.resolve(in: context)
    var builder = QueryTreeBuilder(list.nested, reading.schema)
    var tree = try reading.tree(of: list, &builder)
    try builder.nest(list.nested, reading, into: &tree)
    let values = builder.values.parameters.map { Optional($0.value) }
    let known = reading.schema.compiled.count(of: tree)
    #expect(known > 0, "it has run")
    let query = try reading.schema.compiled.query(tree, builder.values, values, given: 0, reading.snapshot)
    #expect(reading.schema.compiled.count(of: tree) == known, "nothing was planned anew")
    let plan = query.executable.plan
    var text = GQLPlanner.explain(plan, catalog: reading.snapshot.catalog, options: ExplainOptions(costs: false))
    for (number, parameter) in builder.values.parameters.enumerated().reversed() {
      let value = BoundExpression(.constant(parameter.value), parameter.type, at: plan.query.sets[0].range)
      text.replace("$p\(number)", with: describe(value, in: plan.query, catalog: reading.snapshot.catalog))
    }
    return text
  }

  private static func item(_ rest: String) -> String { "{ ExplainTests_Item\(rest) { id } }" }

  static let equality: [Pair] = [
    Pair(item("")) { Item.query() },
    Pair(item("(where: kind == \"pen\")")) { Item.filter(\.kind == "pen") },
    Pair(item("(where: kind != \"pen\")")) { Item.filter(\.kind != "pen") },
    Pair(item("(where: code == \"c7\")")) { Item.filter(\.code == "c7") },
    Pair(item("(where: id == 7)")) { Item.filter(\.id == 7) },
    Pair(item("(where: grade == high)")) { Item.filter(\.grade == .high) },
    Pair(item("(where: grade != low)")) { Item.filter(\.grade != .low) },
    Pair(item("(where: isSold == true)")) { Item.filter(\.isSold == true) },
    Pair(item("(where: note == null)")) { Item.filter(\.note == nil) },
    Pair(item("(where: note != null)")) { Item.filter(\.note != nil) },
    Pair(item("(where: note == \"n7\")")) { Item.filter(\.note == "n7") },
    Pair(item("(where: region == \"US\" and kind == \"pen\")")) { Item.filter(\.region == "US" && \.kind == "pen") },
    Pair(item("(where: kind == \"pen\" and region == \"US\" and price > 3.0)")) {
      Item.filter(\.kind == "pen").filter(\.region == "US").filter(\.price > 3)
    },
    Pair("{ Account(where: email == \"e7\") { id } }") { Account.filter(\.email == "e7") },
    Pair("{ Account(where: nick == null) { id } }") { Account.filter(\.nick == nil) },
    Pair("{ User(where: name == \"Name 7\") { id } }") { User.filter(\.name == "Name 7") },
  ]

  /// `#Predicate`s are terms of the planner, so the indexes that serve text serve them.
  static let predicates: [Pair] = [
    Pair(one: item("(where: kind == \"pen\")")) { Item.include(#Predicate { $0.kind == "pen" }) },
    Pair(one: item("(where: code == \"c7\")")) { Item.include(#Predicate { $0.code == "c7" }) },
    Pair(one: item("(where: id == 7)")) { Item.include(#Predicate { $0.id == 7 }) },
    Pair(one: item("(where: price > 290.0)")) { Item.include(#Predicate { $0.price > 290 }) },
    Pair(one: item("(where: price >= 10.0 and price < 20.0)")) {
      Item.include(#Predicate { $0.price >= 10 && $0.price < 20 })
    },
    Pair(one: item("(where: shelf == 3 and place > 200)")) {
      Item.include(#Predicate { $0.shelf == 3 && $0.place > 200 })
    },
    Pair(one: item("(where: region == \"US\" and kind == \"pen\")")) {
      Item.include(#Predicate { $0.region == "US" }).include(#Predicate { $0.kind == "pen" })
    },
    Pair(one: item("(where: kind == \"pen\" or price > 290.0)")) {
      Item.include(#Predicate { $0.kind == "pen" || $0.price > 290 })
    },
    Pair(one: item("(where: grade == high)")) {
      let grade = Grade.high
      return Item.include(#Predicate { $0.grade == grade })
    },
    Pair(one: item("(where: grade != low)")) {
      let grade = Grade.low
      return Item.include(#Predicate { $0.grade != grade })
    },
    Pair(one: item("(where: grade in [low, high])")) {
      // Most of them: no index is as quick as looking at all.
      let grades = [Grade.low, .high]
      return Item.include(#Predicate { grades.contains($0.grade) })
    },
    Pair(one: item("(where: code in [\"c1\", \"c2\", \"c3\"])")) {
      let codes = ["c1", "c2", "c3"]
      return Item.include(#Predicate { codes.contains($0.code) })
    },
    Pair(one: item("(where: note in [\"n1\", \"n2\"])")) {
      let notes: [String?] = ["n1", "n2"]
      return Item.include(#Predicate { notes.contains($0.note) })
    },
    Pair(one: item("(where: text contains \"rare\")")) { Item.include(#Predicate { $0.text.contains("rare") }) },
    Pair(one: item("(where: text startsWith \"a r\")")) { Item.include(#Predicate { $0.text.starts(with: "a r") }) },
    Pair(one: item("(where: note == null)")) { Item.include(#Predicate { $0.note == nil }) },
  ]

  static let ranges: [Pair] = [
    Pair(item("(where: price > 290.0)")) { Item.filter(\.price > 290) },
    Pair(item("(where: price >= 290.0)")) { Item.filter(\.price >= 290) },
    Pair(item("(where: price < 4.0)")) { Item.filter(\.price < 4) },
    Pair(item("(where: price <= 4.0)")) { Item.filter(\.price <= 4) },
    Pair(item("(where: price >= 10.0 and price < 20.0)")) { Item.filter(\.price >= 10).filter(\.price < 20) },
    Pair(item("(where: price >= 10.0 and price < 20.0)")) { Item.filter(\.price >= 10 && \.price < 20) },
    Pair(item("(where: price > 2.0)")) { Item.filter(\.price > 2) },
    Pair(item("(where: shelf == 3 and place > 200)")) { Item.filter(\.shelf == 3 && \.place > 200) },
    Pair(item("(where: place > 200)")) { Item.filter(\.place > 200) },
    Pair("{ User(where: age > 18) { id } }") { User.filter(\.age > 18) },
    Pair("{ Account(where: age > 45 and age < 48) { id } }") { Account.filter(\.age > 45).and(\.age < 48) },
    Pair("{ ExplainTests_Owner(where: name >= \"Owner 5\") { id } }") { Owner.filter(\.name >= "Owner 5") },
  ]

  static let groups: [Pair] = [
    Pair(item("(where: kind == \"pen\" or kind == \"book\")")) {
      Item.filter(\.kind == "pen").or(.filter(\.kind == "book"))
    },
    Pair(item("(where: kind == \"pen\" or price > 290.0)")) { Item.filter(\.kind == "pen" || \.price > 290) },
    Pair(item("(where: kind == \"pen\" or isSold == true)")) {
      Item.filter(\.kind == "pen").or(.filter(\.isSold == true))
    },
    Pair(item("(where: kind == \"pen\" or kind == \"book\" or price > 290.0 and shelf <= 4)")) {
      Item.filter(\.kind == "pen").or(.filter(\.kind == "book")).or(.filter(\.price > 290).and(\.shelf <= 4))
    },
    Pair(item("(where: (kind == \"pen\" or kind == \"book\") and price > 290.0)")) {
      Item.filter(\.kind == "pen").or(.filter(\.kind == "book")).and(\.price > 290)
    },
    Pair(item("(where: price > 18.0 and isSold == true and kind == \"pen\")")) {
      Item.filter(\.price > 18).and(\.isSold == true).and(Item.filter(\.kind == "pen"))
    },
    Pair(item("(where: not (kind == \"pen\"))")) { Item.filter(!(\.kind == "pen")) },
    Pair(item("(where: not (price > 10.0) and kind == \"pen\")")) { Item.filter(!(\.price > 10)).and(\.kind == "pen") },
  ]

  static let texts: [Pair] = [
    Pair(item("(where: text contains \"rare\")")) {
      Item.filter(.string(\.text, contains: "rare", caseSensitive: true))
    },
    Pair(item("(where: collate(text, CI) contains \"RARE\")")) { Item.filter(.string(\.text, contains: "RARE")) },
    Pair(item("(where: text startsWith \"a r\")")) {
      Item.filter(.string(\.text, hasPrefix: "a r", caseSensitive: true))
    },
    Pair(item("(where: collate(text, CI) startsWith \"A\")")) { Item.filter(.string(\.text, hasPrefix: "A")) },
    Pair(item("(where: collate(text, CI) endsWith \"50\")")) { Item.filter(.string(\.text, hasSuffix: "50")) },
    Pair(item("(where: not (collate(text, CI) endsWith \"50\"))")) {
      Item.filter(.string(\.text, notHavingSuffix: "50"))
    },
    Pair(item("(where: collate(code, CI) contains \"7\" or collate(kind, CI) contains \"7\")")) {
      Item.filter(.string(\.code, \.kind, contains: "7"))
    },
    Pair(item("(where: text matches \"rare OR rare~\", orderBy: -_score)")) {
      Item.filter(.string(\.text, matches: "rare"))
    },
    Pair(item("(where: text matches \"rare OR rare~\" and isSold == true, orderBy: price)")) {
      Item.filter(.string(\.text, matches: "rare")).and(\.isSold == true).sorted(by: \.price)
    },
    Pair("{ User(where: collate(profile, CI) contains \"x\") { id } }") {
      User.filter(.string(\.profile, contains: "x"))
    },
  ]

  static let orders: [Pair] = [
    Pair(item("(orderBy: price)")) { Item.query().sorted(by: \.price) },
    Pair(item("(orderBy: -price)")) { Item.query().sorted(by: \.price.desc) },
    Pair(item("(orderBy: price, limit: 5)")) { Item.query().sorted(by: \.price).limit(5) },
    Pair(item("(orderBy: -price, limit: 5)")) { Item.query().sorted(by: \.price.desc).limit(5) },
    Pair(item("(orderBy: price, limit: 5, offset: 10)")) { Item.query().sorted(by: \.price).limit(5, offset: 10) },
    Pair(item("(orderBy: [shelf, place], limit: 5)")) { Item.query().sorted(by: \.shelf, \.place).limit(5) },
    Pair(item("(orderBy: shelf, limit: 5)")) { Item.query().sorted(by: \.shelf).limit(5) },
    Pair(item("(orderBy: [shelf, price], limit: 5)")) { Item.query().sorted(by: \.shelf, \.price).limit(5) },
    Pair(item("(orderBy: [-price, kind], limit: 5)")) { Item.query().sorted(by: \.price.desc, \.kind).limit(5) },
    Pair(item("(orderBy: kind)")) { Item.query().sorted(by: \.kind) },
    Pair(item("(limit: 10)")) { Item.query().limit(10) },
    Pair(item("(where: price > 290.0, orderBy: -price, limit: 3)")) {
      Item.filter(\.price > 290).sorted(by: \.price.desc).limit(3)
    },
    Pair(item("(where: kind == \"pen\", orderBy: price, limit: 3)")) {
      Item.filter(\.kind == "pen").sorted(by: \.price).limit(3)
    },
    Pair(item("(orderBy: -_updatedAt, limit: 3)")) { Item.query().sorted(by: .updatedAt.desc).limit(3) },
    Pair("{ User(where: age > 18, orderBy: name) { id } }") { User.filter(\.age > 18).sorted(by: \.name) },
    Pair("{ User(orderBy: age, limit: 1) { id } }") { User.query().sorted(by: \.age).limit(1) },
  ]

  static let relations: [Pair] = [
    Pair(one: "{ explainTests_Item(id: 7) { id } }") { Item.query(7) },
    Pair(one: "{ user(id: \"7\") { id } }") { User.query("7") },
    Pair(one: "{ user(id: \"7\") { chats { id } } }") { User.query("7").with(\.$chats) },
    Pair(one: "{ user(id: \"7\") { chats { messages { author { id } } users { id } } } }") {
      User.query("7").with(\.$chats) { $0.with(\.$messages) { $0.with(\.$author) }.with(\.$users) }
    },
    Pair("{ user(id: \"7\") { chats { id } } }") { User.query("7").related(\.$chats) },
    Pair("{ User(where: age > 18) { chats { id } } }") { User.filter(\.age > 18).with(\.$chats) },
    Pair("{ User(where: age > 18) { chats { id } } }") { User.filter(\.age > 18).related(\.$chats).flatten() },
    Pair("{ user(id: \"7\") { chats(where: id > \"5\", limit: 2) { users { id } } } }") {
      User.query("7").related(\.$chats).filter(\.id > "5").limit(2).with(\.$users)
    },
    Pair(
      "{ ExplainTests_Owner(where: name == \"Owner 5\") { items(where: price > 100.0, orderBy: -price, limit: 3) { id } } }"
    ) {
      Owner.filter(\.name == "Owner 5").with(\.$items) {
        $0.filter(\.price > 100).sorted(by: \.price.desc).limit(3)
      }
    },
    Pair("{ ExplainTests_Owner { items(where: kind == \"pen\") { parts(orderBy: weight) { id } } } }") {
      Owner.query().with(\.$items) { $0.filter(\.kind == "pen").with(\.$parts) { $0.sorted(by: \.weight) } }
    },
    Pair(item("(where: price > 290.0)").replacing("{ id }", with: "{ owner { id } parts { id } }")) {
      Item.filter(\.price > 290).with(\.$owner).id(\.$parts)
    },
    Pair(item("(where: price > 290.0)").replacing("{ id }", with: "{ owner { items { id } } }")) {
      Item.filter(\.price > 290).fragment(\.$owner) { $0.with(\.$items) }
    },
    Pair("{ Chat(limit: 2) { users { id } messages { id } admins { id } } }") { Chat.query().limit(2).with(.ids) },
    Pair("{ Deleted_User(where: age > 18) { id } }") { Deleted<User>.query().filter(\.entity.age > 18) },
  ]

  static var pairs: [Pair] {
    // Key paths of deleted entities lead through a property that no column knows.
    equality + predicates + ranges + groups + texts + orders + relations.dropLast()
  }

  @Test(arguments: pairs) func plansAreEqual(_ pair: Pair) throws {
    let context = try Self.context.get()
    let query = try Database(context).prepare(pair.text)
    for costs in [false, true] {
      let plan = pair.plan(context, costs)
      let text = try query.explain(costs: costs)
      #expect(plan == text, "\(plan)\n\(text)")
      #expect(!plan.isEmpty)
    }
  }

  /// What is explained is what runs: the plan that is kept for the query's shape, with its values.
  @Test(arguments: pairs) func thePlanRuns(_ pair: Pair) throws {
    let context = try Self.context.get()
    let (plan, running) = (pair.plan(context, false), try pair.running(context))
    #expect(plan == running, "\(plan)\n\(running)")
  }

  /// What is measured of a query is what is measured of the same text, but for the times.
  @Test(arguments: pairs) func actualsAreEqual(_ pair: Pair) throws {
    let context = try Self.context.get()
    func untimed(_ text: String) -> String { text.replacing(#/  [0-9.]+ (?:ns|µs|ms)/#, with: "") }
    let plan = untimed(pair.analyzed(context))
    let text = untimed(try Database(context).prepare(pair.text).explain(analyze: true))
    #expect(plan == text, "\(plan)\n\(text)")
  }

  /// How often operators run, and with how many rows, worked out from the items.
  @Test func actuals() throws {
    let context = try Self.context.get()
    func lines(_ query: some RefinableQuery<Owner>) -> [String] {
      query.explain(in: context, costs: false, analyze: true).split(separator: "\n").map(String.init)
    }
    // Each of 20 owners has 15 items, which are of one kind, so that 4 have pens: numbers 0, 5, 10 and 15.
    let nested = lines(Owner.query().with(\.$items) { $0.filter(\.kind == "pen").with(\.$parts) })
    #expect(nested[0].contains("actual 20 → 20 rows  "), "\(nested)")
    let items = try #require(nested.first { $0.contains(" items") })
    #expect(items.contains("300 → 60 rows in 20 sets"), "\(items)")
    // Every sixth item has a part.
    let parts = try #require(nested.first { $0.contains(" parts") })
    #expect(parts.contains("10 rows in 60 sets"), "\(parts)")
    #expect(nested.allSatisfy { !$0.contains("actual") || $0.contains(#/ (?:ns|µs|ms)/#) })
    // What is done in Swift is counted by its operator, and nothing else is read.
    let swift = lines(Owner.filter(#Predicate { $0.name.count == 7 }))
    #expect(swift.contains { $0.contains("in Swift: filter by") && $0.contains("actual 20 → 10 rows") }, "\(swift)")
    #expect(lines(Owner.query()) != lines(Owner.query().limit(3)))
    #expect(lines(Owner.query("o1").related(\.$items).related(\.$owner)).contains { $0.contains("actual") })
    // Without measuring nothing is shown of it, and a query that fails says why.
    #expect(!Owner.query().explain(in: Database(context)).contains("actual"))
    let failing = Item.filter(#Predicate { 100 / ($0.shelf - $0.shelf) == 1 }).explain(in: context, analyze: true)
    #expect(failing.contains("division by zero"), "\(failing)")
    #expect(Owner.query().explain(in: Context(), analyze: true) == "nothing: the context does not know Owner\n")
  }

  @Test func thereAreManyPairs() { #expect(Self.pairs.count >= 70) }

  /// The document's example.
  @Test func anIndexServes() throws {
    let plan = Item.filter(\.price > 290).explain(in: try Self.context.get(), costs: false)
    #expect(plan.contains("access") && plan.contains("price (290, ∞)"), "\(plan)")
    let rows = User.filter(\.age > 38).explain(in: try Self.context.get())
    #expect(rows.contains("rows  cost"))
  }

  /// Which index serves a predicate, and what is left to do in Swift, in the predicate's words.
  @Test func indexesServePredicates() throws {
    let context = try Self.context.get()
    func lines(_ query: Query<Item>) -> [String] {
      query.explain(in: context, costs: false).split(separator: "\n").map { $0.drop { " ├└│".contains($0) } }
        .map(String.init)
    }
    let grade = Grade.high
    let grades = [Grade.high]
    let codes = ["c7", "c9"]
    for (query, access) in [
      (Item.include(#Predicate { $0.kind == "pen" }), "access   Hash ExplainTests_Item.kind == \"pen\""),
      (Item.include(#Predicate { $0.code == "c7" }), "access   Unique ExplainTests_Item.code == \"c7\""),
      (Item.include(#Predicate { $0.id == 7 }), "access   Primary ExplainTests_Item.id == 7"),
      (Item.include(#Predicate { $0.price > 290 }), "access   BTreeRange ExplainTests_Item.price (290, ∞)"),
      (Item.include(#Predicate { $0.grade == grade }), "access   Hash ExplainTests_Item.grade == high"),
      (Item.include(#Predicate { grades.contains($0.grade) }), "access   Hash ExplainTests_Item.grade == high"),
      (
        Item.include(#Predicate { codes.contains($0.code) }), #"access   Unique ExplainTests_Item.code in ["c7", "c9"]"#
      ),
    ] {
      #expect(lines(query).contains { $0.hasPrefix(access) }, "\(lines(query)) has no '\(access)'")
      #expect(!lines(query).contains { $0.hasPrefix("in Swift") })
      // The rest is looked at behind the index.
      let both = query.include(#Predicate { $0.text.localizedStandardContains("RARE") })
      #expect(lines(both).contains { $0.hasPrefix(access) })
      #expect(lines(both).contains(#"in Swift: filter by $0.text.localizedStandardContains("RARE")"#))
    }
    let two = Item.exclude(#Predicate { $0.text.count > 3 }).include(
      #Predicate { $0.text.localizedStandardContains("a\nb") })
    #expect(
      lines(two).last
        == #"in Swift: filter by !($0.text.count > 3) and $0.text.localizedStandardContains("a\nb")"#)
    let mixed = Item.include(#Predicate { $0.text.count > 3 })._list.filter(.string(\.text, matches: /x/))
    #expect(mixed.explain(in: context).contains("in Swift: filter by $0.text.count > 3 and 1 condition\n"))
  }

  /// Enums of the schema in predicates mean what they mean in Swift.
  @Test func enumsInPredicates() throws {
    let context = try Self.context.get()
    let (low, high) = (Grade.low, Grade.high)
    let both: Set<Grade> = [.low, .high]
    // Numbers 0, 3, … are low, 2, 5, … are high, 100 of each.
    #expect(try Item.include(#Predicate { $0.grade == high }).count(in: context) == 100)
    #expect(try Item.include(#Predicate { high != $0.grade }).count(in: context) == 200)
    #expect(try Item.exclude(#Predicate { $0.grade == high }).count(in: context) == 200)
    #expect(try Item.include(#Predicate { both.contains($0.grade) }).count(in: context) == 200)
    #expect(try Item.include(#Predicate { ($0.isSold ? $0.grade : low) == low }).count(in: context) == 200)
    // Owners have the items of their number and twenty further, a third of them each: all have one of each grade.
    #expect(try Owner.include(#Predicate { $0.items?.contains { $0.grade == high } ?? false }).count(in: context) == 20)
    let grades = try Item.query().values(\.id, \.grade, in: context).map { $0.1 }
    #expect(grades.prefix(4) == [.low, .middle, .high, .low])
    let part = Part.include(#Predicate { $0.item?.grade == low })
    // Parts are those of every sixth item, all of them low.
    #expect(try part.count(in: context) == 50)
  }

  /// What columns cannot tell is said.
  @Test func residues() throws {
    let context = try Self.context.get()
    let scan = Item.filter(\.text.count > 20).filter(\.price > 290).sorted(by: \.text.count).limit(3, offset: 1)
    let plan = scan.explain(in: context, costs: false)
    // The plan of `ExplainTests_Item(where: price > 290.0)`, and over it what Swift does, where it does it.
    #expect(
      plan == """
        ExplainTests_Item
        ├ access   BTreeRange ExplainTests_Item.price (290, ∞)
        ├ in Swift: filter by 1 condition
        ├ in Swift: sort by 1 key
        └ order    natural, stop after 3, skipping 1
        dropped: FullScan

        """)
    let text = try Database(context).prepare("{ ExplainTests_Item(where: price > 290.0) { id } }").explain(costs: false)
    let lines = text.split(separator: "\n").map { $0.replacing("└", with: "├") }
    #expect(lines.allSatisfy { plan.contains($0) }, "\(text)")
    let nested = Owner.query().with(\.$items) { $0.filter(\.text.count > 20) }.explain(in: context, costs: false)
    #expect(nested.hasSuffix("→ ExplainTests_Item\n  └ in Swift: filter by 1 condition\n"), "\(nested)")
    // A condition behind a slice, other sources, and what is put together.
    let stages = Item.query().sorted(by: \.price).limit(3).filter(\.price > 0).explain(in: context, costs: false)
    #expect(
      stages == """
        ExplainTests_Item
        ├ access   BTreeWalk ExplainTests_Item.price
        ├ order    from index, stop after 3
        └ filter   price > 0
        dropped: FullScan

        """)
    let ids = Item.query([1, 2]).filter(\.price > 0).explain(in: context, costs: false)
    #expect(
      ids == """
        ExplainTests_Item
        ├ access   Primary ExplainTests_Item.id each of [1, 2]
        └ filter   price > 0

        """)
    let either = Item.query([1]).or(Item.filter(\.price > 290)).explain(in: context, costs: false)
    #expect(
      either == """
        ExplainTests_Item
        ├ any of   by key explainTests_Item(id: 1)
        │ └ access   Primary ExplainTests_Item.id == 1
        └ any of   of ExplainTests_Item
          └ access   BTreeRange ExplainTests_Item.price (290, ∞)

        """)
    let once = Item.query().distinct().explain(in: context, costs: false)
    #expect(once == "ExplainTests_Item\n├ access   FullScan\n└ distinct each once\n")
    let last = Item.query().last().explain(in: context, costs: false)
    #expect(last == "ExplainTests_Item\n├ access   FullScan\n└ order    the last one\n")
    #expect(Item.query().explain(in: Context()) == "nothing: the context does not know Item\n")
    let bulk = User.query("1").with(.schemaEntities).explain(in: context)
    // What all users get is found beside them.
    #expect(bulk.hasPrefix("user: User") && bulk.split(separator: "\n").filter { $0.hasPrefix("Chat") }.count == 2)
  }
}

import GQLBase
import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLStore

/// The query that is run for a typed query, as people read it: with values, and the words of what is done in Swift.
private struct ReadableQuery {
  let query: BoundQuery
  let snapshot: Snapshot
  /// Indicates whether further relations are asked of the entities that there are.
  let isCut: Bool
  /// Indicates whether Swift could compute the numbers that the planner fails with.
  let canReckonInSwift: Bool
  private let hosts: [AnyHostStage]

  init<Entity>(_ list: QueryList<Entity>, _ reading: QueryReading<Entity>, reckonsInSwift: Bool = false) throws {
    var builder = QueryTreeBuilder(list.nested, reading.schema, reckonsInSwift: reckonsInSwift)
    var tree = try reading.tree(of: list, &builder)
    try builder.nest(list.nested, reading, into: &tree)
    snapshot = reading.snapshot
    query = QueryLowering.lower(tree, builder.values, snapshot.catalog, hasValues: true).query
    isCut = tree.hasOpen
    canReckonInSwift = builder.canReckonInSwift && !reckonsInSwift
    hosts = builder.values.hosts.map(\.stage)
  }

  func plan(costs: Bool, analyze: Bool) throws -> String {
    let plan = optimize(
      query, catalog: snapshot.catalog, statistics: snapshot, parameters: [],
      sampler: PredicateSampler(snapshot: snapshot, parameters: [])
    ).output
    let options = ExplainOptions(costs: costs, analyzed: analyze ? try actuals(of: plan) : nil)
    let text = GQLPlanner.explain(plan, catalog: snapshot.catalog, options: options)
    return isCut ? "\(text)and further relations, which are not shown\n" : text
  }

  /// Runs a plan, and returns what was measured of it.
  private func actuals(of plan: PhysicalPlan) throws -> [SetActuals] {
    let hosts = QueryHosts(hosts)
    do throws(RuntimeProblem) {
      return try Executable(plan, catalog: snapshot.catalog).analyzeLevels(snapshot, parameters: [], host: hosts)
    } catch {
      throw QueryHosts.problem(error, hosts, snapshot)
    }
  }

  /// The query as text would ask it.
  var request: String {
    func text(_ fields: [BoundField]) -> String {
      fields.map { field in
        guard let id = field.content.selection else { return field.key }
        return printer.set(query[query[id].set]) + below(id)
      }.joined(separator: " ")
    }
    func below(_ id: SelectionID) -> String {
      guard case .object(let inner) = query[id].shape, !inner.isEmpty else { return "" }
      return " { \(text(inner)) }"
    }
    guard let answer = query.fields.first?.content.selection else { return "" }
    var lines = lines(of: query[answer].set)
    lines[0] += below(answer)
    return lines.joined(separator: "\n")
  }

  private var printer: ExpressionPrinter { ExpressionPrinter(query: query, catalog: snapshot.catalog) }

  /// A set as people read it: what is over another set, and what is done in Swift, stands below.
  private func lines(of id: SetID) -> [String] {
    var set = query[id]
    var hosts: [Int] = []
    set.predicate = .conjunction(
      (set.predicate?.conjuncts ?? []).filter { conjunct in
        guard case .host(_, let number) = conjunct.kind else { return true }
        hosts.append(number)
        return false
      })
    func of(_ word: String, _ sets: [SetID]) -> [String] { [word] + sets.flatMap { lines(of: $0) }.map { "  \($0)" } }
    var below: [String]
    switch set.source {
    case .members(.all, let sets): below = sets.flatMap { lines(of: $0) }
    case .members(.sorted(let number), let sets): (below, hosts) = (sets.flatMap { lines(of: $0) }, [number] + hosts)
    case .members(.common, let sets): below = of("both of", sets)
    case .members(.once, let sets): below = of("each once of", sets)
    case .members(.last, let sets): below = of("the last of", sets)
    case .union(let sets): below = of("any of", sets)
    case .keys(let index, let list):
      var count = 0
      if case .list(let keys)? = list.constant { count = keys.count }
      let type = snapshot.catalog[set.type]
      let key = type[snapshot.catalog[index].columns[0]].name
      below = ["\(type.name): \(count) ids, each by \(type.name).\(key)"]
    default: return [printer.set(set)] + hosts.map { "in Swift: \(printer.hostWords($0))" }
    }
    below += hosts.map { "in Swift: \(printer.hostWords($0))" }
    set.source = .all
    if set.predicate != nil || !set.order.isEmpty || set.limit != nil { below.append("then \(printer.set(set))") }
    return below
  }
}

extension BoundField.Content {
  fileprivate var selection: SelectionID? {
    switch self {
    case .one(let id), .many(let id): id
    default: nil
    }
  }
}

extension QueryTree {
  /// Indicates whether some of what is nested is left to other runs.
  fileprivate var hasOpen: Bool {
    isOpen
      || nested.contains { branch in
        switch branch {
        case .none, .empty: false
        case .targets(_, let tree), .all(let tree): tree.hasOpen
        }
      }
  }
}

extension RefinableQuery {
  /// Explains how the query is answered: the plan that runs, which is that of the same query as text. What is done in
  /// Swift, because columns cannot tell, stands in its place in the plan.
  ///
  /// ```swift
  /// print(User.filter(\.age >= 18).explain(in: database, analyze: true))
  /// ```
  /// - Parameters:
  ///   - costs: Whether estimates and costs are shown; without them the text is the same for like data.
  ///   - analyze: Whether to run the query and show of each operator how often it ran, the rows and the time. No entity
  ///     is read but for what is done in Swift.
  public func explain(in store: some EntityStore, costs: Bool = true, analyze: Bool = false) -> String {
    guard let reading = QueryReading<Entity>(store.entities) else {
      return "nothing: the context does not know \(Entity.self)\n"
    }
    do {
      let query = try ReadableQuery(asked, reading)
      do { return try query.plan(costs: costs, analyze: analyze) } catch ModelError.failedQuery
        where query.canReckonInSwift
      {
        return try ReadableQuery(asked, reading, reckonsInSwift: true).plan(costs: costs, analyze: analyze)
      }
    } catch {
      return "\(error)\n"
    }
  }

  /// Writes the query as text would ask it: `User(where: age > 18, limit: 3)`. What columns cannot tell is in words.
  public var description: String {
    guard let context = try? Context(for: Entity.self), let reading = QueryReading<Entity>(context) else {
      return "\(Entity.self)"
    }
    do { return try ReadableQuery(asked, reading).request } catch { return "\(error)" }
  }
}

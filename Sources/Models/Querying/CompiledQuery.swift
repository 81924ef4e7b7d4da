import GQLBase
import GQLCatalog
import GQLExecutor
import GQLPlanner
import GQLQuery
import GQLStore

/// A typed query made ready to run: one plan for all of it, and where its answer lies.
final class CompiledQuery: Sendable {
  let executable: Executable
  let place: AnswerPlace
  /// The schemas that the query names beside its own, which live as long as it is known.
  private let schemas: [ModelSchema]

  init(_ executable: Executable, _ place: AnswerPlace, _ schemas: [ModelSchema]) {
    self.executable = executable
    self.place = place
    self.schemas = schemas
  }
}

/// The plans of a schema's queries, by what they depend on.
final class CompiledQueries: Sendable {
  /// Databases of the same types share them, so that there may be some for other statistics.
  private let shelves = Guarded<[QueryTree: PlanShelf<CompiledQuery>]>([:])
  private static let kept = 512

  func query(
    _ tree: QueryTree, _ values: QueryValues, _ parameters: [Value?], given: Int, _ snapshot: Snapshot
  ) throws(RuntimeProblem) -> CompiledQuery {
    let givenRows = Double(max(given, 1))
    func estimates(_ query: CompiledQuery) -> [Double] {
      accessEstimates(query.executable.plan, parameters: parameters, statistics: snapshot)
    }
    let shelf = shelves.withLock { $0[tree] }
    if let known = shelf?.plan(generation: snapshot.generation, givenRows: givenRows, estimates) { return known }
    let (bound, place) = QueryLowering.lower(tree, values, snapshot.catalog)
    let plan = optimize(
      bound, catalog: snapshot.catalog, statistics: snapshot, parameters: parameters,
      sampler: PredicateSampler(snapshot: snapshot, parameters: bound.parameters),
      options: PlannerOptions(givenRows: givenRows)
    ).output
    let query = CompiledQuery(try Executable(plan, catalog: snapshot.catalog), place, values.otherSchemas)
    let fit = PlanFit(
      generation: snapshot.generation, estimates: plan.isParameterSensitive ? estimates(query) : [],
      givenRows: givenRows)
    return shelves.withLock { shelves in
      if shelves[tree] == nil, shelves.count >= Self.kept { shelves.removeAll() }
      return shelves[tree, default: PlanShelf()].add(fit) {
        $0.executable.plan.isSameWay(as: plan)
      } _: { _ in
        query
      }
    }
  }

  /// How many plans of a query are kept.
  func count(of tree: QueryTree) -> Int { shelves.withLock { $0[tree]?.count ?? 0 } }
}

/// Where the rows of a level lie among the selections of a plan.
struct AnswerPlace: Sendable {
  enum Branch: Sendable {
    case none
    /// No parent has any.
    case empty
    case level(AnswerPlace)
    /// All parents have all.
    case all(AnswerPlace)
  }
  let selection: SelectionID
  var branches: [Branch] = []
  /// Indicates whether what comes with the rows is left to another run.
  var isOpen = false

  /// The rows of the level, and of all below it. Nested, it has a list for each of the rows above, at the root one.
  func rows(isNested: Bool = false, _ levels: (SelectionID) -> LevelRows) -> FoundRows {
    let level = levels(selection)
    var found = FoundRows(Array(level.rows))
    if isNested { found.ends = level.offsets.dropFirst().map { Int($0) } }
    if isOpen { return found }
    found.nested = branches.map { branch in
      switch branch {
      case .none: nil
      case .empty: FoundRows([], ends: Array(repeating: 0, count: found.rows.count))
      case .level(let place): place.rows(isNested: true, levels)
      case .all(let place): place.rows(levels)
      }
    }
    return found
  }
}

extension QueryReading {
  /// The rows that a query gives, without what comes with them.
  func rows(_ list: QueryList<Entity>) throws -> [UInt32] { try found(list, []).rows }

  /// The rows that a query gives, with what comes with them.
  func found(_ list: QueryList<Entity>, _ footprint: QueryFootprint? = nil) throws -> FoundRows {
    try found(list, list.nested, footprint)
  }

  private func found(
    _ list: QueryList<Entity>, _ nested: [NestedQuery<Entity>], _ footprint: QueryFootprint? = nil
  ) throws -> FoundRows {
    try run(nested, given: [], footprint: footprint) { builder in try tree(of: list, &builder) }
  }

  /// Finds what comes with the entities of rows: the targets of the relations that are wanted. A shallow search leaves
  /// the relations of these targets to another run.
  func found(_ rows: [UInt32], _ nested: [NestedQuery<Entity>], isShallow: Bool = false) throws -> FoundRows {
    if rows.isEmpty || nested.isEmpty { return FoundRows(rows, nested: nested.map { _ in nil }) }
    return try run(nested, given: rows, isShallow: isShallow) { builder in builder.tree(of: self, .given) }
  }

  /// Runs a query. Where numbers of it become infinite or none, which are errors for the planner, Swift reckons on with
  /// them: then it runs again.
  private func run(
    _ nested: [NestedQuery<Entity>], given: [UInt32], isShallow: Bool = false, footprint: QueryFootprint? = nil,
    _ make: (inout QueryTreeBuilder) throws -> QueryTree
  ) throws -> FoundRows {
    var builder = QueryTreeBuilder(nested, schema, isShallow: isShallow)
    do {
      return try run(nested, given: given, footprint, &builder, make)
    } catch ModelError.failedQuery where builder.canReckonInSwift {
      builder = QueryTreeBuilder(nested, schema, isShallow: isShallow, reckonsInSwift: true)
      return try run(nested, given: given, footprint, &builder, make)
    }
  }

  private func run(
    _ nested: [NestedQuery<Entity>], given: [UInt32], _ footprint: QueryFootprint?, _ builder: inout QueryTreeBuilder,
    _ make: (inout QueryTreeBuilder) throws -> QueryTree
  ) throws -> FoundRows {
    var tree = try make(&builder)
    try builder.nest(nested, self, into: &tree)
    let values = builder.values
    let parameters = values.parameters.map { Optional($0.value) }
    let hosts = values.hosts.isEmpty ? nil : QueryHosts(values.hosts.map(\.stage))
    defer { hosts?.noteAsked() }
    var result = FoundRows([])
    do throws(RuntimeProblem) {
      let query = try schema.compiled.query(tree, values, parameters, given: given.count, snapshot)
      try given.withUnsafeBufferPointer { (given) throws(RuntimeProblem) in
        try query.executable.findLevels(snapshot, parameters: parameters, given: given, host: hosts) { levels in
          result = query.place.rows(levels)
          if hosts == nil, given.isEmpty { footprint?.note(query.executable.plan, parameters, snapshot, levels) }
        }
      }
    } catch {
      throw QueryHosts.problem(error, hosts, snapshot)
    }
    return result
  }
}

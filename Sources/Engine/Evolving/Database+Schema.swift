import GQLBase
import GQLBinder
import GQLCatalog
import GQLExecutor
import GQLParser
import GQLStore
import GQLWriting

extension Database {
  /// Tells what ``changeSchema(to:name:allowingLoss:options:)`` would do, and does nothing.
  ///
  /// Complexity: that of the change.
  ///
  /// - Throws: ``QueryError`` with every problem of the schema; with the code `number-conflict` where a number that it gives
  ///   belongs to something else in the file, which may be gone.
  public func schemaChange(
    to schema: String, name: String = "schema.graphql", options: RunOptions = RunOptions()
  ) throws(QueryError) -> SchemaChange {
    let evolution = try SchemaEvolution(current, to: SourceText(name: name, text: schema), limits: limits, options)
    if let committer {
      try alone(committer) { () throws(QueryError) in try committer.storage.checkSchema(of: evolution.snapshot) }
    }
    return try evolution.change.adding(branchTable.effects(of: self, movedTo: evolution.snapshot))
  }

  /// Puts the data under another schema. Types, fields and enum values are the same where their names are. One
  /// that is renamed says so, `name: String! @was(name: "title")`. A type or field may have a number instead,
  /// `@number(value: 7)`.
  ///
  /// Values are carried over where the new type has them, new fields get their defaults, indexes are built; entities
  /// keep their order, their times and, where the key stays, what refers to them, and deleted ones can still be restored.
  /// All of it takes effect or nothing. The schema that is there already changes nothing, and makes no version.
  /// Queries that run meanwhile, and views, go on with the schema that they began
  /// with; prepared queries are checked again at their next run, which fails where what they name is gone.
  ///
  /// ```swift
  /// let change = try database.changeSchema(to: "type User { id: ID! name: String! active: Boolean = true }")
  /// print(change)
  /// ```
  /// - Parameter allowingLoss: whether to make a change that loses data. What the new schema does not allow, such as
  ///   one e-mail address of two users where it is `@unique`, is refused in any case.
  /// - Throws: ``QueryError`` with every problem of the schema; with the code `data-loss` for each thing that would be
  ///   lost, and `data-conflict` for what the new schema does not allow.
  @discardableResult
  public func changeSchema(
    to schema: String, name: String = "schema.graphql", allowingLoss: Bool = false, options: RunOptions = RunOptions()
  ) throws(QueryError) -> SchemaChange {
    let source = SourceText(name: name, text: schema)
    do {
      return try exclusively {
        let evolution = try SchemaEvolution(current, to: source, limits: limits, options)
        if let refusal = evolution.refusal(allowingLoss: allowingLoss) { throw refusal }
        // What is there already makes no version, and ends nothing that could be undone.
        if printSchema(evolution.snapshot.catalog) == self.schema {
          state.withLock { $0.schemaWarnings = evolution.warnings }
          return evolution.change
        }
        try publish(evolution.snapshot, warnings: evolution.warnings, allowingLoss: allowingLoss)
        return evolution.change
      }
    } catch let error as QueryError {
      throw error
    } catch {
      throw QueryError(code: "command-failed", "\(error)")
    }
  }
}

extension Catalog {
  /// Returns the names that the types and columns have in the catalog before; nil for those that are new.
  package func formerNames(in old: Catalog) -> [(type: String?, columns: [String?])] {
    CatalogRenaming(from: old, to: self).formerNames()
  }

  /// Returns the catalog with the roots for deleted entities, which no schema writes, that the catalog before has for
  /// types that are still there; nil where there are none.
  func withDeletedRoots(of old: Catalog) -> Catalog? {
    let roots = old.rootNames.filter(\.isDeleted)
    if roots.isEmpty { return nil }
    let renamed = CatalogRenaming(from: old, to: self).catalog
    var result = self
    var taken = Set(rootNames.map(\.name) + types.flatMap { [$0.rootOne, $0.rootMany] })
    for root in roots {
      guard let type = type(named: renamed[root.type].name), !type.isAbstract, !type.isElement else { continue }
      let name = root.name == "Deleted_\(old[root.type].name)" ? "Deleted_\(type.name)" : root.name
      guard taken.insert(name).inserted else { continue }
      result.rootNames.append(RootName(name: name, type: type.id, isList: true, isDeleted: true))
    }
    if result.rootNames.count == rootNames.count { return nil }
    result.version = Catalog.nextVersion()
    return result
  }
}

/// One change of a schema: the data under the new one, and what it means.
struct SchemaEvolution {
  let snapshot: Snapshot
  private(set) var change: SchemaChange
  let warnings: QueryError?
  private let source: SourceText
  private let places: SchemaPlaces
  private let mapping: CatalogMapping

  init(_ old: Snapshot, to source: SourceText, limits: QueryLimits, _ options: RunOptions) throws(QueryError) {
    var (catalog, warnings) = try Database.catalog(of: [source], limits: limits)
    catalog.functions = old.catalog.functions
    catalog = catalog.withDeletedRoots(of: old.catalog) ?? catalog
    if let now = options.now { catalog.moment = now }
    try self.init(old, to: catalog, in: source, warnings, limits: limits, options)
    // Contexts, branches and earlier versions have no history of their own.
    change.losses += HistoryLosses(from: old, to: catalog, mapping).effects
  }

  /// - Parameters:
  ///   - source: The text of the schema; without bytes where nobody has written one.
  ///   - interruption: What ends the work, beside the options.
  init(
    _ old: Snapshot, to catalog: Catalog, in source: SourceText, _ warnings: QueryError? = nil, limits: QueryLimits,
    _ options: RunOptions, _ interruption: Interruption? = nil
  ) throws(QueryError) {
    self.source = source
    self.warnings = warnings
    places = SchemaPlaces(parse(source, limits: limits.parserOfSchema).output)
    let comparison = CatalogComparison(from: old.catalog, to: catalog)
    if let contradiction = Self.contradiction(comparison.problems, places, source) { throw contradiction }
    var allowed = options.limits ?? limits
    if let timeout = options.timeout { allowed.time = timeout }
    if let maximumMemory = options.maximumMemory { allowed.memory = maximumMemory }
    let runLimits = allowed.run
    let now = catalog.moment ?? options.now ?? WallClock.now
    let pool = CellPool()
    let mapping = comparison.mapping
    self.mapping = mapping
    let allowance = WorkAllowance(maximumMemory: runLimits.maximumMemory) {
      options.cancellation?.isCancelled ?? false || interruption?.isDue ?? false
        || runLimits.deadline != .max && MonotonicClock.now > runLimits.deadline
    }
    func failure(_ kind: RuntimeProblem.Kind) -> QueryError {
      QueryError([RuntimeProblem(kind, at: SourceRange(at: 0)).diagnostic(snapshot: old)], in: source)
    }
    func stopped() -> QueryError {
      let isCancelled = options.cancellation?.isCancelled ?? false
      return failure(isCancelled ? .cancelled : .timeout(milliseconds: runLimits.milliseconds))
    }
    let evolved: (snapshot: Snapshot, report: EvolutionReport)
    do throws(EvolutionFailure) {
      evolved = try old.evolved(
        to: catalog, mapping, fold: foldText,
        filler: { Self.filler($0, $1, mapping, catalog, now: now, pool) }, allowance)
    } catch {
      switch error {
      case .stopped: throw stopped()
      case .memory: throw failure(.memory(limit: runLimits.maximumMemory))
      case .refused(let problem):
        let transaction = WriteTransaction(Snapshot.empty(catalog))
        let message = StoreMessages.describe(problem, catalog: catalog, transaction: transaction)
        throw QueryError(code: .tooLarge, message, file: source.name)
      }
    }
    snapshot = evolved.snapshot
    let effects = SchemaEffects(from: old, to: snapshot, mapping, evolved.report, allowance)
    if allowance.excess != nil { throw stopped() }
    change = SchemaChange(
      differences: comparison.differences.map { SchemaChange.Difference($0) }, losses: effects.losses,
      conflicts: effects.conflicts)
  }

  /// Why names and numbers of the new schema cannot be those of the old one; nil if they can.
  private static func contradiction(
    _ problems: [RenameProblem], _ places: SchemaPlaces, _ source: SourceText
  ) -> QueryError? {
    if problems.isEmpty { return nil }
    return QueryError(
      problems.map { problem in
        let code: EvolutionProblem
        let value: Expression.Kind
        switch problem.kind {
        case .isStillThere(let name):
          code = .renameConflict
          value = .string(StringLiteral(value: name, isBlock: false, range: SourceRange(at: 0)))
        case .numberIsTaken(let number, _), .nameIsTaken(let number, _), .numberIsOther(let number, _):
          code = .numberConflict
          value = .int("\(number)")
        }
        let place = places.place(of: problem.directive, saying: value, on: problem.path)
        return Diagnostic(
          code.code, problem.message, at: place ?? SourceRange(at: 0), help: problem.help)
      }, in: source)
  }

  /// What rows without a value get.
  private static func filler(
    _ type: EntityTypeID, _ column: ColumnID, _ mapping: CatalogMapping, _ catalog: Catalog, now: Int64,
    _ pool: CellPool
  ) -> Cell? {
    let descriptor = catalog[type][column]
    switch mapping.columns[Int(type.index)][Int(column.index)]?.fill {
    case nil: return nil
    case .value(let value)?: return pool.cell(value, descriptor.type)
    case .now?: return Cell(descriptor.type.scalar == .date ? CivilTime.date(ofDateTime: now) : now)
    }
  }

  /// Why the change is not made; nil if it may be.
  func refusal(allowingLoss: Bool) -> QueryError? {
    var problems: [(problem: EvolutionProblem, effect: SchemaChange.Effect)] = []
    if !allowingLoss { problems = change.losses.map { (.dataLoss, $0) } }
    problems += change.conflicts.map { (.dataConflict, $0) }
    if problems.isEmpty { return nil }
    let nowhere = SourceText(name: source.name, bytes: [])
    return QueryError(
      problems.map { problem, effect in
        let place = places.place(of: effect.name)
        let diagnostic = Diagnostic(
          problem.code, effect.message, at: place ?? SourceRange(at: 0),
          help: effect.help ?? "the change is made where the loss is allowed")
        return (place == nil ? nowhere : source, [diagnostic])
      })
  }
}

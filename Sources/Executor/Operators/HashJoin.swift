import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The rows under a key in a table that is made once a run, of the type's rows or of those of a set's source.
final class HashJoin: AccessOperator, @unchecked Sendable {
  /// Computes the key that the table holds each row under.
  private let buildProgram: ExpressionProgram
  private let buildTypes: [ValueType]
  private let source: AccessOperator?
  private let scalars: ScalarSources
  private let slot: Int

  init(
    build: [BoundExpression], keys: [BoundExpression], of source: AccessOperator?, _ type: EntityTypeID,
    _ compiler: inout PlanCompiler
  ) {
    buildProgram = compiler.program(build)
    buildTypes = build.map(\.type)
    scalars = ScalarSources(keys, compiler)
    self.source = source
    slot = compiler.stateSlot()
    super.init(type)
  }

  override var keySlot: Int { slot }
  // Of a set whose rows are in the table, or of all live ones.
  override var findsLiveRowsOnly: Bool { source?.findsLiveRowsOnly ?? true }
  override var meetsDeleted: Bool { source?.meetsDeleted ?? false }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let table = try table(set, state, execution)
    let found = table.find(scalars, try scalars.vectors(outer, execution), 0, execution)
    if let start = found.start { rows.append(start, found.count) }
    return true
  }

  /// Returns the table of all rows, made when it is first needed.
  private func table(_ set: CompiledSet, _ state: SetState, _ execution: Execution) throws(RuntimeProblem) -> JoinTable
  {
    let keyed = keyed(execution)
    let table = keyed.joinTable ?? JoinTable(buildTypes)
    keyed.joinTable = table
    if table.run == execution.run { return table }
    var rows = RowBuffer()
    if let source {
      // It depends on nothing around the set.
      let isAscending = try source.gather(set, state, .root, execution, into: &rows)
      if !isAscending, !source.isLinkOrdered { execution.sortUnique(&rows, from: 0, set, state) }
    } else {
      execution.appendLive(type, from: 0, limit: Int.max, into: &rows)
    }
    try table.build(buildProgram, rows, execution)
    execution.note(set, accessRows: rows.count)
    return table
  }

  override func keyRuns(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> UnsafeMutablePointer<KeyRun> {
    let keyed = keyed(execution)
    let table = try table(set, state, execution)
    let runs = keyed.runs.room(for: KeyRun.self, count: scopes.count)
    keyed.rows.removeAll()
    let vectors = try scalars.vectors(scopes, execution)
    for element in 0..<scopes.count { runs[element] = table.find(scalars, vectors, element, execution) }
    return runs
  }

  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    guard set.isKeyed else { return false }
    try countRuns(set, state, scopes, execution, into: counts)
    return true
  }
}

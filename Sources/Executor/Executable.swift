import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// A plan made ready to run: expressions compiled, keys escaped. Immutable; any number of threads may run it.
///
/// Unchecked because its parts are addresses that it owns; the only state that changes is atomic.
package final class Executable: @unchecked Sendable {
  package let plan: PhysicalPlan
  package let catalog: Catalog

  let sets: ContiguousArray<CompiledSet>
  let selections: ContiguousArray<CompiledSelection>
  /// The answer's object.
  let root: CompiledSelection
  let introspections: [CompiledIntrospection]
  let rowSets: [CompiledRowSet]
  let readers: [PlanCompiler.ColumnAddress]
  let enums: ContiguousArray<EnumNames>
  let parameterKinds: [ColumnKind]
  /// How many operators have a state in each execution.
  let stateCount: Int
  /// Conditions of fields, over parameters; nil if there are none.
  private let conditions: ScalarSources?
  private let constants = CellPool()
  private let block = ByteBlock()
  /// Executions, and writers with theirs, that wait for the next run.
  private let idle = IdlePair<Execution>()
  private let idleWriters = IdlePair<ResponseWriter>()

  /// By number in `plan.watched`; nil if one of them cannot be reckoned from cells.
  private let probes: [AccessProbe]

  /// Whether `_inserted` is asked for.
  let asksInserted: Bool

  var conditionCount: Int { conditions?.count ?? 0 }

  /// Throws if the interruption ends it. Complexity: O(plan), some microseconds.
  package init(
    _ plan: PhysicalPlan, catalog: Catalog, interruption: Interruption? = nil
  ) throws(RuntimeProblem) {
    self.plan = plan
    self.catalog = catalog
    let query = plan.query
    var compiler = PlanCompiler(plan, catalog, constants, interruption: interruption)
    var sets: ContiguousArray<CompiledSet> = []
    sets.reserveCapacity(query.sets.count)
    for index in query.sets.indices {
      try compiler.checkInterruption()
      sets.append(CompiledSet(index, &compiler))
    }
    self.sets = sets
    rowSets = plan.rowSets.map { CompiledRowSet($0, &compiler) }
    var output = OutputCompiler(block: block, selections: query.selections.count)
    var selections: [CompiledSelection] = []
    // Children have higher numbers than their parents.
    for index in query.selections.indices.reversed() {
      try compiler.checkInterruption()
      let bound = query.selections[index]
      let type = query[bound.set].type
      var fields: [BoundField]?
      var value: BoundExpression?
      switch bound.shape {
      case .object(let list): fields = list
      case .value(let expression): value = expression
      case .groups(let grouping): fields = grouping.fields
      }
      let selection = CompiledSelection(
        set: bound.set.index, fields: fields, value: value, type: type, recursion: bound.recursion, &compiler,
        &output)
      output.usedScopes[index] = selection.usedScopes
      if case .groups(let bound) = bound.shape {
        let grouping = CompiledGrouping(bound, index, type: type, fieldScopes: selection.usedScopes, &compiler)
        selection.grouping = grouping
        output.usedScopes[index] = grouping.usedAround + 1
      }
      selections.append(selection)
    }
    self.selections = ContiguousArray(selections.reversed())
    root = CompiledSelection(set: -1, fields: query.fields, value: nil, type: nil, &compiler, &output)
    // The fields of a selection that were still to be made may be missing.
    try compiler.checkInterruption()
    conditions = output.conditions.isEmpty ? nil : ScalarSources(output.conditions, compiler)
    introspections = output.introspections.map { CompiledIntrospection($0, compiler) }
    probes = plan.watched.map { AccessProbe($0, &compiler) }
    stateCount = compiler.stateCount
    readers = compiler.readers
    enums = ContiguousArray(output.enums)
    parameterKinds = query.parameters.map { ColumnKind($0.signature.type) }
    for index in 0..<root.operationCount where root.operations[index].kind == .one {
      let selection = self.selections[Int(root.operations[index].index)]
      selection.point = PointLookup(selection, sets[selection.set])
    }
    asksInserted = query.asksInserted
    try compiler.checkInterruption()
  }

  /// Appends the answer, one compact JSON object. If it throws, the output is as it was.
  ///
  /// `parameters` are coerced to their types; nil where not provided (defaults already applied).
  package func run(
    _ snapshot: Snapshot, parameters: [Value?], limits: RunLimits, cancellation: Cancellation?,
    into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    let writer = takeWriter(snapshot)
    writer.execution.limits = limits
    writer.execution.cancellation = cancellation
    defer { give(writer) }
    try run(writer, snapshot, parameters, into: &output)
  }

  /// Appends the answer, as ``run(_:parameters:limits:cancellation:into:)``. Returns the rows that it was written of.
  ///
  /// - Parameters:
  ///   - given: The members of sets of that source, which outlive the call.
  ///   - keepsList: Keeps all rows of the first selection.
  package func trace(
    _ snapshot: Snapshot, parameters: [Value?],
    given: UnsafeBufferPointer<UInt32> = UnsafeBufferPointer(start: nil, count: 0), keepsList: Bool = false,
    limits: RunLimits, into output: inout ByteBuffer
  ) throws(RuntimeProblem) -> LevelTrace {
    let trace = LevelTrace(selections: selections.count, keepsList: keepsList)
    let writer = takeWriter(snapshot)
    writer.execution.limits = limits
    writer.execution.cancellation = nil
    writer.execution.given = given
    writer.trace = trace
    defer {
      writer.trace = nil
      writer.execution.given = UnsafeBufferPointer(start: nil, count: 0)
      give(writer)
    }
    try run(writer, snapshot, parameters, into: &output)
    return trace
  }

  /// A writer for ``run(_:on:into:)``, with limits that hold for all its runs.
  package func makeWriter(_ snapshot: Snapshot, limits: RunLimits) -> ResponseWriter {
    let writer = ResponseWriter(self, snapshot)
    writer.execution.limits = limits
    return writer
  }

  /// Appends the answer, as ``run(_:parameters:limits:cancellation:into:)``, by a writer of this executable whose run has
  /// its parameters already. The caller ends the run, which owns the snapshot until then.
  package func run(
    _ writer: ResponseWriter, on snapshot: consuming Snapshot, into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    let start = output.count
    writer.execution.begin(snapshot, self)
    do {
      try write(writer, into: &output)
    } catch {
      output.truncate(to: start)
      throw error
    }
  }

  /// Whether the parameters of the execution let one expect about as many rows as `estimates` says: what
  /// `accessEstimates` gave for the parameters that the plan was made for.
  package func suits(_ execution: Execution, on snapshot: Snapshot, _ estimates: [ClosedRange<Double>]) -> Bool {
    guard probes.count == estimates.count else { return false }
    execution.begin(snapshot, self)
    for index in 0..<probes.count where !isAlike(probes[index].estimate(execution), estimates[index]) { return false }
    return true
  }

  /// Runs and measures each set; the answer is discarded.
  package func analyze(
    _ snapshot: Snapshot, parameters: [Value?], limits: RunLimits = .none
  ) throws(RuntimeProblem) -> [SetActuals] {
    let writer = makeWriter(snapshot, limits: limits)
    writer.execution.actuals = Array(repeating: SetActuals(), count: sets.count)
    var output = ByteBuffer(capacity: 4096)
    try run(writer, snapshot, parameters, into: &output)
    return writer.execution.actuals ?? []
  }

  /// As ``run(_:parameters:limits:cancellation:into:)``, with the rows that sets of the source `.given` consist of.
  ///
  /// `inserted` are those for which `_inserted` is true. The snapshot must have all of them.
  package func run(
    _ snapshot: Snapshot, _ context: MutationContext, given: UnsafeBufferPointer<UInt32>, of type: EntityTypeID,
    inserted: [UInt32], into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    let writer = takeWriter(snapshot)
    let execution = writer.execution
    execution.limits = context.limits
    execution.cancellation = context.cancellation
    execution.given = given
    if asksInserted {
      execution.input.inserted.clear(rows: snapshot.slotCount(type))
      for row in inserted { execution.input.inserted.insert(row) }
    }
    defer {
      execution.given = UnsafeBufferPointer(start: nil, count: 0)
      give(writer)
    }
    context.bind(execution, self)
    try run(writer, on: snapshot, into: &output)
  }

  private func run(
    _ writer: ResponseWriter, _ snapshot: Snapshot, _ parameters: [Value?], into output: inout ByteBuffer
  ) throws(RuntimeProblem) {
    writer.execution.bind(parameters, self)
    try run(writer, on: snapshot, into: &output)
  }

  private func write(_ writer: ResponseWriter, into output: inout ByteBuffer) throws(RuntimeProblem) {
    let start = output.count
    let execution = writer.execution
    writer.begin(at: start)
    if let conditions {
      let vectors = try conditions.vectors(.root, execution)
      for index in 0..<conditions.count {
        writer.conditions[index] = conditions.cell(index, vectors, 0, execution)?.low == 1
      }
    }
    try writer.writeRoot(self, into: &output)
    try execution.checkStop()
    try writer.checkBytes(output.count)
    assert(isJSON(output, from: start), "an answer is no JSON text")
  }

  /// Whether what was appended to the output is one JSON value; a check of debug builds.
  private func isJSON(_ output: borrowing ByteBuffer, from start: Int) -> Bool {
    output.withUnsafeBytes { bytes in
      var scanner = JSONScanner(UnsafeRawBufferPointer(rebasing: bytes[start...]))
      do throws(JSONScanner.Failure) {
        try scanner.skipValue()
        try scanner.finish()
        return true
      } catch {
        // An answer may be deeper than what is read.
        return error.problem == .tooDeep
      }
    }
  }

  // MARK: - Executions at rest

  func take(_ snapshot: Snapshot) -> Execution { idle.take() ?? Execution(self, snapshot) }

  func takeWriter(_ snapshot: Snapshot) -> ResponseWriter {
    idleWriters.take() ?? ResponseWriter(self, snapshot)
  }

  func give(_ writer: ResponseWriter) {
    writer.execution.end()
    if writer.execution.isWorthKeeping { _ = idleWriters.put(writer) }
  }

  func give(_ execution: Execution) {
    execution.end()
    if execution.isWorthKeeping { _ = idle.put(execution) }
  }
}

extension BoundQuery {
  /// Whether a field holds `_inserted`.
  fileprivate var asksInserted: Bool {
    func asks(_ fields: [BoundField]) -> Bool {
      // By their places, because each element of a loop is a copy.
      fields.indices.contains { place in
        switch fields[place].content {
        case .value(let expression):
          if expression.isLeaf { return if case .isInserted = expression.kind { true } else { false } }
          var found = false
          expression.forEachNode { if case .isInserted = $0.kind { found = true } }
          return found
        case .embedded(_, let inner), .inlined(_, let inner): return asks(inner)
        case .typename, .one, .many, .recursion, .depth, .cycle, .cursor, .introspection: return false
        }
      }
    }
    return selections.indices.contains { place in
      if case .object(let fields) = selections[place].shape { asks(fields) } else { false }
    }
  }
}

import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// The numbered values of a mutation's query made ready: expressions over parameters, or over the rows of a set.
/// Immutable; any number of threads may use it.
package final class ValueProgram: Sendable {
  package let executable: Executable
  /// Values over parameters; nil where they belong to rows.
  private let sources: ScalarSources?
  /// Values of rows; nil if there are none.
  private let program: ExpressionProgram?
  /// The rows' only one, where a unique key finds it; nil where they are found in another way.
  private let point: PointLookup?
  /// Owns the memory of constants.
  private let pool = CellPool()

  /// `executable` is made from a plan whose query has the values as fields: of the answer's object, or of the object of
  /// its first selection. What was made when `interruption` was due is not to be used.
  package init(_ executable: Executable, interruption: Interruption? = nil) {
    self.executable = executable
    let query = executable.plan.query
    let compiler = PlanCompiler(executable.plan, executable.catalog, pool, interruption: interruption)
    var expressions: [BoundExpression] = []
    if let selection = query.selections.first, case .object(let fields) = selection.shape,
      case .many? = query.fields.first?.content
    {
      for field in fields { if case .value(let expression) = field.content { expressions.append(expression) } }
      sources = nil
      program = expressions.isEmpty ? nil : compiler.program(expressions)
      // Null equals null, and an index has no nulls.
      let isFoundByKey = executable.sets.count == 1 && (executable.sets[0].access as? KeyLookup)?.keysAreNonNull == true
      point = isFoundByKey ? PointLookup(executable.sets[0]) : nil
      return
    }
    for field in query.fields { if case .value(let expression) = field.content { expressions.append(expression) } }
    sources = expressions.isEmpty ? nil : ScalarSources(expressions, compiler)
    program = nil
    point = nil
  }

  /// Starts a use of the values; ``end(_:)`` ends it. What cells point to lives until then.
  func begin(_ context: MutationContext, on snapshot: consuming Snapshot) -> Execution {
    let execution = executable.take(snapshot)
    execution.limits = context.limits
    execution.cancellation = context.cancellation
    execution.begin(snapshot, executable)
    context.bind(execution, executable)
    return execution
  }

  /// Indicates whether a transaction has all that it looks at: without sets it looks at nothing, and a row by its key is
  /// found there too.
  var needsNoVersion: Bool { executable.sets.isEmpty || point != nil && program == nil }

  /// Indicates whether there are neither values nor sets.
  var isEmpty: Bool { sources == nil && program == nil && executable.sets.isEmpty }

  func end(_ execution: Execution) {
    execution.given = UnsafeBufferPointer(start: nil, count: 0)
    executable.give(execution)
  }

  /// The values over parameters.
  func constants(_ execution: Execution) throws(RuntimeProblem) -> InputValues {
    guard let sources else { return InputValues(execution: execution, areOfRows: false) }
    return InputValues(
      sources: sources, vectors: try sources.vectors(.root, execution), execution: execution, areOfRows: false)
  }

  /// The rows of the first set, in list order.
  ///
  /// - Parameter transaction: Nothing was written to it since the execution's version.
  func rows(
    _ execution: Execution, in transaction: WriteTransaction, into expansion: inout Expansion
  ) throws(RuntimeProblem) {
    if let point {
      expansion.removeAll()
      expansion.offsets.append(0)
      if let row = point.find(execution, in: transaction) {
        try execution.visit(1)
        expansion.rows.append(row)
      }
      expansion.offsets.append(UInt32(expansion.rows.count))
    } else {
      try execution.expand(SetID(0), .root, into: &expansion)
    }
    try execution.checkStop()
  }

  /// Whether what ``values(_:_:_:)`` computes may go with its batch.
  var releasesScratch: Bool { program?.releasesScratch ?? false }

  /// The values of up to ``ScopeRows/batchRows`` rows; valid until the next call.
  func values(_ rows: UnsafePointer<UInt32>, _ count: Int, _ execution: Execution) throws(RuntimeProblem) -> InputValues
  {
    guard let program else { return InputValues(execution: execution, areOfRows: true) }
    return InputValues(
      vectors: try program.evaluate(rows, count, execution), execution: execution, areOfRows: true)
  }
}

/// Values by number: of the operation, or of each row of a batch.
struct InputValues {
  private let sources: ScalarSources?
  private let vectors: UnsafePointer<Vector>?
  let execution: Execution
  /// Indicates whether the values are the rows' and gone with the next batch.
  let areOfRows: Bool

  init(
    sources: ScalarSources? = nil, vectors: UnsafePointer<Vector>? = nil, execution: Execution, areOfRows: Bool
  ) {
    self.sources = sources
    self.vectors = vectors
    self.execution = execution
    self.areOfRows = areOfRows
  }

  /// Nil for null.
  @inline(__always)
  func cell(_ number: Int, _ position: Int) -> Cell? {
    if let sources { return sources.cell(number, vectors, 0, execution) }
    guard let vectors else { return nil }
    let vector = vectors[number]
    let place = vector.isConstant ? 0 : position
    return vector.isNull(place) ? nil : vector.cell(place)
  }

  func isTrue(_ number: Int) -> Bool { cell(number, 0)?.low == 1 }
}

/// What one operation's mutation fields have in common. A class, because whatever is staged looks at it.
///
/// Unchecked because one run at a time has it.
package final class MutationContext: @unchecked Sendable {
  /// Holds the values of the parameters; none where they are ``cells``.
  package let parameters: [Value?]
  /// Holds their cells where no field needs a value.
  private let cells: OperationParameters?
  package let limits: RunLimits
  package let cancellation: Cancellation?
  @exclusivity(unchecked) private var instant: Int64
  /// Microseconds since 1970: what `@default(value: now())` gives. Computed, because other modules have the runtime check
  /// each access to what is stored.
  package var now: Int64 {
    get { instant }
    set { instant = newValue }
  }
  /// Tells whether a variable of a name was given; nil where nothing hangs on that, or ``cells`` tell it.
  private let isGiven: (@Sendable (String) -> Bool)?
  /// Of all parameters; empty where nothing hangs on which are given.
  package let parameterNames: [String]

  package init(
    parameters: [Value?], cells: OperationParameters? = nil, limits: RunLimits = .none,
    cancellation: Cancellation? = nil, now: Int64,
    parameterNames: [String] = [], isGiven: (@Sendable (String) -> Bool)? = nil
  ) {
    self.parameters = parameters
    self.cells = cells
    self.limits = limits
    self.cancellation = cancellation
    instant = now
    self.isGiven = isGiven
    self.parameterNames = parameterNames
  }

  /// Gives an execution the operation's parameters.
  func bind(_ execution: Execution, _ executable: Executable) {
    if let cells { cells.bind(execution) } else { execution.bind(parameters, executable) }
  }

  /// Whether a parameter was given a value, be it null.
  func isProvided(_ parameter: Int) -> Bool {
    guard parameterNames.indices.contains(parameter) else { return true }
    return cells?.isGiven(parameter) ?? isProvided(parameterNames[parameter])
  }

  /// Returns the number of the value that a cell gets; nil for one that is left as it is, because it hangs on a variable
  /// that is not given and has no other value.
  @inline(__always)
  func value(of cell: BoundCell) -> Int? {
    if let unless = cell.unless, !isProvided(unless) { return cell.otherwise }
    return cell.value
  }

  /// Returns whether a variable was given a value, be it null.
  func isProvided(_ variable: String) -> Bool {
    guard let cells else { return isGiven?(variable) ?? false }
    return parameterNames.firstIndex(of: variable).map { cells.isGiven($0) } ?? false
  }
}

extension ValueProgram {
  /// The only value over parameters, of an integer or an instant; nil for null.
  package func integer(_ context: MutationContext, on snapshot: Snapshot) throws(RuntimeProblem) -> Int64? {
    let execution = begin(context, on: snapshot)
    defer { end(execution) }
    return try constants(execution).cell(0, 0)?.int
  }

  /// The values over parameters, each as JSON.
  package func json(_ context: MutationContext, on snapshot: Snapshot) throws(RuntimeProblem) -> [Text] {
    let execution = begin(context, on: snapshot)
    defer { end(execution) }
    let values = try constants(execution)
    var texts: [Text] = []
    for (number, field) in executable.plan.query.fields.enumerated() {
      guard case .value(let expression) = field.content else { continue }
      var buffer = ByteBuffer(capacity: 64)
      if let cell = values.cell(number, 0) {
        write(cell, type: expression.type, catalog: executable.catalog, into: &buffer)
      } else {
        buffer.append("null")
      }
      texts.append(buffer.withUnsafeBytes { Text($0) })
    }
    return texts
  }
}

extension Snapshot {
  /// The entity with an id, given as text or a number.
  package func row(of type: EntityTypeID, id: JSONValue) -> UInt32? {
    let entity = catalog[type]
    guard !entity.indexes.isEmpty, catalog[entity.primaryIndex].columns.count == 1,
      let column = catalog[entity.primaryIndex].columns.first,
      case .success(let value) = ValueCoercion(catalog: catalog, origin: .variable)
        .coerce(RawValue(id), to: entity[column].type)
    else { return nil }
    let pool = CellPool()
    guard let cell = pool.cell(value, entity[column].type) else { return nil }
    return withUnsafePointer(to: cell) { findRow(type, key: $0) }
  }
}

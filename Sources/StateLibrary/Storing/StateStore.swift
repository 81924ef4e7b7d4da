import GQLBase
import GQLCatalog
import GQLEngine
import GQLModels
import GQLStore
import GQLWriting

/// The values of models in a GQLite database: each model is an entity type, each property a nullable field, each with its
/// number.
///
/// A property that is null was never set. What was set to nil, though its default is another, and instances that have
/// values but were never created, are marked beside.
final class StateStore: Sendable {
  let database: GQLEngine.Database
  let errors = StateErrors()
  let schema: StateSchema
  private let access: CellAccess
  private let layouts: Guarded<StateLayout>
  private let clock = Guarded<Int64?>(nil)

  /// - Parameter keepsHistory: Whether the old values of models are kept.
  init(_ database: GQLEngine.Database, keepsHistory: Bool) {
    self.database = database
    access = CellAccess(database)
    layouts = Guarded(StateLayout(database.catalog))
    schema = StateSchema(database, errors, keepsHistory: keepsHistory)
  }

  /// The time of later changes, in microseconds since 1970; nil for the clock's.
  var time: Int64? {
    get { clock.withLock { $0 } }
    set { clock.withLock { $0 = newValue } }
  }

  @inline(__always)
  private func layout(of catalog: Catalog) -> StateLayout {
    layouts.withLock { layout in
      if layout.version != catalog.version { layout = StateLayout(catalog) }
      return layout
    }
  }

  // MARK: - Reading

  func get<Value: DatabaseValue>(_ path: Path) -> Value? {
    if path.property == .instanceId {
      guard Value.self == InstanceStatus.self else { return nil }
      let status = read(path) { table, tables in table.status(path.instance, in: tables) }
      return status as? Value
    }
    guard let codec = CodecCache.codec(of: Value.self) else { return nil }
    if codec.isBuiltIn {
      return read(path) { table, tables in table.read(path.instance, path.property, codec, in: tables) }
    }
    // Code of the program decodes the value, so that it is not done under a lock.
    let newest = access.newest
    return layout(of: newest.catalog).tables[path.model]?.read(path.instance, path.property, codec, in: newest)
  }

  @inline(__always)
  private func read<Output>(_ path: Path, _ body: (StateTable, any StoreTables) -> Output?) -> Output? {
    access.withNewest { version in
      layout(of: version.catalog).tables[path.model].flatMap { body($0, version) }
    } open: { transaction in
      layout(of: transaction.base.catalog).tables[path.model].flatMap { body($0, transaction) }
    }
  }

  /// The values as they are now.
  var newest: StateSnapshot { StateSnapshot(access.newest) }

  /// The time of the last change of an instance; nil where there is none.
  func lastChange(_ model: ModelKey, _ instance: InstanceKey) -> Int64? {
    let newest = access.newest
    guard let table = layout(of: newest.catalog).tables[model], let updated = table.updated else { return nil }
    switch table.find(instance, in: newest) {
    case .live(let row), .deleted(let row):
      return newest.readers(table.type)[Int(updated.index)].cell(row, kind: .int64).int
    case .nowhere: return nil
    }
  }

  // MARK: - Writing

  func set<Value: DatabaseValue>(_ value: Value, for path: Path) {
    do {
      try write([DatabaseChange(path, value)])
    } catch {
      report(error, path)
    }
  }

  func apply(_ changes: [DatabaseChange]) -> Bool {
    do {
      try write(changes)
      return true
    } catch {
      report(error, changes.count == 1 ? changes.first?.path : nil)
      return false
    }
  }

  func report(_ error: any Error, _ path: Path?) {
    switch error {
    case let error as StateError: errors.report(error)
    case let error as QueryError:
      let problem = error.problems.first
      errors.report(StateError(code: problem?.code ?? "failed", problem?.message ?? "\(error)", path))
    default: errors.report(StateError(code: "failed", "\(error)", path))
    }
  }

  /// Writes changes as one transaction: all of them or none.
  func write(_ changes: [DatabaseChange]) throws {
    if changes.isEmpty { return }
    // Who writes within a transaction would wait for itself, or for those who wait for it.
    try database.refuseNested()
    let staged = try changes.map { change throws(StateError) in try StagedChange(change) }
    if staged.count == 1, try replace(staged[0]) { return }
    // Another thread may change the schema meanwhile.
    var lacking: Set<ModelKey> = []
    for _ in 0..<100 {
      if !lacking.isEmpty || !schema.fits(staged, layout(of: database.catalog)) {
        try schema.make(room: staged, withMarks: lacking)
      }
      guard let missing = try attempt(staged) else { return }
      lacking = missing
    }
    throw StateError(code: "busy", "the schema has changed too often meanwhile")
  }

  /// Replaces one cell of an instance that is there. Returns false where there is more to do, and nothing was done.
  private func replace(_ change: StagedChange) throws -> Bool {
    guard case .value(let cell?) = change.kind, time == nil else { return false }
    let known = layout(of: database.catalog)
    guard let table = known.tables[change.path.model], table.marks == nil, schema.fits([change], known),
      let column = table.columns[change.path.property]?.point
    else { return false }
    do {
      let version = try access.replace(column, with: cell) { tables in
        guard case .live(let row) = table.find(change.path.instance, in: tables) else { return nil }
        return row
      }
      return version != nil
    } catch let problem as StoreProblem {
      throw error(problem, change.path, WriteTransaction(access.newest))
    }
  }

  /// A report of an attempt that was given up.
  private final class Attempt {
    var missing: Set<ModelKey>?
    var refusal: StateError?
  }

  /// Writes changes to the newest version. Returns the models that lack a place; nil where all is written.
  private func attempt(_ changes: [StagedChange]) throws -> Set<ModelKey>? {
    let attempt = Attempt()
    let time = time
    do {
      try database.replacing(time: time) { (base, _) throws(QueryError) in
        (try written(changes, to: base, at: time ?? WallClock.now, attempt), ())
      }
    } catch {
      if let refusal = attempt.refusal { throw refusal }
      if let missing = attempt.missing { return missing }
      throw error
    }
    return nil
  }

  private func written(
    _ changes: [StagedChange], to base: Snapshot, at now: Int64, _ attempt: Attempt
  ) throws(QueryError) -> Snapshot {
    let transaction = WriteTransaction(base, fold: foldText)
    transaction.now = now
    let writer = StateWriter(transaction, layout(of: base.catalog), schema)
    for change in changes {
      guard let failure = writer.write(change) else { continue }
      switch failure {
      case .lacksMarks(let model): attempt.missing = [model]
      case .misfit: attempt.missing = []
      case .refused(let error): attempt.refusal = error
      case .store(let problem, let path): attempt.refusal = error(problem, path, transaction)
      }
      throw QueryError(code: "refused", "")
    }
    return transaction.commit()
  }

  private func error(_ problem: StoreProblem, _ path: Path, _ transaction: WriteTransaction) -> StateError {
    let catalog = transaction.base.catalog
    return StateError(
      code: "refused", StoreMessages.describe(problem, catalog: catalog, transaction: transaction), path)
  }
}

/// A writer of changes into one transaction.
struct StateWriter {
  enum Failure {
    case store(StoreProblem, Path)
    case refused(StateError)
    case lacksMarks(ModelKey)
    /// The schema is another than it was.
    case misfit
  }

  private let transaction: WriteTransaction
  private let layout: StateLayout
  private let schema: StateSchema

  init(_ transaction: WriteTransaction, _ layout: StateLayout, _ schema: StateSchema) {
    (self.transaction, self.layout, self.schema) = (transaction, layout, schema)
  }

  /// Writes a change; returns why it cannot be, if it cannot.
  func write(_ change: StagedChange) -> Failure? {
    guard let table = layout.tables[change.path.model] else { return change.isReset ? nil : .misfit }
    do throws(StoreProblem) {
      let place = table.find(change.path.instance, in: transaction)
      if case .status(let status) = change.kind { return try write(status, table, place, change.path) }
      return try write(value: change, table, place)
    } catch {
      return .store(error, change.path)
    }
  }

  private func write(
    _ status: InstanceStatus, _ table: StateTable, _ place: EntityPlace, _ path: Path
  ) throws(StoreProblem) -> Failure? {
    switch (status, place) {
    case (.created, .live): break
    case (.created, .deleted(let row)):
      try transaction.restore(table.type, row)
      try setMark(StateTable.ghost, false, table, row)
    case (.created, .nowhere):
      if let refusal = refusal(to: table, path) { return refusal }
      _ = try insert(path.instance, table)
    case (.deleted, .live(let row)): try transaction.delete(table.type, row)
    case (.deleted, .deleted(let row)):
      if !table.hasMark(StateTable.ghost, row, in: transaction) { break }
      try transaction.restore(table.type, row)
      try setMark(StateTable.ghost, false, table, row)
      try transaction.delete(table.type, row)
    case (.deleted, .nowhere):
      if let refusal = refusal(to: table, path) { return refusal }
      try transaction.delete(table.type, insert(path.instance, table))
    }
    return nil
  }

  private func write(
    value change: StagedChange, _ table: StateTable, _ place: EntityPlace
  ) throws(StoreProblem) -> Failure? {
    let column = table.columns[change.path.property]
    // There is nothing to be reset.
    if change.isReset, column == nil || place == .nowhere { return nil }
    guard let column, change.isReset || column.type == change.type else { return .misfit }
    var cell: Cell?
    if case .value(let value) = change.kind { cell = value }
    if cell == nil, column.isNonNull {
      return .refused(StateError(code: "null-value", "'\(table.name).\(column.name)' must have a value", change.path))
    }
    let isNil = change.isNil && !schema.isNilByDefault(change.path)
    if isNil, table.marks == nil { return .lacksMarks(change.path.model) }
    switch place {
    case .live(let row):
      try write(cell, column, isNil, change.path, table, row)
    case .deleted(let row):
      try transaction.restore(table.type, row)
      try write(cell, column, isNil, change.path, table, row)
      try transaction.delete(table.type, row)
    case .nowhere:
      if table.marks == nil { return .lacksMarks(change.path.model) }
      if let refusal = refusal(to: table, change.path) { return refusal }
      let row = try insert(change.path.instance, table)
      try setMark(StateTable.ghost, true, table, row)
      try write(cell, column, isNil, change.path, table, row)
      try transaction.delete(table.type, row)
    }
    return nil
  }

  private func write(
    _ cell: Cell?, _ column: StateLayout.Column, _ isNil: Bool, _ path: Path, _ table: StateTable, _ row: UInt32
  ) throws(StoreProblem) {
    try transaction.update(table.type, row, column.id, cell)
    try setMark(path.property, isNil, table, row)
  }

  /// Why no instance can be made; nil if one can.
  private func refusal(to table: StateTable, _ path: Path) -> Failure? {
    table.required.map { field in
      .refused(StateError(code: "null-value", "'\(table.name).\(field)' must have a value", path))
    }
  }

  private func insert(_ instance: InstanceKey, _ table: StateTable) throws(StoreProblem) -> UInt32 {
    var cells = [Cell](repeating: Cell(low: 0), count: table.columnCount)
    var valid = [Bool](repeating: false, count: table.columnCount)
    cells[Int(table.id.index)] = Cell(Int64(instance))
    valid[Int(table.id.index)] = true
    return try Self.withBuffers(cells, valid) { (cells, valid) throws(StoreProblem) in
      try transaction.insert(table.type, cells: cells, valid: valid)
    }
  }

  private static func withBuffers(
    _ cells: [Cell], _ valid: [Bool],
    _ body: (UnsafePointer<Cell>, UnsafePointer<Bool>) throws(StoreProblem) -> UInt32
  ) throws(StoreProblem) -> UInt32 {
    try cells.withUnsafeBufferPointer { (cells) throws(StoreProblem) in
      try valid.withUnsafeBufferPointer { (valid) throws(StoreProblem) in
        guard let cells = cells.baseAddress, let valid = valid.baseAddress else { return 0 }
        return try body(cells, valid)
      }
    }
  }

  /// Adds a mark to a live row, or takes it away.
  private func setMark(
    _ mark: PropertyKey, _ isSet: Bool, _ table: StateTable, _ row: UInt32
  ) throws(StoreProblem) {
    guard let column = table.marks else { return }
    var marks = table.marks(row, in: transaction)
    if marks.contains(mark) == isSet { return }
    if isSet { marks.append(mark) } else { marks.removeAll { $0 == mark } }
    let memory = StagingArena()
    // Numbers lie in a column whatever they are.
    let cell = marks.isEmpty ? nil : try? CodecCache.codec(of: [Int].self)?.cell(of: marks, in: memory)
    try transaction.update(table.type, row, column, cell)
    withExtendedLifetime(memory) {}
  }
}

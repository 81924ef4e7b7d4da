import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// A field of a mutation with everything made ready to apply it.
package final class MutationProgram: Sendable {
  package let mutation: BoundMutation
  package let layouts: EntityLayouts
  package let constants: ValueProgram
  package let locate: ValueProgram?
  package let locateDeleted: ValueProgram?
  package let decisions: ValueProgram?
  package let answer: Executable?
  /// Whether it is a point mutation, as far as the plans can tell: ``Mutator/init(continuing:isFresh:)`` may apply it.
  package let isPoint: Bool
  /// The begin of an answer that is a number: `{"key":`.
  let answerStart: [UInt8]
  let cellAssignment: CellAssignment?
  /// What an operation begins with: the constants, or what locates the entities where there are none.
  let opening: ValueProgram
  /// Indicates whether a row may take the place of an entity that has its unique value, and so delete it.
  let mayReplace: Bool

  package init(
    mutation: BoundMutation, layouts: EntityLayouts, constants: ValueProgram, locate: ValueProgram? = nil,
    locateDeleted: ValueProgram? = nil, decisions: ValueProgram? = nil, answer: Executable? = nil
  ) {
    self.mutation = mutation
    self.layouts = layouts
    self.constants = constants
    self.locate = locate
    self.locateDeleted = locateDeleted
    self.decisions = decisions
    self.answer = answer
    var start = ByteBuffer(capacity: 64)
    start.append(0x7B)
    start.append(json: Text(mutation.key))
    start.append(0x3A)
    answerStart = start.takeArray()
    mayReplace = constants.executable.catalog.indexes.contains { $0.onConflict == .replace }
    cellAssignment = CellAssignment(mutation.assignment)
    opening = constants.isEmpty ? locate ?? constants : constants
    isPoint = Self.isPoint(
      mutation, layouts[mutation.type], constants.executable.catalog, locate: locate?.executable)
  }
}

/// A value of the type that a field changes.
struct FreedValue: Hashable {
  let row: UInt32
  let column: Int
}

/// Unique values that entities wait for, so that values may move among them.
struct EmptiedKeys {
  let type: EntityTypeID
  let columns: [ColumnID]
  /// Entities whose values are not written yet.
  var waiting: Set<UInt32>
  /// The data with the values as they were.
  let before: Snapshot
}

/// Applies the fields of mutations to a transaction, one behind the other. For one thread.
///
/// A field that throws may have been applied in part: then the transaction must be dropped.
package final class Mutator {
  package let transaction: WriteTransaction
  let catalog: Catalog
  let resolvers: ConflictResolvers
  /// Indicates whether nothing has changed since ``lastView``.
  @exclusivity(unchecked) private var isViewCurrent: Bool

  // What belongs to one field.
  @exclusivity(unchecked) var stage = RecordStage(capacity: 64)
  /// Holds the targets of the link that is written.
  @exclusivity(unchecked) var linkList = LinkList()
  /// Has room for the targets of the link that is put on the stage.
  @exclusivity(unchecked) var linkTargets: [RecordStage.Target] = []
  /// Where the objects and values on the stage were written; their origins are numbers of these.
  @exclusivity(unchecked) var sources: [InputSource] = []
  /// Memory of what staged cells point to that does not live elsewhere until the end of the field.
  let memory = ScratchArena(capacity: 1024)
  /// Holds the rows that a condition finds.
  @exclusivity(unchecked) var found = Expansion()
  /// The rows that the field answers with, in order.
  @exclusivity(unchecked) var answered: [UInt32] = []
  @exclusivity(unchecked) var inserted: [UInt32] = []
  /// Entities that objects inside others have made, which a row of its own may still complete.
  @exclusivity(unchecked) var fragments: Set<DeletedRow> = []
  /// Records that may lack something until all of the field is in.
  @exclusivity(unchecked) var incomplete: [Int] = []
  /// Rows that changed since the view on which an upsert's decisions look.
  @exclusivity(unchecked) var touched: Set<UInt32> = []
  /// What an upsert's decisions look at.
  @exclusivity(unchecked) var fieldView: Snapshot?
  /// What was taken out of unique indexes until another value is written.
  @exclusivity(unchecked) var freed: [FreedValue: Cell] = [:]
  /// Where an update has taken unique values out of all its entities before it writes the first.
  @exclusivity(unchecked) var emptied: EmptiedKeys?
  /// Holds the columns that a row takes of the record that it meets.
  @exclusivity(unchecked) var merge = RecordMerge()
  /// The field that is applied, or was applied last.
  @exclusivity(unchecked) private(set) var program: MutationProgram?
  /// Why the store was told to stop.
  @exclusivity(unchecked) private(set) var stopReason: RuntimeProblem?
  /// What the field's limits are looked at with; nil between fields.
  @exclusivity(unchecked) var constants: Execution?
  /// The operation that the fields belong to, and what was written before it.
  @exclusivity(unchecked) private var operation: MutationContext?
  @exclusivity(unchecked) private var writtenBefore = 0
  /// Of `transaction.pageBytes`: as many as there were before the operation.
  @exclusivity(unchecked) private var pagesBefore = 0
  /// Of ``heldBytes``: as many as there were at the last look.
  @exclusivity(unchecked) var lookedBytes = 0

  // What belongs to one field of a point mutation.
  /// Whether versions are only looked at, because the transaction goes on; only point mutations are applied then.
  let isContinuing: Bool
  /// Whether the field has written, or was about to.
  package var hasWritten: Bool { isWritten }
  @exclusivity(unchecked) private var isWritten = false
  /// Whether the field threw because it reaches more than a point mutation may.
  @exclusivity(unchecked) package private(set) var isOutgrown = false
  @exclusivity(unchecked) private var looks = 0

  package init(_ base: Snapshot, _ transaction: WriteTransaction, resolvers: [IndexID: ConflictResolver] = [:]) {
    (self.transaction, isContinuing) = (transaction, false)
    self.resolvers = ConflictResolvers(resolvers, base.catalog)
    (catalog, isViewCurrent, lastView) = (base.catalog, true, base)
    beWatched()
  }

  /// Applies point mutations to a transaction that goes on after each; nothing was written to a fresh one.
  package init(continuing transaction: WriteTransaction, isFresh: Bool = false) {
    self.transaction = transaction
    (resolvers, isContinuing) = (ConflictResolvers([:], transaction.base.catalog), true)
    (catalog, lastView) = (transaction.base.catalog, transaction.base)
    isViewCurrent = isFresh
    beWatched()
  }

  /// Has the store ask for each field, see ``isStopped(holding:)``.
  private func beWatched() {
    transaction.isStopped = { [unowned self] in isStopped(holding: $0) }
    transaction.isWatched = false
  }

  /// The data with all changes so far. Complexity: nothing where nothing has changed since the last call, else that of
  /// ``WriteTransaction/snapshot()``, or of ``WriteTransaction/provisional()``.
  package func snapshot() -> Snapshot {
    if !isViewCurrent {
      lastView = isContinuing ? transaction.provisional() : transaction.snapshot()
      isViewCurrent = true
    }
    return lastView
  }

  /// Whether something has changed since the last ``snapshot()``.
  var hasChanged: Bool { !isViewCurrent }

  /// The newest version that there is without taking one.
  @exclusivity(unchecked) package private(set) var lastView: Snapshot

  /// Says that the transaction is written to.
  package func change() { (isViewCurrent, isWritten) = (false, true) }

  /// Makes a change in the store, which leaves everything as it was where it throws, unless it was stopped.
  ///
  /// - Parameter type: The type of the row that is replaced, if that is all.
  func writing<Output>(
    replacing type: EntityTypeID? = nil, _ body: () throws(StoreProblem) -> Output
  ) throws(StoreProblem) -> Output {
    let (hadWritten, wasCurrent) = (hasWritten, isViewCurrent)
    change()
    do {
      let output = try body()
      if isContinuing, wasCurrent, let type, lastView.shows(type, replacedBy: transaction) { isViewCurrent = true }
      return output
    } catch {
      if case .stopped = error { throw error }
      isWritten = hadWritten
      throw error
    }
  }

  /// Replaces a cell of a live row as a statement of its own. Precondition: versions are only looked at.
  package func replaceCell(_ row: DeletedRow, _ column: ColumnID, with cell: Cell?) throws(StoreProblem) {
    (isWritten, isOutgrown) = (false, false)
    try writing(replacing: row.type) { () throws(StoreProblem) in
      try transaction.update(row.type, row.row, column, cell)
    }
  }

  /// What ends a field that reaches more than a point mutation may. Nobody is told: it is applied in another way then.
  func outgrown(at source: InputSource) -> MutationProblem {
    isOutgrown = true
    return problem(.tooLarge("the change reaches too much at once"), at: source)
  }

  /// The last version; the mutator must not be used afterwards.
  package func finish() -> Snapshot { isViewCurrent ? lastView : transaction.commit() }

  // MARK: - Fields

  /// Begins an operation whose context another one has had.
  package func beginOperation() { operation = nil }

  /// Applies a field and appends `{"key":answer}`; false where the field is left out.
  package func apply(
    _ program: MutationProgram, _ context: MutationContext, into output: inout ByteBuffer
  ) throws(MutationProblem) -> Bool {
    // To remove nothing costs more than to look.
    answered.clear()
    inserted.clear()
    stage.removeAll()
    sources.clear()
    memory.removeAll()
    if !fragments.isEmpty { fragments.removeAll() }
    incomplete.clear()
    if !touched.isEmpty { touched.removeAll() }
    if fieldView != nil { fieldView = nil }
    if emptied != nil { emptied = nil }
    if !freed.isEmpty { freed.removeAll() }
    (isWritten, isOutgrown, looks) = (false, false, 0)
    // To compare costs less than to count references.
    if self.program !== program { self.program = program }
    if isContinuing { transaction.now = context.now }
    let execution = begin(program.opening, context)
    constants = execution
    defer {
      constants = nil
      program.opening.end(execution)
    }
    if isContinuing || operation !== context {
      if operation !== context { operation = context }
      (writtenBefore, pagesBefore) = (transaction.writtenBytes, transaction.pageBytes)
    }
    lookedBytes = heldBytes
    transaction.isWatched = execution.mayStop || execution.limits.maximumMemory != .max || isContinuing
    defer { transaction.isWatched = false }
    guard execution.limits.maximumMemory != .max, !isContinuing else {
      return try perform(program, context, execution, into: &output)
    }
    return try transaction.countingPages { () throws(MutationProblem) in
      try perform(program, context, execution, into: &output)
    }
  }

  /// Begins to evaluate values; who began them ends them.
  func begin(_ values: ValueProgram, _ context: MutationContext) -> Execution {
    values.begin(context, on: values.needsNoVersion ? transaction.base : snapshot())
  }

  private func perform(
    _ program: MutationProgram, _ context: MutationContext, _ execution: Execution, into output: inout ByteBuffer
  ) throws(MutationProblem) -> Bool {
    // Small fields reach no other check, however many there are.
    try checkpoint(execution)
    let constants = try running { () throws(RuntimeProblem) in try program.constants.constants(execution) }
    if let condition = program.mutation.condition, !constants.isTrue(condition) { return false }
    try refuse(program, constants, context)
    var isAnswered = false
    switch program.mutation.kind {
    case .insert, .upsert: try save(program, constants, context)
    case .update: try update(program, context, execution)
    case .delete: isAnswered = try delete(program, constants, context, execution, into: &output)
    case .restore: try restore(program, context)
    case .erase: try erase(program, context)
    }
    if hasWritten, !isContinuing { try settle(program) }
    if !isAnswered { try answer(program, context, into: &output) }
    return true
  }

  /// Has indexes take up what they have put off, while somebody looks at the time.
  private func settle(_ program: MutationProgram) throws(MutationProblem) {
    do throws(StoreProblem) {
      try transaction.settleIndexes()
    } catch {
      throw problem(error, at: .range(program.mutation.range))
    }
  }

  private func refuse(
    _ program: MutationProgram, _ constants: InputValues, _ context: MutationContext
  ) throws(MutationProblem) {
    guard let refusal = program.mutation.refusal else { return }
    if let all = refusal.all, constants.isTrue(all) { return }
    let verb = program.mutation.kind.rawValue
    if let absent = refusal.variables.first(where: { !context.isProvided($0) }) {
      throw MutationProblem(.absentVariable(verb: verb, name: absent), at: refusal.range)
    }
    if let premise = refusal.premise, constants.isTrue(premise) {
      throw MutationProblem(
        .unconditionalChange(verb: verb, type: catalog[program.mutation.type].name), at: refusal.range)
    }
  }

  /// Writes what a field answers: its list, or the number of its entities.
  func answer(
    _ program: MutationProgram, _ context: MutationContext, into output: inout ByteBuffer
  ) throws(MutationProblem) {
    guard let executable = program.answer else {
      program.answerStart.withUnsafeBytes { output.append($0) }
      output.append(int: Int64(answered.count))
      output.append(0x7D)
      return
    }
    let view = snapshot()
    do {
      try answered.withUnsafeBufferPointer { (rows) throws(RuntimeProblem) in
        try executable.run(
          view, context, given: rows, of: program.mutation.type, inserted: inserted, into: &output)
      }
    } catch {
      throw MutationProblem(.runtime(error), at: error.range)
    }
  }

  // MARK: - Limits

  @inline(__always)
  func running<Output>(_ body: () throws(RuntimeProblem) -> Output) throws(MutationProblem) -> Output {
    do { return try body() } catch { throw MutationProblem(.runtime(error), at: error.range) }
  }

  /// Bytes of texts and lists that the operation has written: whoever copies a value into many entities holds it many
  /// times.
  private var writtenBytes: Int { transaction.writtenBytes &- writtenBefore }

  /// Of all that the operation has written and the field has copied to the stage.
  @inline(__always)
  var heldBytes: Int { writtenBytes &+ memory.usedBytes }

  /// Bytes of all that is on the stage. What an earlier field left room for does not count.
  private var stagedBytes: Int {
    stage.byteCount &+ memory.usedBytes &+ sources.count &* MemoryLayout<InputSource>.stride
  }

  /// Bytes of all that the operation holds: what it has written, its pages, what is on the stage and what it answers.
  private var takenBytes: Int {
    writtenBytes &+ (transaction.pageBytes &- pagesBefore) &+ stagedBytes &+ answered.count &* 4
  }

  /// Throws if the run is cancelled, its time is up, or it holds more than it may. Call it once a batch.
  func checkpoint(_ execution: Execution) throws(MutationProblem) {
    let bytes = takenBytes
    try running { () throws(RuntimeProblem) in
      try execution.checkpoint()
      try execution.checkComputed(bytes)
    }
  }

  /// What the store asks while it follows a deletion or its undoing.
  private func isStopped(holding bytes: Int) -> Bool {
    looks += 1
    if isContinuing, looks > PointMutation.maximumLooks {
      isOutgrown = true
      return true
    }
    do throws(RuntimeProblem) {
      try constants?.checkpoint()
      try constants?.checkComputed(takenBytes &+ bytes)
      return false
    } catch {
      stopReason = error
      return true
    }
  }

  /// Once in 1,024 numbers, a ``checkpoint(_:)``.
  @inline(__always)
  func checkpoint(at number: Int, _ execution: Execution) throws(MutationProblem) {
    if number & 1023 == 1023 { try checkpoint(execution) }
  }

  /// A look at whether a field reaches no more than a point mutation may.
  func reach(_ program: MutationProgram) -> PointReach {
    PointReach(program: program, transaction: transaction)
  }

  // MARK: - Unique conflicts

  /// What happens about a unique index that both an entity and a record want.
  func decide(_ index: IndexID, _ existing: UInt32, _ record: Int?) -> ConflictDecision {
    if let record, let decision = resolvers.decide(index, existing, transaction, stage, record) { return decision }
    return catalog[index].onConflict == .replace ? .replace : .fail
  }
}

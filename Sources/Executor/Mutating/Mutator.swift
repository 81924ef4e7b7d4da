import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// What the embedding program decides about a value of a unique index that two entities want.
package enum ConflictDecision: Sendable {
  /// The change is refused.
  case fail
  /// The new one is not saved.
  case keep
  /// The one that is there is deleted.
  case replace
  /// What the new one knows goes into the one that is there.
  case patch
}

/// Decides for one index; the entity that is there and the one that comes, as JSON.
package typealias ConflictResolver = @Sendable (_ existing: Text, _ new: Text) -> ConflictDecision

/// A field of a mutation with everything made ready to apply it.
package final class MutationProgram: Sendable {
  package let mutation: BoundMutation
  package let layouts: InputLayouts
  package let constants: ValueProgram
  package let locate: ValueProgram?
  package let locateDeleted: ValueProgram?
  package let decisions: ValueProgram?
  package let answer: Executable?

  package init(
    mutation: BoundMutation, layouts: InputLayouts, constants: ValueProgram, locate: ValueProgram? = nil,
    locateDeleted: ValueProgram? = nil, decisions: ValueProgram? = nil, answer: Executable? = nil
  ) {
    self.mutation = mutation
    self.layouts = layouts
    self.constants = constants
    self.locate = locate
    self.locateDeleted = locateDeleted
    self.decisions = decisions
    self.answer = answer
  }
}

/// What a column of an entity gets, and the record that says so.
struct ColumnWrite {
  let column: Int
  let cell: Cell?
  let record: Int
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
  /// What decides about unique indexes, by index.
  let resolvers: [IndexID: ConflictResolver]
  /// The state of the data; nil where something has changed since.
  @exclusivity(unchecked) private var view: Snapshot?

  // What belongs to one field.
  @exclusivity(unchecked) var stage = InputStage()
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
  /// Memory that is used again and again.
  @exclusivity(unchecked) var writeBuffer: [ColumnWrite] = []
  /// Why the store was told to stop.
  @exclusivity(unchecked) private var stopReason: RuntimeProblem?

  package init(_ base: Snapshot, _ transaction: WriteTransaction, resolvers: [IndexID: ConflictResolver] = [:]) {
    self.transaction = transaction
    self.resolvers = resolvers
    catalog = base.catalog
    view = base
    lastView = base
  }

  /// The data with all changes so far. Complexity: nothing where nothing has changed since the last call, else that of
  /// ``WriteTransaction/snapshot()``.
  package func snapshot() -> Snapshot {
    if let view { return view }
    let taken = transaction.snapshot()
    view = taken
    lastView = taken
    return taken
  }

  /// Whether something has changed since the last ``snapshot()``.
  var hasChanged: Bool { view == nil }

  /// The newest version that there is without taking one.
  package private(set) var lastView: Snapshot

  /// Says that the transaction is written to.
  package func change() { view = nil }

  /// The last version; the mutator must not be used afterwards.
  package func finish() -> Snapshot { view ?? transaction.commit() }

  // MARK: - Fields

  /// Applies a field and appends `{"key":answer}`; false where the field is left out.
  package func apply(
    _ program: MutationProgram, _ context: MutationContext, into output: inout ByteBuffer
  ) throws(MutationProblem) -> Bool {
    answered.removeAll(keepingCapacity: true)
    inserted.removeAll(keepingCapacity: true)
    stage.removeAll()
    if !fragments.isEmpty { fragments.removeAll() }
    incomplete.removeAll(keepingCapacity: true)
    touched.removeAll()
    fieldView = nil
    if !freed.isEmpty { freed.removeAll() }
    emptied = nil
    // Without sets, the constants look at nothing.
    let looked = program.mutation.constants.sets.isEmpty ? transaction.base : snapshot()
    let execution = program.constants.begin(context, on: looked)
    defer { program.constants.end(execution) }
    if execution.mayStop || execution.limits.maximumMemory != .max {
      transaction.isStopped = { self.isStopped(execution, holding: $0) }
    }
    defer { transaction.isStopped = nil }
    // Small fields reach no other check, however many there are.
    try checkpoint(execution)
    let constants = try running { () throws(RuntimeProblem) in try program.constants.constants(execution) }
    if let condition = program.mutation.condition, !constants.isTrue(condition) { return false }
    try refuse(program, constants, context)
    var isAnswered = false
    switch program.mutation.kind {
    case .insert, .upsert: try save(program, constants, context)
    case .update: try update(program, context)
    case .delete: isAnswered = try delete(program, constants, context, into: &output)
    case .restore: try restore(program, context)
    }
    if !isAnswered { try answer(program, context, into: &output) }
    return true
  }

  private func refuse(
    _ program: MutationProgram, _ constants: InputValues, _ context: MutationContext
  ) throws(MutationProblem) {
    guard let refusal = program.mutation.refusal else { return }
    if let all = refusal.all, constants.isTrue(all) { return }
    let verb = program.mutation.kind.rawValue
    if let absent = refusal.variables.first(where: { !context.provided.contains($0) }) {
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
      output.append(0x7B)
      output.append(json: Text(program.mutation.key))
      output.append(0x3A)
      output.append(int: Int64(answered.count))
      output.append(0x7D)
      return
    }
    let view = snapshot()
    do {
      try answered.withUnsafeBufferPointer { (rows) throws(RuntimeProblem) in
        try executable.run(
          view, parameters: context.parameters, given: rows, of: program.mutation.type, inserted: inserted,
          limits: context.limits, cancellation: context.cancellation, into: &output)
      }
    } catch {
      throw MutationProblem(.runtime(error), at: error.range)
    }
  }

  // MARK: - Problems

  func running<Output>(_ body: () throws(RuntimeProblem) -> Output) throws(MutationProblem) -> Output {
    do { return try body() } catch { throw MutationProblem(.runtime(error), at: error.range) }
  }

  /// Throws if the run is cancelled, its time is up, or the stage holds more than the run may. Call it once a batch.
  func checkpoint(_ execution: Execution) throws(MutationProblem) {
    let bytes = stage.byteCount
    try running { () throws(RuntimeProblem) in
      try execution.checkpoint()
      try execution.checkMemory(bytes)
    }
  }

  /// What the store asks while it follows a deletion or its undoing.
  private func isStopped(_ execution: Execution, holding bytes: Int) -> Bool {
    do throws(RuntimeProblem) {
      try execution.checkpoint()
      try execution.checkMemory(stage.byteCount + bytes)
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

  func problem(_ kind: MutationProblem.Kind, at place: InputStage.Place, column: ColumnID? = nil) -> MutationProblem {
    problem(kind, at: stage[place], column: column)
  }

  func problem(_ refused: StoreProblem, at place: InputStage.Place) -> MutationProblem {
    problem(refused, at: stage[place])
  }

  func problem(_ kind: MutationProblem.Kind, at source: InputStage.Source, column: ColumnID? = nil) -> MutationProblem {
    switch source {
    case .range(let range): return MutationProblem(kind, at: range)
    case .document(let range, let cells):
      let cell = column.flatMap { column in cells.first { $0.column == column } }
      return MutationProblem(kind, at: cell?.range ?? range)
    case .variable(let parameter, var path):
      if column != nil, let name = columnName(kind) { path.append(.member(name)) }
      let (range, name) = parameters(parameter)
      return MutationProblem(kind, at: range, path: ValuePathStep.text(of: name, path))
    }
  }

  /// The declaration and the name of a parameter of the field being applied.
  @exclusivity(unchecked) var parameterPlaces: [BoundParameter] = []

  private func parameters(_ index: Int) -> (SourceRange, String) {
    guard parameterPlaces.indices.contains(index) else { return (SourceRange(at: 0), "") }
    return (parameterPlaces[index].range, parameterPlaces[index].name)
  }

  private func columnName(_ kind: MutationProblem.Kind) -> String? {
    switch kind {
    case .uniqueViolation(_, let fields, _, _): fields.first
    case .missingValue(_, let field, _): field
    default: nil
    }
  }

  /// What the store refuses, in the words of the schema.
  func problem(_ refused: StoreProblem, at source: InputStage.Source) -> MutationProblem {
    switch refused {
    case .uniqueViolation(let index, let existing, _):
      let descriptor = catalog[index]
      let type = catalog[descriptor.type]
      let columns = descriptor.columns.map { type[type[$0].foldedFrom ?? $0] }
      return problem(
        .uniqueViolation(
          type: type.name, fields: columns.map(\.name),
          values: columns.map { value(descriptor.type, existing, $0) },
          existing: identity(descriptor.type, existing)),
        at: source, column: columns.first?.id)
    case .denied(let relation, let row):
      let place = place(catalog[relation], row)
      return problem(.deleteDenied(type: place.type, entity: place.entity, field: place.field), at: source)
    case .requiredReference(let relation, let row):
      let place = place(catalog[relation], row)
      return problem(.requiredReference(type: place.type, entity: place.entity, field: place.field), at: source)
    // Of bulks only; a mutation links one by one.
    case .contradiction(let found):
      let place = place(catalog[found.relation], found.row)
      return problem(.requiredReference(type: place.type, entity: place.entity, field: place.field), at: source)
    case .tooManyRows(let type):
      return problem(.tooLarge("'\(catalog[type].name)' has more entities than the store can hold"), at: source)
    case .textTooLong(let type, let column):
      return problem(
        .tooLarge(
          "'\(catalog[type].name).\(catalog[type][column].name)' is longer than \(TextView.maximumLength) bytes"),
        at: source)
    case .stopped:
      let reason = stopReason ?? RuntimeProblem(.cancelled, at: SourceRange(at: 0))
      return MutationProblem(.runtime(reason), at: reason.range)
    }
  }

  /// The name of a relation's field, `contact.person` inside an embedded object.
  func name(_ relation: Relation) -> String {
    relation.property == nil ? "a relation" : catalog[relation.source][relation.column].name
  }

  /// The entity and the field that a link of a row belongs to: of an element of a list, its owner's.
  func place(_ relation: Relation, _ row: UInt32) -> (type: String, entity: String, field: String) {
    var (type, row, field) = (relation.source, row, name(relation))
    while catalog[type].isElement {
      // What has no field of its own and leads to one is the way from an element to its owner.
      let owner = catalog.relations.first {
        $0.source == type && $0.property == nil && !$0.isToMany
          && transaction.column(type, $0.column).reference(row) != PageLayout.noRow
      }
      guard let owner else { break }
      row = transaction.column(type, owner.column).reference(row)
      field = "\(name(catalog[owner.inverse])).\(field)"
      type = owner.target
    }
    return (catalog[type].name, identity(type, row), field)
  }

  /// The id of an entity, as people write it.
  func identity(_ type: EntityTypeID, _ row: UInt32) -> String {
    let entity = catalog[type]
    guard !entity.indexes.isEmpty else { return "?" }
    return catalog[entity.primaryIndex].columns
      .map { value(type, row, entity[entity[$0].foldedFrom ?? $0]) }.joined(separator: ", ")
  }

  /// A value of an entity as JSON.
  private func value(_ type: EntityTypeID, _ row: UInt32, _ column: ColumnDescriptor) -> String {
    let reader = transaction.column(type, column.id)
    if reader.isNull(row) { return "null" }
    return json(reader.cell(row, kind: column.kind), column.type)
  }

  func json(_ cell: Cell, _ type: ValueType) -> String {
    var buffer = ByteBuffer(capacity: 64)
    write(cell, type: type, catalog: catalog, into: &buffer)
    let text = buffer.string
    return text.utf8.count > 120 ? String(text.prefix(100)) + "…" : text
  }

  // MARK: - Unique conflicts

  /// What happens about a unique index that both an entity and a record want.
  func decide(_ index: IndexID, _ existing: UInt32, _ record: Int) -> ConflictDecision {
    if let resolver = resolvers[index] {
      let type = catalog[index].type
      return resolver(
        object(type) { column in
          let reader = self.transaction.column(type, column.id)
          return reader.isNull(existing) ? nil : reader.cell(existing, kind: column.kind)
        },
        object(type) { column in
          let place = self.stage.records[record].base + Int(column.id.index)
          return self.stage.valid[place] ? self.stage.cells[place] : nil
        })
    }
    return catalog[index].onConflict == .replace ? .replace : .fail
  }

  /// The values of an entity as a JSON object.
  private func object(_ type: EntityTypeID, _ cell: (ColumnDescriptor) -> Cell?) -> Text {
    var buffer = ByteBuffer(capacity: 256)
    buffer.append(0x7B)
    var isFirst = true
    for property in catalog[type].properties {
      guard case .column(let column, _) = property.storage else { continue }
      if !isFirst { buffer.append(0x2C) }
      isFirst = false
      buffer.append(json: Text(property.name))
      buffer.append(0x3A)
      if let cell = cell(catalog[type][column]) {
        write(cell, type: property.signature.type, catalog: catalog, into: &buffer)
      } else {
        buffer.append("null")
      }
    }
    buffer.append(0x7D)
    return buffer.withUnsafeBytes { Text($0) }
  }
}

import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Entities that are there: what of a record is written to them, by the strategy and by `set:`.
extension Mutator {
  func meet(
    _ row: UInt32, _ number: Int, _ layout: EntityLayout, _ program: MutationProgram, _ context: MutationContext
  ) throws(MutationProblem) {
    stage.records[number].row = row
    guard stage.records[number].role == .row, let conflict = program.mutation.conflict else {
      stage.records[number].keepsForNull = true
      return try patch(row, number, layout)
    }
    // The decisions see the entity as it was before the strategy.
    let decided = try decisions(row, number, conflict, program, context)
    touched.insert(row)
    // Made by an object inside another one.
    if fragments.remove(DeletedRow(type: layout.type, row: row)) != nil { inserted.append(row) }
    var strategy = RecordMerge.Strategy.patch
    switch conflict.strategy {
    case .fail:
      let record = stage.records[number]
      throw problem(.uniqueViolation(index: conflict.index, existing: row, row: nil), at: record.origin)
    case .keep:
      stage.records[number].isSkipped = true
      strategy = .keep
    case .replace: strategy = .replace
    case .patch: stage.records[number].keepsForNull = true
    case .append:
      stage.records[number].keepsForNull = true
      stage.records[number].appends = true
      strategy = .append
    case .lastWriteWins:
      stage.records[number].keepsForNull = true
      strategy = try lastWrite(row, number, layout, by: conflict.by)
    }
    try write(row, number, layout, by: strategy, decided)
  }

  // MARK: - Strategies

  func value(_ row: UInt32, _ column: Int, _ layout: EntityLayout) -> Cell? {
    let reader = transaction.column(layout.type, ColumnID(column))
    return reader.isNull(row) ? nil : reader.cell(row, kind: layout.columns[column].kind)
  }

  /// Writes what a record says that is not null.
  func patch(_ row: UInt32, _ number: Int, _ layout: EntityLayout) throws(MutationProblem) {
    try write(row, number, layout, by: .patch)
  }

  /// Returns how the newer of two entities, which is the truth, takes from the older what it lacks. The one that is
  /// there wins a tie.
  private func lastWrite(
    _ row: UInt32, _ number: Int, _ layout: EntityLayout, by: ColumnID?
  ) throws(MutationProblem) -> RecordMerge.Strategy {
    guard let by else { return .keep }
    let base = stage.records[number].base
    let column = Int(by.index)
    let old = value(row, column, layout)
    var isNewer = false
    if stage.valid[base + column] {
      let type = layout.columns[column].type
      isNewer = old.map { CellOrder.compare(stage.cells[base + column], $0, type, constants) > 0 } ?? true
      try checkStop()
    }
    if isNewer { return .patch }
    stage.records[number].fillsOnly = true
    for property in layout.properties {
      guard case .embedded(_, let presence, _) = property.storage else { continue }
      // One that is there lacks nothing; links in it are not written either.
      if value(row, Int(presence.index), layout) != nil { stage.given[base + Int(presence.index)] = false }
    }
    return .fill
  }

  // MARK: - Writing

  /// Writes what a record says by a strategy, but where the decisions of `set:` say otherwise.
  func write(
    _ row: UInt32, _ number: Int, _ layout: EntityLayout, by strategy: RecordMerge.Strategy, _ decided: Int? = nil
  ) throws(MutationProblem) {
    let source = stage.records[number].origin
    try merge.take(stage.records[number], of: stage, by: strategy, layout, row: row, in: transaction) {
      (old, new, type) throws(MutationProblem) in
      try checkElements(Int(old.high & 0xFFFF_FFFF) + Int(new.high & 0xFFFF_FFFF), at: source)
      return memory.joined(old, new, type)
    }
    if let decided { merge.decide(by: decided, of: stage, layout) }
    // A row that replaces is an entity of its own.
    let isWhole = if case .replace = strategy { true } else { false }
    try writeMerged(row, of: .record(number), layout, isWhole: isWhole)
  }

  /// Returns the record that says what a column gets; nil for cells of none.
  private func record(of input: MergedInput, _ column: Int) -> Int? {
    guard case .record(let number) = input else { return nil }
    return merge.decision(of: column) ?? number
  }

  /// Returns where something was written that is merged into a row.
  private func source(of input: MergedInput, _ column: Int? = nil) -> InputSource {
    switch input {
    case .record(let number):
      let record = column.flatMap { merge.decision(of: $0) } ?? number
      return sources[stage.records[record].origin.start]
    case .cells(let assignment): return assignment.source
    }
  }

  /// Writes what is merged into a row.
  ///
  /// - Parameter isWhole: Indicates whether the record takes the place of the entity that is there.
  func writeMerged(
    _ row: UInt32, of input: MergedInput, _ layout: EntityLayout, isWhole: Bool = false
  ) throws(MutationProblem) {
    if let column = merge.missingColumn(layout) ?? merge.missingColumn(layout, in: row, transaction) {
      let isNew = isWhole && merge.decision(of: column) == nil
      throw problem(
        .missingValue(
          type: layout.name, field: layout.columns[column].name,
          entity: isNew ? nil : identity(layout.type, row)),
        at: source(of: input, column), column: ColumnID(column))
    }
    if merge.isEmpty { return }
    if fieldView != nil { touched.insert(row) }
    var attempts = 0
    while true {
      do {
        let type = layout.type
        try writing(replacing: type) { () throws(StoreProblem) in try merge.write(type, row, in: transaction) }
        break
      } catch .uniqueViolation(let index, let existing, let other) {
        attempts += 1
        let columns = catalog[index].columns.map { Int((layout.columns[Int($0.index)].foldedFrom ?? $0).index) }
        let column = columns.first { merge.decision(of: $0) != nil } ?? columns[0]
        let source = source(of: input, column)
        let refused = problem(.uniqueViolation(index: index, existing: existing, row: other), at: source)
        // Each replacement takes one entity away, of one index each; a resolver that goes on forever must not.
        let isLast = attempts > catalog[layout.type].indexes.count + 1
        switch isLast ? ConflictDecision.fail : decide(index, existing, record(of: input, column)) {
        case .replace:
          try remove(existing, layout.type, at: source)
          // Its deletion may reach the entity that is to take its place.
          guard transaction.isLive(layout.type, row) else { throw refused }
        case .keep:
          for column in columns {
            if let old = freed[FreedValue(row: row, column: column)] {
              merge.set(column, old)
            } else {
              merge.leave(column)
            }
          }
        case .fail, .patch: throw refused
        }
      } catch {
        throw problem(error, at: source(of: input))
      }
    }
    try checkCopied(at: source(of: input))
  }

  /// Takes a value out of its indexes until another is written.
  func free(_ row: UInt32, _ column: Int, _ layout: EntityLayout, _ old: Cell) {
    // Only a program says that what is there stays.
    if !resolvers.isEmpty {
      freed[FreedValue(row: row, column: column)] = memory.copy(old, layout.columns[column].type)
    }
    // Cannot be refused: null is in no unique index.
    try? transaction.update(layout.type, row, ColumnID(column), nil)
  }

  // MARK: - Decisions

  /// Evaluates `set:` for an entity that is there; the number of the record with what it says.
  private func decisions(
    _ row: UInt32, _ number: Int, _ conflict: BoundConflict, _ program: MutationProgram, _ context: MutationContext
  ) throws(MutationProblem) -> Int? {
    guard let decisions = program.decisions, let record = conflict.record else { return nil }
    if !conflict.looksAround, !touched.contains(row), let fieldView,
      Int(row) < fieldView.slotCount(stage.records[number].type)
    {
      // The view is older than the transaction, but not in what is asked for.
    } else {
      fieldView = snapshot()
      touched.removeAll()
    }
    guard let view = fieldView else { return nil }
    let execution = decisions.begin(context, on: view)
    defer { decisions.end(execution) }
    let base = stage.records[number].base
    for parameter in conflict.newParameters {
      let place = base + Int(parameter.column.index)
      execution.setParameter(parameter.parameter, stage.valid[place] ? stage.cells[place] : nil)
    }
    let values = try running { () throws(RuntimeProblem) in
      var result: InputValues?
      try withUnsafePointer(to: row) { (rows) throws(RuntimeProblem) in
        result = try decisions.values(rows, 1, execution)
      }
      return result
    }
    guard let values else { return nil }
    // Copied, as for any record with links: the values go with the execution.
    let origin = Origin(
      values: values, position: 0, context: context, layouts: program.layouts, row: row, keepsValues: true)
    guard let decided = try stage(record, role: .assignment, origin).first else { return nil }
    stage.records[decided].row = row
    return decided
  }
}

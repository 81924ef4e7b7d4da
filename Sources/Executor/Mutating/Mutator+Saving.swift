import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// Records into the store: rows first, then links, then what must be complete.
extension Mutator {
  func save(
    _ program: MutationProgram, _ constants: InputValues, _ context: MutationContext
  ) throws(MutationProblem) {
    let mutation = program.mutation
    parameterPlaces = mutation.constants.parameters
    var origin = Origin(values: constants, position: 0, context: context, layouts: program.layouts)
    origin.replaces = mutation.conflict?.strategy == .replace
    for row in mutation.rows { _ = try stage(row, role: .row, origin) }
    try saveRecords(from: 0, program, context, constants.execution)
    try link(program)
    try checkComplete(program)
    // A later row may have taken the place of an earlier one.
    answered.removeAll { !transaction.isLive(mutation.type, $0) }
  }

  /// Saves the records from a number on, those that are added meanwhile included.
  func saveRecords(
    from first: Int, _ program: MutationProgram, _ context: MutationContext, _ execution: Execution
  ) throws(MutationProblem) {
    var number = first
    while number < stage.records.count {
      if number & 1023 == 1023 { try checkpoint(execution) }
      if stage.records[number].role != .assignment {
        try save(number, program, context)
        if stage.records[number].isSkipped {
          number = stage.records[number].end
          continue
        }
      }
      number += 1
    }
  }

  private func save(_ number: Int, _ program: MutationProgram, _ context: MutationContext) throws(MutationProblem) {
    let record = stage.records[number]
    let layout = program.layouts[record.type]
    if record.role == .element {
      // Where its owner is not saved, nor is it.
      if stage.records[record.owner].row != PageLayout.noRow { return try create(number, layout, program, context) }
      stage.records[number].isSkipped = true
      return
    }
    let isRow = record.role == .row
    var existing: UInt32?
    if isRow {
      if let conflict = program.mutation.conflict { existing = try find(conflict.index, number) }
    } else {
      existing = try find(layout.primaryIndex, number)
    }
    if let existing {
      try meet(existing, number, layout, program, context)
    } else {
      try create(number, layout, program, context)
    }
    if isRow, stage.records[number].row != PageLayout.noRow { answered.append(stage.records[number].row) }
  }

  private func find(_ index: IndexID, _ number: Int) throws(MutationProblem) -> UInt32? {
    let record = stage.records[number]
    do {
      return try transaction.findRow(index, cells: stage.cells + record.base, valid: stage.valid + record.base)
    } catch {
      throw problem(error, at: record.source)
    }
  }

  // MARK: - Creating

  private func create(
    _ number: Int, _ layout: InputLayout, _ program: MutationProgram, _ context: MutationContext
  ) throws(MutationProblem) {
    let record = stage.records[number]
    for (column, value) in layout.defaults where !stage.given[record.base + column] {
      switch value {
      case .cell(let cell): stage.cells[record.base + column] = cell
      case .now: stage.cells[record.base + column] = Cell(context.now)
      }
      stage.valid[record.base + column] = true
    }
    var isIncomplete = !layout.requiredRelations.isEmpty
    for column in layout.required where !stage.valid[record.base + column] {
      // An object inside another may be completed by a row of its own.
      if record.role != .fragment || layout.isKey[column] { throw missing(column, record, layout) }
      isIncomplete = true
    }
    change()
    var attempts = 0
    while true {
      do {
        let row = try transaction.insert(
          layout.type, cells: stage.cells + record.base, valid: stage.valid + record.base)
        stage.records[number].row = row
        switch record.role {
        case .row: inserted.append(row)
        case .fragment: fragments.insert(DeletedRow(type: layout.type, row: row))
        case .element, .assignment: break
        }
        if isIncomplete { incomplete.append(number) }
        return
      } catch .uniqueViolation(let index, let existing, let other) {
        attempts += 1
        if index == layout.primaryIndex, record.role == .row, program.mutation.kind == .insert,
          fragments.remove(DeletedRow(type: layout.type, row: existing)) != nil
        {
          try patch(existing, number, layout)
          stage.records[number].row = existing
          inserted.append(existing)
          incomplete.append(number)
          return
        }
        var decision = decide(index, existing, number)
        // Each replacement takes one entity away; a resolver that goes on forever must not.
        if attempts > catalog[layout.type].indexes.count + 1 { decision = .fail }
        switch decision {
        case .fail: throw problem(.uniqueViolation(index: index, existing: existing, row: other), at: record.source)
        case .keep:
          stage.records[number].row = existing
          stage.records[number].isSkipped = true
          return
        case .patch:
          try patch(existing, number, layout)
          stage.records[number].row = existing
          stage.records[number].keepsForNull = true
          return
        case .replace: try remove(existing, layout.type, at: record.source)
        }
      } catch {
        throw problem(error, at: record.source)
      }
    }
  }

  func missing(_ column: Int, _ record: InputStage.Record, _ layout: InputLayout) -> MutationProblem {
    problem(
      .missingValue(type: layout.name, field: layout.columns[column].name, entity: nil), at: record.source,
      column: ColumnID(column))
  }

  /// Deletes an entity whose place another takes.
  private func remove(_ row: UInt32, _ type: EntityTypeID, at source: InputStage.Source) throws(MutationProblem) {
    change()
    do { try transaction.delete(type, row) } catch { throw problem(error, at: source) }
  }

  // MARK: - Entities that are there

  private func meet(
    _ row: UInt32, _ number: Int, _ layout: InputLayout, _ program: MutationProgram, _ context: MutationContext
  ) throws(MutationProblem) {
    stage.records[number].row = row
    guard stage.records[number].role == .row, let conflict = program.mutation.conflict else {
      stage.records[number].keepsForNull = true
      return try patch(row, number, layout)
    }
    // The decisions see the entity as it was before the strategy.
    let decided = try decisions(row, number, conflict, program, context)
    touched.insert(row)
    switch conflict.strategy {
    case .fail:
      let record = stage.records[number]
      throw problem(.uniqueViolation(index: conflict.index, existing: row, row: nil), at: record.source)
    case .keep: stage.records[number].isSkipped = true
    case .replace: try replace(row, number, layout)
    case .patch:
      stage.records[number].keepsForNull = true
      try patch(row, number, layout)
    case .append:
      stage.records[number].keepsForNull = true
      stage.records[number].appends = true
      try append(row, number, layout)
    case .lastWriteWins:
      stage.records[number].keepsForNull = true
      try lastWrite(row, number, layout, by: conflict.by)
    }
    if let decided { try assign(row, decided, layout) }
  }

  func value(_ row: UInt32, _ column: Int, _ layout: InputLayout) -> Cell? {
    let reader = transaction.column(layout.type, ColumnID(column))
    return reader.isNull(row) ? nil : reader.cell(row, kind: layout.columns[column].kind)
  }

  /// Non-null values overwrite; the primary key stays.
  private func patch(_ row: UInt32, _ number: Int, _ layout: InputLayout) throws(MutationProblem) {
    let base = stage.records[number].base
    for column in layout.columns.indices
    where stage.given[base + column] && stage.valid[base + column] && !layout.isKey[column] {
      try put(row, column, stage.cells[base + column], number, layout)
    }
    finishObjects(row, number, layout)
  }

  /// After the values of a patch: what embedded objects lack, and those that are null, which say nothing.
  private func finishObjects(_ row: UInt32, _ number: Int, _ layout: InputLayout) {
    clearWithin(row, number, layout)
    let base = stage.records[number].base
    for property in layout.properties {
      guard case .embedded(_, let presence, _) = property.storage, !stage.valid[base + Int(presence.index)] else {
        continue
      }
      forget(property.storage, base)
    }
  }

  /// What the record says of an embedded object is not written, nor are links in it.
  private func forget(_ storage: PropertyStorage, _ base: Int) {
    for column in storage.columns { stage.given[base + Int(column.index)] = false }
  }

  /// An embedded object is one value: where it is given, what it lacks is null.
  private func clearWithin(_ row: UInt32, _ number: Int, _ layout: InputLayout) {
    let base = stage.records[number].base
    for property in layout.properties {
      guard case .embedded(_, let presence, let fields) = property.storage,
        stage.given[base + Int(presence.index)], stage.valid[base + Int(presence.index)]
      else { continue }
      for field in fields { clear(field, row, base, layout) }
    }
  }

  private func clear(_ storage: PropertyStorage, _ row: UInt32, _ base: Int, _ layout: InputLayout) {
    switch storage {
    case .relation, .members, .computed: break
    case .column(let column, _):
      if stage.given[base + Int(column.index)], !stage.valid[base + Int(column.index)] {
        // Cannot be refused: null is in no unique index.
        try? transaction.update(layout.type, row, column, nil)
      }
    case .embedded(_, let presence, let fields):
      clear(.column(presence, folded: nil), row, base, layout)
      for field in fields { clear(field, row, base, layout) }
    }
  }

  private func replace(_ row: UInt32, _ number: Int, _ layout: InputLayout) throws(MutationProblem) {
    let base = stage.records[number].base
    for column in layout.required where !stage.valid[base + column] && !layout.isKey[column] {
      throw missing(column, stage.records[number], layout)
    }
    for column in layout.columns.indices where layout.isStored[column] && !layout.isKey[column] {
      try put(row, column, stage.valid[base + column] ? stage.cells[base + column] : nil, number, layout)
    }
  }

  private func append(_ row: UInt32, _ number: Int, _ layout: InputLayout) throws(MutationProblem) {
    let base = stage.records[number].base
    for column in layout.columns.indices
    where stage.given[base + column] && stage.valid[base + column] && !layout.isKey[column] {
      var cell = stage.cells[base + column]
      // An embedded object is one value, so lists in it do not grow.
      if case .list = layout.columns[column].type, !layout.isWithinObject[column], let old = value(row, column, layout)
      {
        cell = stage.joined(old, cell, layout.columns[column].type)
      }
      try put(row, column, cell, number, layout)
    }
    finishObjects(row, number, layout)
  }

  /// The newer is the truth, and takes from the older what it lacks; the one that is there wins a tie.
  private func lastWrite(
    _ row: UInt32, _ number: Int, _ layout: InputLayout, by: ColumnID?
  ) throws(MutationProblem) {
    guard let by else { return }
    let base = stage.records[number].base
    let column = Int(by.index)
    let old = value(row, column, layout)
    var isNewer = false
    if stage.valid[base + column] {
      isNewer = old.map { CellOrder.compare(stage.cells[base + column], $0, layout.columns[column].type) > 0 } ?? true
    }
    if isNewer { return try patch(row, number, layout) }
    stage.records[number].fillsOnly = true
    for property in layout.properties {
      guard case .embedded(_, let presence, _) = property.storage else { continue }
      let place = Int(presence.index)
      // One that is there lacks nothing.
      if !stage.valid[base + place] || value(row, place, layout) != nil { forget(property.storage, base) }
    }
    for column in layout.columns.indices
    where stage.given[base + column] && stage.valid[base + column] && !layout.isKey[column]
      && value(row, column, layout) == nil
    {
      try put(row, column, stage.cells[base + column], number, layout)
    }
  }

  /// Writes one value; `number` is the record that it comes from.
  func put(
    _ row: UInt32, _ column: Int, _ cell: Cell?, _ number: Int, _ layout: InputLayout
  ) throws(MutationProblem) {
    let source = stage.records[number].source
    if cell == nil, layout.columns[column].isNonNull {
      throw problem(
        .missingValue(
          type: layout.name, field: layout.columns[column].name, entity: identity(layout.type, row)), at: source,
        column: ColumnID(column))
    }
    change()
    if fieldView != nil { touched.insert(row) }
    var attempts = 0
    while true {
      do {
        return try transaction.update(layout.type, row, ColumnID(column), cell)
      } catch .uniqueViolation(let index, let existing, let other) {
        attempts += 1
        let decision = attempts > 2 ? ConflictDecision.fail : decide(index, existing, number)
        switch decision {
        case .replace: try remove(existing, layout.type, at: source)
        case .keep: return
        case .fail, .patch:
          throw problem(.uniqueViolation(index: index, existing: existing, row: other), at: source)
        }
      } catch {
        throw problem(error, at: source)
      }
    }
  }

  // MARK: - Decisions

  /// Evaluates `set:` for an entity that is there; the number of the record with what it says.
  private func decisions(
    _ row: UInt32, _ number: Int, _ conflict: BoundConflict, _ program: MutationProgram, _ context: MutationContext
  ) throws(MutationProblem) -> Int? {
    guard let decisions = program.decisions, let record = conflict.record else { return nil }
    if !conflict.looksAround, !touched.contains(row), let fieldView, Int(row) < fieldView.slotCount(stage.records[number].type) {
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

  /// Writes what an assignment gives, null included.
  func assign(_ row: UInt32, _ number: Int, _ layout: InputLayout) throws(MutationProblem) {
    let base = stage.records[number].base
    for column in layout.columns.indices where stage.given[base + column] {
      try put(row, column, stage.valid[base + column] ? stage.cells[base + column] : nil, number, layout)
    }
  }
}

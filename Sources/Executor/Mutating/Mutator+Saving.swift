import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Records into the store: rows first, then links, then what must be complete.
extension Mutator {
  func save(
    _ program: MutationProgram, _ constants: InputValues, _ context: MutationContext
  ) throws(MutationProblem) {
    var origin = Origin(values: constants, position: 0, context: context, layouts: program.layouts)
    origin.replaces = program.mutation.conflict?.strategy == .replace
    origin.refusesNullLists =
      program.mutation.kind == .insert || origin.replaces || program.mutation.conflict?.strategy == .fail
    for row in program.mutation.rows { _ = try stage(row, role: .row, origin) }
    if !stage.links.isEmpty, resolvers.isEmpty { TargetSearch(program, transaction).settle(&stage) }
    if isContinuing, !reach(program).takes(stage) { throw outgrown(at: .range(program.mutation.range)) }
    try saveRecords(from: 0, program, context, constants.execution)
    try link(program, constants.execution)
    try checkComplete(program, constants.execution)
    // A later row may have taken the place of an earlier one.
    dropDead(program.mutation.type)
  }

  /// Saves the records from a number on, those that are added meanwhile included.
  func saveRecords(
    from first: Int, _ program: MutationProgram, _ context: MutationContext, _ execution: Execution
  ) throws(MutationProblem) {
    var number = first
    while number < stage.records.count {
      try checkpoint(at: number, execution)
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
      throw problem(error, at: record.origin)
    }
  }

  // MARK: - Creating

  private func create(
    _ number: Int, _ layout: EntityLayout, _ program: MutationProgram, _ context: MutationContext
  ) throws(MutationProblem) {
    let record = stage.records[number]
    for (column, value) in layout.defaults where !stage.given[record.base + column] {
      switch value {
      case .cell(let cell): stage.cells[record.base + column] = cell
      case .now: stage.cells[record.base + column] = Cell(context.now)
      }
      stage.valid[record.base + column] = true
    }
    var isIncomplete = !layout.requiredRelations.isEmpty || !layout.requiredWithin.isEmpty
    for column in layout.required where !stage.valid[record.base + column] {
      // An object inside another may be completed by a row of its own.
      if record.role != .fragment || layout.isKey[column] { throw missing(column, record, layout) }
      isIncomplete = true
    }
    var attempts = 0
    while true {
      do {
        let row = try writing { () throws(StoreProblem) in
          try transaction.insert(layout.type, cells: stage.cells + record.base, valid: stage.valid + record.base)
        }
        stage.records[number].row = row
        switch record.role {
        case .row: inserted.append(row)
        case .fragment: fragments.insert(DeletedRow(type: layout.type, row: row))
        case .element, .reference, .assignment: break
        }
        if isIncomplete { incomplete.append(number) }
        break
      } catch .uniqueViolation(let index, let existing, let other) {
        attempts += 1
        if index == layout.primaryIndex, record.role == .row, program.mutation.kind == .insert,
          fragments.remove(DeletedRow(type: layout.type, row: existing)) != nil
        {
          try write(existing, number, layout, by: .define)
          stage.records[number].row = existing
          inserted.append(existing)
          incomplete.append(number)
          return
        }
        var decision = decide(index, existing, number)
        // Each replacement takes one entity away; a resolver that goes on forever must not.
        if attempts > catalog[layout.type].indexes.count + 1 { decision = .fail }
        switch decision {
        case .fail: throw problem(.uniqueViolation(index: index, existing: existing, row: other), at: record.origin)
        case .keep:
          stage.records[number].row = existing
          stage.records[number].isSkipped = true
          return
        case .patch:
          try patch(existing, number, layout)
          stage.records[number].row = existing
          stage.records[number].keepsForNull = true
          return
        case .replace: try remove(existing, layout.type, at: sources[record.origin.start])
        }
      } catch {
        throw problem(error, at: record.origin)
      }
    }
    try checkCopied(at: sources[record.origin.start])
  }

  func missing(_ column: Int, _ record: RecordStage.Record, _ layout: EntityLayout) -> MutationProblem {
    problem(
      .missingValue(type: layout.name, field: layout.columns[column].name, entity: nil), at: record.origin,
      column: ColumnID(column))
  }

  /// Deletes an entity whose place another takes.
  func remove(_ row: UInt32, _ type: EntityTypeID, at source: InputSource) throws(MutationProblem) {
    if isContinuing,
      !transaction.isDeletedAlone(
        type, row, links: PointMutation.maximumLinks, listed: PointMutation.maximumListed)
    {
      throw outgrown(at: source)
    }
    do {
      for gone in try writing({ () throws(StoreProblem) in try transaction.delete(type, row) }) {
        guard let emptied, gone.type == emptied.type, emptied.waiting.contains(gone.row) else { continue }
        // It was deleted before it got its new values: what it is kept with are the old ones.
        for column in emptied.columns {
          let reader = emptied.before.column(gone.type, column)
          guard !reader.isNull(gone.row) else { continue }
          try transaction.writeDeleted(
            gone.type, gone.row, column, reader.wholeCell(gone.row, kind: catalog[gone.type][column].kind))
        }
      }
    } catch {
      throw problem(error, at: source)
    }
  }
}

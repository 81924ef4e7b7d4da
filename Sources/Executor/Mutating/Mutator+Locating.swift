import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Changes of entities that a condition finds.
extension Mutator {
  // MARK: - Update

  func update(_ program: MutationProgram, _ context: MutationContext) throws(MutationProblem) {
    // Looked at only: to bind the assignment would copy it.
    guard let locate = program.locate, program.mutation.assignment != nil else { return }
    let type = program.mutation.type
    let layout = program.layouts[type]
    parameterPlaces = program.mutation.constants.parameters
    // Everything is evaluated on this version, whatever is written meanwhile.
    let view = snapshot()
    let execution = locate.begin(context, on: view)
    defer { locate.end(execution) }
    defer { found.rest() }
    try running { () throws(RuntimeProblem) in try locate.rows(execution, into: &found) }
    let total = found.rows.count
    // The view is what it was until the first change only.
    if isContinuing, total > 1 || hasLongPostings(layout) { throw outgrown(at: .range(program.mutation.range)) }
    answered.reserveCapacity(total)
    for index in 0..<total { answered.append(found.rows[index]) }
    if isContinuing, total == 1 { transaction.touchCells(type, found.rows[0], program.assignedColumns) }
    try freeUniqueKeys(program.mutation.assignment, layout, context, execution, before: view)
    // Records with links keep what they say until all rows are in; others are written before the next batch.
    let releases = program.assignsCellsOnly && locate.releasesScratch
    var start = 0
    while start < total {
      try checkpoint(execution)
      let count = min(ScopeRows.batchRows, total - start)
      let rows = UnsafePointer(found.rows.base + start)
      let mark = execution.scratch.mark
      let values = try running { () throws(RuntimeProblem) in try locate.values(rows, count, execution) }
      for position in 0..<count {
        let row = rows[position]
        // A unique value that replaces may have taken it away.
        guard transaction.isLive(type, row) else { continue }
        let origin = Origin(
          values: values, position: position, context: context, layouts: program.layouts, row: row)
        let number: Int
        // Going through the optional itself would count references to what it holds.
        switch program.mutation.assignment {
        case nil: continue
        case .record(let record): number = try stage(record, role: .assignment, origin)
        case .some(let assignment):
          guard let staged = try stage(assignment, role: .assignment, origin).first else { continue }
          if isContinuing, !isStageWithinPoint || !stage.links.isEmpty {
            throw outgrown(at: .range(program.mutation.range))
          }
          number = staged
        }
        stage.records[number].row = row
        try assign(row, number, layout)
        emptied?.waiting.remove(row)
        if program.assignsCellsOnly {
          let first = stage.records[number].origin.start
          while sources.count > first { sources.removeLast() }
          stage.removeLast()
        }
      }
      if releases { execution.scratch.release(to: mark) }
      start += count
    }
    try saveRecords(from: 0, program, context, execution)
    try link(program, execution)
    try checkComplete(program, execution)
    dropDead(type)
  }

  /// Leaves out of the answer what is not there any more.
  func dropDead(_ type: EntityTypeID) {
    // To remove nothing costs more than to look.
    if !answered.allSatisfy({ transaction.isLive(type, $0) }) {
      answered.removeAll { !transaction.isLive(type, $0) }
    }
  }

  /// Takes the values of unique fields from all entities that get others, so that values may move among them.
  private func freeUniqueKeys(
    _ assignment: BoundInput?, _ layout: EntityLayout, _ context: MutationContext, _ execution: Execution,
    before view: Snapshot
  ) throws(MutationProblem) {
    // A single entity exchanges values with no other.
    guard answered.count > 1 else { return }
    let entity = catalog[layout.type]
    let written: Set<ColumnID>
    switch assignment {
    case nil: return
    case .record(let record): written = Set(record.cells.filter { context.isWritten($0) }.map(\.column))
    case .variable(let parameter, _, _):
      guard context.parameters.indices.contains(parameter), case .object(let members)? = context.parameters[parameter]
      else { return }
      written = Set(members.compactMap { layout.property($0.name, near: 0)?.storage.columns }.joined())
    }
    var unique: Set<ColumnID> = []
    for index in entity.indexes where catalog[index].isUnique || catalog[index].isPrimary {
      unique.formUnion(catalog[index].columns.map { entity[$0].foldedFrom ?? $0 }.filter { written.contains($0) })
    }
    guard !unique.isEmpty else { return }
    change()
    let columns = unique.sorted()
    emptied = EmptiedKeys(type: layout.type, columns: columns, waiting: Set(answered), before: view)
    for (number, row) in answered.enumerated() {
      try checkpoint(at: number, execution)
      for column in columns {
        let reader = transaction.column(layout.type, column)
        guard !reader.isNull(row) else { continue }
        free(row, Int(column.index), layout, reader.wholeCell(row, kind: layout.columns[Int(column.index)].kind))
      }
    }
  }

  // MARK: - Delete

  /// True if the answer is written: it shows the entities as they were.
  func delete(
    _ program: MutationProgram, _ constants: InputValues, _ context: MutationContext, into output: inout ByteBuffer
  ) throws(MutationProblem) -> Bool {
    let isHard = program.mutation.isHard.map { constants.isTrue($0) } ?? false
    try find(program.locate, context)
    if isHard {
      try find(program.locateDeleted, context, deletedOf: program.mutation.type)
      answered.sort()
    }
    if isContinuing {
      let isPoint =
        answered.count <= 1 && !hasLongPostings(program.layouts[program.mutation.type])
        && answered.allSatisfy {
          transaction.isDeletedAlone(
            program.mutation.type, $0, links: PointMutation.maximumLinks, listed: PointMutation.maximumListed)
        }
      if !isPoint { throw outgrown(at: .range(program.mutation.range)) }
    }
    try answer(program, context, into: &output)
    guard !answered.isEmpty else { return true }
    if isHard { RowHistory(in: transaction).erase(program.mutation.type, rows: answered) }
    // The store deletes all as one, so that none is kept by another, and asks on its way whether it is to stop.
    do {
      _ = try writing { () throws(StoreProblem) in
        try transaction.delete(program.mutation.type, rows: answered, keeps: !isHard)
      }
    } catch {
      throw problem(error, at: .range(program.mutation.range))
    }
    return true
  }

  /// Adds the rows that a condition finds; with a type, among its deleted entities.
  private func find(
    _ locate: ValueProgram?, _ context: MutationContext, deletedOf type: EntityTypeID? = nil
  ) throws(MutationProblem) {
    guard let locate else { return }
    let view = snapshot()
    let execution = locate.begin(context, on: view)
    defer { locate.end(execution) }
    if let type {
      let count = view.deletedCount(type)
      let rows = execution.scratch.allocate(UInt32.self, count: count)
      view.deletedRows(type, into: rows)
      execution.given = UnsafeBufferPointer(start: rows, count: count)
    }
    defer { found.rest() }
    try running { () throws(RuntimeProblem) in try locate.rows(execution, into: &found) }
    for index in 0..<found.rows.count { answered.append(found.rows[index]) }
  }

  /// Forgets the history of entities, live and deleted.
  func erase(_ program: MutationProgram, _ context: MutationContext) throws(MutationProblem) {
    try find(program.locate, context)
    try find(program.locateDeleted, context, deletedOf: program.mutation.type)
    answered.sort()
    if !answered.isEmpty { change() }
    RowHistory(in: transaction).erase(program.mutation.type, rows: answered)
  }

  // MARK: - Restore

  func restore(_ program: MutationProgram, _ context: MutationContext) throws(MutationProblem) {
    let type = program.mutation.type
    try find(program.locateDeleted, context, deletedOf: type)
    guard !answered.isEmpty else { return }
    change()
    // All as one, so that none waits for another; as for a deletion.
    do {
      try transaction.restore(type, rows: answered)
    } catch {
      if case .requiredReference(let relation, let row) = error {
        let place = place(catalog[relation], row)
        let loss = transaction.lostLink(relation, of: row)
        throw problem(
          .lostReference(type: place.type, entity: place.entity, field: place.field, loss),
          at: .range(program.mutation.range))
      }
      throw problem(error, at: .range(program.mutation.range))
    }
  }
}

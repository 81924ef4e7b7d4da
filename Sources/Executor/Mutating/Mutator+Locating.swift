import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Changes of entities that a condition finds.
extension Mutator {
  // MARK: - Update

  /// - Parameter opened: What the operation began with.
  func update(_ program: MutationProgram, _ context: MutationContext, _ opened: Execution) throws(MutationProblem) {
    guard let locate = program.locate else { return }
    let type = program.mutation.type
    let layout = program.layouts[type]
    // Everything is evaluated on this version, whatever is written meanwhile.
    let isOpen = program.opening === locate
    let execution = isOpen ? opened : begin(locate, context)
    defer { if !isOpen { locate.end(execution) } }
    defer { found.rest() }
    try running { () throws(RuntimeProblem) in try locate.rows(execution, in: transaction, into: &found) }
    let total = found.rows.count
    // The view is what it was until the first change only.
    if isContinuing, total > 1 || reach(program).hasLongPostings { throw outgrown(at: .range(program.mutation.range)) }
    answered.reserveCapacity(total)
    for index in 0..<total { answered.append(found.rows[index]) }
    // A single entity exchanges values with no other.
    if total > 1 { try freeUniqueKeys(program.mutation.assignment, layout, context, execution) }
    // A program that decides about unique values is shown a record.
    let assignment = resolvers.isEmpty ? program.cellAssignment : nil
    if isContinuing, total == 1, let assignment {
      transaction.touchCells(type, found.rows[0], assignment.columns)
    }
    // Records with links keep what they say until all rows are in; cells are written before the next batch.
    let releases = assignment != nil && locate.releasesScratch
    var start = 0
    while start < total {
      // The operation has begun with one.
      if start > 0 { try checkpoint(execution) }
      let count = min(ScopeRows.batchRows, total - start)
      let rows = UnsafePointer(found.rows.base + start)
      let mark = execution.scratch.mark
      let values = try running { () throws(RuntimeProblem) in try locate.values(rows, count, execution) }
      for position in 0..<count {
        let row = rows[position]
        // A unique value that replaces may have taken it away.
        guard transaction.isLive(type, row) else { continue }
        if let assignment {
          try assign(assignment, to: row, layout, values, position, context)
        } else if let assignment = program.mutation.assignment {
          let origin = Origin(
            values: values, position: position, context: context, layouts: program.layouts, row: row)
          guard let number = try stage(assignment, role: .assignment, origin).first else { continue }
          if isContinuing, !reach(program).holds(stage) || !stage.links.isEmpty {
            throw outgrown(at: .range(program.mutation.range))
          }
          stage.records[number].row = row
          try write(row, number, layout, by: .assign)
          if program.cellAssignment != nil { removeLastRecord() }
        }
        if emptied != nil { emptied?.waiting.remove(row) }
      }
      if releases { execution.scratch.release(to: mark) }
      start += count
    }
    if !stage.records.isEmpty {
      try saveRecords(from: 0, program, context, execution)
      try link(program, execution)
      try checkComplete(program, execution)
    }
    dropDead(type)
  }

  /// Forgets the last record, which is written. Precondition: it has no links.
  private func removeLastRecord() {
    let first = stage.records[stage.records.count - 1].origin.start
    while sources.count > first { sources.removeLast() }
    stage.removeLast()
  }

  /// Writes the cells of an assignment to a row, without a record between.
  private func assign(
    _ assignment: CellAssignment, to row: UInt32, _ layout: EntityLayout, _ values: InputValues, _ position: Int,
    _ context: MutationContext
  ) throws(MutationProblem) {
    merge.begin(layout)
    for place in 0..<assignment.cells.count {
      let cell = assignment.cells[place]
      guard let number = context.value(of: cell) else { continue }
      let column = Int(cell.column.index)
      let value = values.cell(number, position)
      if let value, layout.refusesNullElements[column] { try refuseNullElement(value, column, layout, at: cell.range) }
      if layout.isStored[column] { merge.set(column, value) }
    }
    try writeMerged(row, of: .cells(assignment), layout)
  }

  /// Leaves out of the answer what is not there any more.
  func dropDead(_ type: EntityTypeID) {
    // To remove nothing costs more than to look.
    // By places: going through the list itself would count a reference to it.
    for place in 0..<answered.count where !transaction.isLive(type, answered[place]) {
      answered.removeAll { !transaction.isLive(type, $0) }
      return
    }
  }

  /// Takes the values of unique fields from all entities that get others, so that values may move among them.
  private func freeUniqueKeys(
    _ assignment: BoundInput?, _ layout: EntityLayout, _ context: MutationContext, _ execution: Execution
  ) throws(MutationProblem) {
    let entity = catalog[layout.type]
    let written: Set<ColumnID>
    switch assignment {
    case nil: return
    case .record(let record): written = Set(record.cells.filter { context.value(of: $0) != nil }.map(\.column))
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
    emptied = EmptiedKeys(type: layout.type, columns: columns, waiting: Set(answered), before: execution.snapshot)
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

  /// True if the answer is written: it shows the entities as they were. `opened` is what the operation began with.
  func delete(
    _ program: MutationProgram, _ constants: InputValues, _ context: MutationContext, _ opened: Execution,
    into output: inout ByteBuffer
  ) throws(MutationProblem) -> Bool {
    let isHard = program.mutation.isHard.map { constants.isTrue($0) } ?? false
    try find(program.locate, context, program.opening === program.locate ? opened : nil)
    if isHard {
      try find(program.locateDeleted, context, deletedOf: program.mutation.type)
      answered.sort()
    }
    if isContinuing {
      let isPoint =
        answered.count <= 1 && !reach(program).hasLongPostings
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

  /// Adds the rows that a condition finds; with a type, among its deleted entities. It may be `opened` already.
  private func find(
    _ locate: ValueProgram?, _ context: MutationContext, _ opened: Execution? = nil, deletedOf type: EntityTypeID? = nil
  ) throws(MutationProblem) {
    guard let locate else { return }
    let execution = opened ?? begin(locate, context)
    defer { if opened == nil { locate.end(execution) } }
    if let type {
      let count = execution.snapshot.deletedCount(type)
      let rows = execution.scratch.allocate(UInt32.self, count: count)
      execution.snapshot.deletedRows(type, into: rows)
      execution.given = UnsafeBufferPointer(start: rows, count: count)
    }
    defer { found.rest() }
    try running { () throws(RuntimeProblem) in try locate.rows(execution, in: transaction, into: &found) }
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

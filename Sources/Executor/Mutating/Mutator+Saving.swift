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
    let origin = Origin(values: constants, position: 0, context: context, layouts: program.layouts)
    for row in mutation.rows { _ = try stage(row, mutation.type, role: .row, origin) }
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
      if record.role == .row || layout.isKey[column] { throw missing(column, record, layout) }
      isIncomplete = true
    }
    change()
    var attempts = 0
    while true {
      do {
        let row = try transaction.insert(
          layout.type, cells: stage.cells + record.base, valid: stage.valid + record.base)
        stage.records[number].row = row
        if record.role == .row {
          inserted.append(row)
        } else {
          fragments.insert(DeletedRow(type: layout.type, row: row))
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
  func remove(_ row: UInt32, _ type: EntityTypeID, at source: InputStage.Source) throws(MutationProblem) {
    change()
    do { try transaction.delete(type, row) } catch { throw problem(error, at: source) }
  }

  // MARK: - Links

  /// Links what the records say, in their order, when all rows are in.
  func link(_ program: MutationProgram) throws(MutationProblem) {
    for link in stage.links {
      let record = stage.records[link.record]
      guard !isSkipped(link.record), record.row != PageLayout.noRow, transaction.isLive(record.type, record.row) else {
        continue
      }
      let relation = catalog[link.relation]
      if link.isNull, record.keepsForNull { continue }
      if record.fillsOnly, link.mode == .assign, !isEmpty(relation, record.row) { continue }
      var mode = link.mode
      if mode == .assign { mode = record.appends ? .append : .set }
      var rows: [UInt32] = []
      for target in stage.targets[link.first..<(link.first + link.count)] {
        let row = try resolve(target, relation, link, mode)
        // Another entity may have taken its place, and its unique value, meanwhile.
        if row != PageLayout.noRow, transaction.isLive(relation.target, row) { rows.append(row) }
      }
      if rows.isEmpty, !link.isNull, !relation.isToMany { continue }
      change()
      do {
        try apply(rows, mode, relation, record.row)
      } catch {
        throw problem(error, at: link.source)
      }
    }
  }

  /// Whether the record, or one that it stands in, is not saved.
  private func isSkipped(_ number: Int) -> Bool { stage.records[number].isSkipped }

  private func isEmpty(_ relation: Relation, _ row: UInt32) -> Bool {
    let reader = transaction.column(relation.source, relation.column)
    return relation.isToMany ? reader.references(row).isEmpty : reader.reference(row) == PageLayout.noRow
  }

  private func resolve(
    _ target: InputStage.Target, _ relation: Relation, _ link: InputStage.Link, _ mode: BoundLink.Mode
  ) throws(MutationProblem) -> UInt32 {
    switch target {
    case .row(let row): return row
    case .record(let number): return stage.records[number].row
    case .key(let key, let source):
      if let row = withUnsafePointer(to: key, { transaction.findRow(relation.target, key: $0) }) { return row }
      throw problem(
        .unknownID(
          type: catalog[relation.target].name, field: "\(catalog[relation.source].name).\(name(relation))",
          id: json(key, keyType(relation.target))),
        at: source)
    }
  }

  private func apply(
    _ rows: [UInt32], _ mode: BoundLink.Mode, _ relation: Relation, _ source: UInt32
  ) throws(StoreProblem) {
    guard relation.isToMany else {
      switch mode {
      case .remove:
        for row in rows { try transaction.removeReference(relation.id, source: source, target: row) }
      case .assign, .set, .append: try transaction.setReference(relation.id, source: source, target: rows.first)
      }
      return
    }
    switch mode {
    case .assign, .set:
      try rows.withUnsafeBufferPointer { (rows) throws(StoreProblem) in
        try transaction.setReferences(relation.id, source: source, targets: rows)
      }
    case .append:
      for row in rows { try transaction.appendReference(relation.id, source: source, target: row) }
    case .remove:
      for row in rows { try transaction.removeReference(relation.id, source: source, target: row) }
    }
  }

  // MARK: - Completeness

  func checkComplete(_ program: MutationProgram) throws(MutationProblem) {
    for number in incomplete {
      let record = stage.records[number]
      let layout = program.layouts[record.type]
      guard record.row != PageLayout.noRow, transaction.isLive(record.type, record.row) else { continue }
      for column in layout.required where value(record.row, column, layout) == nil {
        throw missing(column, record, layout)
      }
      for relation in layout.requiredRelations where isEmpty(relation, record.row) {
        throw problem(
          .missingValue(type: layout.name, field: layout.name(of: relation), entity: identity(layout.type, record.row)),
          at: record.source)
      }
    }
  }
}

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
    switch conflict.strategy {
    case .fail:
      let record = stage.records[number]
      throw problem(.uniqueViolation(index: conflict.index, existing: row, row: nil), at: record.origin)
    case .keep:
      stage.records[number].isSkipped = true
      try write(row, number, layout, decided) { _ in nil }
    case .replace: try replace(row, number, layout, decided)
    case .patch:
      stage.records[number].keepsForNull = true
      try patch(row, number, layout, decided)
    case .append:
      stage.records[number].keepsForNull = true
      stage.records[number].appends = true
      try append(row, number, layout, decided)
    case .lastWriteWins:
      stage.records[number].keepsForNull = true
      try lastWrite(row, number, layout, by: conflict.by, decided)
    }
  }

  // MARK: - Strategies

  func value(_ row: UInt32, _ column: Int, _ layout: EntityLayout) -> Cell? {
    let reader = transaction.column(layout.type, ColumnID(column))
    return reader.isNull(row) ? nil : reader.cell(row, kind: layout.columns[column].kind)
  }

  /// What a record says about a column where null says nothing; nil if it does not. An embedded object is one value:
  /// where it is given, what it lacks is null.
  private func said(_ column: Int, _ base: Int, _ layout: EntityLayout) -> Cell?? {
    if let presence = layout.presence[column] {
      guard stage.given[base + presence], stage.valid[base + presence] else { return nil }
      return .some(stage.valid[base + column] ? stage.cells[base + column] : nil)
    }
    guard stage.given[base + column], stage.valid[base + column] else { return nil }
    return .some(stage.cells[base + column])
  }

  /// Non-null values overwrite; the primary key stays.
  func patch(
    _ row: UInt32, _ number: Int, _ layout: EntityLayout, _ decided: Int? = nil
  ) throws(MutationProblem) {
    let base = stage.records[number].base
    try write(row, number, layout, decided) { said($0, base, layout) }
  }

  private func replace(
    _ row: UInt32, _ number: Int, _ layout: EntityLayout, _ decided: Int?
  ) throws(MutationProblem) {
    let base = stage.records[number].base
    for column in layout.required
    where !stage.valid[base + column] && !layout.isKey[column] && !isDecided(column, decided) {
      throw missing(column, stage.records[number], layout)
    }
    try write(row, number, layout, decided) { .some(stage.valid[base + $0] ? stage.cells[base + $0] : nil) }
  }

  private func append(
    _ row: UInt32, _ number: Int, _ layout: EntityLayout, _ decided: Int?
  ) throws(MutationProblem) {
    let base = stage.records[number].base
    for column in layout.columns.indices {
      if let (old, new) = joins(column, row, base, layout) {
        try checkElements(Int(old.high & 0xFFFF_FFFF) + Int(new.high & 0xFFFF_FFFF), at: stage.records[number].origin)
      }
    }
    try write(row, number, layout, decided) { column in
      guard let (old, new) = joins(column, row, base, layout) else { return said(column, base, layout) }
      return .some(memory.joined(old, new, layout.columns[column].type))
    }
  }

  /// Two lists that become one: that of the entity, and that of the record.
  private func joins(_ column: Int, _ row: UInt32, _ base: Int, _ layout: EntityLayout) -> (old: Cell, new: Cell)? {
    guard case .list = layout.columns[column].type, layout.presence[column] == nil,
      case .some(.some(let cell)) = said(column, base, layout), let old = value(row, column, layout)
    else { return nil }
    return (old, cell)
  }

  /// The newer is the truth, and takes from the older what it lacks; the one that is there wins a tie.
  private func lastWrite(
    _ row: UInt32, _ number: Int, _ layout: EntityLayout, by: ColumnID?, _ decided: Int?
  ) throws(MutationProblem) {
    guard let by else { return }
    let base = stage.records[number].base
    let column = Int(by.index)
    let old = value(row, column, layout)
    var isNewer = false
    if stage.valid[base + column] {
      let type = layout.columns[column].type
      isNewer = old.map { CellOrder.compare(stage.cells[base + column], $0, type, constants) > 0 } ?? true
      try checkStop()
    }
    if isNewer { return try patch(row, number, layout, decided) }
    stage.records[number].fillsOnly = true
    for property in layout.properties {
      guard case .embedded(_, let presence, _) = property.storage else { continue }
      // One that is there lacks nothing; links in it are not written either.
      if value(row, Int(presence.index), layout) != nil { stage.given[base + Int(presence.index)] = false }
    }
    try write(row, number, layout, decided) { column in
      value(row, layout.presence[column] ?? column, layout) == nil ? said(column, base, layout) : nil
    }
  }

  // MARK: - Writing

  private func isDecided(_ column: Int, _ decided: Int?) -> Bool {
    decided.map { stage.given[stage.records[$0].base + column] } ?? false
  }

  /// Writes what `said` gives for each column, but where `set:` decides.
  private func write(
    _ row: UInt32, _ number: Int, _ layout: EntityLayout, _ decided: Int?, _ said: (Int) -> Cell??
  ) throws(MutationProblem) {
    var writes = writeBuffer
    writeBuffer = []
    writes.removeAll(keepingCapacity: true)
    for column in layout.columns.indices where layout.isStored[column] {
      if let decided, isDecided(column, decided) {
        let place = stage.records[decided].base + column
        writes.append(ColumnWrite(column: column, cell: stage.valid[place] ? stage.cells[place] : nil, record: decided))
      } else if !layout.isKey[column], let cell = said(column) {
        writes.append(ColumnWrite(column: column, cell: cell, record: number))
      }
    }
    for columns in layout.compoundKeys { try freeKey(columns, row, layout, writes) }
    for write in writes { try put(row, write.column, write.cell, write.record, layout) }
    writeBuffer = writes
  }

  /// Takes the row out of a key of which more than one field changes until the last of them is written, so that no key
  /// is compared half written.
  private func freeKey(
    _ columns: [Int], _ row: UInt32, _ layout: EntityLayout, _ writes: [ColumnWrite]
  ) throws(MutationProblem) {
    var changes = 0
    var last = 0
    for write in writes where columns.contains(write.column) {
      let old = value(row, write.column, layout)
      if let old, let cell = write.cell {
        let isSame = CellOrder.isEqual(old, cell, layout.columns[write.column].type, constants)
        try checkStop()
        if isSame { continue }
      }
      if old == nil, write.cell == nil { continue }
      changes += 1
      last = write.column
    }
    guard changes > 1, let old = value(row, last, layout) else { return }
    change()
    free(row, last, layout, old)
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

  /// Writes one value; `number` is the record that it comes from.
  private func put(
    _ row: UInt32, _ column: Int, _ cell: Cell?, _ number: Int, _ layout: EntityLayout
  ) throws(MutationProblem) {
    let source = stage.records[number].origin
    if cell == nil, layout.columns[column].isNonNull {
      throw problem(
        .missingValue(
          type: layout.name, field: layout.columns[column].name, entity: identity(layout.type, row)), at: source,
        column: ColumnID(column))
    }
    if fieldView != nil { touched.insert(row) }
    var cell = cell
    var attempts = 0
    while true {
      do {
        try writing { () throws(StoreProblem) in
          try transaction.update(layout.type, row, ColumnID(column), cell)
        }
        break
      } catch .uniqueViolation(let index, let existing, let other) {
        attempts += 1
        let refused = problem(.uniqueViolation(index: index, existing: existing, row: other), at: source)
        switch attempts > 2 ? ConflictDecision.fail : decide(index, existing, number) {
        case .replace:
          try remove(existing, layout.type, at: source)
          // Its deletion may reach the entity that is to take its place.
          guard transaction.isLive(layout.type, row) else { throw refused }
        case .keep:
          guard let old = freed[FreedValue(row: row, column: column)] else { return }
          cell = old
          attempts = 2
        case .fail, .patch: throw refused
        }
      } catch {
        throw problem(error, at: source)
      }
    }
    try checkCopied(at: sources[source.start])
  }

  /// Writes what an assignment gives, null included.
  func assign(_ row: UInt32, _ number: Int, _ layout: EntityLayout) throws(MutationProblem) {
    let base = stage.records[number].base
    for column in layout.columns.indices where stage.given[base + column] {
      try put(row, column, stage.valid[base + column] ? stage.cells[base + column] : nil, number, layout)
    }
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

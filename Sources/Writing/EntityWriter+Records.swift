import GQLCatalog
import GQLStore

/// Records with what is nested in them as rows of the transaction.
extension EntityWriter {
  /// Writes a record: all of it or nothing. One that is a single row goes into the transaction with others of its type.
  package mutating func write(_ stage: inout RecordStage, _ source: Int) throws(WriteProblem) {
    if !leavesOutBad, isSingleRow(stage) { return try stageRow(stage, source) }
    // What it meets may be on its way.
    try flush(source, keepsTexts: true)
    for index in stage.records.indices {
      do throws(WriteProblem) {
        stage.records[index].row = try insert(index, of: &stage, source)
      } catch {
        if leavesOutBad { removeInserted(stage) }
        throw error
      }
    }
    for link in stage.links {
      let (number, target) = (Int(link.relation.index), catalog[link.relation].target)
      let row = stage.records[link.record].row
      for place in link.targets {
        var type: EntityTypeID?
        switch stage.targets[place] {
        case .key(let key, _): pending[number].append(row, key: kept(key, Int(target.index)))
        case .row(let found, let known):
          type = known
          pending[number].append(row, target: found)
        case .record(let nested):
          let nested = stage.records[nested]
          type = nested.type
          if nested.role == .reference {
            let key = stage.cells[nested.base + layouts[nested.type].keyColumns[0]]
            pending[number].append(row, key: kept(key, Int(nested.type.index)))
          } else {
            pending[number].append(row, target: nested.row)
          }
        }
        if layouts[target].isAbstract { pending[number].types.append(type) }
      }
    }
  }

  /// Returns a key that stays when the next record is read. What lies in the source stays anyway.
  func kept(_ key: Cell, _ type: Int) -> Cell {
    if let column = layouts[type].keyColumns.first, layouts[type].columns[column].kind != .text {
      return key
    }
    let text = TextView(key)
    guard !text.isInline else { return key }
    return text.withBytes { start, count in
      guard memory.contains(start) else { return key }
      let copy = keys.copy(UnsafeRawBufferPointer(start: start, count: count))
      return TextView(UnsafeRawPointer(copy), count: count, flags: key.low & 0xC000_0000).cell
    }
  }

  /// Takes back the rows that a record which is left out has put in; those that it has patched keep the patch.
  private mutating func removeInserted(_ stage: borrowing RecordStage) {
    for record in stage.records {
      let type = Int(record.type.index)
      let position = Int(record.row) - baseSlots[type]
      guard record.row != PageLayout.noRow, origins[type].indices.contains(position),
        origins[type][position].offset == record.origin.start, !origins[type][position].isRemoved
      else { continue }
      _ = try? transaction.delete(record.type, record.row)
      origins[type][position].isRemoved = true
    }
  }

  private mutating func insert(
    _ index: Int, of stage: inout RecordStage, _ source: Int
  ) throws(WriteProblem) -> UInt32 {
    let record = stage.records[index]
    let layout = layouts[record.type]
    // A bare id in a link is looked up with all other links, at the end.
    if record.role == .reference { return PageLayout.noRow }
    if layout.numbersRows, let column = layout.keyColumns.first, !stage.valid[record.base + column] {
      stage.set(record.base + column, nextNumber(layout))
    }
    do {
      let row = try transaction.insert(
        layout.type, cells: stage.cells + record.base, valid: stage.valid + record.base)
      origins[Int(record.type.index)].append(
        RowOrigins.Origin(
          file: source, offset: record.origin.start, isTopLevel: record.role == .row,
          isIncomplete: record.isIncomplete))
      return row
    } catch .uniqueViolation(index: let violated, existing: let existing, row: _) where violated == layout.primaryIndex
    {
      return try merge(record, of: stage, layout, into: existing, source)
    } catch {
      throw WriteProblem(.refused(error), at: place(of: record, source))
    }
  }

  private func place(of record: RecordStage.Record, _ source: Int) -> WriteProblem.Place {
    WriteProblem.Place(source: source, start: record.origin.start, end: record.origin.end)
  }

  /// Returns the id of a record that has none: the number of its row, or the next one that is free.
  mutating func nextNumber(_ layout: EntityLayout) -> Cell {
    let type = Int(layout.type.index)
    var number = max(transaction.slotCount(layout.type), lastNumbers[type])
    while true {
      number += 1
      let cell = numberCell(number, layout)
      guard withUnsafePointer(to: cell, { transaction.findRow(layout.type, key: $0) }) == nil else { continue }
      lastNumbers[type] = number
      if numberedRows[type] == number - 1, transaction.slotCount(layout.type) == number - 1 {
        numberedRows[type] = number
      }
      return cell
    }
  }

  func numberCell(_ number: Int, _ layout: EntityLayout) -> Cell {
    if layout.columns[layout.keyColumns[0]].type == .int { return Cell(Int64(number)) }
    var digits = String(number)
    return digits.withUTF8 { bytes in
      let text = UnsafeRawPointer(memory.copy(UnsafeRawBufferPointer(bytes)))
      return TextView(text, count: bytes.count, flags: TextView.numberFlag).cell
    }
  }

  /// Writes a second object with a key that is there: an error between records of their own, else a patch.
  mutating func merge(
    _ record: RecordStage.Record, of stage: borrowing RecordStage, _ layout: EntityLayout, into row: UInt32,
    _ source: Int
  ) throws(WriteProblem) -> UInt32 {
    let type = Int(record.type.index)
    let base = baseSlots[type]
    let isDefined = Int(row) < base || origins[type][Int(row) - base].isTopLevel
    if record.role == .row, isDefined {
      throw WriteProblem(.duplicate(layout.type, row: row), at: place(of: record, source))
    }
    merge.take(record, of: stage, by: .complete, layout, row: row, in: transaction) { _, new, _ in new }
    if record.role == .row { takeNulls(of: record, stage, layout, over: row) }
    if Int(row) >= base {
      for column in 0..<layout.columnCount where merge.writes(column) {
        if let cell = merge.cell(column) { noteConflict(layout, row, column, cell) }
      }
    } else if record.isIncomplete, let column = merge.missingColumn(layout, in: row, transaction) {
      let field = layout.columns[column].name
      throw WriteProblem(.missingValue(layout.type, field: field), at: place(of: record, source))
    }
    do {
      try merge.write(layout.type, row, in: transaction)
    } catch {
      throw WriteProblem(.refused(error), at: place(of: record, source))
    }
    if Int(row) >= base {
      var origin = origins[type][Int(row) - base]
      if record.role == .row { origin.isTopLevel = true }
      // Whether others have completed it is seen at the end.
      if record.isIncomplete { origin.isIncomplete = true }
      origins[type][Int(row) - base] = origin
    }
    return row
  }

  /// Takes the nulls of an entity's own record, where the object inside another one that made it has left a default.
  private mutating func takeNulls(
    of record: RecordStage.Record, _ stage: borrowing RecordStage, _ layout: EntityLayout, over row: UInt32
  ) {
    // A default that a record does not name has its value there.
    for (column, value) in layout.defaults where !stage.valid[record.base + column] && layout.parents[column] == nil {
      if case .cell(let cell) = value,
        transaction.hasOtherValue(layout.type, row, ColumnID(column), than: cell)
      {
        continue
      }
      if !layout.required.contains(column) { merge.set(column, nil) }
    }
  }

  /// Counts a value that another object of this run with the same id gives otherwise.
  private mutating func noteConflict(_ layout: EntityLayout, _ row: UInt32, _ column: Int, _ cell: Cell) {
    let place = ColumnID(column)
    guard transaction.hasOtherValue(layout.type, row, place, than: cell), !layout.hasDefault(column) else { return }
    conflicts[ConflictPlace(type: layout.type, column: place), default: 0] += 1
  }

  /// Notes the values that objects with one id give differently.
  private mutating func noteConflicts() {
    let found = conflicts.sorted { ($0.key.type.index, $0.key.column.index) < ($1.key.type.index, $1.key.column.index) }
    for (place, count) in found {
      notes.append(.contradictingValues(place.type, place.column, count: count))
    }
  }

  /// A required link of a row that was given is left out: whether it has another one is seen at the end.
  mutating func mustComplete(_ relation: Relation, _ row: UInt32) {
    let type = Int(relation.source.index)
    let position = Int(row) - baseSlots[type]
    if origins[type].indices.contains(position) { origins[type][position].isIncomplete = true }
  }

  /// Checks that all is complete: nested objects may have come before the record that completes them.
  ///
  /// Returns those that lack something and were left out.
  package mutating func complete() throws(WriteProblem) -> [WriteProblem] {
    var leftOut: [WriteProblem] = []
    for (index, type) in catalog.types.enumerated() {
      for position in origins[index].indices where origins[index].isIncomplete(position) {
        let origin = origins[index][position]
        let row = UInt32(truncatingIfNeeded: baseSlots[index] + position)
        guard transaction.isLive(type.id, row), let field = missingField(of: layouts[index], row) else { continue }
        let problem = WriteProblem(
          .missingValue(type.id, field: field),
          at: WriteProblem.Place(source: origin.file, start: origin.offset, end: origin.offset + 1))
        // What others must link to cannot go: the data is then bad as a whole.
        guard leavesOutBad, (try? transaction.delete(type.id, row)) != nil else { throw problem }
        leftOut.append(problem)
      }
    }
    noteConflicts()
    return leftOut
  }

  /// Returns the first non-null field of an entity that has no value; a link that is named but dangling counts as one.
  private func missingField(of layout: EntityLayout, _ row: UInt32) -> String? {
    switch layout.missingField(of: row, in: transaction, isWaiting: { dangling[$0.id]?.contains(row) ?? false }) {
    case .column(let column): layout.columns[column].name
    case .relation(let relation): layout.name(of: relation)
    case nil: nil
    }
  }
}

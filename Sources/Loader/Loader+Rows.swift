import GQLBase
import GQLCatalog
import GQLStore

/// Records of the stage as rows of the transaction.
extension Loader {
  /// Puts the record that was read into the transaction: all of it or nothing. One that is a single row goes there
  /// with others of its type.
  mutating func insertStage(_ file: Int) throws(RecordFailure) {
    if !skipsBadRecords, isSingleRow {
      records += 1
      return try stageRow(file)
    }
    // What it meets may be on its way.
    try flush(file, keepsTexts: true)
    var rows = ContiguousArray<UInt32>()
    rows.reserveCapacity(reader.stage.records.count)
    for index in reader.stage.records.indices {
      do throws(RecordFailure) {
        rows.append(try insert(index, file: file))
      } catch {
        if skipsBadRecords { removeInserted(rows) }
        throw error
      }
    }
    for link in reader.stage.links {
      let relation = Int(link.relation.index)
      let source = rows[link.record]
      if catalog[catalog[link.relation].target].isAbstract { pending[relation].types.append(link.type) }
      if link.isRecord, !reader.stage.records[Int(link.key.low)].isBareID {
        pending[relation].append(source, target: rows[Int(link.key.low)])
      } else if link.isRecord {
        let target = reader.stage.records[Int(link.key.low)]
        pending[relation].append(source, key: kept(keyCell(target), target.layout))
      } else {
        pending[relation].append(source, key: kept(link.key, Int(catalog[link.relation].target.index)))
      }
    }
    records += 1
  }

  private func keyCell(_ record: RecordStage.Record) -> Cell {
    reader.stage.cells[record.base + reader.layouts[record.layout].keyColumns[0]]
  }

  /// A key that stays when the next record is read. What lies in the file stays anyway.
  func kept(_ key: Cell, _ type: Int) -> Cell {
    if let column = reader.layouts[type].keyColumns.first, catalog.types[type].columns[column].kind != .text {
      return key
    }
    let text = TextView(key)
    guard !text.isInline else { return key }
    return text.withBytes { start, count in
      guard arena.contains(start) else { return key }
      let copy = keys.copy(UnsafeRawBufferPointer(start: start, count: count))
      return TextView(UnsafeRawPointer(copy), count: count, flags: key.low & 0xC000_0000).cell
    }
  }

  /// Takes back the rows that a record which is to be skipped has put in; those that it has patched keep the patch.
  mutating func removeInserted(_ rows: ContiguousArray<UInt32>) {
    for (record, row) in zip(reader.stage.records, rows) {
      let position = Int(row) - baseSlots[record.layout]
      guard row != PageLayout.noRow, origins[record.layout].indices.contains(position),
        origins[record.layout][position].offset == record.start, !origins[record.layout][position].isRemoved
      else { continue }
      _ = try? transaction.delete(reader.layouts[record.layout].type, row)
      origins[record.layout][position].isRemoved = true
    }
  }

  mutating func insert(_ index: Int, file: Int) throws(RecordFailure) -> UInt32 {
    let record = reader.stage.records[index]
    let layout = reader.layouts[record.layout]
    // A bare id in a link is looked up with all other links, at the end.
    if record.isBareID, layout.keyColumns.count == 1 { return PageLayout.noRow }
    let cells = reader.stage.cells + record.base
    let valid = reader.stage.valid + record.base
    if layout.numbersRows, let column = layout.keyColumns.first, !valid[column] {
      reader.stage.set(record.base + column, nextNumber(layout))
    }
    do {
      let row = try transaction.insert(layout.type, cells: cells, valid: valid)
      origins[record.layout].append(
        RowOrigins.Origin(
          file: file, offset: record.start, isTopLevel: record.isTopLevel,
          isIncomplete: record.missing != nil || record.lacksLink))
      return row
    } catch .uniqueViolation(index: let violated, existing: let existing, row: _)
      where violated == catalog[layout.type].primaryIndex
    {
      return try merge(record, of: reader.stage, layout, into: existing)
    } catch {
      throw RecordFailure(
        .uniqueViolation, StoreMessages.describe(error, catalog: catalog, transaction: transaction), at: record.start,
        to: record.end)
    }
  }

  /// Returns the id of a record that has none: the number of its row, or the next one that is free.
  mutating func nextNumber(_ layout: RecordLayout) -> Cell {
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

  func numberCell(_ number: Int, _ layout: RecordLayout) -> Cell {
    if case .scalar(.int, _) = layout.keyTarget { return Cell(Int64(number)) }
    var digits = String(number)
    return digits.withUTF8 { bytes in
      TextView(
        UnsafeRawPointer(arena.copy(UnsafeRawBufferPointer(bytes))), count: bytes.count, flags: TextView.numberFlag
      )
      .cell
    }
  }

  /// A second object with an id that is there: an error between records of their own, else a patch.
  mutating func merge(
    _ record: RecordStage.Record, of stage: RecordStage, _ layout: RecordLayout, into row: UInt32
  ) throws(RecordFailure) -> UInt32 {
    let base = baseSlots[record.layout]
    let isDefined = Int(row) < base || origins[record.layout][Int(row) - base].isTopLevel
    if record.isTopLevel, isDefined {
      throw RecordFailure(
        .duplicateID,
        "a second '\(layout.name)' with "
          + StoreMessages.key(layout.type, layout.keyColumns, of: row, catalog: catalog, transaction: transaction),
        at: record.start, to: record.end)
    }
    for column in 0..<layout.columnCount
    where stage.given[record.base + column] && stage.valid[record.base + column] {
      if layout.keyColumns.contains(column) { continue }
      if Int(row) >= base { noteConflict(layout, row, column, stage.cells[record.base + column]) }
      do {
        try transaction.update(layout.type, row, ColumnID(column), stage.cells[record.base + column])
      } catch {
        throw RecordFailure(
          .uniqueViolation, StoreMessages.describe(error, catalog: catalog, transaction: transaction),
          at: record.start, to: record.end)
      }
    }
    if record.isTopLevel {
      origins[record.layout][Int(row) - base].isTopLevel = true
      origins[record.layout][Int(row) - base].isIncomplete = record.lacksLink
    }
    return row
  }

  /// Counts a value that another object of this load with the same id gives otherwise.
  private mutating func noteConflict(_ layout: RecordLayout, _ row: UInt32, _ column: Int, _ cell: Cell) {
    let place = ColumnID(column)
    guard transaction.hasOtherValue(layout.type, row, place, than: cell), !layout.hasDefault(column) else { return }
    conflicts[ConflictPlace(type: layout.type, column: place), default: 0] += 1
  }

  /// Warns of the values that objects with one id give differently.
  mutating func warnConflicts() {
    let found = conflicts.sorted { ($0.key.type.index, $0.key.column.index) < ($1.key.type.index, $1.key.column.index) }
    for (place, count) in found {
      let type = catalog[place.type]
      let values =
        count == 1
        ? "1 value of '\(type.name).\(type[place.column].name)' differs"
        : "\(count) values of '\(type.name).\(type[place.column].name)' differ"
      outcome.warnings.append(
        (
          SourceText(name: "", bytes: []),
          [
            Diagnostic(
              LoadProblem.contradictingValues.code, severity: .warning,
              "\(values) between objects with one id; the last is kept", at: SourceRange(at: 0))
          ]
        ))
    }
  }

  /// A required link of a row that was given is left out: whether it has another one is seen at the end.
  mutating func mustComplete(_ relation: Relation, _ row: UInt32) {
    let type = Int(relation.source.index)
    let position = Int(row) - baseSlots[type]
    if origins[type].indices.contains(position) { origins[type][position].isIncomplete = true }
  }

  /// Nested objects may come before the record that completes them; at the end everything must be complete.
  mutating func checkComplete(_ files: [LoadFile]) throws(LoadFailure) {
    for (index, type) in catalog.types.enumerated() {
      for position in origins[index].indices where origins[index].isIncomplete(position) {
        let origin = origins[index][position]
        let row = UInt32(truncatingIfNeeded: baseSlots[index] + position)
        guard transaction.isLive(type.id, row) else { continue }
        guard let field = missingField(of: type, row) else { continue }
        let file = files[origin.file].file
        let failure = RecordFailure(
          .missingValue, "'\(type.name).\(field)' is non-null and has no value", at: origin.offset)
        do throws(RecordFailure) {
          try skip(failure, file)
        } catch {
          throw loadFailure(error, in: file)
        }
        // What others must link to cannot go: the data is then bad as a whole.
        guard !transaction.isLive(type.id, row) || (try? transaction.delete(type.id, row)) != nil else {
          throw loadFailure(failure, in: file)
        }
      }
    }
  }

  /// Returns the first non-null field of an entity that has no value; a link that is named but dangling counts as one.
  func missingField(of type: EntityType, _ row: UInt32) -> String? {
    for column in type.columns where column.isNonNull && column.foldedFrom == nil {
      if column.kind == .references || column.kind == .reference { continue }
      if column.id == type.createdColumn || column.id == type.updatedColumn { continue }
      if transaction.column(type.id, column.id).isNull(row) { return column.name }
    }
    for relation in catalog.relations where relation.source == type.id && relation.isRequired {
      // A required field of an embedded object is required where the object is there.
      if let presence = relation.presence, transaction.column(type.id, presence).byte(row) == 0 { continue }
      guard let property = relation.property, !(dangling[relation.id]?.contains(row) ?? false) else { continue }
      if transaction.column(type.id, relation.column).reference(row) == PageLayout.noRow { return type[property].name }
    }
    return nil
  }
}

import GQLBase
import GQLCatalog
import GQLStore

/// Stages of many records as rows of the transaction.
extension Loader {
  /// Limits the records that are staged before they are put into the transaction.
  private static let mostStaged = 1024
  /// Limits the bytes of their texts.
  private static let mostBytes = 1 << 20

  /// Returns whether the record that was read becomes one row: what is nested in it are links.
  var isSingleRow: Bool {
    let records = reader.stage.records
    if records.count == 1 { return records[0].isTopLevel && records[0].missing == nil && hasPlainLinks }
    for record in records.dropFirst() {
      guard record.isBareID, reader.layouts[record.layout].keyColumns.count == 1 else { return false }
    }
    return records.first?.isTopLevel == true && records[0].missing == nil && hasPlainLinks
  }

  /// Returns whether each link names its target by a key alone.
  private var hasPlainLinks: Bool {
    for link in reader.stage.links where link.type != nil || link.record != 0 { return false }
    return true
  }

  /// Returns the stage of a type's records, which is made if there is none yet.
  mutating func stage(of type: Int) -> EntityStage {
    if let stage = stages[type] { return stage }
    let stage = EntityStage(layout: type, columnCount: reader.layouts[type].columnCount)
    stages[type] = stage
    return stage
  }

  /// Moves the record that was read into the stage of its type.
  mutating func stageRow(_ file: Int) throws(RecordFailure) {
    let record = reader.stage.records[0]
    if reader.layouts[record.layout].isMember {
      // Rows of interfaces and unions stand in the order of the records, whichever types these have.
      if let other = stagedMember, other != record.layout { try flush(file, keepsTexts: true) }
      stagedMember = record.layout
    }
    let stage = stage(of: record.layout)
    if stage.count == 0 { staged.append(record.layout) }
    stage.add(record, of: reader.stage) { nested in
      reader.stage.cells[nested.base + reader.layouts[nested.layout].keyColumns[0]]
    }
    stagedRecords += 1
    if stagedRecords >= min(Self.mostStaged, EntityStage.mostRecords(columns: stage.columnCount))
      || arena.byteCount > Self.mostBytes
    {
      try flush(file)
    }
  }

  /// Puts what is staged into the transaction, up to the first record that is refused.
  ///
  /// - Parameter keepsTexts: Whether a record that was read and is not staged has texts of its own.
  mutating func flush(_ file: Int, keepsTexts: Bool = false) throws(RecordFailure) {
    if staged.isEmpty { return }
    var first: RecordFailure?
    for type in staged {
      guard let stage = stages[type] else { continue }
      do throws(RecordFailure) {
        try insert(stage, file)
      } catch {
        // Of records of several types, the first one in the file counts.
        if first.map({ error.start < $0.start }) ?? true { first = error }
      }
      stage.removeAll()
    }
    staged.removeAll(keepingCapacity: true)
    stagedMember = nil
    stagedRecords = 0
    if !keepsTexts { arena.removeAll() }
    if let first { throw first }
  }

  private mutating func insert(_ stage: EntityStage, _ file: Int) throws(RecordFailure) {
    let layout = reader.layouts[stage.layout]
    let columns = stage.storeColumns
    unsettled.insert(stage.layout)
    var next = 0
    while next < stage.count {
      let base = transaction.slotCount(layout.type)
      let end = layout.numbersRows ? number(stage, from: next, layout) : stage.count
      let inserted = transaction.insert(layout.type, columns: columns, rows: next..<end)
      for index in 0..<inserted.count {
        let origin = stage.origins[next + index]
        stage.rows[next + index] = UInt32(truncatingIfNeeded: base + index)
        origins[stage.layout].append(
          RowOrigins.Origin(file: file, offset: origin.start, isTopLevel: true, isIncomplete: origin.lacksLink))
      }
      next += inserted.count
      guard let problem = inserted.problem else { continue }
      stage.rows[next] = try resolve(problem, stage, next, layout)
      next += 1
    }
    for place in stage.links.indices { link(stage, stage.links[place]) }
  }

  /// Numbers records without ids from one on. Returns the end of those that can be inserted now.
  private mutating func number(_ stage: EntityStage, from first: Int, _ layout: RecordLayout) -> Int {
    let column = layout.keyColumns[0]
    let valid = stage.valid(column)
    let type = stage.layout
    let rows = transaction.slotCount(layout.type)
    if valid[first] { return (first..<stage.count).first { !valid[$0] } ?? stage.count }
    let isOnlyNumbers = numberedRows[type] == rows && (first..<stage.count).allSatisfy { !valid[$0] }
    let end = isOnlyNumbers ? stage.count : first + 1
    for record in first..<end {
      stage.cells(column)[record] = isOnlyNumbers ? numberCell(rows + record - first + 1, layout) : nextNumber(layout)
      valid[record] = true
      stage.given(column)[record] = true
    }
    if isOnlyNumbers {
      numberedRows[type] = rows + end - first
      lastNumbers[type] = numberedRows[type]
    }
    return end
  }

  /// A record that the store refuses: one whose entity is there already as a nested one completes it.
  private mutating func resolve(
    _ problem: StoreProblem, _ stage: EntityStage, _ number: Int, _ layout: RecordLayout
  ) throws(RecordFailure) -> UInt32 {
    if case .uniqueViolation(let violated, let existing, _) = problem, violated == catalog[layout.type].primaryIndex {
      let record = stage.copy(number, to: &merged)
      return try merge(record, of: merged, layout, into: existing)
    }
    let origin = stage.origins[number]
    throw RecordFailure(
      .uniqueViolation, StoreMessages.describe(problem, catalog: catalog, transaction: transaction), at: origin.start,
      to: origin.end)
  }

  /// Collects the links of a stage whose records are rows. Targets that are there already are found at once.
  private mutating func link(_ stage: EntityStage, _ links: EntityStage.Links) {
    guard !links.keys.isEmpty else { return }
    let number = Int(links.relation.index)
    let target = catalog[links.relation].target
    let isAbstract = catalog[target].isAbstract
    if isAbstract { pending[number].types.append(contentsOf: repeatElement(nil, count: links.keys.count)) }
    guard !isAbstract, transaction.slotCount(target) > 0, transaction.hasSettledKeys(target) else {
      for (record, key) in zip(links.records, links.keys) {
        pending[number].append(stage.rows[Int(record)], key: kept(key, Int(target.index)))
      }
      return
    }
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: links.keys.count) { found in
      links.keys.withUnsafeBufferPointer { keys in
        // Safe because neither is empty.
        transaction.findRows(
          target, keys: keys.baseAddress.unsafelyUnwrapped, keys.count, into: found.baseAddress.unsafelyUnwrapped)
      }
      for index in links.keys.indices {
        let source = stage.rows[Int(links.records[index])]
        if found[index] == PageLayout.noRow {
          pending[number].append(source, key: kept(links.keys[index], Int(target.index)))
        } else {
          pending[number].append(source, target: found[index])
        }
      }
    }
  }

  /// Puts the last records of a file into the transaction, and makes those of its types known to links.
  mutating func finish(_ file: Int) throws(RecordFailure) {
    try flush(file)
    for type in unsettled { transaction.settleKeys(reader.layouts[type].type) }
    unsettled.removeAll(keepingCapacity: true)
  }
}

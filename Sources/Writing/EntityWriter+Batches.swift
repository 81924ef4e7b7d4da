import GQLCatalog
import GQLStore

/// Stages of many records as rows of the transaction.
extension EntityWriter {
  /// Limits the records that are staged before they are put into the transaction.
  private static let mostStaged = 1024
  /// Limits the bytes of their texts.
  private static let mostBytes = 1 << 20

  /// Returns whether a record becomes one row: what is nested in it are links, each of which names its target by a key
  /// alone.
  func isSingleRow(_ stage: borrowing RecordStage) -> Bool {
    guard let first = stage.records.first, first.role == .row else { return false }
    for record in stage.records.dropFirst() where record.role != .reference { return false }
    for link in stage.links {
      guard link.record == 0 else { return false }
      // Counted, because a slice for each link takes longer than the rest.
      for place in link.targets where linkKey(of: stage.targets[place], link.relation, in: stage) == nil {
        return false
      }
    }
    return true
  }

  /// Returns the key by which alone a link names a target; nil where it names it in another way.
  private func linkKey(
    of target: RecordStage.Target, _ relation: RelationID, in stage: borrowing RecordStage
  ) -> Cell? {
    switch target {
    case .key(let key, _): return key
    case .record(let nested):
      if layouts[catalog[relation].target].isAbstract { return nil }
      let record = stage.records[nested]
      return stage.cells[record.base + layouts[record.type].keyColumns[0]]
    case .row: return nil
    }
  }

  /// Returns the stage of a type's records, which is made if there is none yet.
  package mutating func stage(of type: Int) -> EntityStage {
    if let stage = stages[type] { return stage }
    let stage = EntityStage(layout: type, columnCount: layouts[type].columnCount)
    stages[type] = stage
    return stage
  }

  /// Moves a record that is a single row into the stage of its type.
  mutating func stageRow(_ records: borrowing RecordStage, _ source: Int) throws(WriteProblem) {
    let record = records.records[0]
    let number = Int(record.type.index)
    if layouts[number].isMember {
      // Rows of interfaces and unions stand in the order of the records, whichever types these have.
      if let other = stagedMember, other != number { try flush(source, keepsTexts: true) }
      stagedMember = number
    }
    let stage = stage(of: number)
    if stage.count == 0 { staged.append(number) }
    let row = stage.add(record, of: records)
    for link in records.links {
      let links = stage.place(of: link.relation)
      for place in link.targets {
        guard let key = linkKey(of: records.targets[place], link.relation, in: records) else { continue }
        stage.link(links, row, key)
      }
    }
    stagedRecords += 1
    if stagedRecords >= min(Self.mostStaged, EntityStage.mostRecords(columns: stage.columnCount))
      || memory.byteCount > Self.mostBytes
    {
      try flush(source)
    }
  }

  /// Puts what is staged into the transaction, up to the first record that is refused.
  ///
  /// - Parameter keepsTexts: Whether a record that was read and is not staged has texts of its own.
  package mutating func flush(_ source: Int, keepsTexts: Bool = false) throws(WriteProblem) {
    if staged.isEmpty { return }
    var first: WriteProblem?
    for type in staged {
      guard let stage = stages[type] else { continue }
      do throws(WriteProblem) {
        try insert(stage, source)
      } catch {
        // Of records of several types, the first one in the file counts.
        if first?.place.map({ error.place?.start ?? 0 < $0.start }) ?? true { first = error }
      }
      stage.removeAll()
    }
    staged.removeAll(keepingCapacity: true)
    stagedMember = nil
    stagedRecords = 0
    if !keepsTexts { memory.removeAll() }
    if let first { throw first }
  }

  /// Puts the records of a type's stage into the transaction, which a door has filled, up to the first that is refused.
  package mutating func write(_ stage: EntityStage, _ source: Int) throws(WriteProblem) {
    if stage.count == 0 { return }
    staged.append(stage.layout)
    stagedRecords += stage.count
    try flush(source)
  }

  private mutating func insert(_ stage: EntityStage, _ source: Int) throws(WriteProblem) {
    let layout = layouts[stage.layout]
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
          RowOrigins.Origin(file: source, offset: origin.start, isTopLevel: true, isIncomplete: origin.lacksLink))
      }
      next += inserted.count
      guard let problem = inserted.problem else { continue }
      stage.rows[next] = try resolve(problem, stage, next, layout, source)
      next += 1
    }
    for place in stage.links.indices { link(stage, stage.links[place]) }
  }

  /// Numbers records without ids from one on. Returns the end of those that can be inserted now.
  private mutating func number(_ stage: EntityStage, from first: Int, _ layout: EntityLayout) -> Int {
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

  /// Writes a record that the store refuses: one whose entity is there already as a nested one completes it.
  private mutating func resolve(
    _ problem: StoreProblem, _ stage: EntityStage, _ number: Int, _ layout: EntityLayout, _ source: Int
  ) throws(WriteProblem) -> UInt32 {
    if case .uniqueViolation(let violated, let existing, _) = problem, violated == layout.primaryIndex {
      // Lent out meanwhile, because merging changes the writer.
      var lent = RecordStage(capacity: 0)
      swap(&lent, &merged)
      defer { swap(&lent, &merged) }
      let record = stage.copy(number, of: layout.type, to: &lent)
      return try merge(record, of: lent, layout, into: existing, source)
    }
    let origin = stage.origins[number]
    throw WriteProblem(
      .refused(problem), at: WriteProblem.Place(source: source, start: origin.start, end: origin.end))
  }

  /// Collects the links of a stage whose records are rows. Targets that are there are found at once.
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

  /// Puts the last records of a source into the transaction, and makes those of its types known to links.
  package mutating func finish(_ source: Int) throws(WriteProblem) {
    try flush(source)
    for type in unsettled { transaction.settleKeys(layouts[type].type) }
    unsettled.removeAll(keepingCapacity: true)
  }
}

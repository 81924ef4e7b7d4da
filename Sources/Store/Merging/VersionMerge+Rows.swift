import GQLCatalog

/// Entities that come, go and change.
extension VersionMerge {
  // MARK: - What became of a row

  /// Sorts a row of mine by what became of it on both sides.
  func classify(_ row: Row) {
    if ignored.contains(row) { return }
    let mine = image(versions.mine, row).status
    if isNew(row) {
      if mine == RowChangeStatus.live { insertions.append(row) }
      return
    }
    let theirs = image(versions.theirs, row).status
    let base = image(base(of: row), row).status
    switch mine {
    case RowChangeStatus.live:
      if theirs == RowChangeStatus.live {
        changed.append(row)
      } else {
        classifyLost(row, isRestored: base == RowChangeStatus.deleted, isPurged: theirs == RowChangeStatus.void)
      }
    case RowChangeStatus.deleted:
      let group = deletion(row, in: versions.mine)
      if base == RowChangeStatus.deleted {
        // It was restored, and has gone again.
        let isOther = group != deletion(row, in: self.base(of: row))
        if isOther, theirs == RowChangeStatus.deleted { deletedAgain.append((group, row)) }
        return
      }
      guard theirs == RowChangeStatus.live else { return }
      noteDeletion(row)
      deletions.append((group, row))
    default:
      if theirs == RowChangeStatus.void { return }
      if theirs == RowChangeStatus.live {
        if base == RowChangeStatus.deleted {
          // Embedded objects are their owner's.
          if !layout.types[Int(row.type.index)].isElement, note(.deleted, row) == .theirs { kept.insert(row) }
        } else {
          noteDeletion(row)
        }
      }
      deletions.append((0, row))
    }
  }

  /// The number of the deletion of a row.
  func deletion(_ row: Row, in version: Snapshot) -> UInt64 {
    image(version, row).withRecord { words in
      words.count < 2 ? 0 : DeletionRecord.deletion(words[0], words[1])
    }
  }

  /// An entity of mine that the other side has deleted, or has not restored.
  private func classifyLost(_ row: Row, isRestored: Bool, isPurged: Bool) {
    if isRestored, !isPurged {
      restorations.append(row)
      changed.append(row)
      return
    }
    if ownedLists.isObject(row) {
      lostObjects.append(row)
      return
    }
    let written = firstWrite(row, in: versions.mine)
    guard isRestored || written != nil else {
      ignored.insert(row)
      return
    }
    if note(.deleted, row, written.flatMap { $0 }) == .theirs {
      ignored.insert(row)
    } else {
      bringBack(row, isPurged: isPurged)
    }
  }

  /// Has an entity come back that the other side has deleted.
  func bringBack(_ row: Row, isPurged: Bool) {
    if isPurged {
      // It comes as another row.
      canBeHeld = false
      insertions.append(row)
      reinserted.formUnion(withMirrors(row, in: versions.mine))
      ownedLists.reinsert(of: row)
    } else {
      restorations.append(row)
      changed.append(row)
    }
  }

  /// Notes where the other side has written to what I have deleted. Embedded objects are written with their owner.
  private func noteDeletion(_ row: Row) {
    guard isTheirs.contains(row), !ownedLists.isObject(row), let written = firstWrite(row, in: versions.theirs) else {
      return
    }
    if note(.deleted, row, written) == .theirs { kept.insert(row) }
  }

  /// Returns the first column that a version has written of a row, the inner nil for none that is named; nil where it has
  /// written nothing. Links that are taken away are written by the other end.
  private func firstWrite(_ row: Row, in version: Snapshot) -> ColumnID?? {
    let type = layout.types[Int(row.type.index)]
    let new = image(version, row)
    if image(base(of: row), row).status == RowChangeStatus.void { return .some(nil) }
    for column in type.columns.indices where !type.isFilled[column] && !type.isFolded[column] {
      let old = image(base(of: row, column), row).cell(column)
      if !areEqual(type, column, old, new.cell(column)) { return ColumnID(column) }
    }
    for found in withMirrors(row, in: version) {
      for relation in layout.types[Int(found.type.index)].relations where !relation.isMirror {
        let (base, new) = (baseTargets(relation, of: found), targets(version, relation, found.row))
        let ownsTargets = layout.ownsTargets(of: relation)
        if base == new, !ownsTargets || ownedLists.isUnwritten(relation, of: found, base, in: version) { continue }
        let known = Set(base)
        // Objects that are gone from a list, or stand elsewhere in it, were so written here.
        if ownsTargets || new.contains(where: { !known.contains($0) }) {
          return .some(relation.property == nil || found != row ? nil : relation.column)
        }
        if isTakenFromDeleted(relation, base, new, in: version) {
          return .some(relation.property == nil || found != row ? nil : relation.column)
        }
      }
    }
    return deciding.hasWrittenBesides(row, version === versions.mine ? .mine : .theirs) ? .some(nil) : nil
  }

  /// Returns whether a version has taken a row out of what the other side deletes, while that version keeps it: so the
  /// row was to stay without it.
  private func isTakenFromDeleted(
    _ relation: Relation, _ base: [UInt32], _ new: [UInt32], in version: Snapshot
  ) -> Bool {
    // A link to one is the row's own. Another is one only where the row would be deleted with its target.
    let isOwn = !relation.isToMany && relation.property != nil
    if !isOwn, layout[relation.inverse].onDelete != .cascade { return false }
    let other = version === versions.mine ? versions.theirs : versions.mine
    let known = Set(new)
    return base.contains { target in
      let row = Row(type: relation.target, row: target)
      return !known.contains(target) && image(version, row).status == RowChangeStatus.live
        && image(other, row).status != RowChangeStatus.live
    }
  }

  // MARK: - Fields

  /// Returns the columns whose values must be unique.
  private func uniqueColumns(_ type: StoreLayout.TypeLayout) -> Set<Int> {
    var columns: Set<Int> = []
    for index in type.indexes where index.isUnique {
      for component in 0..<index.keys.count {
        let column = index.keys.components[component].column
        columns.insert(type.columns[column].foldedFrom.map { Int($0.index) } ?? column)
      }
    }
    return columns
  }

  /// Takes unique values out of all entities that get others, so that they may exchange them.
  func freeKeys() throws(StoreProblem) -> Set<Row> {
    var freed: Set<Row> = []
    var columns: [EntityTypeID: Set<Int>] = [:]
    for row in changed where transaction.isLive(row.type, row.row) {
      let type = layout.types[Int(row.type.index)]
      if columns[row.type] == nil { columns[row.type] = uniqueColumns(type) }
      let (mine, theirs) = (image(versions.mine, row), image(versions.theirs, row))
      for column in columns[row.type] ?? [] where settled[row]?[column] == nil {
        let old = image(base(of: row, column), row).cell(column)
        // What the other side has written, too, is decided first.
        guard !areEqual(type, column, old, mine.cell(column)), areEqual(type, column, old, theirs.cell(column)) else {
          continue
        }
        try transaction.update(row.type, row.row, ColumnID(column), nil)
        freed.insert(row)
      }
    }
    return freed
  }

  /// Writes the fields that I have written.
  func mergeFields(_ row: Row, freed: Set<Row>) throws(StoreProblem) {
    if ignored.contains(row) || !transaction.isLive(row.type, row.row) { return }
    let type = layout.types[Int(row.type.index)]
    let (mine, theirs) = (image(versions.mine, row), image(versions.theirs, row))
    var unique: Set<Int>?
    for column in type.columns.indices where !type.isFilled[column] && !type.isFolded[column] {
      let (old, cell) = (image(base(of: row, column), row).cell(column), mine.cell(column))
      let newest = theirs.cell(column)
      let side = settled[row]?[column]
      if side == .theirs || areEqual(type, column, side == nil ? old : newest, cell) { continue }
      var value = cell
      if side == nil, isTheirs.contains(row), !areEqual(type, column, old, newest) {
        if areEqual(type, column, cell, newest) {
          // Where both have added the same, it was added twice.
          guard deciding.adds(row.type, ColumnID(column)),
            case .value(let sum) = deciding.decide(row.type, ColumnID(column), base: old, mine: cell, theirs: newest)
          else { continue }
          try transaction.update(row.type, row.row, ColumnID(column), sum)
          continue
        }
        guard let decided = decide(row, type, column, old, cell, newest) else { continue }
        value = decided
      }
      do throws(StoreProblem) {
        try transaction.update(row.type, row.row, ColumnID(column), value)
      } catch {
        guard case .uniqueViolation(let index, let existing, _) = error else { throw error }
        if unique == nil { unique = uniqueColumns(type) }
        try resolveKey(index, row, number: row.row, existing: existing, previous: newest, value: value, column)
      }
    }
  }

  /// Returns what a field becomes that both sides have written; nil where it stays.
  private func decide(
    _ row: Row, _ type: StoreLayout.TypeLayout, _ column: Int, _ base: Cell?, _ mine: Cell?, _ theirs: Cell?
  ) -> Cell?? {
    let id = ColumnID(column)
    switch deciding.decide(row.type, id, base: base, mine: mine, theirs: theirs) {
    case .side(let side): return side == .mine ? .some(mine) : nil
    case .value(let cell): return .some(cell)
    case .elements(let unites):
      guard case .list(let element) = type.columns[column].type else { break }
      let merge = ScalarListMerge(
        element: element, isText: type.elementIsText[column], unites: unites, prefersMine: preference == .mine)
      let merged = merge.run(base: base, mine: mine, theirs: theirs, memory)
      if let list = merged.list { return .some(list) }
    case .conflict: break
    }
    return note(.field, row, id) == .mine ? .some(mine) : nil
  }

  /// Somebody has the unique value that an entity of mine is to have.
  private func resolveKey(
    _ index: IndexID, _ row: Row, number: UInt32, existing: UInt32, previous: Cell?, value: Cell?, _ column: Int
  ) throws(StoreProblem) {
    let type = layout.types[Int(row.type.index)]
    let descriptor = type.columns[column]
    let isPrimary = layout.places[Int(index.index)]?.index == 0
    let side = note(
      .key, row, keyColumn(index), theirRow: existing, allowsMine: !isPrimary && !descriptor.isNonNull)
    if side == .mine {
      try transaction.update(row.type, existing, descriptor.id, nil)
      try transaction.update(row.type, number, descriptor.id, value)
      return
    }
    do throws(StoreProblem) {
      try transaction.update(row.type, number, descriptor.id, previous)
    } catch {
      guard case .uniqueViolation(_, let other, _) = error else { throw error }
      // Another of mine has taken what it had.
      note(.key, row, keyColumn(index), theirRow: other, allowsMine: false, allowsTheirs: false)
    }
  }

  // MARK: - New ones

  /// Inserts an entity of mine, or finds it with the other side.
  func insert(_ row: Row) throws(StoreProblem) {
    if ignored.contains(row), !reinserted.contains(row) { return }
    // An object may have come with the list of its owner.
    if numbers[row] != nil { return }
    try withCells(of: row) { (cells, valid) throws(StoreProblem) in
      try insert(row, layout.types[Int(row.type.index)], cells, valid)
    }
  }

  /// Calls with the cells of a row of mine, as they are inserted.
  func withCells<Result>(
    of row: Row, _ body: (UnsafeMutablePointer<Cell>, UnsafeMutablePointer<Bool>) throws(StoreProblem) -> Result
  ) throws(StoreProblem) -> Result {
    let type = layout.types[Int(row.type.index)]
    let count = max(1, type.columns.count)
    let mine = image(versions.mine, row)
    return try withUnsafeTemporaryAllocation(of: Cell.self, capacity: count) { (cells) throws(StoreProblem) in
      try withUnsafeTemporaryAllocation(of: Bool.self, capacity: count) { (valid) throws(StoreProblem) in
        // Safe because there is room for one at least.
        let (cells, valid) = (cells.baseAddress.unsafelyUnwrapped, valid.baseAddress.unsafelyUnwrapped)
        for column in type.columns.indices {
          let cell = type.isFolded[column] || type.isFilled[column] ? nil : mine.cell(column)
          (cells + column).initialize(to: cell ?? Cell(low: 0))
          (valid + column).initialize(to: cell != nil)
        }
        return try body(cells, valid)
      }
    }
  }

  private func insert(
    _ row: Row, _ type: StoreLayout.TypeLayout, _ cells: UnsafeMutablePointer<Cell>, _ valid: UnsafeMutablePointer<Bool>
  ) throws(StoreProblem) {
    if let primary = type.indexes.first, !type.isHidden,
      let existing = try transaction.findRow(primary.id, cells: cells, valid: valid)
    {
      return try meet(row, type, existing, cells, valid)
    }
    while true {
      do throws(StoreProblem) {
        numbers[row] = try transaction.insert(row.type, cells: cells, valid: valid)
        return
      } catch {
        guard case .uniqueViolation(let index, let existing, _) = error else { throw error }
        guard let column = keyColumn(index) else { throw error }
        let isNonNull = type.columns[Int(column.index)].isNonNull
        if note(.key, row, column, theirRow: existing, allowsMine: !isNonNull) == .mine {
          try transaction.update(row.type, existing, column, nil)
        } else if isNonNull {
          ignored.insert(row)
          return
        } else {
          valid[Int(column.index)] = false
        }
      }
    }
  }

  /// Both have an entity of one id.
  private func meet(
    _ row: Row, _ type: StoreLayout.TypeLayout, _ existing: UInt32, _ cells: UnsafeMutablePointer<Cell>,
    _ valid: UnsafeMutablePointer<Bool>
  ) throws(StoreProblem) {
    let found = Row(type: row.type, row: existing)
    let theirs = image(versions.theirs, found)
    // It may be one of mine that has got the id.
    guard theirs.status == RowChangeStatus.live else {
      note(.key, row, keyColumn(type.indexes[0].id), theirRow: nil, allowsMine: false, allowsTheirs: false)
      ignored.insert(row)
      return
    }
    numbers[row] = existing
    let isEqual = type.columns.indices.allSatisfy { column in
      type.isFilled[column] || type.isFolded[column]
        || areEqual(type, column, valid[column] ? cells[column] : nil, theirs.cell(column))
    }
    let haveEqualLinks = type.relations.allSatisfy { relation in
      if relation.isToMany || relation.isMirror { return true }
      let mine = targets(versions.mine, relation, row.row)
      let other = targets(versions.theirs, relation, existing)
      return mine.isEmpty || other.isEmpty || areSame(relation, mine, other)
    }
    // What only has to be there is there, as the other side has it.
    if reinserted.contains(row), image(base(of: row), row).status == RowChangeStatus.live,
      firstWrite(row, in: versions.mine) == nil
    {
      yielding.insert(row)
      unwritten.insert(row)
      return
    }
    let lists = type.relations.filter { layout.ownsTargets(of: $0) }
    let haveEqualLists = lists.allSatisfy {
      ownedLists.haveEqualElements(
        $0, (versions.mine, targets(versions.mine, $0, row.row)),
        (versions.theirs, targets(versions.theirs, $0, existing)))
    }
    if isEqual, haveEqualLists, haveEqualLinks {
      yielding.insert(row)
      return
    }
    let isTheirNew = versions.base.table(row.type).status(existing) == RowChangeStatus.void
    let side = note(isTheirNew ? .inserted : .key, row, nil, theirRow: existing)
    if side == .theirs {
      yielding.insert(row)
      return
    }
    for relation in lists {
      let elements = targets(versions.theirs, relation, existing).filter { transaction.isLive(relation.target, $0) }
      if !elements.isEmpty { try transaction.delete(relation.target, rows: elements, keeps: false) }
    }
    do throws(StoreProblem) {
      try transaction.replace(row.type, existing, cells: cells, valid: valid)
    } catch {
      guard case .uniqueViolation(let index, let other, _) = error else { throw error }
      note(.key, row, keyColumn(index), theirRow: other, allowsMine: false, allowsTheirs: false)
    }
  }

  /// Stamps what I have changed.
  func stampUpdate(_ row: Row) {
    guard !ignored.contains(row), transaction.isLive(row.type, row.row),
      let updated = layout.types[Int(row.type.index)].updated
    else { return }
    if image(base(of: row), row).cell(updated) != image(versions.mine, row).cell(updated) {
      transaction.stamp(row.type, row.row)
    }
  }

  // MARK: - What must be there

  /// Takes new entities of mine back that lack a link which they must have, and elements without a list.
  func dropIncomplete() throws(StoreProblem) {
    var isDone = false
    while !isDone {
      isDone = true
      for row in insertions {
        guard let number = numbers[row], !yielding.contains(row), transaction.isLive(row.type, number) else { continue }
        guard let missing = missingLink(row.type, number) else { continue }
        isDone = false
        if !layout.types[Int(row.type.index)].isElement { note(.required, row, missing.column, allowsMine: false) }
        unlinkAll(row.type, number)
        do throws(StoreProblem) {
          try transaction.delete(row.type, rows: [number], keeps: false)
        } catch {
          note(.required, row, missing.column, allowsMine: false, allowsTheirs: false)
          return
        }
        numbers[row] = nil
      }
    }
    noteLostLinks()
    let rows = changed.filter { !ignored.contains($0) } + staying
    for row in rows where transaction.isLive(row.type, row.row) {
      while let missing = missingLink(row.type, row.row) {
        // Where it was to go is not there: it stays where it is.
        var canStay = try linkAgain(missing, row.row)
        if !canStay { canStay = try EmbeddedObjects(of: self).takeBack(missing, of: row) }
        note(.required, row, missing.column, allowsMine: false, allowsTheirs: canStay)
        if !canStay { break }
      }
    }
  }

  /// Notes where a decision for mine has taken a link from an entity of the other side that must have it.
  private func noteLostLinks() {
    let own = Set(changed)
    for link in links.unlinked {
      let relation = layout[link.relation]
      let source = Row(type: relation.source, row: link.source)
      let target = Row(type: relation.target, row: link.target)
      for (row, other, way) in [(source, target, relation), (target, source, layout[relation.inverse])]
      where !own.contains(row) && transaction.isLive(row.type, row.row) {
        guard let missing = missingLink(row.type, row.row), missing.id == way.id else { continue }
        // A new entity of the other side has no number of mine, so the other end is named.
        if !isNew(row) {
          note(.required, row, missing.column, allowsMine: false, allowsTheirs: false)
        } else {
          note(.required, other, layout[way.inverse].column, allowsMine: false, allowsTheirs: false)
        }
      }
    }
  }

  /// Links a row with the target that it has on the other side; false where that is not there.
  private func linkAgain(_ relation: Relation, _ row: UInt32) throws(StoreProblem) -> Bool {
    guard let target = targets(versions.theirs, relation, row).first, transaction.isLive(relation.target, target)
    else { return false }
    do throws(StoreProblem) {
      try transaction.connect(relation.id, source: row, target: target)
      return true
    } catch {
      guard case .requiredReference = error else { throw error }
      return false
    }
  }

  /// Takes all links of a new row away, so that nothing else goes with it.
  private func unlinkAll(_ type: EntityTypeID, _ row: UInt32) {
    for relation in layout.types[Int(type.index)].relations
    where !relation.isMirror && !layout.ownsTargets(of: relation) {
      for target in transaction.targets(relation, row) {
        transaction.unlink(relation, layout[relation.inverse], row, target)
      }
    }
  }

  private func missingLink(_ type: EntityTypeID, _ row: UInt32) -> Relation? {
    let type = layout.types[Int(type.index)]
    if type.isElement {
      let owners = type.relations.filter { layout.ownsTargets(of: layout[$0.inverse]) }
      // Its type may be that of several lists, and it is in one.
      if !owners.contains(where: { transaction.target($0, row) != PageLayout.noRow }) { return owners.first }
    }
    return type.relations.first { relation in
      guard transaction.isRequired(relation, row) else { return false }
      if transaction.target(relation, row) != PageLayout.noRow { return false }
      // One that waits is there as far as can be known.
      return !transaction.dangling.waits(DanglingLinks.Link(relation: relation.id, source: row))
    }
  }
}

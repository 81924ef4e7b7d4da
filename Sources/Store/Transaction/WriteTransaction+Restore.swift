import GQLCatalog

extension WriteTransaction {
  /// Brings a deleted entity back; see ``restore(_:rows:)``.
  @discardableResult
  package func restore(_ type: EntityTypeID, _ row: UInt32) throws(StoreProblem) -> [DeletedRow] {
    try restore(type, rows: [row])
  }

  /// Brings deleted entities of a type back as one, so that none waits for another, with what the deletion of each
  /// cascaded to from it; gives the rows, these first.
  ///
  /// Links come back at their places among those that are there now. Links to entities that are still deleted wait for
  /// these; those to purged ones are dropped, and those to entities whose to-one relation was written meanwhile.
  /// Throws, and changes nothing, if a unique index has another row under a key, or two of these rows have one, or if a
  /// required to-one relation would have no target. Precondition: the rows are deleted and kept; not within a bulk.
  @discardableResult
  package func restore(_ type: EntityTypeID, rows: [UInt32]) throws(StoreProblem) -> [DeletedRow] {
    precondition(bulk == nil && rows.allSatisfy { table(type).isDeleted($0) }, "only deleted rows can be restored")
    var revival = Revival()
    for row in rows { revival.add(DeletedRow(type: type, row: row)) }
    try collectCascade(&revival)
    try collectLinks(&revival)
    try check(revival)
    for entity in revival.entities {
      try step(holding: revival.byteCount)
      revive(entity)
    }
    try relink(revival)
    for survivor in revival.survivors {
      try step(holding: revival.byteCount)
      let relation = layout[survivor.relation]
      if revival.entities.count == 1 {
        // Compared, because a long list may be suspended.
        let only = revival.entities[0]
        resume(relation, survivor.row) { $0 == only.row && relation.target == only.type }
      } else {
        resume(relation, survivor.row) { revival.marks.contains(DeletedRow(type: relation.target, row: $0)) }
      }
    }
    if !dangling.isEmpty {
      for entity in revival.entities { try connectDangling(ownedTable(entity.type), entity.row, isNew: false) }
    }
    return revival.entities
  }

  /// Why what a deleted row's relation led to does not come back with it.
  package func lostLink(_ id: RelationID, of row: UInt32) -> LostLink {
    let relation = layout[id]
    let targets = record(DeletedRow(type: relation.source, row: row))
      .targets(relation: layout.relationPlaces[Int(id.index)])
    let table = table(relation.target)
    if targets.contains(where: { table.isLive($0) }) { return .elsewhere }
    return targets.contains(where: { table.isDeleted($0) }) ? .deleted : .purged
  }

  /// Returns what a deleted row remembers.
  func record(_ entity: DeletedRow) -> DeletionRecord {
    table(entity.type).tombstones?.record(entity.row) ?? DeletionRecord(deletion: 0)
  }

  // MARK: - What comes back

  private func collectCascade(_ revival: inout Revival) throws(StoreProblem) {
    while revival.records.count < revival.entities.count {
      try step(holding: revival.byteCount)
      let entity = revival.entities[revival.records.count]
      let record = record(entity)
      revival.records.append(record)
      for (place, relation) in relations(entity.type).enumerated() where relation.onDelete == .cascade {
        for target in record.targets(relation: place) where table(relation.target).isDeleted(target) {
          try step(holding: revival.byteCount)
          let found = DeletedRow(type: relation.target, row: target)
          if self.record(found).deletion == record.deletion { revival.add(found) }
        }
      }
    }
  }

  /// Finds the living entities that links come back to, each of which is looked at once, and the links that do not come
  /// back although both of their ends do.
  private func collectLinks(_ revival: inout Revival) throws(StoreProblem) {
    let seen = WordSet()
    for (number, entity) in revival.entities.enumerated() {
      for (place, relation) in relations(entity.type).enumerated() {
        let inverse = layout[relation.inverse]
        for target in revival.records[number].targets(relation: place) {
          try step(holding: revival.byteCount + seen.byteCount)
          if table(relation.target).isLive(target) {
            guard seen.insert(UInt64(inverse.id.index) << 32 | UInt64(target)) else { continue }
            collectSurvivor(relation, inverse, target, &revival)
          } else if !inverse.isToMany, revival.marks.contains(DeletedRow(type: relation.target, row: target)),
            !remembers(relation, entity.row, target)
          {
            revival.severed.insert(relation.id, entity.row, target)
          }
        }
      }
    }
  }

  private func collectSurvivor(_ relation: Relation, _ inverse: Relation, _ row: UInt32, _ revival: inout Revival) {
    var resumes = false
    for link in suspended(inverse, row) {
      if !revival.marks.contains(DeletedRow(type: relation.source, row: link.target)) { continue }
      revival.returning.insert(relation.id, link.target, row)
      resumes = true
    }
    if resumes { revival.survivors.append(Revival.Survivor(relation: inverse.id, row: row)) }
  }

  /// Whether a deleted target's to-one relation still leads to the source: it may have been written between the two
  /// deletions. The links of a to-many relation stay as long as both ends do.
  private func remembers(_ relation: Relation, _ source: UInt32, _ target: UInt32) -> Bool {
    let inverse = layout[relation.inverse]
    if inverse.isToMany { return true }
    return record(DeletedRow(type: relation.target, row: target))
      .targets(relation: layout.relationPlaces[Int(inverse.id.index)]).contains(source)
  }

  /// Whether a remembered link of a revived entity is made now.
  private func comesBack(_ relation: Relation, _ source: UInt32, _ target: UInt32, _ revival: Revival) -> Bool {
    if revival.marks.contains(DeletedRow(type: relation.target, row: target)) {
      return !revival.severed.contains(relation.id, source, target)
    }
    return revival.returning.contains(relation.id, source, target)
  }

  // MARK: - Checks

  private func check(_ revival: Revival) throws(StoreProblem) {
    var keys: [IndexID: HashIndex] = [:]
    for (entity, record) in zip(revival.entities, revival.records) {
      try step(holding: revival.byteCount + keys.values.reduce(0) { $0 + $1.byteCount })
      try checkKeys(entity, &keys, isAlone: revival.entities.count == 1)
      for (place, relation) in relations(entity.type).enumerated() where isRequired(relation, entity.row) {
        if !record.targets(relation: place).contains(where: { comesBack(relation, entity.row, $0, revival) }) {
          throw .requiredReference(relation: relation.id, row: entity.row)
        }
      }
    }
  }

  /// Compares an entity's keys with those of the living, and with those of the others that come back, which `others`
  /// holds: of what was deleted together two may have one key where the schema has made it unique since, or where one
  /// got a value back that the other had taken.
  private func checkKeys(
    _ entity: DeletedRow, _ others: inout [IndexID: HashIndex], isAlone: Bool
  ) throws(StoreProblem) {
    let table = table(entity.type)
    for (number, index) in table.layout.indexes.enumerated() where index.isUnique {
      guard index.keys.load(table.readers, entity.row, into: key) else { continue }
      var existing = table.find(number, key: key)
      if existing == PageLayout.noRow, !isAlone {
        let known = others[index.id] ?? HashIndex(layout: index.keys, isUnique: true, stamp: stamp)
        others[index.id] = known
        existing = known.reader(table.readers).find(key)
        if existing == PageLayout.noRow { known.insertKey(key, of: entity.row, columns: table.readers) }
      }
      if existing != PageLayout.noRow { throw .uniqueViolation(index: index.id, existing: existing, row: entity.row) }
    }
  }

  // MARK: - Bringing back

  /// Makes a row live, without links.
  private func revive(_ entity: DeletedRow) {
    let table = ownedTable(entity.type)
    table.ownedTombstones().remove(entity.row, columns: table.readers, key: key)
    table.ownedLiveness().writeRaw(entity.row, Cell(low: RowStatus.live))
    table.live += 1
    countNulls(table, entity.row, by: 1)
    changeIndexes(table) { table.addEntry($0, entity.row, key: key) }
    stampUpdate(table, entity.row)
  }

  /// Makes the revived entities' halves of the remembered links. Those between two of them are in the records of both.
  private func relink(_ revival: Revival) throws(StoreProblem) {
    for (entity, record) in zip(revival.entities, revival.records) {
      for (place, relation) in relations(entity.type).enumerated() {
        var run: [UInt32] = []
        var suspensions: [SuspendedLinks.Link] = []
        var lost: [Int] = []
        for (index, target) in record.targets(relation: place).enumerated() {
          try step(holding: revival.byteCount)
          if comesBack(relation, entity.row, target, revival) {
            run.append(target)
          } else if table(relation.target).isDeleted(target), remembers(relation, entity.row, target) {
            suspensions.append(SuspendedLinks.Link(place: UInt32(truncatingIfNeeded: run.count), target: target))
          } else {
            lost.append(index)
          }
        }
        if !lost.isEmpty, hasWaitingPlaces(relation, entity.row) { closeWaiting(relation, entity.row, at: lost) }
        if relation.isToMany {
          if !run.isEmpty {
            run.withUnsafeBufferPointer { column(relation).setRun(entity.row, copying: $0, capacity: 0) }
          }
        } else if let target = run.first {
          column(relation).writeRaw(entity.row, Cell(low: UInt64(target)))
        }
        setSuspended(relation, entity.row, suspensions)
      }
    }
  }

  // MARK: - Cells of the deleted

  /// Gives a deleted, kept row a value back. It is purged where another entity, live or deleted, has taken its primary
  /// key meanwhile, as it would have been by who took it. Precondition: the row is deleted; not a relation column.
  package func writeDeleted(
    _ type: EntityTypeID, _ row: UInt32, _ column: ColumnID, _ cell: Cell?
  ) throws(StoreProblem) {
    let table = ownedTable(type)
    guard table.isDeleted(row) else { return }
    let number = Int(column.index)
    let record = record(DeletedRow(type: type, row: row))
    let tombstones = table.ownedTombstones()
    tombstones.remove(row, columns: table.readers, key: key)
    valid[number] = cell != nil
    cells[number] = cell ?? Cell(low: 0)
    write(table, row, number)
    for folded in table.layout.foldedColumns[number] {
      try foldCell(table, into: folded, from: number)
      write(table, row, folded, ownsPayload: true)
    }
    var isTaken = false
    if let primary = table.layout.indexes.first, primary.keys.load(table.readers, row, into: key) {
      isTaken =
        table.find(0, key: key) != PageLayout.noRow || tombstones.find(key, columns: table.readers) != PageLayout.noRow
    }
    // The record is needed for purging too.
    if isTaken {
      tombstones.replaceRecord(row, record)
      try purgeDeleted(table, row)
    } else {
      tombstones.add(row, record: record, columns: table.readers, key: key)
    }
  }

  /// Writes a scratch cell; the nulls of live rows are counted only.
  private func write(_ table: Table, _ row: UInt32, _ number: Int, ownsPayload: Bool = false) {
    let column = table.ownedColumn(number)
    let nulls = column.liveNulls
    column.write(row, valid[number] ? cells[number] : nil, ownsPayload: ownsPayload)
    column.liveNulls = nulls
  }
}

/// What became of the other end of a link that a deleted row remembers.
package enum LostLink: Sendable, Hashable {
  /// It is deleted, and kept.
  case deleted
  case purged
  /// It lives, and is linked to another, or to none.
  case elsewhere
}

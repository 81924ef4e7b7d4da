import GQLCatalog

extension WriteTransaction {
  /// Deletes an entity and what the relations' delete rules say; gives the deleted rows, the entity first.
  ///
  /// They keep their cells and are out of every index and relation but those between an entity and what mirrors it. What links they had, dormant ones included, and at
  /// which places, is remembered until they are restored or purged. Their `_updatedAt` is stamped, that of the entities
  /// which only lose a link is not. Precondition: the row is live.
  @discardableResult
  package func delete(_ type: EntityTypeID, _ row: UInt32) throws(StoreProblem) -> [DeletedRow] {
    precondition(table(type).isLive(row), "only live rows can be deleted")
    return try delete([DeletedRow(type: type, row: row)], keeps: true)
  }

  /// Deletes several entities of a type as one, so that none is kept by another; gives the rows, these first. Those
  /// that are not `kept` are purged. Precondition: the rows are live, or, to be purged, deleted.
  @discardableResult
  package func delete(_ type: EntityTypeID, rows: [UInt32], keeps: Bool) throws(StoreProblem) -> [DeletedRow] {
    let live = rows.filter { table(type).isLive($0) }
    var gone = try delete(live.map { DeletedRow(type: type, row: $0) }, keeps: keeps)
    if !keeps {
      for row in rows where table(type).isDeleted(row) {
        purgeDeleted(ownedTable(type), row)
        gone.append(DeletedRow(type: type, row: row))
      }
    }
    return gone
  }

  /// Removes an entity for good: a live one with what the delete rules say, which is purged too, or a deleted one
  /// alone. Gives the rows, the entity first. Precondition: the row is not purged yet.
  @discardableResult
  package func purge(_ type: EntityTypeID, _ row: UInt32) throws(StoreProblem) -> [DeletedRow] {
    let table = table(type)
    precondition(table.isLive(row) || table.isDeleted(row), "a purged row cannot be purged")
    if table.isLive(row) { return try delete([DeletedRow(type: type, row: row)], keeps: false) }
    purgeDeleted(ownedTable(type), row)
    return [DeletedRow(type: type, row: row)]
  }

  private func delete(_ entities: [DeletedRow], keeps: Bool) throws(StoreProblem) -> [DeletedRow] {
    var doomed = entities
    var marks = Set(doomed)
    collectCascade(&doomed, &marks)
    try checkDeletion(doomed, marks)
    let deletion = Stamp.next()
    let records = keeps ? doomed.map { makeRecord($0, deletion) } : []
    unlinkDoomed(doomed, marks, keeps: keeps)
    bury(doomed, records)
    if !keeps { forgetDangling(marks) }
    return doomed
  }

  func targets(_ relation: Relation, _ source: UInt32) -> [UInt32] {
    if relation.isToMany { return Array(readColumn(relation).reader.references(source)) }
    let target = target(relation, source)
    return target == PageLayout.noRow ? [] : [target]
  }

  private func relations(_ type: EntityTypeID) -> [Relation] { layout.types[Int(type.index)].relations }

  /// Adds what the cascading relations reach, each row once, so that cycles end.
  private func collectCascade(_ doomed: inout [DeletedRow], _ marks: inout Set<DeletedRow>) {
    var next = 0
    while next < doomed.count {
      let entity = doomed[next]
      next += 1
      for relation in relations(entity.type) where relation.onDelete == .cascade {
        for target in targets(relation, entity.row) {
          let found = DeletedRow(type: relation.target, row: target)
          if marks.insert(found).inserted { doomed.append(found) }
        }
      }
    }
  }

  private func checkDeletion(_ doomed: [DeletedRow], _ marks: Set<DeletedRow>) throws(StoreProblem) {
    for entity in doomed {
      for relation in relations(entity.type) {
        let inverse = layout[relation.inverse]
        let isKeptByInverse = inverse.isRequired && !inverse.isToMany
        guard relation.onDelete == .deny || isKeptByInverse else { continue }
        for target in targets(relation, entity.row) {
          if marks.contains(DeletedRow(type: relation.target, row: target)) { continue }
          if relation.onDelete == .deny { throw .denied(relation: relation.id, row: entity.row) }
          throw .requiredReference(relation: inverse.id, row: target)
        }
      }
    }
  }

  private func makeRecord(_ entity: DeletedRow, _ deletion: UInt64) -> DeletionRecord {
    var record = DeletionRecord(deletion: deletion)
    for (place, relation) in relations(entity.type).enumerated() {
      record.add(relation: place, targets: merged(relation, entity.row))
    }
    return record
  }

  /// Takes all links of the doomed, each survivor's run filtered once.
  private func unlinkDoomed(_ doomed: [DeletedRow], _ marks: Set<DeletedRow>, keeps: Bool) {
    for relation in layout.relations {
      let inverse = layout[relation.inverse]
      var survivors: [UInt32] = []
      var seen = Set<UInt32>()
      for entity in doomed where entity.type == relation.source {
        let found = targets(relation, entity.row)
        if found.isEmpty { continue }
        for target in found where !marks.contains(DeletedRow(type: relation.target, row: target)) {
          if seen.insert(target).inserted { survivors.append(target) }
        }
      }
      // Why apart: runs may be long, and one row is compared sooner than looked up.
      if doomed.count == 1, let only = doomed.first?.row {
        for survivor in survivors { putToSleep(inverse, survivor, keeps: keeps) { $0 == only } }
        continue
      }
      for survivor in survivors {
        putToSleep(inverse, survivor, keeps: keeps) { marks.contains(DeletedRow(type: relation.source, row: $0)) }
      }
    }
    // Not before the survivors of all relations are known, because a symmetric relation reads its own column.
    for relation in layout.relations {
      // A list of embedded objects is a value, which a deleted entity keeps. What mirrors it stays found too, so that a
      // deleted row of an interface is read through its entity.
      if keeps && (isOwner(relation) || relation.isMirror) { continue }
      for entity in doomed where entity.type == relation.source { clear(relation, entity.row) }
    }
  }

  /// Whether the targets are elements of lists of embedded objects.
  func isOwner(_ relation: Relation) -> Bool {
    relation.isToMany && relation.onDelete == .cascade && !relation.isMirror
      && layout.types[Int(relation.target.index)].isHidden
  }

  private func clear(_ relation: Relation, _ row: UInt32) {
    if relation.isToMany {
      if !readColumn(relation).reader.references(row).isEmpty {
        column(relation).setRun(row, copying: UnsafeBufferPointer(start: nil, count: 0), capacity: 0)
      }
    } else if target(relation, row) != PageLayout.noRow {
      column(relation).writeRaw(row, nil)
    }
    setDormant(relation, row, [])
  }

  /// Removes index entries and puts up tombstones; without records for good.
  private func bury(_ doomed: [DeletedRow], _ records: [DeletionRecord]) {
    for (number, entity) in doomed.enumerated() {
      let table = ownedTable(entity.type)
      changeIndexes(table) { table.removeEntry($0, entity.row, key: key) }
      countNulls(table, entity.row, by: -1)
      table.live -= 1
      if number < records.count {
        stampUpdate(table, entity.row)
        table.ownedLiveness().writeRaw(entity.row, Cell(low: RowStatus.deleted))
        table.ownedGraveyard().add(entity.row, record: records[number], columns: table.readers, key: key)
      } else {
        table.ownedLiveness().writeRaw(entity.row, Cell(low: RowStatus.purged))
        forgetPayloads(table, entity.row)
      }
    }
  }

  /// Calls for each index that is kept at the moment, owned.
  private func changeIndexes(_ table: Table, _ body: (Int) -> Void) {
    if bulk != nil { bulk?.rebuild.insert(Int(table.layout.id.index)) }
    let count = bulk == nil ? table.layout.indexes.count : min(1, table.layout.indexes.count)
    for number in 0..<count {
      table.ownIndex(number)
      body(number)
    }
  }

  /// The row begins or ends to count among the live ones: the nulls of its cells do so too.
  private func countNulls(_ table: Table, _ row: UInt32, by difference: Int) {
    for number in table.columns.indices where number != table.layout.created && number != table.layout.updated {
      if table.columns[number].isNull(row) { table.ownedColumn(number).liveNulls += difference }
    }
  }

  private func forgetPayloads(_ table: Table, _ row: UInt32) {
    for number in table.columns.indices where !table.layout.isFilled[number] {
      let column = table.columns[number]
      if column.payloadBytes(column.cell(row)) > 0 { table.ownedColumn(number).forgetPayload(row) }
    }
  }

  private func forgetDangling(_ marks: Set<DeletedRow>) {
    if dangling.isEmpty { return }
    dangling.removeAll { marks.contains(DeletedRow(type: layout[$0.relation].source, row: $0.source)) }
  }

  /// Removes a deleted entity for good. Precondition: the table is owned, the row is deleted.
  func purgeDeleted(_ table: Table, _ row: UInt32) {
    let graveyard = table.ownedGraveyard()
    let record = graveyard.record(row)
    for (place, relation) in table.layout.relations.enumerated() {
      let inverse = layout[relation.inverse]
      for target in record.targets(relation: place) where self.table(relation.target).isLive(target) {
        forgetDormant(inverse, target, row)
      }
    }
    graveyard.remove(row, columns: table.readers, key: otherKey)
    for (place, relation) in table.layout.relations.enumerated()
    where relation.onDelete == .cascade && layout.types[Int(relation.target.index)].isHidden {
      for target in record.targets(relation: place) where self.table(relation.target).isDeleted(target) {
        purgeDeleted(ownedTable(relation.target), target)
      }
    }
    for relation in table.layout.relations where isOwner(relation) {
      if readColumn(relation).reader.references(row).isEmpty { continue }
      let lists = column(relation)
      let nulls = lists.liveNulls
      lists.setRun(row, copying: UnsafeBufferPointer(start: nil, count: 0), capacity: 0)
      // The nulls of live rows are counted only.
      lists.liveNulls = nulls
    }
    for relation in table.layout.relations where relation.isMirror {
      let column = column(relation)
      let nulls = column.liveNulls
      column.writeRaw(row, nil)
      column.liveNulls = nulls
    }
    table.ownedLiveness().writeRaw(row, Cell(low: RowStatus.purged))
    forgetPayloads(table, row)
    forgetDangling([DeletedRow(type: table.layout.id, row: row)])
  }

  // MARK: - Restoring

  /// Brings a deleted entity back, with what its deletion cascaded to from it; gives the rows, the entity first.
  ///
  /// Links come back at their places among those that are there now. Links to entities that are still deleted wait for
  /// these; those to purged ones are dropped, and those to entities whose to-one relation was written meanwhile.
  /// Throws, and changes nothing, if a unique index has another row under a key, or if a required to-one relation would
  /// have no target. Precondition: the row is deleted and kept; not within a bulk.
  @discardableResult
  package func restore(_ type: EntityTypeID, _ row: UInt32) throws(StoreProblem) -> [DeletedRow] {
    precondition(bulk == nil && table(type).isDeleted(row), "only deleted rows can be restored")
    var revived = [DeletedRow(type: type, row: row)]
    var marks = Set(revived)
    let deletion = record(revived[0]).deletion
    var records: [DeletionRecord] = []
    while records.count < revived.count {
      let entity = revived[records.count]
      let record = record(entity)
      records.append(record)
      for (place, relation) in relations(entity.type).enumerated() where relation.onDelete == .cascade {
        for target in record.targets(relation: place) {
          let found = DeletedRow(type: relation.target, row: target)
          guard table(relation.target).isDeleted(target), self.record(found).deletion == deletion else { continue }
          if marks.insert(found).inserted { revived.append(found) }
        }
      }
    }
    for (entity, record) in zip(revived, records) { try checkRestoring(entity, record, marks) }
    for entity in revived { revive(entity) }
    for (entity, record) in zip(revived, records) { relink(entity, record, marks) }
    if !dangling.isEmpty {
      for entity in revived { connectDangling(ownedTable(entity.type), entity.row) }
    }
    return revived
  }

  private func record(_ entity: DeletedRow) -> DeletionRecord {
    table(entity.type).graveyard?.record(entity.row) ?? DeletionRecord(deletion: 0)
  }

  private func checkRestoring(
    _ entity: DeletedRow, _ record: DeletionRecord, _ marks: Set<DeletedRow>
  ) throws(StoreProblem) {
    let table = table(entity.type)
    for (number, index) in table.layout.indexes.enumerated() where index.isUnique {
      guard index.keys.load(table.readers, entity.row, into: key) else { continue }
      let existing = table.find(number, key: key)
      if existing != PageLayout.noRow { throw .uniqueViolation(index: index.id, existing: existing, row: entity.row) }
    }
    for (place, relation) in table.layout.relations.enumerated() where isRequired(relation, entity.row) {
      if !record.targets(relation: place).contains(where: { comesBack(relation, entity.row, $0, marks) }) {
        throw .requiredReference(relation: relation.id, row: entity.row)
      }
    }
  }

  /// Whether a remembered link can be made when `marks` are live again.
  private func comesBack(_ relation: Relation, _ source: UInt32, _ target: UInt32, _ marks: Set<DeletedRow>) -> Bool {
    if marks.contains(DeletedRow(type: relation.target, row: target)) { return true }
    return table(relation.target).isLive(target)
      && dormant(layout[relation.inverse], target).contains { $0.target == source }
  }

  /// Makes a row live, without links.
  private func revive(_ entity: DeletedRow) {
    let table = ownedTable(entity.type)
    table.ownedGraveyard().remove(entity.row, columns: table.readers, key: key)
    table.ownedLiveness().writeRaw(entity.row, Cell(low: RowStatus.live))
    table.live += 1
    countNulls(table, entity.row, by: 1)
    changeIndexes(table) { table.addEntry($0, entity.row, key: key) }
    stampUpdate(table, entity.row)
  }

  /// Makes the remembered links of a revived row. Those between two revived rows are in the records of both, and each
  /// makes its half.
  private func relink(_ entity: DeletedRow, _ record: DeletionRecord, _ marks: Set<DeletedRow>) {
    for (place, relation) in relations(entity.type).enumerated() {
      let inverse = layout[relation.inverse]
      var run: [UInt32] = []
      var sleeping: [DormantLinks.Link] = []
      for target in record.targets(relation: place) {
        let other = DeletedRow(type: relation.target, row: target)
        if marks.contains(other) {
          run.append(target)
        } else if table(relation.target).isDeleted(target) {
          // Not if its to-one was written between the two deletions.
          let back = self.record(other).targets(relation: layout.relationPlaces[Int(inverse.id.index)])
          if inverse.isToMany || back.contains(entity.row) {
            sleeping.append(DormantLinks.Link(place: UInt32(truncatingIfNeeded: run.count), target: target))
          }
        } else if comesBack(relation, entity.row, target, marks) {
          wake(inverse, target, entity.row)
          run.append(target)
        }
      }
      if relation.isToMany {
        if !run.isEmpty {
          run.withUnsafeBufferPointer { column(relation).setRun(entity.row, copying: $0, capacity: 0) }
        }
      } else if let target = run.first {
        column(relation).writeRaw(entity.row, Cell(low: UInt64(target)))
      }
      setDormant(relation, entity.row, sleeping)
    }
  }
}

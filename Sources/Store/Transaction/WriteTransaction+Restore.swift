import GQLCatalog

extension WriteTransaction {
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
    let marks = RowMarks(revived)
    let deletion = record(revived[0]).deletion
    var records: [DeletionRecord] = []
    while records.count < revived.count {
      try step(holding: marks.byteCount + revived.count * 72)
      let entity = revived[records.count]
      let record = record(entity)
      records.append(record)
      for (place, relation) in relations(entity.type).enumerated() where relation.onDelete == .cascade {
        for target in record.targets(relation: place) {
          let found = DeletedRow(type: relation.target, row: target)
          guard table(relation.target).isDeleted(target), self.record(found).deletion == deletion else { continue }
          if marks.insert(found) { revived.append(found) }
        }
      }
    }
    for (entity, record) in zip(revived, records) {
      try step()
      try checkRestoring(entity, record, marks)
    }
    for entity in revived {
      try step()
      revive(entity)
    }
    for (entity, record) in zip(revived, records) { try relink(entity, record, marks) }
    if !dangling.isEmpty {
      for entity in revived { connectDangling(ownedTable(entity.type), entity.row) }
    }
    return revived
  }

  private func record(_ entity: DeletedRow) -> DeletionRecord {
    table(entity.type).graveyard?.record(entity.row) ?? DeletionRecord(deletion: 0)
  }

  private func checkRestoring(
    _ entity: DeletedRow, _ record: DeletionRecord, _ marks: RowMarks
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
  private func comesBack(_ relation: Relation, _ source: UInt32, _ target: UInt32, _ marks: RowMarks) -> Bool {
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
  private func relink(_ entity: DeletedRow, _ record: DeletionRecord, _ marks: RowMarks) throws(StoreProblem) {
    for (place, relation) in relations(entity.type).enumerated() {
      let inverse = layout[relation.inverse]
      var run: [UInt32] = []
      var sleeping: [DormantLinks.Link] = []
      for target in record.targets(relation: place) {
        try step()
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

  // MARK: - Cells of the deleted

  /// Gives a deleted, kept row a value back. It is purged where another entity, live or deleted, has taken its primary
  /// key meanwhile, as it would have been by who took it. Precondition: the row is deleted; not a relation column.
  package func writeDeleted(
    _ type: EntityTypeID, _ row: UInt32, _ column: ColumnID, _ cell: Cell
  ) throws(StoreProblem) {
    let table = ownedTable(type)
    guard table.isDeleted(row) else { return }
    let number = Int(column.index)
    let record = record(DeletedRow(type: type, row: row))
    let graveyard = table.ownedGraveyard()
    graveyard.remove(row, columns: table.readers, key: key)
    valid[number] = true
    cells[number] = cell
    write(table, row, number)
    for folded in table.layout.foldedColumns[number] {
      try foldCell(table, into: folded, from: number)
      write(table, row, folded, ownsPayload: true)
    }
    var isTaken = false
    if let primary = table.layout.indexes.first, primary.keys.load(table.readers, row, into: key) {
      isTaken =
        table.find(0, key: key) != PageLayout.noRow || graveyard.find(key, columns: table.readers) != PageLayout.noRow
    }
    // The record is needed for purging too.
    if isTaken {
      graveyard.replaceRecord(row, record)
      purgeDeleted(table, row)
    } else {
      graveyard.add(row, record: record, columns: table.readers, key: key)
    }
  }

  /// Writes a scratch cell; the nulls of live rows are counted only.
  private func write(_ table: Table, _ row: UInt32, _ number: Int, ownsPayload: Bool = false) {
    let column = table.ownedColumn(number)
    let nulls = column.liveNulls
    column.write(row, cells[number], ownsPayload: ownsPayload)
    column.liveNulls = nulls
  }
}

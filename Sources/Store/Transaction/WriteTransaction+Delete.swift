import GQLCatalog

extension WriteTransaction {
  /// Deletes an entity and what the relations' delete rules say; gives the deleted rows, the entity first.
  ///
  /// They keep their cells and are out of every index, and of every relation but those between an entity and what
  /// mirrors it. What links they had, suspended ones included, and at which places, is remembered until they are restored
  /// or purged. Their `_updatedAt` is stamped, that of the entities which only lose a link is not. Precondition: the row
  /// is live.
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
        try step()
        try purgeDeleted(ownedTable(type), row)
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
    try purgeDeleted(ownedTable(type), row)
    return [DeletedRow(type: type, row: row)]
  }

  /// The same of entities of several types. Precondition: the rows are live, and each stands once.
  @discardableResult
  package func delete(_ entities: [DeletedRow], keeps: Bool) throws(StoreProblem) -> [DeletedRow] {
    var cascaded = entities
    let marks = RowMarks(entities)
    try collectCascade(&cascaded, marks)
    try checkDeletion(cascaded, marks)
    let deletion = Stamp.next()
    var records: [DeletionRecord] = []
    if keeps {
      records.reserveCapacity(cascaded.count)
      for entity in cascaded {
        try step(holding: records.count * 64 + cascaded.count * 24)
        records.append(makeRecord(entity, deletion))
      }
    }
    if cascaded.count == 1, let only = cascaded.first {
      unlinkOnly(only, keeps: keeps)
    } else {
      try unlinkCascaded(cascaded, marks, keeps: keeps)
    }
    try bury(cascaded, records)
    if !keeps, !dangling.isEmpty {
      for entity in cascaded {
        try step()
        forgetDangling(entity)
      }
    }
    return cascaded
  }

  func targets(_ relation: Relation, _ source: UInt32) -> [UInt32] {
    if relation.isToMany { return Array(readColumn(relation).reader.references(source)) }
    let target = target(relation, source)
    return target == PageLayout.noRow ? [] : [target]
  }

  /// Calls with each target. `body` must not write to the relation's column.
  @inline(__always)
  private func forEachTarget(
    _ relation: Relation, _ source: UInt32, _ body: (UInt32) throws(StoreProblem) -> Void
  ) throws(StoreProblem) {
    if relation.isToMany {
      for target in readColumn(relation).reader.references(source) { try body(target) }
    } else {
      let target = target(relation, source)
      if target != PageLayout.noRow { try body(target) }
    }
  }

  func relations(_ type: EntityTypeID) -> [Relation] { layout.types[Int(type.index)].relations }

  /// What ``delete(_:rows:keeps:)`` would delete: each live entity, behind it what the cascading relations reach from it,
  /// and each once. Complexity: O(*n*) in what is reached, and its links.
  package func cascade(from entities: [DeletedRow]) throws(StoreProblem) -> [DeletedRow] {
    var cascaded: [DeletedRow] = []
    let marks = RowMarks([])
    for entity in entities {
      if !marks.insert(entity) { continue }
      cascaded.append(entity)
      // What an earlier one reaches has been gone through.
      try collectCascade(&cascaded, from: cascaded.count - 1, marks)
    }
    return cascaded
  }

  /// Adds what the cascading relations reach of the rows from a place on, each row once, so that cycles end.
  private func collectCascade(
    _ cascaded: inout [DeletedRow], from first: Int = 0, _ marks: RowMarks
  ) throws(StoreProblem) {
    var next = first
    while next < cascaded.count {
      let entity = cascaded[next]
      next += 1
      for relation in relations(entity.type) where relation.onDelete == .cascade {
        try forEachTarget(relation, entity.row) { (target) throws(StoreProblem) in
          try step(holding: marks.byteCount + cascaded.count * 8)
          let found = DeletedRow(type: relation.target, row: target)
          if marks.insert(found) { cascaded.append(found) }
        }
      }
    }
  }

  private func checkDeletion(_ cascaded: [DeletedRow], _ marks: RowMarks) throws(StoreProblem) {
    for entity in cascaded {
      try step()
      for relation in relations(entity.type) {
        let inverse = layout[relation.inverse]
        let isKeptByInverse = inverse.isRequired && !inverse.isToMany
        guard relation.onDelete == .deny || isKeptByInverse else { continue }
        try forEachTarget(relation, entity.row) { (target) throws(StoreProblem) in
          try step()
          if marks.contains(DeletedRow(type: relation.target, row: target)) { return }
          if relation.onDelete == .deny { throw .denied(relation: relation.id, row: entity.row) }
          throw .requiredReference(relation: inverse.id, row: target)
        }
      }
    }
  }

  private func makeRecord(_ entity: DeletedRow, _ deletion: UInt64) -> DeletionRecord {
    var record = DeletionRecord(deletion: deletion)
    for (place, relation) in relations(entity.type).enumerated() {
      if !hasSuspended(relation, entity.row) {
        if relation.isToMany {
          record.add(relation: place, targets: readColumn(relation).reader.references(entity.row))
        } else {
          let target = target(relation, entity.row)
          if target != PageLayout.noRow { record.add(relation: place, targets: CollectionOfOne(target)) }
        }
      } else {
        record.add(relation: place, targets: merged(relation, entity.row))
      }
    }
    return record
  }

  /// Takes all links of the only entity that is deleted.
  private func unlinkOnly(_ entity: DeletedRow, keeps: Bool) {
    let relations = relations(entity.type)
    for relation in relations {
      let inverse = layout[relation.inverse]
      let isInside = relation.target == entity.type
      if !relation.isToMany {
        let target = target(relation, entity.row)
        if target == PageLayout.noRow || isInside && target == entity.row { continue }
        suspend(inverse, target, only: entity.row, keeps: keeps)
        continue
      }
      // Copied where the survivors' runs may be in the same column.
      for target in targets(relation, entity.row) where !(isInside && target == entity.row) {
        suspend(inverse, target, only: entity.row, keeps: keeps)
      }
    }
    for relation in relations {
      // As above: its lists of embedded objects, and what mirrors it, stay.
      if keeps && (layout.ownsTargets(of: relation) || relation.isMirror) { continue }
      clear(relation, entity.row)
    }
  }

  /// Takes all links of what is deleted, each survivor's run filtered once.
  private func unlinkCascaded(_ cascaded: [DeletedRow], _ marks: RowMarks, keeps: Bool) throws(StoreProblem) {
    for relation in layout.relations {
      let inverse = layout[relation.inverse]
      var survivors: [DeletedRow] = []
      let seen = RowMarks([])
      for entity in cascaded where entity.type == relation.source {
        try step()
        try forEachTarget(relation, entity.row) { (target) throws(StoreProblem) in
          try step(holding: marks.byteCount + seen.byteCount + cascaded.count * 72)
          let found = DeletedRow(type: relation.target, row: target)
          if !marks.contains(found), seen.insert(found) { survivors.append(found) }
        }
      }
      for survivor in survivors {
        try step()
        suspend(inverse, survivor.row, keeps: keeps) {
          marks.contains(DeletedRow(type: relation.source, row: $0))
        }
      }
    }
    // Not before the survivors of all relations are known, because a symmetric relation reads its own column.
    for relation in layout.relations {
      // A list of embedded objects is a value, which a deleted entity keeps. What mirrors it stays found too, so that a
      // deleted row of an interface is read through its entity.
      if keeps && (layout.ownsTargets(of: relation) || relation.isMirror) { continue }
      for entity in cascaded where entity.type == relation.source {
        try step()
        clear(relation, entity.row)
      }
    }
  }

  private func clear(_ relation: Relation, _ row: UInt32) {
    if relation.isToMany {
      if !readColumn(relation).reader.references(row).isEmpty {
        column(relation).setRun(row, copying: UnsafeBufferPointer(start: nil, count: 0), capacity: 0)
      }
    } else if target(relation, row) != PageLayout.noRow {
      column(relation).writeRaw(row, nil)
    }
    setSuspended(relation, row, [])
  }

  /// Removes index entries and puts up tombstones; without records for good.
  private func bury(_ cascaded: [DeletedRow], _ records: [DeletionRecord]) throws(StoreProblem) {
    for (number, entity) in cascaded.enumerated() {
      try step(holding: cascaded.count * 72)
      let table = ownedTable(entity.type)
      changeIndexes(table) { table.removeEntry($0, entity.row, key: key) }
      countNulls(table, entity.row, by: -1)
      table.live -= 1
      if number < records.count {
        stampUpdate(table, entity.row)
        table.ownedLiveness().writeRaw(entity.row, Cell(low: RowStatus.deleted))
        table.ownedTombstones().add(entity.row, record: records[number], columns: table.readers, key: key)
      } else {
        table.ownedLiveness().writeRaw(entity.row, Cell(low: RowStatus.purged))
        forgetPayloads(table, entity.row)
      }
    }
  }

  /// Calls for each index that is kept at the moment.
  func changeIndexes(_ table: Table, _ body: (Int) -> Void) {
    if bulk != nil {
      settleKeys(table.layout.id)
      bulk?.rebuild.insert(Int(table.layout.id.index))
    }
    let count = bulk == nil ? table.layout.indexes.count : min(1, table.layout.indexes.count)
    for number in 0..<count { body(number) }
  }

  /// The row begins or ends to count among the live ones: the nulls of its cells do so too.
  func countNulls(_ table: Table, _ row: UInt32, by difference: Int) {
    for number in table.columns.indices where number != table.layout.created && number != table.layout.updated {
      // Nulls among live rows are counted, so where there are none the cell need not be looked at.
      if difference < 0, table.columns[number].liveNulls == 0 { continue }
      if table.columns[number].isNull(row) { table.ownedColumn(number).liveNulls += difference }
    }
  }

  private func forgetPayloads(_ table: Table, _ row: UInt32) {
    for number in table.columns.indices where !table.layout.isFilled[number] {
      let column = table.columns[number]
      if column.payloadBytes(column.cell(row)) > 0 { table.ownedColumn(number).forgetPayload(row) }
    }
  }

  /// Removes a deleted entity for good. Precondition: the table is owned, the row is deleted.
  func purgeDeleted(_ table: Table, _ row: UInt32) throws(StoreProblem) {
    let tombstones = table.ownedTombstones()
    let record = tombstones.record(row)
    tombstones.remove(row, columns: table.readers, key: otherKey)
    for (place, relation) in table.layout.relations.enumerated()
    where layout.ownsTargets(of: relation) || relation.isMirror && layout.types[Int(relation.target.index)].isHidden {
      for target in record.targets(relation: place) where self.table(relation.target).isDeleted(target) {
        try purgeDeleted(ownedTable(relation.target), target)
      }
    }
    for relation in table.layout.relations where layout.ownsTargets(of: relation) {
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
    for (place, relation) in table.layout.relations.enumerated() {
      let inverse = layout[relation.inverse]
      for target in record.targets(relation: place) {
        try step()
        if self.table(relation.target).isLive(target) { forgetSuspended(inverse, target, row) }
      }
    }
    forgetDangling(DeletedRow(type: table.layout.id, row: row))
  }
}

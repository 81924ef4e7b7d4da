import GQLCatalog

extension WriteTransaction {
  /// The owned column of one direction.
  private func column(_ relation: Relation) -> ColumnStore {
    ownedTable(relation.source).ownedColumn(Int(relation.column.index))
  }

  private func readColumn(_ relation: Relation) -> ColumnStore {
    table(relation.source).columns[Int(relation.column.index)]
  }

  /// The target of a to-one relation, or `PageLayout.noRow`.
  private func target(_ relation: Relation, _ source: UInt32) -> UInt32 {
    readColumn(relation).reader.reference(source)
  }

  private func isLinked(_ relation: Relation, _ inverse: Relation, _ source: UInt32, _ target: UInt32) -> Bool {
    if !relation.isToMany { return self.target(relation, source) == target }
    if !inverse.isToMany { return self.target(inverse, target) == source }
    let run = readColumn(relation).reader.references(source)
    let other = readColumn(inverse).reader.references(target)
    return run.count <= other.count ? run.contains(target) : other.contains(source)
  }

  private func addHalf(_ relation: Relation, _ source: UInt32, _ target: UInt32) {
    if relation.isToMany {
      column(relation).appendToRun(source, target)
    } else {
      column(relation).writeRaw(source, Cell(low: UInt64(target)))
    }
  }

  private func removeHalf(_ relation: Relation, _ source: UInt32, _ target: UInt32) {
    if relation.isToMany {
      column(relation).removeFromRun(source, target)
    } else if self.target(relation, source) == target {
      column(relation).writeRaw(source, nil)
    }
  }

  /// Refuses if unlinking takes the target from a required to-one relation.
  private func checkUnlink(
    _ relation: Relation, _ inverse: Relation, _ source: UInt32, _ target: UInt32
  ) throws(StoreProblem) {
    if relation.isRequired && !relation.isToMany { throw .requiredReference(relation: relation.id, row: source) }
    if inverse.isRequired && !inverse.isToMany { throw .requiredReference(relation: inverse.id, row: target) }
  }

  private func unlink(_ relation: Relation, _ inverse: Relation, _ source: UInt32, _ target: UInt32) {
    removeHalf(relation, source, target)
    // Why the test: a link of an entity with itself in a symmetric relation has one half only.
    if relation.id != inverse.id || source != target { removeHalf(inverse, target, source) }
  }

  private func checkRows(_ relation: Relation, _ source: UInt32, _ target: UInt32) {
    precondition(
      table(relation.source).isLive(source) && table(relation.target).isLive(target), "links need live rows")
  }

  /// Links, at the end of the run; nothing happens where the link exists. To-one relations are set.
  package func appendReference(
    _ relation: RelationID, source: UInt32, target: UInt32
  ) throws(StoreProblem) {
    let relation = layout[relation]
    let inverse = layout[relation.inverse]
    checkRows(relation, source, target)
    if isLinked(relation, inverse, source, target) { return }
    try link(relation, inverse, source, target)
  }

  /// Precondition: no such link yet.
  private func link(
    _ relation: Relation, _ inverse: Relation, _ source: UInt32, _ target: UInt32
  ) throws(StoreProblem) {
    let oldTarget = relation.isToMany ? PageLayout.noRow : self.target(relation, source)
    let oldSource = inverse.isToMany ? PageLayout.noRow : self.target(inverse, target)
    // Both are left by their partners: the source gets another target, but the old target may lose its only source.
    if oldTarget != PageLayout.noRow && !inverse.isToMany && inverse.isRequired && oldTarget != target {
      throw .requiredReference(relation: inverse.id, row: oldTarget)
    }
    if oldSource != PageLayout.noRow && !relation.isToMany && relation.isRequired && oldSource != source {
      throw .requiredReference(relation: relation.id, row: oldSource)
    }
    if oldTarget != PageLayout.noRow { unlink(relation, inverse, source, oldTarget) }
    if oldSource != PageLayout.noRow && self.target(inverse, target) == oldSource {
      unlink(relation, inverse, oldSource, target)
    }
    addHalf(relation, source, target)
    if relation.id != inverse.id || source != target { addHalf(inverse, target, source) }
  }

  /// Unlinks; nothing happens where there is no such link.
  package func removeReference(
    _ relation: RelationID, source: UInt32, target: UInt32
  ) throws(StoreProblem) {
    let relation = layout[relation]
    let inverse = layout[relation.inverse]
    guard isLinked(relation, inverse, source, target) else { return }
    try checkUnlink(relation, inverse, source, target)
    unlink(relation, inverse, source, target)
  }

  /// Points a to-one relation at `target`.
  package func setReference(
    _ relation: RelationID, source: UInt32, target: UInt32?
  ) throws(StoreProblem) {
    precondition(!layout[relation].isToMany, "a to-one relation is wanted")
    if let target {
      try appendReference(relation, source: source, target: target)
    } else {
      let old = self.target(layout[relation], source)
      if old != PageLayout.noRow { try removeReference(relation, source: source, target: old) }
    }
  }

  /// Makes `targets`, repeats left out, the whole run of a to-many relation, in this order.
  package func setReferences(
    _ relation: RelationID, source: UInt32, targets: UnsafeBufferPointer<UInt32>
  ) throws(StoreProblem) {
    let relation = layout[relation]
    let inverse = layout[relation.inverse]
    precondition(relation.isToMany, "a to-many relation is wanted")
    var wanted: [UInt32] = []
    wanted.reserveCapacity(targets.count)
    var seen = Set<UInt32>(minimumCapacity: targets.count)
    for target in targets where seen.insert(target).inserted {
      checkRows(relation, source, target)
      wanted.append(target)
    }
    let old = Array(readColumn(relation).reader.references(source))
    let removed = old.filter { !seen.contains($0) }
    for target in removed { try checkUnlink(relation, inverse, source, target) }
    for target in removed { unlink(relation, inverse, source, target) }
    let kept = Set(old)
    for target in wanted where !kept.contains(target) {
      // Cannot be refused: the relation is to-many, so nobody loses a required target.
      try link(relation, inverse, source, target)
    }
    // The links are right; what remains is their order.
    wanted.withUnsafeBufferPointer { wanted in
      let run = readColumn(relation).reader.references(source)
      if !run.elementsEqual(wanted) { column(relation).setRun(source, copying: wanted, capacity: wanted.count) }
    }
  }

  // MARK: - Deleting

  /// Deletes an entity and what the relations' delete rules say; gives the deleted rows, the entity first.
  @discardableResult
  package func delete(_ type: EntityTypeID, _ row: UInt32) throws(StoreProblem) -> [DeletedRow] {
    precondition(table(type).isLive(row), "only live rows can be deleted")
    var doomed = [DeletedRow(type: type, row: row)]
    var marks = Set(doomed)
    try collectCascade(&doomed, &marks)
    try checkDeletion(doomed, marks)
    unlinkDoomed(doomed, marks)
    bury(doomed)
    if !dangling.isEmpty {
      dangling.removeAll { marks.contains(DeletedRow(type: layout[$0.relation].source, row: $0.source)) }
    }
    return doomed
  }

  private func targets(_ relation: Relation, _ source: UInt32) -> [UInt32] {
    if relation.isToMany { return Array(readColumn(relation).reader.references(source)) }
    let target = target(relation, source)
    return target == PageLayout.noRow ? [] : [target]
  }

  /// Adds what the cascading relations reach, each row once, so that cycles end.
  private func collectCascade(_ doomed: inout [DeletedRow], _ marks: inout Set<DeletedRow>) throws(StoreProblem) {
    var next = 0
    while next < doomed.count {
      let entity = doomed[next]
      next += 1
      for relation in layout.types[Int(entity.type.index)].relations where relation.onDelete == .cascade {
        for target in targets(relation, entity.row) {
          let found = DeletedRow(type: relation.target, row: target)
          if marks.insert(found).inserted { doomed.append(found) }
        }
      }
    }
  }

  private func checkDeletion(_ doomed: [DeletedRow], _ marks: Set<DeletedRow>) throws(StoreProblem) {
    for entity in doomed {
      for relation in layout.types[Int(entity.type.index)].relations {
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

  /// Takes all links of the doomed, each survivor's run filtered once.
  private func unlinkDoomed(_ doomed: [DeletedRow], _ marks: Set<DeletedRow>) {
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
      for survivor in survivors {
        if inverse.isToMany {
          column(inverse).filterRun(survivor) { !marks.contains(DeletedRow(type: relation.source, row: $0)) }
        } else {
          column(inverse).writeRaw(survivor, nil)
        }
      }
    }
    // Not before the survivors of all relations are known, because a symmetric relation reads its own column.
    for relation in layout.relations {
      for entity in doomed where entity.type == relation.source {
        if relation.isToMany {
          if !readColumn(relation).reader.references(entity.row).isEmpty {
            column(relation).setRun(entity.row, copying: UnsafeBufferPointer(start: nil, count: 0), capacity: 0)
          }
        } else if target(relation, entity.row) != PageLayout.noRow {
          column(relation).writeRaw(entity.row, nil)
        }
      }
    }
  }

  /// Removes index entries and puts up tombstones.
  private func bury(_ doomed: [DeletedRow]) {
    for entity in doomed {
      let table = ownedTable(entity.type)
      if bulk != nil { bulk?.rebuild.insert(Int(entity.type.index)) }
      let indexCount = bulk == nil ? table.layout.indexes.count : min(1, table.layout.indexes.count)
      for number in 0..<indexCount {
        table.ownIndex(number)
        table.removeEntry(number, entity.row, key: key)
      }
      for number in table.columns.indices {
        // Only the counters change, but they are part of the version.
        table.ownedColumn(number).forget(entity.row)
      }
      table.ownedLiveness().writeRaw(entity.row, Cell(low: 0))
      table.live -= 1
    }
  }
}

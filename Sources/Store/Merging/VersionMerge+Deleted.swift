import GQLCatalog

/// Entities that I have deleted, and that could be restored: they come as I had written them before.
extension VersionMerge {
  /// Finds the links that I had taken from an entity of both sides before I deleted it.
  func compareDeleted(_ row: Row) {
    for row in withMirrors(row, in: versions.mine) {
      for relation in rememberedRelations(row.type) {
        let base = baseTargets(relation, of: row)
        let mine = Set(targets(versions.mine, relation, row.row))
        guard targets(versions.theirs, relation, row.row) == base else { continue }
        links.removed += base.filter { !mine.contains($0) }.map { link(relation, row.row, $0) }
      }
    }
  }

  /// Brings what I had written of entities before I deleted them, and those that I have both made and deleted.
  func bringDeleted() throws(StoreProblem) {
    // By the numbers of my deletions: rows of the result.
    var groups: [UInt64: [Row]] = [:]
    var rows: [Row] = []
    for (group, row) in deletions + deletedAgain where group != 0 && !ignored.contains(row) {
      guard transaction.isDeleted(row.type, row.row) else { continue }
      if !layout.types[Int(row.type.index)].isElement {
        try writeDeleted(row)
        // It is purged where another has its key now.
        guard transaction.isDeleted(row.type, row.row) else { continue }
        rows.append(row)
      }
      groups[group, default: []].append(row)
    }
    for row in myRows where isNew(row) && !isMirrored(row.type) && !layout.types[Int(row.type.index)].isElement {
      guard image(versions.mine, row).status == RowChangeStatus.deleted else { continue }
      let brought = try insertDeleted(row)
      if brought.isEmpty { continue }
      rows.append(row)
      groups[versions.mine.table(row.type).tombstones?.record(row.row).deletion ?? 0, default: []] += brought
    }
    joinDeletions(groups)
    for row in rows {
      for row in withMirrors(row, in: versions.mine) { try linkDeleted(row) }
    }
  }

  /// Has what went together come back together, and nothing else.
  private func joinDeletions(_ groups: [UInt64: [Row]]) {
    var taken: Set<UInt64> = []
    for (_, rows) in groups.sorted(by: { $0.key < $1.key }) {
      guard let first = rows.first else { continue }
      let known = transaction.record(first).deletion
      // One that the other side knows has others of its own.
      let isTheirs = rows.contains { image(versions.theirs, $0).status == RowChangeStatus.deleted }
      let number = isTheirs || taken.contains(known) ? Stamp.next() : known
      taken.insert(number)
      for row in rows { RememberedLinks(in: transaction).join(row, deletion: number) }
    }
  }

  /// The relations that a deleted entity remembers, but for its lists of embedded objects.
  private func rememberedRelations(_ type: EntityTypeID) -> [Relation] {
    layout.types[Int(type.index)].relations.filter { !$0.isMirror && !layout.ownsTargets(of: $0) }
  }

  /// Writes the fields of a deleted entity of both sides that I had written.
  private func writeDeleted(_ row: Row) throws(StoreProblem) {
    let type = layout.types[Int(row.type.index)]
    let mine = image(versions.mine, row)
    for column in type.columns.indices where isOwn(column, type) {
      let (old, cell) = (image(base(of: row, column), row).cell(column), mine.cell(column))
      if !areEqual(type, column, old, cell) { try transaction.writeDeleted(row.type, row.row, ColumnID(column), cell) }
    }
  }

  private func isOwn(_ column: Int, _ type: StoreLayout.TypeLayout) -> Bool {
    !type.isFilled[column] && !type.isFolded[column] && !type.isRelation[column]
  }

  /// Inserts an entity of mine as a deleted one. Returns it with its embedded objects; none where its key is taken.
  private func insertDeleted(_ row: Row) throws(StoreProblem) -> [Row] {
    let type = layout.types[Int(row.type.index)]
    return try withCells(of: row) { (cells, valid) throws(StoreProblem) in
      if let primary = type.indexes.first {
        if try transaction.findRow(primary.id, cells: cells, valid: valid) != nil { return [] }
        // One that the other side knows is not forgotten for it.
        var key = (0..<primary.keys.count).map { cells[primary.keys.components[$0].column] }
        if let known = transaction.deletedRow(row.type, key: &key) {
          guard versions.theirs.table(row.type).status(known) == RowChangeStatus.void else { return [] }
        }
      }
      let number = try transaction.beginTombstone(row.type, cells: cells, valid: valid)
      numbers[row] = number
      var brought = [Row(type: row.type, row: number)]
      try insertElements(of: row, number, &brought)
      try transaction.endTombstone(row.type, number, cells: cells, valid: valid, isFromElsewhere: false)
      return brought
    }
  }

  /// Returns whether lists of objects of an entity of both sides that I have deleted were others then.
  func hasReplacedLists(_ row: Row) -> Bool {
    layout.types[Int(row.type.index)].relations.contains { relation in
      guard layout.ownsTargets(of: relation) else { return false }
      let mine = targets(versions.mine, relation, row.row)
      if mine != baseTargets(relation, of: row) { return ownedLists.isReplaced(relation, of: row) }
      return mine.contains { hasReplacedLists(Row(type: relation.target, row: $0)) }
    }
  }

  /// Gives a live entity of both sides that I have deleted the lists of objects that it had then.
  func replaceLists(_ row: Row) throws(StoreProblem) {
    for relation in layout.types[Int(row.type.index)].relations where layout.ownsTargets(of: relation) {
      let mine = targets(versions.mine, relation, row.row)
      let base = baseTargets(relation, of: row)
      if mine == base {
        for element in mine where transaction.isLive(relation.target, element) {
          try replaceLists(Row(type: relation.target, row: element))
        }
        continue
      }
      if !ownedLists.isReplaced(relation, of: row) { continue }
      let known = Set(mine).intersection(base).filter { transaction.isLive(relation.target, $0) }
      let replaced = transaction.targets(relation, row.row).filter { !known.contains($0) }
      if !replaced.isEmpty { try transaction.delete(relation.target, rows: replaced, keeps: false) }
      var run: [UInt32] = []
      for element in mine {
        if known.contains(element) {
          run.append(element)
          try replaceLists(Row(type: relation.target, row: element))
        } else {
          var brought: [Row] = []
          run.append(try insert(Row(type: relation.target, row: element), in: relation, of: row.row, &brought))
        }
      }
      run.withUnsafeBufferPointer { transaction.column(relation).setRun(row.row, copying: $0, capacity: $0.count) }
    }
  }

  /// Inserts the embedded objects of an entity that lives for now.
  private func insertElements(of row: Row, _ number: UInt32, _ brought: inout [Row]) throws(StoreProblem) {
    for relation in layout.types[Int(row.type.index)].relations where layout.ownsTargets(of: relation) {
      for element in targets(versions.mine, relation, row.row) {
        _ = try insert(Row(type: relation.target, row: element), in: relation, of: number, &brought)
      }
    }
  }

  /// Inserts an embedded object of mine at the end of a list of a row. Returns its number.
  private func insert(
    _ element: Row, in relation: Relation, of owner: UInt32, _ brought: inout [Row]
  ) throws(StoreProblem) -> UInt32 {
    let inserted = try withCells(of: element) { (cells, valid) throws(StoreProblem) in
      try transaction.insert(element.type, cells: cells, valid: valid)
    }
    numbers[element] = inserted
    brought.append(Row(type: element.type, row: inserted))
    try transaction.connect(relation.id, source: owner, target: inserted)
    for other in rememberedRelations(element.type) where other.id != relation.inverse {
      for target in targets(versions.mine, other, element.row) {
        guard let target = number(other.target, target), transaction.isLive(other.target, target),
          // Nobody loses a link to what is deleted.
          layout[other.inverse].isToMany
        else { continue }
        try transaction.connect(other.id, source: inserted, target: target)
      }
    }
    try insertElements(of: element, inserted, &brought)
    return inserted
  }

  /// Puts links to deleted entities in the lists of a row of mine at the places that they have there.
  func placeSuspended(_ row: Row) {
    guard !ignored.contains(row) || reinserted.contains(row), let number = number(row.type, row.row),
      transaction.isLive(row.type, number)
    else { return }
    for relation in layout.types[Int(row.type.index)].relations where relation.isToMany && !relation.isMirror {
      let known = transaction.suspended(relation, number)
      if known.isEmpty { continue }
      let mine = targets(versions.mine, relation, row.row)
      if !comesAnew(row), mine == baseTargets(relation, of: row), !ReturnedPlaces(of: self).isIn(mine, of: relation) {
        continue
      }
      var places: [UInt32: (order: Int, place: UInt32)] = [:]
      var live: [UInt32: Int] = [:]
      for (place, target) in transaction.targets(relation, number).enumerated() { live[target] = place }
      var next: UInt32 = 0
      for (order, target) in mine.compactMap({ self.number(relation.target, $0) }).enumerated() {
        if let place = live[target] { next = UInt32(truncatingIfNeeded: place + 1) }
        places[target] = (order, next)
      }
      let moved = known.enumerated().map { offset, link in
        guard let found = places[link.target] else { return (link: link, order: offset) }
        return (link: SuspendedLinks.Link(place: found.place, target: link.target), order: found.order)
      }.sorted { ($0.link.place, $0.order) < ($1.link.place, $1.order) }.map(\.link)
      if moved != known { transaction.setSuspended(relation, number, moved) }
    }
  }

  /// Has a deleted entity remember the links that it had, as far as their ends are there and free.
  private func linkDeleted(_ row: Row) throws(StoreProblem) {
    guard let number = number(row.type, row.row) else { return }
    let isNew = isNew(row)
    for relation in rememberedRelations(row.type) {
      let mine = targets(versions.mine, relation, row.row)
      let base = isNew ? [] : baseTargets(relation, of: row)
      if mine == base { continue }
      let known = Set(base)
      let there = isNew ? [] : Set(targets(versions.theirs, relation, row.row))
      // What the other side has taken away stays away.
      let rows = mine.filter { !known.contains($0) || there.contains($0) }.compactMap {
        self.number(relation.target, $0)
      }.filter { transaction.isLive(relation.target, $0) || transaction.isDeleted(relation.target, $0) }
      try RememberedLinks(in: transaction).remember(relation.id, source: number, rows: rows)
    }
  }
}

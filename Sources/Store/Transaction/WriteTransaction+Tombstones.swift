import GQLCatalog

/// Entities that were deleted elsewhere, and come as such: they never live, and take nothing from who does.
extension WriteTransaction {
  /// Begins with an entity that is known as deleted only: for now it lives, with nothing but its primary key. Lists of
  /// embedded objects may be written; then ``endTombstone(_:_:cells:valid:)`` makes it what it is to be. Cells are as for
  /// ``insert(_:cells:valid:)``. If one of the two throws, the transaction is to be undone.
  package func beginTombstone(
    _ type: EntityTypeID, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>
  ) throws(StoreProblem) -> UInt32 {
    let layout = layout.types[Int(type.index)]
    let keyed = UnsafeMutablePointer<Bool>.allocate(capacity: max(1, layout.columns.count))
    defer { keyed.deallocate() }
    for column in layout.columns.indices { keyed[column] = valid[column] && isKey(column, layout) }
    // Who lives, and waits for it, waits until it is restored.
    let row = try insert(type, cells: cells, valid: keyed, connects: false)
    connectTombstones(type, row)
    return row
  }

  private func isKey(_ column: Int, _ layout: StoreLayout.TypeLayout) -> Bool {
    guard let keys = layout.indexes.first?.keys else { return false }
    return (0..<keys.count).contains { keys.components[$0].column == column }
  }

  /// Deletes the row, and gives it its values, of which no index knows but the tombstones's.
  package func endTombstone(
    _ type: EntityTypeID, _ row: UInt32, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>
  ) throws(StoreProblem) {
    try delete(type, row)
    let tombstones = ownedTable(type).ownedTombstones()
    tombstones.replaceRecord(row, tombstones.record(row).fromElsewhere)
    let layout = layout.types[Int(type.index)]
    for column in layout.columns.indices
    where valid[column] && !layout.isFilled[column] && !layout.isFolded[column] && !isKey(column, layout) {
      try writeDeleted(type, row, ColumnID(column), cells[column])
    }
  }

  /// Links a row with the deleted ones that wait for it, as if it had been there when they were.
  private func connectTombstones(_ type: EntityTypeID, _ row: UInt32) {
    guard !dangling.isEmpty, let primary = layout.types[Int(type.index)].indexes.first, primary.keys.count == 1,
      primary.keys.load(table(type).readers, row, into: key)
    else { return }
    let cell = key[0]
    let kind = primary.keys.components[0].kind
    guard let number = dangling.number(type, kind, cell) else { return }
    // Of each relation at once, because any number may wait.
    var suspensions: [RelationID: [SuspendedLinks.Link]] = [:]
    for (link, place) in dangling.links(number) {
      let relation = layout[link.relation]
      guard relation.target == type, table(relation.source).isDeleted(link.source) else { continue }
      dangling.remove(link, to: type, kind, cell)
      guard let made = connectDeleted(relation, link, target: row, place: place, isNew: true) else { continue }
      suspensions[relation.inverse, default: []].append(made)
    }
    for (inverse, links) in suspensions {
      setSuspended(layout[inverse], row, suspended(layout[inverse], row) + links)
    }
  }

  /// Links a deleted row that is kept with those that have some primary keys, in their order, before those that know it
  /// already. The links are suspended; those to keys that nobody has wait. One that can be linked with one only, and is, or was,
  /// or waits to be, is passed over. Precondition: the row has come just now.
  package func rememberDeleted(_ id: RelationID, source: UInt32, keys: [Cell]) throws(StoreProblem) {
    let relation = layout[id]
    let inverse = layout[relation.inverse]
    let type = layout.types[Int(relation.target.index)]
    guard table(relation.source).isDeleted(source), type.members.isEmpty, let primary = type.indexes.first,
      primary.keys.count == 1
    else { return }
    let kind = primary.keys.components[0].kind
    let number = layout.relationPlaces[Int(id.index)]
    let tombstones = ownedTable(relation.source).ownedTombstones()
    let known = Array(tombstones.record(source).targets(relation: number))
    // A to-one that has a target keeps it.
    if !relation.isToMany && !known.isEmpty { return }
    let isKnown = Set(known)
    var (targets, met): ([UInt32], Set<UInt32>) = ([], [])
    var waiting = 0
    for key in relation.isToMany ? keys[...] : keys.prefix(1) {
      try step(holding: targets.count * 24)
      var cell = key
      if let target = findRow(relation.target, key: &cell) {
        guard isKnown.contains(target) || isFree(inverse, target), met.insert(target).inserted else { continue }
        targets.append(target)
        if !isKnown.contains(target) { suspendLink(inverse, target, to: source) }
      } else if let target = deletedRow(relation.target, key: &cell) {
        guard isKnown.contains(target) || isFree(inverse, buried: target), met.insert(target).inserted else { continue }
        targets.append(target)
        if !isKnown.contains(target) { remember(inverse, buried: target, source) }
      } else if inverse.isToMany || !dangling.isClaimed(id, relation.target, kind, cell) {
        let before = dangling.count
        rememberDangling(id, source: source, relation.target, key: key, place: targets.count + waiting)
        // A key that is said twice waits once.
        waiting += dangling.count - before
      }
    }
    targets += known.filter { !met.contains($0) }
    if targets != known {
      tombstones.replaceRecord(source, tombstones.record(source).with(targets, relation: number))
    }
  }

  /// Whether a live row can be linked with one more.
  private func isFree(_ relation: Relation, _ row: UInt32) -> Bool {
    relation.isToMany
      || target(relation, row) == PageLayout.noRow && !hasSuspended(relation, row)
        && !dangling.waits(DanglingLinks.Link(relation: relation.id, source: row))
  }

  /// Whether a deleted one that is kept can.
  private func isFree(_ relation: Relation, buried row: UInt32) -> Bool {
    if relation.isToMany { return true }
    return !hasTargetWhenDeleted(relation, row)
      && !dangling.waits(DanglingLinks.Link(relation: relation.id, source: row))
  }

  /// Adds a suspended link to a live row, after all others.
  private func suspendLink(_ relation: Relation, _ row: UInt32, to target: UInt32) {
    dropPurged(relation, row)
    let end = relation.isToMany ? UInt32(truncatingIfNeeded: readColumn(relation).reader.references(row).count) : 0
    let links = ownedTable(relation.source).ownedSuspended(layout.relationPlaces[Int(relation.id.index)])
    if links.insert(target, at: end, of: row) { return }
    setSuspended(relation, row, suspended(relation, row) + [SuspendedLinks.Link(place: end, target: target)])
  }

  /// Whether what is known of a deleted row has a target that is there, deleted or not; what is gone for good is none.
  func hasTargetWhenDeleted(_ relation: Relation, _ row: UInt32) -> Bool {
    let others = table(relation.target)
    let place = layout.relationPlaces[Int(relation.id.index)]
    return table(relation.source).tombstones?.withWords(row) { words in
      guard let targets = DeletionRecord.range(of: place, in: words) else { return false }
      return words[targets].contains { others.isLive($0) || others.isDeleted($0) }
    } ?? false
  }

  /// Adds a link to what is known of a deleted row, behind all others. Precondition: the target is new, so that it is
  /// not among them.
  private func remember(_ relation: Relation, buried row: UInt32, _ target: UInt32) {
    let tombstones = ownedTable(relation.source).ownedTombstones()
    let number = layout.relationPlaces[Int(relation.id.index)]
    if relation.isToMany {
      tombstones.addTarget(row, target, relation: number)
    } else {
      tombstones.replaceRecord(row, tombstones.record(row).with([target], relation: number))
    }
  }
}

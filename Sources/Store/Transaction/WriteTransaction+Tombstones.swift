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
  ///
  /// - Parameter isFromElsewhere: Tells whether it knows what it was told, not what it was linked with when it was deleted.
  package func endTombstone(
    _ type: EntityTypeID, _ row: UInt32, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>,
    isFromElsewhere: Bool = true
  ) throws(StoreProblem) {
    try delete(type, row)
    if isFromElsewhere {
      let tombstones = ownedTable(type).ownedTombstones()
      tombstones.replaceRecord(row, tombstones.record(row).fromElsewhere)
    }
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

  /// Whether what is known of a deleted row has a target that is there, deleted or not; what is gone for good is none.
  func hasTargetWhenDeleted(_ relation: Relation, _ row: UInt32) -> Bool {
    let others = table(relation.target)
    let place = layout.relationPlaces[Int(relation.id.index)]
    return table(relation.source).tombstones?.withWords(row) { words in
      guard let targets = DeletionRecord.range(of: place, in: words) else { return false }
      return words[targets].contains { others.isLive($0) || others.isDeleted($0) }
    } ?? false
  }
}

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

  /// Deletes the row, and gives it its values, of which no index knows but the graveyard's.
  package func endTombstone(
    _ type: EntityTypeID, _ row: UInt32, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>
  ) throws(StoreProblem) {
    try delete(type, row)
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
    for (link, place) in dangling.links(number) {
      let relation = layout[link.relation]
      guard relation.target == type, table(relation.source).isDeleted(link.source) else { continue }
      dangling.remove(link, to: type, kind, cell)
      addSleeping(relation, link, target: row, place: place)
    }
  }

  /// Links a deleted row that is kept with the one that has a primary key, once that is there: the link sleeps until the
  /// row is restored. Nothing happens where the other one can be linked with one only, and is, or was, or waits to be.
  package func rememberDeleted(_ id: RelationID, source: UInt32, key cell: Cell) {
    let relation = layout[id]
    let inverse = layout[relation.inverse]
    let type = layout.types[Int(relation.target.index)]
    guard table(relation.source).isDeleted(source), type.members.isEmpty, let primary = type.indexes.first,
      primary.keys.count == 1
    else { return }
    let link = DanglingLinks.Link(relation: id, source: source)
    var cell = cell
    if let target = findRow(relation.target, key: &cell) {
      if !inverse.isToMany, dangling.waits(DanglingLinks.Link(relation: inverse.id, source: target)) { return }
      return addSleeping(relation, link, target: target, place: nil)
    }
    let kind = primary.keys.components[0].kind
    if !inverse.isToMany, dangling.isClaimed(id, relation.target, kind, cell) { return }
    let number = layout.relationPlaces[Int(id.index)]
    let known = ownedTable(relation.source).ownedGraveyard().record(source).targets(relation: number).count
    rememberDangling(
      id, source: source, relation.target, key: cell, place: known + dangling.waitingCount(link))
  }

  private func addSleeping(_ relation: Relation, _ link: DanglingLinks.Link, target: UInt32, place: UInt32?) {
    guard let made = connectDeleted(relation, link, target: target, place: place) else { return }
    let inverse = layout[relation.inverse]
    setDormant(inverse, target, dormant(inverse, target) + [made])
  }
}

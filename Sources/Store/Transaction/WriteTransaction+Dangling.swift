import GQLCatalog

/// Links that wait for an entity that is not there.
extension WriteTransaction {
  package var danglingCount: Int { dangling.count }

  /// Links `source` when an entity with this primary key (of one component) is inserted.
  ///
  /// Where the relation leads to an interface or union, the first of its members with the key is linked.
  package func rememberDangling(_ relation: RelationID, source: UInt32, key: Cell) {
    let target = layout[relation].target
    let members = layout.types[Int(target.index)].members
    if members.isEmpty {
      rememberDangling(relation, source: source, target, key: key)
    } else {
      for member in members { rememberDangling(relation, source: source, member.target, key: key) }
    }
  }

  /// The same for a target of one type: for a relation to an interface or union, one of its members.
  package func rememberDangling(_ relation: RelationID, source: UInt32, _ target: EntityTypeID, key: Cell) {
    let type = layout.types[Int(target.index)]
    guard let primary = type.indexes.first, primary.keys.count == 1 else { return }
    dangling.add(
      DanglingLinks.Link(relation: relation, source: source), to: target, primary.keys.components[0].kind, key)
  }

  // MARK: - Forgetting

  /// Forgets the links of a row and a relation that await a target.
  package func forgetDangling(_ relation: RelationID, source: UInt32) {
    dangling.removeAll(DanglingLinks.Link(relation: relation, source: source))
  }

  /// Forgets what an entity's links wait for.
  func forgetDangling(_ entity: DeletedRow) {
    if dangling.isEmpty { return }
    for relation in relations(entity.type) { forgetDangling(relation.id, source: entity.row) }
  }

  /// Forgets that a link waits for entities of the members of an interface or union.
  private func forgetDangling(_ link: DanglingLinks.Link, of abstract: EntityTypeID, key: Cell) {
    for member in layout.types[Int(abstract.index)].members {
      guard let primary = layout.types[Int(member.target.index)].indexes.first else { continue }
      dangling.remove(link, to: member.target, primary.keys.components[0].kind, key)
    }
  }

  // MARK: - Connecting

  /// Links of deleted entities to one that has come: they sleep in the other direction.
  private struct Sleeping {
    let inverse: Relation
    let row: UInt32
    var links: [DormantLinks.Link]
  }

  /// Makes the links that wait for an entity.
  func connectDangling(_ table: Table, _ row: UInt32) throws(StoreProblem) {
    guard let primary = table.layout.indexes.first, primary.keys.count == 1,
      primary.keys.load(table.readers, row, into: key)
    else { return }
    let cell = key[0]
    guard let number = dangling.number(table.layout.id, primary.keys.components[0].kind, cell) else { return }
    var sleeping: [RelationID: Sleeping] = [:]
    var isLast = false
    while !isLast {
      try step()
      let link: DanglingLinks.Link
      (link, isLast) = dangling.takeFirst(number)
      let relation = layout[link.relation]
      let source = self.table(relation.source)
      guard source.isLive(link.source) || source.isDeleted(link.source) else { continue }
      var row = row
      if relation.target != table.layout.id {
        guard let mirror = table.layout.mirrors.first(where: { $0.target == relation.target }) else { continue }
        // The first of the members that comes is meant.
        forgetDangling(link, of: relation.target, key: cell)
        row = mirroredRow(mirror, row)
      }
      // A link that would break a required reference stays unmade; the source keeps what it has.
      if source.isDeleted(link.source) {
        guard let link = connectDeleted(relation, source: link.source, target: row) else { continue }
        sleeping[relation.id, default: Sleeping(inverse: layout[relation.inverse], row: row, links: [])].links
          .append(link)
      } else if bulk != nil {
        linkWoken(link.relation, source: link.source, target: row)
      } else {
        try? connect(link.relation, source: link.source, target: row)
      }
    }
    for found in sleeping.values {
      setDormant(found.inverse, found.row, dormant(found.inverse, found.row) + found.links)
    }
  }

  /// Links a deleted, kept row with a live one: the link sleeps until the row is restored. Gives what is still to be
  /// added behind the dormant links of a to-many direction, so that many are added at once.
  private func connectDeleted(_ relation: Relation, source: UInt32, target: UInt32) -> DormantLinks.Link? {
    let inverse = layout[relation.inverse]
    let graveyard = ownedTable(relation.source).ownedGraveyard()
    let place = layout.relationPlaces[Int(relation.id.index)]
    let record = graveyard.record(source)
    let old = record.targets(relation: place)
    // A to-one that has a target keeps it.
    guard !old.contains(target), relation.isToMany || old.isEmpty else { return nil }
    if !inverse.isToMany, self.target(inverse, target) != PageLayout.noRow || hasDormant(inverse, target) { return nil }
    graveyard.replaceRecord(source, record.adding(target, relation: place))
    guard inverse.isToMany else {
      setDormant(inverse, target, [DormantLinks.Link(place: 0, target: source)])
      return nil
    }
    let end = bulk == nil ? readColumn(inverse).reader.references(target).count : 0
    return DormantLinks.Link(place: UInt32(truncatingIfNeeded: end), target: source)
  }
}

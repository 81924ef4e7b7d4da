import GQLCatalog

/// Keeping the places of ``DormantLinks`` while runs change.
extension WriteTransaction {
  private func dormantLinks(_ relation: Relation) -> DormantLinks? {
    let table = table(relation.source)
    return table.dormant.isEmpty ? nil : table.dormant[layout.relationPlaces[Int(relation.id.index)]]
  }

  func dormant(_ relation: Relation, _ row: UInt32) -> [DormantLinks.Link] {
    dormantLinks(relation)?[row] ?? []
  }

  func hasDormant(_ relation: Relation, _ row: UInt32) -> Bool {
    dormantLinks(relation).map { !$0.isEmpty(row) } ?? false
  }

  func setDormant(_ relation: Relation, _ row: UInt32, _ links: [DormantLinks.Link]) {
    if links.isEmpty && dormantLinks(relation)?.isEmpty(row) ?? true { return }
    ownedTable(relation.source).ownedDormant(layout.relationPlaces[Int(relation.id.index)])[row] = links
  }

  /// Before `target` leaves the run of `row`: what stands behind it moves up.
  func closeGap(_ relation: Relation, _ row: UInt32, _ target: UInt32) {
    guard let links = dormantLinks(relation), !links.isEmpty(row),
      let index = readColumn(relation).reader.references(row).firstIndex(of: target)
    else { return }
    setDormant(
      relation, row,
      links[row].map { link in
        var link = link
        if Int(link.place) > index { link.place -= 1 }
        return link
      })
  }

  /// After a run was replaced: places behind its end become its end.
  func limitDormant(_ relation: Relation, _ row: UInt32, to count: Int) {
    guard let links = dormantLinks(relation), !links.isEmpty(row) else { return }
    setDormant(
      relation, row,
      links[row].map { DormantLinks.Link(place: min($0.place, UInt32(truncatingIfNeeded: count)), target: $0.target) })
  }

  /// The links of a live row with the dormant ones in their places.
  func merged(_ relation: Relation, _ row: UInt32) -> [UInt32] {
    let live = targets(relation, row)
    let sleeping = dormant(relation, row)
    return sleeping.isEmpty ? live : DormantLinks.merge(live, sleeping)
  }

  /// Moves the links that `isGone` is true for to the dormant ones, or drops them.
  func putToSleep(_ relation: Relation, _ row: UInt32, keeps: Bool, isGone: (UInt32) -> Bool) {
    if !relation.isToMany {
      let target = target(relation, row)
      guard target != PageLayout.noRow, isGone(target) else { return }
      column(relation).writeRaw(row, nil)
      setDormant(relation, row, keeps ? [DormantLinks.Link(place: 0, target: target)] : [])
      return
    }
    let old = dormant(relation, row)
    if !keeps && old.isEmpty {
      column(relation).filterRun(row, isKept: { !isGone($0) })
      return
    }
    var links: [DormantLinks.Link] = []
    var next = 0
    var place: UInt32 = 0
    for (index, target) in readColumn(relation).reader.references(row).enumerated() {
      while next < old.count, old[next].place <= index {
        links.append(DormantLinks.Link(place: place, target: old[next].target))
        next += 1
      }
      if !isGone(target) {
        place += 1
      } else if keeps {
        links.append(DormantLinks.Link(place: place, target: target))
      }
    }
    for link in old[next...] { links.append(DormantLinks.Link(place: place, target: link.target)) }
    column(relation).filterRun(row, isKept: { !isGone($0) })
    setDormant(relation, row, links)
  }

  /// The same for the link to one row.
  func putToSleep(_ relation: Relation, _ row: UInt32, only target: UInt32, keeps: Bool) {
    guard relation.isToMany else { return putToSleep(relation, row, keeps: keeps) { $0 == target } }
    guard let index = readColumn(relation).reader.references(row).firstIndex(of: target) else { return }
    var links = dormant(relation, row)
    column(relation).removeFromRun(row, at: index)
    if links.isEmpty && !keeps { return }
    let behind = links.firstIndex { $0.place > index } ?? links.count
    for later in behind..<links.count { links[later].place -= 1 }
    if keeps {
      links.insert(DormantLinks.Link(place: UInt32(truncatingIfNeeded: index), target: target), at: behind)
    }
    setDormant(relation, row, links)
  }

  /// Links a deleted, kept row with a live one: the link sleeps until the row is restored.
  func connectDeleted(_ relation: Relation, source: UInt32, target: UInt32) {
    let inverse = layout[relation.inverse]
    let graveyard = ownedTable(relation.source).ownedGraveyard()
    let place = layout.relationPlaces[Int(relation.id.index)]
    let record = graveyard.record(source)
    let old = record.targets(relation: place)
    // A to-one that has a target keeps it.
    guard !old.contains(target), relation.isToMany || old.isEmpty else { return }
    if !inverse.isToMany, self.target(inverse, target) != PageLayout.noRow || !dormant(inverse, target).isEmpty {
      return
    }
    graveyard.replaceRecord(source, record.adding(target, relation: place))
    let isCounted = inverse.isToMany && bulk == nil
    let end = isCounted ? readColumn(inverse).reader.references(target).count : 0
    let link = DormantLinks.Link(place: UInt32(truncatingIfNeeded: end), target: source)
    setDormant(inverse, target, dormant(inverse, target) + [link])
  }

  /// Makes a live row's dormant link to a restored target a link again, at its place.
  func wake(_ relation: Relation, _ row: UInt32, _ target: UInt32) {
    var links = dormant(relation, row)
    guard let index = links.firstIndex(where: { $0.target == target }) else { return }
    if !relation.isToMany {
      setDormant(relation, row, [])
      column(relation).writeRaw(row, Cell(low: UInt64(target)))
      return
    }
    let place = Int(links[index].place)
    links.remove(at: index)
    for later in index..<links.count { links[later].place += 1 }
    column(relation).insertIntoRun(row, target, at: place)
    setDormant(relation, row, links)
  }

  /// Forgets a dormant link for good.
  func forgetDormant(_ relation: Relation, _ row: UInt32, _ target: UInt32) {
    guard let links = dormantLinks(relation), !links.isEmpty(row) else { return }
    setDormant(relation, row, links[row].filter { $0.target != target })
  }
}

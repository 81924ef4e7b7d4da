import GQLCatalog

/// Keeping the places of ``DormantLinks`` while runs change.
extension WriteTransaction {
  private func dormantLinks(_ relation: Relation) -> DormantLinks? {
    let table = table(relation.source)
    return table.dormant.isEmpty ? nil : table.dormant[layout.relationPlaces[Int(relation.id.index)]]
  }

  func dormant(_ relation: Relation, _ row: UInt32) -> [DormantLinks.Link] {
    dropPurged(relation, row)
    return dormantLinks(relation)?[row] ?? []
  }

  func hasDormant(_ relation: Relation, _ row: UInt32) -> Bool {
    dropPurged(relation, row)
    return dormantLinks(relation).map { !$0.isEmpty(row) } ?? false
  }

  func dormantCount(_ relation: Relation, _ row: UInt32) -> Int { dormantLinks(relation)?.count(row) ?? 0 }

  func setDormant(_ relation: Relation, _ row: UInt32, _ links: [DormantLinks.Link]) {
    if links.isEmpty && dormantLinks(relation)?.isEmpty(row) ?? true { return }
    ownedTable(relation.source).ownedDormant(layout.relationPlaces[Int(relation.id.index)])[row] = links
  }

  /// Before `target` leaves the run of `row`: what stands behind it moves up.
  func closeGap(_ relation: Relation, _ row: UInt32, _ target: UInt32) {
    let waits = hasWaitingPlaces(relation, row)
    guard hasDormant(relation, row) || waits,
      let index = readColumn(relation).reader.references(row).firstIndex(of: target)
    else { return }
    let sleeping = dormant(relation, row)
    if waits { closeWaiting(relation, row, at: [index + sleeping.count { Int($0.place) <= index }]) }
    setDormant(
      relation, row,
      sleeping.map { link in
        var link = link
        if Int(link.place) > index { link.place -= 1 }
        return link
      })
  }

  /// After a run was replaced: places behind its end become its end.
  func limitDormant(_ relation: Relation, _ row: UInt32, to count: Int) {
    guard hasDormant(relation, row) else { return }
    let end = UInt32(truncatingIfNeeded: count)
    setDormant(
      relation, row,
      dormant(relation, row).map { DormantLinks.Link(place: min($0.place, end), target: $0.target) })
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
    // Those that only sleep keep their places.
    let waits = !keeps && hasWaitingPlaces(relation, row)
    if !keeps && old.isEmpty && !waits {
      column(relation).filterRun(row, isKept: { !isGone($0) })
      return
    }
    var links: [DormantLinks.Link] = []
    var gone: [Int] = []
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
      } else if waits {
        gone.append(index + next)
      }
    }
    closeWaiting(relation, row, at: gone)
    for link in old[next...] { links.append(DormantLinks.Link(place: place, target: link.target)) }
    column(relation).filterRun(row, isKept: { !isGone($0) })
    setDormant(relation, row, links)
  }

  /// The same for the link to one row.
  func putToSleep(_ relation: Relation, _ row: UInt32, only target: UInt32, keeps: Bool) {
    guard relation.isToMany else { return putToSleep(relation, row, keeps: keeps) { $0 == target } }
    guard let index = readColumn(relation).reader.references(row).firstIndex(of: target) else { return }
    dropPurged(relation, row)
    if keeps, dormantLinks(relation) != nil {
      let sleeping = ownedTable(relation.source).ownedDormant(layout.relationPlaces[Int(relation.id.index)])
      if sleeping.insert(target, at: UInt32(truncatingIfNeeded: index), of: row) {
        column(relation).removeFromRun(row, at: index)
        return
      }
    }
    var links = dormant(relation, row)
    column(relation).removeFromRun(row, at: index)
    let behind = links.firstIndex { $0.place > index } ?? links.count
    if !keeps, hasWaitingPlaces(relation, row) { closeWaiting(relation, row, at: [index + behind]) }
    if links.isEmpty && !keeps { return }
    for later in behind..<links.count { links[later].place -= 1 }
    if keeps {
      links.insert(DormantLinks.Link(place: UInt32(truncatingIfNeeded: index), target: target), at: behind)
    }
    setDormant(relation, row, links)
  }

  /// Makes a live row's dormant links to restored targets links again, at their places.
  func wake(_ relation: Relation, _ row: UInt32, isBack: (UInt32) -> Bool) {
    dropPurged(relation, row)
    guard let sleeping = dormantLinks(relation) else { return }
    // Places and targets by turns. One link that wakes is the usual case: nothing is made of the others.
    typealias Waking = (first: Int, target: UInt32, isOnly: Bool)
    let waking = sleeping.withLinks(row) { words -> Waking? in
      var back: Waking?
      for index in 0..<(words.count / 2) where isBack(words[2 * index + 1]) {
        if let known = back { return (known.first, known.target, false) }
        back = (index, words[2 * index + 1], true)
      }
      return back
    }
    guard let found = waking else { return }
    if !relation.isToMany {
      setDormant(relation, row, [])
      column(relation).writeRaw(row, Cell(low: UInt64(found.target)))
    } else if found.isOnly {
      let links = ownedTable(relation.source).ownedDormant(layout.relationPlaces[Int(relation.id.index)])
      column(relation).insertIntoRun(row, found.target, at: links.take(found.first, of: row))
    } else {
      wakeMany(relation, row, dormant(relation, row), isBack)
    }
  }

  /// Goes through the run once.
  private func wakeMany(
    _ relation: Relation, _ row: UInt32, _ old: [DormantLinks.Link], _ isBack: (UInt32) -> Bool
  ) {
    let run = readColumn(relation).reader.references(row)
    var links: [DormantLinks.Link] = []
    var woken: [UInt32] = []
    woken.reserveCapacity(run.count + old.count)
    var next = 0
    for link in old {
      let end = min(Int(link.place), run.count)
      if next < end {
        woken += run[next..<end]
        next = end
      }
      if isBack(link.target) {
        woken.append(link.target)
      } else {
        links.append(DormantLinks.Link(place: UInt32(truncatingIfNeeded: woken.count), target: link.target))
      }
    }
    woken += run[next...]
    woken.withUnsafeBufferPointer { column(relation).setRun(row, copying: $0, capacity: 0) }
    setDormant(relation, row, links)
  }

  // MARK: - Forgetting

  /// Forgets links of a live row that sleep, in the records of the deleted entities too. Complexity: O(*n*) in what
  /// sleeps, and what these remember.
  package func forgetDormant(_ relation: RelationID, source row: UInt32, where isForgotten: (UInt32) -> Bool) {
    let relation = layout[relation]
    let links = dormant(relation, row)
    let gone = links.indices.filter { isForgotten(links[$0].target) }
    if gone.isEmpty { return }
    if hasWaitingPlaces(relation, row) {
      closeWaiting(relation, row, at: gone.map { Int(links[$0].place) + $0 })
    }
    let targets = Set(gone.map { links[$0].target })
    setDormant(relation, row, links.filter { !targets.contains($0.target) })
    let inverse = layout[relation.inverse]
    let place = layout.relationPlaces[Int(inverse.id.index)]
    let graveyard = ownedTable(relation.target).ownedGraveyard()
    for target in targets {
      let record = graveyard.record(target)
      guard let index = record.targets(relation: place).enumerated().first(where: { $0.element == row })?.offset else {
        continue
      }
      if hasWaitingPlaces(inverse, target) { closeWaiting(inverse, target, at: [index]) }
      graveyard.replaceRecord(target, record.removing(row, relation: place))
    }
    stampUpdate(ownedTable(relation.source), row)
  }

  /// Forgets a dormant link for good. Precondition: the target is purged.
  ///
  /// Of a to-many relation not at once, because the list may be long and all its targets go one after the other: who
  /// looks at it next, or the end of the transaction, drops all those whose targets are purged.
  func forgetDormant(_ relation: Relation, _ row: UInt32, _ target: UInt32) {
    guard let links = dormantLinks(relation), !links.isEmpty(row) else { return }
    if relation.isToMany {
      staleDormant.insert(UInt64(relation.id.index) << 32 | UInt64(row))
    } else if links[row].first?.target == target {
      setDormant(relation, row, [])
    }
  }

  func dropPurged(_ relation: Relation, _ row: UInt32) {
    if staleDormant.isEmpty || staleDormant.remove(UInt64(relation.id.index) << 32 | UInt64(row)) == nil { return }
    guard let links = dormantLinks(relation)?[row] else { return }
    let targets = table(relation.target)
    if hasWaitingPlaces(relation, row) {
      let gone = links.indices.filter { !targets.isDeleted(links[$0].target) }
      closeWaiting(relation, row, at: gone.map { Int(links[$0].place) + $0 })
    }
    setDormant(relation, row, links.filter { targets.isDeleted($0.target) })
  }

  /// Drops all dormant links to purged rows.
  func dropPurged() {
    let stale = staleDormant
    for word in stale { dropPurged(layout.relations[Int(word >> 32)], UInt32(truncatingIfNeeded: word)) }
  }
}

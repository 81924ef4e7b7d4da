import GQLCatalog

/// Keeping the places of ``SuspendedLinks`` while runs change.
extension WriteTransaction {
  private func suspendedLinks(_ relation: Relation) -> SuspendedLinks? {
    let table = table(relation.source)
    return table.suspended.isEmpty ? nil : table.suspended[layout.relationPlaces[Int(relation.id.index)]]
  }

  func suspended(_ relation: Relation, _ row: UInt32) -> [SuspendedLinks.Link] {
    dropPurged(relation, row)
    return suspendedLinks(relation)?[row] ?? []
  }

  func hasSuspended(_ relation: Relation, _ row: UInt32) -> Bool {
    dropPurged(relation, row)
    return suspendedLinks(relation).map { !$0.isEmpty(row) } ?? false
  }

  func suspendedCount(_ relation: Relation, _ row: UInt32) -> Int { suspendedLinks(relation)?.count(row) ?? 0 }

  func setSuspended(_ relation: Relation, _ row: UInt32, _ links: [SuspendedLinks.Link]) {
    if links.isEmpty && suspendedLinks(relation)?.isEmpty(row) ?? true { return }
    ownedTable(relation.source).ownedSuspended(layout.relationPlaces[Int(relation.id.index)])[row] = links
  }

  /// Before `target` leaves the run of `row`: what stands behind it moves up.
  func closeGap(_ relation: Relation, _ row: UInt32, _ target: UInt32) {
    let waits = hasWaitingPlaces(relation, row)
    guard hasSuspended(relation, row) || waits,
      let index = readColumn(relation).reader.references(row).firstIndex(of: target)
    else { return }
    let suspensions = suspended(relation, row)
    if waits { closeWaiting(relation, row, at: [index + suspensions.count { Int($0.place) <= index }]) }
    setSuspended(
      relation, row,
      suspensions.map { link in
        var link = link
        if Int(link.place) > index { link.place -= 1 }
        return link
      })
  }

  /// After a run was replaced: places behind its end become its end.
  func limitSuspended(_ relation: Relation, _ row: UInt32, to count: Int) {
    guard hasSuspended(relation, row) else { return }
    let end = UInt32(truncatingIfNeeded: count)
    setSuspended(
      relation, row,
      suspended(relation, row).map { SuspendedLinks.Link(place: min($0.place, end), target: $0.target) })
  }

  /// The links of a live row with the suspended ones in their places.
  func merged(_ relation: Relation, _ row: UInt32) -> [UInt32] {
    let live = targets(relation, row)
    let suspensions = suspended(relation, row)
    return suspensions.isEmpty ? live : SuspendedLinks.merge(live, suspensions)
  }

  /// Moves the links that `isGone` is true for to the suspended ones, or drops them.
  func suspend(_ relation: Relation, _ row: UInt32, keeps: Bool, isGone: (UInt32) -> Bool) {
    if !relation.isToMany {
      let target = target(relation, row)
      guard target != PageLayout.noRow, isGone(target) else { return }
      writingColumn(relation) { $0.writeRaw(row, nil) }
      setSuspended(relation, row, keeps ? [SuspendedLinks.Link(place: 0, target: target)] : [])
      return
    }
    let old = suspended(relation, row)
    // Suspended links keep their places in the list.
    let waits = !keeps && hasWaitingPlaces(relation, row)
    if !keeps && old.isEmpty && !waits {
      column(relation).filterRun(row, isKept: { !isGone($0) })
      return
    }
    var links: [SuspendedLinks.Link] = []
    var gone: [Int] = []
    var next = 0
    var place: UInt32 = 0
    for (index, target) in readColumn(relation).reader.references(row).enumerated() {
      while next < old.count, old[next].place <= index {
        links.append(SuspendedLinks.Link(place: place, target: old[next].target))
        next += 1
      }
      if !isGone(target) {
        place += 1
      } else if keeps {
        links.append(SuspendedLinks.Link(place: place, target: target))
      } else if waits {
        gone.append(index + next)
      }
    }
    closeWaiting(relation, row, at: gone)
    for link in old[next...] { links.append(SuspendedLinks.Link(place: place, target: link.target)) }
    column(relation).filterRun(row, isKept: { !isGone($0) })
    setSuspended(relation, row, links)
  }

  /// Suspends the link to one row.
  func suspend(_ relation: Relation, _ row: UInt32, only target: UInt32, keeps: Bool) {
    guard relation.isToMany else { return suspend(relation, row, keeps: keeps) { $0 == target } }
    guard let index = readColumn(relation).reader.references(row).firstIndex(of: target) else { return }
    dropPurged(relation, row)
    if keeps, suspendedLinks(relation) != nil {
      let suspensions = ownedTable(relation.source).ownedSuspended(layout.relationPlaces[Int(relation.id.index)])
      if suspensions.insert(target, at: UInt32(truncatingIfNeeded: index), of: row) {
        column(relation).removeFromRun(row, at: index)
        return
      }
    }
    var links = suspended(relation, row)
    column(relation).removeFromRun(row, at: index)
    let behind = links.firstIndex { $0.place > index } ?? links.count
    if !keeps, hasWaitingPlaces(relation, row) { closeWaiting(relation, row, at: [index + behind]) }
    if links.isEmpty && !keeps { return }
    for later in behind..<links.count { links[later].place -= 1 }
    if keeps {
      links.insert(SuspendedLinks.Link(place: UInt32(truncatingIfNeeded: index), target: target), at: behind)
    }
    setSuspended(relation, row, links)
  }

  /// Makes a live row's suspended links to restored targets links again, at their places.
  func resume(_ relation: Relation, _ row: UInt32, isBack: (UInt32) -> Bool) {
    dropPurged(relation, row)
    guard let suspensions = suspendedLinks(relation) else { return }
    // Places and targets by turns. One link that comes back is the usual case: nothing is made of the others.
    typealias Resumption = (first: Int, target: UInt32, isOnly: Bool)
    let resumption = suspensions.withLinks(row) { words -> Resumption? in
      var back: Resumption?
      for index in 0..<(words.count / 2) where isBack(words[2 * index + 1]) {
        if let known = back { return (known.first, known.target, false) }
        back = (index, words[2 * index + 1], true)
      }
      return back
    }
    guard let found = resumption else { return }
    if !relation.isToMany {
      setSuspended(relation, row, [])
      column(relation).writeRaw(row, Cell(low: UInt64(found.target)))
    } else if found.isOnly {
      let links = ownedTable(relation.source).ownedSuspended(layout.relationPlaces[Int(relation.id.index)])
      column(relation).insertIntoRun(row, found.target, at: links.take(found.first, of: row))
    } else {
      resumeMany(relation, row, suspended(relation, row), isBack)
    }
  }

  /// Goes through the run once.
  private func resumeMany(
    _ relation: Relation, _ row: UInt32, _ old: [SuspendedLinks.Link], _ isBack: (UInt32) -> Bool
  ) {
    let run = readColumn(relation).reader.references(row)
    var links: [SuspendedLinks.Link] = []
    var resumed: [UInt32] = []
    resumed.reserveCapacity(run.count + old.count)
    var next = 0
    for link in old {
      let end = min(Int(link.place), run.count)
      if next < end {
        resumed += run[next..<end]
        next = end
      }
      if isBack(link.target) {
        resumed.append(link.target)
      } else {
        links.append(SuspendedLinks.Link(place: UInt32(truncatingIfNeeded: resumed.count), target: link.target))
      }
    }
    resumed += run[next...]
    resumed.withUnsafeBufferPointer { column(relation).setRun(row, copying: $0, capacity: 0) }
    setSuspended(relation, row, links)
  }

  // MARK: - Forgetting

  /// Forgets suspended links of a live row, in the records of the deleted entities too. Complexity: O(*n*) in the
  /// suspended links, and in these records.
  package func forgetSuspended(_ relation: RelationID, source row: UInt32, where isForgotten: (UInt32) -> Bool) {
    let relation = layout[relation]
    let links = suspended(relation, row)
    let gone = links.indices.filter { isForgotten(links[$0].target) }
    if gone.isEmpty { return }
    if hasWaitingPlaces(relation, row) {
      closeWaiting(relation, row, at: gone.map { Int(links[$0].place) + $0 })
    }
    let targets = Set(gone.map { links[$0].target })
    setSuspended(relation, row, links.filter { !targets.contains($0.target) })
    let inverse = layout[relation.inverse]
    let place = layout.relationPlaces[Int(inverse.id.index)]
    let tombstones = ownedTable(relation.target).ownedTombstones()
    for target in targets {
      let record = tombstones.record(target)
      guard let index = record.targets(relation: place).enumerated().first(where: { $0.element == row })?.offset else {
        continue
      }
      if hasWaitingPlaces(inverse, target) { closeWaiting(inverse, target, at: [index]) }
      tombstones.replaceRecord(target, record.removing(row, relation: place))
    }
    stampUpdate(ownedTable(relation.source), row)
  }

  /// Forgets a suspended link for good. Precondition: the target is purged.
  ///
  /// Of a to-many relation not at once, because the list may be long and all its targets go one after the other: who
  /// looks at it next, or the end of the transaction, drops all those whose targets are purged.
  func forgetSuspended(_ relation: Relation, _ row: UInt32, _ target: UInt32) {
    guard let links = suspendedLinks(relation), !links.isEmpty(row) else { return }
    if relation.isToMany {
      staleSuspended.insert(UInt64(relation.id.index) << 32 | UInt64(row))
    } else if links[row].first?.target == target {
      setSuspended(relation, row, [])
    }
  }

  func dropPurged(_ relation: Relation, _ row: UInt32) {
    if staleSuspended.isEmpty || staleSuspended.remove(UInt64(relation.id.index) << 32 | UInt64(row)) == nil { return }
    guard let links = suspendedLinks(relation)?[row] else { return }
    let targets = table(relation.target)
    if hasWaitingPlaces(relation, row) {
      let gone = links.indices.filter { !targets.isDeleted(links[$0].target) }
      closeWaiting(relation, row, at: gone.map { Int(links[$0].place) + $0 })
    }
    setSuspended(relation, row, links.filter { targets.isDeleted($0.target) })
  }

  /// Drops all suspended links to purged rows.
  func dropPurged() {
    let stale = staleSuspended
    for word in stale { dropPurged(layout.relations[Int(word >> 32)], UInt32(truncatingIfNeeded: word)) }
  }
}

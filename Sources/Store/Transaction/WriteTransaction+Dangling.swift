import GQLCatalog

/// Links that wait for an entity that is not there.
extension WriteTransaction {
  package var danglingCount: Int { dangling.count }

  /// Links `source` when an entity with this primary key (of one component) is inserted.
  ///
  /// Where the relation leads to an interface or union, the first of its members with the key is linked. `place` is the
  /// link's among those of the list that is written, those that wait counted; without, it comes behind all others. A
  /// target that can be linked with one only is taken away from who waits for it.
  package func rememberDangling(_ relation: RelationID, source: UInt32, key: Cell, place: Int? = nil) {
    let target = layout[relation].target
    let members = layout.types[Int(target.index)].members
    if members.isEmpty {
      rememberDangling(relation, source: source, target, key: key, place: place)
    } else {
      for member in members { rememberDangling(relation, source: source, member.target, key: key, place: place) }
    }
  }

  /// The same for a target of one type: for a relation to an interface or union, one of its members.
  package func rememberDangling(
    _ relation: RelationID, source: UInt32, _ target: EntityTypeID, key: Cell, place: Int? = nil
  ) {
    let type = layout.types[Int(target.index)]
    guard let primary = type.indexes.first, primary.keys.count == 1 else { return }
    let relation = layout[relation]
    dangling.add(
      DanglingLinks.Link(relation: relation.id, source: source), to: target, primary.keys.components[0].kind, key,
      place: relation.isToMany ? place.flatMap { UInt32(exactly: $0) } : nil,
      // Of a bulk, who contradicts whom is found at its end.
      isClaim: bulk == nil && !layout[relation.inverse].isToMany && relation.target == target)
  }

  /// How many links a list has, and how many places of it wait.
  package func listCounts(_ relation: RelationID, source: UInt32) -> (present: Int, waiting: Int) {
    (
      readColumn(layout[relation]).reader.references(source).count,
      dangling.waitingCount(DanglingLinks.Link(relation: relation, source: source))
    )
  }

  /// Returns before how many links of a to-many list that are there each suspended one stands, ascending.
  package func suspendedPlaces(_ relation: RelationID, source: UInt32) -> [Int] {
    let relation = layout[relation]
    return relation.isToMany ? suspended(relation, source).map { Int($0.place) } : []
  }

  /// Whether places of a list wait: then what leaves the list is to be told, see ``closeWaiting(_:_:at:)``.
  func hasWaitingPlaces(_ relation: Relation, _ row: UInt32) -> Bool {
    !dangling.isEmpty && dangling.hasPlaces(DanglingLinks.Link(relation: relation.id, source: row))
  }

  /// What waits behind links that have left a list moves up. `indices`, ascending, are theirs among those that are there
  /// or are suspended.
  func closeWaiting(_ relation: Relation, _ row: UInt32, at indices: [Int]) {
    for index in indices.reversed() {
      dangling.close(DanglingLinks.Link(relation: relation.id, source: row), index: index)
    }
  }

  // MARK: - Forgetting

  /// Forgets the links of a row and a relation that await a target.
  package func forgetDangling(_ relation: RelationID, source: UInt32) {
    dangling.removeAll(DanglingLinks.Link(relation: relation, source: source))
  }

  /// The same, but for keys that are remembered again: they keep their turn among the links that wait for the same.
  package func forgetDangling(_ relation: RelationID, source: UInt32, except keys: [Cell]) {
    if dangling.isEmpty { return }
    let link = DanglingLinks.Link(relation: relation, source: source)
    let target = layout.types[Int(layout[relation].target.index)]
    guard !keys.isEmpty, target.members.isEmpty, let primary = target.indexes.first, primary.keys.count == 1 else {
      return dangling.removeAll(link)
    }
    let kind = primary.keys.components[0].kind
    dangling.removeAll(link, except: keys.map { (target.id, kind, $0) })
  }

  /// Forgets that a row and a relation await some keys; what waits behind these moves up.
  package func forgetDangling(_ relation: RelationID, source: UInt32, only keys: [Cell]) {
    if dangling.isEmpty { return }
    let target = layout[relation].target
    let members = layout.types[Int(target.index)].members
    let types = (members.isEmpty ? [target] : members.map(\.target)).compactMap { type in
      layout.types[Int(type.index)].indexes.first.map { (type: type, kind: $0.keys.components[0].kind) }
    }
    for key in keys { dangling.take(DanglingLinks.Link(relation: relation, source: source), to: types, key) }
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

  /// Links of deleted entities to one that has come: they are suspended in the other direction.
  private struct Suspension {
    let inverse: Relation
    let row: UInt32
    var links: [SuspendedLinks.Link]
  }

  /// Makes the links that wait for an entity. One that is new was linked to nobody before.
  func connectDangling(_ table: Table, _ row: UInt32, isNew: Bool) throws(StoreProblem) {
    guard let primary = table.layout.indexes.first, primary.keys.count == 1,
      primary.keys.load(table.readers, row, into: key)
    else { return }
    let cell = key[0]
    guard let number = dangling.number(table.layout.id, primary.keys.components[0].kind, cell) else { return }
    var suspensions: [RelationID: Suspension] = [:]
    // A link that is made may be what another one's source has waited for: then that waits no longer.
    while dangling.isWaiting(number) {
      try step()
      if !staleSuspended.isEmpty {
        let first = dangling.first(number)
        dropPurged(layout[first.relation], first.source)
      }
      let (link, place) = dangling.takeFirst(number)
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
        guard let link = connectDeleted(relation, link, target: row, place: place, isNew: isNew) else { continue }
        suspensions[relation.id, default: Suspension(inverse: layout[relation.inverse], row: row, links: [])].links
          .append(link)
      } else if bulk != nil {
        linkWoken(link.relation, source: link.source, target: row)
        if let place { bulk?.placed[link, default: []].append((place, row)) }
      } else {
        let count = place == nil ? 0 : readColumn(relation).reader.references(link.source).count
        try? connect(link.relation, source: link.source, target: row)
        guard let place else { continue }
        if readColumn(relation).reader.references(link.source).count > count {
          arrange(link, [(place, row)])
        } else {
          // It was refused, or stands in the list already.
          dangling.close(link, place: place)
        }
      }
    }
    for found in suspensions.values {
      setSuspended(found.inverse, found.row, suspended(found.inverse, found.row) + found.links)
    }
  }

  /// Links a deleted, kept row with a live one: the link is suspended until the row is restored. Gives what is still to be
  /// added behind the suspended links of a to-many direction, so that many are added at once.
  func connectDeleted(
    _ relation: Relation, _ link: DanglingLinks.Link, target: UInt32, place: UInt32?, isNew: Bool
  ) -> SuspendedLinks.Link? {
    let source = link.source
    let inverse = layout[relation.inverse]
    let tombstones = ownedTable(relation.source).ownedTombstones()
    let number = layout.relationPlaces[Int(relation.id.index)]
    // A to-one that has a target keeps it.
    var isRefused =
      !isNew && tombstones.knows(source, target, relation: number)
      || !relation.isToMany && hasTargetWhenDeleted(relation, source)
    if !inverse.isToMany, self.target(inverse, target) != PageLayout.noRow || hasSuspended(inverse, target) {
      isRefused = true
    }
    if isRefused {
      if let place { dangling.close(link, place: place) }
      return nil
    }
    if relation.isToMany {
      tombstones.addTarget(source, target, relation: number, at: place.map { dangling.index(link, of: $0) })
    } else {
      // What was there before is gone for good.
      tombstones.replaceRecord(source, tombstones.record(source).with([target], relation: number))
    }
    guard inverse.isToMany else {
      setSuspended(inverse, target, [SuspendedLinks.Link(place: 0, target: source)])
      return nil
    }
    let end = bulk == nil ? readColumn(inverse).reader.references(target).count : 0
    return SuspendedLinks.Link(place: UInt32(truncatingIfNeeded: end), target: source)
  }

  /// Moves links that were made at the end of a list to their places, as far as others that wait are not before them;
  /// suspended ones count like the others. Complexity: O(*n* log *n*) in the list; for one link O(*n*), and O(1)
  /// where it stands at the end.
  func arrange(_ link: DanglingLinks.Link, _ placed: [(place: UInt32, target: UInt32)]) {
    let relation = layout[link.relation]
    let source = link.source
    let run = readColumn(relation).reader.references(source)
    let suspensions = suspended(relation, source)
    if suspensions.isEmpty, placed.count == 1, let only = placed.first {
      let index = dangling.index(link, of: only.place)
      // One that was refused is not there.
      guard run.last == only.target, index < run.count - 1 else { return }
      column(relation).removeFromRun(source, at: run.count - 1)
      return column(relation).insertIntoRun(source, only.target, at: index)
    }
    let made = Set(run)
    var moved: [(Int, UInt32)] = []
    var refused: [UInt32] = []
    for (place, target) in placed.sorted(by: { $0.place < $1.place }) {
      if made.contains(target) {
        moved.append((dangling.index(link, of: place) - refused.count, target))
      } else {
        refused.append(place)
      }
    }
    for place in refused.reversed() { dangling.close(link, place: place) }
    let targets = Set(moved.map(\.1))
    let others = SuspendedLinks.merge(run.filter { !targets.contains($0) }, suspensions)
    let suspendedTargets = Set(suspensions.map(\.target))
    var liveTargets: [UInt32] = []
    var links: [SuspendedLinks.Link] = []
    var count = 0
    func add(_ target: UInt32) {
      count += 1
      if suspendedTargets.contains(target) {
        links.append(SuspendedLinks.Link(place: UInt32(truncatingIfNeeded: liveTargets.count), target: target))
      } else {
        liveTargets.append(target)
      }
    }
    var next = 0
    for (index, target) in moved {
      while count < index, next < others.count {
        add(others[next])
        next += 1
      }
      add(target)
    }
    for target in others[next...] { add(target) }
    liveTargets.withUnsafeBufferPointer { column(relation).setRun(source, copying: $0, capacity: $0.count) }
    setSuspended(relation, source, links)
  }
}

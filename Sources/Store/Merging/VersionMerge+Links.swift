import GQLCatalog

/// Links, and the order of lists.
extension VersionMerge {
  typealias Link = MergeLinks.Link

  /// Returns a link in the direction that is written: from the end that has one target, if only one has.
  func link(_ relation: Relation, _ source: UInt32, _ target: UInt32) -> Link {
    let inverse = layout[relation.inverse]
    let here = Link(relation: relation.id, source: source, target: target)
    let there = Link(relation: inverse.id, source: target, target: source)
    if isMirrored(relation.source) { return there }
    if isMirrored(relation.target) { return here }
    if relation.isToMany != inverse.isToMany { return relation.isToMany ? there : here }
    if relation.id == inverse.id { return source <= target ? here : there }
    return relation.id.index < inverse.id.index ? here : there
  }

  /// Finds which links of a row I have taken away and made.
  func compareLinks(_ row: Row) {
    let type = layout.types[Int(row.type.index)]
    let isNew = comesAnew(row)
    for relation in type.relations where !relation.isMirror {
      var mine = targets(versions.mine, relation, row.row)
      let base = isNew ? [] : baseTargets(relation, of: row)
      let side = settled[row]?[Int(relation.column.index)]
      if base == mine, side == nil { continue }
      let theirs = isNew ? [] : targets(versions.theirs, relation, row.row)
      if let side {
        settle(row, relation, for: side, base: base, mine: mine, theirs: theirs)
        continue
      }
      if reinserted.contains(row) { mine = withoutMoved(mine, row, relation) }
      if relation.isToMany {
        compare(row, relation, base: base, mine: mine, theirs: theirs)
      } else {
        compare(row, relation, base: base.first, mine: mine.first, theirs: theirs.first)
      }
    }
  }

  /// Takes those out of the targets of an entity that comes as another row that the other side has linked with others.
  private func withoutMoved(_ targets: [UInt32], _ row: Row, _ relation: Relation) -> [UInt32] {
    let inverse = layout[relation.inverse]
    if inverse.isToMany || layout.ownsTargets(of: relation) { return targets }
    let known = Set(baseTargets(relation, of: row))
    return targets.filter { target in
      let target = Row(type: relation.target, row: target)
      // What I have linked myself is in conflict, where both have.
      if !known.contains(target.row) || isNew(target) { return true }
      // What is deleted remembers what was erased.
      return self.targets(versions.theirs, inverse, target.row).allSatisfy { other in
        image(versions.theirs, Row(type: inverse.target, row: other)).status == RowChangeStatus.void
      }
    }
  }

  /// Takes the links of a relation from one side.
  private func settle(
    _ row: Row, _ relation: Relation, for side: MergeSide, base: [UInt32], mine: [UInt32], theirs: [UInt32]
  ) {
    if side == .theirs { return block(row, relation, (mine + base).map { link(relation, row.row, $0) }, theirs) }
    let (inMine, inTheirs) = (Set(mine), Set(theirs))
    links.removed += theirs.filter { !inMine.contains($0) }.map { link(relation, row.row, $0) }
    links.added += mine.filter { !inTheirs.contains($0) }.map { link(relation, row.row, $0) }
  }

  private func compare(_ row: Row, _ relation: Relation, base: [UInt32], mine: [UInt32], theirs: [UInt32]) {
    let (inBase, inMine) = (Set(base), Set(mine))
    let added = mine.filter { !inBase.contains($0) }.map { link(relation, row.row, $0) }
    let removed = base.filter { !inMine.contains($0) }.map { link(relation, row.row, $0) }
    if theirs != base, !areSame(relation, mine, theirs), !layout.ownsTargets(of: relation) {
      var side: MergeSide?
      switch deciding.decide(relation) {
      case .side(let decided): side = decided
      case .conflict: side = note(.field, row, relation.column)
      case .elements, .value: break
      }
      if side == .theirs { return block(row, relation, added + removed, theirs) }
      if side == .mine {
        let new = mine.filter { isNew(Row(type: relation.target, row: $0)) }
        links.removed += theirs.filter { target in
          isNew(Row(type: relation.target, row: target))
            ? !new.contains { isSame(relation.target, $0, target) } : !inMine.contains(target)
        }.map { link(relation, row.row, $0) }
      }
    }
    links.added += added
    links.removed += removed
  }

  private func compare(_ row: Row, _ relation: Relation, base: UInt32?, mine: UInt32?, theirs: UInt32?) {
    let added = mine.map { link(relation, row.row, $0) }
    if theirs != base {
      if areSame(relation, mine.map { [$0] } ?? [], theirs.map { [$0] } ?? []) { return }
      var side: MergeSide
      // The direction without a name has nothing of its own to be decided.
      if relation.property == nil, !layout[relation.inverse].isToMany {
        side = preference ?? .theirs
      } else if case .side(let decided) = deciding.decide(relation) {
        side = decided
      } else {
        side = note(.field, row, relation.column)
      }
      if side == .theirs { return block(row, relation, added.map { [$0] } ?? [], theirs.map { [$0] } ?? []) }
      if let theirs { links.removed.append(link(relation, row.row, theirs)) }
    } else if let base {
      links.removed.append(link(relation, row.row, base))
    }
    if let added { links.added.append(added) }
  }

  /// Keeps the links of the other side as they are, and mine away. The other ends need not be in conflict, and may have
  /// another base.
  private func block(_ row: Row, _ relation: Relation, _ mine: [Link], _ theirs: [UInt32]) {
    links.blocked.formUnion(mine)
    for target in theirs where !isNew(Row(type: relation.target, row: target)) {
      links.blocked.insert(link(relation, row.row, target))
    }
  }

  /// Returns whether a row of mine and one of the other side are one entity. New ones of one number are others, unless they
  /// have one key.
  private func isSame(_ type: EntityTypeID, _ mine: UInt32, _ theirs: UInt32) -> Bool {
    let (here, there) = (Row(type: type, row: mine), Row(type: type, row: theirs))
    if !isNew(here) || !isNew(there) { return mine == theirs }
    if let member = mirroredEntities(type, mine, theirs) { return isSame(member.type, member.mine, member.theirs) }
    let layout = layout.types[Int(type.index)]
    if layout.isHidden { return false }
    guard let keys = layout.indexes.first?.keys else { return false }
    return (0..<keys.count).allSatisfy { place in
      let column = keys.components[place].column
      return areEqual(
        layout, column, image(versions.mine, here).cell(column), image(versions.theirs, there).cell(column))
    }
  }

  /// The entities of one type that two rows of an interface or union mirror; nil where there are none.
  private func mirroredEntities(
    _ type: EntityTypeID, _ mine: UInt32, _ theirs: UInt32
  ) -> (type: EntityTypeID, mine: UInt32, theirs: UInt32)? {
    for member in layout.types[Int(type.index)].members {
      let column = Int(member.column.index)
      guard let here = image(versions.mine, Row(type: type, row: mine)).cell(column),
        let there = image(versions.theirs, Row(type: type, row: theirs)).cell(column)
      else { continue }
      return (member.target, UInt32(truncatingIfNeeded: here.low), UInt32(truncatingIfNeeded: there.low))
    }
    return nil
  }

  func areSame(_ relation: Relation, _ mine: [UInt32], _ theirs: [UInt32]) -> Bool {
    mine.count == theirs.count && zip(mine, theirs).allSatisfy { isSame(relation.target, $0, $1) }
  }

  /// Takes links away that I have taken away, whatever must have a target: it gets another one later.
  func unlinkRemoved() {
    for link in Set(links.removed).subtracting(links.blocked) where !isStaying(link) {
      let relation = layout[link.relation]
      let inverse = layout[relation.inverse]
      guard transaction.isLive(relation.source, link.source) else { continue }
      if transaction.isLive(relation.target, link.target) {
        guard transaction.isLinked(relation, inverse, link.source, link.target) else { continue }
        transaction.unlink(relation, inverse, link.source, link.target)
        links.unlinked.append(link)
      } else {
        transaction.forgetSuspended(relation.id, source: link.source) { $0 == link.target }
      }
    }
  }

  /// Returns whether a link has gone in mine only because one of its ends was erased, which stays.
  private func isStaying(_ link: Link) -> Bool {
    if staying.isEmpty { return false }
    let relation = layout[link.relation]
    return isStaying(relation, link.source, link.target)
      || isStaying(layout[relation.inverse], link.target, link.source)
  }

  private func isStaying(_ relation: Relation, _ row: UInt32, _ target: UInt32) -> Bool {
    guard staying.contains(Row(type: relation.target, row: target)) else { return false }
    // I have taken the embedded object around it away, which lives on without it.
    let source = image(versions.mine, Row(type: relation.source, row: row))
    if let presence = relation.presence, source.status == RowChangeStatus.live, source.cell(Int(presence.index)) == nil
    {
      return false
    }
    // A link to one that leads elsewhere now was moved before the erasing.
    return relation.isToMany || targets(versions.mine, relation, row).isEmpty
  }

  /// Makes the links again that were taken from rows whose deletion is refused.
  func linkStaying(_ rows: [Row]) throws(StoreProblem) {
    let rows = Set(rows)
    for link in links.unlinked where isStaying(link) {
      let relation = layout[link.relation]
      let (source, target) = (
        Row(type: relation.source, row: link.source), Row(type: relation.target, row: link.target)
      )
      guard rows.contains(source) || rows.contains(target), transaction.isLive(source.type, source.row),
        transaction.isLive(target.type, target.row)
      else { continue }
      try transaction.connect(relation.id, source: link.source, target: link.target)
    }
  }

  /// Makes the links that I have made.
  func linkAdded() throws(StoreProblem) {
    var seen: Set<Link> = []
    for added in links.added where seen.insert(added).inserted && !links.blocked.contains(added) {
      let relation = layout[added.relation]
      let inverse = layout[relation.inverse]
      guard let source = number(relation.source, added.source), let target = number(relation.target, added.target),
        transaction.isLive(relation.source, source), transaction.isLive(relation.target, target),
        isHeld(relation, source), isHeld(inverse, target)
      else { continue }
      // What both have inserted keeps the one target, and the objects, that it has.
      if yields(added) || isUnwritten(added) { continue }
      if isTaken(relation, added.source, source) || isTaken(inverse, added.target, target) { continue }
      do throws(StoreProblem) {
        try transaction.connect(relation.id, source: source, target: target)
      } catch {
        guard case .requiredReference = error else { throw error }
        note(.required, Row(type: relation.source, row: added.source), relation.column, allowsMine: false)
      }
    }
  }

  /// Returns whether the embedded object around a link, if there is one, is there.
  private func isHeld(_ relation: Relation, _ row: UInt32) -> Bool {
    guard let presence = relation.presence else { return true }
    return !transaction.table(relation.source).readers[Int(presence.index)].isNull(row)
  }

  /// Returns whether a link is that of an object with an owner which is the other side's.
  private func yields(_ link: Link) -> Bool {
    if yielding.isEmpty { return false }
    let relation = layout[link.relation]
    return layout.ownsTargets(of: layout[relation.inverse])
      && yielding.contains(Row(type: relation.target, row: link.target))
  }

  /// Returns whether a link of mine is of what is there as the other side has it, and of nothing that comes to it.
  private func isUnwritten(_ link: Link) -> Bool {
    if unwritten.isEmpty { return false }
    let relation = layout[link.relation]
    let ends = [Row(type: relation.source, row: link.source), Row(type: relation.target, row: link.target)]
    return ends.contains { unwritten.contains($0) } && !ends.contains { comesAnew($0) && !unwritten.contains($0) }
  }

  private func isTaken(_ relation: Relation, _ row: UInt32, _ number: UInt32) -> Bool {
    if relation.isToMany || !yielding.contains(Row(type: relation.source, row: row)) { return false }
    return transaction.target(relation, number) != PageLayout.noRow
  }

  // MARK: - Orders

  /// Puts the links of a row's lists into the order that follows from both sides.
  func orderLists(_ row: Row) {
    guard !ignored.contains(row) || reinserted.contains(row), let number = number(row.type, row.row),
      transaction.isLive(row.type, number)
    else { return }
    let isNew = comesAnew(row)
    for relation in layout.types[Int(row.type.index)].relations where relation.isToMany && !relation.isMirror {
      let mine = targets(versions.mine, relation, row.row)
      var base = isNew ? [] : baseTargets(relation, of: row)
      if base == mine, !ReturnedPlaces(of: self).isIn(mine, of: relation) { continue }
      // A row that stays against my choice counts as added by the other side, at its place.
      if !staying.isEmpty { base.removeAll { staying.contains(Row(type: relation.target, row: $0)) } }
      let current = Array(transaction.readColumn(relation).reader.references(number))
      if current.count < 2 { continue }
      let merge = ListMerge(
        base: base, mine: mine.compactMap { self.number(relation.target, $0) },
        theirs: isNew ? [] : targets(versions.theirs, relation, row.row), prefersMine: preference == .mine)
      if merge.isContradictory, relation.property != nil, case .elements(let unites) = deciding.decide(relation),
        !unites
      {
        note(.field, row, relation.column)
      }
      var places: [UInt32: Int] = [:]
      for (place, element) in merge.elements.enumerated() { places[element] = place }
      let order = current.enumerated().sorted { left, right in
        let (first, second) = (places[left.element] ?? .max, places[right.element] ?? .max)
        return first == second ? left.offset < right.offset : first < second
      }.map(\.element)
      if order == current { continue }
      order.withUnsafeBufferPointer {
        transaction.column(relation).setRun(number, copying: $0, capacity: $0.count)
      }
    }
  }

  // MARK: - Links that wait

  /// Has the links of an entity that I have deleted wait no more for what mine do not wait for.
  func forgetWaiting(_ row: Row) {
    if versions.base.dangling.isEmpty || !transaction.isLive(row.type, row.row) { return }
    for (place, relation) in layout.types[Int(row.type.index)].relations.enumerated() where !relation.isMirror {
      let (base, mine) = (waiting(base(of: row), row, relation, place), waiting(versions.mine, row, relation, place))
      for key in base.subtracting(mine).sorted() {
        withCell(key) { transaction.forgetDangling(relation.id, source: row.row, only: [$0]) }
      }
    }
  }

  /// The keys that a row's links of a relation wait for.
  private func waiting(
    _ version: Snapshot, _ row: Row, _ relation: Relation, _ place: Int
  ) -> Set<DanglingLinks.Key> {
    let link = DanglingLinks.Link(relation: relation.id, source: row.row)
    return Set(version.dangling.all(link, place: place)?.entries.map(\.key) ?? [])
  }

  /// Has a row's links wait for the entities for which mine wait, or links it with those that have come.
  func bringWaiting(_ row: Row) throws(StoreProblem) {
    if versions.mine.dangling.isEmpty && versions.base.dangling.isEmpty { return }
    guard !ignored.contains(row), let number = number(row.type, row.row), transaction.isLive(row.type, number)
    else { return }
    for (place, relation) in layout.types[Int(row.type.index)].relations.enumerated()
    where !relation.isMirror && isHeld(relation, number) {
      let mine = waiting(versions.mine, row, relation, place)
      let base = comesAnew(row) ? [] : waiting(self.base(of: row), row, relation, place)
      for key in base.subtracting(mine).sorted() {
        withCell(key) { transaction.forgetDangling(relation.id, source: number, only: [$0]) }
      }
      for key in mine.subtracting(base).sorted() {
        var failure: StoreProblem?
        withCell(key) { cell in
          do throws(StoreProblem) {
            try bring(relation, number, key, cell)
          } catch {
            failure = error
          }
        }
        if let failure { throw failure }
      }
    }
  }

  private func bring(
    _ relation: Relation, _ source: UInt32, _ key: DanglingLinks.Key, _ cell: Cell
  ) throws(StoreProblem) {
    var cell = cell
    guard let entity = transaction.findRow(key.type, key: &cell) else {
      return transaction.rememberDangling(relation.id, source: source, key.type, key: cell)
    }
    let isMirror = relation.target != key.type
    guard let target = isMirror ? transaction.mirroredRow(key.type, entity, in: relation.target) : entity else {
      return
    }
    do throws(StoreProblem) {
      try transaction.connect(relation.id, source: source, target: target)
    } catch {
      // What would take a link from somebody who must have it stays unmade, as where the entity comes later.
      guard case .requiredReference = error else { throw error }
    }
  }

  /// Calls with the cell of the key that a link waits for.
  private func withCell(_ key: DanglingLinks.Key, _ body: (Cell) -> Void) {
    guard let index = layout.types[Int(key.type.index)].indexes.first, index.keys.count == 1 else { return }
    switch index.keys.components[0].kind {
    case .text, .id:
      key.text.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return body(TextView(word0: 0, word1: 0).cell) }
        body(TextView(start, count: bytes.count).cell)
      }
    case .int64, .byte, .code: body(Cell(low: key.word))
    // The forms of these keys do not lead back to what was written.
    case .float64, .decimal: return
    }
  }
}

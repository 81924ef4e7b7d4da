import GQLCatalog

/// Relations: both directions shared where nothing about them changes, else made anew from lists.
extension Evolution {
  func fillLinks(_ relation: Relation) throws(EvolutionFailure) {
    let inverse = layout[relation.inverse]
    if mayShare(relation) && mayShare(inverse) {
      share(relation)
      if relation.id != inverse.id { share(inverse) }
      try checkRequired(relation)
      if relation.id != inverse.id { try checkRequired(inverse) }
      return
    }
    var forward = EvolutionReport.Links(relation: relation.id)
    var backward = EvolutionReport.Links(relation: inverse.id)
    var first = try makeLists(relation, &forward)
    var second = relation.id == inverse.id ? first : try makeLists(inverse, &backward)
    if mayBeForgotten(inverse) { first.filter(allowance) { second[$1].contains(UInt32(truncatingIfNeeded: $0)) } }
    if relation.id != inverse.id, mayBeForgotten(relation) {
      second.filter(allowance) { first[$1].contains(UInt32(truncatingIfNeeded: $0)) }
    }
    let dropped = try choose(relation, inverse, first, second, &forward, &backward)
    if !dropped.isEmpty {
      first.filter(allowance) { !dropped.contains(UInt64($0) << 32 | UInt64($1)) }
      second.filter(allowance) { !dropped.contains(UInt64($1) << 32 | UInt64($0)) }
      try check()
    }
    lists[Int(relation.id.index)] = first
    try write(relation, first)
    if relation.id != inverse.id {
      lists[Int(inverse.id.index)] = second
      try write(inverse, second)
    }
    // What one direction cannot reach is what the other one could not be reached from.
    backward.unreachable = 0
    for outcome in [forward, backward] where outcome.unreachable + outcome.surplus > 0 { report.links.append(outcome) }
    try checkRequired(relation)
    if relation.id != inverse.id { try checkRequired(inverse) }
  }

  /// Whether what a deleted entity remembers the other direction may have forgotten: a to-one relation that was written
  /// since. It must not come back where the relation is to-many now. Each row has one target then.
  private func mayBeForgotten(_ relation: Relation) -> Bool {
    let sources = mapping.links[Int(relation.id.index)]
    return !sources.isEmpty && sources.allSatisfy { !old.layout[$0].isToMany }
  }

  // MARK: - Sharing

  private func mayShare(_ relation: Relation) -> Bool {
    let sources = mapping.links[Int(relation.id.index)]
    guard sources.count == 1, let source = sources.first else { return false }
    let before = old.layout[source]
    let isSymmetric = relation.id == relation.inverse
    return before.isToMany == relation.isToMany && (before.id == before.inverse) == isSymmetric
      && mapping.links[Int(relation.inverse.index)] == [before.inverse] && hasSameRows(before.source, relation.source)
      && hasSameRows(before.target, relation.target)
  }

  private func hasSameRows(_ before: EntityTypeID, _ type: EntityTypeID) -> Bool {
    mapping.newTypes[Int(before.index)] == type && gone[Int(before.index)] == nil
      && old.table(before).slots == table(type).slots
  }

  private func share(_ relation: Relation) {
    let before = old.layout[mapping.links[Int(relation.id.index)][0]]
    let source = old.table(before.source)
    let table = table(relation.source)
    table.setColumn(Int(relation.column.index)) {
      ColumnStore(copying: source.columns[Int(before.column.index)], stamp: stamp, slot: $0)
    }
    let suspended = source.suspended.isEmpty ? nil : source.suspended[old.layout.relationPlaces[Int(before.id.index)]]
    if let suspended {
      table.setSuspended(
        layout.relationPlaces[Int(relation.id.index)], SuspendedLinks(copying: suspended, stamp: stamp))
    }
  }

  /// Whether the direction's links are the old ones, in the old column.
  func isShared(_ relation: Relation) -> Bool { lists[Int(relation.id.index)] == nil }

  // MARK: - Lists

  private func makeLists(
    _ relation: Relation, _ outcome: inout EvolutionReport.Links
  ) throws(EvolutionFailure) -> LinkLists {
    var pairs: [UInt64] = []
    for id in mapping.links[Int(relation.id.index)] {
      let before = old.layout[id]
      let sourceRows = try rowMap(before.source, relation.source)
      let targetRows = try rowMap(before.target, relation.target)
      let targets = old.table(before.target)
      for row in rows(old.table(before.source)) {
        let known = pairs.count
        let source = sourceRows[row]
        old.forEachTarget(before, row) { found in
          // A deleted entity may remember one that was purged.
          guard targets.isLive(found) || targets.isDeleted(found) else { return }
          let target = targetRows[found]
          if source == PageLayout.noRow || target == PageLayout.noRow {
            // Elements that go are told of as what they are.
            let isGone =
              source == PageLayout.noRow && catalog[relation.source].isElement
              || target == PageLayout.noRow && catalog[relation.target].isElement
            if !isGone, !relation.isMirror { outcome.unreachable += 1 }
          } else {
            pairs.append(UInt64(source) << 32 | UInt64(target))
          }
        }
        try advance(1 + pairs.count - known)
        try take((pairs.count - known) * 8)
      }
    }
    if relation.isMirror, mapping.links[Int(relation.id.index)].isEmpty { pairs = try mirrorPairs(relation) }
    let lists = LinkLists(
      pairs, rows: table(relation.source).slots, targetRows: table(relation.target).slots, allowance)
    try take(-pairs.count * 8)
    return lists
  }

  /// Which links a relation cannot keep that is to-one now: those behind the first, the living first.
  private func choose(
    _ relation: Relation, _ inverse: Relation, _ first: LinkLists, _ second: LinkLists,
    _ forward: inout EvolutionReport.Links, _ backward: inout EvolutionReport.Links
  ) throws(EvolutionFailure) -> Set<UInt64> {
    if !relation.isToMany, !inverse.isToMany { return try pair(relation, inverse, first, second, &forward, &backward) }
    var dropped = Set<UInt64>()
    func drop(
      _ relation: Relation, _ lists: LinkLists, _ pair: (UInt32, UInt32) -> UInt64
    ) throws(EvolutionFailure) {
      if relation.isToMany { return }
      let target = table(relation.target)
      for row in rows(table(relation.source)) {
        try advance(1 + lists[row].count)
        guard lists[row].count > 1 else { continue }
        // A set's entries are about twice as wide as what is in them.
        try take(lists[row].count * 16)
        let kept = lists[row].first { target.isLive($0) } ?? lists[row].first
        for other in lists[row] where other != kept { dropped.insert(pair(row, other)) }
      }
    }
    try drop(relation, first) { UInt64($0) << 32 | UInt64($1) }
    forward.surplus = dropped.count
    try drop(inverse, second) { UInt64($1) << 32 | UInt64($0) }
    backward.surplus = dropped.count - forward.surplus
    return dropped
  }

  /// The same where both directions are to-one, maybe one and the same: each row takes its first target that none before
  /// it has taken, so that none is left without because of a link that goes itself.
  private func pair(
    _ relation: Relation, _ inverse: Relation, _ first: LinkLists, _ second: LinkLists,
    _ forward: inout EvolutionReport.Links, _ backward: inout EvolutionReport.Links
  ) throws(EvolutionFailure) -> Set<UInt64> {
    let (source, target) = (table(relation.source), table(relation.target))
    let isSymmetric = relation.id == inverse.id
    var needsChoice = try hasSeveral(first, rows(source))
    if !needsChoice, !isSymmetric { needsChoice = try hasSeveral(second, rows(target)) }
    guard needsChoice else { return [] }
    try take((source.slots + (isSymmetric ? 0 : target.slots)) * 4)
    defer { _ = allowance.take(-(source.slots + (isSymmetric ? 0 : target.slots)) * 4) }
    var partners = [UInt32](repeating: PageLayout.noRow, count: source.slots)
    var takers = [UInt32](repeating: PageLayout.noRow, count: isSymmetric ? 0 : target.slots)
    // The living among themselves first.
    for isOfLiving in [true, false] {
      for row in rows(source) where partners[Int(row)] == PageLayout.noRow {
        try advance(1 + first[row].count)
        if isOfLiving, !source.isLive(row) { continue }
        let free = first[row].first { other in
          (isSymmetric ? partners : takers)[Int(other)] == PageLayout.noRow && (!isOfLiving || target.isLive(other))
        }
        guard let free else { continue }
        partners[Int(row)] = free
        if isSymmetric { partners[Int(free)] = row } else { takers[Int(free)] = row }
      }
    }
    var dropped = Set<UInt64>()
    for row in rows(source) {
      try advance(1 + first[row].count)
      let kept = partners[Int(row)]
      for other in first[row] where other != kept {
        // A set's entries are about twice as wide as what is in them.
        try take(16)
        dropped.insert(UInt64(row) << 32 | UInt64(other))
        // Of a symmetric relation both halves go, which are one link.
        if isSymmetric, other != row, dropped.contains(UInt64(other) << 32 | UInt64(row)) { continue }
        if isSymmetric || kept != PageLayout.noRow { forward.surplus += 1 } else { backward.surplus += 1 }
      }
    }
    return dropped
  }

  private func hasSeveral(_ lists: LinkLists, _ rows: Range<UInt32>) throws(EvolutionFailure) -> Bool {
    for row in rows {
      try advance()
      if lists[row].count > 1 { return true }
    }
    return false
  }

  // MARK: - Writing

  private func write(_ relation: Relation, _ lists: LinkLists) throws(EvolutionFailure) {
    let table = table(relation.source)
    let target = self.table(relation.target)
    let number = Int(relation.column.index)
    let place = layout.relationPlaces[Int(relation.id.index)]
    table.setColumn(number) {
      emptyColumn(table.layout.columns[number], rows: table.slots, live: table.live, slot: $0)
    }
    if lists.targets.isEmpty { return }
    let column = table.columns[number]
    var share = MemoryShare(allowance)
    let keepsWhenDeleted = layout.ownsTargets(of: relation)
    var suspended: SuspendedLinks?
    var links: [SuspendedLinks.Link] = []
    var live: [UInt32] = []
    var liveNulls = table.live
    for row in rows(table) {
      let found = lists[row]
      try advance(1 + found.count)
      if Int(row) & PageLayout.rowMask == 0, !share.hold(column.byteCount) { try check() }
      if found.isEmpty { continue }
      guard table.isLive(row) else {
        guard table.isDeleted(row) else { continue }
        // A deleted entity's links are in its record; its lists of embedded objects, and what mirrors it, in their place,
        // too.
        if relation.isMirror, let mirror = found.first {
          column.writeRaw(row, Cell(low: UInt64(mirror)))
        } else if keepsWhenDeleted {
          let run = column.makeRun(row, count: found.count)
          for (index, element) in found.enumerated() { run[index] = element }
        }
        continue
      }
      live.removeAll(keepingCapacity: true)
      links.removeAll(keepingCapacity: true)
      for other in found {
        if target.isLive(other) {
          live.append(other)
        } else {
          links.append(SuspendedLinks.Link(place: UInt32(truncatingIfNeeded: live.count), target: other))
        }
      }
      if let first = live.first {
        liveNulls -= 1
        if relation.isToMany {
          let run = column.makeRun(row, count: live.count)
          for (index, element) in live.enumerated() { run[index] = element }
        } else {
          column.writeRaw(row, Cell(low: UInt64(first)))
        }
      }
      if !links.isEmpty {
        let suspensions = suspended ?? SuspendedLinks(copying: nil, stamp: stamp)
        suspensions[row] = links
        suspended = suspensions
      }
    }
    column.liveNulls = liveNulls
    _ = share.hold(column.byteCount)
    try take(suspended?.byteCount ?? 0)
    table.setSuspended(place, suspended)
  }

  /// Counts the live rows that lack a target which they must have, where they did not have to or may have lost it.
  private func checkRequired(_ relation: Relation) throws(EvolutionFailure) {
    guard relation.isRequired, !relation.isToMany, !relation.isMirror else { return }
    let sources = mapping.links[Int(relation.id.index)]
    if let source = sources.first, sources.count == 1, isShared(relation), old.layout[source].isRequired { return }
    let table = table(relation.source)
    let column = table.columns[Int(relation.column.index)]
    if column.liveNulls == 0 { return }
    let presence = relation.presence.map { table.columns[Int($0.index)] }
    var missing = 0
    for row in rows(table) {
      try advance()
      guard table.isLive(row), column.isNull(row) else { continue }
      if presence.map({ !$0.isNull(row) }) ?? true { missing += 1 }
    }
    guard missing > 0 else { return }
    // One that was there before is unknown, and was no error then.
    if let index = report.links.firstIndex(where: { $0.relation == relation.id }) {
      report.links[index].missing = missing
    } else {
      report.links.append(EvolutionReport.Links(relation: relation.id, missing: missing))
    }
  }
}

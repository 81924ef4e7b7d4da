import GQLCatalog

/// Rows of old types as rows of new ones.
struct RowMap {
  /// Nil where rows keep their numbers.
  var rows: [UInt32]?
  /// The rows that go; nil for none.
  var gone: [Bool]?

  subscript(_ row: UInt32) -> UInt32 {
    if let rows { return rows[Int(row)] }
    return gone?[Int(row)] == true ? PageLayout.noRow : row
  }
}

/// Interfaces and unions: the rows of members that are new to them, and links that lead to an entity's row in another.
extension Evolution {
  /// Appends the rows that mirror the entities of types which were no members, those of all together in the order of
  /// their creation. Rows that are there keep their places.
  func mirrorNewMembers(_ type: EntityType) throws(EvolutionFailure) {
    let abstract = table(type.id)
    var added: [(created: Int64, member: Int, row: UInt32)] = []
    for (number, member) in type.members.enumerated()
    where mapping.links[Int(member.relation.index)].isEmpty {
      let entities = table(member.type)
      try take(entities.slots * 4)
      mirrorRows[catalog[member.relation].inverse] = Array(repeating: PageLayout.noRow, count: entities.slots)
      guard let before = oldTable(member.type), let created = before.layout.created else { continue }
      // The entries themselves, and the rows that become of them.
      try take(entities.slots * (MemoryLayout<(Int64, Int, UInt32)>.stride + 1))
      for row in rows(entities) {
        try advance()
        guard entities.isLive(row) || entities.isDeleted(row) else { continue }
        added.append((before.readers[created].int64(row), number, row))
      }
    }
    if added.isEmpty { return }
    guard abstract.slots + added.count <= PageLayout.maximumRows else { throw .refused(.tooManyRows(type.id)) }
    do {
      // Entities are in the order of their creation already, so that this merges as many runs as there are members.
      try added.sort { left, right in
        if !allowance.advance() { throw EvolutionFailure.stopped }
        return (left.created, left.member, left.row) < (right.created, right.member, right.row)
      }
    } catch {
      try check()
    }
    let hasDeleted = added.contains { table(type.members[$0.member].type).isDeleted($0.row) }
    let liveness = hasDeleted || abstract.liveness != nil ? abstract.ownedLiveness() : nil
    for (_, number, row) in added {
      try advance()
      let member = type.members[number]
      let isLive = table(member.type).isLive(row)
      mirrorRows[catalog[member.relation].inverse]?[Int(row)] = UInt32(truncatingIfNeeded: abstract.slots)
      liveness?.append(Cell(low: isLive ? RowStatus.live : RowStatus.deleted))
      abstract.slots += 1
      if isLive { abstract.live += 1 }
    }
  }

  /// The links between entities and the rows that mirror them since now.
  func mirrorPairs(_ relation: Relation) throws(EvolutionFailure) -> [UInt64] {
    let isUp = mirrorRows[relation.id] != nil
    guard let mirrored = mirrorRows[relation.id] ?? mirrorRows[relation.inverse] else { return [] }
    var pairs: [UInt64] = []
    try take(mirrored.count * 8)
    for (row, mirror) in mirrored.enumerated() {
      try advance()
      if mirror == PageLayout.noRow { continue }
      let (source, target) = isUp ? (UInt64(row), UInt64(mirror)) : (UInt64(mirror), UInt64(row))
      pairs.append(source << 32 | target)
    }
    return pairs
  }

  /// How rows of an old type are found in a new one: where they were, or where they are mirrored.
  func rowMap(_ before: EntityTypeID, _ type: EntityTypeID) throws(EvolutionFailure) -> RowMap {
    let gone = gone[Int(before.index)]
    if mapping.newTypes[Int(before.index)] == type { return RowMap(rows: nil, gone: gone) }
    try take(old.table(before).slots * 4)
    var found = [UInt32](repeating: PageLayout.noRow, count: old.table(before).slots)
    if old.catalog[before].isAbstract {
      for member in old.catalog[before].members {
        let relation = old.layout[member.relation]
        let members = try entityRows(member.type, type)
        for row in rows(old.table(before)) {
          try advance()
          old.forEachTarget(relation, row) {
            if members[Int($0)] != PageLayout.noRow { found[Int(row)] = members[Int($0)] }
          }
        }
      }
    } else {
      found = try entityRows(before, type)
    }
    return RowMap(rows: found, gone: nil)
  }

  /// By rows of an old entity type: those of a new type that is the same one, or that it belongs to.
  private func entityRows(_ before: EntityTypeID, _ type: EntityTypeID) throws(EvolutionFailure) -> [UInt32] {
    let slots = old.table(before).slots
    try take(slots * 4)
    let none = [UInt32](repeating: PageLayout.noRow, count: slots)
    guard let kept = mapping.newTypes[Int(before.index)] else { return none }
    if kept == type { return Array(0..<UInt32(truncatingIfNeeded: slots)) }
    guard let membership = catalog[kept].memberships.first(where: { $0.type == type }) else { return none }
    if let mirrored = mirrorRows[membership.relation] { return mirrored }
    guard let source = mapping.links[Int(membership.relation.index)].first else { return none }
    var found = none
    for row in rows(old.table(before)) {
      try advance()
      old.forEachTarget(old.layout[source], row) { found[Int(row)] = $0 }
    }
    return found
  }
}

import GQLCatalog

/// Links that are written together: a list that several of them leave is gone through once, and not once a link.
extension WriteTransaction {
  /// ``appendReference(_:source:target:)`` for several targets of a to-many relation, in their order.
  package func appendReferences(_ id: RelationID, source: UInt32, targets: [UInt32]) throws(StoreProblem) {
    if targets.isEmpty { return }
    let relation = layout[id]
    precondition(relation.isToMany, "a to-many relation is wanted")
    try leaveLists(of: layout[relation.inverse], targets, but: source)
    for target in targets {
      try step()
      try connect(id, source: source, target: target)
    }
    stampUpdate(ownedTable(relation.source), source)
  }

  /// ``removeReference(_:source:target:)`` for several targets. Complexity: O(*n*) in the links before, where the other
  /// direction's runs are short.
  package func removeReferences(_ id: RelationID, source: UInt32, targets: [UInt32]) throws(StoreProblem) {
    let relation = layout[id]
    let inverse = layout[relation.inverse]
    if !relation.isToMany || relation.id == inverse.id || targets.count == 1 {
      for target in targets { try removeReference(id, source: source, target: target) }
      return
    }
    var removed = Set<UInt32>()
    for target in targets {
      try step(holding: removed.count * 8)
      if isLinked(relation, inverse, source, target), removed.insert(target).inserted {
        try checkUnlink(relation, inverse, source, target)
      }
    }
    if removed.isEmpty { return }
    let old = Array(readColumn(relation).reader.references(source))
    shrinkRun(relation, source, old) { !removed.contains($0) }
    for target in targets where removed.remove(target) != nil {
      try step()
      removeHalf(inverse, target, source)
    }
    stampUpdate(ownedTable(relation.source), source)
  }

  /// Takes sources of a to-one relation out of the lists of their targets, for ``setReference(_:source:target:)`` to
  /// give them others. Precondition: the other direction is to-many, and each source is given another target.
  package func leaveLists(_ id: RelationID, sources: [UInt32]) throws(StoreProblem) {
    try leaveLists(of: layout[id], sources, but: PageLayout.noRow)
  }

  /// Takes sources of a to-one relation out of the lists of their targets, but one; lists that only one leaves are left
  /// alone. Nothing happens for another relation.
  func leaveLists(of relation: Relation, _ sources: [UInt32], but kept: UInt32) throws(StoreProblem) {
    let lists = layout[relation.inverse]
    guard !relation.isToMany, lists.isToMany, sources.count > 1 else { return }
    var leaving = Set<UInt32>()
    // In the order in which they are first seen, so that the same change always does the same.
    var owners: [UInt32] = []
    var counts: [UInt32: Int] = [:]
    for source in sources {
      try step(holding: leaving.count * 8)
      let owner = target(relation, source)
      guard owner != PageLayout.noRow, owner != kept, leaving.insert(source).inserted else { continue }
      let count = counts[owner, default: 0]
      if count == 0 { owners.append(owner) }
      counts[owner] = count + 1
    }
    for owner in owners where counts[owner, default: 0] > 1 {
      try step()
      let old = Array(readColumn(lists).reader.references(owner))
      shrinkRun(lists, owner, old) { !leaving.contains($0) }
      charge(old.count)
      for source in old where leaving.contains(source) { column(relation).writeRaw(source, nil) }
    }
  }
}

import GQLCatalog

extension WriteTransaction {
  /// The owned column of one direction.
  func column(_ relation: Relation) -> ColumnStore {
    ownedTable(relation.source).ownedColumn(Int(relation.column.index))
  }

  /// Calls with the owned column of one direction, without counting that it is used: the table keeps it.
  @inline(__always)
  func writingColumn<Output>(_ relation: Relation, _ body: (ColumnStore) -> Output) -> Output {
    ownTable(relation.source)
    return Unmanaged.passUnretained(tables[Int(relation.source.index)])
      .borrow { $0.writingColumn(Int(relation.column.index), body) }
  }

  func readColumn(_ relation: Relation) -> ColumnStore {
    table(relation.source).columns[Int(relation.column.index)]
  }

  /// The target of a to-one relation, or `PageLayout.noRow`.
  func target(_ relation: Relation, _ source: UInt32) -> UInt32 {
    readColumn(relation).reader.reference(source)
  }

  func isLinked(_ relation: Relation, _ inverse: Relation, _ source: UInt32, _ target: UInt32) -> Bool {
    if !relation.isToMany { return self.target(relation, source) == target }
    if !inverse.isToMany { return self.target(inverse, target) == source }
    let run = readColumn(relation).reader.references(source)
    let other = readColumn(inverse).reader.references(target)
    return run.count <= other.count ? run.contains(target) : other.contains(source)
  }

  private func addHalf(_ relation: Relation, _ source: UInt32, _ target: UInt32) {
    if relation.isToMany {
      writingColumn(relation) { $0.appendToRun(source, target) }
    } else {
      setSuspended(relation, source, [])
      // What it waited for does not take the place of what is written meanwhile, from whichever side.
      if !dangling.isEmpty, bulk == nil { forgetDangling(relation.id, source: source) }
      writingColumn(relation) { $0.writeRaw(source, Cell(low: UInt64(target))) }
    }
  }

  func removeHalf(_ relation: Relation, _ source: UInt32, _ target: UInt32) {
    if relation.isToMany {
      charge(readColumn(relation).reader.references(source).count)
      closeGap(relation, source, target)
      writingColumn(relation) { _ = $0.removeFromRun(source, target) }
    } else if self.target(relation, source) == target {
      writingColumn(relation) { $0.writeRaw(source, nil) }
    }
  }

  /// Refuses if unlinking takes the target from a required to-one relation.
  func checkUnlink(
    _ relation: Relation, _ inverse: Relation, _ source: UInt32, _ target: UInt32
  ) throws(StoreProblem) {
    if isRequired(relation, source) { throw .requiredReference(relation: relation.id, row: source) }
    if isRequired(inverse, target) { throw .requiredReference(relation: inverse.id, row: target) }
  }

  /// Whether a row must have a target: inside an embedded object, where the object is there.
  func isRequired(_ relation: Relation, _ row: UInt32) -> Bool {
    guard relation.isRequired && !relation.isToMany else { return false }
    guard let presence = relation.presence else { return true }
    return !table(relation.source).readers[Int(presence.index)].isNull(row)
  }

  func unlink(_ relation: Relation, _ inverse: Relation, _ source: UInt32, _ target: UInt32) {
    removeHalf(relation, source, target)
    // Why the test: a link of an entity with itself in a symmetric relation has one half only.
    if relation.id != inverse.id || source != target { removeHalf(inverse, target, source) }
  }

  private func checkRows(_ relation: Relation, _ source: UInt32, _ target: UInt32) {
    precondition(
      table(relation.source).isLive(source) && table(relation.target).isLive(target), "links need live rows")
  }

  /// Links, at the end of the run; nothing happens where the link exists. To-one relations are set.
  ///
  /// This and the other calls that write a relation stamp `_updatedAt` of `source`, whose field it is, and no other's.
  package func appendReference(
    _ relation: RelationID, source: UInt32, target: UInt32
  ) throws(StoreProblem) {
    try step()
    try connect(relation, source: source, target: target)
    stampUpdate(ownedTable(layout[relation].source), source)
  }

  /// ``appendReference(_:source:target:)`` without a stamp.
  func connect(_ relation: RelationID, source: UInt32, target: UInt32) throws(StoreProblem) {
    let relation = layout[relation]
    let inverse = layout[relation.inverse]
    checkRows(relation, source, target)
    if isLinked(relation, inverse, source, target) { return }
    try link(relation, inverse, source, target)
  }

  /// Precondition: no such link yet.
  private func link(
    _ relation: Relation, _ inverse: Relation, _ source: UInt32, _ target: UInt32
  ) throws(StoreProblem) {
    let oldTarget = relation.isToMany ? PageLayout.noRow : self.target(relation, source)
    let oldSource = inverse.isToMany ? PageLayout.noRow : self.target(inverse, target)
    // Both are left by their partners: the source gets another target, but the old target may lose its only source. One
    // that was linked with itself loses nothing.
    let isSymmetric = relation.id == inverse.id
    if oldTarget != PageLayout.noRow && !inverse.isToMany && inverse.isRequired && oldTarget != target
      && !(isSymmetric && oldTarget == source)
    {
      throw .requiredReference(relation: inverse.id, row: oldTarget)
    }
    if oldSource != PageLayout.noRow && !relation.isToMany && relation.isRequired && oldSource != source
      && !(isSymmetric && oldSource == target)
    {
      throw .requiredReference(relation: relation.id, row: oldSource)
    }
    if oldTarget != PageLayout.noRow { unlink(relation, inverse, source, oldTarget) }
    if oldSource != PageLayout.noRow && self.target(inverse, target) == oldSource {
      unlink(relation, inverse, oldSource, target)
    }
    addHalf(relation, source, target)
    if relation.id != inverse.id || source != target { addHalf(inverse, target, source) }
  }

  /// Unlinks; nothing happens where there is no such link.
  package func removeReference(
    _ relation: RelationID, source: UInt32, target: UInt32
  ) throws(StoreProblem) {
    let relation = layout[relation]
    let inverse = layout[relation.inverse]
    try step()
    guard isLinked(relation, inverse, source, target) else { return }
    try checkUnlink(relation, inverse, source, target)
    unlink(relation, inverse, source, target)
    stampUpdate(ownedTable(relation.source), source)
  }

  /// Points a to-one relation at `target`; nil unlinks. What it pointed at before a deletion does not come back then.
  package func setReference(
    _ relation: RelationID, source: UInt32, target: UInt32?
  ) throws(StoreProblem) {
    precondition(!layout[relation].isToMany, "a to-one relation is wanted")
    if let target {
      try appendReference(relation, source: source, target: target)
    } else {
      let old = self.target(layout[relation], source)
      if old != PageLayout.noRow { try removeReference(relation, source: source, target: old) }
      setSuspended(layout[relation], source, [])
    }
  }

  /// Makes `targets`, repeats left out, the whole run of a to-many relation, in this order. Complexity: O(*n*) in the
  /// links before and after, where the other direction's runs are short.
  package func setReferences(
    _ relation: RelationID, source: UInt32, targets: UnsafeBufferPointer<UInt32>
  ) throws(StoreProblem) {
    let relation = layout[relation]
    let inverse = layout[relation.inverse]
    precondition(relation.isToMany, "a to-many relation is wanted")
    var wanted: [UInt32] = []
    wanted.reserveCapacity(targets.count)
    var seen = Set<UInt32>(minimumCapacity: targets.count)
    for target in targets where seen.insert(target).inserted {
      checkRows(relation, source, target)
      wanted.append(target)
    }
    let old = Array(readColumn(relation).reader.references(source))
    let removed = old.filter { !seen.contains($0) }
    for target in removed { try checkUnlink(relation, inverse, source, target) }
    if removed.count > 1, relation.id != inverse.id {
      shrinkRun(relation, source, old) { seen.contains($0) }
      for target in removed {
        try step()
        removeHalf(inverse, target, source)
      }
    } else {
      for target in removed { unlink(relation, inverse, source, target) }
    }
    let kept = Set(old)
    try leaveLists(of: inverse, wanted.filter { !kept.contains($0) }, but: source)
    for target in wanted where !kept.contains(target) {
      try step()
      // Cannot be refused: the relation is to-many, so nobody loses a required target.
      try link(relation, inverse, source, target)
    }
    // The links are right; what remains is their order.
    wanted.withUnsafeBufferPointer { wanted in
      let run = readColumn(relation).reader.references(source)
      if !run.elementsEqual(wanted) { column(relation).setRun(source, copying: wanted, capacity: wanted.count) }
    }
    limitSuspended(relation, source, to: wanted.count)
    stampUpdate(ownedTable(relation.source), source)
  }

  /// Takes all targets but those that are kept out of a run at once, its half of the links only.
  func shrinkRun(_ relation: Relation, _ source: UInt32, _ old: [UInt32], _ isKept: (UInt32) -> Bool) {
    var kept: [UInt32] = []
    // By place: how many stand before it when the others are gone.
    var places: [UInt32] = [0]
    let suspensions = suspended(relation, source)
    let waits = hasWaitingPlaces(relation, source)
    var gone: [Int] = []
    var next = 0
    for (index, target) in old.enumerated() {
      while next < suspensions.count, suspensions[next].place <= index { next += 1 }
      if isKept(target) { kept.append(target) } else if waits { gone.append(index + next) }
      places.append(UInt32(truncatingIfNeeded: kept.count))
    }
    closeWaiting(relation, source, at: gone)
    if !suspensions.isEmpty {
      setSuspended(
        relation, source,
        suspensions.map { SuspendedLinks.Link(place: places[min(Int($0.place), old.count)], target: $0.target) })
    }
    kept.withUnsafeBufferPointer { column(relation).setRun(source, copying: $0, capacity: $0.count) }
  }
}

import GQLCatalog

/// The links that deleted entities remember, written from elsewhere: by a program that knows them as deleted, and by a merge.
package struct RememberedLinks {
  private let transaction: WriteTransaction

  package init(in transaction: WriteTransaction) { self.transaction = transaction }

  private var layout: StoreLayout { transaction.layout }

  // MARK: - Remembering

  /// Links a deleted row that is kept with those that have some primary keys, in their order, before those that know it
  /// already. The links are suspended; those to keys that nobody has wait. One that can be linked with one only, and is, or was,
  /// or waits to be, is passed over. Precondition: the row has come just now.
  package func remember(_ id: RelationID, source: UInt32, keys: [Cell]) throws(StoreProblem) {
    let relation = layout[id]
    let inverse = layout[relation.inverse]
    let type = layout.types[Int(relation.target.index)]
    guard transaction.isDeleted(relation.source, source), type.members.isEmpty, let primary = type.indexes.first,
      primary.keys.count == 1, let known = knownTargets(relation, source)
    else { return }
    let kind = primary.keys.components[0].kind
    let isKnown = Set(known)
    var (targets, met): ([UInt32], Set<UInt32>) = ([], [])
    var waiting = 0
    for key in relation.isToMany ? keys[...] : keys.prefix(1) {
      try transaction.step(holding: targets.count * 24)
      var cell = key
      let target = transaction.findRow(relation.target, key: &cell)
      if let target = target ?? transaction.deletedRow(relation.target, key: &cell) {
        guard isKnown.contains(target) && met.insert(target).inserted || add(inverse, at: target, source, &met)
        else { continue }
        targets.append(target)
      } else if inverse.isToMany || !transaction.dangling.isClaimed(id, relation.target, kind, cell) {
        let before = transaction.dangling.count
        transaction.rememberDangling(id, source: source, relation.target, key: key, place: targets.count + waiting)
        // A key that is said twice waits once.
        waiting += transaction.dangling.count - before
      }
    }
    set(relation, source, targets + known.filter { !met.contains($0) }, known)
  }

  /// Links a deleted row that is kept with rows that live, or are deleted and kept, in their order, before those that know
  /// it already. The links are suspended. One that can be linked with one only, and is, or was, or waits to be, is passed
  /// over.
  func remember(_ id: RelationID, source: UInt32, rows: [UInt32]) throws(StoreProblem) {
    let relation = layout[id]
    let inverse = layout[relation.inverse]
    guard transaction.isDeleted(relation.source, source), let known = knownTargets(relation, source) else { return }
    let isKnown = Set(known)
    var (targets, met): ([UInt32], Set<UInt32>) = ([], [])
    for target in relation.isToMany ? rows[...] : rows.prefix(1) {
      try transaction.step(holding: targets.count * 24)
      guard isKnown.contains(target) && met.insert(target).inserted || add(inverse, at: target, source, &met)
      else { continue }
      targets.append(target)
    }
    set(relation, source, targets + known.filter { !met.contains($0) }, known)
  }

  /// Has a deleted row that is kept know one target of a link to one in the place of another, which forgets the row. The
  /// new one lives, or is deleted and kept; it may be linked with another, and then the row knows none.
  func lead(_ id: RelationID, source: UInt32, to target: UInt32) throws(StoreProblem) {
    let relation = layout[id]
    let inverse = layout[relation.inverse]
    guard transaction.isDeleted(relation.source, source), !relation.isToMany else { return }
    let row = DeletedRow(type: relation.source, row: source)
    let place = layout.relationPlaces[Int(id.index)]
    for known in transaction.record(row).targets(relation: place) {
      if known == target, !isForgotten(relation, source, at: target) { return }
      if transaction.isLive(relation.target, known) {
        transaction.forgetSuspended(inverse.id, source: known) { $0 == source }
      } else if transaction.isDeleted(relation.target, known) {
        forget(inverse, atDeleted: known, source)
      }
    }
    let tombstones = transaction.ownedTable(relation.source).ownedTombstones()
    tombstones.replaceRecord(source, tombstones.record(source).with([], relation: place))
    try remember(id, source: source, rows: [target])
  }

  /// Returns whether a live row, which can be linked with one only, knows nothing of a deleted one that remembers it.
  func isForgotten(_ relation: Relation, _ source: UInt32, at target: UInt32) -> Bool {
    let inverse = layout[relation.inverse]
    return !inverse.isToMany && transaction.isLive(relation.target, target)
      && !transaction.suspended(inverse, target).contains { $0.target == source }
  }

  /// Has a deleted row count as deleted together with others, with its rows in interfaces and unions.
  func join(_ row: DeletedRow, deletion: UInt64) {
    for mirror in layout.types[Int(row.type.index)].mirrors {
      join(DeletedRow(type: mirror.target, row: transaction.mirroredRow(mirror, row.row)), deletion: deletion)
    }
    let tombstones = transaction.ownedTable(row.type).ownedTombstones()
    let record = tombstones.record(row.row)
    if record.deletion != deletion { tombstones.replaceRecord(row.row, record.with(deletion: deletion)) }
  }

  // MARK: - The two ends

  /// The targets that a deleted row knows; nil where it knows one, and can have no other.
  private func knownTargets(_ relation: Relation, _ source: UInt32) -> [UInt32]? {
    let place = layout.relationPlaces[Int(relation.id.index)]
    let record = transaction.record(DeletedRow(type: relation.source, row: source))
    let known = Array(record.targets(relation: place))
    return relation.isToMany || known.isEmpty ? known : nil
  }

  private func set(_ relation: Relation, _ source: UInt32, _ targets: [UInt32], _ known: [UInt32]) {
    if targets == known { return }
    let tombstones = transaction.ownedTable(relation.source).ownedTombstones()
    let place = layout.relationPlaces[Int(relation.id.index)]
    tombstones.replaceRecord(source, tombstones.record(source).with(targets, relation: place))
  }

  /// Has the other end of a new link of a deleted row know it. Returns false where it has no room, or was `met` before.
  private func add(_ inverse: Relation, at row: UInt32, _ deleted: UInt32, _ met: inout Set<UInt32>) -> Bool {
    let isLive = transaction.isLive(inverse.source, row)
    guard isLive ? isFree(inverse, row) : isFree(inverse, deleted: row), met.insert(row).inserted else { return false }
    if isLive { suspend(inverse, row, to: deleted) } else { add(inverse, toDeleted: row, deleted) }
    return true
  }

  /// Returns whether a live row can be linked with one more.
  private func isFree(_ relation: Relation, _ row: UInt32) -> Bool {
    relation.isToMany
      || transaction.target(relation, row) == PageLayout.noRow && !transaction.hasSuspended(relation, row)
        && !transaction.dangling.waits(DanglingLinks.Link(relation: relation.id, source: row))
  }

  /// Returns whether a deleted row that is kept can be linked with one more.
  private func isFree(_ relation: Relation, deleted row: UInt32) -> Bool {
    if relation.isToMany { return true }
    return !transaction.hasTargetWhenDeleted(relation, row)
      && !transaction.dangling.waits(DanglingLinks.Link(relation: relation.id, source: row))
  }

  /// Adds a suspended link to a live row, after all others.
  private func suspend(_ relation: Relation, _ row: UInt32, to target: UInt32) {
    transaction.dropPurged(relation, row)
    let count = relation.isToMany ? transaction.readColumn(relation).reader.references(row).count : 0
    let end = UInt32(truncatingIfNeeded: count)
    let place = layout.relationPlaces[Int(relation.id.index)]
    let links = transaction.ownedTable(relation.source).ownedSuspended(place)
    if links.insert(target, at: end, of: row) { return }
    transaction.setSuspended(
      relation, row, transaction.suspended(relation, row) + [SuspendedLinks.Link(place: end, target: target)])
  }

  /// Adds a link to what is known of a deleted row, after all others. Precondition: the target is new, so that it is not
  /// among them.
  private func add(_ relation: Relation, toDeleted row: UInt32, _ target: UInt32) {
    let tombstones = transaction.ownedTable(relation.source).ownedTombstones()
    let number = layout.relationPlaces[Int(relation.id.index)]
    if relation.isToMany {
      tombstones.addTarget(row, target, relation: number)
    } else {
      tombstones.replaceRecord(row, tombstones.record(row).with([target], relation: number))
    }
  }

  /// Takes a link out of what is known of a deleted row.
  private func forget(_ relation: Relation, atDeleted row: UInt32, _ target: UInt32) {
    let tombstones = transaction.ownedTable(relation.source).ownedTombstones()
    let place = layout.relationPlaces[Int(relation.id.index)]
    let record = tombstones.record(row)
    guard let index = record.targets(relation: place).enumerated().first(where: { $0.element == target })?.offset
    else { return }
    if transaction.hasWaitingPlaces(relation, row) { transaction.closeWaiting(relation, row, at: [index]) }
    tombstones.replaceRecord(row, record.removing(target, relation: place))
  }
}

import GQLCatalog

/// The embedded objects of entities that both sides of a merge have changed. An object is there whole, or not at all:
/// where one side takes it away, and the other writes in it, one of the two counts.
struct EmbeddedObjects {
  typealias Row = DeletedRow

  private let merge: VersionMerge
  private var versions: MergeVersions { merge.versions }

  init(of merge: VersionMerge) { self.merge = merge }

  /// Finds and decides the conflicts.
  func compare() {
    for row in merge.myRows where merge.isTheirs.contains(row) && !merge.isNew(row) {
      let objects = merge.layout.types[Int(row.type.index)].objects
      if objects.isEmpty
        || [versions.mine, versions.theirs].contains(where: {
          merge.image($0, row).status != RowChangeStatus.live
        })
      {
        continue
      }
      for object in objects { compare(object, row) }
    }
  }

  private func compare(_ object: ObjectColumns, _ row: Row) {
    let (mine, theirs) = (isThere(object, row, versions.mine), isThere(object, row, versions.theirs))
    if mine, theirs {
      for inner in object.inner { compare(inner, row) }
      return
    }
    guard mine != theirs, isThere(object, row, merge.base(of: row, object.presence)),
      isWritten(object, row, in: mine ? versions.mine : versions.theirs)
    else { return }
    let side = decide(object, row)
    for column in [object.presence] + object.columns { merge.settled[row, default: [:]][column] = side }
  }

  private func decide(_ object: ObjectColumns, _ row: Row) -> MergeSide {
    let presence = ColumnID(object.presence)
    func cell(_ version: Snapshot) -> Cell? { merge.image(version, row).cell(object.presence) }
    let base = merge.base(of: row, object.presence)
    let decision = merge.deciding.decide(
      row.type, presence, base: cell(base), mine: cell(versions.mine), theirs: cell(versions.theirs))
    if case .side(let side) = decision { return side }
    let known = object.columns.map { (column: ColumnID($0), base: merge.base(of: row, $0)) }
    let side = merge.note(.field, row, presence)
    // The conflict is told again as long as the fields have what they began with.
    for (column, base) in known { merge.held[row, default: HeldRow()].columns[column] = base }
    return side
  }

  /// Takes an object of mine back that the other side does not have, because a link of it has no target; false where it
  /// has the object.
  func takeBack(_ relation: Relation, of row: Row) throws(StoreProblem) -> Bool {
    let column = Int(relation.column.index)
    let objects = merge.layout.types[Int(row.type.index)].objects.flatMap(\.nested)
    // The outermost one comes first.
    guard let object = objects.first(where: { $0.columns.contains(column) && !isThere($0, row, versions.theirs) })
    else {
      return false
    }
    let transaction = merge.transaction
    for relation in merge.layout.types[Int(row.type.index)].relations
    where object.columns.contains(Int(relation.column.index)) {
      let targets = transaction.targets(relation, row.row)
      if merge.layout.ownsTargets(of: relation) {
        if !targets.isEmpty { try transaction.delete(relation.target, rows: targets, keeps: false) }
      } else {
        for target in targets { transaction.unlink(relation, merge.layout[relation.inverse], row.row, target) }
      }
    }
    let type = merge.layout.types[Int(row.type.index)]
    for column in [object.presence] + object.columns where !type.isFilled[column] {
      try transaction.update(row.type, row.row, ColumnID(column), nil)
    }
    return true
  }

  private func isThere(_ object: ObjectColumns, _ row: Row, _ version: Snapshot) -> Bool {
    merge.image(version, row).cell(object.presence) != nil
  }

  /// Returns whether a version that has an object of the base has written in it.
  private func isWritten(_ object: ObjectColumns, _ row: Row, in version: Snapshot) -> Bool {
    let type = merge.layout.types[Int(row.type.index)]
    let new = merge.image(version, row)
    for column in object.columns where !type.isFilled[column] {
      if !merge.areEqual(type, column, merge.image(merge.base(of: row, column), row).cell(column), new.cell(column)) {
        return true
      }
    }
    return type.relations.contains { relation in
      guard object.columns.contains(Int(relation.column.index)) else { return false }
      let list = merge.targets(version, relation, row.row)
      if merge.layout.ownsTargets(of: relation) {
        return merge.baseTargets(relation, of: row) != list
          || !merge.ownedLists.isUnwritten(relation, of: row, list, in: version)
      }
      // What was erased was not taken out.
      return merge.baseTargets(relation, of: row).filter { !merge.isErased($0, relation, in: version) } != list
    }
  }
}

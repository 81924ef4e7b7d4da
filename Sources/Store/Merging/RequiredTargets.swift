import GQLCatalog

/// A keeper of what entities must be linked with, where one side of a merge has deleted it.
struct RequiredTargets {
  typealias Row = DeletedRow

  private let merge: VersionMerge
  private var versions: MergeVersions { merge.versions }

  init(of merge: VersionMerge) { self.merge = merge }

  /// Brings back what those entities of mine must be linked with that the other side has deleted, and that come back.
  func bringBack() {
    var waiting = merge.restorations + merge.insertions.filter { merge.reinserted.contains($0) }
    // What is deleted there, and restored here, is in conflict already.
    var coming = Set(waiting).union(
      merge.conflicts.lazy.filter { $0.kind == .deleted }.map { Row(type: $0.type, row: $0.row) })
    var next = 0
    while next < waiting.count {
      let row = waiting[next]
      next += 1
      for holder in [row] + objects(of: row) {
        for relation in requiredRelations(holder.type) {
          for entity in entities(versions.mine, relation, holder)
          where isGone(entity) && merge.image(versions.mine, entity).status == RowChangeStatus.live {
            // Where the other side counts, what I have restored has nothing to lead to, and stays deleted.
            guard coming.insert(entity).inserted, merge.note(.deleted, entity, isNeeded: true) == .mine else {
              continue
            }
            waiting.append(entity)
            merge.ignored.remove(entity)
            let isPurged = merge.image(versions.theirs, entity).status == RowChangeStatus.void
            merge.bringBack(entity, isPurged: isPurged)
          }
        }
      }
    }
  }

  /// Cancels my deletions of what the other side's required links lead to, where what the same links lead to with me is
  /// gone, or somebody else's, by the choice of the other side.
  func keep() {
    if merge.deletions.isEmpty { return }
    let deleted = Set(merge.deletions.map(\.row))
    for row in merge.changed where !merge.ignored.contains(row) {
      for relation in requiredRelations(row.type) {
        let mine = entities(versions.mine, relation, row)
        guard mine.contains(where: { isGone($0) && merge.ignored.contains($0) }) || isBlocked(row, relation) else {
          continue
        }
        let theirs = entities(versions.theirs, relation, row)
        merge.kept.formUnion(theirs.filter { deleted.contains($0) && !mine.contains($0) })
      }
    }
  }

  /// Returns whether a row's link of mine is not made, because the other side's choice has linked its target otherwise.
  private func isBlocked(_ row: Row, _ relation: Relation) -> Bool {
    if merge.links.blocked.isEmpty { return false }
    return merge.targets(versions.mine, relation, row.row).contains {
      merge.links.blocked.contains(merge.link(relation, row.row, $0))
    }
  }

  /// The links to one that a type must have, but for that of an object to its owner.
  func requiredRelations(_ type: EntityTypeID) -> [Relation] {
    merge.layout.types[Int(type.index)].relations.filter {
      $0.isRequired && !$0.isToMany && !$0.isMirror && !merge.layout.ownsTargets(of: merge.layout[$0.inverse])
    }
  }

  /// The objects in the lists of a row of mine, with those in their own lists.
  func objects(of row: Row) -> [Row] {
    var result: [Row] = []
    for relation in merge.layout.types[Int(row.type.index)].relations where merge.layout.ownsTargets(of: relation) {
      for object in merge.targets(versions.mine, relation, row.row) {
        let object = Row(type: relation.target, row: object)
        result.append(object)
        result += objects(of: object)
      }
    }
    return result
  }

  /// Returns whether the other side has deleted an entity of the base.
  private func isGone(_ entity: Row) -> Bool {
    !merge.isNew(entity) && merge.image(versions.theirs, entity).status != RowChangeStatus.live
  }

  /// The entities that a row's links of a relation lead to, which are other rows where it leads to an interface or union.
  private func entities(_ version: Snapshot, _ relation: Relation, _ row: Row) -> [Row] {
    merge.targets(version, relation, row.row).flatMap { target in
      let found = Row(type: relation.target, row: target)
      let entities = merge.mirrored(found, in: version)
      return entities.isEmpty ? [found] : entities
    }
  }
}

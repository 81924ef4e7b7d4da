import GQLCatalog

/// A leader of entities that a merge restores to what they must be linked with.
///
/// A deleted entity remembers what it led to then. Where that has gone for good since, or stays deleted, the entity is
/// restored with the link that it has with me.
struct RestoredTargets {
  typealias Row = DeletedRow

  private let merge: VersionMerge
  private let coming: Set<Row>
  private var transaction: WriteTransaction { merge.transaction }

  init(of merge: VersionMerge) {
    self.merge = merge
    coming = Set(merge.restorations)
  }

  /// Has what is restored next remember what it leads to with me, as far as it could not be restored otherwise. What is
  /// to come as another row comes now.
  func lead() throws(StoreProblem) {
    for row in merge.restorations where transaction.isDeleted(row.type, row.row) {
      for relation in RequiredTargets(of: merge).requiredRelations(row.type) where !leadsSomewhere(row, relation) {
        try lead(row, relation)
      }
    }
  }

  /// Returns whether a deleted row leads to what lives, or comes back.
  private func leadsSomewhere(_ row: Row, _ relation: Relation) -> Bool {
    let known = transaction.record(row).targets(relation: merge.layout.relationPlaces[Int(relation.id.index)])
    return known.contains { target in
      if transaction.isLive(relation.target, target) { return true }
      return entities(relation, target, in: merge.versions.theirs).contains { coming.contains($0) }
    }
  }

  private func lead(_ row: Row, _ relation: Relation) throws(StoreProblem) {
    guard let target = merge.targets(merge.versions.mine, relation, row.row).first,
      !merge.links.blocked.contains(merge.link(relation, row.row, target))
    else { return }
    let entities = entities(relation, target, in: merge.versions.mine)
    for entity in entities where merge.comesAnew(entity) { try merge.insert(entity) }
    guard let number = merge.number(relation.target, target),
      transaction.isLive(relation.target, number) || entities.contains(where: { coming.contains($0) })
    else { return }
    try RememberedLinks(in: transaction).lead(relation.id, source: row.row, to: number)
  }

  /// A target, or what it mirrors.
  private func entities(_ relation: Relation, _ target: UInt32, in version: Snapshot) -> [Row] {
    let found = Row(type: relation.target, row: target)
    let entities = merge.mirrored(found, in: version)
    return entities.isEmpty ? [found] : entities
  }
}

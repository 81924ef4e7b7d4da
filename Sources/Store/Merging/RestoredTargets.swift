import GQLCatalog

/// A leader of entities that a merge restores to what they must be linked with.
///
/// A deleted entity remembers what it led to then. Where that has gone for good since, or stays deleted, the entity is
/// restored with the link that it has with me. So are the objects in its lists.
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
    let required = RequiredTargets(of: merge)
    for entity in merge.restorations where transaction.isDeleted(entity.type, entity.row) {
      for row in [entity] + required.objects(of: entity) where transaction.isDeleted(row.type, row.row) {
        for relation in required.requiredRelations(row.type) where !leadsSomewhere(row, relation) {
          try lead(row, relation)
        }
      }
    }
  }

  /// Returns whether a deleted row leads to what lives and knows it, or to what comes back.
  private func leadsSomewhere(_ row: Row, _ relation: Relation) -> Bool {
    let known = transaction.record(row).targets(relation: merge.layout.relationPlaces[Int(relation.id.index)])
    return known.contains { target in
      if transaction.isLive(relation.target, target) {
        return !RememberedLinks(in: transaction).isForgotten(relation, row.row, at: target)
      }
      return entities(relation, target, in: merge.versions.theirs).contains { coming.contains($0) }
    }
  }

  private func lead(_ row: Row, _ relation: Relation) throws(StoreProblem) {
    guard let target = merge.targets(merge.versions.mine, relation, row.row).first,
      !merge.links.blocked.contains(merge.link(relation, row.row, target))
    else { return }
    let entities = entities(relation, target, in: merge.versions.mine)
    for entity in entities where merge.comesAnew(entity) && merge.numbers[entity] == nil {
      guard try keepNamesakes(of: entity) else { return }
      try merge.insert(entity)
    }
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

  // MARK: - Namesakes

  /// Gives the ids that they have with me to those that come back, and would be purged for a new entity of their ids of
  /// before. Returns whether the entity can be inserted now.
  private func keepNamesakes(of entity: Row) throws(StoreProblem) -> Bool {
    var chain: [Row] = []
    guard var key = key(entity, in: merge.versions.mine) else { return true }
    while let known = transaction.deletedRow(entity.type, key: &key) {
      let namesake = Row(type: entity.type, row: known)
      // What stays deleted is purged for it, as for any other.
      if !coming.contains(namesake) { break }
      // Where both sides have given it an id, that is decided when it is back.
      guard hasOwnKey(namesake), let own = self.key(namesake, in: merge.versions.mine), chain.count < coming.count
      else { return false }
      chain.append(namesake)
      key = own
      if transaction.findRow(entity.type, key: &key) != nil { return false }
    }
    if chain.isEmpty { return true }
    let start = transaction.checkpoint()
    if let other = transaction.deletedRow(entity.type, key: &key) { try transaction.purge(entity.type, other) }
    for row in chain.reversed() {
      for column in keyColumns(row.type) {
        let cell = merge.image(merge.versions.mine, row).cell(column)
        try transaction.writeDeleted(row.type, row.row, ColumnID(column), cell)
      }
      // Of several fields, one alone may make the id of another.
      guard transaction.isDeleted(row.type, row.row) else {
        transaction.rollback(to: start)
        return false
      }
    }
    return true
  }

  /// Returns whether the id of a row is as it was with the other side, and another one with me.
  private func hasOwnKey(_ row: Row) -> Bool {
    let type = merge.layout.types[Int(row.type.index)]
    func isEqual(_ version: Snapshot) -> Bool {
      keyColumns(row.type).allSatisfy { column in
        merge.areEqual(
          type, column, merge.image(merge.base(of: row, column), row).cell(column),
          merge.image(version, row).cell(column))
      }
    }
    return isEqual(merge.versions.theirs) && !isEqual(merge.versions.mine)
  }

  private func keyColumns(_ type: EntityTypeID) -> [Int] {
    guard let keys = merge.layout.types[Int(type.index)].indexes.first?.keys else { return [] }
    return (0..<keys.count).map { keys.components[$0].column }
  }

  /// The id of a row; nil where its type has none.
  private func key(_ row: Row, in version: Snapshot) -> [Cell]? {
    let columns = keyColumns(row.type)
    let cells = columns.compactMap { merge.image(version, row).cell($0) }
    return columns.isEmpty || cells.count < columns.count ? nil : cells
  }
}

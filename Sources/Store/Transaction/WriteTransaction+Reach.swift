import GQLCatalog

/// What a change would touch, for those who must know before they make it.
extension WriteTransaction {
  /// Whether deleting a live entity takes nothing along but what mirrors it, and touches at most so many links, in lists
  /// that have at most so many together. Complexity: O(`links`).
  package func isDeletedAlone(_ type: EntityTypeID, _ row: UInt32, links: Int, listed: Int) -> Bool {
    touch(type, row)
    var rest = (links: links, listed: listed)
    return isDeletedAlone(type, row, &rest)
  }

  private func isDeletedAlone(
    _ type: EntityTypeID, _ row: UInt32, _ rest: inout (links: Int, listed: Int)
  ) -> Bool {
    for relation in relations(type) {
      rest.links -= suspendedCount(relation, row)
      if relation.isMirror {
        let mirror = target(relation, row)
        // From the interface's row back to the entity it is the entity's turn already.
        guard mirror != PageLayout.noRow, layout.types[Int(relation.target.index)].isHidden else { continue }
        if !isDeletedAlone(relation.target, mirror, &rest) { return false }
        continue
      }
      if relation.isToMany {
        let run = readColumn(relation).reader.references(row)
        if run.isEmpty { continue }
        if run.count > rest.links || relation.onDelete == .cascade { return false }
        rest.links -= run.count
        for target in run { rest.listed -= listedCount(relation.inverse, target) }
      } else {
        let target = target(relation, row)
        if target == PageLayout.noRow { continue }
        if relation.onDelete == .cascade { return false }
        rest.links -= 1
        rest.listed -= listedCount(relation.inverse, target)
      }
      if rest.links < 0 || rest.listed < 0 { return false }
    }
    return true
  }

  /// How many links a list has that changes with each of them, suspended ones counted; 1 for a to-one relation.
  package func listedCount(_ id: RelationID, _ row: UInt32) -> Int {
    let relation = layout[id]
    guard relation.isToMany else { return 1 }
    return readColumn(relation).reader.references(row).count + suspendedCount(relation, row)
  }
}

import GQLCatalog

extension Snapshot {
  /// What the cascading relations of a live entity lead to, in their order; nothing of another. Of each relation, only
  /// what stands behind as many targets as are noted in `counts`, which become those that it has; none are noted at first.
  package func cascade(fromOnly entity: DeletedRow, behind counts: inout [Int]) -> [DeletedRow] {
    layout.cascade(fromOnly: entity, table(entity.type), behind: &counts)
  }
}

extension WriteTransaction {
  /// See ``Snapshot/cascade(fromOnly:behind:)``.
  package func cascade(fromOnly entity: DeletedRow, behind counts: inout [Int]) -> [DeletedRow] {
    layout.cascade(fromOnly: entity, table(entity.type), behind: &counts)
  }
}

extension StoreLayout {
  fileprivate func cascade(
    fromOnly entity: DeletedRow, _ table: Table, behind counts: inout [Int]
  ) -> [DeletedRow] {
    guard table.isLive(entity.row) else { return [] }
    var found: [DeletedRow] = []
    var number = 0
    for relation in types[Int(entity.type.index)].relations where relation.onDelete == .cascade {
      if number == counts.count { counts.append(0) }
      let reader = table.readers[Int(relation.column.index)]
      if relation.isToMany {
        let targets = reader.references(entity.row)
        for target in targets.dropFirst(counts[number]) {
          found.append(DeletedRow(type: relation.target, row: target))
        }
        counts[number] = targets.count
      } else {
        let target = reader.reference(entity.row)
        if target != PageLayout.noRow, counts[number] == 0 {
          found.append(DeletedRow(type: relation.target, row: target))
        }
        counts[number] = target == PageLayout.noRow ? 0 : 1
      }
      number += 1
    }
    return found
  }
}

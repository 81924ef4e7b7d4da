import GQLCatalog

extension Snapshot {
  /// What the cascading relations of a live entity lead to, in their order; nothing of another.
  package func cascade(fromOnly entity: DeletedRow) -> [DeletedRow] {
    let table = table(entity.type)
    guard table.isLive(entity.row) else { return [] }
    var found: [DeletedRow] = []
    for relation in layout.types[Int(entity.type.index)].relations where relation.onDelete == .cascade {
      let reader = table.readers[Int(relation.column.index)]
      if relation.isToMany {
        for target in reader.references(entity.row) { found.append(DeletedRow(type: relation.target, row: target)) }
      } else {
        let target = reader.reference(entity.row)
        if target != PageLayout.noRow { found.append(DeletedRow(type: relation.target, row: target)) }
      }
    }
    return found
  }
}

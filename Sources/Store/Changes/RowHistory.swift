import GQLCatalog

/// A writer of what a transaction does to the history of rows, beside its changes of the rows themselves. Nothing happens
/// where their type has no history.
package struct RowHistory {
  private let transaction: WriteTransaction

  package init(in transaction: WriteTransaction) { self.transaction = transaction }

  /// Has the version that the transaction makes erase the history of rows, with that of the rows that are parts of them:
  /// the elements of their lists, and those that stand for them in interfaces and unions.
  package func erase(_ type: EntityTypeID, rows: [UInt32]) {
    if !isKept(type) { return }
    var next = rows.map { DeletedRow(type: type, row: $0) }
    while let place = next.popLast() {
      guard transaction.pasts.erased.insert(place).inserted else { continue }
      transaction.recorder?.table(transaction.ownedTable(place.type)).note(RowChangeMarks.erased, of: place.row)
      let image = StoredRow(transaction.table(place.type), place.row)
      for relation in parts(of: place.type) {
        next += image.heldTargets(relation).map { DeletedRow(type: relation.target, row: $0) }
      }
    }
  }

  private func parts(of type: EntityTypeID) -> [Relation] {
    let layout = transaction.layout.types[Int(type.index)]
    return layout.mirrors
      + layout.relations.filter { relation in
        relation.property != nil && transaction.layout.types[Int(relation.target.index)].isElement
      }
  }

  /// Has the version that the transaction makes keep the history of a row that goes.
  func keep(_ type: EntityTypeID, row: UInt32) {
    if !isKept(type) { return }
    transaction.pasts.kept.insert(DeletedRow(type: type, row: row))
    transaction.recorder?.table(transaction.ownedTable(type)).note(RowChangeMarks.kept, of: row)
  }

  private func isKept(_ type: EntityTypeID) -> Bool { transaction.base.catalog[type].history != nil }
}

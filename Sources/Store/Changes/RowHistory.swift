import GQLCatalog

/// A writer of what a transaction does to the history of rows, beside its changes of the rows themselves. Nothing happens
/// where their type has no history.
package struct RowHistory {
  private let transaction: WriteTransaction

  package init(in transaction: WriteTransaction) { self.transaction = transaction }

  /// Has the version that the transaction makes erase the history of rows.
  package func erase(_ type: EntityTypeID, rows: [UInt32]) {
    for row in rows where isKept(type) {
      transaction.pasts.erased.insert(DeletedRow(type: type, row: row))
      transaction.recorder?.table(transaction.ownedTable(type)).note(RowChangeMarks.erased, of: row)
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

import GQLCatalog

/// An erasure of what entities were, as far as a history keeps it; they stay what they are.
package struct HistoryErasure {
  private let transaction: WriteTransaction

  package init(in transaction: WriteTransaction) { self.transaction = transaction }

  /// Has the version that the transaction makes erase the history of rows; nothing happens where their type has none.
  package func erase(_ type: EntityTypeID, rows: [UInt32]) {
    if transaction.base.catalog[type].history == nil { return }
    for row in rows {
      transaction.pasts.erased.insert(DeletedRow(type: type, row: row))
      transaction.recorder?.table(transaction.ownedTable(type)).note(RowChangeMarks.erased, of: row)
    }
  }
}

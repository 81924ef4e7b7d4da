import GQLExecutor
import GQLStore

/// Embedded objects of schemas in text.
extension Saver {
  /// Puts those of a record into its cells; gives, by column, whether the row gets the cell, nil if it gets all.
  ///
  /// - Parameter row: That of the entity, if it is saved.
  func putObjects(_ record: Int, _ row: UInt32?, _ transaction: WriteTransaction, _ now: Int64) throws -> [Bool]? {
    let entry = stage.entities[record]
    if entry.objects.isEmpty { return entry.mapping.ownedColumns }
    let staged = stage.cells(record)
    var cells = ObjectWriter.Cells(
      cells: staged.cells, valid: staged.valid,
      owned: entry.mapping.ownedColumns ?? Array(repeating: true, count: entry.mapping.layout.columnCount))
    for (value, object) in zip(entry.objects, entry.mapping.layout.objects) {
      guard let object else { continue }
      try writer(object, transaction, now).put(
        value, object.place, object.path, isNonNull: object.isNonNull, row: row, &cells)
    }
    return cells.owned
  }

  /// Writes the links and the lists of those of a record, whose row is there.
  func linkObjects(_ record: Int, _ row: UInt32, _ transaction: WriteTransaction) throws {
    let entry = stage.entities[record]
    for (value, object) in zip(entry.objects, entry.mapping.layout.objects) {
      guard let object, !object.place.isInCells else { continue }
      try writer(object, transaction, transaction.now).link(value, object.place, object.path, row: row)
    }
  }

  private func writer(_ object: ObjectProperty, _ transaction: WriteTransaction, _ now: Int64) -> ObjectWriter {
    ObjectWriter(types: object.types, type: object.type, transaction: transaction, pool: stage.pool, now: now)
  }
}

import GQLCatalog
import GQLStore

/// The rows of an entity type by their keys, whatever the type of the entities.
package struct KeyedRows: Sendable {
  let type: EntityTypeID
  /// The column of the key.
  let column: Int
  let kind: ColumnKind

  /// Finds an entity.
  ///
  /// - Parameter row: Where it was last.
  @inline(__always)
  func find(_ key: EntityKey, near row: UInt32, in tables: some StoreTables) -> EntityPlace {
    if row < tables.slotCount(type), tables.isLive(type, row), holds(key, row, tables) { return .live(row) }
    if let row = tables.findRow(type, key: key.pointer) { return .live(row) }
    return tables.deletedRow(type, key: key.pointer).map { .deleted($0) } ?? .nowhere
  }

  /// Returns whether a row has a key.
  @inline(__always)
  private func holds(_ key: EntityKey, _ row: UInt32, _ tables: some StoreTables) -> Bool {
    let cell = tables.readers(type)[column].cell(row, kind: kind)
    if case .text = kind { return TextView(cell).equals(TextView(key.cell)) }
    return cell == key.cell
  }
}

/// The place of a property in one catalog: all that reading and writing its cells takes, whatever the types of entities
/// and values.
///
/// Its functions are not generic, because generic code of another module looks types up while it runs, which takes longer
/// than to read a cell.
package final class CellPlace: Sendable {
  package let catalogVersion: UInt64
  package let type: EntityTypeID
  /// The column whose cell is all that changes where the property does; nil where saving the entity may do more.
  package let plainColumn: ColumnID?
  /// Indicates whether that column must have a value.
  package let isNonNull: Bool
  private let rows: KeyedRows
  private let column: Int
  private let kind: ColumnKind
  private let isInstant: Bool

  init(_ rows: KeyedRows, _ place: EntityLayout.Place, plainColumn: ColumnID?, in catalog: Catalog) {
    self.rows = rows
    type = rows.type
    catalogVersion = catalog.version
    (column, kind, isInstant) = (Int(place.column), place.kind, place.isInstant)
    self.plainColumn = plainColumn
    isNonNull = plainColumn.map { catalog[rows.type][$0].isNonNull } ?? false
  }

  /// A cell of an entity, and the row in which it lies; `UInt32.max` for none.
  package struct Found {
    package let row: UInt32
    let cell: _ColumnCell
  }

  /// Reads the cell of an entity, live or deleted. What it points to is valid as long as the version is.
  package func read(_ key: EntityKey, near row: UInt32, in snapshot: Snapshot) -> Found {
    read(key, near: row, of: snapshot)
  }

  /// Reads the cell of an entity, live or deleted. What it points to is valid until the next change.
  package func read(_ key: EntityKey, near row: UInt32, in transaction: WriteTransaction) -> Found {
    read(key, near: row, of: transaction)
  }

  @inline(__always)
  private func read(_ key: EntityKey, near row: UInt32, of tables: some StoreTables) -> Found {
    switch rows.find(key, near: row, in: tables) {
    case .live(let row), .deleted(let row):
      let source = EntitySource(tables.readers(type), row, nil, nil)
      return Found(row: row, cell: isInstant ? source.fineCell(column) : source.cell(column, kind))
    case .nowhere: return Found(row: .max, cell: _ColumnCell(Cell(low: 0), isNull: true))
    }
  }

  /// Finds a live entity; nil where there is none.
  ///
  /// - Parameter row: Where it was last.
  package func liveRow(_ key: EntityKey, near row: UInt32, in transaction: WriteTransaction) -> UInt32? {
    guard case .live(let row) = rows.find(key, near: row, in: transaction) else { return nil }
    return row
  }
}

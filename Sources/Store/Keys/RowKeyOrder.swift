import GQLCatalog

/// The order of the rows of one type by a column of a key.
package struct RowKeyOrder {
  private let component: KeyComponent
  private let columns: UnsafePointer<ColumnReader>

  fileprivate init(_ component: KeyComponent, _ columns: UnsafePointer<ColumnReader>) {
    self.component = component
    self.columns = columns
  }

  /// Returns a negative number, zero or a positive one. Precondition: the rows have values there.
  package func compare(_ left: UInt32, _ right: UInt32) -> Int {
    KeyOrder.compare(component.kind, component.cell(columns, left), component.cell(columns, right))
  }
}

extension Snapshot {
  /// Returns the order by a column, valid as long as the version is held; nil for a column that cannot be part of a key.
  package func keyOrder(_ type: EntityTypeID, _ column: ColumnID) -> RowKeyOrder? {
    KeyComponent(catalog[type][column]).map { RowKeyOrder($0, readers(type)) }
  }
}

import GQLCatalog

extension WriteTransaction {
  /// The row that a unique index has under the key of these cells, which are as ``insert(_:cells:valid:)`` takes them;
  /// nil if there is none, or if a component of the key is null. Not between begin- and endBulk.
  package func findRow(
    _ index: IndexID, cells: UnsafePointer<Cell>, valid: UnsafePointer<Bool>
  ) throws(StoreProblem) -> UInt32? {
    guard let place = layout.places[Int(index.index)] else { return nil }
    let keys = tables[place.type].layout.indexes[place.index].keys
    for component in 0..<keys.count {
      let column = keys.components[component].column
      let source = tables[place.type].layout.columns[column].foldedFrom.map { Int($0.index) } ?? column
      guard valid[source] else { return nil }
      self.cells[source] = cells[source]
      self.valid[source] = true
      if source != column {
        try foldCell(ownedTable(EntityTypeID(place.type)), into: column, from: source)
      }
      key[component] = self.cells[column]
    }
    let row = tables[place.type].find(place.index, key: key)
    return row == PageLayout.noRow ? nil : row
  }
}

extension Snapshot {
  /// The live row with this primary key: one cell per component.
  package func findRow(_ type: EntityTypeID, key: UnsafePointer<Cell>) -> UInt32? {
    let table = table(type)
    if table.layout.indexes.isEmpty { return nil }
    let row = table.find(0, key: key)
    return row == PageLayout.noRow ? nil : row
  }
}

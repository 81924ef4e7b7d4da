import GQLCatalog
import GQLStore

extension AnyTypeMapping {
  /// Ids that print as numbers go on doing so where an entity that is saved has them still: for it they are texts.
  ///
  /// - Parameter cells: those that are written to the row; lists among them lie in memory that is the caller's.
  func keepNumbers(
    _ readers: UnsafePointer<ColumnReader>, _ row: UInt32, _ cells: UnsafeMutablePointer<Cell>,
    _ valid: UnsafeMutablePointer<Bool>
  ) {
    for (column, isList) in idColumns where valid[column] && !readers[column].isNull(row) {
      guard isList else {
        cells[column] = Self.asNumber(cells[column], ifAmong: [TextView(readers[column].wide(row))])
        continue
      }
      let known = ColumnCell(readers[column].cell(row, kind: .wideList)).elements(isWide: true) { TextView($0.cell) }
      let list = cells[column]
      guard known.contains(where: \.isNumber), let start = UnsafeMutableRawPointer(bitPattern: UInt(list.low)) else {
        continue
      }
      for number in 0..<Int(UInt32(truncatingIfNeeded: list.high)) {
        let address = start + number * 16
        let id = Cell(
          low: address.loadUnaligned(as: UInt64.self), high: (address + 8).loadUnaligned(as: UInt64.self))
        address.storeBytes(of: Self.asNumber(id, ifAmong: known).low, as: UInt64.self)
      }
    }
  }

  /// The id as it stands among others.
  private static func asNumber(_ id: Cell, ifAmong known: [TextView]) -> Cell {
    let view = TextView(id)
    guard let same = known.first(where: { $0.equals(view) }), same.isNumber else { return id }
    return Cell(low: id.low | TextView.numberFlag, high: id.high)
  }
}

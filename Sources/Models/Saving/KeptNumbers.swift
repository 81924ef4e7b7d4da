import GQLBase
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
        let known = TextView(readers[column].wide(row))
        if known.isNumber, known.equals(TextView(cells[column])) { cells[column] = Self.asNumber(cells[column]) }
        continue
      }
      let known = _ColumnCell(readers[column].cell(row, kind: .wideList)).elements(isWide: true) { TextView($0.cell) }
      let numbers = Set(known.lazy.filter(\.isNumber).map(Self.text))
      let list = cells[column]
      guard !numbers.isEmpty, let start = UnsafeMutableRawPointer(bitPattern: UInt(list.low)) else {
        continue
      }
      for number in 0..<Int(UInt32(truncatingIfNeeded: list.high)) {
        let address = start + number * 16
        let id = Cell(
          low: address.loadUnaligned(as: UInt64.self), high: (address + 8).loadUnaligned(as: UInt64.self))
        guard numbers.contains(Self.text(TextView(id))) else { continue }
        address.storeBytes(of: Self.asNumber(id).low, as: UInt64.self)
      }
    }
  }

  private static func text(_ id: TextView) -> Text {
    id.withBytes { Text(UnsafeRawBufferPointer(start: $0, count: $1)) }
  }

  private static func asNumber(_ id: Cell) -> Cell { Cell(low: id.low | TextView.numberFlag, high: id.high) }
}

import GQLBase
import GQLCatalog

/// Cells of columns of fields as JSON.
package enum CellJSON {
  /// Appends a cell that is not null as data writes it. Returns false where it has no such form, as a link.
  ///
  /// - Parameter write: Writes a scalar, an element of a list or not; false where it cannot.
  package static func append(
    _ cell: Cell, _ type: ValueType, _ catalog: Catalog, to output: inout ByteBuffer,
    writing write: (Cell, ScalarType, inout ByteBuffer) -> Bool = { cell, scalar, output in
      ScalarCells.write(cell, scalar, asJSON: true, into: &output)
      return true
    }
  ) -> Bool {
    switch type {
    case .scalar(let scalar): return write(cell, scalar, &output)
    case .enumeration(let id):
      guard cell.low < UInt64(catalog[id].values.count) else { return false }
      output.append(json: catalog[id].values[Int(cell.low)])
    case .embedded, .null: output.append(bool: cell.low != 0)
    case .entity: return false
    case .list(let element):
      let list = ListRun(cell, element)
      output.append(0x5B)
      for index in 0..<list.count {
        if index > 0 { output.append(0x2C) }
        if list.isNull(index) {
          output.append("null")
        } else if !append(list.cell(index), element, catalog, to: &output, writing: write) {
          return false
        }
      }
      output.append(0x5D)
    }
    return true
  }
}

import GQLBase
import GQLCatalog

/// A writer of the values of versions as JSON.
struct VersionValues {
  let catalog: Catalog

  /// Appends a key of several fields, as a list.
  func append(key columns: [ColumnDescriptor], _ image: StoredRow, to buffer: inout ByteBuffer) {
    buffer.append("[")
    for (place, column) in columns.enumerated() {
      if place > 0 { buffer.append(",") }
      append(column, image, to: &buffer)
    }
    buffer.append("]")
  }

  /// Appends the value of a column.
  func append(_ column: ColumnDescriptor, _ image: StoredRow, to buffer: inout ByteBuffer) {
    guard let cell = image.cell(Int(column.id.index)) else { return buffer.append("null") }
    let (form, isList) = CellConverter.form(column.type, catalog)
    guard isList, case .list(let element) = column.type else {
      return CellConverter.write(cell, form, asJSON: true, into: &buffer)
    }
    let run = ListRun(cell, element)
    buffer.append("[")
    for index in 0..<run.count {
      if index > 0 { buffer.append(",") }
      if run.isNull(index) {
        buffer.append("null")
      } else {
        CellConverter.write(run.cell(index), form, asJSON: true, into: &buffer)
      }
    }
    buffer.append("]")
  }
}

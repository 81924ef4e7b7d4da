import GQLBase
import GQLCatalog
import GQLStore

extension Catalog {
  /// Returns the values of an entity as a JSON object.
  func json(_ type: EntityTypeID, _ cell: (ColumnDescriptor) -> Cell?) -> Text {
    var buffer = ByteBuffer(capacity: 256)
    buffer.append(0x7B)
    var isFirst = true
    for property in self[type].properties {
      guard case .column(let column, _) = property.storage else { continue }
      if !isFirst { buffer.append(0x2C) }
      isFirst = false
      buffer.append(json: Text(property.name))
      buffer.append(0x3A)
      if let cell = cell(self[type][column]) {
        write(cell, type: property.signature.type, catalog: self, into: &buffer)
      } else {
        buffer.append("null")
      }
    }
    buffer.append(0x7D)
    return buffer.withUnsafeBytes { Text($0) }
  }
}

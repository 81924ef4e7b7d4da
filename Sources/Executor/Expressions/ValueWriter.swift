import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Appends the JSON of a value of any type; `null` where there is none.
package func write(
  _ vector: Vector, _ position: Int, type: ValueType, catalog: Catalog, into buffer: inout ByteBuffer
) {
  if vector.isNull(position) { return buffer.append("null") }
  write(vector.cell(position), type: type, catalog: catalog, into: &buffer)
}

/// The same for a non-null value in the form of a column's cell.
package func write(_ cell: Cell, type: ValueType, catalog: Catalog, into buffer: inout ByteBuffer) {
  switch type {
  case .scalar(let scalar):
    switch scalar {
    case .int: buffer.append(int: cell.int)
    case .float: buffer.append(double: cell.double)
    case .decimal: buffer.append(decimal: cell.decimal)
    case .boolean: buffer.append(bool: cell.low != 0)
    case .dateTime: buffer.append(dateTime: cell.int)
    case .date: buffer.append(date: cell.int)
    case .duration: buffer.append(duration: cell.int)
    case .string, .uuid, .cursor:
      let view = TextView(cell)
      view.withBytes { start, count in
        if view.needsEscape { buffer.append(json: start, count) } else { buffer.append(cleanText: start, count) }
      }
    case .id:
      let view = TextView(cell)
      view.withBytes { start, count in
        if view.isNumber { buffer.append(start, count) } else { buffer.append(json: start, count) }
      }
    case .bytes:
      TextView(cell).withBytes { start, count in
        buffer.append(base64: UnsafeRawBufferPointer(start: start, count: count))
      }
    case .json:
      TextView(cell).withBytes { start, count in buffer.append(start, count) }
    }
  case .enumeration(let id):
    let values = catalog[id].values
    let code = Int(truncatingIfNeeded: cell.low)
    guard code >= 0, code < values.count else { return buffer.append("null") }
    buffer.append(0x22)
    buffer.append(utf8: values[code])
    buffer.append(0x22)
  case .list(let element):
    let run = ListRun(cell, element)
    buffer.append(0x5B)
    for index in 0..<run.count {
      if index > 0 { buffer.append(0x2C) }
      if run.isNull(index) {
        buffer.append("null")
      } else {
        write(run.cell(index), type: element, catalog: catalog, into: &buffer)
      }
    }
    buffer.append(0x5D)
  case .embedded:
    buffer.append(bool: cell.low != 0)
  case .entity:
    // Entities are written through their fields; a bare one is its row's number, which only tests see.
    buffer.append(int: cell.int)
  case .null:
    buffer.append("null")
  }
}

/// The JSON of a value as messages quote it: what is longer than some hundred bytes is cut off.
package func excerpt(of cell: Cell, type: ValueType, catalog: Catalog) -> Text {
  let longest = 100
  var buffer = ByteBuffer()
  switch type {
  case .list(let element):
    let run = ListRun(cell, element)
    buffer.append(0x5B)
    for index in 0..<run.count {
      if index > 0 { buffer.append(0x2C) }
      guard buffer.count < longest else {
        buffer.append("…")
        break
      }
      if run.isNull(index) {
        buffer.append("null")
      } else {
        buffer.append(utf8: excerpt(of: run.cell(index), type: element, catalog: catalog))
      }
    }
    buffer.append(0x5D)
  case .scalar(.string), .scalar(.id), .scalar(.uuid), .scalar(.cursor), .scalar(.json), .scalar(.bytes):
    let view = TextView(cell)
    guard view.count > longest + 20 else { fallthrough }
    view.withBytes { start, _ in
      var count = longest
      if type == .scalar(.bytes) {
        buffer.append(base64: UnsafeRawBufferPointer(start: start, count: 75))
        return buffer.append("…")
      }
      // Whole code points.
      while count > 0, start.load(fromByteOffset: count, as: UInt8.self) & 0xC0 == 0x80 { count -= 1 }
      if type == .json { buffer.append(start, count) } else { buffer.append(json: start, count) }
      buffer.append("…")
    }
  default: write(cell, type: type, catalog: catalog, into: &buffer)
  }
  return buffer.withUnsafeBytes { Text($0) }
}

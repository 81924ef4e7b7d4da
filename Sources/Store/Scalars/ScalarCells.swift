import GQLBase
import GQLCatalog

/// Cells of scalar values, as the codecs of their types read and write them.
///
/// Reads values that lie in a cell alone. Doors keep texts and bytes in memory of their own.
package enum ScalarCells {
  /// Returns the cell of a text without quotes; nil where it is no such value, or one that is kept elsewhere.
  package static func cell(_ scalar: ScalarType, text: UnsafeBufferPointer<UInt8>) -> Cell? {
    switch scalar {
    case .int: IntCodec.read(text).map { Cell($0) }
    case .float: FloatCodec.read(text).map { Cell($0) }
    case .decimal: DecimalCodec.read(text).map { Cell($0) }
    case .boolean: BooleanCodec.read(text).map { Cell(low: $0 ? 1 : 0) }
    case .dateTime: DateTimeCodec.read(text).map { Cell($0) }
    case .date: DateCodec.read(text).map { Cell($0) }
    case .duration: DurationCodec.read(text).map { Cell($0) }
    case .string, .id, .uuid, .bytes, .json, .cursor: nil
    }
  }

  /// Returns the cell of what stands in a string of JSON, which numbers and truth values do not.
  package static func cell(_ scalar: ScalarType, quoted text: UnsafeBufferPointer<UInt8>) -> Cell? {
    switch scalar {
    case .int, .float, .boolean: nil
    default: cell(scalar, text: text)
    }
  }

  /// Returns the cell of a number of JSON; nil where it is no such value. An ID points to the number's digits.
  package static func cell(_ scalar: ScalarType, number: JSONNumber) -> Cell? {
    switch scalar {
    case .int: return IntCodec.read(number: number).map { Cell($0) }
    case .float: return FloatCodec.read(number: number).map { Cell($0) }
    case .decimal: return DecimalCodec.read(number: number).map { Cell($0) }
    case .id:
      guard let digits = IDCodec.read(number: number), digits.count <= TextView.maximumLength,
        let start = digits.baseAddress
      else { return nil }
      return TextView(start, count: digits.count, flags: TextView.numberFlag).cell
    case .string, .boolean, .dateTime, .date, .duration, .uuid, .bytes, .json, .cursor: return nil
    }
  }

  /// Returns the cell of an integer; nil where it is no such value, or one that is kept elsewhere.
  package static func cell(_ scalar: ScalarType, integer: Int64) -> Cell? {
    switch scalar {
    case .int: IntCodec.read(integer: integer).map { Cell($0) }
    case .float: FloatCodec.read(integer: integer).map { Cell($0) }
    case .decimal: DecimalCodec.read(integer: integer).map { Cell($0) }
    case .boolean: BooleanCodec.read(integer: integer).map { Cell(low: $0 ? 1 : 0) }
    case .string, .id, .dateTime, .date, .duration, .uuid, .bytes, .json, .cursor: nil
    }
  }

  /// Returns the cell of a number with a fraction; nil where it is no such value.
  package static func cell(_ scalar: ScalarType, real: Double) -> Cell? {
    switch scalar {
    case .int: IntCodec.read(real: real).map { Cell($0) }
    case .float: FloatCodec.read(real: real).map { Cell($0) }
    case .decimal: DecimalCodec.read(real: real).map { Cell($0) }
    case .string, .boolean, .id, .dateTime, .date, .duration, .uuid, .bytes, .json, .cursor: nil
    }
  }

  /// Writes a value as data writes it, without quotes or as JSON.
  package static func write(_ cell: Cell, _ scalar: ScalarType, asJSON: Bool, into buffer: inout ByteBuffer) {
    let isQuoted = asJSON && scalar.codec.isString
    switch scalar {
    case .string, .cursor, .id, .uuid, .json:
      let view = TextView(cell)
      view.withBytes { start, count in
        if isQuoted, !view.isNumber { buffer.append(json: start, count) } else { buffer.append(start, count) }
      }
      return
    default: break
    }
    if isQuoted { buffer.append(0x22) }
    switch scalar {
    case .int: IntCodec.write(cell.int, into: &buffer)
    case .float: FloatCodec.write(cell.double, into: &buffer)
    case .decimal: DecimalCodec.write(cell.decimal, into: &buffer)
    case .boolean: BooleanCodec.write(cell.low != 0, into: &buffer)
    case .dateTime: DateTimeCodec.write(cell.int, into: &buffer)
    case .date: DateCodec.write(cell.int, into: &buffer)
    case .duration: DurationCodec.write(cell.int, into: &buffer)
    case .bytes:
      TextView(cell).withBytes { Base64.encode(UnsafeRawBufferPointer(start: $0, count: $1), into: &buffer) }
    case .string, .cursor, .id, .uuid, .json: break
    }
    if isQuoted { buffer.append(0x22) }
  }
}

extension Cell {
  package init(_ value: Decimal) {
    let packed = value.packed
    self.init(low: packed.0, high: packed.1)
  }

  package var decimal: Decimal { Decimal(packed: (low, high)) }
}

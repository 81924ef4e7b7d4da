import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Lists as a file holds them: arrays of JSON, which `json_each` of SQLite reads.
///
/// Numbers of whole types are numbers, those of `Float` the shortest that are read back as they are; decimals, texts and
/// ids are texts, but for an id that is a number; bytes are in base64. Times are microseconds, dates days.
enum ListText {
  /// Appends the rows of a list.
  static func append(rows: UnsafeBufferPointer<UInt32>, to output: inout ByteBuffer) {
    output.append(0x5B)
    for (index, row) in rows.enumerated() {
      if index > 0 { output.append(0x2C) }
      output.append(uint: UInt64(row))
    }
    output.append(0x5D)
  }

  /// The rows of a list; nil where the text is none.
  static func rows(_ bytes: UnsafeRawBufferPointer) -> [UInt32]? {
    guard bytes.count >= 2, bytes[0] == 0x5B, bytes[bytes.count - 1] == 0x5D else { return nil }
    var rows: [UInt32] = []
    rows.reserveCapacity(bytes.count / 6)
    var value: UInt64 = 0
    var digits = 0
    for index in 1..<bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0x30...0x39:
        value = value * 10 + UInt64(byte - 0x30)
        digits += 1
        if digits > 10 { return nil }
      case 0x2C where index < bytes.count - 1, 0x5D where index == bytes.count - 1:
        if digits == 0 { return bytes.count == 2 ? [] : nil }
        guard let row = UInt32(exactly: value), row < UInt32(PageLayout.maximumRows) else { return nil }
        rows.append(row)
        value = 0
        digits = 0
      default: return nil
      }
    }
    return rows
  }

  /// Appends the elements of a list's cell.
  static func append(_ cell: Cell, _ element: ValueType, to output: inout ByteBuffer) {
    let kind = ColumnKind(element)
    let list = ListRun(cell, element)
    output.append(0x5B)
    for index in 0..<list.count {
      if index > 0 { output.append(0x2C) }
      if list.isNull(index) {
        output.append("null")
      } else {
        append(element: list.cell(index), element, kind, to: &output)
      }
    }
    output.append(0x5D)
  }

  private static func append(element cell: Cell, _ type: ValueType, _ kind: ColumnKind, to output: inout ByteBuffer) {
    switch kind {
    case .float64: output.append(double: cell.double)
    case .decimal:
      output.append(0x22)
      output.append(decimal: Decimal(packed: (cell.low, cell.high)))
      output.append(0x22)
    case .text:
      TextView(cell).withBytes { start, count in
        if type.scalar == .bytes {
          output.append(base64: UnsafeRawBufferPointer(start: start, count: count))
        } else if TextView(cell).isNumber {
          output.append(start, count)
        } else {
          output.append(json: start, count)
        }
      }
    default: output.append(int: cell.int)
    }
  }

  /// Returns a list of bytes with one quote where it has two, as they were written at first; nil where it has one. An
  /// empty element has two and nothing after them.
  private static func quotedOnce(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    func isPair(_ index: Int) -> Bool { index + 1 < bytes.count && bytes[index] == 0x22 && bytes[index + 1] == 0x22 }
    let isDoubled = bytes.indices.contains { index in
      isPair(index) && index + 2 < bytes.count && bytes[index + 2] != 0x2C && bytes[index + 2] != 0x5D
    }
    guard isDoubled else { return nil }
    var single: [UInt8] = []
    single.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      single.append(bytes[index])
      index += isPair(index) ? 2 : 1
    }
    return single
  }

  /// Reads a list into memory of an arena; nil where the text is no list of the type.
  static func cell(_ bytes: UnsafeRawBufferPointer, _ element: ValueType, _ arena: StagingArena) -> Cell? {
    if element.scalar == .bytes, let single = quotedOnce(bytes) {
      return single.withUnsafeBytes { cell($0, element, arena) }
    }
    var scratch = ByteBuffer()
    let kind = ColumnKind(element)
    var elements: [Cell?] = []
    var scanner = JSONScanner(bytes)
    do throws(JSONScanner.Failure) {
      try scanner.beginArray()
      while try scanner.nextElement() {
        guard scanner.peek() != .null else {
          try scanner.scanNull()
          elements.append(nil)
          continue
        }
        guard let cell = try self.element(&scanner, element, kind, &scratch, arena) else { return nil }
        elements.append(cell)
      }
      try scanner.finish()
    } catch {
      return nil
    }
    return arena.list(count: elements.count, isWide: kind == .text || kind == .decimal) { elements[$0] }
  }

  private static func element(
    _ scanner: inout JSONScanner, _ type: ValueType, _ kind: ColumnKind, _ scratch: inout ByteBuffer,
    _ arena: StagingArena
  ) throws(JSONScanner.Failure) -> Cell? {
    switch kind {
    case .float64: return try scanner.scanNumber().double.map { Cell($0) }
    case .decimal:
      guard let decimal = Decimal(parsing: try scanner.scanString(&scratch).bytes) else { return nil }
      let (low, high) = decimal.packed
      return Cell(low: low, high: high)
    case .text:
      if scanner.peek() == .number {
        return arena.text(UnsafeRawBufferPointer(try scanner.scanNumber().bytes), flags: TextView.numberFlag)
      }
      let text = try scanner.scanString(&scratch)
      if type.scalar == .bytes {
        guard let decoded = Base64.decode(text.bytes) else { return nil }
        return decoded.withUnsafeBytes { arena.text($0) }
      }
      return arena.text(UnsafeRawBufferPointer(text.bytes))
    default: return try scanner.scanNumber().int64.map { Cell($0) }
    }
  }
}

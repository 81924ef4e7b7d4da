import GQLBase
import GQLCatalog

/// Values of fields in the JSON of change sets.
///
/// They are written as answers have them. Where that does not read back as the same cell, they are objects: `{"value",
/// "finer"}` of a time that is finer than a microsecond, and `{"text"}` of JSON that would be taken for something else.
enum ChangeValueText {
  // MARK: - Writing

  /// Appends a cell that is not null. Returns false where it is no value of its type.
  static func append(
    _ cell: Cell, _ type: ValueType, _ catalog: Catalog, to output: inout ByteBuffer
  ) -> Bool {
    StoredValue.isValid(cell, type, catalog)
      && CellJSON.append(cell, type, catalog, to: &output) { append($0, $1, to: &$2) }
  }

  private static func append(_ cell: Cell, _ scalar: ScalarType, to output: inout ByteBuffer) -> Bool {
    switch scalar {
    case .int, .dateTime, .date, .duration:
      appendWhole(cell, scalar, to: &output)
      return true
    case .json:
      TextView(cell).withBytes { append(json: UnsafeRawBufferPointer(start: $0, count: $1), to: &output) }
      return true
    case .string, .id, .uuid, .cursor:
      // What is said to print as a number must be one.
      let view = TextView(cell)
      guard !view.isNumber || isInteger(view) else { return false }
    case .float, .decimal, .boolean, .bytes: break
    }
    ScalarCells.write(cell, scalar, asJSON: true, into: &output)
    return true
  }

  private static func isInteger(_ view: TextView) -> Bool {
    view.withBytes { start, count in
      IDCodec.isNumber(UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count))
    }
  }

  private static func appendWhole(_ cell: Cell, _ scalar: ScalarType, to output: inout ByteBuffer) {
    let start = output.count
    if cell.finer != 0 { output.append("{\"value\":") }
    let text = output.count
    ScalarCells.write(Cell(cell.int), scalar, asJSON: true, into: &output)
    // A text that does not read back says nothing: then the number does.
    let isReadBack = output.withUnsafeBytes { bytes in
      if scalar == .int { return true }
      let quoted = UnsafeRawBufferPointer(rebasing: bytes[(text + 1)..<(bytes.count - 1)])
      return ScalarCells.cell(scalar, text: quoted.bindMemory(to: UInt8.self))?.int == cell.int
    }
    if !isReadBack {
      output.truncate(to: start)
      output.append("{\"value\":")
      output.append(int: cell.int)
    }
    if cell.finer != 0 {
      output.append(",\"finer\":")
      output.append(int: cell.finer)
    }
    if cell.finer != 0 || !isReadBack { output.append(0x7D) }
  }

  private static func append(json text: UnsafeRawBufferPointer, to output: inout ByteBuffer) {
    if isPlain(text) { return output.append(text) }
    output.append("{\"text\":")
    if let start = text.baseAddress { output.append(json: start, text.count) } else { output.append("\"\"") }
    output.append(0x7D)
  }

  /// Levels of JSON that stand as they are; deeper ones would exceed the limit together with what is around them.
  private static let mostLevels = 256

  /// Returns whether JSON can stand within other JSON and be found again: it is no null, has no spaces, is not deep, and
  /// does not begin as the object that stands for what cannot.
  private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
    var (isString, isEscaped) = (false, false)
    var (levels, most) = (0, 0)
    for byte in text {
      if isEscaped {
        isEscaped = false
      } else if isString {
        if byte == 0x5C { isEscaped = true } else if byte == 0x22 { isString = false }
      } else {
        switch byte {
        case 0x22: isString = true
        case 0x5B, 0x7B: levels += 1
        case 0x5D, 0x7D: levels -= 1
        case ...0x20: return false
        default: break
        }
        most = max(most, levels)
      }
    }
    if most > mostLevels { return false }
    var scanner = JSONScanner(text)
    return scanner.peek() != .null && !beginsAsText(scanner)
  }

  /// Returns whether what comes next is an object whose first key is `text`.
  private static func beginsAsText(_ scanner: JSONScanner) -> Bool {
    var scanner = scanner
    guard scanner.peek() == .object else { return false }
    var scratch = ByteBuffer()
    do throws(JSONScanner.Failure) {
      try scanner.beginObject()
      return try scanner.nextKey(&scratch)?.bytes.elementsEqual("text".utf8) ?? false
    } catch {
      return false
    }
  }

  // MARK: - Reading

  /// Reads a value into a memory; nil for null.
  static func read(
    _ type: ValueType, _ catalog: Catalog, _ scanner: inout JSONScanner, _ memory: ConversionArena
  ) throws(ChangeJSONFailure) -> Cell? {
    let kind = scanner.peek()
    let start = scanner.position
    let cell: Cell?
    do throws(JSONScanner.Failure) {
      if kind == .null {
        try scanner.scanNull()
        return nil
      }
      switch type {
      case .scalar(let scalar): cell = try read(scalar, &scanner, memory)
      case .enumeration(let id):
        var scratch = ByteBuffer()
        let name = try scanner.scanString(&scratch).string
        cell = catalog[id].values.firstIndex(of: name).map { Cell(low: UInt64($0)) }
      case .embedded, .null: cell = Cell(low: try scanner.scanBool() ? 1 : 0)
      case .entity: cell = nil
      case .list: cell = Cell(low: 0)
      }
    } catch {
      throw ChangeJSONFailure(error)
    }
    if case .list(let element) = type { return try readList(element, catalog, &scanner, memory) }
    guard let cell, StoredValue.isValid(cell, type, catalog) else {
      throw ChangeJSONFailure(offset: start, message: "this is no value of its type")
    }
    return cell
  }

  private static func readList(
    _ element: ValueType, _ catalog: Catalog, _ scanner: inout JSONScanner, _ memory: ConversionArena
  ) throws(ChangeJSONFailure) -> Cell {
    var elements: [Cell?] = []
    do throws(JSONScanner.Failure) { try scanner.beginArray() } catch { throw ChangeJSONFailure(error) }
    while true {
      do throws(JSONScanner.Failure) {
        if try !scanner.nextElement() { break }
      } catch {
        throw ChangeJSONFailure(error)
      }
      elements.append(try read(element, catalog, &scanner, memory))
    }
    return memory.list(count: elements.count, isWide: ListRun.width(element) == 16) { elements[$0] }
  }

  /// Nil where what is there is no value of the type.
  private static func read(
    _ scalar: ScalarType, _ scanner: inout JSONScanner, _ memory: ConversionArena
  ) throws(JSONScanner.Failure) -> Cell? {
    var scratch = ByteBuffer()
    switch scalar {
    case .json: return try readJSON(&scanner, memory)
    case .boolean: return Cell(low: try scanner.scanBool() ? 1 : 0)
    // Not by the codec, which takes the sign of zero away.
    case .float: return try scanner.scanNumber().double.map { Cell($0) }
    case .decimal: return ScalarCells.cell(scalar, number: try scanner.scanNumber())
    case .int, .dateTime, .date, .duration:
      return scanner.peek() == .object ? try readFiner(scalar, &scanner) : try readWhole(scalar, &scanner)
    case .bytes:
      let text = try scanner.scanString(&scratch)
      guard let bytes = Base64.decode(text.bytes) else { return nil }
      return bytes.withUnsafeBytes { memory.text($0) }
    case .string, .id, .uuid, .cursor:
      if scanner.peek() == .number {
        let number = try scanner.scanNumber()
        guard number.isInteger, IDCodec.isNumber(number.bytes) else { return nil }
        return memory.text(UnsafeRawBufferPointer(number.bytes), flags: TextView.numberFlag)
      }
      return memory.text(UnsafeRawBufferPointer(try scanner.scanString(&scratch).bytes))
    }
  }

  private static func readWhole(
    _ scalar: ScalarType, _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> Cell? {
    if scalar == .int { return try scanner.scanNumber().int64.map { Cell($0) } }
    var scratch = ByteBuffer()
    return ScalarCells.cell(scalar, text: try scanner.scanString(&scratch).bytes)
  }

  private static func readFiner(
    _ scalar: ScalarType, _ scanner: inout JSONScanner
  ) throws(JSONScanner.Failure) -> Cell? {
    var scratch = ByteBuffer()
    var (value, finer): (Int64?, Int64?) = (nil, nil)
    try scanner.beginObject()
    while let key = try scanner.nextKey(&scratch)?.string {
      switch key {
      case "value" where value == nil:
        value = scanner.peek() == .number ? try scanner.scanNumber().int64 : try readWhole(scalar, &scanner)?.int
        if value == nil { return nil }
      case "finer" where finer == nil:
        finer = try scanner.scanNumber().int64
        if finer == nil { return nil }
      default: return nil
      }
    }
    return value.map { Cell(low: UInt64(bitPattern: $0), high: UInt64(bitPattern: finer ?? 0)) }
  }

  private static func readJSON(
    _ scanner: inout JSONScanner, _ memory: ConversionArena
  ) throws(JSONScanner.Failure) -> Cell? {
    guard beginsAsText(scanner) else {
      scanner.skipSpace()
      let start = scanner.position
      try scanner.skipValue()
      return memory.text(UnsafeRawBufferPointer(scanner.slice(start, scanner.position)))
    }
    var scratch = ByteBuffer()
    try scanner.beginObject()
    _ = try scanner.nextKey(&scratch)
    let cell = memory.text(UnsafeRawBufferPointer(try scanner.scanString(&scratch).bytes))
    return try scanner.nextKey(&scratch) == nil ? cell : nil
  }
}

extension ChangeJSONFailure {
  init(_ failure: JSONScanner.Failure) { self.init(offset: failure.offset, message: failure.problem.message) }
}

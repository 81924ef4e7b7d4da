import GQLBase
import GQLCatalog
import GQLStore

extension RecordReader {
  /// Reads one scalar or enum value as the cell of its column.
  mutating func readScalar(
    _ target: RecordLayout.Target, _ slot: RecordLayout.Slot, _ scanner: inout JSONScanner, offset: Int, owner: String
  ) throws(RecordFailure) -> (column: Int, cell: Cell) {
    let kind = scanner.peek()
    let start = scanner.position
    do {
      switch target {
      case .scalar(.json, let column), .json(let column):
        try scanner.skipValue()
        return (column, jsonCell(scanner, from: start))
      case .scalar(.boolean, let column):
        guard kind == .boolean else { break }
        return (column, Cell(low: try scanner.scanBool() ? 1 : 0))
      case .scalar(.string, let column) where slot.isMixed && (kind == .number || kind == .boolean):
        try scanner.skipValue()
        let written = scanner.slice(start, scanner.position)
        // A number is as long as the file has it.
        guard let first = written.baseAddress, written.count <= TextView.maximumLength else {
          throw RecordFailure(tooLong: "\(owner).\(slot.name.string)", in: start + offset..<scanner.position + offset)
        }
        return (column, TextView(first, count: written.count, flags: 0).cell)
      case .scalar(let scalar, let column):
        if kind == .number {
          let number = try scanner.scanNumber()
          if let cell = ScalarCells.cell(scalar, number: number) { return (column, cell) }
          throw wrongType(
            slot, owner, &scanner, start, offset, because: words(for: number, as: scalar),
            as: LoadProblem(scalar.fault(of: number)))
        }
        guard kind == .string else { break }
        let text = try scanner.scanString(&scratch)
        if let cell = textCell(text, scalar) { return (column, cell) }
        if Self.isTooLong(text.count, scalar) {
          throw RecordFailure(tooLong: "\(owner).\(slot.name.string)", in: start + offset..<scanner.position + offset)
        }
        throw wrongType(
          slot, owner, &scanner, start, offset, because: "'\(text.string.prefix(60))'",
          as: LoadProblem(scalar.fault(of: text.bytes, isQuoted: true)))
      case .enumeration(let names, let column):
        guard kind == .string else { break }
        let text = try scanner.scanString(&scratch)
        for index in names.indices
        where names[index].count == text.count && names[index].bytes.elementsEqual(text.bytes) {
          return (column, Cell(low: UInt64(index)))
        }
        var failure = wrongType(
          slot, owner, &scanner, start, offset, because: "'\(text.string.prefix(60))'", as: .unknownEnumValue)
        failure.help = nearestNames(to: text.string, in: names.map(\.string)).first.map { "did you mean '\($0)'?" }
        throw failure
      case .list, .embedded, .relation, .nested, .computed: break
      }
    } catch {
      throw RecordFailure(error, at: start, offset: offset)
    }
    throw wrongType(slot, owner, &scanner, start, offset)
  }

  /// Returns whether a text of a scalar is longer than the store holds; Base64 has four characters for three bytes.
  private static func isTooLong(_ count: Int, _ scalar: ScalarType) -> Bool {
    switch scalar {
    case .string, .id, .cursor: count > TextView.maximumLength
    case .bytes: count / 4 * 3 > TextView.maximumLength + 2
    default: false
    }
  }

  private func words(for number: JSONNumber, as scalar: ScalarType) -> String? {
    switch scalar {
    case .int where scalar.fault(of: number) == .outOfRange: "a number beyond 64 bits"
    case .int: Text(number.start, min(number.count, 40)).string
    case .float: "a number beyond the range of a Float"
    case .decimal: "a number of more than \(Decimal.maximumDigits) digits"
    default: nil
    }
  }

  /// Returns the cell of a scalar that is written as text; nil if the text is none.
  mutating func textCell(_ text: JSONText, _ scalar: ScalarType) -> Cell? {
    switch scalar {
    case .string, .id, .cursor:
      guard text.count <= TextView.maximumLength else { return nil }
      let start = text.isDecoded ? arena.take(&scratch) : UnsafeRawPointer(text.start)
      return TextView(start, count: text.count, flags: text.isClean ? 0 : TextView.escapeFlag).cell
    case .uuid: return UUIDCodec.read(text.bytes).map { keepCell($0, flags: 0) }
    case .bytes: return bytesCell(text.bytes)
    case .int, .float, .decimal, .boolean, .dateTime, .date, .duration, .json:
      return ScalarCells.cell(scalar, quoted: text.bytes)
    }
  }

  private func bytesCell(_ text: UnsafeBufferPointer<UInt8>) -> Cell? {
    let place = arena.allocate(text.count / 4 * 3)
    guard let count = Base64.decode(text, into: place), count <= TextView.maximumLength else { return nil }
    return TextView(UnsafeRawPointer(place), count: count, flags: 0).cell
  }

  private func keepCell(_ bytes: [UInt8], flags: UInt64) -> Cell {
    bytes.withUnsafeBytes { buffer in
      TextView(UnsafeRawPointer(arena.copy(buffer)), count: buffer.count, flags: flags).cell
    }
  }

  /// Returns the JSON value behind the scanner since `start`, compact.
  func jsonCell(_ scanner: JSONScanner, from start: Int) -> Cell {
    jsonCell(scanner.slice(start, scanner.position))
  }

  /// Returns the cell of a JSON value, compact.
  func jsonCell(_ source: UnsafeBufferPointer<UInt8>) -> Cell {
    let compact = arena.allocate(source.count).assumingMemoryBound(to: UInt8.self)
    var count = 0
    var isInString = false
    var isEscaped = false
    for byte in source {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == 0x5C {
          isEscaped = true
        } else if byte == 0x22 {
          isInString = false
        }
      } else if byte > 0x20 {
        isInString = byte == 0x22
      } else {
        continue
      }
      compact[count] = byte
      count += 1
    }
    return TextView(UnsafeRawPointer(compact), count: count, flags: TextView.escapeFlag).cell
  }

  /// Reads a list of scalars as a run of cells with their validity behind them.
  mutating func readList(
    _ element: RecordLayout.Target, isWide: Bool, elementNonNull: Bool, _ slot: RecordLayout.Slot,
    _ scanner: inout JSONScanner, offset: Int, owner: String
  ) throws(RecordFailure) -> Cell {
    let start = scanner.position
    guard scanner.peek() == .array else { throw wrongType(slot, owner, &scanner, start, offset) }
    listCells.removeAll(keeping: 1 << 16)
    listValidity.removeAll(keeping: 1 << 12)
    do {
      try scanner.beginArray()
      while try scanner.nextElement() {
        if scanner.peek() == .null {
          let place = scanner.position
          try scanner.scanNull()
          if elementNonNull {
            throw RecordFailure(
              .missingValue, "an element of '\(owner).\(slot.name.string)' is non-null", at: place + offset,
              to: scanner.position + offset)
          }
          append(Cell(low: 0), isWide: isWide)
          listValidity.append(0)
        } else {
          append(try readScalar(element, slot, &scanner, offset: offset, owner: owner).cell, isWide: isWide)
          listValidity.append(1)
        }
      }
    } catch {
      throw RecordFailure(error, at: start, offset: offset)
    }
    let count = listValidity.count
    listValidity.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { listCells.append(start, bytes.count) }
    }
    // A long list is not there twice.
    let place = arena.take(&listCells)
    return Cell(low: UInt64(UInt(bitPattern: place)), high: UInt64(count))
  }

  private mutating func append(_ cell: Cell, isWide: Bool) {
    withUnsafeBytes(of: (cell.low, cell.high)) { words in
      if let start = words.baseAddress { listCells.append(start, isWide ? 16 : 8) }
    }
  }
}

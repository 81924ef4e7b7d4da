import GQLBase
import GQLCatalog
import GQLStore

extension Evaluator {
  func convert(_ node: Node, _ index: Int, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    let from = type(node.a)
    let to = block.block.types[index]
    if a.kind == .word, out.kind == .double {
      for position in 0..<count { out.doubles[position] = Double(a.words[position]) }
      out.validity.update(from: a.validity, count: count)
      return
    }
    setNull(out)
    let conversion = Conversion(catalog: state.program.catalog, scratch: execution.scratch)
    for position in 0..<count where !a.isNull(position) {
      switch conversion.convert(a.cell(position), from, to) {
      case .null: continue
      case .failed:
        let kind: RuntimeProblem.Kind =
          from.isNumeric && to.isNumeric && !node.flag ? .overflow(to.scalar ?? .decimal) : .conversion(to: to)
        throw problem(kind, node, at: position, [node.a])
      case .value(let cell): store(cell, out, position)
      }
    }
  }

  /// A value in the form of a cell into a register.
  @inline(__always)
  func store(_ cell: Cell, _ out: Vector, _ position: Int) {
    switch out.kind {
    case .truth: out.truths[position] = cell.low != 0 ? 2 : 0
    case .rows: out.rows[position] = UInt32(truncatingIfNeeded: cell.low)
    case .word, .double:
      out.words[position] = cell.int
      out.validity[position] = 1
    case .wide:
      out.cells[position] = cell
      out.validity[position] = 1
    }
  }
}

/// Values of one type as values of another.
struct Conversion {
  enum Result {
    case value(Cell)
    /// JSON's null as any type.
    case null
    case failed

    init(_ cell: Cell?) {
      if let cell { self = .value(cell) } else { self = .failed }
    }
  }

  let catalog: Catalog
  let scratch: ScratchArena

  func convert(_ cell: Cell, _ from: ValueType, _ to: ValueType) -> Result {
    if from == to { return .value(cell) }
    switch (from, to) {
    case (_, .scalar(.json)): return .value(json(cell, from))
    case (.scalar(.json), _): return fromJSON(cell, to)
    case (.list(let source), .list(let target)): return list(cell, source, target)
    case (.scalar(let source), .scalar(let target)) where source.isNumeric && target.isNumeric:
      return Result(number(cell, source, target))
    case (.scalar(.date), .scalar(.dateTime)):
      let (product, overflow) = cell.int.multipliedReportingOverflow(by: CivilTime.microsecondsPerDay)
      return overflow ? .failed : .value(Cell(product))
    case (.scalar(.dateTime), .scalar(.date)): return .value(Cell(CivilTime.date(ofDateTime: cell.int)))
    case (.scalar(.boolean), .scalar(.int)): return .value(Cell(Int64(cell.low != 0 ? 1 : 0)))
    case (.scalar(let source), .scalar(let target)) where source.isTextual && (target == .string || target == .id):
      // An id from a text prints as a text.
      return .value(Cell(low: cell.low & ~TextView.numberFlag, high: cell.high))
    case (.scalar(let source), .scalar(.id)) where source == .int:
      guard case .value(let text) = text(cell, from) else { return .failed }
      return .value(Cell(low: text.low | TextView.numberFlag, high: text.high))
    case (_, .scalar(.string)): return text(cell, from)
    case (.scalar(let source), _) where source.isTextual:
      return TextView(cell).withBytes { start, count in
        parse(UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count), to)
      }
    default: return .failed
    }
  }

  // MARK: - Numbers

  private func number(_ cell: Cell, _ from: ScalarType, _ to: ScalarType) -> Cell? {
    switch (from, to) {
    case (.int, .float): Cell(Double(cell.int))
    case (.int, .decimal): Cell(Decimal(cell.int))
    case (.float, .int): Int64(exactly: cell.double).map { Cell($0) }
    case (.float, .decimal): Decimal(shortest: cell.double).map { Cell($0) }
    case (.decimal, .int): cell.decimal.int64Value.map { Cell($0) }
    case (.decimal, .float): Cell(cell.decimal.doubleValue)
    default: cell
    }
  }

  // MARK: - Text

  /// What the value prints as, without quotes.
  private func text(_ cell: Cell, _ from: ValueType) -> Result {
    switch from {
    case .list, .embedded, .entity, .null: return .failed
    case .scalar, .enumeration:
      var buffer = ByteBuffer(capacity: 64)
      write(cell, type: from, catalog: catalog, into: &buffer)
      let isQuoted = buffer.count >= 2 && buffer.start.load(as: UInt8.self) == 0x22
      let start = buffer.start + (isQuoted ? 1 : 0)
      let count = buffer.count - (isQuoted ? 2 : 0)
      return count <= TextView.maximumLength ? .value(copy(start, count)) : .failed
    }
  }

  private func copy(_ start: UnsafeRawPointer, _ count: Int) -> Cell {
    let flags = TextView.escapeFlag(start, count)
    if count <= TextView.inlineCapacity { return TextView(start, count: count, flags: flags).cell }
    let copy = scratch.allocate(count)
    copy.copyMemory(from: start, byteCount: count)
    return TextView(copy, count: count, flags: flags).cell
  }

  private func copy(_ bytes: [UInt8]) -> Cell {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return Cell(low: 0) }
      return copy(start, bytes.count)
    }
  }

  private func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ to: ValueType) -> Result {
    switch to {
    case .scalar(let scalar):
      switch scalar {
      case .int: Result(Decimal(parsing: bytes)?.int64Value.map { Cell($0) })
      case .float: Result(FloatParsing.parse(bytes).map { Cell($0) })
      case .decimal: Result(Decimal(parsing: bytes).map { Cell($0) })
      case .boolean:
        bytes.elementsEqual("true".utf8)
          ? .value(Cell(low: 1)) : bytes.elementsEqual("false".utf8) ? .value(Cell(low: 0)) : .failed
      case .dateTime: Result(CivilTime.parseDateTime(bytes).map { Cell($0) })
      case .date: Result(CivilTime.parseDate(bytes).map { Cell($0) })
      case .duration: Result(CivilTime.parseDuration(bytes).map { Cell($0) })
      case .uuid: Result(UUIDText.normalize(bytes).map { copy($0) })
      case .bytes: Result(Base64.decode(bytes).map { copy($0) })
      case .string, .id, .json, .cursor: .failed
      }
    case .enumeration(let id):
      Result(catalog[id].values.firstIndex { bytes.elementsEqual($0.utf8) }.map { Cell(Int64($0)) })
    case .list, .embedded, .entity, .null: .failed
    }
  }

  // MARK: - JSON

  private func json(_ cell: Cell, _ from: ValueType) -> Cell {
    var buffer = ByteBuffer(capacity: 64)
    write(cell, type: from, catalog: catalog, into: &buffer)
    return copyJSON(buffer.start, buffer.count)
  }

  /// JSON text carries no flags.
  func copyJSON(_ start: UnsafeRawPointer, _ count: Int) -> Cell {
    if count <= TextView.inlineCapacity { return TextView(start, count: count).cell }
    let copy = scratch.allocate(count)
    copy.copyMemory(from: start, byteCount: count)
    return TextView(copy, count: min(count, TextView.maximumLength)).cell
  }

  private func fromJSON(_ cell: Cell, _ to: ValueType) -> Result {
    TextView(cell).withBytes { start, count in
      let bytes = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
      var scanner = JSONScanner(bytes)
      var scratch = ByteBuffer()
      do throws(JSONScanner.Failure) {
        switch scanner.peek() {
        case .null: return .null
        // An element of a list of JSON.
        case _ where to == .json: return .value(cell)
        case .string:
          let text = try scanner.scanString(&scratch)
          if to == .string || to == .id { return .value(copy(text.start, text.count)) }
          return parse(text.bytes, to)
        case .number:
          let number = try scanner.scanNumber()
          if to.isNumeric { return parse(number.bytes, to) }
          if to == .string { return .value(copy(number.start, number.count)) }
          if to == .id, number.isInteger {
            let text = copy(number.start, number.count)
            return .value(Cell(low: text.low | TextView.numberFlag, high: text.high))
          }
          return .failed
        case .boolean:
          let value = try scanner.scanBool()
          if to == .boolean { return .value(Cell(low: value ? 1 : 0)) }
          return to == .string ? .value(copy([UInt8]((value ? "true" : "false").utf8))) : .failed
        case .array:
          guard case .list(let element) = to else { return .failed }
          var cells: [Cell?] = []
          try scanner.beginArray()
          while try scanner.nextElement() {
            scanner.skipSpace()
            let first = scanner.position
            try scanner.skipValue()
            switch fromJSON(copyJSON(start + first, scanner.position - first), element) {
            case .value(let cell): cells.append(cell)
            case .null: cells.append(nil)
            case .failed: return .failed
            }
          }
          return .value(run(cells, element))
        case .object, .end, .invalid: return .failed
        }
      } catch {
        return .failed
      }
    }
  }

  // MARK: - Lists

  private func list(_ cell: Cell, _ from: ValueType, _ to: ValueType) -> Result {
    let source = ListRun(cell, from)
    var cells: [Cell?] = []
    for index in 0..<source.count {
      if source.isNull(index) {
        cells.append(nil)
        continue
      }
      switch convert(source.cell(index), from, to) {
      case .value(let cell): cells.append(cell)
      case .null: cells.append(nil)
      case .failed: return .failed
      }
    }
    return .value(run(cells, to))
  }

  /// A list's cell over scratch memory.
  func run(_ cells: [Cell?], _ element: ValueType) -> Cell {
    if cells.isEmpty { return Cell(low: 0) }
    let width = ListRun.width(element)
    let run = scratch.allocate(cells.count * (width + 1))
    let validity = run + cells.count * width
    for (index, cell) in cells.enumerated() {
      (run + index * width).storeBytes(of: cell?.low ?? 0, as: UInt64.self)
      if width == 16 { (run + index * width + 8).storeBytes(of: cell?.high ?? 0, as: UInt64.self) }
      validity.storeBytes(of: cell == nil ? 0 : 1, toByteOffset: index, as: UInt8.self)
    }
    return Cell(low: UInt64(UInt(bitPattern: run)), high: UInt64(UInt32(truncatingIfNeeded: cells.count)))
  }
}

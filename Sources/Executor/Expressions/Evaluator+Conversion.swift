import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

extension Evaluator {
  func convert(_ node: Node, _ index: Int, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    let from = type(node.a)
    let to = block.block.types[index]
    if from == .scalar(.int), out.kind == .double {
      for position in 0..<count { out.doubles[position] = Double(a.words[position]) }
      out.validity.update(from: a.validity, count: count)
      return
    }
    setNull(out)
    let conversion = Conversion(catalog: state.program.catalog, execution: execution)
    for position in 0..<count where !a.isNull(position) {
      let converted: Conversion.Result
      do throws(RuntimeProblem) {
        converted = try conversion.convert(a.cell(position), from, to)
      } catch {
        throw placed(error, node, at: position)
      }
      switch converted {
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

/// Values of one type as values of another. Where it throws, a limit is passed; what is thrown has no place.
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
  unowned(unsafe) let execution: Execution

  func convert(_ cell: Cell, _ from: ValueType, _ to: ValueType) throws(RuntimeProblem) -> Result {
    if from == to { return .value(cell) }
    switch (from, to) {
    case (_, .scalar(.json)): return .value(try json(cell, from))
    case (.scalar(.json), _): return try fromJSON(cell, to)
    case (.list(let source), .list(let target)): return try list(cell, source, target)
    case (.scalar(let source), .scalar(let target)) where source.isNumeric && target.isNumeric:
      return Result(number(cell, source, target))
    case (.scalar(.date), .scalar(.dateTime)):
      let (product, overflow) = cell.int.multipliedReportingOverflow(by: CivilTime.microsecondsPerDay)
      return overflow ? .failed : .value(Cell(product))
    case (.scalar(.dateTime), .scalar(.date)): return .value(Cell(CivilTime.writtenDate(ofDateTime: cell.int)))
    case (.scalar(.boolean), .scalar(.int)): return .value(Cell(Int64(cell.low != 0 ? 1 : 0)))
    case (.scalar(let source), .scalar(let target)) where source.isTextual && (target == .string || target == .id):
      // An id from a text prints as a text.
      return .value(Cell(low: cell.low & ~TextView.numberFlag, high: cell.high))
    case (.scalar(let source), .scalar(.id)) where source == .int:
      guard case .value(let text) = try text(cell, from) else { return .failed }
      return .value(Cell(low: text.low | TextView.numberFlag, high: text.high))
    case (_, .scalar(.string)): return try text(cell, from)
    case (.scalar(let source), _) where source.isTextual:
      return try bytes(of: cell) { (start, count) throws(RuntimeProblem) in
        try parse(UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count), to)
      }
    default: return .failed
    }
  }

  // MARK: - Numbers

  private func number(_ cell: Cell, _ from: ScalarType, _ to: ScalarType) -> Cell? {
    switch (from, to) {
    case (.int, _): ScalarCells.cell(to, integer: cell.int)
    case (.float, _): ScalarCells.cell(to, real: cell.double)
    case (.decimal, .int): cell.decimal.int64Value.map { Cell($0) }
    case (.decimal, .float): Cell(cell.decimal.doubleValue)
    default: cell
    }
  }

  // MARK: - Text

  /// What the value prints as, without quotes.
  private func text(_ cell: Cell, _ from: ValueType) throws(RuntimeProblem) -> Result {
    switch from {
    case .list, .embedded, .entity, .null: return .failed
    case .scalar, .enumeration:
      var buffer = ByteBuffer(capacity: 64)
      if from == .scalar(.bytes) {
        try bytes(of: cell) { (start, count) throws(RuntimeProblem) in
          try execution.reserveText(count / 3 * 4)
          try execution.encode(base64: UnsafeRawBufferPointer(start: start, count: count), into: &buffer)
        }
        return .value(try copy(buffer.start, buffer.count))
      }
      write(cell, type: from, catalog: catalog, into: &buffer)
      let isQuoted = buffer.count >= 2 && buffer.start.load(as: UInt8.self) == 0x22
      let start = buffer.start + (isQuoted ? 1 : 0)
      let count = buffer.count - (isQuoted ? 2 : 0)
      return .value(try copy(start, count))
    }
  }

  /// The bytes of a text, which lie in the cell or where it points.
  private func bytes<Output>(
    of cell: Cell, _ body: (UnsafeRawPointer, Int) throws(RuntimeProblem) -> Output
  ) throws(RuntimeProblem) -> Output {
    try withUnsafePointer(to: cell) { (cell) throws(RuntimeProblem) in
      let bytes = TextView.bytes(at: cell)
      return try body(bytes.start, bytes.count)
    }
  }

  private func copy(_ start: UnsafeRawPointer, _ count: Int) throws(RuntimeProblem) -> Cell {
    try execution.reserveText(count)
    try execution.charge(count)
    let flags = TextView.escapeFlag(start, count)
    if count <= TextView.inlineCapacity { return TextView(start, count: count, flags: flags).cell }
    let copy = execution.scratch.allocate(count)
    copy.copyMemory(from: start, byteCount: count)
    return TextView(copy, count: count, flags: flags).cell
  }

  private func copy(_ bytes: [UInt8]) throws(RuntimeProblem) -> Cell {
    try bytes.withUnsafeBufferPointer { (bytes) throws(RuntimeProblem) in
      guard let start = bytes.baseAddress else { return Cell(low: 0) }
      return try copy(start, bytes.count)
    }
  }

  private func decoded(base64 letters: UnsafeBufferPointer<UInt8>) throws(RuntimeProblem) -> [UInt8]? {
    guard letters.count % 4 == 0 else { return nil }
    try execution.reserveText(letters.count / 4 * 3)
    var result: [UInt8] = []
    result.reserveCapacity(letters.count / 4 * 3)
    var start = 0
    while start < letters.count {
      let end = min(start + Execution.codedBytes / 3 * 4, letters.count)
      let part = UnsafeBufferPointer(rebasing: letters[start..<end])
      guard Base64.decode(part, isEnd: end == letters.count, into: &result) else { return nil }
      try execution.charge(end - start)
      start = end
    }
    return result
  }

  private func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ to: ValueType) throws(RuntimeProblem) -> Result {
    try execution.charge(bytes.count)
    switch to {
    case .scalar(let scalar):
      switch scalar {
      case .uuid:
        guard let text = UUIDCodec.read(bytes) else { return .failed }
        return .value(try copy(text))
      case .bytes:
        guard let decoded = try decoded(base64: bytes) else { return .failed }
        return .value(try copy(decoded))
      default: return Result(ScalarCells.cell(scalar, text: bytes))
      }
    case .enumeration(let id):
      return Result(catalog[id].values.firstIndex { bytes.elementsEqual($0.utf8) }.map { Cell(Int64($0)) })
    case .list, .embedded, .entity, .null: return .failed
    }
  }

  // MARK: - JSON

  private func json(_ cell: Cell, _ from: ValueType) throws(RuntimeProblem) -> Cell {
    var text = ComputedText(execution, catalog)
    try text.append(cell, type: from)
    return try text.finish()
  }

  private func fromJSON(_ cell: Cell, _ to: ValueType) throws(RuntimeProblem) -> Result {
    try bytes(of: cell) { (start, count) throws(RuntimeProblem) in
      let bytes = UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
      var scanner = JSONScanner(bytes)
      switch scanner.peek() {
      case .null: return .null
      // An element of a list of JSON.
      case _ where to == .json: return .value(cell)
      case .string:
        return try text(ofJSON: start, count, to)
      case .number:
        guard let number = try? scanner.scanNumber() else { return .failed }
        if case .scalar(let scalar) = to, scalar.isNumeric {
          try execution.charge(number.count)
          return Result(ScalarCells.cell(scalar, number: number))
        }
        if to == .string { return .value(try copy(UnsafeRawPointer(number.start), number.count)) }
        if to == .id, number.isInteger {
          let text = try copy(UnsafeRawPointer(number.start), number.count)
          return .value(Cell(low: text.low | TextView.numberFlag, high: text.high))
        }
        return .failed
      case .boolean:
        guard let value = try? scanner.scanBool() else { return .failed }
        if to == .boolean { return .value(Cell(low: value ? 1 : 0)) }
        return to == .string ? .value(try copy([UInt8]((value ? "true" : "false").utf8))) : .failed
      case .array:
        guard case .list(let element) = to else { return .failed }
        return try list(of: start, count, element)
      case .object, .end, .invalid: return .failed
      }
    }
  }

  /// From a JSON string.
  private func text(
    ofJSON start: UnsafeRawPointer, _ count: Int, _ to: ValueType
  ) throws(RuntimeProblem) -> Result {
    var reader = JSONReader(start, count, execution)
    reader.skipSpace()
    let body = reader.skipString()
    try execution.checkStop()
    let isText = to == .string || to == .id
    guard body.hasEscapes else {
      let text = UnsafeBufferPointer(start: reader.base + body.start, count: body.end - body.start)
      guard isText else { return try parse(text, to) }
      // A part of the JSON, which lies in an arena if it is long.
      return .value(TextView(start + body.start, count: text.count).cell)
    }
    try execution.reserveText(body.end - body.start)
    var decoded = ByteBuffer()
    var bytes = JSONStringBytes(reader, body)
    while true {
      let byte = bytes.next()
      if byte < 0 { break }
      decoded.append(UInt8(truncatingIfNeeded: byte))
      if decoded.count & 0x1FFF == 0 { try execution.charge(1 << 15) }
    }
    if isText { return .value(try copy(decoded.start, decoded.count)) }
    return try parse(
      UnsafeBufferPointer(start: decoded.start.assumingMemoryBound(to: UInt8.self), count: decoded.count), to)
  }

  /// The elements of a JSON list.
  private func list(
    of start: UnsafeRawPointer, _ count: Int, _ element: ValueType
  ) throws(RuntimeProblem) -> Result {
    var reader = JSONReader(start, count, execution)
    var cells: [Cell?] = []
    reader.skipSpace()
    reader.position += 1
    while reader.nextElement(isFirst: cells.isEmpty) {
      reader.skipSpace()
      let first = reader.position
      reader.skipValue()
      try execution.checkStop()
      try execution.charge(16)
      switch try fromJSON(TextView(start + first, count: reader.position - first).cell, element) {
      case .value(let cell): cells.append(cell)
      case .null: cells.append(nil)
      case .failed: return .failed
      }
      if cells.count & 1023 == 0 { try execution.reserveList(cells.count) }
    }
    try execution.reserveList(cells.count)
    return .value(execution.scratch.list(cells, element))
  }

  // MARK: - Lists

  private func list(_ cell: Cell, _ from: ValueType, _ to: ValueType) throws(RuntimeProblem) -> Result {
    let source = ListRun(cell, from)
    try execution.reserveList(source.count)
    var cells: [Cell?] = []
    cells.reserveCapacity(source.count)
    for index in 0..<source.count {
      try execution.charge(16)
      if source.isNull(index) {
        cells.append(nil)
        continue
      }
      switch try convert(source.cell(index), from, to) {
      case .value(let cell): cells.append(cell)
      case .null: cells.append(nil)
      case .failed: return .failed
      }
    }
    return .value(execution.scratch.list(cells, to))
  }
}

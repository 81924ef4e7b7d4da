import GQLBase
import GQLCatalog

/// Cells of one type as cells of another, for the values of one field.
///
/// A value is carried over exactly where reading it back gives what it was. A number that is rounded, a time that loses
/// its hours or a text that would be written in another way is *inexact*; a value that the new type does not have is
/// *lost*.
final class CellConverter {
  enum Form {
    case scalar(ScalarType)
    case enumeration([Text])
    /// Lists of lists, which lie as JSON.
    case nested
  }

  enum Outcome {
    case exact(Cell)
    case inexact(Cell)
    case lost
  }

  private let from: Form
  private let to: Form
  /// Of lists: what their elements are.
  private let isFromList: Bool
  private let isToList: Bool
  private let isFromWide: Bool
  private let isToWide: Bool
  private let needsElements: Bool
  /// By old code of an enum: the new one, or nothing.
  private var codes: [Int?] = []
  /// Of lists of lists, what converts their elements.
  private let nested: NestedConverter?
  private var lostCounts: [Int]
  let arena = ConversionArena()
  private var scratch = ByteBuffer()
  private var other = ByteBuffer()

  /// - Parameter enumValues: See ``CatalogMapping/enumValues``; what they are in the old catalog where it is nil.
  init(
    _ conversion: CatalogMapping.Conversion, from old: Catalog, to new: Catalog, _ enumValues: [[String]]? = nil
  ) {
    (from, isFromList) = Self.form(conversion.from.type, old)
    (to, isToList) = Self.form(conversion.to.type, new)
    isFromWide = ColumnKind(conversion.from.type) == .wideList
    isToWide = ColumnKind(conversion.to.type) == .wideList
    needsElements = conversion.to.isElementNonNull
    nested = NestedConverter(conversion, from: old, to: new, enumValues)
    lostCounts = []
    let fromElement = conversion.from.type.innermost
    guard case .enumeration(let id) = fromElement else { return }
    let names = enumValues?[Int(id.index)] ?? old[id].values
    lostCounts = Array(repeating: 0, count: names.count)
    guard case .enumeration(let newID) = conversion.to.type.innermost else { return }
    let wanted = new[newID].values
    codes = names.map { name in wanted.firstIndex(of: name) }
  }

  /// By old code of an enum: how many values were lost.
  var lostCodes: [Int] { nested?.lostCodes ?? lostCounts }

  static func form(_ type: ValueType, _ catalog: Catalog) -> (form: Form, isList: Bool) {
    switch type {
    case .scalar(let scalar): (.scalar(scalar), false)
    case .enumeration(let id): (.enumeration(catalog[id].values.map { Text($0) }), false)
    case .list(.list): (.nested, false)
    case .list(let element): (form(element, catalog).0, true)
    case .embedded, .entity, .null: (.scalar(.json), false)
    }
  }

  /// The cell of the new type; what it points to is valid until the next call.
  func convert(_ cell: Cell) -> Outcome {
    arena.removeAll()
    switch (isFromList, isToList) {
    case (false, false): return element(cell)
    case (false, true):
      if case .nested = from { return fromNested(cell) }
      switch element(cell) {
      case .exact(let element): return .exact(list([element]))
      case .inexact(let element): return .inexact(list([element]))
      case .lost: return .lost
      }
    case (true, false): return fromList(cell)
    case (true, true): return lists(cell)
    }
  }

  // MARK: - Lists

  private func forEachElement(_ cell: Cell, _ body: (Cell?) -> Void) {
    let count = Int(UInt32(truncatingIfNeeded: cell.high))
    guard count > 0, let start = UnsafeRawPointer(bitPattern: UInt(cell.low)) else { return }
    let width = isFromWide ? 16 : 8
    for index in 0..<count {
      let isValid = start.load(fromByteOffset: count * width + index, as: UInt8.self) != 0
      let low = start.loadUnaligned(fromByteOffset: index * width, as: UInt64.self)
      let high = isFromWide ? start.loadUnaligned(fromByteOffset: index * width + 8, as: UInt64.self) : 0
      body(isValid ? Cell(low: low, high: high) : nil)
    }
  }

  private func list(_ elements: [Cell?]) -> Cell {
    arena.list(count: elements.count, isWide: isToWide) { elements[$0] }
  }

  /// A list is inexact if an element is, or is lost; elements that must not be null are left out.
  private func lists(_ cell: Cell) -> Outcome {
    var elements: [Cell?] = []
    var isExact = true
    forEachElement(cell) { old in
      switch old.map({ element($0) }) {
      case .exact(let cell)?: elements.append(cell)
      case .inexact(let cell)?:
        isExact = false
        elements.append(cell)
      case .lost?, nil:
        if old != nil || needsElements { isExact = false }
        if !needsElements { elements.append(nil) }
      }
    }
    return isExact ? .exact(list(elements)) : .inexact(list(elements))
  }

  /// A list of lists as a list: one without elements, or of nulls, stays what it is; as JSON values all do. Other lists
  /// are no elements.
  private func fromNested(_ cell: Cell) -> Outcome {
    let isOfJSON = if case .scalar(.json) = to { true } else { false }
    return TextView(cell).withBytes { start, count in
      var scanner = JSONScanner(UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count))
      var elements: [Cell?] = []
      var isExact = true
      do throws(JSONScanner.Failure) {
        try scanner.beginArray()
        while try scanner.nextElement() {
          scanner.skipSpace()
          if scanner.peek() == .null {
            try scanner.scanNull()
            if needsElements { isExact = false } else { elements.append(nil) }
            continue
          }
          let first = scanner.position
          try scanner.skipValue()
          let text = UnsafeRawBufferPointer(start: start + first, count: scanner.position - first)
          guard isOfJSON, let element = arena.text(text, flags: TextView.escapeFlag) else { return .lost }
          elements.append(element)
        }
      } catch {
        return .lost
      }
      return isExact ? .exact(list(elements)) : .inexact(list(elements))
    }
  }

  private func fromList(_ cell: Cell) -> Outcome {
    if case .scalar(.json) = to { return listAsJSON(cell) }
    var elements: [Cell?] = []
    forEachElement(cell) { elements.append($0) }
    guard elements.count == 1, let only = elements[0] else { return .lost }
    return element(only)
  }

  private func listAsJSON(_ cell: Cell) -> Outcome {
    scratch.removeAll()
    scratch.append(UInt8(ascii: "["))
    var isFirst = true
    forEachElement(cell) { element in
      if !isFirst { scratch.append(UInt8(ascii: ",")) }
      isFirst = false
      if let element { Self.write(element, from, asJSON: true, into: &scratch) } else { scratch.append("null") }
    }
    scratch.append(UInt8(ascii: "]"))
    return scratch.withUnsafeBytes { arena.text($0, flags: TextView.escapeFlag) }.map { .exact($0) } ?? .lost
  }

  // MARK: - Scalars

  private func element(_ cell: Cell) -> Outcome {
    switch (from, to) {
    case (.nested, .scalar(.json)): return .exact(cell)
    case (.nested, _), (_, .nested): return nested.map { lists(cell, $0) } ?? .lost
    case (.enumeration, .enumeration):
      let code = Int(cell.low)
      if let new = codes.indices.contains(code) ? codes[code] : nil { return .exact(Cell(low: UInt64(new))) }
      noteLost(cell)
      return .lost
    case (.scalar(let from), .scalar(let to)):
      if from == to { return .exact(cell) }
      if from.isNumeric && to.isNumeric { return number(cell, from, to) }
      if from == .date && to == .dateTime { return .exact(Cell(cell.int &* CivilTime.microsecondsPerDay)) }
      if from == .dateTime && to == .date {
        let day = CivilTime.writtenDate(ofDateTime: cell.int)
        return day &* CivilTime.microsecondsPerDay == cell.int ? .exact(Cell(day)) : .inexact(Cell(day))
      }
    case (.scalar, .enumeration), (.enumeration, .scalar): break
    }
    return throughText(cell)
  }

  private func lists(_ cell: Cell, _ nested: NestedConverter) -> Outcome {
    scratch.removeAll()
    let isExact = TextView(cell).withBytes { nested.convert(UnsafeRawBufferPointer(start: $0, count: $1), &scratch) }
    guard let isExact, let new = scratch.withUnsafeBytes({ arena.text($0, flags: TextView.escapeFlag) }) else {
      return .lost
    }
    return isExact ? .exact(new) : .inexact(new)
  }

  private func noteLost(_ cell: Cell) {
    // Other values are no codes, and those below zero no index.
    guard case .enumeration = from else { return }
    let code = Int(cell.low)
    if lostCounts.indices.contains(code) { lostCounts[code] += 1 }
  }

  private func number(_ cell: Cell, _ from: ScalarType, _ to: ScalarType) -> Outcome {
    func outcome(_ cell: Cell, _ isExact: Bool) -> Outcome { isExact ? .exact(cell) : .inexact(cell) }
    switch (from, to) {
    case (.int, .float):
      let value = Double(cell.int)
      return outcome(Cell(value), Int64(exactly: value) == cell.int)
    case (.int, .decimal): return .exact(Cell(Decimal(cell.int)))
    case (.float, .int):
      let rounded = cell.double.rounded(.toNearestOrAwayFromZero)
      return Int64(exactly: rounded).map { outcome(Cell($0), rounded == cell.double) } ?? .lost
    case (.float, .decimal): return ScalarCells.cell(.decimal, real: cell.double).map { .exact($0) } ?? .lost
    case (.decimal, .int):
      let value = cell.decimal
      if let exact = value.int64Value { return .exact(Cell(exact)) }
      return value.rounded(to: 0)?.int64Value.map { .inexact(Cell($0)) } ?? .lost
    case (.decimal, .float):
      let value = cell.decimal
      let near = value.doubleValue
      return near.isFinite ? outcome(Cell(near == 0 ? 0 : near), Decimal(shortest: near) == value) : .lost
    default: return .lost
    }
  }

  /// Writes the value as text and reads that as the new type.
  private func throughText(_ cell: Cell) -> Outcome {
    let asJSON = if case .scalar(.json) = to { true } else { false }
    if !asJSON && !isPossible {
      noteLost(cell)
      return .lost
    }
    scratch.removeAll()
    Self.write(cell, from, asJSON: asJSON, into: &scratch)
    if asJSON {
      return scratch.withUnsafeBytes { arena.text($0, flags: TextView.escapeFlag) }.map { .exact($0) } ?? .lost
    }
    let isFromJSON = if case .scalar(.json) = from { true } else { false }
    let read = scratch.withUnsafeBytes { isFromJSON ? readJSON($0) : self.read($0) }
    guard let read else {
      noteLost(cell)
      return .lost
    }
    other.removeAll()
    Self.write(read, to, asJSON: isFromJSON, into: &other)
    let isSame = scratch.withUnsafeBytes { first in other.withUnsafeBytes { compareBytes(first, $0) == 0 } }
    return isSame ? .exact(read) : .inexact(read)
  }

  /// Whether texts of the one type can be values of the other; an id is no time, and a number no truth.
  private var isPossible: Bool {
    switch (from, to) {
    case (.scalar(.json), _): true
    case (.scalar(.string), _), (.scalar(.cursor), _): true
    case (_, .scalar(.string)), (_, .scalar(.cursor)): true
    case (.scalar(.id), .scalar(let to)): to == .int || to == .uuid
    case (.scalar(let from), .scalar(.id)): from == .int || from == .uuid
    case (.scalar(.id), .enumeration), (.enumeration, .scalar(.id)): true
    default: false
    }
  }

  private func read(_ bytes: UnsafeRawBufferPointer) -> Cell? {
    let text = bytes.assumingMemoryBound(to: UInt8.self)
    switch to {
    case .nested: return nil
    case .enumeration(let names):
      return names.firstIndex { areEqual($0.bytes, bytes) }.map { Cell(low: UInt64($0)) }
    case .scalar(let scalar):
      switch scalar {
      case .string, .cursor: return arena.text(bytes)
      case .id:
        // A number's digits are an id that prints as a number.
        if case .scalar(.int) = from { return arena.text(bytes, flags: TextView.numberFlag) }
        return arena.text(bytes)
      case .uuid: return UUIDCodec.read(text).flatMap { $0.withUnsafeBytes { arena.text($0) } }
      case .bytes: return BytesCodec.read(text).flatMap { $0.withUnsafeBytes { arena.text($0) } }
      default: return ScalarCells.cell(scalar, text: text)
      }
    }
  }

  /// Returns the value that a JSON text within a list stands for; valid until the next call.
  fileprivate func cell(json bytes: UnsafeRawBufferPointer) -> Cell? {
    arena.removeAll()
    if case .scalar(.json) = to { return arena.text(bytes, flags: TextView.escapeFlag) }
    return readJSON(bytes)
  }

  /// The new type's value that a JSON text stands for in data.
  private func readJSON(_ bytes: UnsafeRawBufferPointer) -> Cell? {
    var scanner = JSONScanner(bytes)
    switch scanner.peek() {
    case .string:
      var decoded = ByteBuffer()
      guard let text = try? scanner.scanString(&decoded) else { return nil }
      if case .scalar(let scalar) = to, !scalar.codec.isString { return ScalarCells.cell(scalar, quoted: text.bytes) }
      return read(UnsafeRawBufferPointer(text.bytes))
    case .number:
      guard case .scalar(let scalar) = to, let number = try? scanner.scanNumber() else { return nil }
      return ScalarCells.cell(scalar, number: number)
    case .boolean:
      guard case .scalar(.boolean) = to else { return nil }
      return read(bytes)
    default: return nil
    }
  }

  /// The value as data writes it, without the quotes unless it is `asJSON`.
  static func write(_ cell: Cell, _ form: Form, asJSON: Bool, into buffer: inout ByteBuffer) {
    switch form {
    case .nested: TextView(cell).withBytes { buffer.append($0, $1) }
    case .enumeration(let names):
      let code = Int(cell.low)
      guard names.indices.contains(code) else { return }
      if asJSON { buffer.append(json: names[code]) } else { buffer.append(utf8: names[code]) }
    case .scalar(let scalar): ScalarCells.write(cell, scalar, asJSON: asJSON, into: &buffer)
    }
  }
}

/// Lists of lists as lists of lists of other elements. Both lie as JSON.
private final class NestedConverter {
  /// From JSON to the old elements, and from these to the new ones.
  private let reader: CellConverter
  private let converter: CellConverter
  private let form: CellConverter.Form
  /// By level, the outermost first: whether elements must not be null.
  private let needsElements: [Bool]
  private var isExact = true

  /// Nil where there are no lists of lists on both sides, or they are not equally deep.
  init?(_ conversion: CatalogMapping.Conversion, from old: Catalog, to new: Catalog, _ enumValues: [[String]]?) {
    let (from, to) = (conversion.from.type, conversion.to.type)
    let depth = Self.depth(to)
    guard depth > 1, Self.depth(from) == depth else { return nil }
    reader = CellConverter(
      CatalogMapping.Conversion(from: TypeSignature(.json), to: TypeSignature(from.innermost)), from: old, to: old)
    converter = CellConverter(
      CatalogMapping.Conversion(from: TypeSignature(from.innermost), to: TypeSignature(to.innermost)),
      from: old, to: new, enumValues)
    form = CellConverter.form(to.innermost, new).form
    let levels = [conversion.to.isElementNonNull] + conversion.to.innerNonNull
    needsElements = (0..<depth).map { levels.indices.contains($0) && levels[$0] }
  }

  var lostCodes: [Int] { converter.lostCodes }

  private static func depth(_ type: ValueType) -> Int {
    if case .list(let element) = type { 1 + depth(element) } else { 0 }
  }

  /// Writes the new list. Returns whether it has all that the old one had; nil where the old one cannot be read.
  func convert(_ bytes: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer) -> Bool? {
    isExact = true
    var scanner = JSONScanner(bytes)
    do throws(JSONScanner.Failure) {
      try list(&scanner, bytes, 0, &buffer)
    } catch {
      return nil
    }
    return isExact
  }

  /// Elements that are lost are null, as they are in other lists; where they must not be null they are left out.
  private func list(
    _ scanner: inout JSONScanner, _ bytes: UnsafeRawBufferPointer, _ level: Int, _ buffer: inout ByteBuffer
  ) throws(JSONScanner.Failure) {
    try scanner.beginArray()
    buffer.append(0x5B)
    var isFirst = true
    while try scanner.nextElement() {
      scanner.skipSpace()
      let isNull = scanner.peek() == .null
      var found: Cell?
      if isNull {
        try scanner.scanNull()
      } else if level + 1 == needsElements.count {
        let first = scanner.position
        try scanner.skipValue()
        found = element(UnsafeRawBufferPointer(rebasing: bytes[first..<scanner.position]))
      }
      let isList = !isNull && level + 1 < needsElements.count
      if !isList, found == nil, needsElements[level] {
        isExact = false
        continue
      }
      if !isFirst { buffer.append(0x2C) }
      isFirst = false
      if isList {
        try list(&scanner, bytes, level + 1, &buffer)
      } else if let found {
        CellConverter.write(found, form, asJSON: true, into: &buffer)
      } else {
        buffer.append("null")
      }
    }
    buffer.append(0x5D)
  }

  private func element(_ bytes: UnsafeRawBufferPointer) -> Cell? {
    switch reader.cell(json: bytes).map({ converter.convert($0) }) {
    case .exact(let cell)?: return cell
    case .inexact(let cell)?:
      isExact = false
      return cell
    case .lost?, nil:
      isExact = false
      return nil
    }
  }
}

private func areEqual(_ name: ContiguousArray<UInt8>, _ bytes: UnsafeRawBufferPointer) -> Bool {
  name.count == bytes.count && name.elementsEqual(bytes)
}

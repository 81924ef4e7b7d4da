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
  /// Of lists of lists of an enum: the new names by the old ones.
  private var renamed: [Text: Text] = [:]
  /// By old code of an enum: how many values were lost.
  private(set) var lostCodes: [Int]
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
    lostCodes = []
    let fromElement = conversion.from.type.innermost
    guard case .enumeration(let id) = fromElement else { return }
    let names = enumValues?[Int(id.index)] ?? old[id].values
    lostCodes = Array(repeating: 0, count: names.count)
    guard case .enumeration(let newID) = conversion.to.type.innermost else { return }
    let wanted = new[newID].values
    codes = names.map { name in wanted.firstIndex(of: name) }
    // Lists of lists hold the names themselves.
    guard case (.nested, .nested) = (from, to), conversion.from.isElementNonNull == conversion.to.isElementNonNull,
      conversion.from.innerNonNull == conversion.to.innerNonNull
    else { return }
    for (name, code) in zip(old[id].values, codes) {
      if let code { renamed[Text(name)] = Text(wanted[code]) }
    }
  }

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
    case (.nested, .nested) where !renamed.isEmpty: return renaming(cell)
    case (.nested, _), (_, .nested): return .lost
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

  /// A list of lists, with the new names of an enum's values in it. Names are texts of JSON without escapes.
  private func renaming(_ cell: Cell) -> Outcome {
    scratch.removeAll()
    let isWhole = TextView(cell).withBytes { start, count in
      let bytes = UnsafeRawBufferPointer(start: start, count: count)
      var place = 0
      while place < count {
        scratch.append(bytes[place])
        place += 1
        guard bytes[place - 1] == UInt8(ascii: "\"") else { continue }
        let end = bytes[place...].firstIndex(of: UInt8(ascii: "\"")) ?? count
        guard let name = renamed[Text(bytes[place..<end])], end < count else { return false }
        scratch.append(utf8: name)
        scratch.append(UInt8(ascii: "\""))
        place = end + 1
      }
      return true
    }
    guard isWhole else { return .lost }
    return scratch.withUnsafeBytes { arena.text($0, flags: TextView.escapeFlag) }.map { .exact($0) } ?? .lost
  }

  private func noteLost(_ cell: Cell) {
    // Other values are no codes, and those below zero no index.
    guard case .enumeration = from else { return }
    let code = Int(cell.low)
    if lostCodes.indices.contains(code) { lostCodes[code] += 1 }
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

private func areEqual(_ name: ContiguousArray<UInt8>, _ bytes: UnsafeRawBufferPointer) -> Bool {
  name.count == bytes.count && name.elementsEqual(bytes)
}

import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

extension RecordReader {
  /// A column of a CSV file: the field that it is, and its path of embedded objects.
  struct CSVColumn {
    var slot: RecordLayout.Slot
    /// Holds the place in the type's slots of the field, or of the embedded object that it lies in.
    var place: Int
    /// Further fields of the same source.
    var others: [(slot: RecordLayout.Slot, place: Int)] = []
    var presences: [Int]
  }

  /// Finds the fields that the names of a CSV file's first line mean: `name`, `address.city`.
  func csvColumns(_ header: CSVHeader, _ type: EntityTypeID) throws(RecordFailure) -> [CSVColumn] {
    let layout = layouts[Int(type.index)]
    var columns: [CSVColumn] = []
    var known = CSVFields(layout.slots)
    // By field: the path of the places of embedded objects to it. Two names may mean one.
    var used: Set<[Int]> = []
    for column in header.columns {
      let (start, end) = (column.range.lowerBound, column.range.upperBound)
      guard let (found, path) = known.find(column) else {
        if column.isRepeated {
          throw RecordFailure(.repeatedField, "the column '\(column.written)' is there twice", at: start, to: end)
        }
        throw RecordFailure(unknownField: column.written, of: layout.name, near: layout.slots, at: start, to: end)
      }
      guard used.insert(path).inserted else {
        throw RecordFailure(
          .repeatedField, "'\(layout.name).\(found.slot.name.string)' is given twice", at: start, to: end)
      }
      if case .embedded = found.slot.target {
        throw RecordFailure(
          .wrongType, "'\(layout.name).\(column.written)' is an object: name its fields, as '\(column.written).city'",
          at: start, to: end)
      }
      columns.append(found)
    }
    return columns
  }

  /// Reads a line of a CSV file as a record.
  mutating func readLine(
    _ fields: UnsafeBufferPointer<CSVReader.Field>, _ columns: [CSVColumn], _ type: EntityTypeID,
    _ bytes: UnsafeBufferPointer<UInt8>
  ) throws(RecordFailure) {
    let layout = layouts[Int(type.index)]
    let start = fields.first?.start ?? 0
    let end = fields.last?.end ?? start
    guard fields.count == columns.count else {
      throw RecordFailure(
        .raggedLine,
        "this line has \(fields.count) field\(fields.count == 1 ? "" : "s"), the first line has \(columns.count)",
        at: start, to: end)
    }
    let record = beginRow(type, start: start, end: end)
    let base = stage.records[record].base
    var isGiven = [Bool](repeating: false, count: layout.slots.count)
    for (field, column) in zip(fields, columns) where !field.isAbsent {
      for presence in column.presences { stage.set(base + presence, Cell(low: 1)) }
      for (slot, place) in CollectionOfOne((column.slot, column.place)) + column.others
      where !Self.isNull(field, slot, bytes) {
        if column.presences.isEmpty { isGiven[place] = true }
        try readField(field, slot, bytes, base: base, record: record, owner: layout.name)
      }
    }
    for place in layout.slots.indices where !isGiven[place] {
      complete(layout.slots[place], base: base, record: record, owner: layout.name)
    }
    for column in layout.keyColumns where !stage.valid[base + column] && !layout.numbersRows {
      throw RecordFailure(.missingID, "this '\(layout.name)' has no id", at: start, to: end)
    }
    if let missing {
      throw RecordFailure(
        .missingValue, "'\(missing)' is non-null and has no value", at: start, to: end)
    }
  }

  /// Returns whether a field says `NULL` or `NA` where numbers, truth values or times are wanted.
  static func isNull(
    _ field: CSVReader.Field, _ slot: RecordLayout.Slot, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard !field.isQuoted, field.end - field.start <= 4, bytes[field.start] == UInt8(ascii: "N"),
      case .scalar(let scalar, _) = slot.target
    else { return false }
    switch scalar {
    case .int, .float, .decimal, .boolean, .date, .dateTime, .duration:
      return CSVWords.isNull(UnsafeBufferPointer(rebasing: bytes[field.start..<field.end]))
    case .string, .id, .cursor, .uuid, .bytes, .json: return false
    }
  }

  /// Applies the default of a field that the line leaves empty; of an embedded object that it names in part, of each
  /// field that it leaves empty.
  private mutating func complete(_ slot: RecordLayout.Slot, base: Int, record: Int, owner: String) {
    guard case .embedded(let presence, let fields) = slot.target, stage.valid[base + presence] else {
      applyDefault(slot, base: base, record: record, owner: owner)
      return
    }
    for field in fields {
      if let column = field.target.column, stage.valid[base + column] { continue }
      complete(field, base: base, record: record, owner: slot.path)
    }
  }

  mutating func readField(
    _ field: CSVReader.Field, _ slot: RecordLayout.Slot, _ bytes: UnsafeBufferPointer<UInt8>, base: Int, record: Int,
    owner: String
  ) throws(RecordFailure) {
    let text = field.text(of: bytes, in: arena)
    func wrong(_ problem: LoadProblem = .wrongType) -> RecordFailure {
      if UTF8Validation.firstError(text) != nil { return RecordFailure(notUTF8In: field.start..<field.end) }
      if text.count > TextView.maximumLength {
        return RecordFailure(tooLong: "\(owner).\(slot.name.string)", in: field.start..<field.end)
      }
      let shown = String(decoding: text.prefix(60), as: UTF8.self)
      return RecordFailure(
        problem, "'\(owner).\(slot.name.string)' is \(slot.typeName), not '\(shown)'", at: field.start, to: field.end)
    }
    switch slot.target {
    case .scalar(let scalar, let column):
      guard let cell = csvCell(text, scalar) else {
        throw wrong(LoadProblem(scalar.fault(of: text, isQuoted: false)))
      }
      stage.set(base + column, cell)
    case .enumeration(let names, let column):
      guard let code = names.firstIndex(where: { $0.bytes.elementsEqual(text) }) else {
        throw wrong(.unknownEnumValue)
      }
      stage.set(base + column, Cell(low: UInt64(code)))
    case .relation(_, _, isToMany: true) where Self.isList(text):
      var scanner = JSONScanner(text)
      do {
        try readValue(slot, &scanner, offset: field.start, base: base, record: record, owner: owner)
        try scanner.finish()
      } catch let failure as RecordFailure {
        throw failure
      } catch {
        throw wrong()
      }
    case .relation(let relation, let target, let isToMany):
      let key = layouts[Int(target.index)].keyTarget
      let isLinkable = layouts[Int(target.index)].keyColumns.count == 1 || layouts[Int(target.index)].isAbstract
      guard isLinkable, case .scalar(let scalar, _) = key else { throw wrong() }
      var rest = text
      while true {
        var end = rest.count
        if isToMany, let separator = rest.firstIndex(of: 0x3B) { end = separator }
        let part = UnsafeBufferPointer(rebasing: rest[0..<end])
        if !part.isEmpty {
          guard let cell = csvCell(part, scalar) else {
            throw wrong(LoadProblem(scalar.fault(of: part, isQuoted: false)))
          }
          stage.link(record, relation, to: .key(cell, at: stage.records[record].origin))
        }
        if end >= rest.count { break }
        rest = UnsafeBufferPointer(rebasing: rest[(end + 1)...])
      }
    case .computed:
      throw RecordFailure(
        .unknownField, "'\(owner).\(slot.name.string)' is computed, so data cannot give it", at: field.start,
        to: field.end)
    case .nested(let element, let nonNull, let column):
      var scanner = JSONScanner(text)
      try checkNested(element, nonNull[...], slot, &scanner, offset: field.start, owner: owner)
      guard scanner.peek() == .end else { throw wrong() }
      stage.set(base + column, jsonCell(scanner, from: 0))
    case .list, .json:
      // Lists and JSON values stand in CSV as JSON text.
      var scanner = JSONScanner(text)
      do {
        if case .list(let element, let isWide, let column, let elementNonNull) = slot.target {
          let cell = try readList(
            element, isWide: isWide, elementNonNull: elementNonNull, slot, &scanner, offset: field.start, owner: owner)
          stage.set(base + column, cell)
        } else if case .json(let column) = slot.target {
          scanner.skipSpace()
          let start = scanner.position
          try scanner.skipValue()
          stage.set(base + column, jsonCell(scanner, from: start))
        }
        try scanner.finish()
      } catch let failure as RecordFailure {
        throw failure
      } catch {
        throw wrong()
      }
    case .embedded: throw wrong()
    }
  }

  /// Returns whether a field of many links, or of embedded objects, is a JSON list: other texts are ids.
  private static func isList(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "[")
  }

  /// Returns the cell of a scalar as CSV writes it: text without quotes.
  mutating func csvCell(_ text: UnsafeBufferPointer<UInt8>, _ scalar: ScalarType) -> Cell? {
    switch scalar {
    case .json:
      guard JSONCodec.read(text) != nil else { return nil }
      return jsonCell(text)
    case .id, .string, .cursor:
      guard let start = text.baseAddress else { return TextView(word0: 0, word1: 0).cell }
      guard text.count <= TextView.maximumLength, StringCodec.read(text) != nil else { return nil }
      let flags = scalar == .id && IDCodec.isNumber(text) ? TextView.numberFlag : TextView.escapeFlag
      return TextView(start, count: text.count, flags: flags).cell
    case .uuid, .bytes:
      guard let start = text.baseAddress else { return scalar == .bytes ? TextView(word0: 0, word1: 0).cell : nil }
      return textCell(JSONText(unscanned: text, at: start), scalar)
    case .int, .float, .decimal, .boolean, .dateTime, .date, .duration: return ScalarCells.cell(scalar, text: text)
    }
  }
}

/// A table of the fields that names of columns lead to.
private struct CSVFields {
  private let slots: [RecordLayout.Slot]
  // By the embedded object that they lie in, -1 for the record: finding each of many columns one by one takes long.
  private var known: [Int: [Text: Int]] = [:]

  init(_ slots: [RecordLayout.Slot]) { self.slots = slots }

  /// Returns the field of a column, and the path to it: the field of its whole name, or that of its path through
  /// embedded objects.
  mutating func find(_ column: CSVHeader.Column) -> (RecordReader.CSVColumn, path: [Int])? {
    if let whole = find([column.name]) { return whole }
    if column.path.count > 1 { return find(column.path) }
    // A schema may have names in data for which a path without one is not assumed.
    if column.isRepeated { return nil }
    let parts = column.written.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 ? find(parts.map { Text(String($0)) }) : nil
  }

  private mutating func find(_ path: [Text]) -> (RecordReader.CSVColumn, path: [Int])? {
    var slots = slots
    var passed: [Int] = []
    var presences: [Int] = []
    var found: RecordLayout.Slot?
    var top: Int?
    for part in path {
      if let outer = found {
        guard case .embedded(let presence, let fields) = outer.target else { return nil }
        presences.append(presence)
        slots = fields
      }
      let owner = presences.last ?? -1
      if known[owner] == nil {
        var places = Dictionary(slots.indices.map { (slots[$0].source, $0) }) { first, _ in first }
        for index in slots.indices where places[slots[index].name] == nil { places[slots[index].name] = index }
        known[owner] = places
      }
      guard let place = known[owner]?[part] else { return nil }
      found = slots[place]
      passed.append(place)
      if top == nil { top = place }
    }
    guard let slot = found, let top else { return nil }
    var column = RecordReader.CSVColumn(slot: slot, place: top, presences: presences)
    var next = slot.next
    while let place = next {
      column.others.append((slots[place], place))
      next = slots[place].next
    }
    return (column, passed)
  }
}

/// A namespace of the words that a CSV file has for no value.
enum CSVWords {
  /// Returns whether a text says that there is no value.
  static func isNull(_ text: UnsafeBufferPointer<UInt8>) -> Bool { text.equals("NULL") || text.equals("NA") }
}

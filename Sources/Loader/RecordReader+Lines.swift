import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Lines of CSV files, column by column.
extension RecordReader {
  /// A value for lines that leave a field empty.
  private struct Absence {
    var slot: RecordLayout.Slot
    var cell: Cell?
    /// Indicates whether such a line is refused.
    var isRefused = false
    /// See ``EntityStage/Origin/lacksLink``.
    var lacksLink = false
  }

  /// Reads lines into an empty stage, up to one that is refused: reading it as a record says why. Returns how many
  /// lines were read.
  ///
  /// Precondition: embedded objects in which columns lie are plain.
  mutating func readLines(
    _ lines: CSVLines, _ columns: [CSVColumn], into stage: EntityStage, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Int {
    guard lines.count > 0 else { return 0 }
    let layout = layouts[stage.layout]
    _ = stage.add(lines.count)
    for line in 0..<lines.count {
      let last = lines.field(line, columns.count - 1)
      stage.origins[line] = EntityStage.Origin(start: lines.field(line, 0).start, end: last.end, lacksLink: false)
    }
    let isASCII = ByteWord.isASCII(UnsafeBufferPointer(rebasing: bytes[lines.range]))
    var isThere = [Bool](repeating: false, count: layout.slots.count)
    for column in columns {
      isThere[column.place] = true
      for other in column.others { isThere[other.place] = true }
    }
    var limit = leaveOut({ isThere[$0] }, of: layout, lines.count, stage)
    for index in columns.indices where limit > 0 {
      let isInner = !columns[index].presences.isEmpty
      limit = readColumn(
        index, columns[index].slot, lines, limit, into: stage, bytes, isASCII: isASCII, isInner: isInner)
      for other in columns[index].others {
        limit = readColumn(index, other.slot, lines, limit, into: stage, bytes, isASCII: isASCII, isInner: isInner)
      }
    }
    limit = readPresences(columns, lines, limit, into: stage)
    for column in layout.keyColumns where !layout.numbersRows {
      let valid = stage.valid(column)
      limit = (0..<limit).first { !valid[$0] } ?? limit
    }
    if limit < lines.count { stage.truncate(to: limit) }
    return limit
  }

  /// Notes which embedded objects are there: those of which a line names a field. Returns the first line that lacks a
  /// field which must have a value, or `limit`.
  private func readPresences(
    _ columns: [CSVColumn], _ lines: CSVLines, _ limit: Int, into target: EntityStage
  ) -> Int {
    if columns.allSatisfy(\.presences.isEmpty) { return limit }
    let slots = layouts[target.layout].slots
    for presence in Set(columns.flatMap(\.presences)) {
      target.cells(presence).update(repeating: Cell(low: 0), count: limit)
      target.valid(presence).update(repeating: false, count: limit)
    }
    for (index, column) in columns.enumerated() {
      for presence in column.presences {
        let (cells, valid, given) = (target.cells(presence), target.valid(presence), target.given(presence))
        for line in 0..<limit where !lines.field(line, index).isAbsent {
          cells[line] = Cell(low: 1)
          valid[line] = true
          given[line] = true
        }
      }
    }
    var limit = limit
    for place in Set(columns.filter { !$0.presences.isEmpty }.map(\.place)) {
      limit = Self.firstIncomplete(slots[place], isRequired: nil, limit, in: target)
    }
    return limit
  }

  /// Returns the first line below `limit` where a field has no value that must have one, or `limit`.
  ///
  /// - Parameter isRequired: The column of presence of the object around; nil for a record.
  private static func firstIncomplete(
    _ slot: RecordLayout.Slot, isRequired outer: Int?, _ limit: Int, in target: EntityStage
  ) -> Int {
    let column: Int
    var limit = limit
    switch slot.target {
    case .scalar(_, let own), .enumeration(_, let own), .json(let own), .nested(_, _, let own), .list(_, _, let own, _):
      column = own
    case .embedded(let presence, let fields):
      column = presence
      for field in fields { limit = firstIncomplete(field, isRequired: presence, limit, in: target) }
    case .relation, .computed: return limit
    }
    guard slot.isNonNull else { return limit }
    let valid = target.valid(column)
    guard let outer else { return (0..<limit).first { !valid[$0] } ?? limit }
    let isThere = target.valid(outer)
    return (0..<limit).first { isThere[$0] && !valid[$0] } ?? limit
  }

  /// Fills the columns of the fields that the file does not have. Returns how many lines are not refused for that: all or none.
  mutating func leaveOut(
    _ isThere: (Int) -> Bool, of layout: RecordLayout, _ count: Int, _ target: EntityStage
  ) -> Int {
    stage.removeAll()
    let record = beginRow(layout.type)
    for place in layout.slots.indices where !isThere(place) {
      applyDefault(layout.slots[place], base: 0, record: record, owner: layout.name)
    }
    for column in 0..<layout.columnCount {
      target.cells(column).initialize(repeating: stage.cells[column], count: count)
      target.valid(column).initialize(repeating: stage.valid[column], count: count)
      target.given(column).initialize(repeating: stage.given[column], count: count)
    }
    if stage.records[record].isIncomplete { for line in 0..<count { target.origins[line].lacksLink = true } }
    return missing == nil ? count : 0
  }

  private mutating func absence(
    of slot: RecordLayout.Slot, column: Int?, _ layout: RecordLayout, isInner: Bool
  ) -> Absence {
    // Whether a field of an embedded object must have a value depends on whether the object is there.
    if isInner { return Absence(slot: slot, cell: nil) }
    stage.removeAll()
    let record = beginRow(layout.type)
    applyDefault(slot, base: 0, record: record, owner: layout.name)
    return Absence(
      slot: slot, cell: column.flatMap { stage.valid[$0] ? stage.cells[$0] : nil },
      isRefused: missing != nil, lacksLink: stage.records[record].isIncomplete)
  }

  /// Reads a column of lines below `limit`. Returns the first line that is refused, or `limit`.
  private mutating func readColumn(
    _ index: Int, _ slot: RecordLayout.Slot, _ lines: CSVLines, _ limit: Int, into target: EntityStage,
    _ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool, isInner: Bool
  ) -> Int {
    let layout = layouts[target.layout]
    switch slot.target {
    case .scalar(let scalar, let column):
      let absence = absence(of: slot, column: column, layout, isInner: isInner)
      return readScalars(scalar, index, lines, limit, into: target, column, absence, bytes, isASCII: isASCII)
    case .enumeration(let names, let column):
      let absence = absence(of: slot, column: column, layout, isInner: isInner)
      return Self.fill(column, of: target, index, lines, limit, absence, bytes) { [arena] field in
        let text = field.text(of: bytes, in: arena)
        return names.firstIndex { $0.count == text.count && $0.bytes.elementsEqual(text) }.map { Cell(low: UInt64($0)) }
      }
    case .relation(let relation, let type, isToMany: false):
      let other = layouts[Int(type.index)]
      guard other.keyColumns.count == 1 || other.isAbstract, case .scalar(let scalar, _) = other.keyTarget else {
        break
      }
      return readKeys(
        scalar, target.place(of: relation), index, lines, limit, into: target,
        absence(of: slot, column: nil, layout, isInner: isInner), bytes, isASCII: isASCII)
    case .list(_, _, let column, _), .nested(_, _, let column), .json(let column):
      return readFields(slot, column: column, index, lines, limit, into: target, bytes, isInner: isInner)
    case .relation, .embedded, .computed: break
    }
    return readFields(slot, column: nil, index, lines, limit, into: target, bytes, isInner: isInner)
  }

  /// Fills a column with cells; nil refuses the line.
  @inline(__always)
  private static func fill(
    _ column: Int, of target: EntityStage, _ index: Int, _ lines: CSVLines, _ limit: Int, _ absence: Absence,
    _ bytes: UnsafeBufferPointer<UInt8>, _ cell: (CSVReader.Field) -> Cell?
  ) -> Int {
    let cells = target.cells(column)
    let valid = target.valid(column)
    let given = target.given(column)
    for line in 0..<limit {
      let field = lines.field(line, index)
      if !field.isAbsent, let cell = cell(field) {
        cells[line] = cell
        valid[line] = true
        given[line] = true
        continue
      }
      guard !absence.isRefused, field.isAbsent || isNull(field, absence.slot, bytes) else { return line }
      cells[line] = absence.cell ?? Cell(low: 0)
      valid[line] = absence.cell != nil
    }
    return limit
  }

  private mutating func readScalars(
    _ scalar: ScalarType, _ index: Int, _ lines: CSVLines, _ limit: Int,
    into target: EntityStage, _ column: Int, _ absence: Absence, _ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool
  ) -> Int {
    let text = FieldText(bytes)
    switch scalar {
    case .int:
      return Self.fill(column, of: target, index, lines, limit, absence, bytes) { field in
        text.int(field).map { Cell($0) } ?? otherCell(field, .int, bytes)
      }
    case .float:
      return Self.fill(column, of: target, index, lines, limit, absence, bytes) { field in
        text.double(field).map { Cell($0) } ?? otherCell(field, .float, bytes)
      }
    case .date:
      return Self.fill(column, of: target, index, lines, limit, absence, bytes) { field in
        text.date(field).map { Cell($0) } ?? otherCell(field, .date, bytes)
      }
    case .string, .id:
      return Self.fill(column, of: target, index, lines, limit, absence, bytes) { field in
        (isASCII ? text.cell(field, isID: scalar == .id) : nil) ?? otherCell(field, scalar, bytes)
      }
    default:
      return Self.fill(column, of: target, index, lines, limit, absence, bytes) { field in
        otherCell(field, scalar, bytes)
      }
    }
  }

  /// Returns the cell of a scalar that is not written in the usual form.
  @inline(never)
  private mutating func otherCell(
    _ field: CSVReader.Field, _ scalar: ScalarType, _ bytes: UnsafeBufferPointer<UInt8>
  ) -> Cell? {
    csvCell(field.text(of: bytes, in: arena), scalar)
  }

  /// Reads the keys of links.
  private mutating func readKeys(
    _ scalar: ScalarType, _ place: Int, _ index: Int, _ lines: CSVLines, _ limit: Int, into target: EntityStage,
    _ absence: Absence, _ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool
  ) -> Int {
    let text = FieldText(bytes)
    for line in 0..<limit {
      let field = lines.field(line, index)
      if field.isAbsent {
        if absence.isRefused { return line }
        if absence.lacksLink { target.origins[line].lacksLink = true }
        continue
      }
      // Quotes around nothing name no target.
      if field.count == 0 { continue }
      var cell: Cell?
      switch scalar {
      case .id, .string: if isASCII { cell = text.cell(field, isID: scalar == .id) }
      case .int: cell = text.int(field).map { Cell($0) }
      default: break
      }
      guard let key = cell ?? otherCell(field, scalar, bytes) else { return line }
      target.link(place, line, key)
    }
    return limit
  }

  /// Reads fields one by one: lists, JSON, and links to many.
  private mutating func readFields(
    _ slot: RecordLayout.Slot, column: Int?, _ index: Int, _ lines: CSVLines, _ limit: Int, into target: EntityStage,
    _ bytes: UnsafeBufferPointer<UInt8>, isInner: Bool
  ) -> Int {
    let layout = layouts[target.layout]
    let absence = absence(of: slot, column: column, layout, isInner: isInner)
    stage.removeAll()
    let record = beginRow(layout.type)
    for line in 0..<limit {
      let field = lines.field(line, index)
      if field.isAbsent {
        if absence.isRefused { return line }
        if absence.lacksLink { target.origins[line].lacksLink = true }
        if let column {
          target.cells(column)[line] = absence.cell ?? Cell(low: 0)
          target.valid(column)[line] = absence.cell != nil
        }
        continue
      }
      stage.removeLinks()
      do throws(RecordFailure) {
        try readField(field, slot, bytes, base: 0, record: record, owner: layout.name)
      } catch {
        return line
      }
      if let column {
        target.cells(column)[line] = stage.cells[column]
        target.valid(column)[line] = true
        target.given(column)[line] = true
      }
      // An object with more than an id is a record of its own.
      guard target.link(line, as: stage) else { return line }
    }
    return limit
  }
}

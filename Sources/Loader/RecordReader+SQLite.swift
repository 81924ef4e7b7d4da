import CSQLite3
import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Rows of SQLite files, read into the columns of a stage.
extension RecordReader {
  /// A value of a row, and the column or relation that it goes to.
  struct RowColumn {
    /// Says how a value is read.
    enum Reading {
      case scalar(ScalarType)
      case enumeration([Text])
      /// As JSON: lists, values of JSON, links to many or to interfaces.
      case json
      /// The ids that a junction table has for the row.
      case links(Int)
    }

    let slot: RecordLayout.Slot
    let reading: Reading
    let output: SQLiteTableSource.Output
    /// Holds the statement that gives the value, and the number of the column there.
    let statement: OpaquePointer
    let number: Int32
    /// Holds the column of the stage; nil for a relation.
    let column: Int?
    let relation: RelationID?
  }

  /// An end of a run of rows.
  enum RowsEnd {
    /// There is room for no further row.
    case full
    /// There are no further rows.
    case end
    /// The row at which the reader stands is to be read as a record.
    case refused
  }

  /// Finds the fields that the values of rows go to; nil where rows are to be read as records.
  func rowColumns(_ rows: SQLiteTableReader, _ type: EntityTypeID) -> [RowColumn]? {
    let layout = layouts[Int(type.index)]
    if layout.isAbstract { return nil }
    var used: Set<Int> = []
    var columns: [RowColumn] = []
    func add(_ name: String, _ output: SQLiteTableSource.Output, links: Int?) -> Bool {
      let text = Text(name)
      var next =
        layout.slots.firstIndex { $0.source == text && !$0.isFollower } ?? layout.slots.firstIndex { $0.name == text }
      guard next != nil else { return false }
      while let place = next {
        let slot = layout.slots[place]
        guard used.insert(place).inserted, let found = rowColumn(slot, output, rows, links: links) else { return false }
        columns.append(found)
        next = slot.next
      }
      return true
    }
    for output in rows.outputs where !add(output.name, output, links: nil) { return nil }
    for (index, links) in rows.links.enumerated() {
      let output = SQLiteTableSource.Output(name: links.name, kind: .json, first: 0, count: 1)
      guard add(links.name, output, links: index) else { return nil }
    }
    return columns
  }

  private func rowColumn(
    _ slot: RecordLayout.Slot, _ output: SQLiteTableSource.Output, _ rows: SQLiteTableReader, links: Int?
  ) -> RowColumn? {
    let (statement, number) = rows.rows.place(output.first)
    func column(_ reading: RowColumn.Reading, _ column: Int?, _ relation: RelationID? = nil) -> RowColumn {
      RowColumn(
        slot: slot, reading: links.map { .links($0) } ?? reading, output: output, statement: statement, number: number,
        column: column, relation: relation)
    }
    switch slot.target {
    case .scalar(let scalar, let own):
      return column(Self.isDirect(output, scalar) ? .scalar(scalar) : .json, own)
    case .enumeration(let names, let own): return column(output.kind == .string ? .enumeration(names) : .json, own)
    case .json(let own), .nested(_, _, let own), .list(_, _, let own, _): return column(.json, own)
    case .relation(let relation, let target, isToMany: false):
      let other = layouts[Int(target.index)]
      guard !other.isAbstract, other.keyColumns.count == 1, case .scalar(let scalar, _) = other.keyTarget,
        Self.isDirect(output, scalar)
      else { return column(.json, nil, relation) }
      return column(.scalar(scalar), nil, relation)
    case .relation(let relation, _, _): return column(.json, nil, relation)
    case .embedded, .computed: return nil
    }
  }

  /// Returns whether values are read without JSON between: as they are kept, they are written for that scalar.
  private static func isDirect(_ output: SQLiteTableSource.Output, _ scalar: ScalarType) -> Bool {
    if output.isKey { return output.count == 1 && [.id, .int, .string, .uuid].contains(scalar) }
    return scalar != .json && output.kind == SQLiteRecords.kind(scalar)
  }

  /// Reads rows into an empty stage, up to one that is refused: reading it as a record says why.
  ///
  /// - Parameter first: The number of the first row.
  mutating func readRows(
    _ rows: SQLiteTableReader, _ columns: [RowColumn], from first: Int, into target: EntityStage
  ) throws(SQLiteConnection.Failure) -> (count: Int, end: RowsEnd) {
    let layout = layouts[target.layout]
    let most = EntityStage.mostRecords(columns: max(target.columnCount, columns.count))
    _ = target.add(most)
    for line in 0..<most {
      target.origins[line] = EntityStage.Origin(start: first + line, end: first + line + 1, lacksLink: false)
    }
    let isNamed = Self.namedPlaces(columns, layout)
    let isComplete = leaveOut({ isNamed[$0] }, of: layout, most, target) == most
    var count = 0
    var bytes = 0
    var end = RowsEnd.full
    reading: while count < most, bytes < Self.mostRowBytes {
      guard try rows.rows.next() else {
        end = .end
        break
      }
      guard isComplete else {
        end = .refused
        break
      }
      for column in columns {
        guard read(column, rows, count, into: target, &bytes) else {
          end = .refused
          break reading
        }
      }
      for column in layout.keyColumns where !target.valid(column)[count] && !layout.numbersRows {
        end = .refused
        break reading
      }
      count += 1
    }
    target.truncate(to: count)
    return (count, end)
  }

  /// Limits the bytes of texts that are copied before they are put into the transaction.
  private static let mostRowBytes = 1 << 20

  private static func namedPlaces(_ columns: [RowColumn], _ layout: RecordLayout) -> [Bool] {
    layout.slots.map { slot in columns.contains { $0.slot === slot } }
  }

  /// Reads a value; false refuses the row.
  @inline(__always)
  private mutating func read(
    _ column: RowColumn, _ rows: SQLiteTableReader, _ line: Int, into target: EntityStage, _ bytes: inout Int
  ) -> Bool {
    var found: Cell?
    switch column.reading {
    case .scalar(let scalar):
      let kind = sqlite3_column_type(column.statement, column.number)
      if kind == SQLITE_NULL { return !column.slot.isNonNull }
      found = rowCell(column, kind, scalar, &bytes)
    case .enumeration(let names):
      let kind = sqlite3_column_type(column.statement, column.number)
      if kind == SQLITE_NULL { return !column.slot.isNonNull }
      if kind == SQLITE_TEXT {
        found = rows.rows.withBytes(column.output.first) { text in
          names.firstIndex { $0.count == text.count && $0.bytes.elementsEqual(text) }.map { Cell(low: UInt64($0)) }
        }
      }
    case .json, .links: break
    }
    guard let cell = found else { return readJSON(column, rows, line, into: target, &bytes) }
    if let place = column.column {
      target.cells(place)[line] = cell
      target.valid(place)[line] = true
      target.given(place)[line] = true
    } else if let relation = column.relation {
      target.link(target.place(of: relation), line, cell)
    }
    return true
  }

  /// Returns the cell of a value as its type keeps it; nil for one that is to be read as JSON.
  @inline(__always)
  private mutating func rowCell(
    _ column: RowColumn, _ kind: Int32, _ scalar: ScalarType, _ bytes: inout Int
  ) -> Cell? {
    switch (kind, scalar) {
    case (SQLITE_INTEGER, .id):
      return numberText(sqlite3_column_int64(column.statement, column.number), flags: TextView.numberFlag)
    case (SQLITE_INTEGER, .string) where !column.output.isKey:
      return numberText(sqlite3_column_int64(column.statement, column.number), flags: 0)
    case (SQLITE_INTEGER, _):
      return ScalarCells.cell(scalar, integer: sqlite3_column_int64(column.statement, column.number))
    case (SQLITE_FLOAT, _):
      return ScalarCells.cell(scalar, real: sqlite3_column_double(column.statement, column.number))
    case (SQLITE_TEXT, _):
      // Asking for the count of a text may convert it to UTF-8, which frees what was given before.
      guard let start = sqlite3_column_text(column.statement, column.number) else { return nil }
      let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(column.statement, column.number)))
      switch scalar {
      case .string, .id, .cursor: return rowText(text, &bytes)
      case .uuid, .bytes:
        bytes &+= text.count
        return textCell(JSONText(unscanned: text, at: start), scalar)
      case .int, .float, .decimal, .boolean, .dateTime, .date, .duration, .json:
        return ScalarCells.cell(scalar, quoted: text)
      }
    case (SQLITE_BLOB, .bytes):
      let count = Int(sqlite3_column_bytes(column.statement, column.number))
      guard count <= TextView.maximumLength else { return nil }
      bytes &+= count
      let start = sqlite3_column_blob(column.statement, column.number)
      let copy = arena.copy(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
      return TextView(UnsafeRawPointer(copy), count: start == nil ? 0 : count, flags: 0).cell
    default: return nil
    }
  }

  /// Returns a text of digits.
  private func numberText(_ value: Int64, flags: UInt64) -> Cell {
    withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { digits in
      var rest = value.magnitude
      var start = 20
      repeat {
        start -= 1
        digits[start] = UInt8(truncatingIfNeeded: rest % 10) | 0x30
        rest /= 10
      } while rest > 0
      if value < 0 {
        start -= 1
        digits[start] = 0x2D
      }
      let text = UnsafeRawBufferPointer(rebasing: digits[start...])
      return TextView(UnsafeRawPointer(arena.copy(text)), count: text.count, flags: flags).cell
    }
  }

  /// Returns the cell of a text, which is copied; nil for one that is not UTF-8 or too long.
  @inline(__always)
  private func rowText(_ text: UnsafeBufferPointer<UInt8>, _ bytes: inout Int) -> Cell? {
    guard text.count <= TextView.maximumLength, let start = text.baseAddress else { return nil }
    var flags: UInt64 = 0
    var isASCII = true
    for byte in text {
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { flags = TextView.escapeFlag }
      if byte >= 0x80 { isASCII = false }
    }
    if !isASCII, UTF8Validation.firstError(text) != nil { return nil }
    if text.count <= TextView.inlineCapacity { return TextView(start, count: text.count, flags: flags).cell }
    bytes &+= text.count
    let copy = arena.copy(UnsafeRawBufferPointer(text))
    return TextView(UnsafeRawPointer(copy), count: text.count, flags: flags).cell
  }

  /// Reads a value by way of JSON; false refuses the row.
  @inline(never)
  private mutating func readJSON(
    _ column: RowColumn, _ rows: SQLiteTableReader, _ line: Int, into target: EntityStage, _ bytes: inout Int
  ) -> Bool {
    var written = ByteBuffer(capacity: 64)
    if case .links(let place) = column.reading {
      guard let ids = rows.ids(place) else { return true }
      written.append(ids)
    } else {
      rows.rows.write(column.output, into: &written)
    }
    bytes &+= written.count
    let count = written.count
    let start = arena.take(&written).assumingMemoryBound(to: UInt8.self)
    var scanner = JSONScanner(UnsafeBufferPointer(start: start, count: count))
    stage.removeAll()
    let layout = layouts[target.layout]
    let record = beginRow(layout.type)
    do throws(RecordFailure) {
      try readValue(column.slot, &scanner, offset: 0, base: 0, record: record, owner: layout.name)
    } catch {
      return false
    }
    if let place = column.column, stage.valid[place] {
      target.cells(place)[line] = stage.cells[place]
      target.valid(place)[line] = true
      target.given(place)[line] = stage.given[place]
    }
    // An object with more than an id is a record of its own.
    return target.link(line, as: stage)
  }
}

import GQLBase
import GQLCatalog

extension ChangeJSON {
  /// Calls with the JSON of each row change, in the order of types and rows.
  ///
  /// - Parameter versions: Those that the set leads from and to, of which the ids of entities are read.
  /// - Throws: where the set is not well-formed, or of another layout.
  package func forEachRow(
    of changes: ChangeSet, between versions: (before: Snapshot, after: Snapshot)? = nil,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(ChangeProblem) {
    let problem = changes.bytes.withUnsafeBytes { bytes -> ChangeProblem? in
      var writer = ChangeJSONWriter(self, bytes, versions)
      do throws(ChangeProblem) {
        try writer.run(body)
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw problem }
  }

  /// Appends a change set as a list of row changes.
  ///
  /// - Throws: where the set is not well-formed, or of another layout. Some of it is appended then.
  package func append(
    _ changes: ChangeSet, between versions: (before: Snapshot, after: Snapshot)? = nil, to output: inout ByteBuffer
  ) throws(ChangeProblem) {
    var rows = ByteBuffer()
    try forEachRow(of: changes, between: versions) { row in
      rows.append(rows.isEmpty ? 0x5B : 0x2C)
      rows.append(row)
    }
    if rows.isEmpty { rows.append(0x5B) }
    rows.append(0x5D)
    rows.withUnsafeBytes { output.append($0) }
  }
}

/// Writes the rows of one change set as JSON.
private struct ChangeJSONWriter: ~Copyable {
  private let coder: ChangeJSON
  private let versions: (before: Snapshot, after: Snapshot)?
  private var reader: ChangeReader
  private var output = ByteBuffer(capacity: 1024)
  private let scratch = ChangeScratch()
  private var words: ContiguousArray<UInt32> = []
  /// The type at hand.
  private var type = 0

  init(_ coder: ChangeJSON, _ bytes: UnsafeRawBufferPointer, _ versions: (before: Snapshot, after: Snapshot)?) {
    self.coder = coder
    self.versions = versions
    reader = ChangeReader(bytes)
  }

  private var layout: StoreLayout.TypeLayout { coder.layout.types[type] }

  mutating func run(_ body: (UnsafeRawBufferPointer) -> Void) throws(ChangeProblem) {
    while !reader.isAtEnd {
      guard let number = try reader.next() else { throw reader.malformed }
      guard number < coder.layout.types.count else { throw reader.otherLayout }
      type = number
      var next: UInt32 = 0
      while let row = try reader.row(after: next) {
        next = row + 1
        output.removeAll()
        try append(row, try reader.marks())
        scratch.reset()
        output.withUnsafeBytes { body($0) }
      }
    }
  }

  private mutating func append(_ row: UInt32, _ marks: RowChangeMarks) throws(ChangeProblem) {
    output.append("{\"type\":")
    output.append(json: coder.catalog.types[type].name)
    output.append(",\"row\":")
    output.append(uint: UInt64(row))
    appendID(type, row)
    let (kind, isDeleted) = RowChangeKind.of(marks.before, marks.after)
    output.append(",\"change\":")
    output.append(json: kind.rawValue)
    if isDeleted { output.append(",\"deleted\":true") }
    if marks.has(RowChangeMarks.erased) { output.append(",\"erased\":true") }
    if marks.has(RowChangeMarks.kept) { output.append(",\"kept\":true") }
    if marks.has(RowChangeMarks.fields) {
      output.append(",\"fields\":")
      try appendFields(marks)
    }
    if marks.has(RowChangeMarks.lists) {
      output.append(",\"lists\":")
      try appendLists()
    }
    if marks.has(RowChangeMarks.record) {
      output.append(",\"record\":")
      try appendBeforeAndAfter { (writer) throws(ChangeProblem) in writer.appendRecord() }
    }
    if marks.has(RowChangeMarks.suspended) {
      output.append(",\"suspended\":")
      try appendSuspended()
    }
    if marks.has(RowChangeMarks.waiting) {
      output.append(",\"waiting\":")
      try appendWaiting()
    }
    output.append(0x7D)
  }

  // MARK: - Parts

  /// Appends what opens an object at its first member, and what separates the others.
  private mutating func separate(_ isFirst: inout Bool) {
    output.append(isFirst ? 0x7B : 0x2C)
    isFirst = false
  }

  private mutating func append(key: String) {
    output.append(json: key)
    output.append(0x3A)
  }

  /// Appends the id of a row after a comma; nothing where none is known.
  private mutating func appendID(_ type: Int, _ row: UInt32) {
    guard let versions, !coder.keys[type].isEmpty else { return }
    for snapshot in [versions.after, versions.before] {
      let table = snapshot.tables[type]
      if table.status(row) == RowChangeStatus.void { continue }
      let start = output.count
      output.append(",\"id\":")
      if !appendKey(table, row) { output.truncate(to: start) }
      return
    }
  }

  private mutating func appendKey(_ table: Table, _ row: UInt32) -> Bool {
    let columns = coder.keys[Int(table.layout.id.index)]
    for (index, number) in columns.enumerated() {
      let column = table.columns[number]
      guard column.kind != .reference, !column.isNull(row) else { return false }
      if columns.count > 1 {
        output.append(index == 0 ? 0x7B : 0x2C)
        append(key: table.layout.columns[number].name)
      }
      let type = table.layout.columns[number].type
      guard ChangeValueText.append(column.cell(row), type, coder.catalog, to: &output) else { return false }
    }
    if columns.count > 1 { output.append(0x7D) }
    return true
  }

  /// Appends the row that a link leads to; `target` is its type.
  private mutating func append(link row: UInt32, _ target: Int?) {
    output.append("{\"row\":")
    output.append(uint: UInt64(row))
    if let target { appendID(target, row) }
    output.append(0x7D)
  }

  private mutating func appendFields(_ marks: RowChangeMarks) throws(ChangeProblem) {
    var isFirst = true
    while let column = try reader.next() {
      guard column < layout.columns.count, !layout.isFolded[column], layout.columns[column].kind != .references else {
        throw reader.otherLayout
      }
      let form = try reader.form()
      guard form.kind == ChangeValueKind(layout.columns[column].kind, elementIsText: layout.elementIsText[column])
      else { throw reader.otherLayout }
      separate(&isFirst)
      append(key: coder.columnName(type, column))
      // A void row has no values, not even nulls.
      let hasOld = form.hasBefore || marks.before != RowChangeStatus.void
      let hasNew = form.hasAfter || marks.after != RowChangeStatus.void
      output.append(0x7B)
      if hasOld {
        output.append("\"old\":")
        try appendValue(column, form.kind, isThere: form.hasBefore, isFine: form.beforeIsFine)
      }
      if hasNew {
        output.append(hasOld ? ",\"new\":" : "\"new\":")
        try appendValue(column, form.kind, isThere: form.hasAfter, isFine: form.afterIsFine)
      }
      output.append(0x7D)
    }
    if isFirst { output.append(0x7B) }
    output.append(0x7D)
  }

  private mutating func appendValue(
    _ column: Int, _ kind: ChangeValueKind, isThere: Bool, isFine: Bool
  ) throws(ChangeProblem) {
    if !isThere { return output.append("null") }
    let cell = try reader.value(kind, isFine: isFine, scratch)
    if kind == .row { return append(link: UInt32(truncatingIfNeeded: cell.low), layout.targets[column]) }
    guard ChangeValueText.append(cell, layout.columns[column].type, coder.catalog, to: &output) else {
      throw reader.malformed
    }
  }

  private mutating func appendLists() throws(ChangeProblem) {
    var isFirst = true
    while let column = try reader.next() {
      guard column < layout.columns.count, layout.columns[column].kind == .references else { throw reader.otherLayout }
      let list = try reader.list()
      separate(&isFirst)
      append(key: coder.columnName(type, column))
      output.append("{\"at\":")
      output.append(int: Int64(list.kept))
      for (key, count) in [("out", list.takenOut), ("in", list.putIn)] {
        var rows: ContiguousArray<UInt32> = []
        try reader.rows(count, into: &rows)
        output.append(0x2C)
        append(key: key)
        output.append(0x5B)
        for (index, row) in rows.enumerated() {
          if index > 0 { output.append(0x2C) }
          append(link: row, layout.targets[column])
        }
        output.append(0x5D)
      }
      output.append(0x7D)
    }
    if isFirst { output.append(0x7B) }
    output.append(0x7D)
  }

  /// Appends what words say before and after; `body` appends those that were read last.
  private mutating func appendBeforeAndAfter(
    _ body: (inout ChangeJSONWriter) throws(ChangeProblem) -> Void
  ) throws(ChangeProblem) {
    output.append("{\"old\":")
    try reader.words(into: &words)
    try body(&self)
    output.append(",\"new\":")
    try reader.words(into: &words)
    try body(&self)
    output.append(0x7D)
  }

  /// Appends a deletion's record, or null where there are no words.
  private mutating func appendRecord() {
    if words.isEmpty { return output.append("null") }
    guard let groups = recordGroups() else { return appendWords() }
    let record = DeletionRecord(words: words)
    output.append("{\"deletion\":")
    output.append(uint: record.deletion)
    if record.isFromElsewhere { output.append(",\"elsewhere\":true") }
    output.append(",\"links\":{")
    for (index, group) in groups.enumerated() {
      if index > 0 { output.append(0x2C) }
      append(key: group.name)
      output.append(0x5B)
      for place in group.range {
        if place > group.range.lowerBound { output.append(0x2C) }
        append(link: words[place], group.target)
      }
      output.append(0x5D)
    }
    output.append("}}")
  }

  /// The relations that a record names, and where their rows stand; nil where it has another form.
  private func recordGroups() -> [(name: String, target: Int, range: Range<Int>)]? {
    guard words.count >= 2 else { return nil }
    var groups: [(name: String, target: Int, range: Range<Int>)] = []
    var index = 2
    while index < words.count {
      guard index + 2 <= words.count, let name = coder.relationName(type, Int(words[index])),
        words[index + 1] > 0, Int(words[index + 1]) <= words.count - index - 2,
        !groups.contains(where: { $0.name == name })
      else { return nil }
      let target = Int(layout.relations[Int(words[index])].target.index)
      let end = index + 2 + Int(words[index + 1])
      guard words[(index + 2)..<end].allSatisfy({ $0 < UInt32(PageLayout.maximumRows) }) else { return nil }
      groups.append((name, target, (index + 2)..<end))
      index = end
    }
    return groups
  }

  private mutating func appendWords() {
    output.append("{\"words\":[")
    for (index, word) in words.enumerated() {
      if index > 0 { output.append(0x2C) }
      output.append(uint: UInt64(word))
    }
    output.append("]}")
  }

  private mutating func appendSuspended() throws(ChangeProblem) {
    var isFirst = true
    while let place = try reader.next() {
      guard let name = coder.relationName(type, place) else { throw reader.otherLayout }
      let target = Int(layout.relations[place].target.index)
      separate(&isFirst)
      append(key: name)
      try appendBeforeAndAfter { (writer) throws(ChangeProblem) in
        guard writer.words.count & 1 == 0 else { throw writer.reader.malformed }
        writer.output.append(0x5B)
        for index in stride(from: 0, to: writer.words.count, by: 2) {
          guard writer.words[index + 1] < UInt32(PageLayout.maximumRows) else { throw writer.reader.malformed }
          writer.output.append(index > 0 ? ",{\"at\":" : "{\"at\":")
          writer.output.append(uint: UInt64(writer.words[index]))
          writer.output.append(",\"row\":")
          writer.output.append(uint: UInt64(writer.words[index + 1]))
          writer.appendID(target, writer.words[index + 1])
          writer.output.append(0x7D)
        }
        writer.output.append(0x5D)
      }
    }
    if isFirst { output.append(0x7B) }
    output.append(0x7D)
  }

  // MARK: - Links that wait

  private mutating func appendWaiting() throws(ChangeProblem) {
    var isFirst = true
    while let place = try reader.next() {
      guard let name = coder.relationName(type, place) else { throw reader.otherLayout }
      let change = try reader.waiting(place: place)
      separate(&isFirst)
      append(key: name)
      output.append("{\"keys\":[")
      for (index, entry) in change.entries.enumerated() {
        if index > 0 { output.append(0x2C) }
        try append(entry)
      }
      output.append(0x5D)
      for (key, slots) in [("opened", change.opened), ("closed", change.closed)] where !slots.isEmpty {
        output.append(0x2C)
        append(key: key)
        output.append(0x5B)
        for (index, slot) in slots.enumerated() {
          if index > 0 { output.append(0x2C) }
          output.append(uint: UInt64(slot))
        }
        output.append(0x5D)
      }
      output.append(0x7D)
    }
    if isFirst { output.append(0x7B) }
    output.append(0x7D)
  }

  private mutating func append(_ entry: WaitingChange.Entry) throws(ChangeProblem) {
    guard Int(entry.key.type.index) < coder.catalog.types.count else { throw reader.otherLayout }
    output.append("{\"type\":")
    output.append(json: coder.catalog[entry.key.type].name)
    if !append(id: entry.key) {
      output.append(",\"word\":")
      output.append(int: Int64(bitPattern: entry.key.word))
      output.append(",\"text\":\"")
      entry.key.text.withUnsafeBytes { Base64.encode($0, into: &output) }
      output.append(0x22)
    }
    for (key, state) in [("old", entry.before), ("new", entry.after)] {
      guard let state else { continue }
      output.append(0x2C)
      append(key: key)
      output.append("{\"sequence\":")
      output.append(uint: state.sequence)
      if state.isClaim { output.append(",\"claim\":true") }
      if let slot = state.slot {
        output.append(",\"slot\":")
        output.append(uint: UInt64(slot))
      }
      output.append(0x7D)
    }
    output.append(0x7D)
  }

  /// Appends the key that a link waits for as an id. Returns false where that would not read back.
  private mutating func append(id key: DanglingLinks.Key) -> Bool {
    guard let (column, kind) = coder.waitingKey(key.type) else { return false }
    let start = output.count
    output.append(",\"id\":")
    let isAppended = key.text.withUnsafeBytes { text in
      switch kind {
      case .text, .id:
        guard key.word == 0, let address = text.baseAddress else { return false }
        let view = TextView(address, count: text.count)
        return ChangeValueText.append(view.cell, .string, coder.catalog, to: &output)
      case .int64, .byte, .code:
        return text.isEmpty && ChangeValueText.append(Cell(low: key.word), column.type, coder.catalog, to: &output)
      case .float64, .decimal: return false
      }
    }
    if !isAppended { output.truncate(to: start) }
    return isAppended
  }
}

extension ChangeJSON {
  /// The column of the one field that is a type's key, and its form in a key that links wait for; nil where there is none
  /// of which the key can be told.
  func waitingKey(_ type: EntityTypeID) -> (column: ColumnDescriptor, kind: KeyKind)? {
    let columns = keys[Int(type.index)]
    guard columns.count == 1 else { return nil }
    let column = layout.types[Int(type.index)].columns[columns[0]]
    guard let kind = KeyComponent(column)?.kind else { return nil }
    switch kind {
    case .text, .id:
      // Bytes and JSON are no texts.
      return column.type.scalar?.isTextual == true ? (column, kind) : nil
    case .int64, .byte, .code: return (column, kind)
    case .float64, .decimal: return nil
    }
  }
}

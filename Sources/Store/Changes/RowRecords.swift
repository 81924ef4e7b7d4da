import GQLBase
import GQLCatalog

/// A list of records that take the changes of a set back, row by row, for the types whose past is kept.
///
/// The content of a record is that of a row of a ``ChangeSet``, after its number: marks and parts, that lead from the later
/// version to the earlier one. Of a field the later value is not there, of a row that came nothing but its status.
package struct RowRecords: Sendable {
  package struct Row: Sendable {
    package let type: Int
    package let row: UInt32
    /// Indicates whether the entity went for good, or its past is erased, so that nothing of it is to be kept. Then there
    /// is no content.
    package let isErasing: Bool
    /// The place of the content in ``RowRecords/bytes``.
    package let content: Range<Int>
  }
  /// In the order of types and rows.
  package fileprivate(set) var rows: [Row] = []
  package fileprivate(set) var bytes: ContiguousArray<UInt8> = []
}

extension ChangeSet {
  /// Returns what takes the set's changes of some types back.
  ///
  /// An entity that goes is erased, unless its change says that its history is kept, or another one takes its key in the
  /// set and nothing says that it is erased. What waits for a target is not kept: no query sees it.
  ///
  /// - Throws: where the set is not well-formed.
  package func records(of types: HistoryTypes) throws(ChangeProblem) -> RowRecords {
    let result = bytes.withUnsafeBytes { bytes -> Result<RowRecords, ChangeProblem> in
      do throws(ChangeProblem) {
        var keys = KeysOfSet()
        try keys.read(bytes, types)
        var recording = RecordWriter(bytes, types, keys)
        return .success(try recording.run())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Returns the set of records of one type, of rows that ascend.
  package init(type: Int, rows: some Collection<(row: UInt32, content: UnsafeRawBufferPointer)>) {
    var output = ByteBuffer(capacity: 64)
    output.append(varint: UInt64(type) + 1)
    var next: UInt32 = 0
    for (row, content) in rows {
      output.append(varint: UInt64(row &- next) + 1)
      output.append(content)
      next = row &+ 1
    }
    output.append(0)
    self.init(bytes: output.withUnsafeBytes { ContiguousArray($0) })
  }

  /// Returns whether the set is of one row of a type, and well-formed.
  package func isOnly(_ type: Int, _ row: UInt32) -> Bool {
    var (own, others) = (0, 0)
    do throws(ChangeProblem) {
      try forEachRow { if $0 == type, $1 == row { own += 1 } else { others += 1 } }
    } catch {
      return false
    }
    return own == 1 && others == 0
  }
}

/// The keys that rows of a set get, and the entities that go for good.
private struct KeysOfSet {
  private struct Place: Hashable {
    var type: Int
    var column: Int
  }
  private var keys: [Place: Set<ContiguousArray<UInt8>>] = [:]
  /// The keys of deleted entities that go.
  private var lost: [Place: [UInt32: ContiguousArray<UInt8>]] = [:]
  /// By type: the rows that go for good.
  private(set) var erased: [Int: Set<UInt32>] = [:]

  mutating func read(_ bytes: UnsafeRawBufferPointer, _ types: HistoryTypes) throws(ChangeProblem) {
    var reader = ChangeReader(bytes)
    var words: ContiguousArray<UInt32> = []
    var deleted: [(type: Int, row: UInt32)] = []
    while !reader.isAtEnd {
      guard let type = try reader.next() else { throw reader.malformed }
      let columns = types[type]?.keyColumns ?? []
      let foldedColumns = types[type]?.foldedKeyColumns ?? []
      var next: UInt32 = 0
      while let row = try reader.row(after: next) {
        next = row + 1
        let marks = try reader.marks()
        let goes = marks.after == RowChangeStatus.void && marks.before != RowChangeStatus.void
        if marks.has(RowChangeMarks.erased) { erased[type, default: []].insert(row) }
        if goes, !columns.isEmpty, !marks.has(RowChangeMarks.kept) { deleted.append((type, row)) }
        if marks.has(RowChangeMarks.fields) {
          while let column = try reader.next() {
            let form = try reader.form()
            let start = reader.offset
            if form.hasBefore { try reader.skip(form.kind, isFine: form.beforeIsFine) }
            let middle = reader.offset
            if form.hasAfter { try reader.skip(form.kind, isFine: form.afterIsFine) }
            guard columns.contains(column) else { continue }
            let place = Place(type: type, column: column)
            func key(_ range: Range<Int>) throws(ChangeProblem) -> ContiguousArray<UInt8> {
              let value = UnsafeRawBufferPointer(rebasing: bytes[range])
              return form.kind == .text
                ? try Self.text(value, isFolded: foldedColumns.contains(column)) : ContiguousArray(value)
            }
            if form.hasAfter { keys[place, default: []].insert(try key(middle..<reader.offset)) }
            if goes, form.hasBefore { lost[place, default: [:]][row] = try key(start..<middle) }
          }
        }
        let rest = RowChangeMarks(word: marks.word & ~RowChangeMarks.fields)
        try reader.skipRow(rest, &words) { _ in }
      }
    }
    for (type, row) in deleted where !isReplaced(type, row, types[type]?.keyColumns ?? []) {
      erased[type, default: []].insert(row)
    }
  }

  /// Returns what texts of one key share: an id may be written as a number or as a text.
  private static func text(
    _ value: UnsafeRawBufferPointer, isFolded: Bool
  ) throws(ChangeProblem) -> ContiguousArray<UInt8> {
    var reader = ChangeReader(value)
    _ = try reader.varint()
    let text = UnsafeRawBufferPointer(rebasing: value[reader.offset...])
    if !isFolded { return ContiguousArray(text) }
    var folded: ContiguousArray<UInt8> = []
    foldText(text, &folded)
    return folded
  }

  /// Returns whether another entity has taken the key of one that went. Of a key of several fields some may stay.
  private func isReplaced(_ type: Int, _ row: UInt32, _ columns: [Int]) -> Bool {
    var isTaken = false
    for column in columns {
      let place = Place(type: type, column: column)
      guard let taken = keys[place] else { continue }
      guard let key = lost[place]?[row], taken.contains(key) else { return false }
      isTaken = true
    }
    return isTaken
  }
}

private struct RecordWriter: ~Copyable {
  private let bytes: UnsafeRawBufferPointer
  private let types: HistoryTypes
  private let keys: KeysOfSet
  private var reader: ChangeReader
  private var output = ByteBuffer(capacity: 64)
  private var rows: [RowRecords.Row] = []
  private var words: ContiguousArray<UInt32> = []
  /// Indicates whether the row at hand goes with an entity that goes for good.
  private var isOwnerErased = false

  init(_ bytes: UnsafeRawBufferPointer, _ types: HistoryTypes, _ keys: KeysOfSet) {
    self.bytes = bytes
    self.types = types
    self.keys = keys
    reader = ChangeReader(bytes)
  }

  mutating func run() throws(ChangeProblem) -> RowRecords {
    while !reader.isAtEnd {
      guard let type = try reader.next() else { throw reader.malformed }
      let history = types[type]
      let erased = keys.erased[type] ?? []
      var next: UInt32 = 0
      while let row = try reader.row(after: next) {
        next = row + 1
        let marks = try reader.marks()
        guard let history else {
          try reader.skipRow(marks, &words) { _ in }
          continue
        }
        let start = output.count
        if erased.contains(row) {
          try reader.skipRow(marks, &words) { _ in }
          rows.append(RowRecords.Row(type: type, row: row, isErasing: true, content: start..<start))
        } else if try add(marks, history) {
          if isOwnerErased {
            output.truncate(to: start)
            isOwnerErased = false
            rows.append(RowRecords.Row(type: type, row: row, isErasing: true, content: start..<start))
          } else {
            rows.append(RowRecords.Row(type: type, row: row, isErasing: false, content: start..<output.count))
          }
        }
      }
    }
    var records = RowRecords()
    records.rows = rows
    records.bytes = output.withUnsafeBytes { ContiguousArray($0) }
    return records
  }

  private mutating func copy(_ range: Range<Int>) { output.append(UnsafeRawBufferPointer(rebasing: bytes[range])) }

  /// Adds what takes the change of the row at hand back; false where that is nothing.
  private mutating func add(_ marks: RowChangeMarks, _ history: TypeHistory) throws(ChangeProblem) -> Bool {
    let start = output.count
    // Filled in at the end.
    output.append(0)
    output.append(0)
    var word = marks.before << 2 | marks.after
    // What a row came with goes with it; a row that comes back comes whole.
    let isNew = marks.before == RowChangeStatus.void
    let isWhole = marks.after == RowChangeStatus.void
    if marks.has(RowChangeMarks.fields), try addFields(history, isNew: isNew, isWhole: isWhole) {
      word |= RowChangeMarks.fields
    }
    if marks.has(RowChangeMarks.lists), try addLists(history, isNew: isNew, isWhole: isWhole) {
      word |= RowChangeMarks.lists
    }
    if marks.has(RowChangeMarks.record) {
      try addWords()
      word |= RowChangeMarks.record
    }
    if marks.has(RowChangeMarks.suspended) {
      while true {
        let start = reader.offset
        let place = try reader.next()
        copy(start..<reader.offset)
        if place == nil { break }
        try addWords()
      }
      word |= RowChangeMarks.suspended
    }
    if marks.has(RowChangeMarks.waiting) {
      while let place = try reader.next() { _ = try reader.waiting(place: place) }
    }
    if word >> 4 == 0, marks.before == marks.after {
      output.truncate(to: start)
      return false
    }
    output.replace(at: start, with: UInt8(truncatingIfNeeded: word))
    output.replace(at: start + 1, with: UInt8(truncatingIfNeeded: word >> 8))
    return true
  }

  private mutating func addFields(
    _ history: TypeHistory, isNew: Bool, isWhole: Bool
  ) throws(ChangeProblem) -> Bool {
    let first = output.count
    while let column = try reader.next() {
      let form = try reader.form()
      let start = reader.offset
      if isWhole, form.hasBefore, form.kind == .row {
        let target = try reader.row()
        for owner in history.owners where owner.column == column {
          if keys.erased[owner.type]?.contains(target) ?? false { isOwnerErased = true }
        }
      } else if form.hasBefore {
        try reader.skip(form.kind, isFine: form.beforeIsFine)
      }
      let middle = reader.offset
      if form.hasAfter { try reader.skip(form.kind, isFine: form.afterIsFine) }
      guard column < history.isLeftOut.count else { throw reader.otherLayout }
      if isNew || history.isLeftOut[column] && !isWhole { continue }
      output.append(varint: UInt64(column) + 1)
      let kind = UInt8(form.kind.rawValue << 4)
      if form.hasBefore {
        output.append(kind | 2 | (form.beforeIsFine ? 8 : 0))
        copy(start..<middle)
      } else {
        // There was none: the later value, which a form must have, is the shortest one.
        output.append(kind | 1)
        for _ in 0..<form.kind.leastBytes { output.append(0) }
      }
    }
    if output.count == first { return false }
    output.append(0)
    return true
  }

  private mutating func addLists(
    _ history: TypeHistory, isNew: Bool, isWhole: Bool
  ) throws(ChangeProblem) -> Bool {
    let first = output.count
    while let column = try reader.next() {
      let list = try reader.list()
      let start = reader.offset
      for _ in 0..<list.takenOut { _ = try reader.varint() }
      let middle = reader.offset
      for _ in 0..<list.putIn { _ = try reader.varint() }
      guard column < history.isLeftOut.count else { throw reader.otherLayout }
      if isNew || history.isLeftOut[column] && !isWhole { continue }
      output.append(varint: UInt64(column) + 1)
      output.append(varint: UInt64(list.kept))
      output.append(varint: UInt64(list.putIn))
      output.append(varint: UInt64(list.takenOut))
      copy(middle..<reader.offset)
      copy(start..<middle)
    }
    if output.count == first { return false }
    output.append(0)
    return true
  }

  /// Adds two lists of words, the later one first.
  private mutating func addWords() throws(ChangeProblem) {
    let start = reader.offset
    try reader.words(into: &words)
    let middle = reader.offset
    try reader.words(into: &words)
    copy(middle..<reader.offset)
    copy(start..<middle)
  }
}

extension ChangeValueKind {
  /// The number of bytes of the shortest value, all of them zero.
  fileprivate var leastBytes: Int {
    switch self {
    case .float: 8
    case .decimal: 16
    case .word, .byte, .code, .row, .text, .wordList, .wideList, .textList: 1
    }
  }
}

extension RowRecords {
  /// Returns the rows that fields of a record lead to, each with its column; none where it is not well-formed.
  package static func links(in content: some Collection<UInt8>) -> [(column: Int, row: UInt32)] {
    ContiguousArray(content).withUnsafeBytes { bytes in
      var found: [(column: Int, row: UInt32)] = []
      do throws(ChangeProblem) {
        var reader = ChangeReader(bytes)
        guard try reader.marks().has(RowChangeMarks.fields) else { return [] }
        while let column = try reader.next() {
          let form = try reader.form()
          if form.hasBefore { try reader.skip(form.kind, isFine: form.beforeIsFine) }
          if form.hasAfter, form.kind == .row {
            found.append((column, try reader.row()))
          } else if form.hasAfter {
            try reader.skip(form.kind, isFine: form.afterIsFine)
          }
        }
      } catch {
        return []
      }
      return found
    }
  }
}

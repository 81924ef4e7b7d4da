import GQLBase
import GQLCatalog

/// The parts of a row that few rows have, as bytes: the record of a deletion, links that are suspended, and links that
/// wait.
///
/// ```
/// extra = marks, [words] [{ relation + 1, words } 0] [{ relation + 1, { key, state } 0, no opened slots, closed slots } 0]
/// ```
extension Snapshot {
  private static var record: UInt8 { 1 }
  private static var suspended: UInt8 { 2 }
  private static var waiting: UInt8 { 4 }

  /// Appends the bytes; nothing for most rows.
  package func append(extraOf type: EntityTypeID, _ row: UInt32, to output: inout ByteBuffer) {
    let table = table(type)
    let image = StoredRow(table, row)
    let start = output.count
    output.append(0)
    var marks: UInt8 = 0
    image.withRecord { words in
      if words.isEmpty { return }
      marks |= Self.record
      output.append(words: words)
    }
    if !table.suspended.isEmpty, image.status != RowChangeStatus.void {
      var isAny = false
      for place in table.layout.relations.indices {
        image.withSuspended(place) { words in
          if words.isEmpty { return }
          isAny = true
          output.append(varint: UInt64(place) + 1)
          output.append(words: words)
        }
      }
      if isAny {
        output.append(0)
        marks |= Self.suspended
      }
    }
    if !dangling.isEmpty {
      var isAny = false
      for (place, relation) in table.layout.relations.enumerated() {
        let link = DanglingLinks.Link(relation: relation.id, source: row)
        guard let change = dangling.all(link, place: place) else { continue }
        isAny = true
        output.append(waiting: change)
      }
      if isAny {
        output.append(0)
        marks |= Self.waiting
      }
    }
    if marks == 0 { return output.truncate(to: start) }
    output.replace(at: start, with: marks)
  }
}

extension WriteTransaction {
  /// Gives a row what ``Snapshot/append(extraOf:_:to:)`` has written. Precondition: between ``beginOpening()`` and
  /// ``endOpening()``.
  package func setExtra(
    _ type: EntityTypeID, _ row: UInt32, _ bytes: UnsafeRawBufferPointer
  ) throws(ChangeProblem) {
    var reader = ChangeReader(bytes)
    let table = ownedTable(type)
    var words: ContiguousArray<UInt32> = []
    let marks = try reader.byte()
    if marks & 1 != 0 {
      try reader.words(into: &words)
      guard words.count >= 2, table.isDeleted(row) else { throw reader.malformed }
      Stamp.pass(DeletionRecord.deletion(words[0], words[1]))
      table.ownedTombstones().setWords(row, words)
    }
    if marks & 2 != 0 {
      while let place = try reader.next() {
        guard place < table.layout.relations.count else { throw reader.otherLayout }
        try reader.words(into: &words)
        guard words.count & 1 == 0 else { throw reader.malformed }
        table.ownedSuspended(place).setWords(row, words)
      }
    }
    if marks & 4 != 0 {
      while let place = try reader.next() {
        guard place < table.layout.relations.count else { throw reader.otherLayout }
        try dangling.apply(try reader.waiting(place: place), table.layout, row, reader)
      }
    }
    guard reader.isAtEnd, marks & ~7 == 0 else { throw reader.malformed }
  }
}

extension DanglingLinks {
  /// All that is known of the links of a row and a relation, as a change from nothing; nil where there is none.
  func all(_ link: Link, place: Int) -> WaitingChange? {
    var change = WaitingChange(place: place)
    change.entries = states(of: link).map { WaitingChange.Entry(key: $0.key, before: nil, after: $0.state) }
    change.entries.sort { $0.key < $1.key }
    change.closed = closedSlots(link)
    return change.isEmpty ? nil : change
  }

  /// Makes of the links of a row and a relation what a change says.
  mutating func apply(
    _ change: WaitingChange, _ layout: StoreLayout.TypeLayout, _ row: UInt32, _ reader: ChangeReader
  ) throws(ChangeProblem) {
    put(change, of: Link(relation: layout.relations[change.place].id, source: row))
  }

  /// Makes of a link what a change says.
  mutating func put(_ change: WaitingChange, of link: Link) {
    for entry in change.entries { set(link, entry.key, entry.after) }
    setClosed(link, opened: change.opened, closed: change.closed)
  }
}

extension ByteBuffer {
  /// Appends the number of words, and the words.
  mutating func append(words: UnsafeBufferPointer<UInt32>) {
    append(varint: UInt64(words.count))
    for word in words { append(varint: UInt64(word)) }
  }
}

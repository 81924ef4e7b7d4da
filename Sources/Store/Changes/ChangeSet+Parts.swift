import GQLBase

/// A change of one part of a row.
package struct ChangePart: Sendable {
  package enum Kind: Int, Sendable {
    case field, list, record, suspended, waiting
  }

  package let kind: Kind
  /// Of a field or a list its column, of suspended and waiting links their relation's place; 0 for a record.
  package let number: Int
  /// The rows that links lead to, before or after; of a record each after its relation's place.
  package let targets: ContiguousArray<UInt32>
  /// The place of its content among the bytes of the set.
  fileprivate let content: Range<Int>
}

/// A change of one row, by its parts.
package struct RowParts: Sendable {
  package let type: Int
  package let row: UInt32
  let before: UInt64
  let after: UInt64
  /// In the order of kinds and numbers.
  package let parts: [ChangePart]

  /// Indicates whether an entity comes, goes, is deleted or restored.
  package var isOfStatus: Bool { before != after }
}

extension ChangeSet {
  /// Calls with each row that changes, in order.
  ///
  /// - Throws: where the set is not well-formed.
  package func forEachRowParts(_ body: (RowParts) -> Void) throws(ChangeProblem) {
    let problem = bytes.withUnsafeBytes { bytes -> ChangeProblem? in
      var reader = ChangeReader(bytes)
      do throws(ChangeProblem) {
        while !reader.isAtEnd {
          guard let type = try reader.next() else { throw reader.malformed }
          var next: UInt32 = 0
          while let row = try reader.row(after: next) {
            next = row + 1
            body(try reader.change(type, row))
          }
        }
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw problem }
  }

  /// Returns the set of some of its changes.
  ///
  /// - Parameter choose: Returns the parts of a row's change that stay, or nil where none of it does. A change of status
  ///   stays whole.
  /// - Throws: where the set is not well-formed.
  package func choosing(_ choose: (RowParts) -> [ChangePart]?) throws(ChangeProblem) -> ChangeSet {
    var writer = PartWriter()
    var rows: [RowParts] = []
    try forEachRowParts { rows.append($0) }
    bytes.withUnsafeBytes { bytes in
      for change in rows {
        guard let parts = choose(change), change.isOfStatus || !parts.isEmpty else { continue }
        writer.add(change, parts, from: bytes)
      }
    }
    return writer.finish()
  }
}

extension ChangeReader {
  /// Reads what became of a row, after its number.
  fileprivate mutating func change(_ type: Int, _ row: UInt32) throws(ChangeProblem) -> RowParts {
    let marks = try marks()
    var parts: [ChangePart] = []
    var rows: ContiguousArray<UInt32> = []
    func add(_ kind: ChangePart.Kind, _ number: Int, _ content: Range<Int>) {
      parts.append(ChangePart(kind: kind, number: number, targets: rows, content: content))
      rows.removeAll(keepingCapacity: true)
    }
    if marks.has(RowChangeMarks.fields) {
      while let column = try next() {
        let start = offset
        let form = try form()
        for (isThere, isFine) in [(form.hasBefore, form.beforeIsFine), (form.hasAfter, form.afterIsFine)]
        where isThere {
          if form.kind == .row { rows.append(try self.row()) } else { try skip(form.kind, isFine: isFine) }
        }
        add(.field, column, start..<offset)
      }
    }
    if marks.has(RowChangeMarks.lists) {
      while let column = try next() {
        let start = offset
        let list = try list()
        try self.rows(list.takenOut, into: &rows)
        try self.rows(list.putIn, into: &rows)
        add(.list, column, start..<offset)
      }
    }
    var words: ContiguousArray<UInt32> = []
    if marks.has(RowChangeMarks.record) {
      let start = offset
      for _ in 0..<2 {
        try self.words(into: &words)
        DeletionRecord.forEachTarget(in: words) { rows += [UInt32(truncatingIfNeeded: $0), $1] }
      }
      add(.record, 0, start..<offset)
    }
    if marks.has(RowChangeMarks.suspended) {
      while let place = try next() {
        let start = offset
        for _ in 0..<2 {
          try self.words(into: &words)
          for index in words.indices where index & 1 == 1 { rows.append(words[index]) }
        }
        add(.suspended, place, start..<offset)
      }
    }
    if marks.has(RowChangeMarks.waiting) {
      while let place = try next() {
        let start = offset
        _ = try waiting(place: place)
        add(.waiting, place, start..<offset)
      }
    }
    return RowParts(type: type, row: row, before: marks.before, after: marks.after, parts: parts)
  }
}

/// A writer of change sets from parts of others.
private struct PartWriter: ~Copyable {
  private var output = ByteBuffer(capacity: 256)
  private var type = -1
  private var next: UInt32 = 0

  mutating func add(_ change: RowParts, _ parts: [ChangePart], from bytes: UnsafeRawBufferPointer) {
    if change.type != type {
      if type >= 0 { output.append(0) }
      output.append(varint: UInt64(change.type) + 1)
      (type, next) = (change.type, 0)
    }
    output.append(varint: UInt64(change.row - next) + 1)
    next = change.row + 1
    let kinds: [(kind: ChangePart.Kind, mark: UInt64)] = [
      (.field, RowChangeMarks.fields), (.list, RowChangeMarks.lists), (.record, RowChangeMarks.record),
      (.suspended, RowChangeMarks.suspended), (.waiting, RowChangeMarks.waiting),
    ]
    var marks = change.before | change.after << 2
    for (kind, mark) in kinds where parts.contains(where: { $0.kind == kind }) { marks |= mark }
    output.append(UInt8(truncatingIfNeeded: marks))
    output.append(UInt8(truncatingIfNeeded: marks >> 8))
    for (kind, mark) in kinds where marks & mark != 0 {
      for part in parts where part.kind == kind {
        if kind != .record { output.append(varint: UInt64(part.number) + 1) }
        output.append(UnsafeRawBufferPointer(rebasing: bytes[part.content]))
      }
      if kind != .record { output.append(0) }
    }
  }

  consuming func finish() -> ChangeSet {
    if type >= 0 { output.append(0) }
    return ChangeSet(bytes: output.withUnsafeBytes { ContiguousArray($0) })
  }
}

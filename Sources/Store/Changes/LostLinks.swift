import GQLBase
import GQLCatalog

/// Links that lead nowhere after a transaction went back by the records of some types, see ``RowRecords``.
package struct LostLinks {
  private let transaction: WriteTransaction
  private let ends: LinkEnds?

  /// - Parameter ends: Where the past of some rows is erased or left out: what holds links to what both of their ends say.
  package init(in transaction: WriteTransaction, _ ends: LinkEnds? = nil) {
    self.transaction = transaction
    self.ends = ends
  }

  /// Takes links back that lead to no row any more, of rows that records have changed: what they led to was erased, or is of
  /// a type whose past is not kept.
  ///
  /// - Parameter rows: By type.
  /// - Throws: only where the rows are not those of the store.
  package func drop(of rows: [Int: Set<UInt32>]) throws(ChangeProblem) {
    let rows = ends?.withPartners(rows) ?? rows
    for (type, rows) in rows.sorted(by: { $0.key < $1.key }) {
      let tables = transaction.tables
      guard tables.indices.contains(type) else { throw .otherLayout(offset: 0) }
      var output = ByteBuffer()
      var next: UInt32 = 0
      for row in rows.sorted() {
        let start = output.count
        if output.count == 0 { output.append(varint: UInt64(type) + 1) }
        output.append(varint: UInt64(row - next) + 1)
        if add(of: row, tables[type], to: &output) { next = row + 1 } else { output.truncate(to: start) }
      }
      if output.count == 0 { continue }
      output.append(0)
      try transaction.apply(ChangeSet(bytes: output.withUnsafeBytes { ContiguousArray($0) }), checksTargets: false)
    }
    if let ends { try add(ends.missing(of: rows, in: transaction)) }
  }

  /// Appends rows to lists, by type, row and column.
  private func add(_ missing: [Int: [UInt32: [Int: [UInt32]]]]) throws(ChangeProblem) {
    for (type, rows) in missing.sorted(by: { $0.key < $1.key }) {
      var output = ByteBuffer()
      output.append(varint: UInt64(type) + 1)
      var next: UInt32 = 0
      for (row, lists) in rows.sorted(by: { $0.key < $1.key }) {
        let image = StoredRow(transaction.tables[type], row)
        output.append(varint: UInt64(row - next) + 1)
        next = row + 1
        let marks = image.status << 2 | image.status | RowChangeMarks.lists
        output.append(UInt8(truncatingIfNeeded: marks))
        output.append(UInt8(truncatingIfNeeded: marks >> 8))
        for (column, added) in lists.sorted(by: { $0.key < $1.key }) {
          output.append(varint: UInt64(column) + 1)
          output.append(varint: UInt64(image.run(column).count))
          output.append(varint: 0)
          output.append(varint: UInt64(added.count))
          added.withUnsafeBufferPointer { output.append(rows: $0) }
        }
        output.append(0)
      }
      output.append(0)
      try transaction.apply(ChangeSet(bytes: output.withUnsafeBytes { ContiguousArray($0) }), checksTargets: false)
    }
  }

  /// Appends the marks and parts of a change that drops a row's lost links; false where it has none.
  private func add(of row: UInt32, _ table: Table, to output: inout ByteBuffer) -> Bool {
    let image = StoredRow(table, row)
    if image.status == RowChangeStatus.void { return false }
    let layout = table.layout
    func isLost(_ target: UInt32, _ column: Int) -> Bool {
      guard let other = layout.targets[column], transaction.tables[other].status(target) != RowChangeStatus.void else {
        return true
      }
      return ends?.isLost(target, of: row, column, of: layout, in: transaction) ?? false
    }
    let place = output.count
    output.append(0)
    output.append(0)
    var marks = image.status << 2 | image.status
    for column in layout.columns.indices where layout.columns[column].kind == .reference {
      guard let cell = image.cell(column), isLost(UInt32(truncatingIfNeeded: cell.low), column) else { continue }
      output.append(varint: UInt64(column) + 1)
      output.append(UInt8(ChangeValueKind.row.rawValue << 4) | 1)
      output.append(varint: cell.low)
      marks |= RowChangeMarks.fields
    }
    if marks & RowChangeMarks.fields != 0 { output.append(0) }
    for column in layout.listColumns {
      let run = image.run(column)
      let kept = run.filter { !isLost($0, column) }
      if kept.count == run.count { continue }
      output.append(varint: UInt64(column) + 1)
      kept.withUnsafeBufferPointer { kept in
        let edit = ListEdit(from: run, to: kept)
        output.append(varint: UInt64(edit.kept))
        output.append(varint: UInt64(edit.takenOut.count))
        output.append(varint: UInt64(edit.putIn.count))
        output.append(rows: edit.takenOut)
        output.append(rows: edit.putIn)
      }
      marks |= RowChangeMarks.lists
    }
    if marks & RowChangeMarks.lists != 0 { output.append(0) }
    if addSuspended(image, isLost, to: &output) { marks |= RowChangeMarks.suspended }
    if marks >> 4 == 0 { return false }
    output.replace(at: place, with: UInt8(truncatingIfNeeded: marks))
    output.replace(at: place + 1, with: UInt8(truncatingIfNeeded: marks >> 8))
    return true
  }

  /// Appends what becomes of the suspended links of a row, some of which are lost, or stand after links that are; false
  /// where that is nothing.
  private func addSuspended(
    _ image: StoredRow, _ isLost: (UInt32, Int) -> Bool, to output: inout ByteBuffer
  ) -> Bool {
    guard let ends, image.status == RowChangeStatus.live else { return false }
    let start = output.count
    for (place, relation) in image.table.layout.relations.enumerated() {
      image.withSuspended(place) { words in
        if words.isEmpty { return }
        let run = image.heldTargets(relation)
        var kept: [UInt32] = []
        for number in stride(from: 0, to: words.count - 1, by: 2)
        where !ends.isLost(suspended: words[number + 1], of: image.row, relation, in: transaction) {
          let before = run.prefix(Int(words[number])).count { !isLost($0, Int(relation.column.index)) }
          kept += [UInt32(before), words[number + 1]]
        }
        if kept.elementsEqual(words) { return }
        output.append(varint: UInt64(place) + 1)
        output.append(words: words)
        kept.withUnsafeBufferPointer { output.append(words: $0) }
      }
    }
    if output.count == start { return false }
    output.append(0)
    return true
  }
}

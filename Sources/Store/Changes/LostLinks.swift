import GQLBase
import GQLCatalog

/// Links that lead nowhere after a transaction went back by the records of some types, see ``RowRecords``.
package struct LostLinks {
  private let transaction: WriteTransaction

  package init(in transaction: WriteTransaction) { self.transaction = transaction }

  /// Takes links back that lead to no row any more, of rows that records have changed: what they led to was erased, or is of
  /// a type whose past is not kept.
  ///
  /// - Parameter rows: By type.
  /// - Throws: only where the rows are not those of the store.
  package func drop(of rows: [Int: Set<UInt32>]) throws(ChangeProblem) {
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
  }

  /// Appends the marks and parts of a change that drops a row's lost links; false where it has none.
  private func add(of row: UInt32, _ table: Table, to output: inout ByteBuffer) -> Bool {
    let image = StoredRow(table, row)
    if image.status == RowChangeStatus.void { return false }
    let layout = table.layout
    func isLost(_ target: UInt32, _ column: Int) -> Bool {
      layout.targets[column].map { transaction.tables[$0].status(target) == RowChangeStatus.void } ?? true
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
    if marks >> 4 == 0 { return false }
    output.replace(at: place, with: UInt8(truncatingIfNeeded: marks))
    output.replace(at: place + 1, with: UInt8(truncatingIfNeeded: marks >> 8))
    return true
  }
}

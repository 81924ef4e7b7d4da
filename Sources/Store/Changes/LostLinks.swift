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

  /// Appends the marks and parts of a change that leaves a row the links that it has in the version; false where it has
  /// those.
  private func add(of row: UInt32, _ table: Table, to output: inout ByteBuffer) -> Bool {
    let image = StoredRow(table, row)
    if image.status == RowChangeStatus.void { return false }
    let place = output.count
    output.append(0)
    output.append(0)
    var marks = image.status << 2 | image.status
    let links = table.layout.relations.map { (relation: $0, links: kept(of: image, $0)) }
    let ordered = links.sorted { $0.relation.column.index < $1.relation.column.index }
    for (relation, links) in ordered where !relation.isToMany {
      if add(links.held.first, of: image, Int(relation.column.index), to: &output) { marks |= RowChangeMarks.fields }
    }
    if marks & RowChangeMarks.fields != 0 { output.append(0) }
    for (relation, links) in ordered where relation.isToMany {
      if add(links.held, of: image, Int(relation.column.index), to: &output) { marks |= RowChangeMarks.lists }
    }
    if marks & RowChangeMarks.lists != 0 { output.append(0) }
    for (place, (_, links)) in links.enumerated() {
      if add(suspended: links.suspended, of: image, place, to: &output) { marks |= RowChangeMarks.suspended }
    }
    if marks & RowChangeMarks.suspended != 0 { output.append(0) }
    if marks >> 4 == 0 { return false }
    output.replace(at: place, with: UInt8(truncatingIfNeeded: marks))
    output.replace(at: place + 1, with: UInt8(truncatingIfNeeded: marks >> 8))
    return true
  }

  /// Returns the links that a row has in the version. Without a look at the other ends those that lead to some row.
  private func kept(of image: StoredRow, _ relation: Relation) -> RowLinks {
    if let found = ends?.links(of: image, relation, in: transaction) { return found }
    let targets = transaction.table(relation.target)
    let run = image.heldTargets(relation)
    let isThere = run.map { targets.status($0) != RowChangeStatus.void }
    var links = RowLinks()
    links.held = zip(run, isThere).compactMap { $1 ? $0 : nil }
    image.withSuspended(transaction.layout.relationPlaces[Int(relation.id.index)]) { words in
      links.suspended = Array(words)
      if links.held.count == run.count { return }
      for number in stride(from: 0, to: words.count - 1, by: 2) {
        links.suspended[number] = UInt32(isThere.prefix(Int(words[number])).count { $0 })
      }
    }
    return links
  }

  /// Appends what becomes of a link of a row to one other; false where that is nothing.
  private func add(_ target: UInt32?, of image: StoredRow, _ column: Int, to output: inout ByteBuffer) -> Bool {
    let before = image.cell(column).map { UInt32(truncatingIfNeeded: $0.low) }
    if before == target { return false }
    output.append(varint: UInt64(column) + 1)
    output.append(UInt8(ChangeValueKind.row.rawValue << 4) | (before == nil ? 0 : 1) | (target == nil ? 0 : 2))
    if let before { output.append(varint: UInt64(before)) }
    if let target { output.append(varint: UInt64(target)) }
    return true
  }

  /// Appends what becomes of a list of links of a row; false where that is nothing.
  private func add(_ targets: [UInt32], of image: StoredRow, _ column: Int, to output: inout ByteBuffer) -> Bool {
    let run = image.run(column)
    if run.elementsEqual(targets) { return false }
    output.append(varint: UInt64(column) + 1)
    targets.withUnsafeBufferPointer { targets in
      let edit = ListEdit(from: run, to: targets)
      output.append(varint: UInt64(edit.kept))
      output.append(varint: UInt64(edit.takenOut.count))
      output.append(varint: UInt64(edit.putIn.count))
      output.append(rows: edit.takenOut)
      output.append(rows: edit.putIn)
    }
    return true
  }

  /// Appends what becomes of the suspended links of a row's relation; false where that is nothing.
  private func add(
    suspended targets: [UInt32], of image: StoredRow, _ place: Int, to output: inout ByteBuffer
  ) -> Bool {
    image.withSuspended(place) { words in
      if words.elementsEqual(targets) { return false }
      output.append(varint: UInt64(place) + 1)
      output.append(words: words)
      targets.withUnsafeBufferPointer { output.append(words: $0) }
      return true
    }
  }
}

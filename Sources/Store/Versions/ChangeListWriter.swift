import GQLBase
import GQLCatalog

/// A writer of the list of changes: each is a version of an entity, held against the one before.
package struct ChangeListWriter {
  private let catalog: VersionCatalog
  private let snapshot: Snapshot
  private let changes: ChangeType
  private let isStopped: (Int) -> Bool

  /// - Parameters:
  ///   - snapshot: One with the versions of entities.
  ///   - isStopped: Asked once in a while.
  package init?(_ snapshot: Snapshot, _ catalog: VersionCatalog, isStopped: @escaping (Int) -> Bool) {
    guard let changes = catalog.changes else { return nil }
    self.isStopped = isStopped
    self.changes = changes
    self.snapshot = snapshot
    self.catalog = catalog
  }

  private struct Entry {
    var version: Int64
    var type: Int
    var row: UInt32
  }

  /// Returns the snapshot with the changes of all versions that another one does not have, in the order of versions.
  package func run(after known: Snapshot?, fold: @escaping TextFold) throws(StoreProblem) -> Snapshot {
    var entries: [Entry] = []
    for (place, type) in catalog.types.enumerated() {
      let table = snapshot.table(type.versions)
      let first = known.map { $0.table(type.versions).slots } ?? 0
      let changed = table.columns[Int(type.change.index)]
      for row in UInt32(truncatingIfNeeded: first)..<UInt32(truncatingIfNeeded: max(first, table.slots)) {
        // The oldest version that is kept is no change.
        if changed.isNull(row) || table.columns[Int(type.from.index)].isNull(row) { continue }
        entries.append(Entry(version: table.columns[Int(type.number.index)].cell(row).int, type: place, row: row))
      }
    }
    entries.sort { ($0.version, $0.type, $0.row) < ($1.version, $1.type, $1.row) }
    let transaction = WriteTransaction(snapshot, fold: fold)
    if known == nil { transaction.beginBulk() }
    let memory = ConversionArena()
    for (number, entry) in entries.enumerated() {
      memory.removeAll()
      if number & 127 == 127, isStopped(0) { throw .stopped }
      try write(entry, transaction, memory)
    }
    if known == nil { try transaction.endBulk() }
    return transaction.commit()
  }

  private func write(
    _ entry: Entry, _ transaction: WriteTransaction, _ memory: ConversionArena
  ) throws(StoreProblem) {
    let type = catalog.types[entry.type]
    let versions = catalog.catalog[type.versions]
    let image = StoredRow(snapshot.table(type.versions), entry.row)
    let layout = catalog.catalog[changes.type]
    var cells = [Cell?](repeating: nil, count: layout.columns.count)
    cells[Int(changes.version.index)] = Cell(entry.version)
    cells[Int(changes.time.index)] = image.cell(Int(type.from.index))
    cells[Int(changes.typeName.index)] = text(catalog.catalog[type.type].name, memory)
    cells[Int(changes.key.index)] = key(versions, image, memory)
    cells[Int(changes.change.index)] = image.cell(Int(type.change.index))
    cells[Int(changes.origin.index)] = image.cell(Int(type.origin.index)).map { memory.copy(text: $0) }
    cells[Int(changes.row.index)] = Cell(Int64(entry.row))
    let row = try insert(changes.type, cells, transaction)
    let before = previous(of: entry, type)
    for name in names(type, image) {
      guard let property = versions.property(named: name) else { continue }
      let field = catalog.catalog[changes.field]
      var cells = [Cell?](repeating: nil, count: field.columns.count)
      cells[Int(changes.name.index)] = text(name, memory)
      cells[Int(changes.old.index)] = before.flatMap { json(property.storage, versions, $0, memory) }
      cells[Int(changes.new.index)] = json(property.storage, versions, image, memory)
      link(changes.fields, row, try insert(changes.field, cells, transaction), transaction)
    }
  }

  private func insert(
    _ type: EntityTypeID, _ cells: [Cell?], _ transaction: WriteTransaction
  ) throws(StoreProblem) -> UInt32 {
    try transaction.insert(type, cells: cells.map { $0 ?? Cell(low: 0) }, valid: cells.map { $0 != nil })
  }

  private func link(_ relation: RelationID, _ source: UInt32, _ target: UInt32, _ transaction: WriteTransaction) {
    let relation = transaction.layout[relation]
    transaction.column(relation).appendToRun(source, target)
    transaction.column(transaction.layout[relation.inverse]).writeRaw(target, Cell(low: UInt64(source)))
  }

  /// The version of the same entity before.
  private func previous(of entry: Entry, _ type: VersionedType) -> StoredRow? {
    let layout = snapshot.layout
    let relation = layout[type.relation]
    let table = snapshot.table(type.versions)
    let owner = StoredRow(table, entry.row).cell(Int(layout[relation.inverse].column.index))
    guard let owner else { return nil }
    let all = snapshot.table(type.type).readers[Int(relation.column.index)].references(
      UInt32(truncatingIfNeeded: owner.low))
    // They ascend.
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle] < entry.row { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? StoredRow(table, all[low - 1]) : nil
  }

  /// The fields that differ; of a new entity, those that have values.
  private func names(_ type: VersionedType, _ image: StoredRow) -> [String] {
    if image.cell(Int(type.change.index))?.low == UInt64(VersionChange.created.code) {
      return type.fields.filter { field in
        guard let column = field.columns.first, let cell = image.cell(column) else { return false }
        return !type.sources[column].isOfLinks || cell.low != 0
      }.map(\.name)
    }
    guard let cell = image.cell(Int(type.changed.index)) else { return [] }
    let run = ListRun(cell, isWide: true)
    return (0..<run.count).map { index in
      let (start, count) = run.textBytes(index)
      return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }

  // MARK: - Values

  private func text(_ text: String, _ memory: ConversionArena) -> Cell? {
    var text = text
    return text.withUTF8 { memory.text(UnsafeRawBufferPointer($0)) }
  }

  /// The id of an entity; of a key of several fields, their values as a JSON list.
  private func key(_ type: EntityType, _ image: StoredRow, _ memory: ConversionArena) -> Cell? {
    // After them come the number of the version and the row.
    let columns = catalog.catalog[type.primaryIndex].columns.dropLast(2).map { type[type[$0].foldedFrom ?? $0] }
    if columns.count == 1, let column = columns.first, let cell = image.cell(Int(column.id.index)) {
      if column.type == .id { return memory.copy(text: cell) }
      var buffer = ByteBuffer()
      CellConverter.write(cell, CellConverter.form(column.type, catalog.catalog).form, asJSON: false, into: &buffer)
      return buffer.withUnsafeBytes { memory.text($0, flags: column.type == .int ? TextView.numberFlag : 0) }
    }
    var buffer = ByteBuffer()
    VersionValues(catalog: catalog.catalog).append(key: columns, image, to: &buffer)
    return buffer.withUnsafeBytes { memory.text($0) }
  }

  private func json(
    _ storage: PropertyStorage, _ type: EntityType, _ image: StoredRow, _ memory: ConversionArena
  ) -> Cell? {
    var buffer = ByteBuffer()
    append(storage, type, image, to: &buffer)
    return buffer.withUnsafeBytes { bytes in
      bytes.elementsEqual("null".utf8) ? nil : memory.text(bytes, flags: TextView.escapeFlag)
    }
  }

  private func append(
    _ storage: PropertyStorage, _ type: EntityType, _ image: StoredRow, to buffer: inout ByteBuffer
  ) {
    switch storage {
    case .column(let column, _): VersionValues(catalog: catalog.catalog).append(type[column], image, to: &buffer)
    case .embedded(let id, let presence, let fields):
      if image.cell(Int(presence.index)) == nil { return buffer.append("null") }
      for (place, (field, storage)) in zip(catalog.catalog[id].fields, fields).enumerated() {
        buffer.append(place == 0 ? "{" : ",")
        buffer.append(json: field.name)
        buffer.append(":")
        append(storage, type, image, to: &buffer)
      }
      buffer.append("}")
    case .relation, .members, .computed: buffer.append("null")
    }
  }
}

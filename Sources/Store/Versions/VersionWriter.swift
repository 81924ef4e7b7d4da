import GQLCatalog

/// A writer of the versions of entities, which the changes show that are taken back from the newest version on.
///
/// A row is looked at before and after each of its changes is taken back. What it was then is a version of it; what it is
/// in the end is the oldest one, or one that is known already.
package final class VersionWriter {
  /// The content of a row at one time.
  private struct Image {
    var status: UInt64
    /// By column of the versions. What cells point to lies in the writer's memory.
    var cells: [Cell?]
    /// The rows of linked entities, column by column.
    var links: [[UInt32]] = []
  }
  private struct Version {
    var type: Int
    var row: UInt32
    var number: Int64
    var from: Int64?
    var until: Int64?
    var image: Image
    var change: VersionChange?
    var changed: [String] = []
    var origin: String?
    var isDropped = false
  }
  private let catalog: VersionCatalog
  private let newest: Snapshot
  private let known: Snapshot?
  private let fold: TextFold
  private let isStopped: (Int) -> Bool
  private var rowsSeen = 0
  /// On its way back.
  private let rewinding: WriteTransaction
  private let memory = ConversionArena()
  /// The memory of one row that is written at once.
  private let scratch = ConversionArena()
  private var versions: [Version] = []
  /// By place in the catalog's `types`: the versions, by row, of which it is not known yet what was before.
  private var waiting: [[UInt32: Int]]
  /// By type: its place in the catalog's `types`.
  private var places: [Int: Int] = [:]

  /// - Parameters:
  ///   - known: The versions up to an earlier version of the data, to which the changes lead back; nil where they lead back
  ///     to the oldest one that is kept.
  ///   - isStopped: Asked once in a while, with the bytes that versions take until they are written.
  package init(
    _ newest: Snapshot, _ catalog: VersionCatalog, after known: Snapshot?, fold: @escaping TextFold,
    isStopped: @escaping (Int) -> Bool
  ) {
    self.isStopped = isStopped
    self.newest = newest
    self.catalog = catalog
    self.known = known
    self.fold = fold
    rewinding = WriteTransaction(newest, fold: fold)
    waiting = Array(repeating: [:], count: catalog.types.count)
    for (place, type) in catalog.types.enumerated() { places[Int(type.type.index)] = place }
  }

  /// Bytes that versions take until they are written.
  package private(set) var byteCount = 0

  // MARK: - Going back

  /// Counts a row that is looked at or written; false where the work is to end.
  private func advance() -> Bool {
    rowsSeen += 1
    return rowsSeen & 127 != 0 || !isStopped(byteCount)
  }

  /// Takes the changes of rows of one type back with which a version came. Later ones come first.
  ///
  /// - Returns: false where the work is to end.
  package func takeBack(
    _ changes: ChangeSet, type: Int, rows: [UInt32], version: Int64, time: Int64, origin: String?
  ) throws(ChangeProblem) -> Bool {
    if let place = places[type] {
      for row in rows {
        guard advance() else { return false }
        add(place, row, version, time, origin)
      }
    }
    try rewinding.apply(changes, checksTargets: false)
    return true
  }

  private func add(_ place: Int, _ row: UInt32, _ number: Int64, _ time: Int64, _ origin: String?) {
    let image = image(place, row, memory)
    let until = waiting[place][row].flatMap { close($0, before: image) }
    waiting[place][row] = versions.count
    versions.append(
      Version(type: place, row: row, number: number, from: time, until: until, image: image, origin: origin))
  }

  /// Notes what was before a version, and returns until when that was so.
  private func close(_ place: Int, before: Image) -> Int64? {
    let version = versions[place]
    let after = version.image
    let type = catalog.types[version.type]
    if after.status == RowChangeStatus.void {
      versions[place].isDropped = true
      return version.from
    }
    if before.status == RowChangeStatus.void {
      versions[place].change = after.status == RowChangeStatus.deleted ? .deleted : .created
      return version.from
    }
    let layout = layout(type)
    let isOfOneStatus = before.status == after.status
    // Links go and come with the entity: a deleted one shows those that it had.
    var linkPlaces: [Int: Int] = [:]
    for column in type.sources.indices where type.sources[column].isOfLinks { linkPlaces[column] = linkPlaces.count }
    let changed = type.fields.filter { field in
      field.columns.contains { column in
        // Of links the rows count: ids are those of now.
        if let place = linkPlaces[column] { return isOfOneStatus && before.links[place] != after.links[place] }
        return !areEqual(layout, column, before.cells[column], after.cells[column])
      }
    }.map(\.name)
    if isOfOneStatus, changed.isEmpty {
      versions[place].isDropped = true
      return version.until
    }
    versions[place].changed = changed
    versions[place].change =
      isOfOneStatus ? .updated : after.status == RowChangeStatus.deleted ? .deleted : .restored
    if !isOfOneStatus, after.status == RowChangeStatus.deleted {
      for column in type.sources.indices where type.sources[column].isOfLinks {
        versions[place].image.cells[column] = before.cells[column].map { memory.copy($0, layout.columns[column].type) }
      }
    }
    return version.from
  }

  private func layout(_ type: VersionedType) -> EntityType { catalog.catalog[type.versions] }

  private func areEqual(_ type: EntityType, _ column: Int, _ left: Cell?, _ right: Cell?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    var elementIsText = false
    if case .list(let element) = type.columns[column].type { elementIsText = ColumnKind(element) == .text }
    return ChangeValueKind(type.columns[column].kind, elementIsText: elementIsText).areEqual(left, right)
  }

  // MARK: - Looking at rows

  private func image(_ place: Int, _ row: UInt32, _ memory: ConversionArena) -> Image {
    let type = catalog.types[place]
    let stored = StoredRow(rewinding.table(type.type), row)
    if stored.status == RowChangeStatus.void { return Image(status: stored.status, cells: []) }
    let layout = layout(type)
    if memory === self.memory {
      byteCount += MemoryLayout<Version>.stride + type.sources.count * MemoryLayout<Cell?>.stride
    }
    var links: [[UInt32]] = []
    let cells = type.sources.enumerated().map { column, source -> Cell? in
      switch source {
      case .none: return nil
      case .column(let from): return stored.cell(from).map { memory.copy($0, layout.columns[column].type) }
      case .ids(let relation, let routes):
        let place = rewinding.layout.relationPlaces[Int(relation.id.index)]
        links.append(stored.shownTargets(relation, place: place))
        return ids(links[links.count - 1], relation, routes, layout.columns[column].type, memory)
      }
    }
    return Image(status: stored.status, cells: cells, links: links)
  }

  /// The ids of linked entities are those that these have now.
  private func ids(
    _ targets: [UInt32], _ relation: Relation, _ routes: [VersionedType.IDRoute], _ type: ValueType,
    _ memory: ConversionArena
  ) -> Cell? {
    let found = targets.compactMap { id(of: $0, relation, routes) }
    guard relation.isToMany, case .list(let element) = type else { return found.first.map { memory.copy($0, type) } }
    if memory === self.memory { byteCount += (found.count + targets.count) * 24 }
    return memory.list(count: found.count, isWide: ListRun.width(element) == 16) { memory.copy(found[$0], element) }
  }

  private func id(of target: UInt32, _ relation: Relation, _ routes: [VersionedType.IDRoute]) -> Cell? {
    for route in routes {
      var row = target
      if let through = route.through {
        guard let cell = StoredRow(newest.table(relation.target), target).cell(through) else { continue }
        row = UInt32(truncatingIfNeeded: cell.low)
      }
      if let cell = StoredRow(newest.tables[route.type], row).cell(route.column) { return cell }
    }
    return nil
  }

  // MARK: - Writing

  /// Returns the newest data with all versions beside it.
  ///
  /// - Parameter start: By type: the version with which its past begins.
  package func finish(_ start: (EntityTypeID) -> Int64) throws(StoreProblem) -> Snapshot {
    let transaction = WriteTransaction(newest.joined(with: known, catalog), fold: fold)
    if known == nil { transaction.beginBulk() }
    for place in catalog.types.indices { try finish(place, start(catalog.types[place].type), transaction) }
    versions.removeAll(where: \.isDropped)
    // So all versions of an entity ascend, and lists are in the order of time.
    versions.sort { ($0.number, $0.type, $0.row) < ($1.number, $1.type, $1.row) }
    for version in versions {
      scratch.removeAll()
      guard advance() else { throw .stopped }
      try write(version, transaction)
    }
    if known == nil { try transaction.endBulk() }
    return transaction.commit()
  }

  /// Ends the versions of a type that wait, and writes the oldest ones.
  private func finish(_ place: Int, _ start: Int64, _ transaction: WriteTransaction) throws(StoreProblem) {
    let type = catalog.types[place]
    func end(_ row: UInt32, _ before: Image) -> (until: Int64?, number: Int64) {
      guard let waiting = waiting[place][row] else { return (nil, start) }
      let number = versions[waiting].number
      // What is older than that is not kept of other entities.
      return (close(waiting, before: before), start < number ? start : number - 1)
    }
    let relation = transaction.layout[type.relation]
    if known != nil {
      for row in waiting[place].keys.sorted() {
        scratch.removeAll()
        guard advance() else { throw .stopped }
        let (until, _) = end(row, image(place, row, scratch))
        guard let until, let last = transaction.readColumn(relation).reader.references(row).last else { continue }
        try transaction.update(type.versions, last, type.until, Cell(until))
      }
      return
    }
    for row in 0..<UInt32(truncatingIfNeeded: rewinding.table(type.type).slots) {
      scratch.removeAll()
      guard advance() else { throw .stopped }
      let image = image(place, row, scratch)
      let (until, number) = end(row, image)
      if image.status == RowChangeStatus.void { continue }
      try write(
        Version(
          type: place, row: row, number: number, from: nil, until: until, image: image,
          change: image.status == RowChangeStatus.deleted ? .deleted : nil), transaction)
    }
  }

  private func write(_ version: Version, _ transaction: WriteTransaction) throws(StoreProblem) {
    let type = catalog.types[version.type]
    let layout = layout(type)
    var cells = version.image.cells
    cells[Int(type.row.index)] = Cell(Int64(version.row))
    cells[Int(type.number.index)] = Cell(version.number)
    cells[Int(type.from.index)] = version.from.map { Cell($0) }
    cells[Int(type.until.index)] = version.until.map { Cell($0) }
    cells[Int(type.change.index)] = version.change.map { Cell(low: UInt64($0.code)) }
    let changed = version.changed
    cells[Int(type.changed.index)] = scratch.list(count: changed.count, isWide: true) { place in
      var text = changed[place]
      return text.withUTF8 { scratch.text(UnsafeRawBufferPointer($0)) }
    }
    if var origin = version.origin {
      cells[Int(type.origin.index)] = origin.withUTF8 { scratch.text(UnsafeRawBufferPointer($0)) }
    }
    let row = try transaction.insert(
      type.versions, cells: cells.map { $0 ?? Cell(low: 0) }, valid: layout.columns.indices.map { cells[$0] != nil })
    let relation = transaction.layout[type.relation]
    transaction.column(relation).appendToRun(version.row, row)
    transaction.column(transaction.layout[relation.inverse]).writeRaw(row, Cell(low: UInt64(version.row)))
  }
}

extension StoredRow {
  /// Returns the targets of a relation, those that are deleted, and could come back, in their places; of a deleted row,
  /// what it led to when it was deleted.
  ///
  /// - Parameter place: That of the relation among those of its source.
  func targets(_ relation: Relation, place: Int) -> [UInt32] {
    let live = shownTargets(relation, place: place)
    return withSuspended(place) { words in
      if words.isEmpty { return live }
      let suspended = stride(from: 0, to: words.count - 1, by: 2).map {
        SuspendedLinks.Link(place: words[$0], target: words[$0 + 1])
      }
      return SuspendedLinks.merge(live, suspended)
    }
  }

  /// Returns the live targets of a relation; of a deleted row, what it led to when it was deleted.
  func shownTargets(_ relation: Relation, place: Int) -> [UInt32] {
    if status == RowChangeStatus.deleted {
      return withRecord { words in DeletionRecord.range(of: place, in: words).map { Array(words[$0]) } ?? [] }
    }
    let column = Int(relation.column.index)
    if relation.isToMany { return Array(run(column)) }
    return cell(column).map { [UInt32(truncatingIfNeeded: $0.low)] } ?? []
  }
}

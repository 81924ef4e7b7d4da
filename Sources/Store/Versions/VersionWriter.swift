import GQLBase
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
    /// The rows of linked entities that have an id, in the order of the type's ``LinkColumn`` values.
    var links: [[UInt32]] = []
  }
  /// A column of ids of linked entities.
  private struct LinkColumn {
    var column: Int
    var relation: Relation
    var routes: [VersionedType.IDRoute]
    /// The other end: the place of its type, and that of the relation back among the columns of links; nil where it has
    /// no versions, or these do not show it.
    var back: (type: Int, place: Int)?
  }
  /// The versions of a row, by their places.
  private struct Chain {
    var newest: Int
    var oldest: Int
  }
  private struct Version {
    var type: Int
    var row: UInt32
    var number: Int64
    /// The place of the version before.
    var older: Int?
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
  /// By place in the catalog's `types`: the versions of each row.
  private var chains: [[UInt32: Chain]]
  /// By place in the catalog's `types`.
  private let linkColumns: [[LinkColumn]]
  /// By place in the catalog's `types`: the version with which the past begins.
  private var starts: [Int64] = []
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
    chains = Array(repeating: [:], count: catalog.types.count)
    linkColumns = Self.linkColumns(catalog)
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
    let version = Version(
      type: place, row: row, number: number, from: time, image: image(place, row, memory), origin: origin)
    if let oldest = chains[place][row]?.oldest { versions[oldest].older = versions.count }
    chains[place][row, default: Chain(newest: versions.count, oldest: 0)].oldest = versions.count
    versions.append(version)
  }

  /// Notes what was before each version of a row, and returns until when that was so which was before all of them.
  private func close(_ chain: Chain, before: Image) -> Int64? {
    var until: Int64?
    var next: Int? = chain.newest
    while let place = next {
      next = versions[place].older
      versions[place].until = until
      until = close(place, before: next.map { versions[$0].image } ?? before)
    }
    return until
  }

  /// Notes what was before a version, and returns until when that was so.
  private func close(_ place: Int, before: Image) -> Int64? {
    let version = versions[place]
    let after = version.image
    let type = catalog.types[version.type]
    if after.status == RowChangeStatus.void {
      if before.status == RowChangeStatus.live {
        versions[place].image = copy(before, layout(type))
        versions[place].change = .deleted
        return version.from
      }
      // A deleted entity that makes way has the version of its deletion.
      versions[place].isDropped = true
      return version.until
    }
    if before.status == RowChangeStatus.void {
      versions[place].change = after.status == RowChangeStatus.deleted ? .deleted : .created
      return version.from
    }
    let layout = layout(type)
    let isOfOneStatus = before.status == after.status
    // Links go and come with the entity: a deleted one shows those that it had.
    let linkColumns = linkColumns[version.type]
    let changed = type.fields.filter { field in
      field.columns.contains { column in
        // Of links the rows count: ids are those of now.
        if let place = linkColumns.firstIndex(where: { $0.column == column }) {
          return isOfOneStatus && before.links[place] != after.links[place]
        }
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
      for column in linkColumns.map(\.column) {
        versions[place].image.cells[column] = before.cells[column].map { memory.copy($0, layout.columns[column].type) }
      }
    }
    return version.from
  }

  /// The last content of an entity that went without being deleted first, as that of a deleted one.
  private func copy(_ image: Image, _ layout: EntityType) -> Image {
    byteCount += image.cells.count * MemoryLayout<Cell?>.stride
    var copy = image
    copy.status = RowChangeStatus.deleted
    for column in copy.cells.indices {
      copy.cells[column] = image.cells[column].map { memory.copy($0, layout.columns[column].type) }
    }
    return copy
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
        // A link that cannot be seen any more is none, and losing it is no change.
        links.append(stored.shownTargets(relation, place: place).filter { way(to: $0, relation, routes) != nil })
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
    guard relation.isToMany, case .list(let element) = type else {
      return targets.first.flatMap { id(of: $0, relation, routes, type, memory) }
    }
    let found = targets.compactMap { id(of: $0, relation, routes, element, memory) }
    if memory === self.memory { byteCount += (found.count + targets.count) * 24 }
    return memory.list(count: found.count, isWide: ListRun.width(element) == 16) { found[$0] }
  }

  private func id(
    of target: UInt32, _ relation: Relation, _ routes: [VersionedType.IDRoute], _ type: ValueType,
    _ memory: ConversionArena
  ) -> Cell? {
    guard let (route, image) = way(to: target, relation, routes), let column = route.columns.first else { return nil }
    if route.columns.count == 1 { return image.cell(column).map { memory.copy($0, type) } }
    let layout = newest.layout.types[route.type]
    var buffer = ByteBuffer()
    VersionValues(catalog: newest.catalog).append(key: route.columns.map { layout.columns[$0] }, image, to: &buffer)
    return buffer.withUnsafeBytes { memory.text($0, flags: TextView.escapeFlag) }
  }

  /// The way to the id of a linked row, and the row that has it; nil where nothing has it now.
  private func way(
    to target: UInt32, _ relation: Relation, _ routes: [VersionedType.IDRoute]
  ) -> (VersionedType.IDRoute, StoredRow)? {
    for route in routes {
      var row = target
      if let through = route.through {
        guard let cell = StoredRow(newest.table(relation.target), target).cell(through) else { continue }
        row = UInt32(truncatingIfNeeded: cell.low)
      }
      let image = StoredRow(newest.tables[route.type], row)
      if let first = route.columns.first, image.cell(first) != nil { return (route, image) }
    }
    return nil
  }

  // MARK: - Both ends of links

  private static func linkColumns(_ catalog: VersionCatalog) -> [[LinkColumn]] {
    var result = catalog.types.map { type in
      type.sources.enumerated().compactMap { column, source -> LinkColumn? in
        guard case .ids(let relation, let routes) = source else { return nil }
        return LinkColumn(column: column, relation: relation, routes: routes)
      }
    }
    var places: [RelationID: (type: Int, place: Int)] = [:]
    for (type, columns) in result.enumerated() {
      for (place, column) in columns.enumerated() { places[column.relation.id] = (type, place) }
    }
    for type in result.indices {
      for place in result[type].indices { result[type][place].back = places[result[type][place].relation.inverse] }
    }
    return result
  }

  /// Takes links out of the versions that the versions at their other ends never have while they last: of an entity whose
  /// past is erased they are those of now.
  private func settleLinks() throws(StoreProblem) {
    for chain in chains.joined() {
      var next: Int? = chain.value.newest
      var end = Int64.max
      while let place = next {
        guard advance() else { throw .stopped }
        let version = versions[place]
        var image = version.image
        settle(&image, version.type, version.row, version.number..<end, memory)
        versions[place].image = image
        (next, end) = (version.older, version.number)
      }
    }
  }

  private func settle(
    _ image: inout Image, _ type: Int, _ row: UInt32, _ span: Range<Int64>, _ memory: ConversionArena
  ) {
    // A deleted entity shows the links that it had. One that nobody sees any more is in no version of others.
    guard image.status == RowChangeStatus.live,
      newest.table(catalog.types[type].type).status(row) != RowChangeStatus.void
    else { return }
    for (place, column) in linkColumns[type].enumerated() {
      guard let back = column.back else { continue }
      let links = image.links[place]
      let kept = links.filter { leads(back, from: $0, to: row, during: span) }
      if kept.count == links.count { continue }
      image.links[place] = kept
      let valueType = layout(catalog.types[type]).columns[column.column].type
      image.cells[column.column] = ids(kept, column.relation, column.routes, valueType, memory)
    }
  }

  /// Returns whether a version of a row that was there between two others of the database leads to another row.
  private func leads(
    _ end: (type: Int, place: Int), from source: UInt32, to target: UInt32, during span: Range<Int64>
  ) -> Bool {
    // Of what was before the past of the other end begins nothing is known.
    if span.upperBound <= starts[end.type] { return true }
    var next = chains[end.type][source]?.newest
    while let place = next {
      let version = versions[place]
      let isLive = version.image.status == RowChangeStatus.live
      if version.number < span.upperBound, isLive, version.image.links[end.place].contains(target) { return true }
      if version.number <= span.lowerBound { return false }
      next = version.older
    }
    let relation = linkColumns[end.type][end.place].relation
    let stored = StoredRow(rewinding.table(relation.source), source)
    if stored.status != RowChangeStatus.live { return false }
    // One whose past is erased may have the link suspended, as it is now.
    return stored.targets(relation, place: rewinding.layout.relationPlaces[Int(relation.id.index)]).contains(target)
  }

  // MARK: - Writing

  /// Returns the newest data with all versions beside it.
  ///
  /// - Parameters:
  ///   - hasErased: Tells whether the past of some entity may have been erased.
  ///   - start: By type: the version with which its past begins.
  package func finish(
    hasErased: Bool, _ start: (EntityTypeID) -> Int64
  ) throws(StoreProblem) -> Snapshot {
    starts = catalog.types.map { start($0.type) }
    // What is known is made anew after something was erased.
    let settles = hasErased && known == nil
    if settles { try settleLinks() }
    let transaction = WriteTransaction(newest.joined(with: known, catalog), fold: fold)
    if known == nil { transaction.beginBulk() }
    for place in catalog.types.indices {
      try finish(place, settles: settles, transaction)
    }
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

  /// Notes what was before the versions of a type, and writes the oldest ones.
  private func finish(_ place: Int, settles: Bool, _ transaction: WriteTransaction) throws(StoreProblem) {
    let (type, start) = (catalog.types[place], starts[place])
    let relation = transaction.layout[type.relation]
    if known != nil {
      for (row, chain) in chains[place].sorted(by: { $0.key < $1.key }) {
        scratch.removeAll()
        guard advance() else { throw .stopped }
        let until = close(chain, before: image(place, row, scratch))
        guard let until, let last = transaction.readColumn(relation).reader.references(row).last else { continue }
        try transaction.update(type.versions, last, type.until, Cell(until))
      }
      return
    }
    for row in 0..<UInt32(truncatingIfNeeded: rewinding.table(type.type).slots) {
      scratch.removeAll()
      guard advance() else { throw .stopped }
      var image = image(place, row, scratch)
      var (until, number) = (nil as Int64?, start)
      let chain = chains[place][row]
      let first = chain.map { versions[$0.oldest].number }
      // What is older than that is not kept of other entities.
      if let first, start >= first { number = first - 1 }
      if settles { settle(&image, place, row, number..<(first ?? .max), scratch) }
      if let chain { until = close(chain, before: image) }
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
    return heldTargets(relation)
  }

  /// Returns the targets that the row's column has; of a deleted row those are deleted with it.
  func heldTargets(_ relation: Relation) -> [UInt32] {
    let column = Int(relation.column.index)
    if relation.isToMany { return Array(run(column)) }
    return cell(column).map { [UInt32(truncatingIfNeeded: $0.low)] } ?? []
  }
}

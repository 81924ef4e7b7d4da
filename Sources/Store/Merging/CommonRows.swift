import GQLCatalog

/// The rows of one version that are entities of another one, where both go back to a third.
///
/// Rows of the third have one number in all of them. Others are told by their ids, those of interfaces and unions by what
/// they mirror, and objects by their places in lists that say the same.
struct CommonRows {
  typealias Row = DeletedRow

  private let version: Snapshot
  private let other: Snapshot
  private let start: Snapshot
  private let others: [Snapshot]
  private let layout: StoreLayout
  /// By rows of the version that the third one does not have: their numbers in the other.
  private(set) var numbers: [Row: UInt32] = [:]
  private var taken: Set<Row> = []

  /// - Parameters:
  ///   - version: Has the rows that are looked for.
  ///   - other: Has the numbers.
  ///   - start: The version that both go back to.
  ///   - others: Versions whose rows have the numbers of `version`.
  init(of version: Snapshot, in other: Snapshot, since start: Snapshot, beside others: [Snapshot] = []) {
    (self.version, self.other, self.start, self.others) = (version, other, start, others)
    layout = version.layout
    var owners: [(row: Row, number: UInt32)] = []
    // Invariant: what is compared is well-formed.
    try? version.changes(since: start).forEachRow { type, number in
      let row = Row(type: EntityTypeID(type), row: number)
      if image(start, row).status != RowChangeStatus.void {
        owners.append((row, number))
      } else if !layout.types[type].isHidden, let found = find(row), take(row, found) {
        owners.append((row, found))
        takeMirrors(row, found)
      }
    }
    while let owner = owners.popLast() { takeObjects(of: owner.row, owner.number, &owners) }
  }

  private func image(_ version: Snapshot, _ row: Row) -> StoredRow { StoredRow(version.table(row.type), row.row) }

  private mutating func take(_ row: Row, _ number: UInt32) -> Bool {
    let found = Row(type: row.type, row: number)
    // What has gone for good may be another entity there.
    let isFree =
      image(start, found).status == RowChangeStatus.void
      || ([version] + others).allSatisfy { image($0, found).status == RowChangeStatus.void }
    guard isFree, taken.insert(found).inserted else { return false }
    numbers[row] = number
    return true
  }

  /// Returns the row of the other version with the id of one.
  private func find(_ row: Row) -> UInt32? {
    guard let keys = layout.types[Int(row.type.index)].indexes.first?.keys else { return nil }
    let stored = image(version, row)
    let cells = (0..<keys.count).compactMap { stored.cell(keys.components[$0].column) }
    if stored.status == RowChangeStatus.void || cells.count < keys.count { return nil }
    let table = other.table(row.type)
    let live = table.find(0, key: cells)
    if live != PageLayout.noRow { return live }
    let deleted = table.tombstones?.find(cells, columns: table.readers) ?? PageLayout.noRow
    return deleted == PageLayout.noRow ? nil : deleted
  }

  private mutating func takeMirrors(_ row: Row, _ number: UInt32) {
    let (here, there) = (image(version, row), image(other, Row(type: row.type, row: number)))
    for mirror in layout.types[Int(row.type.index)].mirrors {
      let column = Int(mirror.column.index)
      guard let own = here.cell(column), let found = there.cell(column) else { continue }
      let mirrored = Row(type: mirror.target, row: UInt32(truncatingIfNeeded: own.low))
      _ = take(mirrored, UInt32(truncatingIfNeeded: found.low))
    }
  }

  /// Takes the objects in the lists of a row that say the same in both versions.
  private mutating func takeObjects(of row: Row, _ number: UInt32, _ owners: inout [(row: Row, number: UInt32)]) {
    for relation in layout.types[Int(row.type.index)].relations where layout.ownsTargets(of: relation) {
      let place = layout.relationPlaces[Int(relation.id.index)]
      let here = image(version, row).targets(relation, place: place)
      let there = image(other, Row(type: row.type, row: number)).targets(relation, place: place)
      if here.isEmpty || here.count != there.count { continue }
      let pairs = zip(here, there).map { (Row(type: relation.target, row: $0), Row(type: relation.target, row: $1)) }
      guard pairs.allSatisfy({ saySame($0, $1) }) else { continue }
      for (object, found) in pairs {
        if image(start, object).status != RowChangeStatus.void {
          if object == found { owners.append((object, found.row)) }
        } else if take(object, found.row) {
          owners.append((object, found.row))
        }
      }
    }
  }

  /// Returns whether the fields of two objects are equal; those that are links are not looked at.
  private func saySame(_ object: Row, _ found: Row) -> Bool {
    let type = layout.types[Int(object.type.index)]
    let (here, there) = (image(version, object), image(other, found))
    return type.columns.indices.allSatisfy { column in
      if type.isFilled[column] || type.isFolded[column] { return true }
      guard let own = here.cell(column), let other = there.cell(column) else {
        return here.cell(column) == nil && there.cell(column) == nil
      }
      return ChangeValueKind(type.columns[column].kind, elementIsText: type.elementIsText[column]).areEqual(own, other)
    }
  }
}

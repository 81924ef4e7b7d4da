import GQLCatalog

/// A comparison of the two ends of links, where the past of one of them is not kept and that of the other is.
///
/// An entity whose past is erased has its links of now in every past. The entities at their other ends have those of then.
/// A link that only one of two fields has is none of that version.
package final class LinkEnds {
  private struct Place: Hashable {
    var type: Int
    var column: Int
    var row: UInt32
  }
  private let newest: Snapshot
  /// The types that are as they were.
  private let types: Set<Int>
  /// Long lists of targets that were looked into.
  private var lists: [Place: Set<UInt32>] = [:]
  private static let fewTargets = 16

  /// - Parameters:
  ///   - newest: The data that is gone back from.
  ///   - types: The types that are as they were.
  package init(_ newest: Snapshot, types: Set<Int>) {
    self.newest = newest
    self.types = types
  }

  /// Returns the rows that were changed on the way back, by type, and those that lead to them in the newest data: links of
  /// rows that were not changed are those of now.
  func withPartners(_ rows: [Int: Set<UInt32>]) -> [Int: Set<UInt32>] {
    var result = rows
    for (type, rows) in rows {
      for relation in newest.layout.types[type].relations {
        let target = Int(relation.target.index)
        guard types.contains(target) else { continue }
        for row in rows {
          let image = StoredRow(newest.tables[type], row)
          let place = newest.layout.relationPlaces[Int(relation.id.index)]
          result[target, default: []].formUnion(image.heldTargets(relation))
          result[target, default: []].formUnion(image.targets(relation, place: place))
        }
      }
    }
    return result
  }

  /// Returns whether a link of a row is none in the version: its target is not there, or does not lead back. A field without
  /// an inverse is believed. Of a type that is as it is now nothing is known.
  func isLost(
    _ target: UInt32, of row: UInt32, _ column: Int, of layout: StoreLayout.TypeLayout, in transaction: WriteTransaction
  ) -> Bool {
    guard let relation = layout.relations.first(where: { Int($0.column.index) == column }),
      types.contains(Int(relation.target.index))
    else { return false }
    // A deleted row has none but what is deleted with it.
    let status = transaction.table(relation.source).status(row)
    if transaction.table(relation.target).status(target) != status { return true }
    let back = transaction.layout[relation.inverse]
    return !Self.isOneWay(relation, back) && !leadsBack(target, to: row, back, in: transaction)
  }

  /// Returns whether a suspended link of a row is none in the version: its target is not deleted, or does not remember it.
  func isLost(suspended target: UInt32, of row: UInt32, _ relation: Relation, in transaction: WriteTransaction) -> Bool
  {
    guard types.contains(Int(relation.target.index)) else { return false }
    let image = StoredRow(transaction.table(relation.target), target)
    if image.status != RowChangeStatus.deleted { return true }
    let back = transaction.layout[relation.inverse]
    return !image.shownTargets(back, place: transaction.layout.relationPlaces[Int(back.id.index)]).contains(row)
  }

  /// Returns the links of fields without an inverse to which the hidden lists at their other ends lack the way back: by
  /// type, row and column of the lists, the rows that they lack.
  func missing(
    of rows: [Int: Set<UInt32>], in transaction: WriteTransaction
  ) -> [Int: [UInt32: [Int: [UInt32]]]] {
    var missing: [Int: [UInt32: [Int: [UInt32]]]] = [:]
    for (type, rows) in rows {
      for relation in transaction.layout.types[type].relations where types.contains(Int(relation.target.index)) {
        let back = transaction.layout[relation.inverse]
        guard Self.isOneWay(relation, back) else { continue }
        let target = Int(relation.target.index)
        for row in rows.sorted() {
          let image = StoredRow(transaction.tables[type], row)
          for link in image.heldTargets(relation) where !leadsBack(link, to: row, back, in: transaction) {
            missing[target, default: [:]][link, default: [:]][Int(back.column.index), default: []].append(row)
          }
        }
      }
    }
    return missing
  }

  private static func isOneWay(_ relation: Relation, _ back: Relation) -> Bool {
    relation.property != nil && back.property == nil && back.isToMany && !relation.isMirror
  }

  private func leadsBack(_ target: UInt32, to row: UInt32, _ back: Relation, in transaction: WriteTransaction) -> Bool {
    let (type, column) = (Int(back.source.index), Int(back.column.index))
    let image = StoredRow(transaction.tables[type], target)
    if !back.isToMany { return image.cell(column).map { UInt32(truncatingIfNeeded: $0.low) } == row }
    let place = Place(type: type, column: column, row: target)
    if let known = lists[place] { return known.contains(row) }
    let run = image.run(column)
    if run.count <= Self.fewTargets { return run.contains(row) }
    let known = Set(run)
    lists[place] = known
    return known.contains(row)
  }
}

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

  /// Returns the links of a row in the version, those that both ends have, and as the ends are: between two that live, or
  /// are deleted together, they are held, and of one that lives to a deleted one suspended. A field without an inverse is
  /// believed. Nil where the targets are of a type that is as it is now, of which nothing is known.
  func links(of image: StoredRow, _ relation: Relation, in transaction: WriteTransaction) -> RowLinks? {
    guard types.contains(Int(relation.target.index)) else { return nil }
    let back = transaction.layout[relation.inverse]
    let isBelieved = Self.isOneWay(relation, back)
    let targets = transaction.table(relation.target)
    let isLive = image.status == RowChangeStatus.live
    let place = transaction.layout.relationPlaces[Int(relation.id.index)]
    var links = RowLinks()
    // A deleted row holds none but what is deleted with it.
    for target in isLive ? image.targets(relation, place: place) : image.heldTargets(relation) {
      let status = targets.status(target)
      if status == RowChangeStatus.void { continue }
      let isAlike = status == image.status
      guard isAlike && isBelieved || knows(target, image.row, back, in: transaction) else { continue }
      if isAlike { links.held.append(target) } else if isLive { links.suspend(target) }
    }
    return links
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
          for link in image.heldTargets(relation) where !knows(link, row, back, in: transaction) {
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

  /// Returns whether a row has a link to another one: one that it holds, that is suspended, or that it had when it was
  /// deleted.
  private func knows(_ row: UInt32, _ other: UInt32, _ relation: Relation, in transaction: WriteTransaction) -> Bool {
    let (type, column) = (Int(relation.source.index), Int(relation.column.index))
    let key = Place(type: type, column: column, row: row)
    if let known = lists[key] { return known.contains(other) }
    let image = StoredRow(transaction.tables[type], row)
    let place = transaction.layout.relationPlaces[Int(relation.id.index)]
    let links = image.heldTargets(relation) + image.targets(relation, place: place)
    if links.count <= Self.fewTargets { return links.contains(other) }
    let known = Set(links)
    lists[key] = known
    return known.contains(other)
  }
}

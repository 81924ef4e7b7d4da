import GQLBase
import GQLCatalog

/// The links of one relation in one version with the suspended ones: the lists that restoring would bring back.
///
/// Of a living row they are its run with the suspended links in their places. Of a deleted one they are what its record
/// remembers, but for what has changed since: entities that are purged, and those whose to-one relation was written
/// meanwhile.
package final class RestorableLinks: Sendable {
  private let relation: Relation
  private let inverseIsToMany: Bool
  /// The relation's place among those of its source, its inverse's among those of its target.
  private let place: Int
  private let inversePlace: Int
  private let source: Table
  private let target: Table
  private let suspended: SuspendedLinks?
  private let inverseSuspended: SuspendedLinks?

  fileprivate init(_ relation: Relation, _ snapshot: Snapshot) {
    let layout = snapshot.layout
    self.relation = relation
    inverseIsToMany = layout[relation.inverse].isToMany
    place = layout.relationPlaces[Int(relation.id.index)]
    inversePlace = layout.relationPlaces[Int(relation.inverse.index)]
    source = snapshot.table(relation.source)
    target = snapshot.table(relation.target)
    suspended = source.suspended.isEmpty ? nil : source.suspended[place]
    inverseSuspended = target.suspended.isEmpty ? nil : target.suspended[inversePlace]
  }

  /// At least as many as the row has.
  package func bound(_ row: UInt32) -> Int {
    if source.isLive(row) { return liveCount(row) + (suspended?.count(row) ?? 0) }
    return source.isDeleted(row) ? source.tombstones?.linkBound(row) ?? 0 : 0
  }

  /// Writes the first `most` of the row's links of the status, in order, and gives their number; there must be room for
  /// ``bound(_:)``, or for `most` if that is less. Once the watch is due they are some of them.
  package func write(
    _ row: UInt32, _ status: LinkStatus, most: Int = .max, _ watch: inout InterruptionWatch,
    into rows: UnsafeMutablePointer<UInt32>
  ) -> Int {
    if source.isLive(row) { return writeLive(row, status, most, into: rows) }
    if status == .live || !source.isDeleted(row) { return 0 }
    return writeDeleted(row, status, most, &watch, into: rows)
  }

  private var reader: ColumnReader { source.readers[Int(relation.column.index)] }

  private func liveCount(_ row: UInt32) -> Int {
    if relation.isToMany { return reader.references(row).count }
    return reader.reference(row) == PageLayout.noRow ? 0 : 1
  }

  private func writeLive(
    _ row: UInt32, _ status: LinkStatus, _ most: Int, into rows: UnsafeMutablePointer<UInt32>
  ) -> Int {
    var single = relation.isToMany ? PageLayout.noRow : reader.reference(row)
    return withUnsafePointer(to: &single) { single in
      var run = UnsafeBufferPointer(start: single, count: single.pointee == PageLayout.noRow ? 0 : 1)
      if relation.isToMany { run = reader.references(row) }
      if status == .deleted { run = UnsafeBufferPointer(rebasing: run[..<0]) }
      guard status != .live, let suspended else { return copy(run[...], to: rows, 0, most) }
      return suspended.withLinks(row) { words in
        var count = 0
        var next = 0
        for index in 0..<(words.count / 2) {
          if count >= most { return count }
          let link = words[2 * index + 1]
          // What a transaction has purged is in the lists until its end.
          guard target.isDeleted(link) else { continue }
          let end = min(Int(words[2 * index]), run.count)
          if next < end {
            count = copy(run[next..<end], to: rows, count, most)
            next = end
            if count >= most { return count }
          }
          rows[count] = link
          count += 1
        }
        return copy(run[next...], to: rows, count, most)
      }
    }
  }

  @inline(__always)
  private func copy(
    _ run: Slice<UnsafeBufferPointer<UInt32>>, to rows: UnsafeMutablePointer<UInt32>, _ count: Int, _ most: Int
  ) -> Int {
    let part = UnsafeBufferPointer(rebasing: run.prefix(most - count))
    if let start = part.baseAddress, part.count > 0 { (rows + count).update(from: start, count: part.count) }
    return count + part.count
  }

  private func writeDeleted(
    _ row: UInt32, _ status: LinkStatus, _ most: Int, _ watch: inout InterruptionWatch,
    into rows: UnsafeMutablePointer<UInt32>
  ) -> Int {
    guard let tombstones = source.tombstones else { return 0 }
    return tombstones.withTargets(row, relation: place) { targets in
      var count = 0
      for other in targets {
        // What the other end says is found in a tree: some hundred nanoseconds.
        if count >= most || watch.spend(64) { break }
        guard isKept(other, row, status) else { continue }
        rows[count] = other
        count += 1
      }
      return count
    }
  }

  /// Whether a deleted row's remembered link is one of the status that is there still. A to-many relation at the other
  /// end forgets none as long as both ends are kept.
  private func isKept(_ other: UInt32, _ row: UInt32, _ status: LinkStatus) -> Bool {
    if target.isDeleted(other) {
      if inverseIsToMany { return true }
      return target.tombstones?.withTargets(other, relation: inversePlace) { $0.contains(row) } ?? false
    }
    guard status == .any, target.isLive(other) else { return false }
    return inverseIsToMany || inverseSuspended?.withLinks(other) { $0.count == 2 && $0[1] == row } ?? false
  }
}

extension Snapshot {
  /// Returns the relation's links with the suspended ones; nil while no entity is deleted at either of its ends.
  package func restorableLinks(_ id: RelationID) -> RestorableLinks? {
    let relation = layout[id]
    if deletedCount(relation.source) == 0, deletedCount(relation.target) == 0 { return nil }
    return RestorableLinks(relation, self)
  }
}

extension TombstoneTable {
  /// At least as many as a deleted row has links of one relation.
  fileprivate func linkBound(_ row: UInt32) -> Int { withWords(row) { $0.count } }

  /// Calls with the targets that the row's record remembers of the relation at `place`, in order.
  fileprivate func withTargets<Result>(
    _ row: UInt32, relation place: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Result
  ) -> Result {
    withWords(row) { words in
      var index = 2
      while index + 2 <= words.count {
        let end = min(words.count, index + 2 + Int(words[index + 1]))
        if Int(words[index]) == place { return body(UnsafeBufferPointer(rebasing: words[(index + 2)..<end])) }
        index = end
      }
      return body(UnsafeBufferPointer(start: nil, count: 0))
    }
  }
}

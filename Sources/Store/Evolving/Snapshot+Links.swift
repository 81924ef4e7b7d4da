import GQLCatalog

/// Links as lists that do not tell the living from the deleted.
extension Snapshot {
  /// Calls with all targets of a row, in order: those of a live one with the suspended ones in their places, those that
  /// are remembered of a deleted one.
  func forEachTarget(_ relation: Relation, _ row: UInt32, _ body: (UInt32) -> Void) {
    let table = table(relation.source)
    let place = layout.relationPlaces[Int(relation.id.index)]
    guard table.isLive(row) else {
      guard table.isDeleted(row), let tombstones = table.tombstones else { return }
      for target in tombstones.record(row).targets(relation: place) { body(target) }
      return
    }
    let reader = table.readers[Int(relation.column.index)]
    if !table.suspended.isEmpty, let suspended = table.suspended[place], !suspended.isEmpty(row) {
      let target = relation.isToMany ? PageLayout.noRow : reader.reference(row)
      let live = relation.isToMany ? Array(reader.references(row)) : target == PageLayout.noRow ? [] : [target]
      for target in SuspendedLinks.merge(live, suspended[row]) { body(target) }
    } else if relation.isToMany {
      for target in reader.references(row) { body(target) }
    } else {
      let target = reader.reference(row)
      if target != PageLayout.noRow { body(target) }
    }
  }

  func hasTarget(_ relation: Relation, _ row: UInt32) -> Bool {
    var found = false
    forEachTarget(relation, row) { _ in found = true }
    return found
  }
}

extension SuspendedLinks {
  /// A run with suspended links in their places.
  static func merge(_ live: [UInt32], _ suspensions: [Link]) -> [UInt32] {
    var merged: [UInt32] = []
    merged.reserveCapacity(live.count + suspensions.count)
    var next = 0
    for (index, target) in live.enumerated() {
      while next < suspensions.count, suspensions[next].place <= index {
        merged.append(suspensions[next].target)
        next += 1
      }
      merged.append(target)
    }
    for link in suspensions[next...] { merged.append(link.target) }
    return merged
  }
}

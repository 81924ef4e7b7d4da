import GQLCatalog

extension Snapshot {
  func checkDeleted(_ table: Table, _ found: inout [Inconsistency]) {
    let expected = (0..<UInt32(truncatingIfNeeded: table.slots)).filter { table.isDeleted($0) }
    var rows = [UInt32](repeating: 0, count: table.tombstones?.count ?? 0)
    rows.withUnsafeMutableBufferPointer { buffer in
      if let base = buffer.baseAddress, buffer.count > 0 { deletedRows(table.layout.id, into: base) }
    }
    for row in Set(rows).symmetricDifference(expected) { found.append(.deletedRow(table.layout.id, row: row)) }
    guard let tombstones = table.tombstones, let keys = tombstones.byKey?.layout else { return }
    withUnsafeTemporaryAllocation(of: Cell.self, capacity: keys.count) { buffer in
      // Safe because keys have at least one component.
      let key = buffer.baseAddress.unsafelyUnwrapped
      for row in expected where keys.load(table.readers, row, into: key) {
        if tombstones.find(key, columns: table.readers) != row { found.append(.deletedRow(table.layout.id, row: row)) }
      }
    }
  }

  func checkSuspended(_ relation: Relation, _ found: inout [Inconsistency]) {
    let table = table(relation.source)
    let place = layout.relationPlaces[Int(relation.id.index)]
    guard !table.suspended.isEmpty, let links = table.suspended[place] else { return }
    let target = self.table(relation.target)
    let inversePlace = layout.relationPlaces[Int(relation.inverse.index)]
    links.forEach { row, links in
      let reader = table.columns[Int(relation.column.index)].reader
      let runCount =
        relation.isToMany ? reader.references(row).count : reader.reference(row) == PageLayout.noRow ? 0 : -1
      var last: UInt32 = 0
      for link in links {
        let remembers = target.tombstones?.record(link.target).targets(relation: inversePlace).contains(row) ?? false
        if link.place < last || Int(link.place) > runCount || !table.isLive(row) || !target.isDeleted(link.target)
          || !remembers
        {
          found.append(.suspendedLink(relation.id, source: row, target: link.target))
        }
        last = link.place
      }
    }
  }
}

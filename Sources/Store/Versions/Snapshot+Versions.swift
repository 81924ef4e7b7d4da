import GQLCatalog

extension Snapshot {
  /// Returns this data with tables of versions beside it, under the catalog of both. Nothing is copied.
  ///
  /// Complexity: O(types), and O(*n*) in the rows that came since the other snapshot.
  ///
  /// - Parameters:
  ///   - catalog: One that is this snapshot's with hidden types of versions.
  ///   - versions: A snapshot of the same catalog, the versions of which are taken; nil for none.
  package func joined(with versions: Snapshot?, _ catalog: VersionCatalog) -> Snapshot {
    let layout = versions?.layout ?? StoreLayout(catalog.catalog)
    let stamp = Stamp.next()
    var joined = tables
    for type in catalog.types {
      let number = Int(type.type.index)
      joined[number] = Table(joining: tables[number], versions?.tables[number], layout.types[number], stamp: stamp)
    }
    for number in tables.count..<layout.types.count {
      joined.append(versions?.tables[number] ?? Table(layout.types[number], stamp: stamp))
    }
    return Snapshot(
      catalog.catalog, version: version, layout: layout, tables: joined, dangling: DanglingLinks(),
      growth: versions?.growth.advanced(joined, stamp: stamp) ?? GrowthMark(generation: stamp, joined))
  }
}

extension Table {
  /// A table with the columns of another one, and after them those that a third one of the same rows has beyond them.
  fileprivate convenience init(
    joining base: Table, _ other: Table?, _ layout: StoreLayout.TypeLayout, stamp: UInt64
  ) {
    self.init(layout, stamp: stamp)
    slots = base.slots
    live = base.live
    for (number, column) in base.columns.enumerated() {
      setColumn(number) { ColumnStore(copying: column, stamp: stamp, slot: $0) }
    }
    for number in base.columns.count..<layout.columns.count {
      if let other {
        setColumn(number) { ColumnStore(copying: other.columns[number], stamp: stamp, slot: $0) }
      }
      columns[number].appendRepeated(nil, count: base.slots - columns[number].count)
    }
    if let liveness = base.liveness {
      setLiveness { ColumnStore(copying: liveness, stamp: stamp, slot: $0) }
    }
    setTombstones(base.tombstones)
    for (place, links) in base.suspended.enumerated() { setSuspended(place, links) }
    for (number, index) in base.indexes.enumerated() { setIndex(number, index) }
  }
}

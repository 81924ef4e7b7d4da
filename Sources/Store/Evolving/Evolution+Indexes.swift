import GQLCatalog

/// Indexes and deleted entities: shared where their columns are, else made anew.
extension Evolution {
  private static let samples = 3

  func makeIndexes(_ type: StoreLayout.TypeLayout) throws(EvolutionFailure) {
    let table = table(type.id)
    guard table.slots > 0 else { return }
    for number in type.indexes.indices {
      try advance()
      if share(table, number) { continue }
      let live = try liveRows(table)
      let pair = table.indexes[number].built?.build(IndexedRows(live), columns: table.readers, allowance)
      try check()
      if pair != nil { try noteDuplicates(table, number, live) }
      try take(-live.count * 4)
    }
  }

  private func liveRows(_ table: Table) throws(EvolutionFailure) -> [UInt32] {
    try take(table.live * 4)
    var live: [UInt32] = []
    live.reserveCapacity(table.live)
    for row in rows(table) {
      try advance()
      if table.liveness == nil || table.isLive(row) { live.append(row) }
    }
    return live
  }

  /// Takes an old index that has the same keys of the same cells.
  private func share(_ table: Table, _ number: Int) -> Bool {
    guard let before = oldTable(table.layout.id) else { return false }
    let wanted = table.layout.indexes[number]
    for (place, index) in before.layout.indexes.enumerated()
    where index.isAlike(wanted) && hasSameCells(table, wanted.keys, before, index.keys) {
      guard let built = before.indexes[place].built else { continue }
      table.setIndex(number, built.copy(keys: wanted.keys, stamp: stamp))
      return true
    }
    return false
  }

  private func hasSameCells(_ table: Table, _ keys: KeyLayout, _ before: Table, _ others: KeyLayout) -> Bool {
    guard keys.count == others.count else { return false }
    return (0..<keys.count).allSatisfy { place in
      let (component, other) = (keys.components[place], others.components[place])
      return component.kind == other.kind
        && isShared(table.columns[component.column], before.columns[other.column])
    }
  }

  /// Counts the rows with a key that another has, by an index that allows them.
  private func noteDuplicates(_ table: Table, _ number: Int, _ live: [UInt32]) throws(EvolutionFailure) {
    let keys = table.layout.indexes[number].keys
    let index = HashIndex(layout: keys, isUnique: false, stamp: stamp)
    _ = index.build(IndexedRows(live), columns: table.readers, allowance)
    try check()
    let reader = index.reader(table.readers)
    var found = EvolutionReport.Duplicates(index: table.layout.indexes[number].id, surplus: 0, samples: [])
    try withKey(keys.count) { (key) throws(EvolutionFailure) in
      for row in live {
        try advance()
        guard keys.load(table.readers, row, into: key) else { continue }
        guard case .many(let rows) = reader.rows(key) else { continue }
        if rows[0] != row {
          found.surplus += 1
        } else if found.samples.count < Self.samples {
          found.samples.append(row)
        }
      }
    }
    report.duplicates.append(found)
    try take(-index.byteCount)
  }

  // MARK: - Deleted entities

  func makeTombstones(_ type: StoreLayout.TypeLayout) throws(EvolutionFailure) {
    let table = table(type.id)
    let before = oldTable(type.id)
    if table.liveness == nil { return }
    if let before, mayShareTombstones(table, before) {
      let keys = type.indexes.first?.keys
      table.setTombstones(before.tombstones.map { TombstoneTable(copying: $0, keys: keys, stamp: stamp) })
      return
    }
    var tombstones: TombstoneTable?
    var keyless = 0
    let keys = type.indexes.first?.keys
    try withKey(keys?.count ?? 1) { (key) throws(EvolutionFailure) in
      for row in rows(table) {
        try advance()
        guard table.isDeleted(row) else { continue }
        let made = tombstones ?? TombstoneTable(type, stamp: stamp)
        tombstones = made
        if let keys {
          let isNamed = keys.load(table.readers, row, into: key)
          let isTaken =
            isNamed
            && (made.find(key, columns: table.readers) != PageLayout.noRow
              || table.find(0, key: key) != PageLayout.noRow)
          if !isNamed || isTaken { keyless += 1 }
        }
        let record = record(type, row)
        try advance(record.words.count)
        try take(record.words.count * 4)
        made.add(row, record: record, columns: table.readers, key: key)
      }
    }
    if keyless > 0 { report.keyless.append((type.id, keyless)) }
    table.setTombstones(tombstones)
  }

  private func withKey(
    _ count: Int, _ body: (UnsafeMutablePointer<Cell>) throws(EvolutionFailure) -> Void
  ) throws(EvolutionFailure) {
    let key = UnsafeMutablePointer<Cell>.allocate(capacity: max(1, count))
    key.initialize(repeating: Cell(low: 0), count: max(1, count))
    defer { key.deallocate() }
    try body(key)
  }

  /// Whether the records name the same relations at the same places, and the key lies in the same cells.
  private func mayShareTombstones(_ table: Table, _ before: Table) -> Bool {
    guard table.slots == before.slots, goneRows(table.layout.id) == nil,
      table.layout.relations.count == before.layout.relations.count
    else { return false }
    let haveSamePlaces = zip(table.layout.relations, before.layout.relations).allSatisfy { relation, other in
      isShared(relation) && mapping.links[Int(relation.id.index)] == [other.id]
    }
    guard haveSamePlaces else { return false }
    switch (table.layout.indexes.first?.keys, before.layout.indexes.first?.keys) {
    case (nil, nil): return true
    case (let keys?, let others?): return hasSameCells(table, keys, before, others)
    default: return false
    }
  }

  private func record(_ type: StoreLayout.TypeLayout, _ row: UInt32) -> DeletionRecord {
    let remembered = oldTable(type.id).flatMap { before in
      Int(row) < before.slots ? before.tombstones?.record(row) : nil
    }
    var record = remembered?.withoutLinks ?? DeletionRecord(deletion: deletion(ofMirror: row, in: type))
    for (place, relation) in type.relations.enumerated() {
      if let lists = lists[Int(relation.id.index)] {
        record.add(relation: place, targets: Array(lists[row]))
      } else if let source = mapping.links[Int(relation.id.index)].first, let remembered {
        let old = old.layout.relationPlaces[Int(source.index)]
        record.add(relation: place, targets: Array(remembered.targets(relation: old)))
      }
    }
    return record
  }

  /// A row that mirrors a deleted entity since now went with it.
  private func deletion(ofMirror row: UInt32, in type: StoreLayout.TypeLayout) -> UInt64 {
    for member in type.members {
      guard let entity = lists[Int(member.id.index)]?[row].first else { continue }
      return oldTable(member.target)?.tombstones?.record(entity).deletion ?? 0
    }
    return 0
  }
}

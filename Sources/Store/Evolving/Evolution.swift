import GQLCatalog

/// Puts the data of a snapshot under another catalog, as ``CatalogMapping`` says.
///
/// Rows keep their numbers, so that order, identity and links stay what they are. What does not change is shared with
/// the snapshot, page by page: a column that only moves costs nothing, whatever its length. The rest is made anew, each
/// column and each relation in one pass.
final class Evolution {
  let old: Snapshot
  let catalog: Catalog
  let mapping: CatalogMapping
  let layout: StoreLayout
  let stamp = Stamp.next()
  let fold: TextFold
  /// The cell of a column that rows without a value get, null or not.
  let filler: (EntityTypeID, ColumnID) -> Cell?
  let allowance: WorkAllowance
  var tables: [Table] = []
  var report = EvolutionReport()
  /// By old type: the rows that go although their type stays; nil for none.
  var gone: [[Bool]?]
  /// By new relation: its lists, where they are made anew.
  var lists: [LinkLists?]
  /// By new relation from a member to an interface or union: the mirroring rows, by the member's.
  var mirrorRows: [RelationID: [UInt32]] = [:]

  init(
    _ old: Snapshot, to catalog: Catalog, _ mapping: CatalogMapping, fold: @escaping TextFold,
    filler: @escaping (EntityTypeID, ColumnID) -> Cell?, _ allowance: WorkAllowance
  ) {
    self.old = old
    self.catalog = catalog
    self.mapping = mapping
    self.fold = fold
    self.filler = filler
    self.allowance = allowance
    layout = StoreLayout(catalog)
    gone = Array(repeating: nil, count: old.tables.count)
    lists = Array(repeating: nil, count: catalog.relations.count)
  }

  /// The snapshot is whole only where the report has neither missing values nor duplicates.
  func run() throws(EvolutionFailure) -> Snapshot {
    try advance()
    try findGoneRows()
    for type in layout.types { tables.append(try makeTable(type)) }
    for type in catalog.types where type.isAbstract { try mirrorNewMembers(type) }
    for type in layout.types { try fillColumns(type) }
    for relation in layout.relations where relation.id.index <= relation.inverse.index { try fillLinks(relation) }
    for type in layout.types { try makeIndexes(type) }
    for type in layout.types { try makeTombstones(type) }
    let dangling = try mapWaiting()
    return Snapshot(
      catalog, version: old.version + 1, layout: layout, tables: tables, dangling: dangling,
      growth: GrowthMark(generation: Stamp.next(), tables))
  }

  /// Throws if the work must end; counts rows or links that were gone through.
  @inline(__always)
  func advance(_ count: Int = 1) throws(EvolutionFailure) {
    if !allowance.advance(count) { try check() }
  }

  /// Throws if the work must end; counts bytes that are allocated.
  func take(_ bytes: Int) throws(EvolutionFailure) {
    _ = allowance.take(bytes)
    try check()
  }

  /// Throws what has ended a loop that cannot.
  func check() throws(EvolutionFailure) {
    switch allowance.excess {
    case nil: return
    case .stopped?: throw .stopped
    case .memory?: throw .memory
    }
  }

  func table(_ type: EntityTypeID) -> Table { tables[Int(type.index)] }

  func oldTable(_ type: EntityTypeID) -> Table? {
    mapping.oldTypes[Int(type.index)].map { old.tables[Int($0.index)] }
  }

  /// The rows of the old table that go.
  func goneRows(_ type: EntityTypeID) -> [Bool]? { mapping.oldTypes[Int(type.index)].flatMap { gone[Int($0.index)] } }

  func rows(_ table: Table) -> Range<UInt32> { 0..<UInt32(truncatingIfNeeded: table.slots) }

  // MARK: - Rows

  private func makeTable(_ type: StoreLayout.TypeLayout) throws(EvolutionFailure) -> Table {
    let made = Table(type, stamp: stamp)
    guard let before = oldTable(type.id) else { return made }
    made.slots = before.slots
    made.live = before.live
    if let liveness = before.liveness {
      made.setLiveness { ColumnStore(copying: liveness, stamp: stamp, slot: $0) }
    }
    guard let gone = goneRows(type.id) else { return made }
    let liveness = made.ownedLiveness()
    for row in rows(before) {
      try advance()
      guard gone[Int(row)] else { continue }
      if before.isLive(row) { made.live -= 1 }
      liveness.writeRaw(row, Cell(low: RowStatus.purged))
    }
    return made
  }

  /// Entities stay if their type does. Rows of interfaces and unions go with a member that is none any more, elements of
  /// lists with the list.
  private func findGoneRows() throws(EvolutionFailure) {
    for type in old.catalog.types {
      guard let newID = mapping.newTypes[Int(type.id.index)] else { continue }
      if type.isAbstract {
        let lost = type.members.filter { member in
          let same = mapping.newTypes[Int(member.type.index)]
          return !catalog[newID].members.contains { $0.type == same }
        }
        for member in lost {
          let table = old.table(type.id)
          for row in rows(table) {
            try advance()
            if old.hasTarget(old.layout[member.relation], row) { try mark(type.id, row) }
          }
        }
      }
    }
    try findGoneElements()
  }

  private func mark(_ type: EntityTypeID, _ row: UInt32) throws(EvolutionFailure) {
    let number = Int(type.index)
    if gone[number] == nil {
      try take(old.tables[number].slots)
      gone[number] = Array(repeating: false, count: old.tables[number].slots)
    }
    gone[number]?[Int(row)] = true
  }

  private func findGoneElements() throws(EvolutionFailure) {
    let kept = Set(mapping.links.joined())
    // What an element links to has a way back to it, which does not keep it.
    let owners = old.layout.relations.filter { relation in
      old.layout.ownsTargets(of: relation) && old.catalog[relation.target].isElement
        && mapping.newTypes[Int(relation.target.index)] != nil
    }
    guard owners.contains(where: { !kept.contains($0.id) }) else { return }
    let keepers = owners.filter { kept.contains($0.id) }
    try take(old.tables.reduce(0) { $0 + ($1.layout.isHidden ? $1.slots : 0) })
    var reached = old.tables.map { Array(repeating: false, count: $0.layout.isHidden ? $0.slots : 0) }
    // Lists within elements: until nothing more is found.
    var isChanged = true
    while isChanged {
      isChanged = false
      for relation in keepers {
        let isInElement = old.catalog[relation.source].isElement
        for row in rows(old.table(relation.source)) {
          try advance()
          guard !isInElement || reached[Int(relation.source.index)][Int(row)] else { continue }
          var links = 0
          old.forEachTarget(relation, row) { target in
            links += 1
            if reached[Int(relation.target.index)][Int(target)] { return }
            reached[Int(relation.target.index)][Int(target)] = true
            isChanged = true
          }
          try advance(links)
        }
      }
    }
    for type in old.catalog.types where type.isElement && mapping.newTypes[Int(type.id.index)] != nil {
      let table = old.table(type.id)
      for row in rows(table) {
        try advance()
        guard table.isLive(row) || table.isDeleted(row), !reached[Int(type.id.index)][Int(row)] else { continue }
        try mark(type.id, row)
      }
    }
  }

  // MARK: - Links that wait

  private func mapWaiting() throws(EvolutionFailure) -> DanglingLinks {
    // Where the links of a relation wait from now on that wait for a type.
    var known: [RelationID: [EntityTypeID: [(type: EntityTypeID, relation: RelationID)]]] = [:]
    let (dangling, lost) = try old.dangling.mapped {
      (target, link) throws(EvolutionFailure) -> [(type: EntityTypeID, link: DanglingLinks.Link)] in
      try advance()
      try take(MemoryLayout<DanglingLinks.Link>.stride * 2)
      if gone[Int(old.layout[link.relation].source.index)]?[Int(link.source)] == true { return [] }
      let places = known[link.relation]?[target] ?? waiting(target, link.relation)
      if known[link.relation]?[target] == nil { known[link.relation, default: [:]][target] = places }
      return places.map { ($0.type, DanglingLinks.Link(relation: $0.relation, source: link.source)) }
    }
    report.dangling = lost
    return dangling
  }

  /// The types for which the links of an old relation wait from now on that waited for an old type, and the new
  /// relation; none where it is lost.
  private func waiting(_ target: EntityTypeID, _ id: RelationID) -> [(type: EntityTypeID, relation: RelationID)] {
    let before = old.layout[id]
    guard let relation = layout.relations.first(where: { isSameField(before, $0) }),
      let kept = mapping.newTypes[Int(target.index)],
      let oldKey = old.layout.types[Int(target.index)].indexes.first?.keys.components[0].kind
    else { return [] }
    // The one target of a relation that was to-many must not make way for one that comes later.
    if before.isToMany, !relation.isToMany { return [] }
    let members = catalog[relation.target].isAbstract ? catalog[relation.target].members.map(\.type) : [relation.target]
    guard members.contains(kept) else { return [] }
    return members.compactMap { member in
      guard let primary = layout.types[Int(member.index)].indexes.first, primary.keys.count == 1,
        Self.haveSameKeys(oldKey, primary.keys.components[0].kind)
      else { return nil }
      return (member, relation.id)
    }
  }

  private func isSameField(_ before: Relation, _ relation: Relation) -> Bool {
    relation.property != nil && mapping.newTypes[Int(before.source.index)] == relation.source
      && mapping.links[Int(relation.id.index)].first == before.id
      && mapping.sameFields[Int(relation.id.index)] == before.id
  }

  static func haveSameKeys(_ left: KeyKind, _ right: KeyKind) -> Bool {
    switch (left, right) {
    case (.text, .id), (.id, .text): true
    default: left == right
    }
  }
}

extension Snapshot {
  /// The same data under another catalog, with what became of it. The snapshot stays as it is.
  package func evolved(
    to catalog: Catalog, _ mapping: CatalogMapping, fold: @escaping TextFold,
    filler: @escaping (EntityTypeID, ColumnID) -> Cell?, _ allowance: WorkAllowance
  ) throws(EvolutionFailure) -> (snapshot: Snapshot, report: EvolutionReport) {
    let evolution = Evolution(self, to: catalog, mapping, fold: fold, filler: filler, allowance)
    let snapshot = try evolution.run()
    return (snapshot, evolution.report)
  }

  /// How many live and deleted entities have a value in a column; fewer where the allowance ends. Complexity: O(deleted
  /// entities).
  package func valueCount(_ type: EntityTypeID, _ column: ColumnID, _ allowance: WorkAllowance) -> Int {
    let table = table(type)
    let store = table.columns[Int(column.index)]
    var count = table.live - store.liveNulls
    guard let tombstones = table.tombstones, tombstones.count > 0 else { return count }
    for row in 0..<UInt32(truncatingIfNeeded: table.slots) {
      guard allowance.advance() else { break }
      if table.isDeleted(row), !store.isNull(row) { count += 1 }
    }
    return count
  }

  /// How many links a direction has, those of and to deleted entities included; fewer where the allowance ends.
  /// Complexity: O(links).
  package func linkCount(_ id: RelationID, _ allowance: WorkAllowance) -> Int {
    let relation = layout[id]
    var count = 0
    for row in 0..<UInt32(truncatingIfNeeded: table(relation.source).slots) {
      let before = count
      forEachTarget(relation, row) { _ in count += 1 }
      guard allowance.advance(1 + count - before) else { break }
    }
    return count
  }
}

import GQLCatalog

/// What a bulk collects.
struct BulkState {
  /// By type: the first row that has no entries in the secondary indexes yet.
  var firstRows: [Int]
  /// Types whose indexes are rebuilt because rows were changed or deleted.
  var rebuild: Set<Int> = []
  /// By relation: source in the high half, target in the low half, in the order given.
  var links: [[UInt64]]
  /// By relation: how many of the links, the first of them, have waited for their targets since before the bulk.
  var resumed: [Int]
  /// The places of those in their lists.
  var placed: [DanglingLinks.Link: [(place: UInt32, target: UInt32)]] = [:]
  /// By type: the keys that are not in its primary index yet; nil where all are.
  var ascending: [AscendingKeys?]
}

extension WriteTransaction {
  /// Until ``endBulk()``, inserting maintains the primary key only, and links are collected.
  package func beginBulk() {
    precondition(bulk == nil, "bulks do not nest")
    bulk = BulkState(
      firstRows: tables.map(\.slots), links: Array(repeating: [], count: layout.relations.count),
      resumed: Array(repeating: 0, count: layout.relations.count),
      ascending: tables.map { table in
        guard table.slots == 0, let index = table.layout.indexes.first, AscendingKeys.canHold(index) else { return nil }
        return AscendingKeys()
      })
  }

  /// Links within a bulk. The run of `source` is in the order of calls, and so is the other direction's.
  package func linkBulk(_ relation: RelationID, source: UInt32, target: UInt32) {
    bulk?.links[Int(relation.index)].append(UInt64(source) << 32 | UInt64(target))
  }

  /// Many links within a bulk, each with its source in the high half, in the order of calls.
  package func linkBulk(_ relation: RelationID, pairs: [UInt64]) {
    let number = Int(relation.index)
    if bulk?.links[number].isEmpty == true {
      bulk?.links[number] = pairs
    } else {
      bulk?.links[number].append(contentsOf: pairs)
    }
  }

  /// The same for a link that has waited for its target. All rows come before the first link of their bulk.
  func linkWoken(_ relation: RelationID, source: UInt32, target: UInt32) {
    linkBulk(relation, source: source, target: target)
    bulk?.resumed[Int(relation.index)] += 1
  }

  /// Builds runs and indexes. If it throws, as for links that contradict each other, the transaction must be dropped.
  package func endBulk() throws(StoreProblem) {
    for type in tables { settleKeys(type.layout.id) }
    guard var state = bulk else { return }
    bulk = nil
    for relation in layout.relations where relation.id.index <= relation.inverse.index {
      let forward = state.links[Int(relation.id.index)]
      var backward: [UInt64] = []
      if relation.id != relation.inverse {
        backward = state.links[Int(relation.inverse.index)]
        state.links[Int(relation.inverse.index)] = []
      }
      state.links[Int(relation.id.index)] = []
      try connect(
        relation, layout[relation.inverse], forward, backward,
        resumed: (state.resumed[Int(relation.id.index)], state.resumed[Int(relation.inverse.index)]))
    }
    for (link, placed) in state.placed { arrange(link, placed) }
    for table in tables where table.stamp == stamp { stampBulk(table) }
    for (number, first) in state.firstRows.enumerated() {
      try indexRows(number, from: first, rebuilds: state.rebuild.contains(number))
    }
  }

  // MARK: - Links

  private func connect(
    _ relation: Relation, _ inverse: Relation, _ forward: [UInt64], _ backward: [UInt64],
    resumed: (forward: Int, backward: Int)
  ) throws(StoreProblem) {
    if forward.isEmpty && backward.isEmpty { return }
    let column = table(relation.source).columns[Int(relation.column.index)]
    let hasLinks = relation.isToMany ? column.linkCount > 0 : table(relation.source).live > column.liveNulls
    let isSymmetric = relation.id == inverse.id
    // In the order in which links would be made one by one.
    var pairs = forward
    for pair in backward { pairs.append(pair << 32 | pair >> 32) }
    if isSymmetric && relation.isToMany && !hasLinks {
      fill(relation, mirrored(pairs), high: true, written: pairs)
    } else if isSymmetric || hasLinks || !buildRuns(relation, inverse, pairs, backward) {
      let found = contradiction(
        relation, inverse, forward.dropFirst(resumed.forward), backward.dropFirst(isSymmetric ? 0 : resumed.backward))
      if let found { throw .contradiction(found) }
      // Cannot throw but for required one-to-one relations of which a partner is taken away.
      for pair in pairs {
        try connect(relation.id, source: UInt32(pair >> 32), target: UInt32(truncatingIfNeeded: pair))
      }
    }
  }

  /// Each pair followed by its mirror image.
  private func mirrored(_ pairs: [UInt64]) -> [UInt64] {
    var both: [UInt64] = []
    both.reserveCapacity(pairs.count * 2)
    for pair in pairs {
      both.append(pair)
      both.append(pair << 32 | pair >> 32)
    }
    return both
  }

  /// Builds both directions; false if pairs contradict each other. `backward` are those that the inverse wrote.
  private func buildRuns(
    _ relation: Relation, _ inverse: Relation, _ pairs: [UInt64], _ backward: [UInt64]
  ) -> Bool {
    // A to-one side must have one target; two different ones mean that links were taken over on the way.
    guard isUnambiguous(pairs, relation, high: true), isUnambiguous(pairs, inverse, high: false) else { return false }
    fill(relation, pairs, high: true)
    // Of pairs that only the inverse wrote, the order is theirs as it is.
    fill(inverse, pairs, high: false, written: backward.count < pairs.count ? backward : [])
    return true
  }

  private static func ends(_ pair: UInt64, high: Bool) -> (source: UInt32, target: UInt32) {
    let (first, second) = (UInt32(truncatingIfNeeded: pair >> 32), UInt32(truncatingIfNeeded: pair))
    return high ? (first, second) : (second, first)
  }

  private func isUnambiguous(_ pairs: [UInt64], _ relation: Relation, high: Bool) -> Bool {
    if relation.isToMany { return true }
    var targets = [UInt32](repeating: PageLayout.noRow, count: table(relation.source).slots)
    for pair in pairs {
      let (source, target) = Self.ends(pair, high: high)
      let old = targets[Int(source)]
      if old != PageLayout.noRow && old != target { return false }
      targets[Int(source)] = target
    }
    return true
  }

  /// Fills one direction of which no source has a link yet: runs in the order of rows, each just as long as needed.
  ///
  /// - Parameter written: The pairs that this direction wrote itself, with their sources in the high half. Where these
  ///   are all links of the relation, each list has the order in which it was written.
  private func fill(_ relation: Relation, _ pairs: [UInt64], high: Bool, written: [UInt64] = []) {
    let column = ownedTable(relation.source).ownedColumn(Int(relation.column.index))
    if !relation.isToMany {
      for pair in pairs {
        let (source, target) = Self.ends(pair, high: high)
        setSuspended(relation, source, [])
        column.writeRaw(source, Cell(low: UInt64(target)))
      }
      return
    }
    let slots = table(relation.source).slots
    let targets = table(relation.target).slots
    var links = BulkLists(pairs, high: high, sources: slots, targets: targets)
    if !written.isEmpty, written.count >= links.count {
      let own = BulkLists(written, high: true, sources: slots, targets: targets)
      if own.count == links.count { links = own }
    }
    for row in 0..<slots {
      let list = links.list(row)
      if list.isEmpty { continue }
      let run = column.makeRun(UInt32(truncatingIfNeeded: row), count: list.count)
      for (index, place) in list.enumerated() { run[index] = links.targets[place] }
    }
  }

  // MARK: - Indexes

  /// Adds the rows from `first` on to the secondary indexes of a type.
  private func indexRows(_ type: Int, from first: Int, rebuilds: Bool) throws(StoreProblem) {
    let table = tables[type]
    let added = table.slots - first
    guard table.stamp == stamp, added > 0 || rebuilds, table.layout.indexes.count > 1 else { return }
    let isWhole = rebuilds || added > first / 4
    for number in 1..<table.layout.indexes.count {
      if isWhole {
        table.resetIndex(number)
        try table.buildIndex(number)
      } else {
        for row in first..<table.slots { try add(table, number, UInt32(truncatingIfNeeded: row)) }
      }
    }
  }

  private func add(_ table: Table, _ number: Int, _ row: UInt32) throws(StoreProblem) {
    let index = table.layout.indexes[number]
    if index.isUnique && index.keys.load(table.readers, row, into: otherKey) {
      let existing = table.find(number, key: otherKey)
      if existing != PageLayout.noRow { throw .uniqueViolation(index: index.id, existing: existing, row: row) }
    }
    table.addEntry(number, row, key: key)
  }
}

/// Lists of targets by source, made of pairs in the order of these, each target once.
private struct BulkLists {
  private(set) var targets: [UInt32]
  private var starts: [Int]
  private var ends: [Int]
  /// The number of links in all lists.
  private(set) var count = 0

  /// - Parameter high: Whether sources are in the high halves of the pairs.
  init(_ pairs: [UInt64], high: Bool, sources: Int, targets count: Int) {
    var starts = [Int](repeating: 0, count: sources + 1)
    for pair in pairs { starts[Int(high ? pair >> 32 : pair & 0xFFFF_FFFF) + 1] += 1 }
    for index in 0..<sources { starts[index + 1] += starts[index] }
    var ordered = [UInt32](repeating: 0, count: pairs.count)
    var cursors = starts
    ordered.withUnsafeMutableBufferPointer { ordered in
      cursors.withUnsafeMutableBufferPointer { cursors in
        for pair in pairs {
          let (upper, lower) = (UInt32(truncatingIfNeeded: pair >> 32), UInt32(truncatingIfNeeded: pair))
          let source = Int(high ? upper : lower)
          ordered[cursors[source]] = high ? lower : upper
          cursors[source] &+= 1
        }
      }
    }
    self.starts = starts
    ends = Array(starts.dropFirst())
    targets = ordered
    removeRepeats(count)
  }

  private mutating func removeRepeats(_ count: Int) {
    // Which source has seen a target last: tells repeats without a set for each list.
    var seenBy = [UInt32](repeating: PageLayout.noRow, count: count)
    for row in ends.indices where starts[row + 1] > starts[row] {
      let source = UInt32(truncatingIfNeeded: row)
      var end = starts[row]
      for index in starts[row]..<starts[row + 1] {
        let target = targets[index]
        if seenBy[Int(target)] == source { continue }
        seenBy[Int(target)] = source
        targets[end] = target
        end += 1
      }
      ends[row] = end
      self.count += end - starts[row]
    }
  }

  /// The places of a source's targets.
  func list(_ row: Int) -> Range<Int> { starts[row]..<ends[row] }
}

import GQLBase
import GQLCatalog
import GQLStore

extension Execution {
  /// Appends the rows under the key of one element; true if they are ascending and without repeats.
  func lookup(
    _ node: AccessNode, _ scalars: ScalarSources, _ vectors: UnsafePointer<Vector>?, _ element: Int,
    _ type: EntityTypeID, into rows: inout RowBuffer
  ) -> Bool {
    let count = scalars.count
    return withUnsafeTemporaryAllocation(of: Cell.self, capacity: max(count, 1)) { key in
      guard let base = key.baseAddress else { return true }
      var nulls = 0
      for component in 0..<count {
        if let cell = scalars.cell(component, vectors, element, self) {
          base[component] = cell
        } else {
          base[component] = Cell(low: 0)
          nulls |= 1 << component
        }
      }
      if nulls != 0 {
        if !node.keysAreNonNull { appendWithNulls(node, base, nulls, type, into: &rows) }
        return true
      }
      return find(node, UnsafePointer(base), into: &rows)
    }
  }

  /// How many rows have the key of one element.
  func lookupCount(
    _ node: AccessNode, _ scalars: ScalarSources, _ vectors: UnsafePointer<Vector>?, _ element: Int,
    _ type: EntityTypeID
  ) -> Int {
    let count = scalars.count
    return withUnsafeTemporaryAllocation(of: Cell.self, capacity: max(count, 1)) { key in
      guard let base = key.baseAddress else { return 0 }
      for component in 0..<count {
        guard let cell = scalars.cell(component, vectors, element, self) else {
          var rows = RowBuffer()
          _ = lookup(node, scalars, vectors, element, type, into: &rows)
          return rows.count
        }
        base[component] = cell
      }
      switch node.indexKind {
      case .btree: return snapshot.btree(node.index).count(BTreeBounds.equal(UnsafePointer(base), count))
      default: return snapshot.hashIndex(node.index).count(UnsafePointer(base))
      }
    }
  }

  /// Appends the rows under a key without nulls.
  @inline(__always)
  private func find(_ node: AccessNode, _ key: UnsafePointer<Cell>, into rows: inout RowBuffer) -> Bool {
    switch node.indexKind {
    case .btree:
      let bounds = BTreeBounds.equal(key, node.keyReaders.count)
      let reader = snapshot.btree(node.index)
      let count = reader.count(bounds)
      rows.reserve(count)
      rows.count += reader.walk(bounds, descending: false, skip: 0, limit: count, into: rows.end)
    default:
      let reader = snapshot.hashIndex(node.index)
      if node.isUnique {
        let row = reader.find(key)
        if row != PageLayout.noRow { rows.append(row) }
        return true
      }
      switch reader.rows(key) {
      case .none: break
      case .one(let row): rows.append(row)
      case .many(let run): if let start = run.baseAddress { rows.append(start, run.count) }
      }
    }
    return true
  }

  /// Appends the union of the rows under several keys of one component.
  func lookupEach(
    _ node: AccessNode, _ scalars: ScalarSources, _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows,
    into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let start = rows.count
    let vectors = try scalars.vectors(outer, self)
    var sawNull = false
    let key = state.keys.room(for: Cell.self, count: 1)
    if node.isListValued {
      guard let list = scalars.cell(0, vectors, 0, self), let run = UnsafeRawPointer(bitPattern: UInt(list.low)) else {
        return true
      }
      let count = Int(UInt32(truncatingIfNeeded: list.high))
      let width = node.listIsWide ? 16 : 8
      if node.indexKind == .hash, node.isUnique, node.listIsWide {
        var nulls = 0
        for index in 0..<count where (run + (count * width + index)).load(as: UInt8.self) == 0 { nulls += 1 }
        if nulls == 0 {
          rows.reserve(count)
          let cells = run.assumingMemoryBound(to: Cell.self)
          rows.count += snapshot.hashIndex(node.index).find(cells, count, into: rows.end)
          rows.count =
            start
            + RowSorting.sortUnique(
              rows.base + start, rows.count - start, limit: snapshot.slotCount(set.type), bits: &state.bits)
          return true
        }
      }
      for index in 0..<count {
        guard (run + (count * width + index)).load(as: UInt8.self) != 0 else {
          sawNull = true
          continue
        }
        let address = run + index * width
        key.pointee = Cell(
          low: address.loadUnaligned(as: UInt64.self),
          high: node.listIsWide ? (address + 8).loadUnaligned(as: UInt64.self) : 0)
        _ = find(node, UnsafePointer(key), into: &rows)
      }
    } else {
      for index in 0..<scalars.count {
        guard let cell = scalars.cell(index, vectors, 0, self) else {
          sawNull = true
          continue
        }
        key.pointee = cell
        _ = find(node, UnsafePointer(key), into: &rows)
      }
    }
    if sawNull, !node.keysAreNonNull { appendWithNulls(node, key, 1, set.type, into: &rows) }
    rows.count =
      start
      + RowSorting.sortUnique(
        rows.base + start, rows.count - start, limit: snapshot.slotCount(set.type), bits: &state.bits)
    return true
  }

  /// Appends, by a scan, the rows whose key columns equal the key, of which the components in `nulls` are null.
  ///
  /// Null equals null in the language, and hash indexes do not hold nulls.
  private func appendWithNulls(
    _ node: AccessNode, _ key: UnsafePointer<Cell>, _ nulls: Int, _ type: EntityTypeID, into rows: inout RowBuffer
  ) {
    let start = rows.count
    appendLive(type, from: 0, limit: Int.max, into: &rows)
    var written = start
    for index in start..<rows.count {
      let row = rows[index]
      rows.base[written] = row
      var matches = true
      for component in 0..<node.keyReaders.count where matches {
        let reader = readers[node.keyReaders[component]]
        let wantsNull = nulls >> component & 1 != 0
        if reader.isNull(row) != wantsNull {
          matches = false
        } else if !wantsNull {
          matches = Execution.cellsEqual(
            reader.cell(row, kind: node.keyKinds[component]), key[component], node.keyKinds[component])
        }
      }
      if matches { written += 1 }
    }
    rows.count = written
  }

  private static func cellsEqual(_ left: Cell, _ right: Cell, _ kind: ColumnKind) -> Bool {
    switch kind {
    case .text:
      let a = TextView(left)
      let b = TextView(right)
      guard a.count == b.count else { return false }
      return a.withBytes { first, count in
        b.withBytes { second, _ in
          compareBytes(
            UnsafeRawBufferPointer(start: first, count: count), UnsafeRawBufferPointer(start: second, count: count))
            == 0
        }
      }
    case .decimal: return Decimal(packed: (left.low, left.high)) == Decimal(packed: (right.low, right.high))
    case .float64: return left.double == right.double
    default: return left.low == right.low
    }
  }

  // MARK: - Ranges

  /// The first equal component that is null (which equals null) where more is asked for behind it than bounds of a
  /// B-tree can say; nil if there is none.
  func innerNull(_ node: AccessNode, _ outer: ScopeRows) throws(RuntimeProblem) -> Int? {
    guard node.equalCount > 0, !node.keysAreNonNull, let scalars = node.scalars else { return nil }
    let isOpen =
      node.lower < 0 && node.upper < 0 && node.prefix < 0 && !node.onlyNulls
      && (node.includesNulls || node.equalCount == node.keyReaders.count)
    let count = isOpen ? node.equalCount - 1 : node.equalCount
    guard count > 0 else { return nil }
    let vectors = try scalars.vectors(outer, self)
    return (0..<count).first { scalars.cell($0, vectors, 0, self) == nil }
  }

  /// Appends the rows of a range whose equal component `place` is null: the entries with nothing in it, tested one by
  /// one for the rest.
  func gatherBehindNull(
    _ node: AccessNode, _ place: Int, _ state: SetState, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    guard let scalars = node.scalars else { return }
    let start = rows.count
    let vectors = try scalars.vectors(outer, self)
    let values = (0..<scalars.count).map { scalars.cell($0, vectors, 0, self) }
    for place in [node.lower, node.upper, node.prefix] where place >= 0 && values[place] == nil { return }
    let equal = state.keys.room(for: Cell.self, count: place + 1)
    for index in 0..<place { equal[index] = values[index] ?? Cell(low: 0) }
    let bounds = BTreeBounds(equal: UnsafePointer(equal), equalCount: place, onlyNulls: true)
    let reader = snapshot.btree(node.index)
    let count = reader.count(bounds)
    try checkMemory(count &* 4)
    rows.reserve(count)
    rows.count += reader.walk(bounds, descending: false, skip: 0, limit: count, into: rows.end)
    var written = start
    for index in start..<rows.count {
      let row = rows[index]
      if isWithin(node, scalars, values, row, from: place) {
        rows.base[written] = row
        written += 1
      }
    }
    rows.count = written
  }

  /// Appends the rows of a range of ids that have no order any more, since the plan was made: each row is tested.
  func gatherUnordered(
    _ node: AccessNode, _ type: EntityTypeID, _ outer: ScopeRows, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let start = rows.count
    appendLive(type, from: 0, limit: Int.max, into: &rows)
    guard let scalars = node.scalars, scalars.count > 0 else { return }
    let vectors = try scalars.vectors(outer, self)
    let values = (0..<scalars.count).map { scalars.cell($0, vectors, 0, self) }
    var written = start
    for index in start..<rows.count {
      let row = rows[index]
      if index & 1023 == 0 { try checkpoint() }
      rows.base[written] = row
      if isWithin(node, scalars, values, row, from: 0) { written += 1 }
    }
    rows.count = written
  }

  /// Whether a row has the equal components from number `first` on, and an ordered one within the bounds.
  private func isWithin(
    _ node: AccessNode, _ scalars: ScalarSources, _ values: [Cell?], _ row: UInt32, from first: Int
  ) -> Bool {
    for component in first..<node.equalCount {
      let reader = readers[node.keyReaders[component]]
      guard let value = values[component] else {
        if !reader.isNull(row) { return false }
        continue
      }
      let kind = node.keyKinds[component]
      if reader.isNull(row) || !Execution.cellsEqual(reader.cell(row, kind: kind), value, kind) { return false }
    }
    guard node.equalCount < node.keyReaders.count else { return true }
    let reader = readers[node.keyReaders[node.equalCount]]
    if reader.isNull(row) { return node.includesNulls || node.onlyNulls }
    if node.onlyNulls { return false }
    let cell = reader.cell(row, kind: node.keyKinds[node.equalCount])
    if node.lower >= 0, let lower = values[node.lower] {
      let order = CellOrder.compare(cell, lower, scalars.types[node.lower], self)
      if order < 0 || order == 0 && !node.lowerInclusive { return false }
    }
    if node.upper >= 0, let upper = values[node.upper] {
      let order = CellOrder.compare(cell, upper, scalars.types[node.upper], self)
      if order > 0 || order == 0 && !node.upperInclusive { return false }
    }
    if node.prefix >= 0, let prefix = values[node.prefix].map({ TextView($0) }) {
      return TextView(cell).compare(prefix, limit: prefix.count) == 0
    }
    return true
  }

  /// The bounds for one element; nil if nothing can lie within. The cells lie in the set's memory.
  func rangeBounds(
    _ node: AccessNode, _ state: SetState, _ outer: ScopeRows
  ) throws(RuntimeProblem) -> BTreeBounds? {
    var bounds = BTreeBounds(includesNulls: node.includesNulls, onlyNulls: node.onlyNulls)
    guard let scalars = node.scalars else { return bounds }
    let vectors = try scalars.vectors(outer, self)
    if node.equalCount > 0 {
      let equal = state.keys.room(for: Cell.self, count: node.equalCount)
      bounds.equal = UnsafePointer(equal)
      for index in 0..<node.equalCount {
        guard let cell = scalars.cell(index, vectors, 0, self) else {
          // Null equals null: the entries with nothing in this component; it is the last that is asked for.
          bounds.onlyNulls = true
          return bounds
        }
        equal[index] = cell
        bounds.equalCount = index + 1
      }
    }
    if node.lower >= 0 {
      guard let cell = scalars.cell(node.lower, vectors, 0, self) else { return nil }
      bounds.lower = cell
      bounds.lowerInclusive = node.lowerInclusive
    }
    if node.upper >= 0 {
      guard let cell = scalars.cell(node.upper, vectors, 0, self) else { return nil }
      bounds.upper = cell
      bounds.upperInclusive = node.upperInclusive
    }
    if node.prefix >= 0 {
      guard let cell = scalars.cell(node.prefix, vectors, 0, self) else { return nil }
      bounds.textPrefix = cell
    }
    return bounds
  }
}

extension BTreeBounds {
  /// All entries with these leading components.
  static func equal(_ key: UnsafePointer<Cell>, _ count: Int) -> BTreeBounds {
    BTreeBounds(equal: key, equalCount: count, includesNulls: true)
  }
}

import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The bounds of an ``IndexRange`` by the places of their values among those of the operator.
struct CompiledRange {
  let equalCount: Int
  /// -1 where there is none, as the next two.
  let lower: Int
  let upper: Int
  let prefix: Int
  let lowerInclusive: Bool
  let upperInclusive: Bool
  let includesNulls: Bool
  let onlyNulls: Bool
  /// Of the rows that agree in so many leading components, the first only; 0 for all rows.
  let firstOfEach: Int
  /// The values, in the order of the places.
  let expressions: [BoundExpression]

  init(_ range: IndexRange) {
    var expressions = range.equal
    func place(_ expression: BoundExpression?) -> Int {
      guard let expression else { return -1 }
      expressions.append(expression)
      return expressions.count - 1
    }
    equalCount = range.equal.count
    lower = place(range.lower?.value)
    upper = place(range.upper?.value)
    prefix = place(range.prefix)
    lowerInclusive = range.lower?.isInclusive ?? true
    upperInclusive = range.upper?.isInclusive ?? true
    includesNulls = range.includesNulls
    onlyNulls = range.onlyNulls
    firstOfEach = range.firstOfEach
    self.expressions = expressions
  }

  /// Indicates whether nothing is asked of the component after the equal ones.
  var isOpen: Bool { lower < 0 && upper < 0 && prefix < 0 && !onlyNulls }

  /// Returns the bounds for one element; nil if nothing can lie within. The cells lie in the set's memory.
  func bounds(
    _ scalars: ScalarSources, _ state: SetState, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> BTreeBounds? {
    var bounds = BTreeBounds(includesNulls: includesNulls, onlyNulls: onlyNulls)
    let vectors = try scalars.vectors(outer, execution)
    if equalCount > 0 {
      let equal = state.keys.room(for: Cell.self, count: equalCount)
      bounds.equal = UnsafePointer(equal)
      for index in 0..<equalCount {
        guard let cell = scalars.cell(index, vectors, 0, execution) else {
          // Null equals null: the entries with nothing in this component; it is the last that is asked for.
          bounds.onlyNulls = true
          return bounds
        }
        equal[index] = cell
        bounds.equalCount = index + 1
      }
    }
    if lower >= 0 {
      guard let cell = scalars.cell(lower, vectors, 0, execution) else { return nil }
      bounds.lower = cell
      bounds.lowerInclusive = lowerInclusive
    }
    if upper >= 0 {
      guard let cell = scalars.cell(upper, vectors, 0, execution) else { return nil }
      bounds.upper = cell
      bounds.upperInclusive = upperInclusive
    }
    if prefix >= 0 {
      guard let cell = scalars.cell(prefix, vectors, 0, execution) else { return nil }
      bounds.textPrefix = cell
    }
    return bounds
  }
}

/// The rows of a B-tree, or of the index over ids, within bounds: in any order, or, where the plan walks it, in the order
/// of its keys.
final class IndexRangeScan: IndexedOperator, @unchecked Sendable {
  private let range: CompiledRange

  init(_ index: IndexDescriptor, _ range: IndexRange, _ compiler: inout PlanCompiler) {
    let compiled = CompiledRange(range)
    self.range = compiled
    super.init(index, ScalarSources(compiled.expressions, compiler), keysAreNonNull: false, &compiler)
  }

  override func gather(
    _ set: CompiledSet, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    let start = rows.count
    if let place = try innerNull(outer, execution) {
      try gatherBehindNull(place, state, outer, execution, into: &rows)
      return rows.count - start < 2
    }
    guard let bounds = try bounds(state, outer, execution) else { return true }
    guard let reader = execution.look({ $0.ordered(index) }) else {
      try gatherUnordered(outer, execution, into: &rows)
      return true
    }
    if range.firstOfEach > 0, case .tree(let tree) = reader {
      try gatherFirsts(tree, bounds, execution, into: &rows)
      return rows.count - start < 2
    }
    let count = reader.count(bounds)
    try execution.checkMemory(count &* 4)
    rows.reserve(count)
    rows.count = start + reader.walk(bounds, descending: false, skip: 0, limit: count, into: rows.end)
    return count < 2 || reader.isByRow
  }

  /// A range of ids that ascend with insertion is a part of the table: what follows the first rows is not needed.
  override func gatherFirst(
    _ needed: Int, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) -> Bool {
    guard let reader = execution.look({ $0.ordered(index) }), reader.isByRow else { return false }
    guard let bounds = try bounds(state, outer, execution) else { return true }
    let count = min(needed, reader.count(bounds))
    try execution.checkMemory(count &* 4)
    rows.reserve(count)
    rows.count += reader.walk(bounds, descending: false, skip: 0, limit: count, into: rows.end)
    return true
  }

  /// Appends the first row of each of the keys within the bounds: the entries that agree in so many components.
  private func gatherFirsts(
    _ tree: BTreeReader, _ bounds: BTreeBounds, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    var groups = tree.groups(bounds, components: range.firstOfEach)
    var seen = 0
    while let row = groups.next() {
      rows.append(row)
      seen &+= 1
      if seen & 1023 == 0 {
        try execution.checkpoint()
        try execution.checkMemory(rows.count &* 4)
      }
    }
  }

  /// Appends the rows of a range of ids that have no order any more, since the plan was made: each row is tested.
  private func gatherUnordered(
    _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let start = rows.count
    execution.appendLive(type, from: 0, limit: Int.max, into: &rows)
    guard scalars.count > 0 else { return }
    let vectors = try scalars.vectors(outer, execution)
    let values = (0..<scalars.count).map { scalars.cell($0, vectors, 0, execution) }
    var written = start
    for index in start..<rows.count {
      let row = rows[index]
      if index & 1023 == 0 { try execution.checkpoint() }
      rows.base[written] = row
      if isWithin(values, row, from: 0, execution) { written += 1 }
    }
    rows.count = written
  }

  /// Returns the bounds for one element; nil if nothing can lie within. The cells lie in the set's memory.
  func bounds(
    _ state: SetState, _ outer: ScopeRows, _ execution: Execution
  ) throws(RuntimeProblem) -> BTreeBounds? { try range.bounds(scalars, state, outer, execution) }

  /// Counts by ranks.
  override func count(
    _ set: CompiledSet, _ state: SetState, _ scopes: ScopeRows, _ execution: Execution,
    into counts: UnsafeMutablePointer<Int64>
  ) throws(RuntimeProblem) -> Bool {
    if set.isKeyed {
      try countRuns(set, state, scopes, execution, into: counts)
      return true
    }
    guard let reader = execution.look({ $0.ordered(index) }) else { return false }
    for element in 0..<scopes.count {
      let one = scopes.count == 1 ? scopes : scopes.element(element)
      if try innerNull(one, execution) != nil { return false }
      let bounds = try bounds(state, one, execution)
      counts[element] = bounds.map { Int64(reader.count($0)) } ?? 0
      if !set.isCorrelated {
        for other in 0..<scopes.count { counts[other] = counts[element] }
        break
      }
    }
    return true
  }

  override func estimate(_ execution: Execution) -> Double {
    estimate(execution) { cells in
      var bounds = BTreeBounds()
      bounds.equal = UnsafePointer(cells)
      bounds.equalCount = range.equalCount
      if range.lower >= 0 {
        bounds.lower = cells[range.lower]
        bounds.lowerInclusive = range.lowerInclusive
      }
      if range.upper >= 0 {
        bounds.upper = cells[range.upper]
        bounds.upperInclusive = range.upperInclusive
      }
      if range.prefix >= 0 { bounds.textPrefix = cells[range.prefix] }
      bounds.includesNulls = range.equalCount > 0 && range.lower < 0 && range.upper < 0 && range.prefix < 0
      return Double(execution.snapshot.ordered(index)?.estimate(bounds) ?? 0)
    }
  }

  // MARK: - Nulls within a key

  override func isBehindNull(_ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> Bool {
    try innerNull(outer, execution) != nil
  }

  /// Returns the first equal component that is null (which equals null) where more is asked for after it than bounds of
  /// a B-tree can say; nil if there is none.
  private func innerNull(_ outer: ScopeRows, _ execution: Execution) throws(RuntimeProblem) -> Int? {
    guard range.equalCount > 0, !keysAreNonNull else { return nil }
    let isOpen = range.isOpen && (range.includesNulls || range.equalCount == keyReaders.count)
    let count = isOpen ? range.equalCount - 1 : range.equalCount
    guard count > 0 else { return nil }
    let vectors = try scalars.vectors(outer, execution)
    return (0..<count).first { scalars.cell($0, vectors, 0, execution) == nil }
  }

  /// Appends the rows of a range whose equal component `place` is null: the entries with nothing in it, tested one by
  /// one for the rest.
  private func gatherBehindNull(
    _ place: Int, _ state: SetState, _ outer: ScopeRows, _ execution: Execution, into rows: inout RowBuffer
  ) throws(RuntimeProblem) {
    let start = rows.count
    let vectors = try scalars.vectors(outer, execution)
    let values = (0..<scalars.count).map { scalars.cell($0, vectors, 0, execution) }
    for place in [range.lower, range.upper, range.prefix] where place >= 0 && values[place] == nil { return }
    let equal = state.keys.room(for: Cell.self, count: place + 1)
    for index in 0..<place { equal[index] = values[index] ?? Cell(low: 0) }
    let bounds = BTreeBounds(equal: UnsafePointer(equal), equalCount: place, onlyNulls: true)
    let reader = execution.look { $0.tree(index) }
    let count = reader.count(bounds)
    try execution.checkMemory(count &* 4)
    rows.reserve(count)
    rows.count += reader.walk(bounds, descending: false, skip: 0, limit: count, into: rows.end)
    var written = start
    for index in start..<rows.count {
      let row = rows[index]
      if isWithin(values, row, from: place, execution) {
        rows.base[written] = row
        written += 1
      }
    }
    rows.count = written
  }

  /// Returns whether a row has the equal components from number `first` on, and an ordered one within the bounds.
  private func isWithin(_ values: [Cell?], _ row: UInt32, from first: Int, _ execution: Execution) -> Bool {
    for component in first..<range.equalCount {
      let reader = execution.readers[keyReaders[component]]
      guard let value = values[component] else {
        if !reader.isNull(row) { return false }
        continue
      }
      let kind = keyKinds[component]
      if reader.isNull(row) || !Self.cellsEqual(reader.cell(row, kind: kind), value, kind) { return false }
    }
    guard range.equalCount < keyReaders.count else { return true }
    let reader = execution.readers[keyReaders[range.equalCount]]
    if reader.isNull(row) { return range.includesNulls || range.onlyNulls }
    if range.onlyNulls { return false }
    let cell = reader.cell(row, kind: keyKinds[range.equalCount])
    if range.lower >= 0, let lower = values[range.lower] {
      let order = CellOrder.compare(cell, lower, scalars.types[range.lower], execution)
      if order < 0 || order == 0 && !range.lowerInclusive { return false }
    }
    if range.upper >= 0, let upper = values[range.upper] {
      let order = CellOrder.compare(cell, upper, scalars.types[range.upper], execution)
      if order > 0 || order == 0 && !range.upperInclusive { return false }
    }
    if range.prefix >= 0, let prefix = values[range.prefix].map({ TextView($0) }) {
      return TextView(cell).compare(prefix, limit: prefix.count) == 0
    }
    return true
  }
}

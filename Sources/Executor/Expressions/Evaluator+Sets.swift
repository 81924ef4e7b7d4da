import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

extension Evaluator {
  /// Predicates count as they do in `where`: only true counts.
  func quantifier(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let set = SetID(Int(node.index))
    let truths = out.truths
    guard node.b >= 0 else {
      switch node.quantifier {
      case .some, .exists, .none:
        try execution.exists(set, batch.scopes, into: truths)
        for index in 0..<count { truths[index] &<<= 1 }
        if node.quantifier == .none { TruthKernel.not(truths, count, into: truths) }
      case .every: truths.update(repeating: 2, count: count)
      case .one:
        let counts = execution.scratch.allocate(Int64.self, count: count)
        try execution.count(set, batch.scopes, into: counts)
        for index in 0..<count { truths[index] = counts[index] == 1 ? 2 : 0 }
      }
      return
    }
    let box = block.expansions[Int(node.entity)]
    try execution.expand(set, batch.scopes, into: &box.expansion)
    // What holds as long as no member says otherwise; for `one` the number of members so far.
    let initial: UInt8 = node.quantifier == .every || node.quantifier == .none ? 2 : 0
    truths.update(repeating: initial, count: count)
    let block = state.blocks[Int(node.b)]
    var cursor = ExpansionCursor()
    while true {
      let quantifier = node.quantifier
      let found = fill(block, box, &cursor) { parent in
        quantifier == .one ? truths[parent] > 1 : truths[parent] != initial
      }
      if found == 0 { break }
      try execution.checkpoint()
      let results = try state.evaluate(Int(node.b), block.inputBatch(found), execution).root(0).truths
      let parents = box.parents
      switch quantifier {
      case .some, .exists:
        for index in 0..<found { truths[Int(parents[index])] |= results[index] & 2 }
      case .every:
        for index in 0..<found { truths[Int(parents[index])] &= results[index] & 2 }
      case .none:
        for index in 0..<found { truths[Int(parents[index])] &= ~results[index] & 2 }
      case .one:
        for index in 0..<found where results[index] == 2 {
          truths[Int(parents[index])] = min(truths[Int(parents[index])] &+ 1, 2)
        }
      }
    }
    if node.quantifier == .one {
      for index in 0..<count { truths[index] = truths[index] == 1 ? 2 : 0 }
    }
  }

  /// The next members as the input of `inner`: members as scope 0, their parents' scopes behind. Members of parents
  /// that are decided are left out. Gives their number, 0 at the end.
  private func fill(
    _ inner: BlockState, _ box: ExpansionBox, _ cursor: inout ExpansionCursor, isDecided: (Int) -> Bool
  ) -> Int {
    let depth = batch.scopes.scopes.count
    inner.prepareInput(depth + 1)
    let parents = box.parents
    let rows = inner.inputBuffers[0]
    var found = 0
    while cursor.parent < count, found < ScopeRows.batchRows {
      let parent = cursor.parent
      let end = Int(box.expansion.offsets[parent + 1])
      if isDecided(parent) { cursor.place = end }
      let taken = min(end - cursor.place, ScopeRows.batchRows - found)
      (rows + found).update(from: box.expansion.rows.base + cursor.place, count: taken)
      (parents + found).update(repeating: UInt16(truncatingIfNeeded: parent), count: taken)
      found += taken
      cursor.place += taken
      if cursor.place == end { cursor.parent += 1 }
    }
    for level in 0..<depth {
      let source = batch.scopes.scopes[level]
      let target = inner.inputBuffers[level + 1]
      for index in 0..<found { target[index] = source[Int(parents[index])] }
    }
    return found
  }

  // MARK: - Aggregates

  func aggregate(_ node: Node, _ index: Int, _ out: Vector) throws(RuntimeProblem) {
    let set = SetID(Int(node.index))
    let type = block.block.types[index]
    if node.aggregate == .count, node.b < 0 {
      out.validity.update(repeating: 1, count: count)
      return try execution.count(set, batch.scopes, into: out.words)
    }
    let box = block.expansions[Int(node.entity)]
    try execution.expand(set, batch.scopes, into: &box.expansion)
    setNull(out)
    var accumulator = Accumulator(node.aggregate, elementType(node, type), result: type, catalog: state.program.catalog)
    var current = 0
    if node.b < 0 {
      // The members themselves.
      for parent in 0..<count {
        let start = Int(box.expansion.offsets[parent])
        let end = Int(box.expansion.offsets[parent + 1])
        for place in start..<end { accumulator.add(Cell(low: UInt64(box.expansion.rows[place]))) }
        try finish(&accumulator, node, out, parent)
      }
      return
    }
    let block = state.blocks[Int(node.b)]
    var cursor = ExpansionCursor()
    while true {
      let found = fill(block, box, &cursor) { _ in false }
      if found == 0 { break }
      try execution.checkpoint()
      let values = try state.evaluate(Int(node.b), block.inputBatch(found), execution).root(0)
      for place in 0..<found {
        let parent = Int(box.parents[place])
        while current < parent {
          try finish(&accumulator, node, out, current)
          current += 1
        }
        if !values.isNull(place) { accumulator.add(values.cell(place)) }
      }
    }
    while current < count {
      try finish(&accumulator, node, out, current)
      current += 1
    }
  }

  private func elementType(_ node: Node, _ type: ValueType) -> ValueType {
    if node.b >= 0 {
      let inner = state.blocks[Int(node.b)].block
      return inner.types[Int(inner.roots[0])]
    }
    if case .list(let element) = type { return element }
    return type
  }

  private func finish(
    _ accumulator: inout Accumulator, _ node: Node, _ out: Vector, _ position: Int
  ) throws(RuntimeProblem) {
    switch accumulator.finish(execution.scratch) {
    case .null: break
    case .failed: throw problem(.overflow(accumulator.result.scalar ?? .int), node, at: position)
    case .value(let cell): store(cell, out, position)
    }
    accumulator.reset()
  }
}

/// How far the members of an expansion have been visited.
struct ExpansionCursor {
  var parent = 0
  var place = 0
}

/// The value of an aggregate over the non-null values of one set.
struct Accumulator {
  let aggregate: Aggregate
  let element: ValueType
  let result: ValueType
  let catalog: Catalog
  private var count = 0
  private var integers: Int128 = 0
  private var floats: FloatSum?
  private var decimals = DecimalSum()
  private var best = Cell(low: 0)
  private var cells: [Cell?] = []

  init(_ aggregate: Aggregate, _ element: ValueType, result: ValueType, catalog: Catalog) {
    self.aggregate = aggregate
    self.element = element
    self.result = result
    self.catalog = catalog
    if element == .float, aggregate == .sum || aggregate == .avg { floats = FloatSum() }
  }

  mutating func reset() {
    count = 0
    integers = 0
    floats?.reset()
    decimals = DecimalSum()
    cells.removeAll(keepingCapacity: true)
  }

  mutating func add(_ cell: Cell) {
    switch aggregate {
    case .count: break
    case .sum, .avg:
      if element == .decimal {
        decimals.add(cell.decimal)
      } else if element == .float {
        floats?.add(cell.double)
      } else {
        integers += Int128(cell.int)
      }
    case .min: if count == 0 || CellOrder.compare(cell, best, element) < 0 { best = cell }
    case .max: if count == 0 || CellOrder.compare(cell, best, element) > 0 { best = cell }
    case .first: if count == 0 { best = cell }
    case .collect, .distinct, .join: cells.append(cell)
    }
    count += 1
  }

  mutating func finish(_ scratch: ScratchArena) -> Conversion.Result {
    switch aggregate {
    case .count: return .value(Cell(Int64(count)))
    case .sum: return sum()
    case .avg: return count == 0 ? .null : average()
    case .min, .max, .first: return count == 0 ? .null : .value(best)
    case .collect: return .value(Conversion(catalog: catalog, scratch: scratch).run(cells, element))
    case .distinct:
      return .value(Conversion(catalog: catalog, scratch: scratch).run(distinctCells(), element))
    case .join: return .value(join(scratch))
    }
  }

  private mutating func sum() -> Conversion.Result {
    if element == .decimal { return Conversion.Result(decimals.value.map { Cell($0) }) }
    if element == .float { return Conversion.Result(floats?.value().map { Cell($0) }) }
    switch result {
    case .scalar(.float): return .value(Cell(Double(integers)))
    case .scalar(.decimal): return Conversion.Result(Decimal(significand: integers, scale: 0).map { Cell($0) })
    default: return Conversion.Result(Int64(exactly: integers).map { Cell($0) })
    }
  }

  private mutating func average() -> Conversion.Result {
    if element == .float {
      guard let sum = floats?.value() else { return .failed }
      return .value(Cell(sum / Double(count)))
    }
    let divisor = Decimal(Int64(count))
    let sum = element == .decimal ? decimals.value : Decimal(significand: integers, scale: 0)
    guard let sum else { return .failed }
    switch result {
    case .scalar(.decimal): return Conversion.Result(sum.divided(by: divisor).map { Cell($0) })
    case .scalar(.float):
      if element == .decimal { return .value(Cell(sum.doubleValue / Double(count))) }
      return .value(Cell(Double(integers) / Double(count)))
    default:
      // The average of times, rounded towards the past.
      let divisor = Int128(count)
      let quotient = integers / divisor
      let isBelow = integers % divisor < 0
      return Conversion.Result(Int64(exactly: isBelow ? quotient - 1 : quotient).map { Cell($0) })
    }
  }

  /// First occurrences, in their order.
  private func distinctCells() -> [Cell?] {
    let values = cells.compactMap(\.self)
    let order = values.indices.sorted { left, right in
      let order = CellOrder.compare(values[left], values[right], element)
      return order != 0 ? order < 0 : left < right
    }
    var isFirst = [Bool](repeating: true, count: values.count)
    for place in order.indices.dropFirst()
    where CellOrder.compare(values[order[place]], values[order[place - 1]], element) == 0 {
      isFirst[order[place]] = false
    }
    return values.indices.filter { isFirst[$0] }.map { values[$0] }
  }

  private func join(_ scratch: ScratchArena) -> Cell {
    var buffer = ByteBuffer(capacity: 64)
    var escape: UInt64 = 0
    for case let cell? in cells {
      let view = TextView(cell)
      escape |= view.word0 & TextView.escapeFlag
      view.withBytes { buffer.append($0, $1) }
    }
    let count = min(buffer.count, TextView.maximumLength)
    if count <= TextView.inlineCapacity { return TextView(buffer.start, count: count, flags: escape).cell }
    let copy = scratch.allocate(count)
    copy.copyMemory(from: buffer.start, byteCount: count)
    return TextView(copy, count: count, flags: escape).cell
  }
}

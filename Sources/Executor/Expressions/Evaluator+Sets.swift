import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

extension Evaluator {
  /// Predicates count as they do in `where`: only true counts.
  func quantifier(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let set = execution.compiledSet(Int(node.index))
    let truths = out.truths
    let isShared = try once(node, .byte, out) { (first, out) throws(RuntimeProblem) in try first.quantifier(node, out) }
    if isShared { return }
    if let shared = try shared(node) {
      try over(shared.batch).quantifier(node, out)
      return scatter(shared.places, out)
    }
    guard node.b >= 0 else {
      switch node.quantifier {
      case .some, .exists, .none:
        try set.exists(batch.scopes, execution, into: truths)
        for index in 0..<count { truths[index] &<<= 1 }
        if node.quantifier == .none { TruthKernel.not(truths, count, into: truths) }
      case .every: truths.update(repeating: 2, count: count)
      case .one:
        let counts = execution.scratch.allocate(Int64.self, count: count)
        try set.count(batch.scopes, execution, into: counts)
        for index in 0..<count { truths[index] = counts[index] == 1 ? 2 : 0 }
      }
      return
    }
    let isDone = try inParts(node, out) { (part, out) throws(RuntimeProblem) in try part.quantifier(node, out) }
    if isDone { return }
    let box = block.expansions[Int(node.entity)]
    try set.expand(batch.scopes, execution, into: &box.expansion)
    defer { box.expansion.rest() }
    try execution.hold(box.expansion, &box.heldBytes)
    var collected = QuantifierTruths(node.quantifier, truths, count)
    let block = state.blocks[Int(node.b)]
    var cursor = ExpansionCursor()
    while true {
      let found = try fill(block, box, &cursor, isDecided: collected.isDecided)
      if found == 0 { break }
      try execution.checkpoint()
      try collected.add(block.inputBatch(found), box.parents, node.b, state, execution)
    }
    try collected.finish()
  }

  /// The next members as the input of `inner`: members as scope 0, their parents' scopes behind. Members of parents
  /// that are decided are left out. Gives their number, 0 at the end.
  private func fill(
    _ inner: BlockState, _ box: ExpansionBox, _ cursor: inout ExpansionCursor, isDecided: (Int) -> Bool
  ) throws(RuntimeProblem) -> Int {
    let depth = batch.scopes.scopes.count
    let limit = state.program.batchRows
    try inner.prepareInput(depth + 1, rows: limit, execution)
    let parents = box.parents
    let rows = inner.inputBuffers[0]
    var found = 0
    while cursor.parent < count, found < limit {
      let parent = cursor.parent
      let end = Int(box.expansion.offsets[parent + 1])
      if isDecided(parent) { cursor.place = end }
      let taken = min(end - cursor.place, limit - found)
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
    let set = execution.compiledSet(Int(node.index))
    let type = block.block.types[index]
    let isShared = try once(node, ColumnKind(type), out) { (first, out) throws(RuntimeProblem) in
      try first.aggregate(node, index, out)
    }
    if isShared { return }
    if let shared = try shared(node) {
      try over(shared.batch).aggregate(node, index, out)
      return scatter(shared.places, out)
    }
    if node.aggregate == .count, node.b < 0 {
      out.validity.update(repeating: 1, count: count)
      return try set.count(batch.scopes, execution, into: out.words)
    }
    if try inParts(node, out, { (part, out) throws(RuntimeProblem) in try part.aggregate(node, index, out) }) { return }
    let box = block.expansions[Int(node.entity)]
    try set.expand(batch.scopes, execution, into: &box.expansion)
    defer { box.expansion.rest() }
    try execution.hold(box.expansion, &box.heldBytes)
    setNull(out)
    if node.b >= 0, node.aggregate.isOfOneMember, box.expansion.hasSinglesOnly(count), elementType(node, type) == type {
      return try values(ofSingles: node, box, out)
    }
    var accumulator = Accumulator(node.aggregate, elementType(node, type), result: type)
    var current = 0
    if node.b < 0 {
      // The members themselves.
      for parent in 0..<count {
        let start = Int(box.expansion.offsets[parent])
        let end = Int(box.expansion.offsets[parent + 1])
        for place in start..<end {
          accumulator.add(Cell(low: UInt64(box.expansion.rows[place])), execution)
          if place & 4095 == 4095 { try check(&accumulator, node, parent) }
        }
        try finish(&accumulator, node, out, parent)
      }
      return
    }
    let block = state.blocks[Int(node.b)]
    var cursor = ExpansionCursor()
    while true {
      let found = try fill(block, box, &cursor) { _ in false }
      if found == 0 { break }
      try execution.checkpoint()
      let values = try state.evaluate(Int(node.b), block.inputBatch(found), execution).root(0)
      for place in 0..<found {
        let parent = Int(box.parents[place])
        while current < parent {
          try finish(&accumulator, node, out, current)
          current += 1
        }
        if !values.isNull(place) { accumulator.add(values.cell(place), execution) }
      }
      try check(&accumulator, node, current)
    }
    while current < count {
      try finish(&accumulator, node, out, current)
      current += 1
    }
  }

  private func values(ofSingles node: Node, _ box: ExpansionBox, _ out: Vector) throws(RuntimeProblem) {
    let block = state.blocks[Int(node.b)]
    var cursor = ExpansionCursor()
    while true {
      let found = try fill(block, box, &cursor) { _ in false }
      if found == 0 { return }
      let values = try state.evaluate(Int(node.b), block.inputBatch(found), execution).root(0)
      for place in 0..<found where !values.isNull(place) { store(values.cell(place), out, Int(box.parents[place])) }
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

  /// Looks at what was added; once a batch.
  func check(_ accumulator: inout Accumulator, _ node: Node, _ position: Int) throws(RuntimeProblem) {
    do throws(RuntimeProblem) { try accumulator.check(execution) } catch { throw placed(error, node, at: position) }
  }

  func finish(
    _ accumulator: inout Accumulator, _ node: Node, _ out: Vector, _ position: Int
  ) throws(RuntimeProblem) {
    let result: Conversion.Result
    do throws(RuntimeProblem) {
      result = try accumulator.finish(execution)
    } catch {
      throw placed(error, node, at: position)
    }
    switch result {
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

extension Aggregate {
  /// Indicates whether the aggregate of one value is this value.
  fileprivate var isOfOneMember: Bool {
    switch self {
    case .min, .max, .first, .last: true
    case .count, .sum, .avg, .collect, .distinct: false
    }
  }
}

extension Expansion {
  /// Returns whether each of so many lists has one member at most.
  fileprivate func hasSinglesOnly(_ count: Int) -> Bool {
    rows.count <= count && (0..<count).allSatisfy { offsets[$0 + 1] - offsets[$0] <= 1 }
  }
}

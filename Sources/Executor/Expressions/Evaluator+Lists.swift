import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// Elements of lists, in the order in which a list call visits them; a scope's row is a place among them.
///
/// The memory is the list call's, valid while its body is evaluated.
struct ListItems: BitwiseCopyable {
  var cells: UnsafeMutablePointer<Cell>
  var validity: UnsafeMutablePointer<UInt8>
}

extension Evaluator {
  /// The element of the list call that the node names.
  func item(_ node: Node, _ out: Vector) {
    setNull(out)
    let depth = Int(node.a)
    guard depth < batch.scopes.scopes.count else { return }
    let rows = batch.scopes.scopes[depth]
    let items = execution.items[Int(node.index)]
    for position in 0..<count {
      let row = Int(rows[position])
      if items.validity[row] != 0 { store(items.cells[row], out, position) }
    }
  }

  private func run(_ list: Vector, _ position: Int, _ element: ValueType) -> ListRun {
    ListRun(list.isNull(position) ? Cell(low: 0) : list.cells[position], element)
  }

  private func element(of node: Node) -> ValueType {
    if case .list(let element) = type(node.a) { return element }
    return .null
  }

  /// Without a body, elements count that are not null.
  func listQuantifier(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let truths = out.truths
    let quantifier = node.quantifier
    guard node.b >= 0 else {
      let list = vector(node.a)
      let element = element(of: node)
      for position in 0..<count {
        let run = run(list, position, element)
        try execution.charge(run.count)
        var found = 0
        for place in 0..<run.count where !run.isNull(place) { found += 1 }
        switch quantifier {
        case .some, .exists: truths[position] = found > 0 ? 2 : 0
        case .none: truths[position] = found == 0 ? 2 : 0
        case .one: truths[position] = found == 1 ? 2 : 0
        case .every: truths[position] = 2
        }
      }
      return
    }
    var collected = QuantifierTruths(quantifier, truths, count)
    try visitBatches(node) { (parents, items) throws(RuntimeProblem) in
      try collected.add(items, parents, node.b, state, execution)
    }
    try collected.finish()
  }

  func listAggregate(_ node: Node, _ index: Int, _ out: Vector) throws(RuntimeProblem) {
    setNull(out)
    let list = vector(node.a)
    let element = element(of: node)
    let type = block.block.types[index]
    var value = element
    if node.b >= 0 {
      let inner = state.blocks[Int(node.b)].block
      value = inner.types[Int(inner.roots[0])]
    }
    guard node.b >= 0 else {
      var accumulator = Accumulator(node.aggregate, element, result: type)
      for position in 0..<count {
        let run = run(list, position, element)
        try execution.charge(run.count &* 8)
        for place in 0..<run.count where !run.isNull(place) { accumulator.add(run.cell(place), execution) }
        try finish(&accumulator, node, out, position)
      }
      return
    }
    var accumulator = Accumulator(node.aggregate, value, result: type)
    var current = 0
    // Values of one element end when the next parent's begin.
    var failure: RuntimeProblem?
    try visitItems(node) { parents, found, results in
      for place in 0..<found where failure == nil {
        let parent = Int(parents[place])
        while current < parent, failure == nil {
          do throws(RuntimeProblem) { try finish(&accumulator, node, out, current) } catch { failure = error }
          current += 1
        }
        if !results.isNull(place) { accumulator.add(results.cell(place), execution) }
      }
    }
    if let failure { throw failure }
    while current < count {
      try finish(&accumulator, node, out, current)
      current += 1
    }
  }

  /// Takes the first of the elements that have the same key, or the first that has the least or the greatest.
  func listByKey(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    setNull(out)
    let list = vector(node.a)
    let element = element(of: node)
    let inner = state.blocks[Int(node.b)].block
    let key = inner.types[Int(inner.roots[0])]
    var keys: [[Cell?]] = Array(repeating: [], count: count)
    try visitItems(node) { parents, found, results in
      for place in 0..<found {
        keys[Int(parents[place])].append(results.isNull(place) ? nil : results.cell(place))
      }
    }
    for position in 0..<count {
      let run = run(list, position, element)
      guard node.aggregate == .distinct else {
        let place = try Accumulator.extremePlace(node.aggregate, keys[position], key, execution)
        if let place { store(run.cell(place), out, position) }
        continue
      }
      let places = try Accumulator.firstPlaces(keys[position], key, execution)
      try reserveList(places.count, node, at: position)
      let cells = places.map { run.isNull($0) ? nil : run.cell($0) }
      store(execution.scratch.list(cells, element), out, position)
    }
  }

  /// Evaluates the node's body for the elements of all lists, in batches, in order.
  private func visitItems(
    _ node: Node, _ visit: (UnsafePointer<UInt16>, Int, Vector) -> Void
  ) throws(RuntimeProblem) {
    try visitBatches(node) { (parents, items) throws(RuntimeProblem) in
      visit(parents, items.count, try state.evaluate(Int(node.b), items, execution).root(0))
    }
  }

  /// Goes through the elements of all lists in order: the parents of each batch, and the input of the node's body.
  private func visitBatches(
    _ node: Node, _ visit: (UnsafePointer<UInt16>, Batch) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) {
    let list = vector(node.a)
    let element = element(of: node)
    let inner = state.blocks[Int(node.b)]
    let depth = batch.scopes.scopes.count
    let limit = state.program.batchRows
    try inner.prepareInput(depth + 1, rows: limit, execution)
    let parents = block.expansions[Int(node.entity)].parents
    let number = Int(node.index)
    let items = ListItems(
      cells: execution.scratch.allocate(Cell.self, count: ScopeRows.batchRows),
      validity: execution.scratch.allocate(UInt8.self, count: ScopeRows.batchRows))
    var parent = 0
    var place = 0
    while parent < count {
      var found = 0
      while parent < count, found < limit {
        let run = run(list, parent, element)
        while place < run.count, found < limit {
          items.cells[found] = run.cell(place)
          items.validity[found] = run.isNull(place) ? 0 : 1
          parents[found] = UInt16(truncatingIfNeeded: parent)
          inner.inputBuffers[0][found] = UInt32(truncatingIfNeeded: found)
          found += 1
          place += 1
        }
        if place < run.count { break }
        parent += 1
        place = 0
      }
      if found == 0 { return }
      try execution.checkpoint()
      for level in 0..<depth {
        let source = batch.scopes.scopes[level]
        let target = inner.inputBuffers[level + 1]
        for index in 0..<found { target[index] = source[Int(parents[index])] }
      }
      execution.items[number] = items
      try visit(UnsafePointer(parents), inner.inputBatch(found))
    }
  }

  /// The texts of a list with a separator between them.
  func join(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    setNull(out)
    let list = vector(node.a)
    let separators = vector(node.b)
    let element = element(of: node)
    var text = ComputedText(execution, state.program.catalog)
    for position in 0..<count where !separators.isNull(position) {
      let run = run(list, position, element)
      let separator = TextView(separators.cells[position])
      text.begin()
      var escape: UInt64 = 0
      var isFirst = true
      do throws(RuntimeProblem) {
        for place in 0..<run.count where !run.isNull(place) {
          if !isFirst {
            escape |= separator.word0 & TextView.escapeFlag
            let bytes = TextView.bytes(at: separators.cells + position)
            try text.append(bytes.start, bytes.count)
          }
          isFirst = false
          let bytes = run.textBytes(place)
          escape |= run.cell(place).low & TextView.escapeFlag
          try text.append(bytes.start, bytes.count)
        }
        store(try text.finish(flags: escape), out, position)
      } catch {
        throw placed(error, node, at: position)
      }
    }
  }
}

import GQLBase
import GQLCatalog
import GQLStore

/// Evaluates the nodes of one block for one batch.
///
/// It cannot be copied and is made by ``run(_:of:_:_:)`` alone, so none outlives that call, whose arguments hold what it
/// reads without a count: retaining costs more than a node.
struct Evaluator: ~Copyable {
  unowned(unsafe) let state: ExpressionState
  unowned(unsafe) let block: BlockState
  let batch: Batch
  unowned(unsafe) let execution: Execution

  var count: Int { batch.count }

  private init(state: ExpressionState, block: BlockState, batch: Batch, execution: Execution) {
    self.state = state
    self.block = block
    self.batch = batch
    self.execution = execution
  }

  /// Fills the vectors of `block`, which belongs to `state`.
  @inline(__always)
  static func run(
    _ block: BlockState, of state: ExpressionState, _ batch: Batch, _ execution: Execution
  ) throws(RuntimeProblem) {
    let evaluator = Evaluator(state: state, block: block, batch: batch, execution: execution)
    let nodes = block.nodes
    for index in 0..<block.nodeCount {
      // A program may have a hundred thousand nodes.
      try execution.charge(batch.count)
      try evaluator.evaluate(index, nodes[index])
    }
    try execution.checkStop()
  }

  /// The same for other rows.
  func over(_ batch: Batch) -> Evaluator {
    Evaluator(state: state, block: block, batch: batch, execution: execution)
  }

  @inline(__always)
  func vector(_ index: Int32) -> Vector { block.vectors[Int(index)] }

  func type(_ index: Int32) -> ValueType { block.block.types[Int(index)] }

  private func evaluate(_ index: Int, _ node: Node) throws(RuntimeProblem) {
    var out = block.register(index)
    switch node.operation {
    case .constant, .parameter: return
    case .scopeRows:
      let depth = Int(node.index)
      guard depth < batch.scopes.scopes.count else {
        out.rows.update(repeating: PageLayout.noRow, count: count)
        break
      }
      // Read only, as all vectors are.
      out.values = UnsafeMutableRawPointer(mutating: batch.scopes.scopes[depth])
      out.validity = block.ones
    case .toOne: toOne(node, out)
    case .firstRow: firstRow(node, out)
    case .rowWord:
      let rows = vector(node.a).rows
      for position in 0..<count {
        out.validity[position] = rows[position] == PageLayout.noRow ? 0 : 1
        out.words[position] = Int64(rows[position])
      }
    case .column:
      if batch.isPage, node.flag { out = pageColumn(node, out) } else { gather(node, out) }
    case .finer: finer(node, out)

    case .not: TruthKernel.not(vector(node.a).truths, count, into: out.truths)
    case .and, .or: try connective(node, out)
    case .isTrue: TruthKernel.isTrue(vector(node.a).truths, count, into: out.truths)
    case .isNull: isNull(vector(node.a), out)
    case .compare: compare(node, out)
    case .inRange: TruthKernel.both(vector(node.a).truths, vector(node.b).truths, count, into: out.truths)
    case .inSet: try inSet(node, out)
    case .inAny: inAny(node, out)
    case .inList: try inList(index, node, out)

    case .textTest: try textTest(node, out)
    case .like: try like(index, node, out)
    case .regex: try regex(index, node, out)
    case .arithmetic: out = try arithmetic(node, index, out)
    case .negate: try negate(node, index, out)
    case .convert: try convert(node, index, out)
    case .coalesce: try coalesce(node, out)
    case .conditional: try conditional(node, out)
    case .fold, .lower, .upper, .trim:
      out = try once(index, vector(node.a).isConstant, out) { (evaluator) throws(RuntimeProblem) in
        try evaluator.mapText(node, out)
      }
    case .length: try length(node, out)
    case .jsonPath: try jsonPath(node, out)
    case .element: element(node, index, out)
    case .jsonList, .jsonObject:
      out = try once(index, hasConstantArguments(node), out) { (evaluator) throws(RuntimeProblem) in
        try evaluator.jsonComposite(node, out)
      }
    case .quantifier: try quantifier(node, out)
    case .aggregate: try aggregate(node, index, out)
    case .rowSet: try rowSet(node, out)
    case .isDeleted: isDeleted(node, out)
    case .host: try host(node, out)
    case .textMatch: try textMatch(index, node, out)
    case .textScore: try textScore(index, node, out)
    case .highlight: try highlight(index, node, out)
    case .groupAggregate: try groupAggregate(node, out)
    case .function:
      out = try once(index, hasConstantArguments(node), out) { (evaluator) throws(RuntimeProblem) in
        try evaluator.function(index, node, out)
      }
    case .attempt: try attempt(node, out)
    case .invoke: try invoke(node, out, block.block.types[index])
    case .listQuantifier: try listQuantifier(node, out)
    case .listAggregate: try listAggregate(node, index, out)
    case .listByKey: try listByKey(node, out)
    case .item: item(node, out)
    case .join: try join(node, out)
    }
    block.vectors[index] = out
  }

  /// Fills `out`. What is the same for all rows is computed for the first, and all get its value: texts may be long.
  @inline(__always)
  private func once(
    _ index: Int, _ isConstant: @autoclosure () -> Bool, _ out: Vector,
    _ fill: (borrowing Evaluator) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) -> Vector {
    guard count > 1, isConstant() else {
      try fill(self)
      return out
    }
    var first = batch
    first.count = 1
    first.scopes.count = 1
    try fill(over(first))
    for position in 1..<count { copy(out, 0, to: out, position) }
    var out = out
    // A set that is made of a constant list outlives the batch, in whose memory this list lies.
    switch block.block.types[index] {
    case .list, .json: break
    default: out.isConstant = true
    }
    return out
  }

  private func hasConstantArguments(_ node: Node) -> Bool {
    for slot in 0..<Int(node.operandCount) {
      let argument = argument(node, slot)
      guard argument >= 0, vector(argument).isConstant else { return false }
    }
    return true
  }

  // MARK: - Problems

  /// The problem at a position of the batch, with its element and operands.
  func problem(_ kind: RuntimeProblem.Kind, _ node: Node, at position: Int, _ operands: [Int32] = []) -> RuntimeProblem
  {
    var entity: (type: EntityTypeID, row: UInt32)?
    if let type = block.block.entityType {
      if batch.isPage {
        entity = (type, batch.pageRow &+ UInt32(truncatingIfNeeded: position))
      } else if let rows = batch.scopes.scopes.first, rows[position] != PageLayout.noRow {
        entity = (type, rows[position])
      }
    }
    let values = operands.map { operand in
      let vector = vector(operand)
      return vector.isNull(position)
        ? Text("null") : excerpt(of: vector.cell(position), type: type(operand), catalog: state.program.catalog)
    }
    return RuntimeProblem(kind, at: node.range, entity: entity, values: values)
  }

  // MARK: - Filling

  /// Every position null.
  func setNull(_ out: Vector, _ position: Int) {
    switch out.kind {
    case .truth: out.truths[position] = 1
    case .rows: out.rows[position] = PageLayout.noRow
    case .word, .double, .wide: out.validity[position] = 0
    }
  }

  func setNull(_ out: Vector) {
    switch out.kind {
    case .truth: out.truths.update(repeating: 1, count: count)
    case .rows: out.rows.update(repeating: PageLayout.noRow, count: count)
    case .word, .double, .wide: out.validity.update(repeating: 0, count: count)
    }
  }

  @inline(__always)
  func copy(_ source: Vector, _ index: Int, to out: Vector, _ position: Int) {
    // A bare null has a lane of its own.
    guard source.kind == out.kind else { return }
    switch out.kind {
    case .truth: out.truths[position] = source.truths[index]
    case .rows: out.rows[position] = source.rows[index]
    case .word, .double:
      out.words[position] = source.words[index]
      out.validity[position] = source.validity[index]
    case .wide:
      out.cells[position] = source.cells[index]
      out.validity[position] = source.validity[index]
    }
  }
}

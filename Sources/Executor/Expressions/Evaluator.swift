import GQLBase
import GQLCatalog
import GQLPlanner
import GQLStore

/// Evaluates the nodes of one block for one batch.
struct Evaluator {
  // Safe because the callers hold all three for as long as the evaluation takes; retaining them costs more than a node.
  unowned(unsafe) let state: ExpressionState
  unowned(unsafe) let block: BlockState
  let batch: Batch
  unowned(unsafe) let execution: Execution

  var count: Int { batch.count }

  func run() throws(RuntimeProblem) {
    let nodes = block.nodes
    for index in 0..<block.nodeCount { try evaluate(index, nodes[index]) }
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

    case .not: TruthKernel.not(vector(node.a).truths, count, into: out.truths)
    case .and, .or: try connective(node, out)
    case .isTrue: TruthKernel.isTrue(vector(node.a).truths, count, into: out.truths)
    case .isNull: isNull(vector(node.a), out)
    case .compare: compare(node, out)
    case .inRange: TruthKernel.both(vector(node.a).truths, vector(node.b).truths, count, into: out.truths)
    case .inSet: inSet(node, out)
    case .inAny: inAny(node, out)
    case .inList: inList(index, node, out)

    case .textTest: textTest(node, out)
    case .like: try like(index, node, out)
    case .regex: try regex(index, node, out)
    case .arithmetic: out = try arithmetic(node, index, out)
    case .negate: try negate(node, index, out)
    case .convert: try convert(node, index, out)
    case .coalesce: try coalesce(node, out)
    case .conditional: try conditional(node, out)
    case .fold, .lower, .upper, .trim: mapText(node, out)
    case .length: length(node, out)
    case .jsonPath: jsonPath(node, out)
    case .element: element(node, index, out)
    case .jsonList, .jsonObject: jsonComposite(node, out)
    case .quantifier: try quantifier(node, out)
    case .aggregate: try aggregate(node, index, out)
    case .rowSet: try rowSet(node, out)
    case .isDeleted: isDeleted(node, out)
    case .textMatch: textMatch(index, node, out)
    case .textScore: try textScore(index, node, out)
    case .highlight: try highlight(index, node, out)
    case .groupAggregate: try groupAggregate(node, out)
    case .function: try function(index, node, out)
    case .attempt: try attempt(node, out)
    case .invoke: try invoke(node, out, block.block.types[index])
    case .listQuantifier: try listQuantifier(node, out)
    case .listAggregate: try listAggregate(node, index, out)
    case .item: item(node, out)
    case .join: join(node, out)
    }
    block.vectors[index] = out
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
    let values = operands.map { operand -> Text in
      var buffer = ByteBuffer()
      write(vector(operand), position, type: type(operand), catalog: state.program.catalog, into: &buffer)
      return buffer.withUnsafeBytes { Text($0) }
    }
    return RuntimeProblem(kind, at: node.range, entity: entity, values: values)
  }

  // MARK: - Lazy operands

  /// Evaluates a block for some positions of the batch. The result is parallel to the positions.
  func evaluate(_ index: Int32, at positions: UnsafePointer<UInt16>, _ found: Int) throws(RuntimeProblem) -> Vector {
    if found == count { return try state.evaluate(Int(index), batch, execution).root(0) }
    let inner = state.blocks[Int(index)]
    return try state.evaluate(Int(index), inner.narrow(batch, positions, found), execution).root(0)
  }

  /// Positions at which `active` is not 0.
  private func collect(_ active: UnsafePointer<UInt8>) -> Int {
    let positions = block.positions
    var found = 0
    for index in 0..<count {
      positions[found] = UInt16(truncatingIfNeeded: index)
      found &+= Int(active[index] & 1)
    }
    return found
  }

  private func connective(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let isAnd = node.operation == .and
    // The value that decides.
    let decided: UInt8 = isAnd ? 0 : 2
    let truths = out.truths
    truths.update(repeating: 2 &- decided, count: count)
    for slot in 0..<Int(node.operandCount) {
      let operand = block.block.operands[Int(node.firstOperand) + slot]
      if !operand.isLazy {
        let other = vector(operand.node).truths
        if isAnd {
          TruthKernel.and(truths, other, count, into: truths)
        } else {
          TruthKernel.or(truths, other, count, into: truths)
        }
        continue
      }
      for index in 0..<count { block.active[index] = truths[index] == decided ? 0 : 1 }
      let found = collect(block.active)
      if found == 0 { break }
      let other = try evaluate(operand.block, at: block.positions, found).truths
      for index in 0..<found {
        let position = Int(block.positions[index])
        truths[position] = isAnd ? min(truths[position], other[index]) : max(truths[position], other[index])
      }
    }
  }

  private func coalesce(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    for index in 0..<count { block.active[index] = 1 }
    setNull(out)
    for slot in 0..<Int(node.operandCount) {
      let operand = block.block.operands[Int(node.firstOperand) + slot]
      if operand.isLazy {
        let found = collect(block.active)
        if found == 0 { break }
        let other = try evaluate(operand.block, at: block.positions, found)
        for index in 0..<found where !other.isNull(index) {
          let position = Int(block.positions[index])
          copy(other, index, to: out, position)
          block.active[position] = 0
        }
      } else {
        let other = vector(operand.node)
        for index in 0..<count where block.active[index] != 0 && !other.isNull(index) {
          copy(other, index, to: out, index)
          block.active[index] = 0
        }
      }
    }
  }

  private func conditional(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    // Bit 0: not decided yet.
    for index in 0..<count { block.active[index] = 1 }
    setNull(out)
    let operandCount = Int(node.operandCount)
    let chosen = execution.scratch.allocate(UInt8.self, count: count)
    var slot = 0
    while slot < operandCount {
      let hasCondition = slot + 1 < operandCount
      for index in 0..<count { chosen[index] = hasCondition ? 0 : block.active[index] }
      if hasCondition {
        let condition = block.block.operands[Int(node.firstOperand) + slot]
        if condition.isLazy {
          let found = collect(block.active)
          if found == 0 { break }
          let truths = try evaluate(condition.block, at: block.positions, found).truths
          for index in 0..<found { chosen[Int(block.positions[index])] = truths[index] >> 1 }
        } else {
          let truths = vector(condition.node).truths
          for index in 0..<count { chosen[index] = block.active[index] & (truths[index] >> 1) }
        }
      }
      let value = block.block.operands[Int(node.firstOperand) + (hasCondition ? slot + 1 : slot)]
      let found = collect(chosen)
      if found > 0 {
        if value.isLazy {
          let other = try evaluate(value.block, at: block.positions, found)
          for index in 0..<found { copy(other, index, to: out, Int(block.positions[index])) }
        } else {
          let other = vector(value.node)
          for index in 0..<found { copy(other, Int(block.positions[index]), to: out, Int(block.positions[index])) }
        }
        for index in 0..<count { block.active[index] &= chosen[index] ^ 1 }
      }
      slot += 2
    }
  }

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

  // MARK: - Tests

  private func isNull(_ a: Vector, _ out: Vector) {
    switch a.kind {
    case .truth: TruthKernel.isUnknown(a.truths, count, into: out.truths)
    case .rows:
      CompareKernel.compare(.equal, UnsafePointer(a.rows), constant: PageLayout.noRow, count, into: out.truths)
    case .word, .double, .wide:
      if a.allValid {
        out.truths.update(repeating: 0, count: count)
      } else {
        TruthKernel.isNull(validity: a.validity, count, into: out.truths)
      }
    }
  }

  private func compare(_ node: Node, _ out: Vector) {
    let a = vector(node.a)
    let b = vector(node.b)
    let truths = out.truths
    switch (a.kind, b.kind) {
    case (.truth, .truth): return CompareKernel.truths(node.comparison, a, b, count, into: truths)
    case (.rows, .rows): return CompareKernel.rows(node.comparison, a, b, count, into: truths)
    case (.word, .word): CompareKernel.words(node.comparison, a, b, count, into: truths)
    case (.double, .double): CompareKernel.doubles(node.comparison, a, b, count, into: truths)
    case (.wide, .wide) where type(node.a) != type(node.b) && type(node.a).isNumeric:
      CompareKernel.mixed(node.comparison, a, b, count, into: truths)
    case (.wide, .wide): CompareKernel.wide(node.comparison, a, b, type(node.a), count, into: truths)
    case (.word, .double), (.double, .word), (.word, .wide), (.wide, .word), (.double, .wide), (.wide, .double):
      CompareKernel.mixed(node.comparison, a, b, count, into: truths)
    default:
      // Types that the binder never lets meet, but for a null.
      truths.update(repeating: node.comparison == .notEqual ? 2 : node.comparison == .equal ? 0 : 1, count: count)
      return
    }
    maskNulls(node.comparison, a, b, truths)
  }

  private func maskNulls(_ comparison: ComparisonOperator, _ a: Vector, _ b: Vector, _ out: UnsafeMutablePointer<UInt8>)
  {
    switch comparison {
    case .equal:
      if !(a.allValid && b.allValid) { TruthKernel.maskEqual(out, a.validity, b.validity, count) }
    case .notEqual:
      if !(a.allValid && b.allValid) {
        TruthKernel.not(out, count, into: out)
        TruthKernel.maskEqual(out, a.validity, b.validity, count)
        TruthKernel.not(out, count, into: out)
      }
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      // JSON values of different types are unknown already.
      if !(a.allValid && b.allValid) {
        for index in 0..<count {
          let valid = a.validity[index] & b.validity[index]
          out[index] = (out[index] & (0 &- valid)) | (1 &- valid)
        }
      }
    }
  }

  private func inSet(_ node: Node, _ out: Vector) {
    member(of: block.block.sets[Int(node.index)], vector(node.a), out)
  }

  private func member(of set: ConstantSet, _ a: Vector, _ out: Vector) {
    let null: UInt8 = set.containsNull ? 2 : 0
    if a.kind == .word {
      set.test(UnsafePointer(a.words), count, into: out.truths)
      if a.allValid { return }
      for index in 0..<count { out.truths[index] = a.validity[index] == 1 ? out.truths[index] : null }
      return
    }
    if a.kind == .wide {
      for index in 0..<count {
        out.truths[index] = a.validity[index] == 0 ? null : set.contains(a.cells[index]) ? 2 : 0
      }
      return
    }
    for index in 0..<count {
      out.truths[index] = a.isNull(index) ? null : set.contains(a.cell(index)) ? 2 : 0
    }
  }

  private func inAny(_ node: Node, _ out: Vector) {
    out.truths.update(repeating: 0, count: count)
    for slot in 0..<Int(node.operandCount) {
      let operand = block.block.operands[Int(node.firstOperand) + slot]
      TruthKernel.or(out.truths, vector(operand.node).truths, count, into: out.truths)
    }
  }

  private func inList(_ index: Int, _ node: Node, _ out: Vector) {
    let a = vector(node.a)
    let list = vector(node.b)
    guard case .list(let element) = type(node.b) else {
      out.truths.update(repeating: node.flag ? 1 : 0, count: count)
      return
    }
    let isSameType = element == type(node.a) || Vector.Kind(element) != .wide && Vector.Kind(element) == a.kind
    if list.isConstant, isSameType, !list.isNull(0), list.cells[0].high & 0xFFFF_FFFF > 4 {
      let set: ConstantSet
      if let known = block.listSets[index] {
        set = known
      } else {
        let run = ListRun(list.cells[0], element)
        var cells: [Cell] = []
        for place in 0..<run.count where !run.isNull(place) { cells.append(run.cell(place)) }
        set = ConstantSet(cells, type: element, containsNull: cells.count < run.count)
        block.listSets[index] = set
      }
      return member(of: set, a, out)
    }
    for position in 0..<count {
      if list.isNull(position) {
        out.truths[position] = node.flag ? 1 : 0
        continue
      }
      let run = ListRun(list.cells[position], element)
      let isNull = a.isNull(position)
      let cell = a.cell(position)
      var found = false
      for place in 0..<run.count where !found {
        if run.isNull(place) || isNull {
          found = isNull && run.isNull(place)
        } else if isSameType {
          found = CellOrder.isEqual(cell, run.cell(place), element)
        } else {
          found = CellOrder.isEqualNumber(cell, type(node.a), run.cell(place), element)
        }
      }
      out.truths[position] = found ? 2 : 0
    }
  }

  private func isDeleted(_ node: Node, _ out: Vector) {
    let rows = vector(node.a).rows
    let status = execution.snapshot.liveness(EntityTypeID(Int(node.index)))
    for position in 0..<count {
      let row = rows[position]
      guard let status, row != PageLayout.noRow else {
        out.truths[position] = 0
        continue
      }
      out.truths[position] = status.byte(row) & 2
    }
  }

  private func rowSet(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let rows = vector(node.a).rows
    let bits = try execution.rowSetBits(Int(node.index))
    for position in 0..<count {
      let row = rows[position]
      guard row != PageLayout.noRow else {
        out.truths[position] = 0
        continue
      }
      out.truths[position] = UInt8(truncatingIfNeeded: (bits[Int(row) >> 6] >> UInt64(row & 63)) & 1) &<< 1
    }
  }
}

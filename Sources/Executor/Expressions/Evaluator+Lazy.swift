import GQLBase
import GQLCatalog
import GQLStore

/// Operands that only some rows need.
extension Evaluator {
  /// Evaluates a block for some positions of the batch. The result is parallel to the positions.
  func evaluate(_ index: Int32, at positions: UnsafePointer<UInt16>, _ found: Int) throws(RuntimeProblem) -> Vector {
    if found == count { return try state.evaluate(Int(index), batch, execution).root(0) }
    let inner = state.blocks[Int(index)]
    return try state.evaluate(Int(index), inner.narrow(batch, positions, found, execution), execution).root(0)
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

  func connective(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
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

  func coalesce(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
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

  func conditional(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
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
}

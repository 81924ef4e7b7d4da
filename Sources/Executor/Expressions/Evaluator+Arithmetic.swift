import GQLBase
import GQLCatalog
import GQLStore

extension Evaluator {
  /// Validity of the result of an operation that is null if an operand is.
  private func intersect(_ a: Vector, _ b: Vector, _ register: Vector) -> Vector {
    var out = register
    if a.allValid, b.allValid {
      out.validity = block.ones
      out.allValid = true
    } else {
      TruthKernel.intersect(a.validity, b.validity, count, into: out.validity)
    }
    return out
  }

  func arithmetic(_ node: Node, _ index: Int, _ register: Vector) throws(RuntimeProblem) -> Vector {
    let a = vector(node.a)
    let b = vector(node.b)
    let out = intersect(a, b, register)
    switch block.block.types[index] {
    case .scalar(.int): try integers(node, a, b, out)
    case .scalar(.float) where a.kind == .word: try ratio(node, a, b, out)
    case .scalar(.float): try doubles(node, a, b, out)
    case .scalar(.decimal): try decimals(node, a, b, out)
    case .scalar(.dateTime), .scalar(.date), .scalar(.duration):
      try times(node, a, b, out, block.block.types[index])
    case .scalar(.string): try join(node, a, b, out)
    default: setNull(out)
    }
    return out
  }

  // MARK: - Numbers

  private func integers(_ node: Node, _ a: Vector, _ b: Vector, _ out: Vector) throws(RuntimeProblem) {
    let left = a.words
    let right = b.words
    let words = out.words
    let validity = out.validity
    var failed = -1
    switch node.arithmetic {
    case .add:
      var overflow: Int64 = 0
      for index in 0..<count {
        let sum = left[index] &+ right[index]
        words[index] = sum
        overflow |= (left[index] ^ sum) & (right[index] ^ sum)
      }
      // Nulls may have overflowed too: look again for a value that did.
      if overflow < 0 {
        failed = first { validity[$0] == 1 && left[$0].addingReportingOverflow(right[$0]).overflow }
      }
    case .subtract:
      var overflow: Int64 = 0
      for index in 0..<count {
        let difference = left[index] &- right[index]
        words[index] = difference
        overflow |= (left[index] ^ right[index]) & (left[index] ^ difference)
      }
      if overflow < 0 {
        failed = first { validity[$0] == 1 && left[$0].subtractingReportingOverflow(right[$0]).overflow }
      }
    case .multiply:
      for index in 0..<count {
        let (product, overflow) = left[index].multipliedReportingOverflow(by: right[index])
        words[index] = product
        if overflow, validity[index] == 1 {
          failed = index
          break
        }
      }
    case .divide, .remainder:
      for index in 0..<count where validity[index] == 1 {
        if right[index] == 0 { throw problem(.divisionByZero, node, at: index, [node.a, node.b]) }
        if right[index] == -1 {
          // The one quotient that overflows has the remainder 0.
          if node.arithmetic == .divide, left[index] == .min {
            failed = index
            break
          }
          words[index] = node.arithmetic == .divide ? 0 &- left[index] : 0
        } else {
          words[index] = node.arithmetic == .divide ? left[index] / right[index] : left[index] % right[index]
        }
      }
    }
    if failed >= 0 { throw problem(.overflow(.int), node, at: failed, [node.a, node.b]) }
  }

  private func first(_ isFailed: (Int) -> Bool) -> Int {
    for index in 0..<count where isFailed(index) { return index }
    return -1
  }

  private func doubles(_ node: Node, _ a: Vector, _ b: Vector, _ out: Vector) throws(RuntimeProblem) {
    let left = a.doubles
    let right = b.doubles
    let doubles = out.doubles
    let validity = out.validity
    switch node.arithmetic {
    case .add: for index in 0..<count { doubles[index] = left[index] + right[index] }
    case .subtract: for index in 0..<count { doubles[index] = left[index] - right[index] }
    case .multiply: for index in 0..<count { doubles[index] = left[index] * right[index] }
    case .divide, .remainder:
      for index in 0..<count where validity[index] == 1 && right[index] == 0 {
        throw problem(.divisionByZero, node, at: index, [node.a, node.b])
      }
      if node.arithmetic == .divide {
        for index in 0..<count { doubles[index] = left[index] / right[index] }
      } else {
        for index in 0..<count where validity[index] == 1 {
          doubles[index] = left[index].truncatingRemainder(dividingBy: right[index])
        }
      }
    }
    for index in 0..<count where validity[index] == 1 && !doubles[index].isFinite {
      throw problem(.overflow(.float), node, at: index, [node.a, node.b])
    }
  }

  private func decimals(_ node: Node, _ a: Vector, _ b: Vector, _ out: Vector) throws(RuntimeProblem) {
    for index in 0..<count where out.validity[index] == 1 {
      let left = a.cells[index].decimal
      let right = b.cells[index].decimal
      let result: Decimal?
      switch node.arithmetic {
      case .add: result = left.adding(right)
      case .subtract: result = left.subtracting(right)
      case .multiply: result = left.multiplied(by: right)
      case .divide, .remainder:
        if right.isZero { throw problem(.divisionByZero, node, at: index, [node.a, node.b]) }
        result = node.arithmetic == .divide ? left.divided(by: right) : left.remainder(dividingBy: right)
      }
      guard let result else { throw problem(.overflow(.decimal), node, at: index, [node.a, node.b]) }
      out.cells[index] = Cell(result)
    }
  }

  // MARK: - Text

  private func join(_ node: Node, _ a: Vector, _ b: Vector, _ out: Vector) throws(RuntimeProblem) {
    guard a.kind == .wide, b.kind == .wide, node.arithmetic == .add else { return setNull(out) }
    for index in 0..<count where out.validity[index] == 1 {
      let left = TextView.bytes(at: a.cells + index)
      let right = TextView.bytes(at: b.cells + index)
      let length = left.count + right.count
      try reserveText(length, node, at: index)
      let flags = (a.cells[index].low | b.cells[index].low) & TextView.escapeFlag
      if length <= TextView.inlineCapacity {
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { bytes in
          // Safe because sixteen bytes are not empty.
          let start = bytes.baseAddress.unsafelyUnwrapped
          start.copyMemory(from: left.start, byteCount: left.count)
          (start + left.count).copyMemory(from: right.start, byteCount: right.count)
        }
        withUnsafeBytes(of: words) { bytes in
          out.cells[index] = TextView(bytes.baseAddress.unsafelyUnwrapped, count: length, flags: flags).cell
        }
      } else {
        let bytes = execution.scratch.allocate(length)
        bytes.copyMemory(from: left.start, byteCount: left.count)
        (bytes + left.count).copyMemory(from: right.start, byteCount: right.count)
        out.cells[index] = TextView(bytes, count: length, flags: flags).cell
      }
    }
  }

  // MARK: - Negation

  func negate(_ node: Node, _ index: Int, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    guard a.kind == out.kind else { return setNull(out) }
    out.validity.update(from: a.validity, count: count)
    switch out.kind {
    case .word:
      for index in 0..<count where out.validity[index] == 1 {
        if a.words[index] == .min {
          throw problem(.overflow(type(node.a).scalar ?? .int), node, at: index, [node.a])
        }
        out.words[index] = 0 &- a.words[index]
      }
    case .double: for index in 0..<count { out.doubles[index] = 0 - a.doubles[index] }
    case .wide:
      for index in 0..<count where out.validity[index] == 1 { out.cells[index] = Cell(a.cells[index].decimal.negated) }
    case .truth, .rows: setNull(out)
    }
  }
}

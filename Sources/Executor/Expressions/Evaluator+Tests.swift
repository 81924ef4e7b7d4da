import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore
import GQLWriting

/// Comparisons, nulls, membership.
extension Evaluator {
  func isNull(_ a: Vector, _ out: Vector) {
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

  func compare(_ node: Node, _ out: Vector) {
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
    case (.wide, .wide):
      CompareKernel.wide(node.comparison, a, b, type(node.a), count, into: truths, execution)
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

  func inSet(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    try member(of: block.block.sets[Int(node.index)], vector(node.a), out)
  }

  func member(of set: ConstantSet, _ a: Vector, _ out: Vector) throws(RuntimeProblem) {
    let null: UInt8 = set.containsNull ? 2 : 0
    if a.kind == .word {
      set.test(UnsafePointer(a.words), count, into: out.truths)
      if a.allValid { return }
      for index in 0..<count { out.truths[index] = a.validity[index] == 1 ? out.truths[index] : null }
      return
    }
    if a.kind == .wide {
      for index in 0..<count {
        if set.comparisons > 0 { try execution.charge(set.comparisons &* 16) }
        out.truths[index] = a.validity[index] == 0 ? null : set.contains(a.cells[index], execution) ? 2 : 0
      }
      return
    }
    for index in 0..<count {
      out.truths[index] = a.isNull(index) ? null : set.contains(a.cell(index), execution) ? 2 : 0
    }
  }

  func inAny(_ node: Node, _ out: Vector) {
    out.truths.update(repeating: 0, count: count)
    for slot in 0..<Int(node.operandCount) {
      let operand = block.block.operands[Int(node.firstOperand) + slot]
      TruthKernel.or(out.truths, vector(operand.node).truths, count, into: out.truths)
    }
  }

  func inList(_ index: Int, _ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    let list = vector(node.b)
    guard case .list(let element) = type(node.b) else {
      if type(node.b) == .json { return try inJSON(index, a, list, out) }
      out.truths.update(repeating: node.flag ? 1 : 0, count: count)
      return
    }
    let areTexts = (element.scalar?.isTextual ?? false) && (type(node.a).scalar?.isTextual ?? false)
    let isSameType =
      element == type(node.a) || areTexts || Vector.Kind(element) != .wide && Vector.Kind(element) == a.kind
    if list.isConstant, isSameType, !list.isNull(0), list.cells[0].high & 0xFFFF_FFFF > 4 {
      let set: ConstantSet
      if let known = block.listSets[index] {
        set = known
      } else {
        let run = ListRun(list.cells[0], element)
        var cells: [Cell] = []
        for place in 0..<run.count where !run.isNull(place) { cells.append(run.cell(place)) }
        set = ConstantSet(cells, type: element, containsNull: cells.count < run.count, execution)
        try execution.checkStop()
        block.listSets[index] = set
      }
      return try member(of: set, a, out)
    }
    for position in 0..<count {
      if list.isNull(position) {
        out.truths[position] = node.flag ? 1 : 0
        continue
      }
      let run = ListRun(list.cells[position], element)
      try execution.charge(run.count &* 8)
      let isNull = a.isNull(position)
      let cell = a.cell(position)
      var found = false
      for place in 0..<run.count where !found {
        if run.isNull(place) || isNull {
          found = isNull && run.isNull(place)
        } else if isSameType {
          found = CellOrder.isEqual(cell, run.cell(place), element, execution)
        } else {
          found = CellOrder.isEqualNumber(cell, type(node.a), run.cell(place), element)
        }
      }
      out.truths[position] = found ? 2 : 0
    }
  }

  func isDeleted(_ node: Node, _ out: Vector) {
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

  func rowSet(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
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

import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

extension Evaluator {
  func function(_ index: Int, _ node: Node, _ out: Vector) throws(RuntimeProblem) {
    switch node.function {
    case .lower, .upper, .trim, .length, .try, .finer: setNull(out)
    case .least, .greatest: extreme(node, out)
    case .slice: try slice(node, out)
    case .concat: try concat(node, out)
    case .replace: try replace(node, out)
    case .split: try split(node, out)
    case .padStart: try padStart(node, out)
    case .sort: try sort(node, out)
    case .extract: try extract(index, node, out)
    case .abs: try absolute(node, out)
    case .round, .floor, .ceil: try rounded(node, out)
    case .sqrt, .pow: try power(node, out)
    case .div: try quotient(node, out)
    case .date: try dates(node, out)
    case .year, .month, .day, .hour, .minute, .second, .weekday: parts(node, out)
    case .trunc: truncated(node, out)
    case .dateDiff: difference(node, out)
    case .graphQLInt: try graphQLInt(node, out)
    case .textIDs: try textIDs(node, out)
    case .required: try required(node, out)
    }
  }

  // MARK: - Arguments

  /// The node of an argument.
  @inline(__always)
  func argument(_ node: Node, _ slot: Int) -> Int32 { block.block.operands[Int(node.firstOperand) + slot].node }

  func arguments(_ node: Node) -> [Int32] { (0..<Int(node.operandCount)).map { argument(node, $0) } }

  /// Makes the result null where an argument is. False, and all of it null, if an argument has another lane than
  /// `kind`, which only a bare null has.
  func strict(_ node: Node, _ out: Vector, kinds: Vector.Kind...) -> Bool {
    for slot in 0..<Int(node.operandCount) {
      let kind = slot < kinds.count ? kinds[slot] : kinds[kinds.count - 1]
      guard vector(argument(node, slot)).kind == kind else {
        setNull(out)
        return false
      }
    }
    out.validity.update(repeating: 1, count: count)
    for slot in 0..<Int(node.operandCount) {
      let argument = vector(argument(node, slot))
      if argument.allValid, argument.kind != .truth, argument.kind != .rows { continue }
      for index in 0..<count where argument.isNull(index) { out.validity[index] = 0 }
    }
    return true
  }

  /// An argument of a fragment whose variable is non-null, or has elements that are.
  private func required(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let first = argument(node, 0)
    let a = vector(first)
    guard a.kind == out.kind else { return setNull(out) }
    let checksValue = isTrue(argument(node, 1))
    var element: ValueType?
    if isTrue(argument(node, 2)), case .list(let type) = type(first) { element = type }
    setNull(out)
    for index in 0..<count {
      if a.isNull(index) {
        if checksValue { throw problem(.nullArgument, node, at: index) }
        continue
      }
      if let element {
        let run = ListRun(a.cell(index), element)
        for place in 0..<run.count where run.isNull(place) { throw problem(.nullArgument, node, at: index) }
      }
      copy(a, index, to: out, index)
    }
  }

  private func isTrue(_ node: Int32) -> Bool { count > 0 && vector(node).truths[0] == 2 }

  /// `least` and `greatest`: the first of equal ones.
  private func extreme(_ node: Node, _ out: Vector) {
    setNull(out)
    let sign = node.function == .least ? 1 : -1
    let nodes = arguments(node)
    guard let first = nodes.first else { return }
    let type = type(first)
    for index in 0..<count where !vector(first).isNull(index) {
      var best = vector(first).cell(index)
      var isNull = false
      for other in nodes.dropFirst() {
        let vector = vector(other)
        if vector.isNull(index) {
          isNull = true
          break
        }
        let cell = vector.cell(index)
        if CellOrder.compare(cell, best, type, execution) * sign < 0 { best = cell }
      }
      if !isNull { store(best, out, index) }
    }
  }

  // MARK: - try

  /// Evaluates all positions at once; where that fails halves, down to the rows that fail by themselves.
  func attempt(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    setNull(out)
    let operand = block.block.operands[Int(node.firstOperand)]
    let positions = execution.scratch.allocate(UInt16.self, count: count)
    for index in 0..<count { positions[index] = UInt16(truncatingIfNeeded: index) }
    var waiting = [0..<count]
    while let range = waiting.popLast() {
      do throws(RuntimeProblem) {
        let found = try evaluate(operand.block, at: positions + range.lowerBound, range.count)
        for index in 0..<range.count { copy(found, index, to: out, range.lowerBound + index) }
      } catch {
        guard error.kind.isOfOneRow else { throw error }
        try execution.checkpoint()
        if range.count == 1 { continue }
        let middle = range.lowerBound + range.count / 2
        waiting.append(middle..<range.upperBound)
        waiting.append(range.lowerBound..<middle)
      }
    }
  }

  // MARK: - Functions of the embedding program

  func invoke(_ node: Node, _ out: Vector, _ result: ValueType) throws(RuntimeProblem) {
    setNull(out)
    let function = block.block.functions[Int(node.index)]
    let nodes = arguments(node)
    let isConstant = function.isDeterministic && nodes.allSatisfy { vector($0).isConstant }
    var values = [Value](repeating: .null, count: nodes.count)
    var known: Cell?
    for index in 0..<count {
      if isConstant, index > 0 {
        if let known { store(known, out, index) }
        continue
      }
      var hasNull = false
      for (slot, argument) in nodes.enumerated() {
        let vector = vector(argument)
        if vector.isNull(index) {
          hasNull = true
          values[slot] = .null
        } else {
          values[slot] = CellValue.value(vector.cell(index), type(argument))
        }
      }
      if hasNull, !function.takesNulls { continue }
      let value: Value
      do throws(FunctionFailure) {
        value = try function.body(values)
      } catch {
        throw problem(.function(name: function.name, message: error.message), node, at: index, nodes)
      }
      if case .float(let number) = value, !number.isFinite {
        throw problem(.overflow(.float), node, at: index, nodes)
      }
      known = ParameterCells.cell(value, ColumnKind(result), execution.scratch)
      if let known {
        store(known, out, index)
      } else if !value.isNull {
        throw problem(.limitExceeded(name: "text-bytes", limit: Value.longestText), node, at: index, nodes)
      }
      if index & 63 == 63 { try execution.checkpoint() }
    }
  }
}

/// Cells as values that outlive the run.
enum CellValue {
  static func value(_ cell: Cell, _ type: ValueType) -> Value {
    func text() -> Text { TextView(cell).withBytes { Text(UnsafeRawBufferPointer(start: $0, count: $1)) } }
    switch type {
    case .scalar(let scalar):
      switch scalar {
      case .int: return .int(cell.int)
      case .float: return .float(cell.double)
      case .decimal: return .decimal(cell.decimal)
      case .string, .cursor: return .string(text())
      case .boolean: return .boolean(cell.low != 0)
      case .id: return .id(text(), isNumber: TextView(cell).isNumber)
      case .dateTime: return .dateTime(cell.int)
      case .date: return .date(cell.int)
      case .duration: return .duration(cell.int)
      case .uuid: return .uuid(text())
      case .bytes: return .bytes(text())
      case .json: return .json(text())
      }
    case .enumeration(let id): return .enumeration(id, code: Int(truncatingIfNeeded: cell.low))
    case .list(let element):
      let run = ListRun(cell, element)
      return .list((0..<run.count).map { run.isNull($0) ? .null : value(run.cell($0), element) })
    case .embedded, .entity, .null: return .null
    }
  }
}

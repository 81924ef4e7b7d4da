import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

extension Evaluator {
  /// A member by its name, or an element by its index; null where there is none or where it is JSON's null.
  func jsonPath(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let a = vector(node.a)
    let b = vector(node.b)
    out.validity.update(repeating: 0, count: count)
    guard a.kind == .wide, b.kind == .wide || b.kind == .word else { return }
    for index in 0..<count where a.validity[index] & b.validity[index] == 1 {
      let text = TextView.bytes(at: a.cells + index)
      let found: Range<Int>?
      if b.kind == .word {
        found = JSONAccess.element(text.start, text.count, b.words[index], execution)
      } else {
        let name = TextView.bytes(at: b.cells + index)
        found = JSONAccess.member(
          text.start, text.count, UnsafeRawBufferPointer(start: name.start, count: name.count), execution)
      }
      try execution.checkStop()
      guard let found else { continue }
      let start = text.start + found.lowerBound
      if found.count == 4, start.loadUnaligned(as: UInt32.self) == 0x6C6C_756E { continue }
      // A long text lies in an arena, so a part of it may point there; JSON carries no flags.
      out.cells[index] = TextView(start, count: found.count).cell
      out.validity[index] = 1
    }
  }

  /// From 0; null beyond the end.
  func element(_ node: Node, _ index: Int, _ out: Vector) {
    let a = vector(node.a)
    let b = vector(node.b)
    setNull(out)
    guard a.kind == .wide, b.kind == .word, case .list(let element) = type(node.a) else { return }
    for position in 0..<count where a.validity[position] & b.validity[position] == 1 {
      let run = ListRun(a.cells[position], element)
      let place = b.words[position]
      guard place >= 0, place < run.count, !run.isNull(Int(place)) else { continue }
      store(run.cell(Int(place)), out, position)
    }
  }

  /// Whether a value equals an element of a JSON list. What is no list has no elements.
  func inJSON(_ index: Int, _ a: Vector, _ list: Vector, _ out: Vector) throws(RuntimeProblem) {
    out.truths.update(repeating: 0, count: count)
    guard a.kind == .wide, list.kind == .wide else { return }
    if list.isConstant, !list.isNull(0) {
      if let known = block.listSets[index] { return try member(of: known, a, out) }
      let set = try elements(ofJSON: list.cells[0])
      block.listSets[index] = set
      return try member(of: set, a, out)
    }
    for position in 0..<count where list.validity[position] == 1 {
      let text = TextView.bytes(at: list.cells + position)
      let value = a.validity[position] == 1 ? TextView.bytes(at: a.cells + position) : nil
      let found = JSONAccess.contains(text.start, text.count, value, execution)
      try execution.checkStop()
      out.truths[position] = found ? 2 : 0
    }
  }

  /// The elements of one list, which many values are looked up in.
  private func elements(ofJSON list: Cell) throws(RuntimeProblem) -> ConstantSet {
    let text = TextView(list)
    var cells: [Cell] = []
    var containsNull = false
    var problem: RuntimeProblem?
    // Long elements are parts of the list's text.
    text.withBytes { start, count in
      JSONAccess.elements(start, count, execution) { range, kind in
        containsNull = containsNull || kind == .null
        cells.append(TextView(start + range.lowerBound, count: range.count).cell)
        guard cells.count & 1023 == 0 else { return true }
        do throws(RuntimeProblem) { try execution.checkMemory(ConstantSet.byteCount(of: cells.count)) } catch {
          problem = error
        }
        return problem == nil
      }
    }
    if let problem { throw problem }
    try execution.checkStop()
    let set = ConstantSet(cells, type: .json, containsNull: containsNull, execution)
    try execution.checkStop()
    return set
  }

  func jsonComposite(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let isObject = node.operation == .jsonObject
    let names = isObject ? block.block.names[Int(node.index)] : []
    var text = ComputedText(execution, state.program.catalog)
    for position in 0..<count {
      do throws(RuntimeProblem) {
        text.begin()
        text.append(isObject ? 0x7B : 0x5B)
        for slot in 0..<Int(node.operandCount) {
          if slot > 0 { text.append(0x2C) }
          if isObject { try text.append(name: names[slot]) }
          let operand = block.block.operands[Int(node.firstOperand) + slot].node
          try text.append(vector(operand), position, type: type(operand))
        }
        text.append(isObject ? 0x7D : 0x5D)
        out.cells[position] = try text.finish()
      } catch {
        throw placed(error, node, at: position)
      }
      out.validity[position] = 1
    }
  }
}

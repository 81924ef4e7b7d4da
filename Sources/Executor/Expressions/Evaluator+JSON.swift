import GQLBase
import GQLCatalog
import GQLStore

extension Evaluator {
  /// A member by its name, or an element by its index; null where there is none or where it is JSON's null.
  func jsonPath(_ node: Node, _ out: Vector) {
    let a = vector(node.a)
    let b = vector(node.b)
    out.validity.update(repeating: 0, count: count)
    guard a.kind == .wide, b.kind == .wide || b.kind == .word else { return }
    let conversion = Conversion(catalog: state.program.catalog, scratch: execution.scratch)
    var scratch = ByteBuffer()
    for index in 0..<count where a.validity[index] & b.validity[index] == 1 {
      let text = TextView.bytes(at: a.cells + index)
      let found: Range<Int>?
      if b.kind == .word {
        found = JSONAccess.element(text.start, text.count, b.words[index])
      } else {
        let name = TextView.bytes(at: b.cells + index)
        found = JSONAccess.member(
          text.start, text.count, UnsafeRawBufferPointer(start: name.start, count: name.count), &scratch)
      }
      guard let found else { continue }
      let start = text.start + found.lowerBound
      if found.count == 4, start.loadUnaligned(as: UInt32.self) == 0x6C6C_756E { continue }
      out.cells[index] = conversion.copyJSON(start, found.count)
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

  func jsonComposite(_ node: Node, _ out: Vector) {
    let conversion = Conversion(catalog: state.program.catalog, scratch: execution.scratch)
    let isObject = node.operation == .jsonObject
    let names = isObject ? block.block.names[Int(node.index)] : []
    var buffer = ByteBuffer()
    for position in 0..<count {
      buffer.removeAll()
      buffer.append(isObject ? 0x7B : 0x5B)
      for slot in 0..<Int(node.operandCount) {
        if slot > 0 { buffer.append(0x2C) }
        if isObject {
          buffer.append(json: names[slot])
          buffer.append(0x3A)
        }
        let operand = block.block.operands[Int(node.firstOperand) + slot].node
        write(vector(operand), position, type: type(operand), catalog: state.program.catalog, into: &buffer)
      }
      buffer.append(isObject ? 0x7D : 0x5D)
      out.cells[position] = conversion.copyJSON(buffer.start, buffer.count)
      out.validity[position] = 1
    }
  }
}

/// Finding parts of compact JSON text.
enum JSONAccess {
  /// The text of the first member of that name.
  static func member(
    _ start: UnsafeRawPointer, _ count: Int, _ name: UnsafeRawBufferPointer, _ scratch: inout ByteBuffer
  ) -> Range<Int>? {
    var scanner = JSONScanner(UnsafeRawBufferPointer(start: start, count: count))
    guard scanner.peek() == .object else { return nil }
    do throws(JSONScanner.Failure) {
      try scanner.beginObject()
      while let key = try scanner.nextKey(&scratch) {
        let isFound = ByteSearch.equal(UnsafeRawBufferPointer(key.bytes), name)
        scanner.skipSpace()
        let first = scanner.position
        try scanner.skipValue()
        if isFound { return first..<scanner.position }
      }
    } catch {}
    return nil
  }

  static func element(_ start: UnsafeRawPointer, _ count: Int, _ index: Int64) -> Range<Int>? {
    var scanner = JSONScanner(UnsafeRawBufferPointer(start: start, count: count))
    guard index >= 0, scanner.peek() == .array else { return nil }
    var place: Int64 = 0
    do throws(JSONScanner.Failure) {
      try scanner.beginArray()
      while try scanner.nextElement() {
        scanner.skipSpace()
        let first = scanner.position
        try scanner.skipValue()
        if place == index { return first..<scanner.position }
        place += 1
      }
    } catch {}
    return nil
  }
}

import GQLBase
import GQLStore

extension Evaluator {
  /// Puts quotes around the numbers of a list of lists of ids.
  func textIDs(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    guard strict(node, out, kinds: .wide) else { return }
    let lists = vector(argument(node, 0))
    var buffer: [UInt8] = []
    for index in 0..<count where out.validity[index] == 1 {
      let json = TextView.bytes(at: lists.cells + index)
      buffer.removeAll(keepingCapacity: true)
      quoteNumbers(UnsafeRawBufferPointer(start: json.start, count: json.count), into: &buffer)
      try execution.charge(buffer.count + 8)
      try reserveText(buffer.count, node, at: index)
      out.cells[index] = scratchText(buffer, flags: 0)
    }
  }

  /// Appends well-formed JSON with its numbers as texts.
  private func quoteNumbers(_ json: UnsafeRawBufferPointer, into buffer: inout [UInt8]) {
    var isInText = false
    var isInNumber = false
    var isEscaped = false
    for byte in json {
      if isInText {
        buffer.append(byte)
        if isEscaped {
          isEscaped = false
        } else if byte == 0x5C {
          isEscaped = true
        } else if byte == 0x22 {
          isInText = false
        }
        continue
      }
      let isDigit = byte == 0x2D || (0x30...0x39).contains(byte)
      if isDigit, !isInNumber {
        buffer.append(0x22)
        isInNumber = true
      } else if isInNumber, byte == 0x2C || byte == 0x5D || byte <= 0x20 {
        buffer.append(0x22)
        isInNumber = false
      }
      if byte == 0x22 { isInText = true }
      buffer.append(byte)
    }
    if isInNumber { buffer.append(0x22) }
  }
}

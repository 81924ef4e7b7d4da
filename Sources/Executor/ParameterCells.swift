import GQLBase
import GQLCatalog
import GQLStore

/// Parameters in the form of cells, in the memory of a run.
enum ParameterCells {
  /// Nil for null, and for what has no cell.
  static func cell(_ value: Value, _ kind: ColumnKind, _ scratch: ScratchArena) -> Cell? {
    switch value {
    case .null, .object: return nil
    case .boolean(let flag): return Cell(low: flag ? 1 : 0)
    case .int(let number):
      return kind == .float64 ? Cell(Double(number)) : Cell(number)
    case .float(let number): return Cell(number == 0 ? 0 : number)
    case .decimal(let number):
      let packed = number.packed
      return Cell(low: packed.0, high: packed.1)
    case .enumeration(_, let code): return Cell(low: UInt64(truncatingIfNeeded: code))
    case .dateTime(let time), .date(let time), .duration(let time): return Cell(time)
    case .string(let text), .uuid(let text), .bytes(let text), .json(let text): return view(text, 0, scratch)
    case .id(let text, let isNumber): return view(text, isNumber ? TextView.numberFlag : 0, scratch)
    case .list(let values):
      let isWide = kind == .wideList
      let width = isWide ? 16 : 8
      let run = scratch.allocate(values.count * (width + 1))
      for (index, element) in values.enumerated() {
        let cell = cell(element, isWide ? .text : .int64, scratch)
        run.storeBytes(of: cell == nil ? 0 : 1, toByteOffset: values.count * width + index, as: UInt8.self)
        run.storeBytes(of: cell?.low ?? 0, toByteOffset: index * width, as: UInt64.self)
        if isWide { run.storeBytes(of: cell?.high ?? 0, toByteOffset: index * width + 8, as: UInt64.self) }
      }
      return Cell(low: UInt64(UInt(bitPattern: run)), high: UInt64(values.count))
    }
  }

  private static func view(_ text: Text, _ flags: UInt64, _ scratch: ScratchArena) -> Cell {
    text.bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count > 0 else { return TextView(word0: flags, word1: 0).cell }
      let count = min(bytes.count, TextView.maximumLength)
      var flags = flags
      for byte in bytes where byte < 0x20 || byte == 0x22 || byte == 0x5C { flags |= TextView.escapeFlag }
      if count <= TextView.inlineCapacity { return TextView(start, count: count, flags: flags).cell }
      let copy = scratch.allocate(count)
      copy.copyMemory(from: start, byteCount: count)
      return TextView(UnsafeRawPointer(copy), count: count, flags: flags).cell
    }
  }
}

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
    case .decimal(let number): return Cell(number)
    case .enumeration(_, let code): return Cell(low: UInt64(truncatingIfNeeded: code))
    case .dateTime(let time), .date(let time), .duration(let time): return Cell(time)
    case .string(let text), .uuid(let text), .bytes(let text), .json(let text):
      return text.bytes.withUnsafeBytes { scratch.text($0) }
    case .id(let text, let isNumber):
      return text.bytes.withUnsafeBytes { scratch.text($0, flags: isNumber ? TextView.numberFlag : 0) }
    case .list(let values):
      let isWide = kind == .wideList
      return scratch.list(count: values.count, isWide: isWide) { cell(values[$0], isWide ? .text : .int64, scratch) }
    }
  }
}

/// Cells of parameters that need no coercion. They live until the arena is emptied.
extension ScratchArena {
  /// A text, or an id that prints as one; nil for one that is too long.
  package func cell(text: UnsafeRawBufferPointer) -> Cell? { self.text(text) }

  /// An id that prints as a number.
  package func cell(digitsOf number: Int64) -> Cell? {
    // The digits end at byte 20, which leaves room for a sign and the 19 digits of any Int64; zeros follow.
    var words: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
    return withUnsafeMutableBytes(of: &words) { buffer in
      // Safe because the buffer has 40 bytes.
      let base = buffer.baseAddress.unsafelyUnwrapped
      var start = 20
      var rest = number.magnitude
      repeat {
        start &-= 1
        let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
        base.storeBytes(of: 0x30 | UInt8(truncatingIfNeeded: digit), toByteOffset: start, as: UInt8.self)
        rest = quotient
      } while rest > 0
      if number < 0 {
        start &-= 1
        base.storeBytes(of: 0x2D, toByteOffset: start, as: UInt8.self)
      }
      let count = 20 &- start
      let text = UnsafeRawPointer(base + start)
      if count <= TextView.inlineCapacity {
        let first = UInt64(text.loadUnaligned(as: UInt32.self))
        let rest = (text + 4).loadUnaligned(as: UInt64.self)
        return Cell(low: UInt64(count) | TextView.numberFlag | first << 32, high: rest)
      }
      return self.text(UnsafeRawBufferPointer(start: text, count: count), flags: TextView.numberFlag)
    }
  }

  /// A list whose elements are texts and ids, or words. Nil if `element` gives nil for one.
  package func listCell(count: Int, isWide: Bool, _ element: (Int) -> Cell?) -> Cell? {
    let width = isWide ? 16 : 8
    let run = allocate(count * (width + 1))
    for index in 0..<count {
      guard let cell = element(index) else { return nil }
      run.storeBytes(of: cell.low, toByteOffset: index * width, as: UInt64.self)
      if isWide { run.storeBytes(of: cell.high, toByteOffset: index * 16 + 8, as: UInt64.self) }
      run.storeBytes(of: 1, toByteOffset: count * width + index, as: UInt8.self)
    }
    return Cell(low: UInt64(UInt(bitPattern: run)), high: UInt64(count))
  }
}

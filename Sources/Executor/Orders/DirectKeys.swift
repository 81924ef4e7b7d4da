import GQLStore

/// Order-preserving images of a fixed-width column's cells, ascending in list order.
struct DirectKeys {
  let reader: ColumnReader
  let kind: ColumnKindCode
  /// All ones where the order is descending.
  let flip: UInt64

  enum ColumnKindCode { case int64, float64, byte, code }

  /// Precondition: `order.leading >= 0`.
  init(_ order: borrowing CompiledOrder, _ reader: ColumnReader) {
    self.reader = reader
    flip = order.terms[0].isDescending ? UInt64.max : 0
    switch order.directKind {
    case .float64: kind = .float64
    case .byte: kind = .byte
    case .code: kind = .code
    default: kind = .int64
    }
  }

  @inline(__always)
  static func image(_ value: Double) -> UInt64 {
    // Adding zero makes one zero of two.
    let bits = (value + 0).bitPattern
    return bits ^ (UInt64(bitPattern: Int64(bitPattern: bits) >> 63) | 1 << 63)
  }

  /// The image of a cell that is not null.
  @inline(__always)
  func image(_ row: UInt32) -> UInt64 {
    switch kind {
    case .int64: return (UInt64(bitPattern: reader.int64(row)) ^ 1 << 63) ^ flip
    case .float64: return DirectKeys.image(reader.float64(row)) ^ flip
    case .byte: return UInt64(reader.byte(row)) ^ flip
    case .code: return UInt64(reader.code(row)) ^ flip
    }
  }

  /// The images of many rows: a loop of nothing but loads, so that the misses overlap.
  func gather(_ rows: UnsafePointer<UInt32>, _ count: Int, into keys: UnsafeMutablePointer<UInt64>) {
    switch kind {
    case .int64:
      let mask = flip ^ 1 << 63
      for index in 0..<count { keys[index] = UInt64(bitPattern: reader.int64(rows[index])) ^ mask }
    default: for index in 0..<count { keys[index] = image(rows[index]) }
    }
  }
}

/// The order of one component of a key.
@usableFromInline package enum KeyOrder {
  /// A number that orders like the double; -0 and 0 are one.
  @inlinable package static func image(_ value: Double) -> UInt64 {
    let bits = (value == 0 ? 0.0 : value).bitPattern
    return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
  }

  /// A number that orders like the cell; other cells may share it where `isExact` is false for the kind.
  @usableFromInline package static func image(_ kind: KeyKind, _ cell: Cell) -> UInt64 {
    switch kind {
    case .int64: cell.low ^ 1 << 63
    case .float64: image(cell.double)
    case .byte, .code: cell.low
    case .decimal: PackedDecimal(cell).image
    case .text: TextView(cell).image
    case .id: TextView(cell).idImage
    }
  }

  /// Whether equal images mean equal cells.
  @inlinable package static func isExact(_ kind: KeyKind) -> Bool {
    switch kind {
    case .int64, .float64, .byte, .code: true
    case .decimal, .text, .id: false
    }
  }

  /// Negative, zero or positive.
  @usableFromInline package static func compare(_ kind: KeyKind, _ left: Cell, _ right: Cell) -> Int {
    switch kind {
    case .int64: return left.int < right.int ? -1 : left.int == right.int ? 0 : 1
    case .byte, .code: return left.low < right.low ? -1 : left.low == right.low ? 0 : 1
    case .float64:
      let (a, b) = (image(left.double), image(right.double))
      return a < b ? -1 : a == b ? 0 : 1
    case .decimal: return PackedDecimal(left).compare(PackedDecimal(right))
    case .text: return TextView(left).compare(TextView(right))
    case .id: return TextView(left).compareAsID(TextView(right))
    }
  }
}

/// Primary keys of a bulk that are not in their index yet, because each is above the one before.
///
/// Numbered rows are the usual case: no two of them are alike, so nothing is looked up, and the index is built at once.
struct AscendingKeys {
  /// The last key: its length and its first four bytes, and the rest; for an integer, the number in the first half.
  private var last: (UInt64, UInt64)?

  /// Whether the keys of an index can be compared so.
  static func canHold(_ index: StoreLayout.Index) -> Bool {
    guard index.isUnique, !index.kind.facts.isOrdered, index.keys.count == 1 else { return false }
    switch index.keys.components[0].kind {
    case .int64, .text, .id: return true
    case .float64, .byte, .code, .decimal: return false
    }
  }

  /// Takes the keys of new rows if each is above the one before.
  mutating func accept(
    _ cells: UnsafePointer<Cell>, _ valid: UnsafePointer<Bool>, _ count: Int, _ kind: KeyKind
  ) -> Bool {
    guard count > 0 else { return true }
    var previous = last
    for index in 0..<count {
      guard valid[index], let image = Self.image(cells[index], kind) else { return false }
      if let previous, previous >= image { return false }
      previous = image
    }
    last = previous
    return true
  }

  /// Different for different keys; nil for a text whose bytes lie elsewhere.
  private static func image(_ cell: Cell, _ kind: KeyKind) -> (UInt64, UInt64)? {
    if kind == .int64 { return (cell.low ^ (1 << 63), 0) }
    let view = TextView(cell)
    guard view.isInline else { return nil }
    let first = UInt32(truncatingIfNeeded: view.word0 >> 32).byteSwapped
    return (UInt64(view.count) << 32 | UInt64(first), view.word1.byteSwapped)
  }
}

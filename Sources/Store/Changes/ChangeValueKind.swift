import GQLBase
import GQLCatalog

/// A form of values in change sets, which can be read without the schema. Its numbers are those of the file's format;
/// those of ``ColumnKind`` are free to change with the memory.
enum ChangeValueKind: UInt64 {
  case word
  case float
  case byte
  case code
  case decimal
  case text
  case wordList
  case wideList
  case row
  case textList

  init(_ kind: ColumnKind, elementIsText: Bool) {
    switch kind {
    case .int64: self = .word
    case .float64: self = .float
    case .byte: self = .byte
    case .code: self = .code
    case .decimal: self = .decimal
    case .text: self = .text
    case .wordList: self = .wordList
    case .wideList: self = elementIsText ? .textList : .wideList
    case .reference, .references: self = .row
    }
  }

  /// Returns whether two cells hold one value in one form: 1.5 and 1.50 do not.
  @inline(__always)
  func areEqual(_ old: Cell, _ new: Cell) -> Bool {
    if old == new { return true }
    switch self {
    case .word, .float, .byte, .code, .decimal, .row: return false
    case .text: return Self.areEqual(TextView(old), TextView(new))
    case .wordList, .wideList, .textList: return areEqualLists(old, new)
    }
  }

  private static func areEqual(_ old: TextView, _ new: TextView) -> Bool {
    old.isNumber == new.isNumber && old.equals(new)
  }

  private func areEqualLists(_ old: Cell, _ new: Cell) -> Bool {
    let (left, right) = (ListRun(old, isWide: self != .wordList), ListRun(new, isWide: self != .wordList))
    guard left.count == right.count else { return false }
    for index in 0..<left.count {
      guard left.isNull(index) == right.isNull(index) else { return false }
      if left.isNull(index) { continue }
      let (one, other) = (left.cell(index), right.cell(index))
      if self == .textList ? !Self.areEqual(TextView(one), TextView(other)) : one != other { return false }
    }
    return true
  }
}

extension ByteBuffer {
  /// Appends a number in groups of seven bits, the lowest first; all bytes but the last have their highest bit set.
  @inline(__always)
  mutating func append(varint value: UInt64) {
    if value < 0x80 { return append(UInt8(truncatingIfNeeded: value)) }
    reserve(10)
    var rest = value
    while rest >= 0x80 {
      appendReserved(UInt8(truncatingIfNeeded: rest | 0x80))
      rest >>= 7
    }
    appendReserved(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a signed number, small ones of either sign in few bytes.
  @inline(__always)
  mutating func append(zigzag value: Int64) { append(varint: UInt64(bitPattern: value << 1 ^ value >> 63)) }

  /// Appends rows, each as its distance from the one before.
  mutating func append(rows: UnsafeBufferPointer<UInt32>) {
    var previous: Int64 = 0
    for row in rows {
      append(zigzag: Int64(row) - previous)
      previous = Int64(row)
    }
  }

  fileprivate mutating func append(text: TextView) {
    let count = text.count
    append(varint: UInt64(count) << 1 | (text.isNumber ? 1 : 0))
    text.withBytes { append($0, $1) }
  }

  /// Appends a cell that is not null.
  @inline(__always)
  mutating func append(_ cell: Cell, _ kind: ChangeValueKind) {
    switch kind {
    case .word:
      append(zigzag: cell.int)
      if cell.high != 0 { append(zigzag: cell.finer) }
    case .float: append(littleEndian: cell.low)
    case .byte, .code, .row: append(varint: cell.low)
    case .decimal:
      append(littleEndian: cell.low)
      append(littleEndian: cell.high)
    case .text: append(text: TextView(cell))
    case .wordList, .wideList, .textList: append(list: cell, kind)
    }
  }

  private mutating func append(list cell: Cell, _ kind: ChangeValueKind) {
    let list = ListRun(cell, isWide: kind != .wordList)
    append(varint: UInt64(list.count))
    var bits: UInt8 = 0
    for index in 0..<list.count {
      if !list.isNull(index) { bits |= 1 << UInt8(index & 7) }
      if index & 7 == 7 || index == list.count - 1 {
        append(bits)
        bits = 0
      }
    }
    for index in 0..<list.count where !list.isNull(index) {
      let element = list.cell(index)
      switch kind {
      case .textList: append(text: TextView(element))
      case .wideList:
        append(littleEndian: element.low)
        append(littleEndian: element.high)
      default: append(littleEndian: element.low)
      }
    }
  }
}

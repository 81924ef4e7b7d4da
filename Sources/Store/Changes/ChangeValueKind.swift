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
    let (left, right) = (ListCell(old, isWide: self != .wordList), ListCell(new, isWide: self != .wordList))
    guard left.count == right.count else { return false }
    for index in 0..<left.count {
      guard left.isValid(index) == right.isValid(index) else { return false }
      if !left.isValid(index) { continue }
      let (one, other) = (left[index], right[index])
      if self == .textList ? !Self.areEqual(TextView(one), TextView(other)) : one != other { return false }
    }
    return true
  }
}

/// The elements of a list's cell.
struct ListCell {
  let start: UnsafeRawPointer?
  let count: Int
  private let width: Int

  init(_ cell: Cell, isWide: Bool) {
    width = isWide ? 16 : 8
    start = UnsafeRawPointer(bitPattern: UInt(cell.low))
    count = start == nil ? 0 : Int(UInt32(truncatingIfNeeded: cell.high))
  }

  func isValid(_ index: Int) -> Bool {
    // Safe because the validity of `count` elements follows them.
    start.map { ($0 + (count * width + index)).load(as: UInt8.self) != 0 } ?? false
  }

  subscript(_ index: Int) -> Cell {
    guard let start else { return Cell(low: 0) }
    if width == 16 { return (start + index * 16).loadUnaligned(as: Cell.self) }
    return Cell(low: (start + index * 8).loadUnaligned(as: UInt64.self))
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
    let list = ListCell(cell, isWide: kind != .wordList)
    append(varint: UInt64(list.count))
    var bits: UInt8 = 0
    for index in 0..<list.count {
      if list.isValid(index) { bits |= 1 << UInt8(index & 7) }
      if index & 7 == 7 || index == list.count - 1 {
        append(bits)
        bits = 0
      }
    }
    for index in 0..<list.count where list.isValid(index) {
      let element = list[index]
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

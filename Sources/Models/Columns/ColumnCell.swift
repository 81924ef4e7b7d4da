import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

/// A value as a column holds it, on the way to a Swift value. Valid during the call that passes it.
public struct ColumnCell {
  let cell: Cell
  let isNull: Bool

  @inline(__always)
  init(_ cell: Cell, isNull: Bool = false) {
    self.cell = cell
    self.isNull = isNull
  }

  @inline(__always) var int: Int64 { cell.int }
  @inline(__always) var double: Double { cell.double }

  @inline(__always)
  var string: String {
    let view = TextView(cell)
    return view.withBytes { start, count in
      String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try TextView(cell).withBytes { start, count in try body(UnsafeRawBufferPointer(start: start, count: count)) }
  }

  /// The cells of a list.
  func elements<Element>(isWide: Bool, _ make: (ColumnCell) throws -> Element) rethrows -> [Element] {
    let count = Int(UInt32(truncatingIfNeeded: cell.high))
    guard count > 0, let start = UnsafeRawPointer(bitPattern: UInt(cell.low)) else { return [] }
    var result: [Element] = []
    result.reserveCapacity(count)
    let width = isWide ? 16 : 8
    for index in 0..<count {
      let address = start + index &* width
      let element = Cell(
        low: address.loadUnaligned(as: UInt64.self),
        high: isWide ? (address + 8).loadUnaligned(as: UInt64.self) : 0)
      let isNull = (start + (count &* width &+ index)).load(as: UInt8.self) == 0
      result.append(try make(ColumnCell(element, isNull: isNull)))
    }
    return result
  }
}

/// A place for a value on its way into a column. Valid during the call that passes it.
public struct ColumnSlot {
  let memory: StagingArena
  /// What was written; nil for null.
  var cell: Cell?

  init(_ memory: StagingArena) { self.memory = memory }

  mutating func set(_ bytes: UnsafeRawBufferPointer, flags: UInt64 = 0) throws {
    guard bytes.count <= TextView.maximumLength else { throw ModelError.textTooLong(bytes: bytes.count) }
    cell = memory.text(bytes, flags: flags)
  }

  mutating func set(_ text: String) throws {
    var text = text
    try text.withUTF8 { try set(UnsafeRawBufferPointer($0)) }
  }
}

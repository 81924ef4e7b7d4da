import GQLBase
import GQLCatalog
import GQLStore

/// A pool of cells for values from outside the store (constants, parameters, defaults), with what they point to.
///
/// One thread fills it; what it gave may then be read by all as long as the pool lives.
package final class CellPool: @unchecked Sendable {
  private var allocations: [UnsafeMutableRawPointer] = []

  package init() {}

  deinit { removeAll() }

  /// Frees what all cells pointed to.
  package func removeAll() {
    for allocation in allocations { allocation.deallocate() }
    allocations.removeAll(keepingCapacity: true)
  }

  /// Returns the value as a cell of a column of that type; nil for null (and for objects and mismatched values, which
  /// have none).
  package func cell(_ value: Value, _ type: ValueType) -> Cell? {
    switch value {
    case .null, .object: return nil
    case .boolean(let value): return Cell(low: value ? 1 : 0)
    case .int(let value):
      switch type {
      case .scalar(.float): return Cell(Double(value))
      case .scalar(.decimal): return Cell(Decimal(value))
      default: return Cell(value)
      }
    case .dateTime(let value), .date(let value), .duration(let value): return Cell(value)
    case .float(let value): return Cell(value)
    case .decimal(let value): return Cell(value)
    case .enumeration(_, let code): return Cell(Int64(code))
    case .string(let text), .uuid(let text): return cell(text, flags: CellPool.escapeFlag(text))
    case .bytes(let text), .json(let text): return cell(text, flags: 0)
    case .id(let text, let isNumber):
      return cell(text, flags: CellPool.escapeFlag(text) | (isNumber ? TextView.numberFlag : 0))
    case .list(let elements):
      guard case .list(let element) = type else { return nil }
      return list(elements, element)
    }
  }

  private static func escapeFlag(_ text: Text) -> UInt64 {
    text.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return 0 }
      return TextView.escapeFlag(start, bytes.count)
    }
  }

  private func cell(_ text: Text, flags: UInt64) -> Cell? {
    text.withUnsafeBytes { bytes in
      guard bytes.count <= TextView.maximumLength else { return nil }
      guard let start = bytes.baseAddress else { return Cell(low: flags) }
      if bytes.count <= TextView.inlineCapacity { return TextView(start, count: bytes.count, flags: flags).cell }
      let copy = allocate(bytes.count)
      copy.copyMemory(from: start, byteCount: bytes.count)
      return TextView(copy, count: bytes.count, flags: flags).cell
    }
  }

  private func list(_ elements: [Value], _ type: ValueType) -> Cell {
    if elements.isEmpty { return Cell(low: 0) }
    let width = ListRun.width(type)
    let run = allocate(elements.count * (width + 1))
    let validity = run + elements.count * width
    for (index, element) in elements.enumerated() {
      let cell = cell(element, type)
      (run + index * width).storeBytes(of: cell?.low ?? 0, as: UInt64.self)
      if width == 16 { (run + index * width + 8).storeBytes(of: cell?.high ?? 0, as: UInt64.self) }
      validity.storeBytes(of: cell == nil ? 0 : 1, toByteOffset: index, as: UInt8.self)
    }
    return Cell(low: UInt64(UInt(bitPattern: run)), high: UInt64(UInt32(truncatingIfNeeded: elements.count)))
  }

  private func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 16), alignment: 16)
    allocations.append(memory)
    return memory
  }
}

extension TextView {
  /// Returns `TextView.escapeFlag` if a JSON string cannot hold the bytes as they are, else 0.
  package static func escapeFlag(_ start: UnsafeRawPointer, _ count: Int) -> UInt64 {
    var index = 0
    while count &- index >= 8 {
      if ByteWord.escapes((start + index).loadUnaligned(as: UInt64.self)) != 0 { return escapeFlag }
      index &+= 8
    }
    while index < count {
      let byte = start.load(fromByteOffset: index, as: UInt8.self)
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { return escapeFlag }
      index &+= 1
    }
    return 0
  }
}

/// A list's run of cells: `count` cells of `width` bytes, then a validity byte for each.
@frozen @usableFromInline package struct ListRun {
  @usableFromInline package var start: UnsafeRawPointer
  @usableFromInline package var count: Int
  @usableFromInline package var width: Int

  package init(_ cell: Cell, _ element: ValueType) {
    width = ListRun.width(element)
    if let start = UnsafeRawPointer(bitPattern: UInt(cell.low)) {
      self.start = start
      count = Int(cell.high & 0xFFFF_FFFF)
    } else {
      start = UnsafeRawPointer(ListRun.empty)
      count = 0
    }
  }

  /// Bytes of a cell of a list of such elements.
  package static func width(_ element: ValueType) -> Int {
    switch ColumnKind(element) {
    case .text, .decimal, .wordList, .wideList, .references: 16
    case .int64, .float64, .byte, .code, .reference: 8
    }
  }

  @inlinable package func isNull(_ index: Int) -> Bool {
    start.load(fromByteOffset: count &* width &+ index, as: UInt8.self) == 0
  }

  @inlinable package func cell(_ index: Int) -> Cell {
    let address = start + index &* width
    let low = address.loadUnaligned(as: UInt64.self)
    return Cell(low: low, high: width == 16 ? (address + 8).loadUnaligned(as: UInt64.self) : 0)
  }

  /// The bytes of a text; they are the list's, or lie where it points. Precondition: elements are texts.
  @inlinable package func textBytes(_ index: Int) -> (start: UnsafeRawPointer, count: Int) {
    TextView.bytes(at: start + index &* 16)
  }

  // Safe because nobody reads or writes it: it is the address of lists without elements, and never freed.
  nonisolated(unsafe) private static let empty = UnsafePointer(UnsafeMutablePointer<UInt64>.allocate(capacity: 1))
}

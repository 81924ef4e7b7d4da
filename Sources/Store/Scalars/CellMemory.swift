import GQLBase
import GQLCatalog

/// A memory for what cells point to: texts and lists.
@usableFromInline package protocol CellMemory: AnyObject {
  /// Returns uninitialized memory, aligned to 8 bytes at least.
  func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer
}

extension CellMemory {
  /// Returns the cell of a text, which is copied where it does not fit into a cell; nil if it is too long.
  @inlinable package func text(_ bytes: UnsafeRawBufferPointer, flags: UInt64 = 0) -> Cell? {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return TextView(word0: flags, word1: 0).cell }
    guard bytes.count <= TextView.maximumLength else { return nil }
    let flags = flags | TextView.escapeFlag(start, bytes.count)
    if bytes.count <= TextView.inlineCapacity { return TextView(start, count: bytes.count, flags: flags).cell }
    let copy = allocate(bytes.count)
    copy.copyMemory(from: start, byteCount: bytes.count)
    return TextView(UnsafeRawPointer(copy), count: bytes.count, flags: flags).cell
  }

  /// Returns the cell of a list: a run of cells, then a byte of validity for each. Elements that are nil are null.
  ///
  /// - Parameter isWide: Whether elements have 16 bytes rather than 8.
  @inlinable package func list<Failure: Error>(
    count: Int, isWide: Bool, _ element: (Int) throws(Failure) -> Cell?
  ) throws(Failure) -> Cell {
    if count == 0 { return Cell(low: 0) }
    let width = isWide ? 16 : 8
    let run = allocate(count * (width + 1))
    for index in 0..<count {
      let cell = try element(index)
      run.storeBytes(of: cell?.low ?? 0, toByteOffset: index * width, as: UInt64.self)
      if isWide { run.storeBytes(of: cell?.high ?? 0, toByteOffset: index * width + 8, as: UInt64.self) }
      run.storeBytes(of: cell == nil ? 0 : 1, toByteOffset: count * width + index, as: UInt8.self)
    }
    return Cell(low: UInt64(UInt(bitPattern: run)), high: UInt64(UInt32(truncatingIfNeeded: count)))
  }

  /// Returns the cell of a text whose bytes lie in this memory, unless they lie in the cell itself.
  @inlinable package func copy(text cell: Cell) -> Cell {
    let view = TextView(cell)
    guard !view.isInline, let bytes = UnsafeRawPointer(bitPattern: UInt(view.word1)) else { return cell }
    let copy = allocate(view.count)
    copy.copyMemory(from: bytes, byteCount: view.count)
    return Cell(low: cell.low, high: UInt64(UInt(bitPattern: copy)))
  }

  /// Returns the cell of a value of a type with what it points to in this memory.
  package func copy(_ cell: Cell, _ type: ValueType) -> Cell {
    switch ColumnKind(type) {
    case .text: return copy(text: cell)
    case .wordList, .wideList:
      guard case .list(let element) = type else { return cell }
      let run = ListRun(cell, element)
      guard run.count > 0 else { return cell }
      let isText = ColumnKind(element) == .text
      return list(count: run.count, isWide: run.width == 16) { index in
        run.isNull(index) ? nil : isText ? copy(text: run.cell(index)) : run.cell(index)
      }
    default: return cell
    }
  }

  /// Returns a list with the elements of two, one after the other. What elements point to stays where it is.
  package func joined(_ first: Cell, _ second: Cell, _ type: ValueType) -> Cell {
    guard case .list(let element) = type else { return second }
    let left = ListRun(first, element)
    let right = ListRun(second, element)
    if left.count == 0 { return second }
    if right.count == 0 { return first }
    return list(count: left.count + right.count, isWide: left.width == 16) { index in
      let (run, index) = index < left.count ? (left, index) : (right, index - left.count)
      return run.isNull(index) ? nil : run.cell(index)
    }
  }
}

extension TextView {
  /// Returns `TextView.escapeFlag` if a JSON string cannot hold the bytes as they are, else 0.
  @usableFromInline package static func escapeFlag(_ start: UnsafeRawPointer, _ count: Int) -> UInt64 {
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

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif
import GQLBase
import GQLCatalog
import GQLStore

/// Numbers distinct keys in the order in which they first come: open addressing over the hashes of whole batches.
///
/// Keys are equal as `==` has it, and null equals null. A slot holds the low half of a hash and a number plus one; the
/// keys themselves lie by number.
///
/// Its properties are not checked for exclusive access, which took a sixth of grouping: nothing that is called while one
/// changes calls the table.
final class KeyTable {
  enum Kind { case word, double, truth, text, decimal, json, other }

  struct Part {
    var type: ValueType
    var kind: Kind
    /// Texts of the vector's cells live as long as the snapshot.
    var isStable: Bool

    init(_ type: ValueType, isStable: Bool) {
      self.type = type
      self.isStable = isStable
      switch type {
      case .scalar(.int), .scalar(.dateTime), .scalar(.date), .scalar(.duration), .enumeration, .entity: kind = .word
      case .scalar(.float): kind = .double
      case .scalar(.boolean), .embedded: kind = .truth
      case .scalar(.string), .scalar(.id), .scalar(.uuid), .scalar(.bytes), .scalar(.cursor): kind = .text
      case .scalar(.decimal): kind = .decimal
      case .scalar(.json): kind = .json
      case .list, .null: kind = .other
      }
    }
  }

  let parts: ContiguousArray<Part>
  /// Keys so far.
  @exclusivity(unchecked) private(set) var count = 0
  private let seed: UInt64
  /// Positions in the last batch at which its new keys first stand, and how many they are.
  let newPositions = UnsafeMutablePointer<UInt16>.allocate(capacity: ScopeRows.batchRows)
  @exclusivity(unchecked) private(set) var newCount = 0

  @exclusivity(unchecked) private var slots: UnsafeMutablePointer<UInt64>
  @exclusivity(unchecked) private var mask: Int
  /// The parts of key i from `i * parts.count` on, in the form in which they are compared.
  @exclusivity(unchecked) private var cells = GroupMemory<Cell>()
  @exclusivity(unchecked) private var valid = GroupMemory<UInt8>()
  private let hashes = UnsafeMutablePointer<UInt64>.allocate(capacity: ScopeRows.batchRows)
  /// Doubles and truths as words, part by part.
  private let words: UnsafeMutablePointer<UInt64>
  @exclusivity(unchecked) private var arena = ScratchArena(capacity: 256)
  @exclusivity(unchecked) private var nullKey = -1
  private let general: CellHash
  /// Whose limits are looked at while JSON is hashed and compared.
  unowned(unsafe) var execution: Execution?
  /// Finds the numbers of small keys without a hash.
  private let direct: DirectKeyNumbers?
  /// Finds the numbers of short texts, where they are the only part, without a hash.
  private let texts: TextKeyNumbers?

  /// With another seed keys stand elsewhere in the table, and have the same numbers.
  init(_ parts: [Part], seed: UInt64 = KeyHash.seed) {
    self.seed = seed
    general = CellHash(seed)
    self.parts = ContiguousArray(parts)
    direct = DirectKeyNumbers(parts.map(\.kind))
    texts = parts.count == 1 && parts[0].kind == .text ? TextKeyNumbers() : nil
    words = .allocate(capacity: ScopeRows.batchRows * max(parts.count, 1))
    slots = .allocate(capacity: 64)
    slots.initialize(repeating: 0, count: 64)
    mask = 63
  }

  deinit {
    newPositions.deallocate()
    hashes.deallocate()
    words.deallocate()
    slots.deallocate()
  }

  var byteCount: Int {
    (mask + 1) * 8 + cells.byteCount + valid.byteCount + arena.usedBytes + (direct?.byteCount ?? 0)
      + (texts?.byteCount ?? 0)
  }

  func removeAll() {
    if mask >= 1 << 16 {
      slots.deallocate()
      slots = .allocate(capacity: 64)
      mask = 63
    }
    slots.update(repeating: 0, count: mask + 1)
    cells.trim(to: 1 << 20)
    valid.trim(to: 1 << 20)
    arena.removeAll()
    count = 0
    newCount = 0
    nullKey = -1
    direct?.removeAll()
    texts?.removeAll()
  }

  /// Gives the number of each position's key; one vector for each part.
  func map(_ vectors: UnsafePointer<Vector>, _ size: Int, into ids: UnsafeMutablePointer<UInt32>) {
    newCount = 0
    if let direct, direct.encode(vectors, size) { return mapDirectly(direct, vectors, size, ids) }
    if let texts, texts.isWorthwhile { return mapTexts(texts, vectors[0], size, ids) }
    for part in 0..<parts.count { hash(vectors[part], part, size) }
    if parts.count == 1 {
      switch parts[0].kind {
      case .text:
        for index in 0..<size { ids[index] = numberOfText(vectors[0], index) }
        return
      case .word, .double, .truth:
        for index in 0..<size { ids[index] = numberOfWord(vectors[0], index) }
        return
      case .decimal, .json, .other: break
      }
    }
    for index in 0..<size { ids[index] = number(vectors, index) }
  }

  /// Keys that have a code: what stands under it was found by a hash once.
  private func mapDirectly(
    _ direct: DirectKeyNumbers, _ vectors: UnsafePointer<Vector>, _ size: Int, _ ids: UnsafeMutablePointer<UInt32>
  ) {
    let numbers = direct.numbers
    let codes = direct.codes
    var isHashed = false
    for index in 0..<size {
      let code = Int(codes[index])
      if numbers[code] == 0 {
        if !isHashed {
          isHashed = true
          for part in 0..<parts.count { hash(vectors[part], part, size) }
        }
        let number = parts.count == 1 ? numberOfWord(vectors[0], index) : number(vectors, index)
        numbers[code] = number &+ 1
      }
      ids[index] = numbers[code] &- 1
    }
  }

  /// Short texts that came before are found by their words, and the others by a hash.
  private func mapTexts(
    _ texts: TextKeyNumbers, _ vector: Vector, _ size: Int, _ ids: UnsafeMutablePointer<UInt32>
  ) {
    let missed = texts.find(vector, size, into: ids)
    for place in 0..<missed {
      let index = Int(texts.rest[place])
      guard vector.allValid || vector.validity[index] != 0 else {
        ids[index] = null(index)
        continue
      }
      hashes[index] = KeyHash.text(TextView(vector.cells[index]), seed)
      let number = numberOfText(vector, index)
      ids[index] = number
      texts.learn(vector.cells + index, number)
    }
  }

  // MARK: - Hashing

  private func hash(_ vector: Vector, _ part: Int, _ size: Int) {
    let target = hashes
    let seed = seed
    let words = self.words + part * ScopeRows.batchRows
    @inline(__always) func put(_ index: Int, _ value: UInt64) {
      target[index] = part == 0 ? value : KeyHash.combine(target[index], value)
    }
    switch parts[part].kind {
    case .word:
      let source = vector.words
      for index in 0..<size { words[index] = UInt64(bitPattern: source[index]) }
    case .double:
      let source = vector.doubles
      // Zeros of both signs are one value.
      for index in 0..<size { words[index] = (source[index] + 0).bitPattern }
    case .truth:
      let source = vector.truths
      for index in 0..<size { words[index] = UInt64(source[index]) }
    case .text:
      let source = vector.cells
      if vector.allValid {
        for index in 0..<size { put(index, KeyHash.text(TextView(source[index]), seed)) }
      } else {
        for index in 0..<size {
          put(index, vector.validity[index] == 0 ? CellHash.null : KeyHash.text(TextView(source[index]), seed))
        }
      }
      return
    case .decimal, .json, .other:
      let type = parts[part].type
      for index in 0..<size {
        put(index, vector.isNull(index) ? CellHash.null : general.hash(vector.cell(index), type, execution))
      }
      return
    }
    // A null's own word may be anything.
    if !vector.allValid, vector.kind != .truth {
      for index in 0..<size where vector.validity[index] == 0 { words[index] = 0 }
    }
    for index in 0..<size { put(index, KeyHash.word(words[index], seed)) }
  }

  // MARK: - Finding

  /// The number of the key at a position; the only part is a text.
  @inline(__always)
  private func numberOfText(_ vector: Vector, _ index: Int) -> UInt32 {
    if !vector.allValid, vector.validity[index] == 0 { return null(index) }
    let cell = vector.cells[index]
    let low = cell.low & ~0xC000_0000
    let tag = UInt32(truncatingIfNeeded: hashes[index])
    var slot = Int(tag) & mask
    while true {
      let entry = slots[slot]
      if entry == 0 { return insertText(cell, tag, slot, index) }
      if UInt32(truncatingIfNeeded: entry >> 32) == tag {
        let number = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) &- 1
        let known = cells.base + number
        if known.pointee.low == low,
          known.pointee.high == cell.high
            || low & 0x3FFF_FFFF > 12 && valid.base[number] != 0 && KeyTable.sameBytes(known.pointee, cell)
        {
          return UInt32(truncatingIfNeeded: number)
        }
      }
      slot = (slot &+ 1) & mask
    }
  }

  /// Precondition: both are longer than 12 bytes, and equally long.
  private static func sameBytes(_ left: Cell, _ right: Cell) -> Bool {
    guard let a = UnsafeRawPointer(bitPattern: UInt(left.high)), let b = UnsafeRawPointer(bitPattern: UInt(right.high))
    else { return false }
    return memcmp(a, b, TextView(left).count) == 0
  }

  /// The number of the key at a position; the only part is a word.
  @inline(__always)
  private func numberOfWord(_ vector: Vector, _ index: Int) -> UInt32 {
    if parts[0].kind != .truth, !vector.allValid, vector.validity[index] == 0 { return null(index) }
    let word = words[index]
    let tag = UInt32(truncatingIfNeeded: hashes[index])
    var slot = Int(tag) & mask
    while true {
      let entry = slots[slot]
      if entry == 0 {
        cells.append(Cell(low: word))
        valid.append(1)
        return insert(tag, slot, index)
      }
      let number = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) &- 1
      if UInt32(truncatingIfNeeded: entry >> 32) == tag, cells.base[number].low == word {
        return UInt32(truncatingIfNeeded: number)
      }
      slot = (slot &+ 1) & mask
    }
  }

  /// The only part's null, which has no slot.
  @inline(never)
  private func null(_ position: Int) -> UInt32 {
    if nullKey < 0 {
      nullKey = count
      cells.append(Cell(low: 0))
      valid.append(0)
      note(position)
    }
    return UInt32(truncatingIfNeeded: nullKey)
  }

  /// The number of the key at a position, of any parts.
  @inline(__always)
  private func number(_ vectors: UnsafePointer<Vector>, _ index: Int) -> UInt32 {
    let tag = UInt32(truncatingIfNeeded: hashes[index])
    var slot = Int(tag) & mask
    while true {
      let entry = slots[slot]
      if entry == 0 {
        for part in 0..<parts.count {
          let isNull = vectors[part].isNull(index)
          cells.append(isNull ? Cell(low: 0) : keep(part, vectors[part], index))
          valid.append(isNull ? 0 : 1)
        }
        return insert(tag, slot, index)
      }
      let number = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) &- 1
      if UInt32(truncatingIfNeeded: entry >> 32) == tag, equals(vectors, index, number) {
        return UInt32(truncatingIfNeeded: number)
      }
      slot = (slot &+ 1) & mask
    }
  }

  private func equals(_ vectors: UnsafePointer<Vector>, _ index: Int, _ number: Int) -> Bool {
    let first = number &* parts.count
    for part in 0..<parts.count {
      let vector = vectors[part]
      let known = cells.base[first &+ part]
      if vector.isNull(index) != (valid.base[first &+ part] == 0) { return false }
      if valid.base[first &+ part] == 0 { continue }
      switch parts[part].kind {
      case .word, .double, .truth:
        if known.low != words[part &* ScopeRows.batchRows &+ index] { return false }
      case .text: if !CellOrder.isEqualText(known, vector.cells[index]) { return false }
      case .decimal, .json, .other:
        if !CellOrder.isEqual(known, vector.cell(index), parts[part].type, execution) { return false }
      }
    }
    return true
  }

  // MARK: - New keys

  private func keep(_ part: Int, _ vector: Vector, _ index: Int) -> Cell {
    switch parts[part].kind {
    case .word, .double, .truth: return Cell(low: words[part * ScopeRows.batchRows + index])
    case .text, .json: return parts[part].isStable ? vector.cells[index] : arena.copy(text: vector.cells[index])
    case .decimal, .other: return vector.cell(index)
    }
  }

  @inline(never)
  private func insertText(_ cell: Cell, _ tag: UInt32, _ slot: Int, _ position: Int) -> UInt32 {
    let kept = parts[0].isStable ? cell : arena.copy(text: cell)
    cells.append(Cell(low: kept.low & ~0xC000_0000, high: kept.high))
    valid.append(1)
    return insert(tag, slot, position)
  }

  @inline(never)
  private func insert(_ tag: UInt32, _ slot: Int, _ position: Int) -> UInt32 {
    slots[slot] = UInt64(tag) << 32 | UInt64(UInt32(truncatingIfNeeded: count &+ 1))
    let number = count
    note(position)
    if count &* 2 > mask { grow() }
    return UInt32(truncatingIfNeeded: number)
  }

  private func note(_ position: Int) {
    newPositions[newCount] = UInt16(truncatingIfNeeded: position)
    newCount += 1
    count += 1
  }

  private func grow() {
    let old = UnsafeMutableBufferPointer(start: slots, count: mask + 1)
    let size = old.count * 4
    slots = .allocate(capacity: size)
    slots.initialize(repeating: 0, count: size)
    mask = size - 1
    for entry in old where entry != 0 {
      var slot = Int(entry >> 32) & mask
      while slots[slot] != 0 { slot = (slot &+ 1) & mask }
      slots[slot] = entry
    }
    old.deallocate()
  }
}

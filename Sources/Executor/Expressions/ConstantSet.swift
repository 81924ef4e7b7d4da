import GQLBase
import GQLCatalog
import GQLStore

/// Values to test membership in, hashed over raw memory. Immutable; what the cells point to must outlive it.
final class ConstantSet: @unchecked Sendable {
  let containsNull: Bool
  /// Distinct values; set once, by the initializer.
  private(set) var count = 0
  private enum Form { case words, doubles, texts, decimals, json, linear }
  private let form: Form
  private let type: ValueType
  private let seed: UInt64
  private let mask: Int
  private let slots: UnsafeMutablePointer<Cell>
  private let used: UnsafeMutablePointer<UInt8>
  /// Words that lie close together: a bit for each number from `lowest` on.
  private var bits: UnsafeMutablePointer<UInt64>?
  private var lowest: Int64 = 0
  private var span: UInt64 = 0

  /// Takes the non-null cells; `type` is that of the elements.
  init(_ cells: some Collection<Cell>, type: ValueType, containsNull: Bool, _ execution: Execution? = nil) {
    self.type = type
    let seed = KeyHash.seed
    self.seed = seed
    self.containsNull = containsNull
    switch type {
    case .scalar(.float): form = .doubles
    case .scalar(.decimal): form = .decimals
    case .scalar(.json): form = cells.count <= Self.fewValues ? .linear : .json
    case .list: form = .linear
    default: form = Vector.Kind(type) == .wide ? .texts : .words
    }
    var capacity = 16
    while capacity < cells.count * 2 { capacity *= 2 }
    mask = capacity - 1
    slots = .allocate(capacity: capacity)
    slots.initialize(repeating: Cell(low: 0), count: capacity)
    used = .allocate(capacity: capacity)
    used.initialize(repeating: 0, count: capacity)
    let json = JSONHash(seed)
    for cell in cells {
      if let execution, !execution.shouldContinue(8) { break }
      if form == .linear {
        slots[count] = cell
        used[count] = 1
        count += 1
        continue
      }
      let cell = canonical(cell)
      var slot = hash(cell, json, execution) & mask
      while used[slot] != 0, !isSame(slots[slot], cell, execution) { slot = (slot &+ 1) & mask }
      if used[slot] == 0 { count += 1 }
      slots[slot] = cell
      used[slot] = 1
    }
    if form == .words { makeBits(cells) }
  }

  /// About what a set of so many values needs while it is made, the values themselves included.
  static func byteCount(of count: Int) -> Int { count &* 7 &* MemoryLayout<Cell>.stride }

  /// So many JSON values are sooner compared than hashed.
  private static let fewValues = 4

  /// Values that a test looks at, where they are not hashed.
  var comparisons: Int { form == .linear ? count : 0 }

  private func makeBits(_ cells: some Collection<Cell>) {
    guard let low = cells.map(\.int).min(), let high = cells.map(\.int).max() else { return }
    let width = UInt64(bitPattern: high &- low)
    guard width < 1 << 16 else { return }
    let words = Int(width >> 6) + 1
    let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
    bits.initialize(repeating: 0, count: words)
    for cell in cells {
      let place = UInt64(bitPattern: cell.int &- low)
      bits[Int(place >> 6)] |= 1 << (place & 63)
    }
    self.bits = bits
    lowest = low
    span = width + 1
  }

  deinit {
    bits?.deallocate()
    slots.deallocate()
    used.deallocate()
  }

  func contains(_ cell: Cell, _ execution: Execution? = nil) -> Bool {
    if form == .linear {
      for index in 0..<count where CellOrder.isEqual(slots[index], cell, type, execution) { return true }
      return false
    }
    let cell = canonical(cell)
    // A hash of JSON has memory of its own, which threads cannot share.
    var slot = (form == .json ? hash(cell, JSONHash(seed), execution) : hash(cell)) & mask
    while used[slot] != 0 {
      if isSame(slots[slot], cell, execution) { return true }
      slot = (slot &+ 1) & mask
    }
    return false
  }

  /// Truths of membership for words, without regard for nulls. Precondition: a set of words.
  func test(_ words: UnsafePointer<Int64>, _ count: Int, into truths: UnsafeMutablePointer<UInt8>) {
    if let bits {
      for index in 0..<count {
        let place = UInt64(bitPattern: words[index] &- lowest)
        truths[index] =
          place < span ? (UInt8(truncatingIfNeeded: bits[Int(place >> 6)] &>> (place & 63)) & 1) &<< 1 : 0
      }
      return
    }
    let slots = slots
    let used = used
    for index in 0..<count {
      let cell = Cell(words[index])
      var slot = hash(cell) & mask
      while used[slot] != 0, slots[slot].low != cell.low { slot = (slot &+ 1) & mask }
      truths[index] = used[slot] &<< 1
    }
  }

  /// Equal values get equal cells, but for texts.
  @inline(__always)
  private func canonical(_ cell: Cell) -> Cell {
    switch form {
    case .words, .texts, .json, .linear: cell
    case .doubles: cell.double == 0 ? Cell(0.0) : cell
    case .decimals: Cell(cell.decimal.normalized)
    }
  }

  @inline(__always)
  private func isSame(_ left: Cell, _ right: Cell, _ execution: Execution? = nil) -> Bool {
    switch form {
    case .texts: CellOrder.isEqualText(left, right)
    case .json, .linear: CellOrder.isEqual(left, right, type, execution)
    case .words, .doubles, .decimals: left.low == right.low && left.high == right.high
    }
  }

  @inline(__always)
  private func hash(_ cell: Cell) -> Int {
    Int(
      truncatingIfNeeded: form == .texts
        ? KeyHash.text(TextView(cell), seed) : KeyHash.word(cell.low ^ cell.high &* 31, seed))
  }

  private func hash(_ cell: Cell, _ json: JSONHash, _ execution: Execution? = nil) -> Int {
    form == .json ? Int(truncatingIfNeeded: json.hash(cell, execution)) : hash(cell)
  }
}

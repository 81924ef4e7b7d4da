import GQLBase
import GQLCatalog
import GQLStore

/// The rows under a key: in an index, in a table of a hash join, or copied.
struct KeyRun: BitwiseCopyable {
  /// Nil where they are copied.
  var start: UnsafePointer<UInt32>?
  /// Where the copies begin. Of a long run in a B-tree only the first row is copied.
  var offset = 0
  var count = 0
}

/// Rows by what some expressions give for them: the build side of a hash join in one execution.
///
/// Rows of equal keys lie together, in the order in which they came. A key is a cell for each expression, in a form in
/// which equal values are equal words (texts, JSON and lists aside), and the set of those that are null.
final class JoinTable {
  private enum Form: Equatable { case word, double, decimal, text, general(ValueType) }
  private let forms: [Form]
  private let seed = KeyHash.seed
  private let general = CellHash()
  private(set) var run: UInt64 = 0
  private var mask = 0
  private var groupCount = 0
  /// A group's number and one, or 0.
  private var slots = WorkMemory()
  /// For each group its hash, its nulls, its cells.
  private var hashes = RowBuffer()
  private var nulls = RowBuffer()
  private var cells = WorkMemory()
  /// Where the rows of each group begin; one more than there are groups.
  private var starts = RowBuffer()
  private var rows = RowBuffer()

  init(_ types: [ValueType]) {
    forms = types.map { type in
      switch type {
      case .scalar(.float): .double
      case .scalar(.decimal): .decimal
      case .scalar(.json), .list: .general(type)
      default: Vector.Kind(type) == .wide ? .text : .word
      }
    }
  }

  /// Complexity: O(rows). Texts of computed keys stay in the run's scratch memory.
  func build(
    _ program: ExpressionProgram, _ all: borrowing RowBuffer, _ execution: Execution
  ) throws(RuntimeProblem) {
    run = 0
    let total = all.count
    try execution.checkMemory(total &* (16 &* forms.count &+ 24))
    var capacity = 16
    while capacity < total * 2 { capacity *= 2 }
    mask = capacity - 1
    let slots = slots.room(for: UInt32.self, count: capacity)
    slots.update(repeating: 0, count: capacity)
    let cells = cells.room(for: Cell.self, count: max(total, 1) * forms.count)
    hashes.removeAll()
    nulls.removeAll()
    groupCount = 0
    var groupOf = RowBuffer(capacity: total)
    var sizes = RowBuffer()
    let key = execution.scratch.allocate(Cell.self, count: forms.count)
    var first = 0
    while first < total {
      try execution.checkpoint()
      let count = min(ScopeRows.batchRows, total - first)
      let vectors = try program.evaluate(
        ScopeRows(count: count, scopes: [UnsafePointer(all.base + first)]), execution)
      for position in 0..<count {
        var missing: UInt32 = 0
        for component in 0..<forms.count {
          let vector = vectors[component]
          if vector.isNull(position) {
            missing |= 1 << UInt32(component)
            key[component] = Cell(low: 0)
          } else {
            key[component] = canonical(vector.cell(position), forms[component])
          }
        }
        let hash = hash(key, missing, execution)
        var slot = Int(hash) & mask
        while slots[slot] != 0, !matches(Int(slots[slot]) - 1, key, missing, hash, cells, execution) {
          slot = (slot &+ 1) & mask
        }
        if slots[slot] == 0 {
          (cells + groupCount * forms.count).update(from: key, count: forms.count)
          hashes.append(hash)
          nulls.append(missing)
          sizes.append(0)
          groupCount += 1
          slots[slot] = UInt32(truncatingIfNeeded: groupCount)
        }
        let group = slots[slot] &- 1
        groupOf.append(group)
        sizes.base[Int(group)] &+= 1
      }
      first += count
    }
    // Rows of each group behind one another, in the order in which they came.
    starts.removeAll()
    var start: UInt32 = 0
    for group in 0..<groupCount {
      starts.append(start)
      start &+= sizes[group]
      sizes.base[group] = starts[group]
    }
    starts.append(start)
    rows.removeAll()
    rows.reserve(total)
    rows.count = total
    for index in 0..<total {
      let group = Int(groupOf[index])
      rows.base[Int(sizes[group])] = all[index]
      sizes.base[group] &+= 1
    }
    run = execution.run
  }

  /// The rows under the key of one element. Once the run is to end, what this gives has no meaning.
  func find(
    _ scalars: ScalarSources, _ vectors: UnsafePointer<Vector>?, _ element: Int, _ execution: Execution
  ) -> KeyRun {
    let components = forms.count
    guard groupCount > 0 else { return KeyRun() }
    return withUnsafeTemporaryAllocation(of: Cell.self, capacity: components) { buffer in
      guard let key = buffer.baseAddress else { return KeyRun() }
      var missing: UInt32 = 0
      for component in 0..<components {
        if let cell = scalars.cell(component, vectors, element, execution) {
          key[component] = canonical(cell, forms[component])
        } else {
          missing |= 1 << UInt32(component)
          key[component] = Cell(low: 0)
        }
      }
      let hash = hash(key, missing, execution)
      let slots = slots.room(for: UInt32.self, count: mask + 1)
      let cells = cells.room(for: Cell.self, count: groupCount * components)
      var slot = Int(hash) & mask
      while slots[slot] != 0 {
        let group = Int(slots[slot]) - 1
        if matches(group, key, missing, hash, cells, execution) {
          let start = Int(starts[group])
          return KeyRun(start: UnsafePointer(rows.base + start), count: Int(starts[group + 1]) - start)
        }
        slot = (slot &+ 1) & mask
      }
      return KeyRun()
    }
  }

  @inline(__always)
  private func matches(
    _ group: Int, _ key: UnsafePointer<Cell>, _ missing: UInt32, _ hash: UInt32, _ cells: UnsafePointer<Cell>,
    _ execution: Execution
  ) -> Bool {
    guard hashes[group] == hash, nulls[group] == missing else { return false }
    for component in 0..<forms.count where missing >> UInt32(component) & 1 == 0 {
      let cell = cells[group * forms.count + component]
      switch forms[component] {
      case .text: if !CellOrder.isEqualText(cell, key[component]) { return false }
      case .general(let type): if !CellOrder.isEqual(cell, key[component], type, execution) { return false }
      case .word, .double, .decimal:
        if cell.low != key[component].low || cell.high != key[component].high { return false }
      }
    }
    return true
  }

  @inline(__always)
  private func hash(_ key: UnsafePointer<Cell>, _ missing: UInt32, _ execution: Execution) -> UInt32 {
    var hash = UInt64(missing)
    for component in 0..<forms.count where missing >> UInt32(component) & 1 == 0 {
      let cell = key[component]
      let own =
        switch forms[component] {
        case .text: KeyHash.text(TextView(cell), seed)
        case .general(let type): general.hash(cell, type, execution)
        case .word, .double, .decimal: KeyHash.word(cell.low ^ cell.high &* 31, seed)
        }
      hash = KeyHash.combine(hash, own)
    }
    return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
  }

  @inline(__always)
  private func canonical(_ cell: Cell, _ form: Form) -> Cell {
    switch form {
    case .text, .general: cell
    case .word: Cell(low: cell.low)
    case .double: cell.double == 0 ? Cell(0.0) : Cell(low: cell.low)
    case .decimal: Cell(cell.decimal.normalized)
    }
  }
}

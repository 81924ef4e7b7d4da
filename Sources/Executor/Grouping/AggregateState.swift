import GQLBase
import GQLCatalog
import GQLStore

/// One aggregate of all groups of a chunk: what it has added up, then its values.
///
/// Its properties are not checked for exclusive access, as those of ``KeyTable``.
final class AggregateState {
  /// An exact sum of integers: 128 bits in two halves.
  struct IntegerSum: BitwiseCopyable {
    var low: UInt64 = 0
    var high: Int64 = 0

    @inline(__always)
    mutating func add(_ value: Int64) {
      let (sum, carry) = low.addingReportingOverflow(UInt64(bitPattern: value))
      low = sum
      high &+= value >> 63 &+ (carry ? 1 : 0)
    }

    var value: Int128 { Int128(high) << 64 | Int128(low) }
  }

  /// An exact sum of doubles as long as two of them hold it. Once they do not, `high` is NaN, and the bits of `low` are
  /// the number of the group's sum in `wide`.
  struct DoubleSum: BitwiseCopyable {
    var high = 0.0
    var low = 0.0

    init() {}

    init(high: Double, low: Double) {
      self.high = high
      self.low = low
    }

    init(wide number: Int) {
      high = .nan
      low = Double(bitPattern: UInt64(number))
    }

    var wide: Int? { high.isNaN ? Int(truncatingIfNeeded: low.bitPattern) : nil }
  }

  enum Form { case count, integers, doubles, decimals, words, reals, cells, list }

  let plan: CompiledGrouping.Aggregate
  let form: Form
  /// Values come once a member, so that their number is that of the members without the nulls.
  private let comesWithMembers: Bool
  /// Indicates whether the least or the greatest value is found by what stands for the values.
  private let comparesKeys: Bool
  /// Non-null values; or nulls, if values come with the members.
  @exclusivity(unchecked) private var tally = GroupMemory<Int64>()
  /// Sums as long as 64 bits hold them; what did not fit was moved to `carried`, which is as long as it was needed.
  @exclusivity(unchecked) private var integers = GroupMemory<Int64>()
  @exclusivity(unchecked) private var carried = GroupMemory<IntegerSum>()
  @exclusivity(unchecked) private var doubles = GroupMemory<DoubleSum>()
  /// The words of sums that two doubles did not hold, one ``FixedPointSum`` behind the other.
  @exclusivity(unchecked) private var wide = GroupMemory<Int64>()
  @exclusivity(unchecked) private var decimals: [DecimalSum] = []
  @exclusivity(unchecked) private var best = GroupMemory<Cell>()
  @exclusivity(unchecked) private var hasBest = GroupMemory<UInt8>()
  @exclusivity(unchecked) private var bestKeys = GroupMemory<Cell>()
  /// Of lists: the group of each value, in their order.
  @exclusivity(unchecked) private var owners = GroupMemory<UInt32>()
  @exclusivity(unchecked) private var values = GroupMemory<Cell>()
  private lazy var seen = KeyTable([
    KeyTable.Part(.int, isStable: true),
    KeyTable.Part(
      plan.comparand >= 0 ? plan.comparandType : plan.element,
      isStable: plan.comparand >= 0 ? plan.comparandIsStable : plan.isStable),
  ])
  private let arena = ScratchArena(capacity: 256)
  unowned(unsafe) private var execution: Execution?
  private lazy var fresh = UnsafeMutablePointer<UInt32>.allocate(capacity: ScopeRows.batchRows)
  private lazy var groupWords = UnsafeMutablePointer<Int64>.allocate(capacity: ScopeRows.batchRows)
  private lazy var pair = UnsafeMutablePointer<Vector>.allocate(capacity: 2)
  private lazy var validities = UnsafeMutablePointer<UInt8>.allocate(capacity: ScopeRows.batchRows)

  /// Groups that have no value because something failed.
  let failures = GroupFailures()

  /// What a group's result is.
  enum Outcome {
    static let null: UInt8 = 0
    static let value: UInt8 = 1
    static let failure: UInt8 = 2
  }

  /// The values, by group, in the form of a column's cells.
  @exclusivity(unchecked) private(set) var results = GroupMemory<Cell>()
  @exclusivity(unchecked) private(set) var outcomes = GroupMemory<UInt8>()

  init(_ plan: CompiledGrouping.Aggregate) {
    self.plan = plan
    comesWithMembers = plan.set < 0 && !plan.isDistinct
    comparesKeys = plan.comparand >= 0 && plan.aggregate.isExtreme
    switch (plan.aggregate, plan.element) {
    case (.count, _): form = .count
    case (.sum, .scalar(.float)), (.avg, .scalar(.float)): form = .doubles
    case (.sum, .scalar(.decimal)), (.avg, .scalar(.decimal)): form = .decimals
    case (.sum, _), (.avg, _): form = .integers
    case (.min, _), (.max, _):
      switch plan.element {
      case .scalar(.int), .scalar(.dateTime), .scalar(.date), .scalar(.duration), .enumeration: form = .words
      case .scalar(.float): form = .reals
      default: form = .cells
      }
    case (.first, _), (.last, _): form = .cells
    case (.collect, _), (.distinct, _): form = .list
    }
  }

  deinit {
    if plan.isDistinct {
      fresh.deallocate()
      groupWords.deallocate()
      pair.deallocate()
      validities.deallocate()
    }
  }

  func begin(_ execution: Execution) {
    self.execution = execution
    tally.trim(to: 1 << 20)
    integers.trim(to: 1 << 20)
    carried.trim(to: 1 << 20)
    doubles.trim(to: 1 << 20)
    wide.trim(to: 1 << 20)
    decimals.removeAll()
    best.trim(to: 1 << 20)
    hasBest.trim(to: 1 << 20)
    bestKeys.trim(to: 1 << 20)
    owners.trim(to: 1 << 20)
    values.trim(to: 1 << 20)
    if plan.isDistinct {
      seen.removeAll()
      seen.execution = execution
    }
    arena.removeAll()
    failures.removeAll()
    results.trim(to: 1 << 20)
    outcomes.trim(to: 1 << 20)
  }

  var byteCount: Int {
    var total = tally.byteCount + integers.byteCount + doubles.byteCount + wide.byteCount + decimals.count * 48
    total += best.byteCount + owners.byteCount + values.byteCount + results.byteCount + arena.usedBytes
    total += carried.byteCount + failures.byteCount + bestKeys.byteCount
    if plan.isDistinct { total += seen.byteCount }
    return total
  }

  /// Makes room for new groups.
  func extend(to groups: Int) {
    tally.extend(to: groups, filling: 0)
    switch form {
    case .count, .list: break
    case .integers: integers.extend(to: groups, filling: 0)
    case .doubles: doubles.extend(to: groups, filling: DoubleSum())
    case .decimals:
      while decimals.count < groups { decimals.append(DecimalSum()) }
    case .words:
      best.extend(to: groups, filling: Cell(plan.aggregate == .min ? Int64.max : Int64.min))
    case .reals:
      best.extend(to: groups, filling: Cell(plan.aggregate == .min ? Double.infinity : -Double.infinity))
    case .cells:
      best.extend(to: groups, filling: Cell(low: 0))
      hasBest.extend(to: groups, filling: 0)
      if comparesKeys { bestKeys.extend(to: groups, filling: Cell(low: 0)) }
    }
  }

  // MARK: - Adding

  /// Takes in the values of a batch; the group of each position stands in `ids`. Only first occurrences in their group, if
  /// the aggregate is of distinct values; they are told apart, and the least is found, by `comparand`.
  func add(_ vector: Vector, _ comparand: Vector, _ size: Int, _ ids: UnsafePointer<UInt32>) {
    guard plan.isDistinct else {
      return comparesKeys ? take(vector, by: comparand, size, ids) : take(vector, size, ids)
    }
    for index in 0..<size { groupWords[index] = Int64(ids[index]) }
    validities.update(repeating: 1, count: size)
    pair.initialize(
      to: Vector(
        kind: .word, values: UnsafeMutableRawPointer(groupWords), validity: validities, allValid: true))
    (pair + 1).initialize(to: comparand)
    seen.map(UnsafePointer(pair), size, into: fresh)
    for place in 0..<seen.newCount {
      let position = Int(seen.newPositions[place])
      let group = Int(ids[position])
      if vector.isNull(position) { continue }
      tally.base[group] &+= 1
      if comparesKeys {
        addOne(vector.cell(position), by: comparand.cell(position), group)
      } else {
        addOne(vector.cell(position), group)
      }
    }
  }

  /// Counts members of sets that have no argument.
  func count(_ size: Int, _ ids: UnsafePointer<UInt32>) {
    let tally = tally.base
    for index in 0..<size { tally[Int(ids[index])] &+= 1 }
  }

  /// The group has no value, for this reason if for none before.
  func fail(_ group: UInt32, _ problem: RuntimeProblem) { failures.insert(problem, Int(group)) }

  /// Whether the values are words to be summed, one a member.
  func sumsWords(_ vector: Vector) -> Bool { comesWithMembers && form == .integers && vector.kind == .word }

  /// Does what ``add(_:_:_:_:)`` does, and counts the members. Precondition: ``sumsWords(_:)``.
  func addCounting(
    _ vector: Vector, _ size: Int, _ ids: UnsafePointer<UInt32>, into counts: UnsafeMutablePointer<Int64>
  ) {
    tallyNulls(vector, size, ids)
    addWords(vector, size, ids) { counts[$0] &+= 1 }
  }

  private func tallyNulls(_ vector: Vector, _ size: Int, _ ids: UnsafePointer<UInt32>) {
    let tally = tally.base
    switch vector.kind {
    case .truth, .rows:
      for index in 0..<size { tally[Int(ids[index])] &+= vector.isNull(index) ? 1 : 0 }
    case .word, .double, .wide:
      guard !vector.allValid else { return }
      let validity = UnsafeRawPointer(vector.validity)
      var start = 0
      // Nulls are few, so that most words are ones.
      while start &+ 8 <= size {
        var nulls = (validity + start).loadUnaligned(as: UInt64.self).littleEndian ^ 0x0101_0101_0101_0101
        while nulls != 0 {
          tally[Int(ids[start &+ nulls.trailingZeroBitCount &>> 3])] &+= 1
          nulls &= nulls &- 1
        }
        start &+= 8
      }
      while start < size {
        if vector.validity[start] == 0 { tally[Int(ids[start])] &+= 1 }
        start &+= 1
      }
    }
  }

  @inline(__always)
  private func addWords(
    _ vector: Vector, _ size: Int, _ ids: UnsafePointer<UInt32>, _ note: (Int) -> Void
  ) {
    let words = vector.words
    if vector.allValid {
      addWords(size, ids, note) { words[$0] }
    } else {
      let validity = vector.validity
      addWords(size, ids, note) { words[$0] & (0 &- Int64(validity[$0])) }
    }
  }

  @inline(__always)
  private func addWords(
    _ size: Int, _ ids: UnsafePointer<UInt32>, _ note: (Int) -> Void, _ word: (Int) -> Int64
  ) {
    let sums = integers.base
    for index in 0..<size {
      let group = Int(ids[index])
      let value = word(index)
      note(group)
      let (sum, isOver) = sums[group].addingReportingOverflow(value)
      if isOver {
        carry(group)
        sums[group] = value
      } else {
        sums[group] = sum
      }
    }
  }

  /// Moves a sum to where there is room for more.
  @inline(never)
  private func carry(_ group: Int) {
    carried.extend(to: integers.count, filling: IntegerSum())
    carried.base[group].add(integers.base[group])
  }

  private func integerSum(_ group: Int) -> Int128 {
    Int128(integers.base[group]) + (group < carried.count ? carried.base[group].value : 0)
  }

  private func tallyValues(_ vector: Vector, _ size: Int, _ ids: UnsafePointer<UInt32>) {
    if comesWithMembers { return tallyNulls(vector, size, ids) }
    let tally = tally.base
    for index in 0..<size { tally[Int(ids[index])] &+= vector.isNull(index) ? 0 : 1 }
  }

  private func take(_ vector: Vector, by keys: Vector, _ size: Int, _ ids: UnsafePointer<UInt32>) {
    tallyValues(vector, size, ids)
    for index in 0..<size where !vector.isNull(index) {
      addOne(vector.cell(index), by: keys.cell(index), Int(ids[index]))
    }
  }

  private func take(_ vector: Vector, _ size: Int, _ ids: UnsafePointer<UInt32>) {
    tallyValues(vector, size, ids)
    switch form {
    case .count: break
    case .integers where vector.kind == .word: addWords(vector, size, ids) { _ in }
    case .doubles where vector.kind == .double:
      let sums = doubles.base
      let values = vector.doubles
      for index in 0..<size where vector.validity[index] != 0 { addDouble(values[index], ids[index], sums) }
    case .words where vector.kind == .word:
      let best = best.base
      let words = vector.words
      if plan.aggregate == .min {
        for index in 0..<size where vector.validity[index] != 0 {
          best[Int(ids[index])] = Cell(min(best[Int(ids[index])].int, words[index]))
        }
      } else {
        for index in 0..<size where vector.validity[index] != 0 {
          best[Int(ids[index])] = Cell(max(best[Int(ids[index])].int, words[index]))
        }
      }
    case .reals where vector.kind == .double:
      let best = best.base
      let values = vector.doubles
      if plan.aggregate == .min {
        for index in 0..<size where vector.validity[index] != 0 && values[index] < best[Int(ids[index])].double {
          best[Int(ids[index])] = Cell(values[index])
        }
      } else {
        for index in 0..<size where vector.validity[index] != 0 && values[index] > best[Int(ids[index])].double {
          best[Int(ids[index])] = Cell(values[index])
        }
      }
    default:
      for index in 0..<size where !vector.isNull(index) { addOne(vector.cell(index), Int(ids[index])) }
    }
  }

  /// Adds without a rounding, or gives up to the wide sum: each addition's error goes into the lower double, whose own
  /// error must be zero.
  @inline(__always)
  private func addDouble(_ value: Double, _ group: UInt32, _ sums: UnsafeMutablePointer<DoubleSum>) {
    let place = sums + Int(group)
    let high = place.pointee.high
    let low = place.pointee.low
    let sum = high + value
    let part = sum - high
    let error = (high - (sum - part)) + (value - part)
    let rest = low + error
    let restPart = rest - low
    let lost = (low - (rest - restPart)) + (error - restPart)
    guard lost == 0 else { return addWide(value, place) }
    place.pointee = DoubleSum(high: sum, low: rest)
  }

  @inline(never)
  private func addWide(_ value: Double, _ place: UnsafeMutablePointer<DoubleSum>) {
    if let number = place.pointee.wide { return wideSum(number).add(value) }
    let number = wide.count / FixedPointSum.wordCount
    wide.extend(to: wide.count + FixedPointSum.wordCount, filling: 0)
    let sum = wideSum(number)
    sum.add(place.pointee.high)
    sum.add(place.pointee.low)
    sum.add(value)
    place.pointee = DoubleSum(wide: number)
  }

  /// Valid until the next one is made.
  @inline(__always)
  private func wideSum(_ number: Int) -> FixedPointSum { FixedPointSum(wide.base + number * FixedPointSum.wordCount) }

  private func addOne(_ cell: Cell, _ group: Int) {
    switch form {
    case .count: break
    case .integers:
      let (sum, isOver) = integers.base[group].addingReportingOverflow(cell.int)
      if isOver { carry(group) }
      integers.base[group] = isOver ? cell.int : sum
    case .doubles: addDouble(cell.double, UInt32(truncatingIfNeeded: group), doubles.base)
    case .decimals: decimals[group].add(cell.decimal)
    case .words:
      let known = best.base[group].int
      best.base[group] = Cell(plan.aggregate == .min ? min(known, cell.int) : max(known, cell.int))
    case .reals:
      let known = best.base[group].double
      best.base[group] = Cell(plan.aggregate == .min ? min(known, cell.double) : max(known, cell.double))
    case .cells:
      if hasBest.base[group] != 0 {
        if plan.aggregate == .first { return }
        if plan.aggregate != .last {
          let order = CellOrder.compare(cell, best.base[group], plan.element, execution)
          if plan.aggregate == .min ? order >= 0 : order <= 0 { return }
        }
      }
      hasBest.base[group] = 1
      best.base[group] = kept(cell)
    case .list:
      owners.append(UInt32(truncatingIfNeeded: group))
      values.append(kept(cell))
    }
  }

  /// Keeps a value if its key is less than that of the group's, or greater.
  private func addOne(_ cell: Cell, by key: Cell, _ group: Int) {
    if hasBest.base[group] != 0 {
      let order = CellOrder.compare(key, bestKeys.base[group], plan.comparandType, execution)
      if plan.aggregate == .min ? order >= 0 : order <= 0 { return }
    }
    hasBest.base[group] = 1
    bestKeys.base[group] = plan.comparandIsStable ? key : arena.copy(text: key)
    best.base[group] = kept(cell)
  }

  private func kept(_ cell: Cell) -> Cell {
    guard !plan.isStable, ColumnKind(plan.element) == .text else { return cell }
    return arena.copy(text: cell)
  }

  // MARK: - Values

  /// Computes the values of all groups. Those that have no place in their type fail, with the first member to name.
  func finish(
    _ counts: UnsafePointer<Int64>, _ groups: Int, firsts: UnsafePointer<UInt32>, _ grouping: CompiledGrouping,
    _ execution: Execution
  ) throws(RuntimeProblem) {
    results.removeAll()
    outcomes.removeAll()
    results.extend(to: groups, filling: Cell(low: 0))
    outcomes.extend(to: groups, filling: Outcome.value)
    if form == .list {
      try finishLists(groups, execution)
    } else {
      for group in 0..<groups {
        let count: Int64
        if plan.argument < 0, plan.set < 0 {
          count = counts[group]
        } else {
          count = comesWithMembers ? counts[group] &- tally.base[group] : tally.base[group]
        }
        switch value(group, count) {
        case .value(let cell): results.base[group] = cell
        case .null: outcomes.base[group] = Outcome.null
        case .failed:
          let row = firsts[group]
          failures.insert(
            RuntimeProblem(
              .overflow(plan.result.scalar ?? .int), at: plan.range,
              entity: row == PageLayout.noRow ? nil : (grouping.type, row)), group)
        }
      }
    }
    for index in 0..<failures.count { outcomes.base[failures.group(index)] = Outcome.failure }
  }

  private func value(_ group: Int, _ count: Int64) -> Conversion.Result {
    switch form {
    case .count: return .value(Cell(count))
    case .integers:
      let sum = integerSum(group)
      if plan.aggregate == .sum { return Conversion.Result(Int64(exactly: sum).map { Cell($0) }) }
      if count == 0 { return .null }
      guard plan.element == .scalar(.duration) else { return .value(Cell(sum.nearestDouble / Double(count))) }
      return Conversion.Result(Accumulator.mean(of: sum, count: count).map { Cell($0) })
    case .doubles:
      let isMean = plan.aggregate == .avg
      if isMean, count == 0 { return .null }
      if let number = doubles.base[group].wide {
        let sum = wideSum(number)
        return Conversion.Result((isMean ? sum.mean(of: Int(count)) : sum.value()).map { Cell($0) })
      }
      let total = doubles.base[group].high + doubles.base[group].low
      guard total.isFinite else { return .failed }
      return .value(Cell(isMean ? total / Double(count) : total))
    case .decimals:
      if plan.aggregate == .sum { return Conversion.Result(decimals[group].value.map { Cell($0) }) }
      if count == 0 { return .null }
      return Conversion.Result(decimals[group].mean(of: count).map { Cell($0) })
    case .words, .reals, .cells: return count == 0 ? .null : .value(best.base[group])
    case .list: return .null
    }
  }

  private func finishLists(_ groups: Int, _ execution: Execution) throws(RuntimeProblem) {
    var starts = [Int](repeating: 0, count: groups + 1)
    for index in 0..<owners.count { starts[Int(owners.base[index]) + 1] += 1 }
    for group in 0..<groups { starts[group + 1] += starts[group] }
    // The lists are about as much again.
    try execution.checkMemory(byteCount + values.count * 33)
    let sorted = arena.allocate(Cell.self, count: values.count)
    var next = starts
    for index in 0..<owners.count {
      let group = Int(owners.base[index])
      sorted[next[group]] = values.base[index]
      next[group] += 1
      try execution.charge(8)
    }
    let limit = execution.limits.maximumElements
    for group in 0..<groups {
      let start = starts[group]
      let count = starts[group + 1] - start
      try execution.charge(count &* 8)
      if count > limit {
        // Raised where the list is read.
        failures.insert(RuntimeProblem(.limitExceeded(name: "list-elements", limit: limit), at: plan.range), group)
      } else {
        results.base[group] = arena.list(count: count, plan.element) { sorted[start + $0] }
      }
    }
  }
}

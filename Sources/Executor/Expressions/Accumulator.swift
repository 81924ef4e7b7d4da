import GQLBase
import GQLCatalog
import GQLQuery
import GQLStore

/// The value of an aggregate over the non-null values of one set.
struct Accumulator {
  /// How values are summed. Found once, because comparing types costs more than adding.
  private enum Summation { case integers, floats, decimals }
  let aggregate: Aggregate
  let element: ValueType
  private let summation: Summation
  let result: ValueType
  private var count = 0
  private var integers: Int128 = 0
  private var floats: FloatSum?
  private var decimals = DecimalSum()
  private var best = Cell(low: 0)
  private var cells: [Cell?] = []
  /// Of `distinct`: from so many values on, those that came before are left out.
  private var crowd = Accumulator.leastCrowd
  /// Values that are gone through at once.
  private static let leastCrowd = 1 << 12

  init(_ aggregate: Aggregate, _ element: ValueType, result: ValueType) {
    self.aggregate = aggregate
    self.element = element
    self.result = result
    summation = element == .decimal ? .decimals : element == .float ? .floats : .integers
    if summation == .floats, aggregate == .sum || aggregate == .avg { floats = FloatSum() }
  }

  mutating func reset() {
    count = 0
    integers = 0
    floats?.reset()
    decimals = DecimalSum()
    cells.removeAll(keepingCapacity: cells.count <= Accumulator.leastCrowd)
    crowd = Accumulator.leastCrowd
  }

  /// Throws where a list has more elements, or takes more memory, than it may. Call it once a batch.
  mutating func check(_ execution: Execution) throws(RuntimeProblem) {
    guard cells.count >= crowd else { return }
    if aggregate == .distinct {
      cells = try distinctCells(execution)
      crowd = max(cells.count * 2, Accumulator.leastCrowd)
    }
    // What is held here is more than the list will be.
    try execution.reserveList(cells.count)
    try execution.checkMemory(cells.capacity * MemoryLayout<Cell?>.stride)
  }

  mutating func add(_ cell: Cell, _ execution: Execution) {
    switch aggregate {
    case .count: break
    case .sum, .avg:
      switch summation {
      case .integers: integers += Int128(cell.int)
      case .floats: floats?.add(cell.double)
      case .decimals: decimals.add(cell.decimal)
      }
    case .min: if count == 0 || CellOrder.compare(cell, best, element, execution) < 0 { best = cell }
    case .max: if count == 0 || CellOrder.compare(cell, best, element, execution) > 0 { best = cell }
    case .first: if count == 0 { best = cell }
    case .last: best = cell
    case .collect, .distinct: cells.append(cell)
    }
    count += 1
  }

  mutating func finish(_ execution: Execution) throws(RuntimeProblem) -> Conversion.Result {
    switch aggregate {
    case .count: return .value(Cell(Int64(count)))
    case .sum: return sum()
    case .avg: return count == 0 ? .null : average()
    case .min, .max, .first, .last: return count == 0 ? .null : .value(best)
    case .collect: return .value(try list(cells, execution))
    case .distinct: return .value(try list(try distinctCells(execution), execution))
    }
  }

  private mutating func sum() -> Conversion.Result {
    if summation == .decimals { return Conversion.Result(decimals.value.map { Cell($0) }) }
    if summation == .floats { return Conversion.Result(floats?.value().map { Cell($0) }) }
    switch result {
    case .scalar(.float): return .value(Cell(integers.nearestDouble))
    case .scalar(.decimal): return Conversion.Result(Decimal(significand: integers, scale: 0).map { Cell($0) })
    default: return Conversion.Result(Int64(exactly: integers).map { Cell($0) })
    }
  }

  private mutating func average() -> Conversion.Result {
    if summation == .floats {
      return Conversion.Result(floats?.mean(of: count).map { Cell($0) })
    }
    if summation == .decimals, result == .decimal {
      return Conversion.Result(decimals.mean(of: Int64(count)).map { Cell($0) })
    }
    let divisor = Decimal(Int64(count))
    let sum = summation == .decimals ? decimals.value : Decimal(significand: integers, scale: 0)
    guard let sum else { return .failed }
    switch result {
    case .scalar(.decimal): return Conversion.Result(sum.divided(by: divisor).map { Cell($0) })
    case .scalar(.float):
      if summation == .decimals { return .value(Cell(sum.doubleValue / Double(count))) }
      return .value(Cell(integers.nearestDouble / Double(count)))
    default:
      return Conversion.Result(Accumulator.mean(of: integers, count: Int64(count)).map { Cell($0) })
    }
  }

  /// Returns the mean of Durations to the nearest microsecond, halves away from zero, as a quotient of one is rounded.
  static func mean(of sum: Int128, count: Int64) -> Int64? {
    let (quotient, rest) = sum.quotientAndRemainder(dividingBy: Int128(count))
    guard rest.magnitude * 2 >= count.magnitude else { return Int64(exactly: quotient) }
    return Int64(exactly: quotient + sum.signum())
  }

  private func list(_ cells: [Cell?], _ execution: Execution) throws(RuntimeProblem) -> Cell {
    try execution.reserveList(cells.count)
    try execution.charge(cells.count)
    return execution.scratch.list(cells, element)
  }

  /// First occurrences, in their order.
  private func distinctCells(_ execution: Execution) throws(RuntimeProblem) -> [Cell?] {
    try Accumulator.firstPlaces(cells, element, execution).map { cells[$0] }
  }

  /// Returns the place of the first of the least keys, or of the greatest; nil where all are null.
  static func extremePlace(
    _ aggregate: Aggregate, _ keys: [Cell?], _ type: ValueType, _ execution: Execution
  ) throws(RuntimeProblem) -> Int? {
    try execution.charge(keys.count &* 8)
    var best: (place: Int, key: Cell)?
    for (place, key) in keys.enumerated() {
      guard let key else { continue }
      if let best {
        let order = CellOrder.compare(key, best.key, type, execution)
        if aggregate == .min ? order >= 0 : order <= 0 { continue }
      }
      best = (place, key)
    }
    return best?.place
  }

  /// The places of first occurrences, ascending; nulls are equal to each other.
  static func firstPlaces(
    _ cells: [Cell?], _ type: ValueType, _ execution: Execution
  ) throws(RuntimeProblem) -> [Int] {
    func compare(_ left: Int, _ right: Int) -> Int {
      switch (cells[left], cells[right]) {
      case (nil, nil): 0
      case (nil, _): -1
      case (_, nil): 1
      case (let a?, let b?): CellOrder.compare(a, b, type, execution)
      }
    }
    var order = Array(cells.indices)
    do {
      try order.sort { left, right in
        try execution.charge(16)
        let order = compare(left, right)
        return order != 0 ? order < 0 : left < right
      }
    } catch {
      // Nothing else is thrown.
      if let error = error as? RuntimeProblem { throw error }
    }
    var isFirst = [Bool](repeating: true, count: cells.count)
    for place in order.indices.dropFirst() where compare(order[place], order[place - 1]) == 0 {
      isFirst[order[place]] = false
    }
    return cells.indices.filter { isFirst[$0] }
  }
}

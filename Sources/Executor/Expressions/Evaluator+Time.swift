import GQLBase
import GQLCatalog
import GQLStore

/// Dates, times and durations: dates count days, the others microseconds, all in UTC.
extension Evaluator {
  // MARK: - Operators

  /// A time and a duration, two times, two durations, or a duration and a number (behind it).
  func times(
    _ node: Node, _ a: Vector, _ b: Vector, _ out: Vector, _ type: ValueType
  ) throws(RuntimeProblem) {
    let scalar = type.scalar ?? .duration
    guard a.kind == .word else { return setNull(out) }
    if node.arithmetic == .multiply || node.arithmetic == .divide { return try scaled(node, a, b, out) }
    guard b.kind == .word, node.arithmetic != .remainder else { return setNull(out) }
    let isDate = scalar == .date
    let unit = self.type(node.a) == .scalar(.date) ? CivilTime.microsecondsPerDay : 1
    for index in 0..<count where out.validity[index] == 1 {
      var right = b.words[index]
      if isDate {
        // A date has no time of day that could take the rest.
        guard right % CivilTime.microsecondsPerDay == 0 else {
          throw problem(.partialDay, node, at: index, [node.a, node.b])
        }
        right /= CivilTime.microsecondsPerDay
      }
      let (sum, overflow) =
        node.arithmetic == .add
        ? a.words[index].addingReportingOverflow(right) : a.words[index].subtractingReportingOverflow(right)
      let (result, isLarge) = isDate ? (sum, false) : sum.multipliedReportingOverflow(by: unit)
      let isInRange: Bool
      switch scalar {
      case .date: isInRange = CivilTime.dateRange.contains(result)
      case .dateTime: isInRange = CivilTime.dateTimeRange.contains(result)
      default: isInRange = true
      }
      guard !overflow, !isLarge, isInRange else {
        throw problem(.overflow(scalar), node, at: index, [node.a, node.b])
      }
      out.words[index] = result
    }
  }

  /// A duration times or by a number, to the nearest microsecond, halves away from zero.
  private func scaled(_ node: Node, _ a: Vector, _ b: Vector, _ out: Vector) throws(RuntimeProblem) {
    let isProduct = node.arithmetic == .multiply
    for index in 0..<count where out.validity[index] == 1 {
      let duration = a.words[index]
      let result: Int64?
      switch b.kind {
      case .word:
        let factor = b.words[index]
        if isProduct {
          let (product, overflow) = duration.multipliedReportingOverflow(by: factor)
          result = overflow ? nil : product
        } else {
          if factor == 0 { throw problem(.divisionByZero, node, at: index, [node.a, node.b]) }
          result = Decimal(duration).divided(by: Decimal(factor))?.rounded(to: 0)?.int64Value
        }
      case .double:
        let factor = b.doubles[index]
        if !isProduct, factor == 0 { throw problem(.divisionByZero, node, at: index, [node.a, node.b]) }
        let value = isProduct ? Double(duration) * factor : Double(duration) / factor
        result = Int64(exactly: value.rounded(.toNearestOrAwayFromZero))
      case .wide:
        let factor = b.cells[index].decimal
        if !isProduct, factor.isZero { throw problem(.divisionByZero, node, at: index, [node.a, node.b]) }
        let value = isProduct ? Decimal(duration).multiplied(by: factor) : Decimal(duration).divided(by: factor)
        result = value?.rounded(to: 0)?.int64Value
      case .truth, .rows: return setNull(out)
      }
      guard let result else { throw problem(.overflow(.duration), node, at: index, [node.a, node.b]) }
      out.words[index] = result
    }
  }

  /// A duration by a duration.
  func ratio(_ node: Node, _ a: Vector, _ b: Vector, _ out: Vector) throws(RuntimeProblem) {
    guard b.kind == .word, node.arithmetic == .divide else { return setNull(out) }
    for index in 0..<count where out.validity[index] == 1 {
      if b.words[index] == 0 { throw problem(.divisionByZero, node, at: index, [node.a, node.b]) }
      let result = Double(a.words[index]) / Double(b.words[index])
      out.doubles[index] = result == 0 ? 0 : result
    }
  }

  // MARK: - Functions

  func dates(_ node: Node, _ out: Vector) throws(RuntimeProblem) {
    let first = argument(node, 0)
    let a = vector(first)
    guard strict(node, out, kinds: a.kind == .word ? .word : .wide) else { return }
    guard a.kind == .wide else {
      let isDate = type(first) == .scalar(.date)
      for index in 0..<count where out.validity[index] == 1 {
        out.words[index] = isDate ? a.words[index] : CivilTime.writtenDate(ofDateTime: a.words[index])
      }
      return
    }
    for index in 0..<count where out.validity[index] == 1 {
      let text = TextView.bytes(at: a.cells + index)
      let front = UnsafeBufferPointer(start: text.start.assumingMemoryBound(to: UInt8.self), count: min(text.count, 10))
      guard let days = CivilTime.parseDate(front) else {
        throw problem(.conversion(to: .scalar(.date)), node, at: index, [first])
      }
      out.words[index] = days
    }
  }

  /// `year month day hour minute second weekday`.
  func parts(_ node: Node, _ out: Vector) {
    guard strict(node, out, kinds: .word) else { return }
    let first = argument(node, 0)
    let a = vector(first)
    let isDate = type(first) == .scalar(.date)
    for index in 0..<count where out.validity[index] == 1 {
      let value = a.words[index]
      if node.function == .weekday {
        out.words[index] = Int64(CivilTime.weekday(ofDate: isDate ? value : CivilTime.writtenDate(ofDateTime: value)))
        continue
      }
      let parts = isDate ? CivilTime.components(ofDate: value) : CivilTime.components(ofDateTime: value)
      let result: Int
      switch node.function {
      case .year: result = parts.year
      case .month: result = parts.month
      case .day: result = parts.day
      case .hour: result = parts.hour
      case .minute: result = parts.minute
      default: result = parts.second
      }
      out.words[index] = Int64(result)
    }
  }

  private func unit(_ node: Node) -> TimeUnit { TimeUnit.allCases[Int(node.index)] }

  func truncated(_ node: Node, _ out: Vector) {
    guard strict(node, out, kinds: .word) else { return }
    let first = argument(node, 0)
    let a = vector(first)
    let isDate = type(first) == .scalar(.date)
    let unit = unit(node)
    for index in 0..<count where out.validity[index] == 1 {
      out.words[index] =
        isDate
        ? CivilTime.truncate(date: a.words[index], to: unit) : CivilTime.truncate(dateTime: a.words[index], to: unit)
    }
  }

  func difference(_ node: Node, _ out: Vector) {
    guard strict(node, out, kinds: .word) else { return }
    let first = argument(node, 0)
    let a = vector(first)
    let b = vector(argument(node, 1))
    let isDate = type(first) == .scalar(.date)
    let unit = unit(node)
    for index in 0..<count where out.validity[index] == 1 {
      out.words[index] =
        isDate
        ? CivilTime.difference(date: a.words[index], b.words[index], in: unit)
        : CivilTime.difference(dateTime: a.words[index], b.words[index], in: unit)
    }
  }
}

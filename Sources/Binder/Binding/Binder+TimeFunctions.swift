import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

extension Binder {
  /// An argument that must be a Date or a DateTime; a literal text is the one that it looks like.
  private func timeArgument(
    _ written: Expression, _ environment: Environment, withClock: Bool = false
  ) -> BoundExpression? {
    let expected = withClock ? "a DateTime" : "a Date or a DateTime"
    let operand = resolve(bindOperand(written, environment), environment)
    if case .literal(.text(let text), let range) = operand {
      let isDate = !withClock && text.bytes.withUnsafeBufferPointer { CivilTime.parseDate($0) } != nil
      return constant(.text(text), .scalar(isDate ? .date : .dateTime), at: range)
    }
    guard let bound = value(operand, environment, at: written.range)?.expression else { return nil }
    switch bound.type {
    case .scalar(.dateTime): return bound
    case .scalar(.date) where !withClock: return bound
    case .null: return converted(bound, .scalar(.dateTime))
    default:
      report(.wrongType(found: words(bound.type), expected: expected), at: written.range)
      return nil
    }
  }

  /// The unit that is written as a word.
  private func unit(_ written: Expression, of type: ValueType) -> BoundExpression? {
    let isDate = type == .scalar(.date)
    let known = TimeUnit.allCases.filter { !isDate || !$0.isOfClock }.map(\.rawValue)
    if case .name(let name) = written.kind, known.contains(name.text) {
      return BoundExpression(.constant(.string(Text(name.text))), .string, at: written.range)
    }
    var found = "something else"
    if case .name(let name) = written.kind { found = "'\(name.text)'" }
    report(
      .wrongType(found: found, expected: known.dropLast().joined(separator: ", ") + " or \(known.last ?? "")"),
      at: written.range)
    return nil
  }

  /// `date()`, `date(t)`, `date(text)`.
  func date(_ values: [Expression], _ environment: Environment, _ range: SourceRange) -> Operand {
    guard let written = values.first else {
      let now = BoundExpression(.parameter(nowParameter(at: range)), .scalar(.dateTime), at: range)
      return .value(BoundExpression(.call(.date, [now]), .scalar(.date), at: range))
    }
    let operand = resolve(bindOperand(written, environment), environment)
    guard let bound = value(operand, environment, at: written.range)?.expression else { return .error }
    switch bound.type {
    case .scalar(.date): return .value(bound)
    case .scalar(.dateTime): return .value(BoundExpression(.call(.date, [bound]), .scalar(.date), at: range))
    case .null: return .value(converted(bound, .scalar(.date)))
    case .scalar(.string):
      if case .string(let text)? = bound.constant {
        let front = Text(text.bytes.prefix(10))
        guard front.bytes.withUnsafeBufferPointer({ CivilTime.parseDate($0) }) != nil else {
          report(.wrongValue(.malformed(text: text.string, expected: .date)), at: written.range)
          return .error
        }
        return constant(.text(front), .scalar(.date), at: range).map { .value($0) } ?? .error
      }
      return .value(BoundExpression(.call(.date, [bound]), .scalar(.date), at: range))
    default:
      report(.wrongType(found: words(bound.type), expected: "a DateTime, a Date or text"), at: written.range)
      return .error
    }
  }

  /// `year month day hour minute second weekday`.
  func timePart(
    _ function: ScalarFunction, _ values: [Expression], _ environment: Environment, _ range: SourceRange
  ) -> Operand {
    let isOfClock = function == .hour || function == .minute || function == .second
    guard let time = timeArgument(values[0], environment, withClock: isOfClock) else { return .error }
    return .value(BoundExpression(.call(function, [time]), .int, at: range))
  }

  /// `trunc(t, MONTH)`.
  func trunc(_ values: [Expression], _ environment: Environment, _ range: SourceRange) -> Operand {
    guard let time = timeArgument(values[0], environment), let unit = unit(values[1], of: time.type) else {
      return .error
    }
    return .value(BoundExpression(.call(.trunc, [time, unit]), time.type, at: range))
  }

  /// `dateDiff(a, b, DAY)`; a Date beside a DateTime is its first moment.
  func dateDiff(_ values: [Expression], _ environment: Environment, _ range: SourceRange) -> Operand {
    guard let left = timeArgument(values[0], environment), let right = timeArgument(values[1], environment) else {
      return .error
    }
    // What is written without a time of day may still be counted in hours.
    var type = left.type == right.type ? left.type : ValueType.scalar(.dateTime)
    if case .name(let name) = values[2].kind, TimeUnit(rawValue: name.text)?.isOfClock ?? false {
      type = .scalar(.dateTime)
    }
    guard let unit = unit(values[2], of: type) else { return .error }
    return .value(
      BoundExpression(.call(.dateDiff, [converted(left, type), converted(right, type), unit]), .int, at: range))
  }
}

import GQLBase
import GQLCatalog
import GQLQuery
import GQLRewriter

/// Conditions on values that can only be some, or lie between bounds that all have.
extension CertainTruth {
  private static let maximumChoices = 32

  /// Of a condition on an operand that has one of a few values, what its holding for each of them hangs on; nil for
  /// other conditions.
  func choices(_ condition: BoundExpression, depth: Int, isNegated: Bool = false) -> BoundExpression? {
    var operands = condition.operands
    // `x in [x, 3]`
    if case .inValues(let subject, let values) = condition.kind, !isNegated {
      if values.contains(where: { areAlike(subject, $0) }) { return Self.certain }
      operands = [subject] + values.filter { isFree($0) }
    }
    var sides: [[BoundExpression]] = []
    var combinations = 1
    for operand in operands {
      guard let choices = isFree(operand) ? [operand] : values(of: operand, depth: depth) else { return nil }
      sides.append(choices)
      combinations *= choices.count
      guard combinations <= Self.maximumChoices else { return nil }
    }
    var premises: [BoundExpression] = []
    for number in 0..<combinations {
      guard mayStep(sides.count) else { return nil }
      var rest = number
      var chosen: [BoundExpression] = []
      for side in sides {
        chosen.append(side[rest % side.count])
        rest /= side.count
      }
      var test = condition
      if case .inValues = condition.kind {
        test.kind = .inValues(chosen[0], Array(chosen.dropFirst()))
      } else {
        var remaining = chosen[...]
        test = condition.mapOperands { remaining.popFirst() ?? $0 }
      }
      test = folded(test)
      switch test.constant {
      case .boolean(let truth)?: if truth == isNegated { return nil }
      case .some: return nil
      case nil: premises.append(guarded(isNegated ? test.negated() : test))
      }
    }
    return Self.conjunction(premises)
  }

  private func folded(_ test: BoundExpression) -> BoundExpression {
    if case .inValues(let subject, let values) = test.kind, let value = subject.constant {
      let isKnown = values.contains { $0.constant.map { $0 == value || compareValues($0, value) == 0 } ?? false }
      if isKnown { return .truth(true, at: test.range) }
    }
    return query.folded(test)
  }

  /// All values that the expression can have, as constants; nil where they are many, or not known.
  private func values(of expression: BoundExpression, depth: Int) -> [BoundExpression]? {
    func constants(_ values: [Value]) -> [BoundExpression] {
      let nulls: [Value] = isNeverNull(expression) ? [] : [.null]
      return (values + nulls).map { BoundExpression(.constant($0), expression.type, at: expression.range) }
    }
    guard mayStep() else { return nil }
    switch expression.kind {
    case .constant: return [expression]
    case .conditional(let parts):
      var found: [BoundExpression] = []
      var rest = parts[...]
      while let condition = rest.popFirst() {
        guard let value = rest.popFirst() else {
          guard let last = values(of: condition, depth: depth) else { return nil }
          return found + last
        }
        if falsity(condition, orNull: true, depth: depth)?.constant != nil { continue }
        guard let choices = values(of: value, depth: depth) else { return nil }
        found += choices
        if premise(condition, depth: depth)?.constant != nil { return found }
      }
      return found + [BoundExpression(.constant(.null), expression.type, at: expression.range)]
    case .coalesce(let parts):
      var found: [BoundExpression] = []
      for part in parts {
        guard let choices = values(of: part, depth: depth) else { return nil }
        found += choices
      }
      return found
    default: break
    }
    if expression.type == .boolean { return constants([.boolean(true), .boolean(false)]) }
    if case .enumeration(let id) = expression.type, case .column = expression.kind,
      catalog[id].values.count <= Self.maximumChoices
    {
      return constants(catalog[id].values.indices.map { .enumeration(id, code: $0) })
    }
    return nil
  }

  /// Of a condition that looks at a few fields with a few values each, what its holding for all of these hangs on:
  /// `flag or not flag`, `status == A or status != A`.
  func enumerated(_ condition: BoundExpression) -> BoundExpression? {
    var fields: [BoundExpression.Kind: [BoundExpression]] = [:]
    var order: [BoundExpression.Kind] = []
    var combinations = 1
    var isKnown = true
    var leaves: [BoundExpression] = []
    guard isCounted(condition) else { return nil }
    condition.forEachNode { node in
      if node.ownReference != nil { leaves.append(node) }
      if node.setCall != nil || node.innerBody != nil { isKnown = false }
      if case .invoke(let function, _) = node.kind, !function.isDeterministic { isKnown = false }
    }
    guard isKnown, leaves.count <= Self.maximumChoices * 4 else { return nil }
    for leaf in leaves where fields[leaf.kind] == nil {
      var choices: [BoundExpression]?
      if case .isDeleted = leaf.kind {
        choices = falsity(leaf, orNull: false, depth: 0).map { _ in [.truth(false, at: leaf.range)] }
      } else {
        choices = values(of: leaf, depth: 0)
      }
      guard let choices else { return nil }
      fields[leaf.kind] = choices
      order.append(leaf.kind)
      combinations *= choices.count
      guard combinations <= Self.maximumChoices else { return nil }
    }
    guard !order.isEmpty else { return nil }
    var premises: [BoundExpression] = []
    for number in 0..<combinations {
      var rest = number
      var chosen: [BoundExpression.Kind: BoundExpression] = [:]
      for field in order {
        let choices = fields[field] ?? []
        chosen[field] = choices[rest % choices.count]
        rest /= choices.count
      }
      func substituted(_ expression: BoundExpression) -> BoundExpression {
        guard mayStep() else { return expression }
        // Only what looks at the entity is looked up: a whole condition is long to compare.
        if expression.ownReference != nil, let value = chosen[expression.kind] { return value }
        return expression.mapOperands(substituted)
      }
      let test = substituted(condition)
      guard mayStep(), isFree(test) else { return nil }
      if let truth = test.constant, truth != .boolean(true) { return nil }
      premises.append(guarded(test))
    }
    return Self.conjunction(premises)
  }

  // MARK: - Bounds

  /// A comparison, or a range, that all values of the operand satisfy.
  func range(_ condition: BoundExpression, orNull: Bool) -> BoundExpression? {
    switch condition.kind {
    case .compare(let comparison, let left, let right):
      if areAlike(left, right) {
        switch comparison {
        case .equal: return Self.certain
        case .lessOrEqual, .greaterOrEqual: return orNull || isNeverNull(left) ? Self.certain : nil
        case .notEqual, .less, .greater: return nil
        }
      }
      if isFree(left), !isFree(right) { return bounded(right, comparison.swapped, left, orNull: orNull) }
      return bounded(left, comparison, right, orNull: orNull)
    case .inRange(let subject, let lower, let upper, let includesUpper):
      guard orNull || isNeverNull(subject) else { return nil }
      var premises: [BoundExpression] = []
      if let lower {
        guard let found = bounded(subject, .greaterOrEqual, lower, orNull: orNull) else { return nil }
        premises.append(found)
      }
      if let upper {
        guard let found = bounded(subject, includesUpper ? .lessOrEqual : .less, upper, orNull: orNull) else {
          return nil
        }
        premises.append(found)
      }
      return Self.conjunction(premises)
    default: return nil
    }
  }

  private func bounded(
    _ subject: BoundExpression, _ comparison: ComparisonOperator, _ bound: BoundExpression, orNull: Bool
  ) -> BoundExpression? {
    guard orNull || isNeverNull(subject) else { return nil }
    if areAlike(subject, bound) {
      return comparison == .greaterOrEqual || comparison == .lessOrEqual ? Self.certain : nil
    }
    guard isFree(bound) else { return nil }
    // No text stands before the empty one.
    if subject.type == .string, bound.type == .string, comparison == .greaterOrEqual {
      return compared(.equal, bound, .string(Text()), .string)
    }
    guard subject.type == .int, bound.type == .int else { return nil }
    // Beyond what there is: no Int is below the least one, and nothing is counted below zero.
    let least: Int64
    switch subject.kind {
    case .aggregate(.count, _, _), .call(.length, _): least = 0
    default: least = .min
    }
    switch comparison {
    case .greaterOrEqual: return compared(.lessOrEqual, bound, .int(least), .int)
    case .greater, .notEqual: return least == .min ? nil : compared(.less, bound, .int(least), .int)
    case .lessOrEqual: return compared(.equal, bound, .int(.max), .int)
    case .equal, .less: return nil
    }
  }

  // MARK: - Texts

  /// Patterns that match wherever there is a text.
  private static let emptyPatterns = ["", "^", "$", ".*", "^.*", ".*$", "(?s).*", "(?s)^.*$"]

  func pattern(_ condition: BoundExpression, orNull: Bool) -> BoundExpression? {
    func text(_ string: String, at range: SourceRange) -> BoundExpression {
      BoundExpression(.constant(.string(Text(string))), .string, at: range)
    }
    guard let subject = condition.operands.first, let pattern = condition.operands.last,
      orNull || isNeverNull(subject)
    else { return nil }
    if case .textTest = condition.kind, areAlike(subject, pattern) { return Self.certain }
    guard isFree(pattern) else { return nil }
    let test: BoundExpression
    switch condition.kind {
    case .textTest: return compared(.equal, pattern, .string(Text()), .string)
    case .like:
      if case .string(let known)? = pattern.constant {
        return !known.bytes.isEmpty && known.bytes.allSatisfy { $0 == UInt8(ascii: "%") } ? Self.certain : nil
      }
      test = BoundExpression(.regex(pattern, pattern: text(#"\A%+\z"#, at: pattern.range)), .boolean, at: pattern.range)
    default:
      if case .string(let known)? = pattern.constant {
        return Self.emptyPatterns.contains(known.string) ? Self.certain : nil
      }
      let patterns = Self.emptyPatterns.map { text($0, at: pattern.range) }
      test = BoundExpression(.inValues(pattern, patterns), .boolean, at: pattern.range)
    }
    return guarded(test)
  }

  // MARK: - Equality and nulls

  /// Whether both give the same for every entity.
  func areAlike(_ left: BoundExpression, _ right: BoundExpression) -> Bool {
    guard left.type == right.type, let first = withoutPlace(left), let second = withoutPlace(right) else {
      return false
    }
    return first == second
  }

  /// The expression as if it stood nowhere; nil for what gives another value each time, or may.
  private func withoutPlace(_ expression: BoundExpression) -> BoundExpression? {
    var isKnown = true
    func stripped(_ expression: BoundExpression) -> BoundExpression {
      guard isKnown, mayStep() else {
        isKnown = false
        return expression
      }
      switch expression.kind {
      case .invoke, .listCall, .quantifier, .aggregate: isKnown = false
      default: break
      }
      var copy = expression.mapOperands(stripped)
      copy.range = SourceRange(at: 0)
      return copy
    }
    let result = stripped(expression)
    return isKnown ? result : nil
  }

  func isNeverNull(_ expression: BoundExpression) -> Bool {
    guard mayStep() else { return false }
    switch expression.kind {
    case .constant(let value): return !value.isNull
    case .column(.scope(_, let type), let column): return catalog[type][column].isNonNull
    case .entity(.scope(_, _)): return true
    case .isNull, .isTrue, .inValues, .inList, .quantifier, .aggregate(.count, _, _), .isDeleted: return true
    case .compare(let comparison, let left, let right):
      return comparison == .equal || comparison == .notEqual || isNeverNull(left) && isNeverNull(right)
    case .not(let inner), .fold(let inner), .convert(let inner), .negate(let inner): return isNeverNull(inner)
    case .and(let parts), .or(let parts): return parts.allSatisfy(isNeverNull)
    case .coalesce(let parts): return parts.contains(where: isNeverNull)
    case .conditional(let parts):
      guard parts.count % 2 == 1 else { return false }
      return parts.indices.allSatisfy { ($0 % 2 == 0 && $0 < parts.count - 1) || isNeverNull(parts[$0]) }
    case .call(let function, let operands):
      switch function {
      case .length, .lower, .upper, .trim, .concat: return operands.allSatisfy(isNeverNull)
      default: return false
      }
    case .textTest(_, let subject, let text): return isNeverNull(subject) && isNeverNull(text)
    default: return false
    }
  }
}

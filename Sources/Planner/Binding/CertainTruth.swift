import GQLBase
import GQLCatalog

/// Conditions that hold for every entity whatever its values: `id == id`, `age > 3 or age <= 3` of an age that is never
/// null, `name like "%"`. A change under such a condition is one of everything.
///
/// It knows what people and generators write to get round the question, not every tautology. Conditions are asked about
/// once they are rewritten.
struct CertainTruth {
  let query: BoundQuery
  let catalog: Catalog

  /// Whether the condition is true for every entity.
  func holds(_ condition: BoundExpression) -> Bool {
    switch condition.kind {
    case .constant(let value): return value == .boolean(true)
    case .isTrue(let inner): return holds(inner)
    case .not(let inner): return failsForAll(inner)
    case .and(let parts): return parts.allSatisfy(holds)
    case .or(let parts): return parts.contains(where: holds) || holdsTogether(parts)
    case .compare(let comparison, let left, let right): return holds(comparison, left, right)
    case .inValues(let subject, let values): return values.contains { areAlike(subject, $0) }
    case .inRange(let subject, let lower, let upper, let includesUpper):
      guard isNeverNull(subject), includesUpper else { return false }
      return [lower, upper].allSatisfy { bound in bound.map { areAlike(subject, $0) } ?? true }
    case .textTest(let test, let subject, let text):
      guard isNeverNull(subject) else { return false }
      switch test {
      case .contains, .startsWith, .endsWith: return areAlike(subject, text) || text.constant == .string(Text())
      }
    case .like(let subject, let pattern, _):
      guard isNeverNull(subject), case .string(let text)? = pattern.constant else { return false }
      return !text.bytes.isEmpty && text.bytes.allSatisfy { $0 == UInt8(ascii: "%") }
    case .regex(let subject, let pattern): return isNeverNull(subject) && pattern.constant == .string(Text())
    // Nothing that is not there fails it.
    case .quantifier(.every, _, let body): return body.map(holds) ?? true
    case .quantifier(.none, let set, let body): return isEmpty(set) || (body.map(failsForAll) ?? false)
    default: return false
    }
  }

  /// Whether the condition is false or unknown for every entity, and its negation true.
  private func failsForAll(_ condition: BoundExpression) -> Bool {
    switch condition.kind {
    case .constant(let value): value == .boolean(false)
    case .not(let inner): holds(inner)
    case .isNull(let operand): isNeverNull(operand)
    case .or(let parts): parts.allSatisfy(failsForAll)
    case .and(let parts): parts.contains(where: failsForAll)
    case .compare(.notEqual, let left, let right): areAlike(left, right)
    case .inValues(_, let values): values.isEmpty
    case .quantifier(.exists, let set, nil), .quantifier(.some, let set, nil): isEmpty(set)
    case .quantifier(.some, let set, let body?): isEmpty(set) || failsForAll(body)
    default: false
    }
  }

  private func isEmpty(_ set: SetID) -> Bool { query[set].predicate.map(failsForAll) ?? false }

  private func holds(_ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression) -> Bool {
    if areAlike(left, right) {
      switch comparison {
      case .equal: return true
      case .lessOrEqual, .greaterOrEqual: return isNeverNull(left)
      case .notEqual, .less, .greater: return false
      }
    }
    if left.constant != nil, right.constant == nil { return holds(comparison.swapped, right, left) }
    guard case .int(let bound)? = right.constant, isNeverNull(left) else { return false }
    // Beyond what there is: no Int is below the least one, and nothing is counted below zero.
    let least = if case .aggregate(.count, _, _) = left.kind { Int64(0) } else { Int64.min }
    guard left.type == .int else { return false }
    switch comparison {
    case .greaterOrEqual: return bound <= least
    case .greater: return bound < least
    case .lessOrEqual: return bound == .max
    case .notEqual: return bound < least
    case .equal, .less: return false
    }
  }

  /// `p or not p`, where p is never null.
  private func holdsTogether(_ parts: [BoundExpression]) -> Bool {
    // Chains are generated, and long ones hardly say nothing.
    guard parts.count <= 64 else { return false }
    for (index, part) in parts.enumerated() {
      for other in parts[(index + 1)...] where areOpposites(part, other) || areOpposites(other, part) { return true }
    }
    return false
  }

  private func areOpposites(_ left: BoundExpression, _ right: BoundExpression) -> Bool {
    switch (left.kind, right.kind) {
    case (_, .not(let inner)): return isNeverNull(left) && areAlike(left, inner)
    case (.compare(let comparison, let a, let b), .compare(let other, let c, let d)):
      guard areAlike(a, c), areAlike(b, d) else { return false }
      switch (comparison, other) {
      case (.equal, .notEqual): return true
      case (.less, .greaterOrEqual), (.lessOrEqual, .greater), (.lessOrEqual, .greaterOrEqual):
        return isNeverNull(a) && isNeverNull(b)
      default: return false
      }
    default: return false
    }
  }

  /// Whether both give the same for every entity.
  private func areAlike(_ left: BoundExpression, _ right: BoundExpression) -> Bool {
    guard left.type == right.type, let first = Self.withoutPlace(left), let second = Self.withoutPlace(right) else {
      return false
    }
    return first == second
  }

  /// The expression as if it stood nowhere; nil for what gives another value each time, or may.
  private static func withoutPlace(_ expression: BoundExpression) -> BoundExpression? {
    var isKnown = true
    func stripped(_ expression: BoundExpression) -> BoundExpression {
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

  private func isNeverNull(_ expression: BoundExpression) -> Bool {
    switch expression.kind {
    case .constant(let value): return !value.isNull
    case .column(.scope(0, let type), let column): return catalog[type][column].isNonNull
    case .entity(.scope(0, _)): return true
    case .isNull, .isTrue, .inValues, .inList, .quantifier, .aggregate(.count, _, _): return true
    case .compare(let comparison, let left, let right):
      return comparison == .equal || comparison == .notEqual || isNeverNull(left) && isNeverNull(right)
    case .not(let inner), .fold(let inner), .convert(let inner), .negate(let inner): return isNeverNull(inner)
    case .and(let parts), .or(let parts): return parts.allSatisfy(isNeverNull)
    case .coalesce(let parts): return parts.contains(where: isNeverNull)
    default: return false
    }
  }
}

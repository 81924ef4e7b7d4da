import GQLBase
import GQLCatalog
import GQLQuery

extension Rewriter {
  /// `x >= a and x < b` as one test, where only truth counts and nothing of it can fail. The merged test stands at the
  /// place of the first, which it may: what lies between can fail only for rows that the second would refuse, unless
  /// something there can fail, which is why merging stops at such.
  func mergingBounds(_ parts: [BoundExpression]) -> [BoundExpression] {
    var result: [BoundExpression] = []
    var segmentStart = 0
    for part in parts {
      if query.canFail(part) {
        result.append(part)
        segmentStart = result.count
        continue
      }
      guard case .compare(let comparison, let subject, let bound) = part.kind, !comparison.isEquality,
        subject.constant == nil,
        // Not far back: thousands of conjuncts must not cost their square.
        let index = result[max(segmentStart, result.count - 64)...].firstIndex(where: {
          isCounterBound($0, comparison, subject)
        }),
        case .compare(let other, _, let otherBound) = result[index].kind
      else {
        result.append(part)
        continue
      }
      let isLower = comparison == .greaterOrEqual
      let upper = isLower ? other : comparison
      result[index].kind = .inRange(
        subject, lower: isLower ? bound : otherBound, upper: isLower ? otherBound : bound,
        includesUpper: upper == .lessOrEqual)
      result[index].range = result[index].range.union(part.range)
    }
    return result
  }

  private func isCounterBound(
    _ candidate: BoundExpression, _ comparison: ComparisonOperator, _ subject: BoundExpression
  ) -> Bool {
    guard case .compare(let other, let otherSubject, _) = candidate.kind, otherSubject.kind == subject.kind else {
      return false
    }
    switch comparison {
    case .greaterOrEqual: return other == .less || other == .lessOrEqual
    case .less, .lessOrEqual: return other == .greaterOrEqual
    case .greater, .equal, .notEqual: return false
    }
  }

  /// `x == a or x == b or x in [c]` as `x in [a, b, c]`, at the place of the first. Only where no alternative can fail.
  func mergingEqualities(_ parts: [BoundExpression]) -> [BoundExpression] {
    if parts.contains(where: { query.canFail($0) }) { return parts }
    // Chains are generated, and may have thousands of terms: each is looked at once.
    var result: [BoundExpression] = []
    var places: [BoundExpression.Kind: Int] = [:]
    var merged: [Int: (subject: BoundExpression, values: [BoundExpression], range: SourceRange)] = [:]
    for part in parts {
      guard let (subject, values) = equality(part) else {
        result.append(part)
        continue
      }
      guard let place = places[subject.kind] else {
        places[subject.kind] = result.count
        result.append(part)
        continue
      }
      if merged[place] == nil, let (first, earlier) = equality(result[place]) {
        merged[place] = (first, earlier, result[place].range)
      }
      merged[place]?.values += values
      if let range = merged[place]?.range { merged[place]?.range = range.union(part.range) }
    }
    for (place, all) in merged {
      result[place] =
        membership(all.subject, all.values, all.range)
        ?? BoundExpression(.inValues(all.subject, all.values), .boolean, at: all.range)
    }
    return result
  }

  /// Many constants of the subject's type as one constant list, as the binder makes them of a variable's list.
  private func membership(
    _ subject: BoundExpression, _ values: [BoundExpression], _ range: SourceRange
  ) -> BoundExpression? {
    guard values.count > BoundExpression.manyValues else { return nil }
    switch subject.type {
    case .enumeration: break
    case .scalar(let scalar) where scalar != .json: break
    default: return nil
    }
    var constants: [Value] = []
    constants.reserveCapacity(values.count)
    for value in values {
      guard let constant = value.constant, value.type == subject.type || constant.isNull else { return nil }
      constants.append(constant)
    }
    let list = BoundExpression(.constant(.list(constants)), .list(subject.type), at: range)
    return BoundExpression(.inList(subject, list), .boolean, at: range)
  }

  private func equality(_ part: BoundExpression) -> (subject: BoundExpression, values: [BoundExpression])? {
    switch part.kind {
    case .compare(.equal, let left, let right):
      if left.isConstantOrParameter { return right.isConstantOrParameter ? nil : (right, [left]) }
      return right.isConstantOrParameter ? (left, [right]) : nil
    case .inValues(let subject, let values) where values.allSatisfy(\.isConstantOrParameter): return (subject, values)
    default: return nil
    }
  }

  /// Whether the expression is true or false for every row.
  func neverNull(_ expression: BoundExpression) -> Bool {
    switch expression.kind {
    case .isTrue, .isNull, .inValues, .inList, .quantifier, .inRowSet, .isDeleted, .isInserted, .host,
      .listCall(.quantifier, _, _, _):
      true
    case .compare(let comparison, _, _): comparison.isEquality
    case .constant(let value): !value.isNull
    case .not(let inner): neverNull(inner)
    case .and(let parts), .or(let parts): parts.allSatisfy(neverNull)
    default: false
    }
  }
}

extension BoundExpression {
  /// Values beyond which a list is one constant rather than an expression for each.
  package static let manyValues = 64
}

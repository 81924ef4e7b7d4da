extension Term {
  /// Whether it may fail for some values: a number may be too large, a divisor zero, an index beyond the end.
  var canFail: Bool {
    switch self {
    case .arithmetic, .quotient, .negate, .element: true
    case .parameter, .truth, .null, .attribute, .isPresent, .hasObject, .item, .finer, .matches, .updated: false
    case .compare(_, let left, let right), .text(_, let left, let right), .inList(let left, let right):
      left.canFail || right.canFail
    case .and(let parts), .or(let parts), .coalesce(let parts), .conditional(let parts):
      parts.contains(where: \.canFail)
    case .not(let part), .negated(let part), .isTrue(let part), .isNull(let part), .length(let part), .fold(let part):
      part.canFail
    case .inRange(let value, let lower, let upper, _):
      value.canFail || lower?.canFail == true || upper?.canFail == true
    case .members(_, _, _, let body), .count(_, _, let body): body?.canFail == true
    case .elements(_, let list, let body): list.canFail || body.canFail
    }
  }
}

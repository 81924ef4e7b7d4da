extension Condition {
  /// Whether it may fail for some values.
  var canFail: Bool {
    switch self {
    case .compare, .text, .matches, .isNull, .updated: false
    case .term(let term): term.canFail
    case .and(let parts), .or(let parts): parts.contains(where: \.canFail)
    case .not(let part): part.canFail
    }
  }
}

extension Term {
  /// Whether it may fail for some values: a number may be too large, a divisor zero, an index beyond the end.
  var canFail: Bool {
    switch self {
    case .arithmetic, .quotient, .negate, .element: true
    case .parameter, .truth, .null, .attribute, .isPresent, .hasObject, .item, .finer: false
    case .compare(_, let left, let right), .text(_, let left, let right), .inList(let left, let right):
      left.canFail || right.canFail
    case .and(let parts), .or(let parts), .coalesce(let parts), .conditional(let parts):
      parts.contains(where: \.canFail)
    case .not(let part), .isTrue(let part), .isNull(let part), .length(let part): part.canFail
    case .inRange(let value, let lower, let upper, _):
      value.canFail || lower?.canFail == true || upper?.canFail == true
    case .members(_, _, _, let body), .count(_, _, let body): body?.canFail == true
    case .elements(_, let list, let body): list.canFail || body.canFail
    }
  }
}

import GQLCatalog
import GQLQuery

/// What the compiler wants to know of an expression before it decides where it goes.
enum ExpressionTraits {
  /// Whether evaluating it may throw something that another row would not.
  static func isFallible(_ expression: BoundExpression, _ catalog: Catalog) -> Bool {
    switch expression.kind {
    case .constant, .parameter, .column, .entity, .inRowSet, .isDeleted, .isInserted, .item:
      return false
    case .arithmetic, .negate, .cast, .regex: return true
    case .like(let subject, let pattern, _):
      return pattern.constant == nil || isFallible(subject, catalog)
    // What went wrong in a group is raised where its value is read.
    case .groupAggregate: return true
    case .convert(let operand):
      if expression.type == .decimal, operand.type != .int { return true }
      return isFallible(operand, catalog)
    case .quantifier, .aggregate, .invoke, .listCall, .host: return true
    case .call(.try, _): return false
    case .call(let function, let arguments):
      return function.canFail(arguments) || arguments.contains { isFallible($0, catalog) }
    default: return children(expression).contains { isFallible($0, catalog) }
    }
  }

  /// Whether it costs far more than a comparison of numbers.
  static func isExpensive(_ expression: BoundExpression) -> Bool {
    switch expression.kind {
    case .like, .regex, .quantifier, .aggregate, .jsonPath, .jsonList, .jsonObject, .fold, .call, .invoke, .listCall,
      .join:
      return true
    case .matches, .score, .highlight: return true
    case .textTest(let test, let left, let right):
      return test == .contains || isExpensive(left) || isExpensive(right)
    default: return children(expression).contains(where: isExpensive)
    }
  }

  /// Returns whether the body of a call over a set reads nothing but the member: it gives the same for equal members.
  static func readsMemberOnly(_ body: BoundExpression, _ query: BoundQuery?) -> Bool {
    if let query { return query.freeScopes(of: body).isSubset(of: .element) && !query.callsUndetermined(body) }
    var isOwn = true
    body.forEachNode { node in
      if node.setCall != nil || (node.ownReference?.scope ?? 0) != 0 { isOwn = false }
      if case .invoke(let function, _) = node.kind, !function.isDeterministic { isOwn = false }
    }
    return isOwn
  }

  static func isNull(_ expression: BoundExpression) -> Bool {
    if case .constant(.null) = expression.kind { return true }
    return expression.type == .null
  }

  /// Whether it is answered from pages of fixed-width columns at well under a nanosecond a row, so that testing all
  /// rows costs less than gathering those that an earlier test left.
  static func isScan(_ expression: BoundExpression, _ catalog: Catalog) -> Bool {
    switch expression.kind {
    case .constant, .parameter: return true
    case .column(let reference, let column):
      guard case .scope(0, let type) = reference else { return false }
      switch catalog[type][column].kind {
      case .int64, .float64, .byte, .code: return true
      case .decimal, .text, .wordList, .wideList, .reference, .references: return false
      }
    case .compare, .not, .and, .or, .isTrue, .isNull, .inRange:
      return children(expression).allSatisfy { isScan($0, catalog) }
    default: return false
    }
  }

  /// Direct operands, but for predicates and element expressions over sets.
  static func children(_ expression: BoundExpression) -> [BoundExpression] {
    switch expression.kind {
    case .constant, .parameter, .column, .entity, .quantifier, .aggregate, .inRowSet, .isDeleted, .isInserted, .host,
      .item, .groupAggregate:
      []
    case .listCall(_, let list, _, _): [list]
    case .join(let list, let separator): [list, separator]
    case .not(let a), .isTrue(let a), .isNull(let a), .negate(let a), .convert(let a), .cast(let a), .fold(let a):
      [a]
    case .and(let list), .or(let list), .coalesce(let list), .conditional(let list), .jsonList(let list),
      .jsonObject(_, let list), .call(_, let list):
      list
    case .invoke(_, let list): list
    case .compare(_, let a, let b), .inList(let a, let b), .textTest(_, let a, let b), .listContains(let a, let b),
      .like(let a, let b, _), .regex(let a, let b), .arithmetic(_, let a, let b), .jsonPath(let a, let b),
      .element(let a, let b):
      [a, b]
    case .inValues(let a, let list): [a] + list
    case .inRange(let a, let lower, let upper, _): [a] + [lower, upper].compactMap(\.self)
    case .matches, .score, .highlight: expression.operands
    }
  }
}

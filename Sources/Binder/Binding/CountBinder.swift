import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// A binder of what `count` counts: members, those for which a condition is true, or values that are not null.
struct CountBinder {
  let binder: Binder

  /// Binds a count of members, of which the second argument says something.
  func count(_ path: PluralPath, _ body: Expression, _ inner: Environment, _ range: SourceRange) -> Operand {
    guard !binder.reportConstant(body, inner, ofTexts: true) else { return .error }
    let operand = binder.resolve(binder.bindOperand(body, inner), inner)
    if isCondition(operand) {
      guard let condition = binder.boolean(operand, inner, at: body.range) else { return .error }
      return count(path, condition, isTest: true, range)
    }
    guard let value = binder.value(operand, inner, at: body.range) else { return .error }
    return count(path, value.expression, range)
  }

  /// Counts the members of a set whose value is not null, or for which a test is true; all of them without either.
  func count(
    _ path: PluralPath, _ element: BoundExpression?, isTest: Bool = false, _ range: SourceRange
  ) -> Operand {
    let result = BoundExpression(.aggregate(.count, path.set, nil), .int, at: range)
    guard let element else {
      binder.query.forgetOrder(of: path.set)
      return .value(result)
    }
    // A further condition on the set, unless the set is cut off before it.
    let set = binder.query[path.set]
    guard set.limit == nil, set.offset == nil, set.distinctOn.isEmpty else {
      let value = isTest ? counted(element) : element
      return .value(BoundExpression(.aggregate(.count, path.set, value), .int, at: range))
    }
    binder.query.forgetOrder(of: path.set)
    if case .embedded(let value) = path.tail {
      let presence = BoundExpression(.isTrue(value.presenceExpression), .boolean, at: value.range)
      require(presence, isTest: true, in: path.set)
    } else {
      require(element, isTest: isTest, in: path.set)
    }
    return .value(result)
  }

  /// Keeps the members whose value is not null, or that meet a test.
  func require(_ expression: BoundExpression, isTest: Bool = false, in set: SetID) {
    let test =
      isTest
      ? expression : binder.negation(BoundExpression(.isNull(expression), .boolean, at: expression.range))
    if let predicate = binder.query[set].predicate {
      binder.query[set].predicate = BoundExpression(.and([predicate, test]), .boolean, at: predicate.range)
    } else {
      binder.query[set].predicate = test
    }
  }

  /// Returns a value that is not null where a condition is true; any other value as it is.
  func counted(_ value: BoundExpression) -> BoundExpression {
    guard value.type == .boolean else { return value }
    let one = BoundExpression(.constant(.boolean(true)), .boolean, at: value.range)
    return BoundExpression(.conditional([value, one]), .boolean, at: value.range)
  }

  /// Returns what a count in a group counts: a condition where it is true.
  ///
  /// - Parameter isSecond: Whether it is said of the members of a set. Alone, a field is a value, which counts where it
  ///   is not null.
  func counted(_ operand: Operand, _ written: Expression, _ environment: Environment, isSecond: Bool) -> Operand {
    guard isCondition(operand), isSecond || !isField(operand, written, environment) else { return operand }
    return binder.boolean(operand, environment, at: written.range).map { .value(counted($0)) } ?? .error
  }

  /// Returns whether a name or path leads to a field, stored or computed, and not to a `let` of a condition.
  private func isField(_ operand: Operand, _ written: Expression, _ environment: Environment) -> Bool {
    if case .value(let value) = operand, case .column = value.expression.kind { return true }
    switch written.unparenthesized.kind {
    case .name(let name): return environment.lets[name.text] == nil
    case .current(let name): return name != nil
    case .member(_, _, nil): return true
    default: return false
    }
  }

  private func isCondition(_ operand: Operand) -> Bool {
    switch operand {
    case .object, .filter, .literal(.boolean, _): true
    case .value(let value): value.type == .boolean
    default: false
    }
  }
}

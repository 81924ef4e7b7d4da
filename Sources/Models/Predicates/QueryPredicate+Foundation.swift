import Foundation

extension QueryPredicate {
  /// The condition of a `#Predicate`.
  public init(_ predicate: Predicate<Entity>) {
    let parts = Self.conjuncts(of: predicate)
    self = parts.dropFirst().reduce(parts[0]) { $0 && $1 }
  }

  /// The conditions that a predicate, or its contrary, consists of; all must hold. At least one.
  ///
  /// Apart, because columns may tell some of them only.
  static func conjuncts(of predicate: Predicate<Entity>, isNegated: Bool = false) -> [Self] {
    var parts: [Self] = []
    collect(predicate.expression, isNegated, predicate.variable, &parts)
    return parts
  }

  private static func collect(
    _ expression: any PredicateExpression<Bool>, _ isNegated: Bool,
    _ variable: PredicateExpressions.Variable<Entity>, _ parts: inout [Self]
  ) {
    if let negation = expression as? any NegatedPart {
      return collect(negation.part, !isNegated, variable, &parts)
    }
    if let sides = (expression as? any JoinedParts), sides.isConjunction != isNegated {
      for side in sides.parts { collect(side, isNegated, variable, &parts) }
      return
    }
    parts.append(part(expression, isNegated, variable))
  }

  private static func part(
    _ expression: any PredicateExpression<Bool>, _ isNegated: Bool,
    _ variable: PredicateExpressions.Variable<Entity>
  ) -> Self {
    let walk = PredicateWalk(variable)
    var condition: Term?
    if let (term, canBeNull) = walk.truth(walk.lowered(expression)) {
      condition = isNegated ? .not(canBeNull ? .isTrue(term) : term) : term
    }
    let holds: (Entity, EntityFacts) throws -> Bool = { entity, _ in
      try expression.evaluate(PredicateBindings((variable, entity))) != isNegated
    }
    var result = Self(condition, walk.parameters, holds: holds)
    result.routes = walk.routes
    result.reckonsWithFloats = walk.reckonsWithFloats
    result.reckonsWithIntegers = walk.reckonsWithIntegers
    result.seesObjects = walk.seesObjects
    result.words = {
      let words = PredicateWalk(variable).words(expression)
      return isNegated ? "!(\(words))" : words
    }
    return result
  }
}

/// A predicate's part that says the contrary of another.
private protocol NegatedPart {
  var part: any PredicateExpression<Bool> { get }
}

extension PredicateExpressions.Negation: NegatedPart {
  fileprivate var part: any PredicateExpression<Bool> { wrapped }
}

/// A predicate's part that joins two others.
private protocol JoinedParts {
  /// Whether both must hold.
  var isConjunction: Bool { get }
  var parts: [any PredicateExpression<Bool>] { get }
}

extension PredicateExpressions.Conjunction: JoinedParts {
  fileprivate var isConjunction: Bool { true }
  fileprivate var parts: [any PredicateExpression<Bool>] { [lhs, rhs] }
}

extension PredicateExpressions.Disjunction: JoinedParts {
  fileprivate var isConjunction: Bool { false }
  fileprivate var parts: [any PredicateExpression<Bool>] { [lhs, rhs] }
}

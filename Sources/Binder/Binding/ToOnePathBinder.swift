import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// A binder of what begins with a to-one relation, as a set of at most one.
struct ToOnePathBinder {
  let binder: Binder

  /// Returns what a to-one relation leads to, as a set.
  func set(of reference: EntityReference, _ type: EntityTypeID, _ range: SourceRange) -> PluralPath {
    let set = binder.reserveSet(type, at: range)
    binder.query[set] = BoundSet(type: type, source: binder.source(of: reference), range: range)
    return PluralPath(set: set, type: type, range: range, text: "")
  }

  /// A path of values that begins with a to-one relation, as one from a set of at most one: `sum(boss.age)`.
  func path(_ expression: Expression, _ value: Operand, _ environment: Environment) -> PluralPath? {
    guard case .member(let base, let name, nil) = expression.kind else { return nil }
    // A value of the only member of a set.
    if case .value(let value) = value, case .aggregate(.first, let set, let inner?) = value.expression.kind {
      var path = PluralPath(set: set, type: binder.query[set].type, range: expression.range, text: name.text)
      path.tail = .value(TypedValue(expression: inner, folded: value.folded?.ofFirst))
      return path
    }
    // What is bound again here has no sets.
    guard isPlain(base, environment) else { return nil }
    let operand = binder.resolve(binder.bindOperand(base, environment), environment)
    var start: PluralPath?
    switch operand {
    case .entity(let reference, let type, let range) where !reference.isScope:
      start = set(of: reference, type, range)
    case .embedded, .value: start = path(base, operand, environment)
    default: break
    }
    guard let start, case .plural(let path) = binder.step(from: start, name, nil, environment, expression.range) else {
      return nil
    }
    return path
  }

  /// Returns whether an expression is a path of names without arguments.
  private func isPlain(_ expression: Expression, _ environment: Environment) -> Bool {
    switch expression.kind {
    case .member(let base, _, nil), .parenthesized(let base): isPlain(base, environment)
    case .name(let name): binder.hasMeaning(name, environment)
    case .outer: true
    default: false
    }
  }
}

extension BoundExpression {
  /// Finds what is taken of the first member of a set; nil for other expressions.
  fileprivate var ofFirst: BoundExpression? {
    if case .aggregate(.first, _, let value) = kind { value } else { nil }
  }
}

import GQLBase
import GQLCatalog
import GQLQuery

extension BoundQuery {
  /// The places of each `every` over related entities that is true of those that have none, without a test beside it
  /// that says whether there are any; with the relation's name.
  func unbackedEverys(_ catalog: Catalog) -> [(range: SourceRange, relation: String)] {
    var lint = EveryLint(query: self, catalog: catalog)
    for set in sets { for expression in set.expressions { lint.visit(expression, beside: []) } }
    forEachFieldExpression { lint.visit($0, beside: []) }
    return lint.found
  }
}

private struct EveryLint {
  let query: BoundQuery
  let catalog: Catalog
  var found: [(range: SourceRange, relation: String)] = []

  /// `others` are the conditions that hold, or do not, together with this one.
  mutating func visit(_ expression: BoundExpression, beside others: [BoundExpression]) {
    switch expression.kind {
    case .and(let parts), .or(let parts):
      let tests = others + parts.filter(isEmptinessTest)
      for part in parts { visit(part, beside: tests) }
    case .isTrue(let inner): visit(inner, beside: others)
    // Not every: there is one that does not fit, so there is one.
    case .not(let inner):
      if case .quantifier(.every, _, let body?) = inner.kind { return visit(body, beside: []) }
      visit(inner, beside: others)
    case .quantifier(.every, let set, let body):
      if let relation = relation(set), !others.contains(where: { tellsEmptiness($0, of: set) }) {
        found.append((expression.range, relation))
      }
      if let body { visit(body, beside: []) }
    default:
      for operand in expression.operands { visit(operand, beside: []) }
      if let body = expression.innerBody { visit(body, beside: []) }
    }
  }

  private func relation(_ set: SetID) -> String? {
    let relation: RelationID
    switch query[set].source {
    case .relation(_, let id), .step(_, let id), .linked(_, let id): relation = id
    case .all, .key, .items, .routes, .branches, .union, .closure, .shortestPath, .given, .deleted, .keys, .members,
      .each, .host:
      return nil
    }
    guard let property = catalog[relation].property else { return nil }
    return catalog[catalog[relation].source][property].name
  }

  /// Whether it may be one of those that ``tellsEmptiness(_:of:)`` knows.
  private func isEmptinessTest(_ expression: BoundExpression) -> Bool {
    switch expression.kind {
    case .not(let inner), .isTrue(let inner): isEmptinessTest(inner)
    case .quantifier(let quantifier, _, _): quantifier != .every
    case .compare: expression.operands.contains { if case .aggregate(.count, _, _) = $0.kind { true } else { false } }
    default: false
    }
  }

  /// `exists(s)`, `some(s, …)`, `count(s) > 0` and their opposites.
  private func tellsEmptiness(_ expression: BoundExpression, of set: SetID) -> Bool {
    switch expression.kind {
    case .not(let inner), .isTrue(let inner): return tellsEmptiness(inner, of: set)
    case .quantifier(let quantifier, let other, _): return quantifier != .every && isWithin(other, set)
    case .compare(_, let left, let right):
      for side in [left, right] {
        if case .aggregate(.count, let other, _) = side.kind, isWithin(other, set) { return true }
      }
      return false
    default: return false
    }
  }

  private func placeless(_ expression: BoundExpression) -> BoundExpression {
    var copy = expression.mapOperands(placeless)
    copy.range = SourceRange(at: 0)
    return copy
  }

  /// Whether the first set has a member only if the second has one.
  private func isWithin(_ first: SetID, _ second: SetID) -> Bool {
    let (a, b) = (query[first], query[second])
    guard a.linkStatus == b.linkStatus || b.linkStatus == .any else { return false }
    guard b.predicate == nil || a.predicate.map(placeless) == b.predicate.map(placeless) else { return false }
    switch (a.source, b.source) {
    case (.step(let from, let one), .step(let to, let other)): return one == other && isWithin(from, to)
    case (let one, let other): return one == other
    }
  }
}

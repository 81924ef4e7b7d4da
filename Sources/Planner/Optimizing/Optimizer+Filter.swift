import GQLBase
import GQLCatalog
import GQLQuery

/// A residual filter, arranged.
struct ArrangedFilter {
  var expression: BoundExpression?
  /// Units for each row tested, the earlier conjuncts' refusals counted in.
  var perRow: Double = 0
  /// Units for the row sets that it reads.
  var once: Double = 0
  /// How many conjuncts it has.
  var conditions = 0
}

/// A conjunct of a set's predicate, and the share of the type's rows for which it is true.
struct ConjunctEstimate {
  var position: Int
  var expression: BoundExpression
  var selectivity: Double
}

extension Optimizer {
  /// Orders the conjuncts, the cheapest and most selective first, and replaces tests per row by row sets where that pays
  /// for `rows` rows. What can fail keeps its place, and nothing passes it.
  mutating func arrange(
    _ conjuncts: [ConjunctEstimate], type: EntityTypeID, rows: Double, cell: Double, mayUseMembership: Bool = false
  ) -> ArrangedFilter {
    struct Step {
      var expression: BoundExpression
      var cost: Double
      var selectivity: Double
      var rank: Double { selectivity >= 1 ? .infinity : cost / (1 - selectivity) }
    }
    var result = ArrangedFilter()
    var steps: [Step] = []
    var segment: [Step] = []
    func settled(_ segment: [Step]) -> [Step] {
      segment.enumerated().sorted { left, right in
        left.element.rank != right.element.rank
          ? left.element.rank < right.element.rank : left.offset < right.offset
      }.map(\.element)
    }
    for conjunct in conjuncts {
      let test = cheapestTest(
        conjunct.expression, type: type, rows: rows, cell: cell, isNegated: false, mayUseMembership: mayUseMembership)
      result.once += test.once
      let step = Step(expression: test.expression, cost: test.perRow, selectivity: conjunct.selectivity)
      if query.canFail(conjunct.expression) {
        steps += settled(segment)
        segment = []
        steps.append(step)
      } else {
        segment.append(step)
      }
    }
    steps += settled(segment)
    var remaining = 1.0
    for step in steps {
      result.perRow += remaining * step.cost
      remaining *= step.selectivity
    }
    result.conditions = steps.count
    result.expression = .conjunction(steps.map(\.expression))
    return result
  }

  /// The test per row or the row set, whichever is cheaper for `rows` rows; connectives part by part.
  ///
  /// Under a negation false and null differ, so only tests that are never null have a row set there.
  private mutating func cheapestTest(
    _ expression: BoundExpression, type: EntityTypeID, rows: Double, cell: Double, isNegated: Bool,
    mayUseMembership: Bool
  ) -> (expression: BoundExpression, perRow: Double, once: Double) {
    switch expression.kind {
    case .and, .or, .not, .isTrue:
      var isNegated = isNegated
      if case .not = expression.kind { isNegated = true }
      if case .isTrue = expression.kind { isNegated = false }
      var parts: [BoundExpression] = []
      var perRow = 0.0
      var once = 0.0
      for operand in expression.operands {
        let part = cheapestTest(
          operand, type: type, rows: rows, cell: cell, isNegated: isNegated, mayUseMembership: mayUseMembership)
        parts.append(part.expression)
        perRow += part.perRow
        once += part.once
      }
      var remaining = parts[...]
      let changed = expression.mapOperands { remaining.popFirst() ?? $0 }
      return (changed, perRow, once)
    default:
      let direct = cost(of: expression, rows: rows, cell: cell)
      var draft: Int?
      if case .quantifier = expression.kind {
        draft = semiJoin(expression, type: type)
      } else if !isNegated, direct > costs.bit {
        draft = semiJoin(expression, type: type)
        if draft == nil, mayUseMembership { draft = membership(expression, type: type) }
      }
      guard let draft else { return (expression, direct, 0) }
      let bitmapTotal = rowSets[draft].cost + rows * costs.bit
      var takesBitmap = Cost(bitmapTotal).isClearlyLess(than: Cost(rows * direct))
      switch options.forcing {
      case .cheapest, .scanOnly: break
      case .perturbed:
        takesBitmap =
          bitmapTotal * options.perturbation(-1 - draft, 0) < rows * direct * options.perturbation(-1 - draft, 1)
      case .alternative(let number): takesBitmap = number % 2 == 1
      }
      guard takesBitmap else { return (expression, direct, 0) }
      let test = BoundExpression(.inRowSet(.scope(0, type), draft), .boolean, at: expression.range)
      return (test, costs.bit, rowSets[draft].cost)
    }
  }
}

import GQLBase
import GQLCatalog
import GQLQuery

extension Optimizer {
  /// Units to evaluate the expression for one row, when it is evaluated for `rows` rows in all; `cell` is the price of a
  /// cell of the element. Plans the sets in the expression on the way.
  mutating func cost(of expression: BoundExpression, rows: Double, cell: Double) -> Double {
    pricedExpressions &+= 1
    if pricedExpressions & 0x3FF == 0 { _ = isDue(at: expression.range) }
    if isInterrupted { return 0 }
    var total = 0.0
    for operand in expression.operands { total += cost(of: operand, rows: rows, cell: cell) }
    switch expression.kind {
    case .constant, .parameter: break
    case .column(let reference, _), .entity(let reference):
      // A hop costs a cell here and a look there.
      let own = reference.scope == 0 && reference.path.isEmpty ? cell : costs.sequentialCell
      total += own * (expression.type.isFixedWidth ? 1 : costs.wideCell)
      total += Double(reference.path.count) * costs.toOneStep
    case .isDeleted: total += costs.gatheredCell / 4
    case .isInserted: total += costs.bit
    case .inRowSet(let reference, _): total += costs.bit + Double(reference.path.count) * costs.gatheredCell
    case .groupAggregate: total += costs.sequentialCell
    case .not, .and, .or, .isTrue, .isNull, .conditional, .coalesce: total += costs.sequentialCell / 2
    case .compare(_, let left, _):
      total += left.type.isFixedWidth ? costs.sequentialCell / 2 : costs.textCompare
    case .inValues(let subject, let values): total += membership(of: subject, among: values.count)
    case .inList(let subject, let list):
      // One that is known is searched as values that are written.
      if case .list(let values)? = estimator.value(of: list) {
        total += membership(of: subject, among: values.count)
      } else {
        total += costs.hashProbe / 2
      }
    case .listContains: total += costs.hashProbe / 2
    case .inRange(let subject, _, _, _):
      total += subject.type.isFixedWidth ? costs.sequentialCell : 2 * costs.textCompare
    case .textTest(let test, _, _): total += test == .contains ? costs.textSearch : costs.textCompare
    case .like: total += costs.likeMatch
    case .regex: total += costs.regexMatch
    case .arithmetic, .negate, .convert, .cast, .element: total += costs.scalarOperation
    case .fold, .jsonPath, .call, .jsonList, .jsonObject: total += costs.wideOperation
    case .matches, .highlight: total += costs.textMatch
    // The texts that are scored are read once more.
    case .score: break
    case .invoke: total += 8 * costs.wideOperation
    case .host: total += costs.hostTest
    case .quantifier(let quantifier, let set, let body):
      planSet(set, executions: rows, usage: quantifier == .exists || quantifier == .some ? .existence : .rows)
      total += costPerParent(set, body, rows: rows)
    case .aggregate(let aggregate, let set, let body):
      planAggregate(aggregate, set, body, executions: rows)
      total += costPerParent(set, body, rows: rows)
    case .item: total += cell
    case .join: total += costs.wideOperation
    case .listCall(_, _, _, let body):
      total += costs.setPerParent
      let elements = DefaultSelectivity.listCount
      if let body { total += elements * cost(of: body, rows: rows * elements, cell: costs.sequentialCell) }
    }
    return total
  }

  private func membership(of subject: BoundExpression, among count: Int) -> Double {
    (subject.type.isFixedWidth ? costs.sequentialCell : 2 * costs.textCompare) * Double(min(count, 8))
  }

  private mutating func costPerParent(_ set: SetID, _ body: BoundExpression?, rows: Double) -> Double {
    let estimate = plans[set.index]?.estimate ?? PlanEstimate()
    var total = estimate.cost
    if query.freeScopes(of: set).isEmpty {
      // The same for every row: computed once.
      total /= max(1, rows)
    }
    guard let body else { return total }
    let elements = estimate.rows
    total += elements * cost(of: body, rows: rows * max(1, elements), cell: costs.gatheredCell)
    return total
  }
}

extension ValueType {
  /// Whether its cells are compared as numbers.
  var isFixedWidth: Bool { !ColumnKind(self).isWide }
}

extension ColumnKind {
  /// Indicates whether a cell refers to what lies elsewhere, or is more than a word.
  var isWide: Bool {
    switch self {
    case .int64, .float64, .byte, .code, .reference: false
    case .decimal, .text, .wordList, .wideList, .references: true
    }
  }
}

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
      // A hop costs a cell here and a cache miss there.
      total += reference.scope == 0 ? cell : CostModel.sequentialCell
      total += Double(reference.path.count) * CostModel.gatheredCell
    case .isDeleted: total += CostModel.gatheredCell / 4
    case .isInserted: total += CostModel.bit
    case .inRowSet(let reference, _): total += CostModel.bit + Double(reference.path.count) * CostModel.gatheredCell
    case .groupAggregate: total += CostModel.sequentialCell
    case .not, .and, .or, .isTrue, .isNull, .conditional, .coalesce: total += CostModel.sequentialCell / 2
    case .compare(_, let left, _):
      total += left.type.isFixedWidth ? CostModel.sequentialCell / 2 : CostModel.textCompare
    case .inValues(let subject, let values): total += membership(of: subject, among: values.count)
    case .inList(let subject, let list):
      // One that is known is searched as values that are written.
      if case .list(let values)? = estimator.value(of: list) {
        total += membership(of: subject, among: values.count)
      } else {
        total += CostModel.hashProbe / 2
      }
    case .listContains: total += CostModel.hashProbe / 2
    case .inRange(let subject, _, _, _):
      total += subject.type.isFixedWidth ? CostModel.sequentialCell : 2 * CostModel.textCompare
    case .textTest(let test, _, _): total += test == .contains ? CostModel.textSearch : CostModel.textCompare
    case .like: total += CostModel.likeMatch
    case .regex: total += CostModel.regexMatch
    case .arithmetic, .negate, .convert, .cast, .element: total += CostModel.scalarOperation
    case .fold, .jsonPath, .call, .jsonList, .jsonObject: total += CostModel.wideOperation
    case .matches, .highlight: total += CostModel.textMatch
    // The texts that are scored are read once more.
    case .score: break
    case .invoke: total += 8 * CostModel.wideOperation
    case .host: total += CostModel.hostTest
    case .quantifier(let quantifier, let set, let body):
      planSet(set, executions: rows, usage: quantifier == .exists || quantifier == .some ? .existence : .rows)
      total += costPerParent(set, body, rows: rows)
    case .aggregate(let aggregate, let set, let body):
      planAggregate(aggregate, set, body, executions: rows)
      total += costPerParent(set, body, rows: rows)
    case .item: total += cell
    case .join: total += CostModel.wideOperation
    case .listCall(_, _, _, let body):
      total += CostModel.setPerParent
      let elements = DefaultSelectivity.listCount
      if let body { total += elements * cost(of: body, rows: rows * elements, cell: CostModel.sequentialCell) }
    }
    return total
  }

  private func membership(of subject: BoundExpression, among count: Int) -> Double {
    (subject.type.isFixedWidth ? CostModel.sequentialCell : CostModel.textCompare) * Double(min(count, 8))
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
    total += elements * cost(of: body, rows: rows * max(1, elements), cell: CostModel.gatheredCell)
    return total
  }
}

extension ValueType {
  /// Whether its cells are compared as numbers.
  var isFixedWidth: Bool {
    switch ColumnKind(self) {
    case .int64, .float64, .byte, .code, .reference: true
    case .decimal, .text, .wordList, .wideList, .references: false
    }
  }
}

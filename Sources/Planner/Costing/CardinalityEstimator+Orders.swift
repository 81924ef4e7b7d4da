import GQLBase
import GQLCatalog
import GQLQuery

/// What hangs on the order in which rows come, and on that in which they are wanted.
extension CardinalityEstimator {
  /// Indicates whether a path is a range of the table itself, whose ids ascend with its rows.
  func isByRow(_ path: AccessPath) -> Bool {
    guard case .range(let id, _) = path, !catalog[id].kind.facts.isOrdered else { return false }
    return statistics.idOrder(catalog[id].type) == .rows
  }

  /// Indicates whether the rows of a range of an index come as they were inserted: the column after the equal ones
  /// ascends with insertion.
  func ascends(_ index: IndexDescriptor, after equal: Int) -> Bool {
    if !index.kind.facts.isOrdered { return statistics.idOrder(index.type) == .rows }
    return statistics.ascends(index.type, index.columns[equal])
  }

  /// Estimates the rows of a walk that agree with one of them in the first terms of the order.
  func tiedRows(_ path: AccessPath, _ set: BoundSet, prefix: Int) -> Double {
    // Few texts have the same score, but for the shortest.
    if case .textSearch = path { return DefaultSelectivity.limit }
    var rows = rowCount(set.type)
    for term in set.order.prefix(prefix) {
      guard case .column(.scope(0, _), let column) = term.expression.kind else { continue }
      rows = min(rows, tiedRows(set.type, column))
    }
    return rows
  }

  /// Units for a cell of each of so many rows that are walked.
  func walkedCell(_ path: AccessPath, _ rows: Double, among all: Double, _ costs: CostModel) -> Double {
    if case .range(let id, let range) = path, range.equal.count < catalog[id].columns.count,
      ascends(catalog[id], after: range.equal.count)
    {
      return costs.nearCell * costs.ascendingShare
    }
    return costs.gatheredCell(of: rows, among: all) * costs.scatteredShare
  }

  /// Units for an entry of an index that is walked.
  func entry(_ path: AccessPath, isDescending: Bool, _ costs: CostModel) -> Double {
    guard isDescending, case .range(let id, _) = path, let first = catalog[id].columns.first,
      catalog[id].columns.count > 1, tiedRows(catalog[id].type, first) > 2,
      !statistics.ascends(catalog[id].type, first)
    else { return costs.walkEntry }
    return costs.walkEntry + costs.backwardCells * costs.gatheredCell(among: rowCount(catalog[id].type))
  }

  /// Units for reading what a row is put into order by. After a first column of fixed width the other terms are read for
  /// rows that tie only.
  func keyCost(_ set: BoundSet, cell: Double, _ costs: CostModel) -> Double {
    func isNarrow(_ term: BoundOrderTerm) -> Bool {
      guard let column = term.expression.elementColumn else { return false }
      switch catalog[set.type][column].kind {
      case .int64, .float64, .byte, .code: return true
      default: return false
      }
    }
    if let first = set.order.first {
      if isNarrow(first) { return cell }
      // Rows stand by their ids already.
      if let column = first.expression.elementColumn, column == catalog.idColumn(of: set.type),
        statistics.idOrder(set.type) == .rows
      {
        return costs.sequentialCell
      }
    }
    return set.order.reduce(0) { $0 + cell + (isNarrow($1) ? costs.sequentialCell : costs.wideKey) }
  }
}

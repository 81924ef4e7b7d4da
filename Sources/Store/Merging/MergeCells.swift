import GQLBase
import GQLCatalog

/// Computes cells by the rules of merging.
package enum MergeCells {
  /// Returns how two cells of a column compare; nil where its values have no order.
  package static func compare(_ left: Cell, _ right: Cell, _ column: ColumnDescriptor) -> Int? {
    KeyComponent(column).map { KeyOrder.compare($0.kind, left, right) }
  }

  /// Returns what was there with what both have added to it; null counts as nothing. Nil where there is no such number.
  package static func sum(base: Cell?, mine: Cell, theirs: Cell, _ kind: ColumnKind) -> Cell? {
    switch kind {
    case .int64:
      let (added, isBelow) = mine.int.subtractingReportingOverflow(base?.int ?? 0)
      let (sum, isAbove) = theirs.int.addingReportingOverflow(added)
      return isBelow || isAbove ? nil : Cell(sum)
    case .float64:
      let sum = theirs.double + (mine.double - (base?.double ?? 0))
      return sum.isFinite ? Cell(sum == 0 ? 0 : sum) : nil
    case .decimal:
      guard let added = mine.decimal.subtracting(base?.decimal ?? Decimal(0)) else { return nil }
      return theirs.decimal.adding(added).map { Cell($0) }
    default: return nil
    }
  }
}

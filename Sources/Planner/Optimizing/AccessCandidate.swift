import GQLBase
import GQLCatalog
import GQLQuery

/// A way to come by the rows of a type that may satisfy some of the conjuncts.
struct AccessCandidate {
  var path: AccessPath
  /// The positions of the conjuncts that every row given satisfies; these need no residual test.
  var covered: [Int]
  /// The positions of those that chose the rows and must be tested all the same.
  var offered: [Int] = []
  var rows: RowEstimate
  /// Units for one execution: finding the rows' ids.
  var cost: Double
  /// Units before the first execution: the row sets that it reads.
  var once: Double = 0
  var kind: Kind
  /// The index that breaks ties.
  var index: Int = 0
  /// Whether rows come in canonical order of themselves.
  var isAscending: Bool

  /// The conjuncts that it depends on.
  var used: [Int] { covered + offered }

  /// Ties go to the lower. `offered` is any index whose rows must be tested all the same.
  enum Kind: Int {
    case empty, uniqueLookup, lookup, lookupEach, range, textSearch, offered, intersection, union, rowSet,
      hashJoin
    case skip, orderedWalk, timeRange
    case scan
  }
}

/// A candidate with what follows it: the whole way to a set's members in order.
struct Alternative {
  var candidate: AccessCandidate
  var filter: BoundExpression?
  var order: OrderMethod
  var needsAscendingIDs = false
  var estimate: PlanEstimate
  /// Units for all executions.
  var total: Cost
  /// Units of one row that is looked at, where it hopes to find enough rows before it has looked at all; else nil.
  var costOfEarlyRow: Double?
  /// The rows that it passes over before, page by page, at next to no cost.
  var passedOver = 0.0
  /// The share of the cost of the plan to retreat to that may be spent before: less where the values that the plan is
  /// made for come late, and others may come early.
  var retreatShare = 1.0
}

extension Alternative {
  /// A total order: clearly cheaper first, then by kind, index and order method.
  static func precedes(_ left: Alternative, _ right: Alternative) -> Bool {
    if left.total.isClearlyLess(than: right.total) { return true }
    if right.total.isClearlyLess(than: left.total) { return false }
    if left.candidate.kind != right.candidate.kind {
      return left.candidate.kind.rawValue < right.candidate.kind.rawValue
    }
    return left.candidate.index < right.candidate.index
  }
}

extension CostModel {
  /// Units for putting the rows of an access into canonical order, by sorting or through a bitmap of the type.
  func ascending(_ candidate: AccessCandidate, _ all: Double) -> Double {
    let rows = candidate.rows.rows
    if candidate.isAscending || rows <= 1 { return 0 }
    return min(rows * logarithm(rows) * rowSortStep, rows * rowSortStep + all / 80)
  }
}

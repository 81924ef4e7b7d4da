import GQLBase
import GQLCatalog
import GQLQuery

extension PhysicalPlan {
  /// How many rows one execution of the set gives at most, as far as schema and query tell.
  package func rowBounds(of id: SetID, catalog: Catalog) -> RowBounds {
    let set = query[id]
    var upper: Int?
    func atMost(_ count: Int) { upper = min(upper ?? count, count) }
    if case .int(let limit)? = set.limit?.constant { atMost(Int(clamping: max(0, limit))) }
    switch set.source {
    case .key: atMost(1)
    case .relation(_, let relation): if !catalog[relation].isToMany { atMost(1) }
    case .all, .step, .linked, .routes, .branches, .union, .items, .closure, .shortestPath, .given, .deleted: break
    }
    switch self[id].access {
    case .lookup(let index, _): if catalog[index].isUnique { atMost(1) }
    case .range(let index, let range):
      if catalog[index].isUnique, range.equal.count == catalog[index].columns.count { atMost(1) }
    case .empty: atMost(0)
    case .fullText, .trigram: break
    case .source, .scan, .lookupEach, .intersection, .union, .rowSet, .hashJoin, .timeRange: break
    }
    return RowBounds(upper: upper)
  }
}

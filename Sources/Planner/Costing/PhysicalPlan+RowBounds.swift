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
    case .members(.last, _): atMost(1)
    case .all, .step, .linked, .routes, .branches, .union, .items, .closure, .shortestPath, .given, .deleted, .keys,
      .members, .each, .host:
      break
    }
    let access = self[id].access
    if access == .empty { atMost(0) } else if access.findsOne(catalog) { atMost(1) }
    return RowBounds(upper: upper)
  }
}

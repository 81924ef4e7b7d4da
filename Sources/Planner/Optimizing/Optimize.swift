import GQLBase
import GQLCatalog

/// Chooses how each set of the query is found. Total: every query has a plan.
package func optimize(
  _ query: BoundQuery, catalog: Catalog, statistics: any Statistics, parameters: [Value?]? = nil,
  sampler: (any SelectivitySampler)? = nil, options: PlannerOptions = .init()
) -> Analyzed<PhysicalPlan> {
  let sets = query.sets.map { set -> SetPlan in
    let order: OrderMethod =
      set.order.isEmpty ? .natural : set.limit != nil && set.distinctOn.isEmpty ? .topN : .sort
    guard case .all = set.source else {
      return SetPlan(access: .source, filter: set.predicate, order: order)
    }
    let primary = catalog[catalog[set.type].primaryIndex]
    if options.forcing != .scanOnly, primary.columns.count == 1,
      case .compare(.equal, let left, let right)? = set.predicate?.kind,
      case .column(.scope(0, _), primary.columns[0]) = left.kind, case .constant(let key) = right.kind, !key.isNull
    {
      return SetPlan(access: .lookup(primary.id, [right]), filter: nil, order: order)
    }
    return SetPlan(access: .scan, filter: set.predicate, order: order)
  }
  return Analyzed(PhysicalPlan(query: query, sets: sets), [])
}

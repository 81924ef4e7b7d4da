import GQLCatalog
import GQLQuery

/// What the plan's choice depended on, under other parameters: parallel to `plan.watched`, rows or limits.
///
/// Where one of the figures is more than four times, or less than a quarter, of that for the parameters that the plan
/// was made for, planning again may pay. Costs an index probe a figure, for a list of keys up to 16.
package func accessEstimates(
  _ plan: PhysicalPlan, parameters: [Value?], statistics: any Statistics
) -> [Double] {
  let known = KnownValues(plan.query, parameters: parameters, statistics: statistics)
  return plan.watched.map { watched in
    switch watched {
    case .access(let path): return path.form.rows(known)
    case .rest(let path, let type): return max(0, Double(statistics.rowCount(type)) - path.form.rows(known))
    case .limit(let expression):
      if case .int(let number)? = known.value(expression) { return Double(max(0, number)) }
      return 0
    }
  }
}

import GQLCatalog
import GQLQuery
import GQLRegex

/// What the plan's choice depended on, under other parameters: parallel to `plan.watched`, rows or limits.
///
/// Where one of the figures is more than four times, or less than a quarter, of that for the parameters that the plan
/// was made for, planning again may pay. Costs an index probe a figure, for a list of keys up to 16.
package func accessEstimates(
  _ plan: PhysicalPlan, parameters: [Value?], statistics: any Statistics
) -> [Double] {
  func value(_ expression: BoundExpression) -> Value? {
    switch expression.kind {
    case .constant(let value): return value
    case .parameter(let index):
      guard parameters.indices.contains(index), plan.query.parameters.indices.contains(index) else { return nil }
      return parameters[index] ?? plan.query.parameters[index].defaultValue
    default: return nil
    }
  }
  func rows(_ index: IndexID, _ range: KeyRange) -> Double { Double(statistics.cardinality(index, range) ?? 0) }
  func rows(_ path: AccessPath) -> Double {
    switch path {
    case .source, .scan, .rowSet, .empty, .hashJoin, .timeRange: return 0
    case .lookup(let index, let keys):
      let values = keys.compactMap(value)
      return values.count == keys.count ? rows(index, KeyRange(equal: values)) : 0
    case .lookupEach(let index, let keys):
      var total = 0.0
      for key in keys {
        switch value(key) {
        case .list(let elements)?:
          // Evenly spread samples of a long list stand for the others.
          let step = max(1, (elements.count + 15) / 16)
          var sampled = 0.0
          for place in stride(from: 0, to: elements.count, by: step) {
            sampled += rows(index, KeyRange(equal: [elements[place]]))
          }
          total += sampled * Double(step)
        case .some(let single) where !single.isNull: total += rows(index, KeyRange(equal: [single]))
        default: break
        }
      }
      return total
    case .range(let index, let range):
      var known = KeyRange()
      for key in range.equal {
        guard let value = value(key), !value.isNull else { return 0 }
        known.equal.append(value)
      }
      for (bound, isLower) in [(range.lower, true), (range.upper, false)] {
        guard let bound else { continue }
        guard let value = value(bound.value), !value.isNull else { return 0 }
        let end = KeyRange.Bound(value, isInclusive: bound.isInclusive)
        if isLower { known.lower = end } else { known.upper = end }
      }
      if let prefix = range.prefix {
        guard let value = value(prefix), !value.isNull else { return 0 }
        known.prefix = value
      }
      return rows(index, known)
    case .textSearch(let index, let columns, let query):
      guard case .string(let text)? = value(query) else { return 0 }
      return Double(statistics.matchCount(index, columns, text) ?? 0)
    case .trigramCandidates(let index, let column, let condition, let pattern):
      guard case .string(let text)? = value(pattern) else { return 0 }
      guard let query = TextRequirement(condition, text.bytes).trigrams else { return .infinity }
      return Double(statistics.trigramCount(index, column, query) ?? 0)
    case .intersection(let paths): return paths.reduce(.infinity) { min($0, rows($1)) }
    case .union(let paths): return paths.reduce(0) { $0 + rows($1) }
    }
  }
  return plan.watched.map { watched in
    switch watched {
    case .access(let path): return rows(path)
    case .rest(let path, let type): return max(0, Double(statistics.rowCount(type)) - rows(path))
    case .limit(let expression):
      if case .int(let number)? = value(expression) { return Double(max(0, number)) }
      return 0
    }
  }
}

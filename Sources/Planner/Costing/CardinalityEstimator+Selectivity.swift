import GQLBase
import GQLCatalog
import GQLQuery

extension CardinalityEstimator {
  /// Parts of a long `and` or `or` that are estimated.
  private static let lookedParts = 256

  /// The share of `type`'s entities (scope 0) for which the condition is true.
  func selectivity(
    _ condition: BoundExpression, type: EntityTypeID, in query: BoundQuery, mayTrySampler: Bool = true
  ) -> Double {
    let all = rowCount(type)
    guard all > 0 else { return 1 }
    if mayTrySampler, let sampled = sampled(condition, type: type, in: query) { return sampled }
    func share(_ rows: Double) -> Double { min(1, max(0, rows / all)) }
    switch condition.kind {
    case .constant(let value): return value == .boolean(true) ? 1 : 0
    case .and(let parts):
      let looked = parts.prefix(Self.lookedParts)
      return Self.conjunction(looked.map { selectivity($0, type: type, in: query, mayTrySampler: false) })
    case .or(let parts):
      guard parts.count > Self.lookedParts else {
        return 1 - parts.reduce(1) { $0 * (1 - selectivity($1, type: type, in: query, mayTrySampler: false)) }
      }
      // Evenly spread ones stand for the others.
      let places = (0..<Self.lookedParts).map { $0 * parts.count / Self.lookedParts }
      let sum = places.reduce(0) { $0 + selectivity(parts[$1], type: type, in: query, mayTrySampler: false) }
      return min(1, sum * Double(parts.count) / Double(Self.lookedParts))
    case .not(let inner): return 1 - selectivity(inner, type: type, in: query, mayTrySampler: false)
    case .isTrue(let inner): return selectivity(inner, type: type, in: query, mayTrySampler: false)
    case .isNull(let operand):
      guard case .column(.scope(0, _), let column) = operand.kind else { return DefaultSelectivity.equality }
      return share(Double(statistics.nullCount(type, column)))
    case .column: return DefaultSelectivity.boolean
    case .compare(let comparison, let left, let right):
      return compared(comparison, left, right, type: type, all: all)
    case .inValues(let subject, let values):
      return min(1, Double(values.count) * equality(subject, nil, type: type, all: all))
    case .inList(let subject, let list):
      var count = DefaultSelectivity.listCount
      if case .list(let elements)? = value(of: list) { count = Double(elements.count) }
      return min(1, count * equality(subject, nil, type: type, all: all))
    case .inRange(let subject, let lower, let upper, let includesUpper):
      let range = IndexRange(
        lower: lower.map { .init($0, isInclusive: true) }, upper: upper.map { .init($0, isInclusive: includesUpper) })
      return counted(subject, range, type: type, all: all) ?? DefaultSelectivity.range
    case .textTest(.startsWith, let subject, let text):
      return counted(subject, IndexRange(prefix: text), type: type, all: all) ?? DefaultSelectivity.prefix
    case .textTest, .like, .regex, .listContains: return DefaultSelectivity.textSearch
    case .matches(_, let words, let source):
      guard source.type == type, let index = source.index,
        let rows = matchCount(index, source.columns, words)
      else { return DefaultSelectivity.matches }
      return share(rows)
    case .score, .highlight: return DefaultSelectivity.other
    case .quantifier(let quantifier, let set, let body):
      let some = existence(set, body, in: query)
      switch quantifier {
      case .some, .exists: return some
      case .none: return 1 - some
      case .every, .one: return DefaultSelectivity.other
      }
    case .parameter, .entity, .arithmetic, .negate, .convert, .cast, .coalesce, .conditional, .fold, .jsonPath,
      .element, .call, .invoke, .jsonList, .jsonObject, .aggregate, .inRowSet, .isDeleted, .isInserted, .host,
      .listCall, .item, .join, .groupAggregate:
      return DefaultSelectivity.other
    }
  }

  /// Rows that a full-text index finds, if the query is known.
  func matchCount(_ index: IndexID, _ columns: [ColumnID], _ query: BoundExpression) -> Double? {
    guard let known = value(of: query) else { return nil }
    guard case .string(let text) = known else { return 0 }
    return statistics.matchCount(index, columns, text).map { Double($0) }
  }

  /// A sample's answer. None of a few hundred does not mean none at all: then the guesses are asked.
  private func sampled(_ condition: BoundExpression, type: EntityTypeID, in query: BoundQuery) -> Double? {
    guard let sampler, canSample(condition, in: query) else { return nil }
    guard let share = sampler.selectivity(of: condition, type: type, parameters: parameters ?? []), share > 0 else {
      return nil
    }
    return min(1, share)
  }

  /// Indicates whether a condition is about the element alone, with values that are known.
  func canSample(_ condition: BoundExpression, in query: BoundQuery) -> Bool {
    guard query.freeScopes(of: condition).isSubset(of: .element) else { return false }
    if parameters != nil { return true }
    var needsParameters = false
    condition.forEachNode { node in if case .parameter = node.kind { needsParameters = true } }
    return !needsParameters
  }

  private func compared(
    _ comparison: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression, type: EntityTypeID,
    all: Double
  ) -> Double {
    var subject = left
    var other = right
    var comparison = comparison
    if left.isConstantOrParameter {
      swap(&subject, &other)
      comparison = comparison.swapped
    }
    switch comparison {
    case .equal: return equality(subject, other, type: type, all: all)
    case .notEqual: return 1 - equality(subject, other, type: type, all: all)
    case .less, .lessOrEqual:
      let range = IndexRange(upper: .init(other, isInclusive: comparison == .lessOrEqual))
      return counted(subject, range, type: type, all: all) ?? DefaultSelectivity.inequality
    case .greater, .greaterOrEqual:
      let range = IndexRange(lower: .init(other, isInclusive: comparison == .greaterOrEqual))
      return counted(subject, range, type: type, all: all) ?? DefaultSelectivity.inequality
    }
  }

  private func equality(_ subject: BoundExpression, _ key: BoundExpression?, type: EntityTypeID, all: Double) -> Double
  {
    guard case .column(let reference, let column) = subject.kind else {
      if case .entity = subject.kind { return 1 / all }
      return DefaultSelectivity.equality
    }
    switch reference {
    case .scope(0, _):
      if let key, let share = counted(subject, IndexRange(equal: [key]), type: type, all: all) { return share }
      return equalityRows(type, column) / all
    case .scope, .firstOf: return DefaultSelectivity.equality
    case .toOne(_, let relation):
      // Each target is as likely as another.
      let target = catalog[relation].target
      let targets = rowCount(target)
      return targets > 0 ? equalityRows(target, column) / targets : 0
    }
  }

  /// The exact share, where the subject is a column that leads an index and the bounds are known.
  private func counted(_ subject: BoundExpression, _ range: IndexRange, type: EntityTypeID, all: Double) -> Double? {
    guard case .column(let reference, let column) = subject.kind else { return nil }
    var owner = type
    var rows = all
    if case .toOne(_, let relation) = reference {
      owner = catalog[relation].target
      rows = rowCount(owner)
    } else if reference.scope != 0 {
      return nil
    }
    guard rows > 0, let bounds = keyRange(range) else { return nil }
    for id in catalog[owner].indexes where catalog[id].columns.first == column {
      let index = catalog[id]
      let facts = index.kind.facts
      guard facts.hasKeys else { continue }
      if !facts.isOrdered, !catalog.isOfIDs(index), index.columns.count > 1 || bounds.equal.count != 1 { continue }
      if let count = statistics.cardinality(id, bounds) { return min(1, Double(count) / rows) }
    }
    return nil
  }

  /// The chance that a set has a member for which the body is true.
  private func existence(_ id: SetID, _ body: BoundExpression?, in query: BoundQuery) -> Double {
    let set = query[id]
    let conditions = [set.predicate, body].compactMap { $0 }
    let share = Self.conjunction(
      conditions.map { selectivity($0, type: set.type, in: query, mayTrySampler: false) })
    guard case .relation(_, let relation) = set.source else {
      return conditions.isEmpty ? 1 : min(1, share * rowCount(set.type))
    }
    let sources = max(1, rowCount(catalog[relation].source))
    let fanOut = statistics.fanOut(relation)
    let nonEmpty = min(1, Double(fanOut.nonEmpty) / sources)
    if conditions.isEmpty { return nonEmpty }
    // 1 - (1 - s)^n is about n·s, and never more than the sources that have targets.
    return min(nonEmpty, fanOut.mean * share)
  }
}

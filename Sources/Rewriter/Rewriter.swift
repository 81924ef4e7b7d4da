import GQLBase
import GQLCatalog
import GQLQuery

/// Brings a query's expressions into the forms that the rest of the planner knows.
package struct Rewriter {
  var query: BoundQuery
  let disabled: Set<RewriteRule>
  /// The query as it was: sets are counted in it.
  private let original: BoundQuery
  /// How often each of its sets is referred to; counted when first asked for.
  private var referenceCounts: [Int]?
  /// What may end rewriting before its end; what it gives then is not to be used, and the planner, which looks at the
  /// time next, reports it.
  private let interruption: Interruption?
  private var steps = 0
  private var isDue = false

  init(_ query: BoundQuery, disabled: Set<RewriteRule>, _ interruption: Interruption? = nil) {
    self.interruption = interruption
    self.query = query
    self.disabled = disabled
    original = query
  }

  func isOn(_ rule: RewriteRule) -> Bool { disabled.isEmpty || !disabled.contains(rule) }

  /// The query with each of its expressions rewritten by the rules that are on; its answer is the same.
  package static func rewrite(
    _ query: BoundQuery, disabled: Set<RewriteRule>, _ interruption: Interruption? = nil
  ) -> BoundQuery {
    // Most short queries, by key for instance, hold nothing that any rule knows.
    guard query.hasOperators else { return query }
    var rewriter = Rewriter(query, disabled: disabled, interruption)
    rewriter.rewriteAll()
    return rewriter.query
  }

  private mutating func rewriteAll() {
    for index in query.sets.indices {
      if let predicate = query.sets[index].predicate { query.sets[index].predicate = self.predicate(predicate) }
      for term in query.sets[index].order.indices {
        query.sets[index].order[term].expression = value(query.sets[index].order[term].expression)
      }
      query.sets[index].distinctOn = query.sets[index].distinctOn.map { value($0) }
      query.sets[index].limit = query.sets[index].limit.map { value($0) }
      query.sets[index].offset = query.sets[index].offset.map { value($0) }
    }
    query.fields = query.fields.map { field($0) }
    for index in query.selections.indices {
      switch query.selections[index].shape {
      case .object(let fields): query.selections[index].shape = .object(fields.map { field($0) })
      case .value(let expression): query.selections[index].shape = .value(value(expression))
      case .groups(var grouping):
        var rewriter = self
        grouping.mapExpressions(condition: { rewriter.condition($0) }, value: { rewriter.value($0) })
        self = rewriter
        grouping.fields = grouping.fields.map { field($0) }
        query.selections[index].shape = .groups(grouping)
      }
    }
  }

  private mutating func field(_ field: BoundField) -> BoundField {
    var copy = field
    copy.condition = field.condition.map { condition($0) }
    switch field.content {
    case .typename, .one, .many, .recursion, .depth, .cycle, .cursor: break
    case .introspection(var bound):
      bound.inputs = bound.inputs.map { value($0) }
      copy.content = .introspection(bound)
    case .value(let expression): copy.content = .value(value(expression))
    case .embedded(let presence, let fields):
      copy.content = .embedded(presence: presence, fields.map { self.field($0) })
    case .inlined(let condition, let fields):
      copy.content = .inlined(when: self.condition(condition), fields.map { self.field($0) })
    }
    return copy
  }

  /// Rewrites where the very value counts.
  mutating func value(_ expression: BoundExpression) -> BoundExpression { rewrite(expression, isCondition: false) }

  /// Rewrites where only truth counts: null is as good as false.
  mutating func condition(_ expression: BoundExpression) -> BoundExpression { rewrite(expression, isCondition: true) }

  /// Rewrites a set's condition; one that always holds is none.
  private mutating func predicate(_ expression: BoundExpression) -> BoundExpression? {
    let rewritten = condition(expression)
    return isOn(.foldConstants) && rewritten.constant == .boolean(true) ? nil : rewritten
  }

  private mutating func rewrite(_ expression: BoundExpression, isCondition: Bool) -> BoundExpression {
    steps &+= 1
    if steps & 0xFFF == 0, let interruption {
      interruption.take(0x1000 * BoundExpression.bytesOfNode)
      isDue = isDue || interruption.isDue
    }
    if isDue { return expression }
    switch expression.kind {
    case _ where expression.isLeaf: return expression
    case .and(let parts):
      return conjunction(parts.map { rewrite($0, isCondition: isCondition) }, expression, isCondition: isCondition)
    case .or(let parts):
      return disjunction(parts.map { rewrite($0, isCondition: isCondition) }, expression, isCondition: isCondition)
    case .isTrue(let inner):
      let inner = condition(inner)
      if isOn(.flatten), isCondition || neverNull(inner) { return inner }
      return BoundExpression(.isTrue(inner), .boolean, at: expression.range)
    case .not(let inner):
      return negation(inner, expression, isCondition: isCondition)
    case .quantifier(let quantifier, let set, let body):
      return self.quantifier(quantifier, set, body.map { condition($0) }, expression)
    case .aggregate(let aggregate, let set, let body):
      var copy = expression
      copy.kind = .aggregate(aggregate, set, body.map { value($0) })
      return copy
    case .listCall(let operation, let list, let item, let body):
      var copy = expression
      var inner = body
      if case .quantifier = operation { inner = body.map { condition($0) } } else { inner = body.map { value($0) } }
      copy.kind = .listCall(operation, value(list), item: item, inner)
      return copy
    case .compare(let comparison, let left, let right):
      var copy = expression
      copy.kind = .compare(comparison, value(left), value(right))
      if isOn(.countToExists), let exists = countTest(copy) { return exists }
      return isOn(.foldConstants) ? query.folded(copy) : copy
    default:
      var rewriter = self
      let copy = expression.mapOperands { rewriter.value($0) }
      self = rewriter
      return isOn(.foldConstants) ? query.folded(copy) : copy
    }
  }

  // MARK: Connectives

  private mutating func conjunction(
    _ parts: [BoundExpression], _ original: BoundExpression, isCondition: Bool
  ) -> BoundExpression {
    if isDue { return original }
    var parts = parts
    if isOn(.flatten) {
      parts = parts.flatMap { part -> [BoundExpression] in
        if case .and(let inner) = part.kind { return inner }
        return [part]
      }
    }
    if isOn(.foldConstants) {
      parts.removeAll { $0.constant == .boolean(true) }
      // What stands behind a false is never evaluated.
      if let end = parts.firstIndex(where: { $0.constant == .boolean(false) || isCondition && $0.constant == .null }) {
        let before = parts[..<end]
        if !before.contains(where: { query.canFail($0) }) { return .truth(false, at: original.range) }
        parts.removeSubrange((end + 1)...)
      }
      if parts.isEmpty { return .truth(true, at: original.range) }
    }
    if isCondition, isOn(.mergeBounds) { parts = mergingBounds(parts) }
    if isOn(.flatten), parts.count == 1, let only = parts.first { return only }
    return BoundExpression(.and(parts), .boolean, at: original.range)
  }

  private mutating func disjunction(
    _ parts: [BoundExpression], _ original: BoundExpression, isCondition: Bool
  ) -> BoundExpression {
    if isDue { return original }
    var parts = parts
    if isOn(.flatten) {
      parts = parts.flatMap { part -> [BoundExpression] in
        if case .or(let inner) = part.kind { return inner }
        return [part]
      }
    }
    if isOn(.foldConstants) {
      parts.removeAll { $0.constant == .boolean(false) || isCondition && $0.constant == .null }
      if let end = parts.firstIndex(where: { $0.constant == .boolean(true) }) {
        if !parts[..<end].contains(where: { query.canFail($0) }) { return .truth(true, at: original.range) }
        parts.removeSubrange((end + 1)...)
      }
      if parts.isEmpty { return .truth(false, at: original.range) }
    }
    if isOn(.mergeEqualities) { parts = mergingEqualities(parts) }
    if isOn(.flatten), parts.count == 1, let only = parts.first { return only }
    return BoundExpression(.or(parts), .boolean, at: original.range)
  }

  private mutating func negation(
    _ inner: BoundExpression, _ original: BoundExpression, isCondition: Bool
  ) -> BoundExpression {
    guard isOn(.pushNot) else {
      return BoundExpression(.not(value(inner)), .boolean, at: original.range)
    }
    switch inner.kind {
    case .not(let twice): return rewrite(twice, isCondition: isCondition)
    case .and(let parts):
      return disjunction(
        parts.map { negation($0, $0, isCondition: isCondition) }, original, isCondition: isCondition)
    case .or(let parts):
      return conjunction(
        parts.map { negation($0, $0, isCondition: isCondition) }, original, isCondition: isCondition)
    case .compare(let comparison, let left, let right):
      if let opposite = comparison.opposite, comparison.isEquality || left.type != .json && right.type != .json {
        let flipped = BoundExpression(.compare(opposite, left, right), .boolean, at: inner.range)
        return rewrite(flipped, isCondition: isCondition)
      }
    default: break
    }
    // `not` of a null is null, of a false is true: the operand's very value counts.
    let rewritten = value(inner)
    if case .not(let twice) = rewritten.kind { return twice }
    if isOn(.foldConstants), let constant = rewritten.constant {
      switch constant {
      case .boolean(let truth): return .truth(!truth, at: original.range)
      case .null: return BoundExpression(.constant(.null), .boolean, at: original.range)
      default: break
      }
    }
    return BoundExpression(.not(rewritten), .boolean, at: original.range)
  }

  // MARK: Sets

  /// `some(s, p)` is `exists(s(where: p))`, `none(s, p)` its negation, `every(s, p)` that of `exists(s(where: p is not
  /// true))`. Not where the set is limited, because the limit comes before the predicate, and not where another place
  /// refers to the set too: where the test compares the members with what is around, it is that of a set of these then.
  private mutating func quantifier(
    _ quantifier: Quantifier, _ id: SetID, _ body: BoundExpression?, _ original: BoundExpression
  ) -> BoundExpression {
    var copy = original
    copy.kind = .quantifier(quantifier, id, body)
    guard isOn(.pushQuantifier) else { return copy }
    let set = query[id]
    let exists = BoundExpression(.quantifier(.exists, id, nil), .boolean, at: original.range)
    switch quantifier {
    case .exists where body == nil, .one: return copy
    case .some where body == nil: return exists
    case .none where body == nil: return exists.negated()
    case .exists, .some, .none, .every: break
    }
    guard let body else { return copy }
    // A set whose own condition fails is an error, whatever is asked about it; the quantifier's is one only where no
    // member decides.
    let isSound = set.predicate.map { !query.canFail($0) } ?? true
    guard set.limit == nil, set.offset == nil, set.distinctOn.isEmpty, isSound, isReferredToOnce(id) else {
      guard quantifier != .every, isJoin(body), query.freeScopes(of: id).isEmpty else { return copy }
      let members = SetID(query.sets.count)
      query.sets.append(BoundSet(type: set.type, source: .union([id]), predicate: body, range: set.range))
      let exists = BoundExpression(.quantifier(.exists, members, nil), .boolean, at: original.range)
      return quantifier == .none ? exists.negated() : exists
    }
    let tested: BoundExpression
    if quantifier == .every {
      tested = neverNull(body) ? value(body.negated()) : isTrue(body).negated()
    } else {
      tested = body
    }
    query[id].predicate = predicate(.conjunction([set.predicate, tested].compactMap { $0 }) ?? tested)
    return quantifier == .some || quantifier == .exists ? exists : exists.negated()
  }

  /// Returns whether one place refers to a set; those that were added have one.
  private mutating func isReferredToOnce(_ id: SetID) -> Bool {
    let counts = referenceCounts ?? original.setReferenceCounts()
    referenceCounts = counts
    return id.index >= counts.count || counts[id.index] <= 1
  }

  /// Whether the test asks for an equality between the element and what is around its set, for which a table is made.
  private func isJoin(_ body: BoundExpression) -> Bool {
    !query.canFail(body)
      && body.conjuncts.contains { part in
        guard case .compare(.equal, let left, let right) = part.kind else { return false }
        let scopes = [query.freeScopes(of: left), query.freeScopes(of: right)]
        return scopes.contains(.element) && scopes.contains { !$0.isEmpty && !$0.contains(depth: 0) }
      }
  }

  private func isTrue(_ expression: BoundExpression) -> BoundExpression {
    BoundExpression(.isTrue(expression), .boolean, at: expression.range)
  }

  private func countTest(_ expression: BoundExpression) -> BoundExpression? {
    guard case .compare(var comparison, var left, var right) = expression.kind else { return nil }
    if left.constant != nil {
      swap(&left, &right)
      comparison = comparison.swapped
    }
    guard case .aggregate(.count, let set, nil) = left.kind, case .int(let number)? = right.constant else { return nil }
    // Counting looks at all members.
    if let predicate = query[set].predicate, query.canFail(predicate) { return nil }
    let exists = BoundExpression(.quantifier(.exists, set, nil), .boolean, at: expression.range)
    switch (comparison, number) {
    case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0): return exists
    case (.equal, 0), (.less, 1), (.lessOrEqual, 0): return exists.negated()
    default: return nil
    }
  }
}

extension ComparisonOperator {
  var isEquality: Bool { self == .equal || self == .notEqual }

  /// The operator that is true where this one is false and null where it is null.
  package var opposite: ComparisonOperator? {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }
}

extension BoundQuery {
  /// Whether any expression is more than a constant, a parameter, a column or an entity.
  fileprivate var hasOperators: Bool {
    for place in sets.indices {
      if let predicate = sets[place].predicate, !predicate.isLeaf { return true }
      if sets[place].outerExpressions.contains(where: { !$0.isLeaf }) { return true }
      if sets[place].order.contains(where: { !$0.expression.isLeaf }) { return true }
      if sets[place].distinctOn.contains(where: { !$0.isLeaf }) { return true }
    }
    var found = false
    forEachFieldExpression { if !$0.isLeaf { found = true } }
    return found
  }
}

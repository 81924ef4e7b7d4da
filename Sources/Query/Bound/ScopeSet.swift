import GQLBase
import GQLCatalog

/// Which enclosing scopes an expression reads: bit n for the element n scopes out; the last bit stands for all further.
package struct ScopeSet: Sendable, Hashable {
  var bits: UInt64 = 0
  /// How many scopes there are up to the farthest that is read.
  package private(set) var count = 0
  private static let farthest = 63

  /// No scope: what depends on no entity.
  package static let none = ScopeSet()
  /// The innermost scope alone.
  package static let element = ScopeSet(depth: 0)

  init() {}
  /// One scope, by how far out it is.
  package init(depth: Int) {
    bits = 1 << UInt64(max(0, min(depth, Self.farthest)))
    count = max(0, depth) + 1
  }

  /// Whether no scope is read.
  package var isEmpty: Bool { bits == 0 }
  /// Whether the element so far out is read.
  package func contains(depth: Int) -> Bool { bits & ScopeSet(depth: depth).bits != 0 }
  /// Whether the other one has all of these.
  package func isSubset(of other: ScopeSet) -> Bool { bits & ~other.bits == 0 }

  mutating func formUnion(_ other: ScopeSet) {
    bits |= other.bits
    count = max(count, other.count)
  }

  /// What remains for the one who stands outside of the innermost scope.
  ///
  /// The farthest bit stays, because it may stand for a scope beyond it.
  var outside: ScopeSet {
    var result = ScopeSet()
    result.bits = bits >> 1 | bits & 1 << UInt64(Self.farthest)
    result.count = max(0, count - 1)
    return result
  }
}

extension BoundQuery {
  /// The scopes that the expression reads, through the sets in it too.
  package func freeScopes(of expression: BoundExpression) -> ScopeSet {
    var scopes = ScopeSet.none
    if let reference = expression.ownReference { scopes.formUnion(ScopeSet(depth: reference.scope)) }
    if expression.isLeaf { return scopes }
    expression.forEachOperand { scopes.formUnion(freeScopes(of: $0)) }
    if let call = expression.setCall { scopes.formUnion(freeScopes(of: call.set)) }
    if let body = expression.innerBody { scopes.formUnion(freeScopes(of: body).outside) }
    return scopes
  }

  /// The scopes around the set that it reads.
  package func freeScopes(of id: SetID) -> ScopeSet {
    // No copy of the set: this is asked of each, and more than once.
    let place = id.index
    var inner = ScopeSet.none
    if let predicate = sets[place].predicate { inner.formUnion(freeScopes(of: predicate)) }
    for term in sets[place].order { inner.formUnion(freeScopes(of: term.expression)) }
    for key in sets[place].distinctOn { inner.formUnion(freeScopes(of: key)) }
    var scopes = inner.outside
    switch sets[place].source {
    case .all, .deleted, .given, .host: break
    case .keys(_, let list): scopes.formUnion(freeScopes(of: list))
    case .key(_, let keys): for key in keys { scopes.formUnion(freeScopes(of: key)) }
    case .relation(let reference, _): scopes.formUnion(ScopeSet(depth: reference.scope))
    case .items(let reference, _): scopes.formUnion(ScopeSet(depth: reference.scope))
    case .step(let base, _), .linked(let base, _), .routes(let base, _, _): scopes.formUnion(freeScopes(of: base))
    case .branches(let branches):
      for branch in branches { scopes.formUnion(ScopeSet(depth: branch.reference.scope)) }
    case .union(let sets), .members(_, let sets): for base in sets { scopes.formUnion(freeScopes(of: base)) }
    case .each(let base, let list):
      scopes.formUnion(freeScopes(of: base))
      scopes.formUnion(freeScopes(of: list).outside)
    case .closure(let closure):
      scopes.formUnion(freeScopes(of: closure.start))
      // The entity that a step is taken from is the walk's own.
      scopes.formUnion(freeScopes(of: closure.step).outside)
    case .shortestPath(let path):
      scopes.formUnion(freeScopes(of: path.start))
      scopes.formUnion(freeScopes(of: path.target))
      scopes.formUnion(freeScopes(of: path.step).outside)
    }
    for expression in sets[place].outerExpressions { scopes.formUnion(freeScopes(of: expression)) }
    return scopes
  }

  private func freeScopes(of end: TraversalEnd) -> ScopeSet {
    switch end {
    case .entity(let reference): ScopeSet(depth: reference.scope)
    case .set(let set): freeScopes(of: set)
    }
  }

  /// Returns whether an expression, or a set in it, calls a function that is asked for each row anew.
  package func callsUndetermined(_ expression: BoundExpression) -> Bool {
    var calls = false
    expression.forEachNode { node in
      if case .invoke(let function, _) = node.kind, !function.isDeterministic { calls = true }
      if let set = node.setCall?.set { calls = calls || callsUndetermined(set) }
    }
    return calls
  }

  private func callsUndetermined(_ id: SetID) -> Bool {
    self[id].expressions.contains { callsUndetermined($0) } || self[id].source.sets.contains { callsUndetermined($0) }
  }

  /// Returns whether a call over a set says the same of every element, and is computed once for a run therefore.
  package func isComputedOnce(_ call: BoundExpression) -> Bool {
    freeScopes(of: call).isEmpty && !callsUndetermined(call) && ColumnKind(call.type).isWhole
  }

  /// Whether evaluation may end in a run-time error. What can fail keeps its place among the conjuncts, and nothing
  /// behind it is decided earlier; saying `true` too often costs speed only.
  package func canFail(_ expression: BoundExpression) -> Bool {
    switch expression.kind {
    case .constant, .parameter, .column, .entity, .inRowSet, .isDeleted, .isInserted, .item: return false
    case .arithmetic(_, let left, let right) where isNow(left) && isSpan(right): return false
    case .arithmetic(let operation, let left, _):
      if operation != .add || left.type.scalar?.isTextual != true { return true }
    case .negate(let operand):
      if operand.type == .int || operand.type.scalar == .duration { return true }
    case .cast, .regex: return true
    // One that a document writes was checked with it.
    case .like(_, let pattern, _):
      if pattern.constant == nil { return true }
    case .convert(let operand):
      if !isTotalConversion(from: operand.type, to: expression.type) { return true }
    // What fails inside is null; what else may end the run ends any run.
    case .call(.try, _): return false
    case .call(let function, let arguments):
      if function.canFail(arguments) { return true }
    case .invoke, .host: return true
    case .aggregate(.sum, _, _), .aggregate(.avg, _, _), .groupAggregate: return true
    case .not, .and, .or, .isTrue, .isNull, .compare, .inValues, .inList, .inRange, .textTest, .listContains, .coalesce,
      .conditional, .fold, .jsonPath, .element, .jsonList, .jsonObject, .quantifier, .aggregate, .join:
      break
    case .matches, .score, .highlight: break
    case .listCall(let operation, _, _, _):
      if operation == .aggregate(.sum) || operation == .aggregate(.avg) { return true }
    }
    if let call = expression.setCall, canFail(call.set) { return true }
    if let body = expression.innerBody, canFail(body) { return true }
    var found = false
    // Not the method itself: that would copy the query.
    expression.forEachOperand { found = found || canFail($0) }
    return found
  }

  private func isNow(_ expression: BoundExpression) -> Bool {
    guard case .parameter(let index) = expression.kind, parameters.indices.contains(index) else { return false }
    return parameters[index].source == .now
  }

  /// A constant duration that leads from no instant of our times out of those that there are.
  private func isSpan(_ expression: BoundExpression) -> Bool {
    guard case .duration(let microseconds)? = expression.constant else { return false }
    return microseconds.magnitude < 1000 * 365 * 86_400_000_000
  }

  /// Whether it is a pattern, or has some among its alternatives, and nothing else in it can fail.
  package func failsOnlyInPatterns(_ expression: BoundExpression) -> Bool {
    switch expression.kind {
    case .regex(let subject, let pattern), .like(let subject, let pattern, _):
      !canFail(subject) && !canFail(pattern)
    case .or(let branches): branches.allSatisfy { !canFail($0) || failsOnlyInPatterns($0) }
    default: false
    }
  }

  /// Whether finding a set's members may be an error.
  package func canFail(_ id: SetID) -> Bool {
    let set = self[id]
    if set.isOneByKey || set.source.sets.contains(where: { canFail($0) }) { return true }
    // A negative limit, offset or depth is an error of its own, wherever it is not a constant; so is a bad cursor.
    if set.outerExpressions.contains(where: { $0.constant == nil }) || set.paging?.hasCursor ?? false { return true }
    if let predicate = set.predicate, canFail(predicate) { return true }
    return set.order.contains { canFail($0.expression) } || set.distinctOn.contains { canFail($0) }
  }

  private func isTotalConversion(from: ValueType, to: ValueType) -> Bool {
    if from == to || to == .json || to == .string { return true }
    if from == .scalar(.date) && to == .scalar(.dateTime) { return true }
    if from == .list(.int) && to == .list(.scalar(.id)) { return true }
    return from == .int && (to == .float || to == .decimal)
  }

  /// How often each set is referred to, by selections, set calls and steps.
  package func setReferenceCounts() -> [Int] {
    var counts = [Int](repeating: 0, count: sets.count)
    func count(_ expression: BoundExpression) {
      expression.forEachNode { node in if let call = node.setCall { counts[call.set.index] += 1 } }
    }
    for set in sets {
      for base in set.source.sets { counts[base.index] += 1 }
      for expression in set.expressions { count(expression) }
    }
    for selection in selections {
      counts[selection.set.index] += 1
      guard case .groups(let grouping) = selection.shape else { continue }
      for aggregate in grouping.aggregates { if let set = aggregate.set { counts[set.index] += 1 } }
    }
    forEachFieldExpression(count)
    return counts
  }

  /// Every expression that stands in a field, conditions included.
  package func forEachFieldExpression(_ visit: (BoundExpression) -> Void) {
    func walk(_ fields: [BoundField]) {
      // By their places, because each element of a loop is a copy.
      for place in fields.indices {
        if let condition = fields[place].condition { visit(condition) }
        switch fields[place].content {
        case .typename, .one, .many, .recursion, .depth, .cycle, .cursor: break
        case .introspection(let bound): bound.inputs.forEach(visit)
        case .value(let expression): visit(expression)
        case .embedded(let presence, let inner):
          visit(presence)
          walk(inner)
        case .inlined(let condition, let inner):
          visit(condition)
          walk(inner)
        }
      }
    }
    walk(fields)
    for place in selections.indices {
      switch selections[place].shape {
      case .object(let fields): walk(fields)
      case .value(let expression): visit(expression)
      case .groups(let grouping):
        for expression in grouping.expressions { visit(expression) }
        walk(grouping.fields)
      }
    }
  }
}

extension BoundSet {
  /// All expressions of the set, whichever scopes they see.
  package var expressions: [BoundExpression] { expressions(withPredicate: true) }

  /// All expressions of the set, or all but its predicate.
  package func expressions(withPredicate: Bool) -> [BoundExpression] {
    var result: [BoundExpression] = []
    if case .key(_, let keys) = source { result += keys }
    if case .keys(_, let list) = source { result.append(list) }
    if withPredicate, let predicate { result.append(predicate) }
    for term in order { result.append(term.expression) }
    if !distinctOn.isEmpty { result += distinctOn }
    appendOuterExpressions(to: &result)
    return result
  }

  /// Limit, offset, cursors and depths, which see what encloses the set from scope 0 on.
  package var outerExpressions: [BoundExpression] {
    var result: [BoundExpression] = []
    appendOuterExpressions(to: &result)
    return result
  }

  private func appendOuterExpressions(to result: inout [BoundExpression]) {
    if let limit { result.append(limit) }
    if let offset { result.append(offset) }
    if let paging {
      if let after = paging.after { result.append(after) }
      if let before = paging.before { result.append(before) }
    }
    switch source {
    case .all, .key, .relation, .step, .linked, .routes, .items, .branches, .union, .given, .deleted, .keys, .members,
      .each, .host:
      break
    case .closure(let closure):
      if let lower = closure.lower { result.append(lower) }
      if let upper = closure.upper { result.append(upper) }
    case .shortestPath(let path): if let depth = path.maximumDepth { result.append(depth) }
    }
  }
}

extension BoundSet.Source {
  /// The sets that it starts from, ends at or repeats.
  package var sets: [SetID] {
    var ends: [TraversalEnd] = []
    var result: [SetID] = []
    switch self {
    case .all, .key, .relation, .branches, .items, .given, .deleted, .keys, .host: break
    case .each(let base, let list): result = [base, list]
    case .step(let base, _), .linked(let base, _), .routes(let base, _, _): result.append(base)
    case .union(let sets), .members(_, let sets): result = sets
    case .closure(let closure):
      ends = [closure.start]
      result.append(closure.step)
    case .shortestPath(let path):
      ends = [path.start, path.target]
      result.append(path.step)
    }
    for case .set(let set) in ends { result.append(set) }
    return result
  }
}

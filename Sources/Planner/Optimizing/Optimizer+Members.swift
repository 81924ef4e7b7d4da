import GQLBase
import GQLCatalog
import GQLQuery

/// Conditions on the rows of an interface or union, found through the indexes of its members.
extension Optimizer {
  /// The rows for which the conjuncts hold, member by member: what is said of a row is said of the one entity that it
  /// mirrors, so each member's entities are found by themselves and followed back. Nil if nothing can be said so.
  mutating func memberCandidate(
    _ type: EntityTypeID, _ conjuncts: [(position: Int, expression: BoundExpression)]
  ) -> AccessCandidate? {
    guard catalog[type].isAbstract, options.forcing != .scanOnly else { return nil }
    let members = catalog[type].members
    var covered: [Int] = []
    var predicates = [[BoundExpression]](repeating: [], count: members.count)
    for (position, condition) in conjuncts {
      guard query.freeScopes(of: condition) == .element, !query.canFail(condition) else { continue }
      let views = members.map { MemberView(type: type, member: $0, query: query, catalog: catalog) }
      let parts = views.compactMap { $0.condition(condition) }
      guard parts.count == members.count else { continue }
      covered.append(position)
      for (index, part) in parts.enumerated() { predicates[index].append(part) }
    }
    guard !covered.isEmpty else { return nil }
    var drafts: [Int] = []
    for (member, parts) in zip(members, predicates) {
      if parts.contains(where: { $0.constant == .boolean(false) || $0.constant == .null }) { continue }
      let tested = parts.filter { $0.constant != .boolean(true) }
      guard let predicate = BoundExpression.conjunction(tested.isEmpty ? Array(parts.prefix(1)) : tested),
        let draft = draft(
          type: type, members: member.type, predicate: predicate, routes: [[catalog[member.relation].inverse]],
          range: predicate.range)
      else { return nil }
      drafts.append(draft)
    }
    let rows = drafts.reduce(0.0) { $0 + rowSets[$1].rows }
    let bitmaps = Double(drafts.count) * estimator.rowCount(type) / 64 * costs.bitmapWord
    let paths = drafts.map { AccessPath.rowSet($0) }
    return AccessCandidate(
      path: paths.isEmpty ? .empty : paths.count == 1 ? paths[0] : .union(paths), covered: covered,
      rows: RowEstimate(rows), cost: rows * costs.indexEntry + bitmaps,
      once: drafts.reduce(0.0) { $0 + rowSets[$1].cost }, kind: paths.count == 1 ? .rowSet : .union,
      isAscending: true)
  }
}

/// What a condition on a row of an interface or union says where the row mirrors an entity of one member.
private struct MemberView {
  var type: EntityTypeID
  var member: TypeLink
  var query: BoundQuery
  var catalog: Catalog

  /// Seen from the entity; nil if the condition looks at the row otherwise than through its members.
  func condition(_ condition: BoundExpression) -> BoundExpression? {
    var isPlain = true
    condition.forEachNode { node in
      if node.setCall != nil || node.innerBody != nil { isPlain = false }
      if let reference = node.ownReference, !isThroughMembers(reference) { isPlain = false }
    }
    return isPlain ? seen(condition) : nil
  }

  private func isThroughMembers(_ reference: EntityReference) -> Bool {
    switch reference {
    case .scope: false
    case .toOne(.scope(0, type), let relation): catalog[relation].isMirror && catalog[relation].source == type
    case .toOne(let base, _): isThroughMembers(base)
    case .firstOf(let references, _): !references.isEmpty && references.allSatisfy(isThroughMembers)
    }
  }

  /// Nil where it is missing, because the entity is of another member.
  private func seen(_ reference: EntityReference) -> EntityReference? {
    switch reference {
    case .scope: return reference
    case .toOne(.scope(0, type), let relation):
      return relation == member.relation ? .scope(0, member.type) : nil
    case .toOne(let base, let relation):
      guard let base = seen(base) else { return nil }
      // An entity that was seen as one of an interface is of its own type, and of no other.
      if case .toOne(let entity, let up) = base, catalog[up].isMirror, catalog[relation].isMirror,
        !catalog[catalog[up].source].isAbstract
      {
        return catalog[up].inverse == relation ? entity : nil
      }
      return .toOne(base, relation)
    case .firstOf(let references, let target):
      let found = references.compactMap(seen)
      return found.count > 1 ? .firstOf(found, target) : found.first
    }
  }

  private func seen(_ expression: BoundExpression) -> BoundExpression {
    func constant(_ value: Value) -> BoundExpression {
      BoundExpression(.constant(value), expression.type, at: expression.range)
    }
    if let reference = expression.ownReference {
      guard let own = seen(reference) else { return constant(.null) }
      return expression.mapReferences { _ in own }
    }
    let copy = expression.mapOperands(seen)
    switch copy.kind {
    case .isNull(let operand):
      // The entity itself is there.
      if case .entity(.scope) = operand.kind { return constant(.boolean(false)) }
    case .not(let operand):
      switch operand.constant {
      case .boolean(let truth)?: return constant(.boolean(!truth))
      case .null?: return constant(.null)
      default: break
      }
    case .coalesce(let operands):
      let rest = operands.filter { $0.constant != .null }
      if rest.isEmpty { return constant(.null) }
      return rest.count == 1 ? rest[0] : BoundExpression(.coalesce(rest), copy.type, at: copy.range)
    case .conditional(let operands): return chosen(operands, copy)
    case .and(let parts):
      if parts.contains(where: { $0.constant == .boolean(false) }) { return constant(.boolean(false)) }
      let rest = parts.filter { $0.constant != .boolean(true) }
      return rest.isEmpty ? constant(.boolean(true)) : BoundExpression(.and(rest), copy.type, at: copy.range)
    case .or(let parts):
      if parts.contains(where: { $0.constant == .boolean(true) }) { return constant(.boolean(true)) }
      let rest = parts.filter { $0.constant != .boolean(false) }
      return rest.isEmpty ? constant(.boolean(false)) : BoundExpression(.or(rest), copy.type, at: copy.range)
    default: break
    }
    return query.folded(copy)
  }

  /// `if(c, a, d, b, …)` without the conditions that are decided.
  private func chosen(_ operands: [BoundExpression], _ expression: BoundExpression) -> BoundExpression {
    var rest: [BoundExpression] = []
    var index = 0
    while index < operands.count {
      guard index + 1 < operands.count else {
        rest.append(operands[index])
        break
      }
      switch operands[index].constant {
      case .boolean(false)?, .null?: break
      case .boolean(true)?:
        rest.append(operands[index + 1])
        index = operands.count
      default: rest += operands[index...index + 1]
      }
      index += 2
    }
    switch rest.count {
    case 0: return BoundExpression(.constant(.null), expression.type, at: expression.range)
    case 1: return rest[0]
    default: return BoundExpression(.conditional(rest), expression.type, at: expression.range)
    }
  }
}

import GQLBase
import GQLCatalog

extension BoundExpression {
  /// The operands, in order of evaluation. Sets and their predicates are no operands; the body of a quantifier or
  /// aggregate, which stands one scope further in, is none either.
  package var operands: [BoundExpression] {
    var operands: [BoundExpression] = []
    forEachOperand { operands.append($0) }
    return operands
  }

  /// Indicates whether nothing stands in it: no operands, no body and no set.
  package var isLeaf: Bool {
    switch kind {
    case .constant, .parameter, .column, .entity, .inRowSet, .isDeleted, .isInserted, .host, .item, .groupAggregate:
      true
    default: false
    }
  }

  /// Calls `visit` with each of ``operands``, which takes no memory where they are few.
  package func forEachOperand(_ visit: (BoundExpression) -> Void) {
    switch kind {
    case .constant, .parameter, .column, .entity, .inRowSet, .isDeleted, .isInserted, .host, .quantifier, .aggregate,
      .item, .groupAggregate:
      break
    case .not(let e), .isTrue(let e), .isNull(let e), .negate(let e), .convert(let e), .cast(let e), .fold(let e):
      visit(e)
    case .compare(_, let l, let r), .inList(let l, let r), .textTest(_, let l, let r), .listContains(let l, let r),
      .regex(let l, let r), .like(let l, let r, _), .arithmetic(_, let l, let r), .jsonPath(let l, let r),
      .element(let l, let r):
      visit(l)
      visit(r)
    case .and(let es), .or(let es), .coalesce(let es), .conditional(let es), .call(_, let es), .jsonList(let es),
      .jsonObject(_, let es), .score(let es), .invoke(_, let es):
      for e in es { visit(e) }
    case .listCall(_, let list, _, _): visit(list)
    case .join(let list, let separator):
      visit(list)
      visit(separator)
    case .matches(let texts, let query, _):
      for text in texts { visit(text) }
      visit(query)
    case .highlight(let text, let open, let close, let es):
      visit(text)
      visit(open)
      visit(close)
      for e in es { visit(e) }
    case .inValues(let e, let es):
      visit(e)
      for e in es { visit(e) }
    case .inRange(let e, let lower, let upper, _):
      visit(e)
      if let lower { visit(lower) }
      if let upper { visit(upper) }
    }
  }

  /// The same operator over changed operands.
  package func mapOperands(_ change: (BoundExpression) -> BoundExpression) -> BoundExpression {
    var copy = self
    switch kind {
    case .constant, .parameter, .column, .entity, .inRowSet, .isDeleted, .isInserted, .host, .quantifier, .aggregate,
      .item, .groupAggregate:
      return self
    case .listCall(let o, let list, let item, let body): copy.kind = .listCall(o, change(list), item: item, body)
    case .join(let list, let separator): copy.kind = .join(change(list), separator: change(separator))
    case .not(let e): copy.kind = .not(change(e))
    case .isTrue(let e): copy.kind = .isTrue(change(e))
    case .isNull(let e): copy.kind = .isNull(change(e))
    case .negate(let e): copy.kind = .negate(change(e))
    case .convert(let e): copy.kind = .convert(change(e))
    case .cast(let e): copy.kind = .cast(change(e))
    case .fold(let e): copy.kind = .fold(change(e))
    case .and(let es): copy.kind = .and(es.map(change))
    case .or(let es): copy.kind = .or(es.map(change))
    case .coalesce(let es): copy.kind = .coalesce(es.map(change))
    case .conditional(let es): copy.kind = .conditional(es.map(change))
    case .jsonList(let es): copy.kind = .jsonList(es.map(change))
    case .compare(let o, let l, let r): copy.kind = .compare(o, change(l), change(r))
    case .inList(let l, let r): copy.kind = .inList(change(l), change(r))
    case .textTest(let t, let l, let r): copy.kind = .textTest(t, change(l), change(r))
    case .listContains(let l, let r): copy.kind = .listContains(change(l), change(r))
    case .regex(let l, let r): copy.kind = .regex(change(l), pattern: change(r))
    case .like(let l, let r, let i): copy.kind = .like(change(l), pattern: change(r), isCaseInsensitive: i)
    case .arithmetic(let o, let l, let r): copy.kind = .arithmetic(o, change(l), change(r))
    case .jsonPath(let l, let r): copy.kind = .jsonPath(change(l), change(r))
    case .element(let l, let r): copy.kind = .element(change(l), change(r))
    case .inValues(let e, let es): copy.kind = .inValues(change(e), es.map(change))
    case .inRange(let e, let lower, let upper, let includes):
      copy.kind = .inRange(change(e), lower: lower.map(change), upper: upper.map(change), includesUpper: includes)
    case .call(let f, let es): copy.kind = .call(f, es.map(change))
    case .invoke(let f, let es): copy.kind = .invoke(f, es.map(change))
    case .jsonObject(let names, let es): copy.kind = .jsonObject(names, es.map(change))
    case .matches(let texts, let query, let source):
      copy.kind = .matches(texts.map(change), query: change(query), source)
    case .score(let es): copy.kind = .score(es.map(change))
    case .highlight(let text, let open, let close, let es):
      copy.kind = .highlight(change(text), open: change(open), close: change(close), es.map(change))
    }
    return copy
  }

  /// The entity that this node itself reads.
  package var ownReference: EntityReference? {
    switch kind {
    case .column(let reference, _), .entity(let reference), .inRowSet(let reference, _), .isDeleted(let reference),
      .isInserted(let reference), .host(let reference, _), .item(let reference, _):
      reference
    case .groupAggregate(let reference, _, _): reference
    default: nil
    }
  }

  /// The set and the body of a quantifier or aggregate.
  package var setCall: (set: SetID, body: BoundExpression?)? {
    switch kind {
    case .quantifier(_, let set, let body), .aggregate(_, let set, let body): (set, body)
    default: nil
    }
  }

  /// What stands one scope further in: the body of a call over a set or a list.
  package var innerBody: BoundExpression? {
    if case .listCall(_, _, _, let body) = kind { return body }
    return setCall?.body
  }

  /// Changes every reference to an entity outside of sets and of the bodies of calls.
  package func mapReferences(_ change: (EntityReference) -> EntityReference) -> BoundExpression {
    var copy = self
    switch kind {
    case .column(let reference, let column): copy.kind = .column(change(reference), column)
    case .entity(let reference): copy.kind = .entity(change(reference))
    case .inRowSet(let reference, let index): copy.kind = .inRowSet(change(reference), index)
    case .isDeleted(let reference): copy.kind = .isDeleted(change(reference))
    case .isInserted(let reference): copy.kind = .isInserted(change(reference))
    case .host(let reference, let number): copy.kind = .host(change(reference), number)
    case .groupAggregate(let reference, let id, let slot): copy.kind = .groupAggregate(change(reference), id, slot)
    case .item(let reference, let number): copy.kind = .item(change(reference), number)
    default: return mapOperands { $0.mapReferences(change) }
    }
    return copy
  }

  /// Calls `visit` with this node and all below it, bodies of set calls included, sets excluded.
  package func forEachNode(_ visit: (BoundExpression) -> Void) {
    visit(self)
    if isLeaf { return }
    forEachOperand { $0.forEachNode(visit) }
    innerBody?.forEachNode(visit)
  }

  /// The value, where the expression is nothing but one.
  package var constant: Value? {
    if case .constant(let value) = kind { value } else { nil }
  }

  /// Returns the value that is known before a run, by the values of its parameters; nil for another expression.
  package func value(with parameters: [Value?]) -> Value? {
    switch kind {
    case .constant(let value): value
    case .parameter(let number): number < parameters.count ? parameters[number] ?? .null : nil
    default: nil
    }
  }

  /// A constant condition.
  package static func truth(_ value: Bool, at range: SourceRange) -> BoundExpression {
    BoundExpression(.constant(.boolean(value)), .boolean, at: range)
  }

  /// The conjunction; a single conjunct stands for itself, none is no condition.
  package static func conjunction(_ conjuncts: [BoundExpression]) -> BoundExpression? {
    guard let first = conjuncts.first, let last = conjuncts.last else { return nil }
    if conjuncts.count == 1 { return first }
    return BoundExpression(.and(conjuncts), .boolean, at: first.range.union(last.range))
  }

  /// The conditions that must all hold, outermost `and`s taken apart.
  package var conjuncts: [BoundExpression] {
    if case .and(let parts) = kind { return parts.flatMap(\.conjuncts) }
    return [self]
  }

  /// The condition that holds where this one is false.
  package func negated() -> BoundExpression { BoundExpression(.not(self), .boolean, at: range) }
}

extension EntityReference {
  /// The same entity, seen from `count` scopes further out (negative) or in.
  package func shifted(by count: Int) -> EntityReference {
    switch self {
    case .scope(let depth, let type): .scope(depth + count, type)
    case .toOne(let base, let relation): .toOne(base.shifted(by: count), relation)
    case .firstOf(let references, let type): .firstOf(references.map { $0.shifted(by: count) }, type)
    }
  }

  /// The relations followed, from the scope's element on; none where they differ by the entity.
  package var path: [RelationID] {
    switch self {
    case .scope, .firstOf: []
    case .toOne(let base, let relation): base.isPath ? base.path + [relation] : []
    }
  }

  /// Whether it is a path of relations from a scope's element.
  package var isPath: Bool {
    switch self {
    case .scope: true
    case .toOne(let base, _): base.isPath
    case .firstOf: false
    }
  }

  package var isScope: Bool {
    if case .scope = self { true } else { false }
  }

  /// The number of ``alternatives``.
  package var alternativeCount: Int {
    switch self {
    case .scope: 1
    case .toOne(let base, _): base.alternativeCount
    case .firstOf(let references, _): references.reduce(0) { $0 + $1.alternativeCount }
    }
  }

  /// The paths of which at most one leads to the entity.
  package var alternatives: [EntityReference] {
    switch self {
    case .scope: [self]
    case .toOne(let base, let relation): base.isPath ? [self] : base.alternatives.map { .toOne($0, relation) }
    case .firstOf(let references, _): references.flatMap(\.alternatives)
    }
  }
}

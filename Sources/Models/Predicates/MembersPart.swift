import GQLQuery

/// The targets of a to-many relation, or those of them that pass a test.
struct MembersPart {
  var part: EntityPart
  let relation: Int
  let target: any EntityCursor
  /// The test, which sees each target at the level.
  private(set) var filter: (test: Term, level: Int)?

  init(_ part: EntityPart, relation: Int, target: any EntityCursor) {
    self.part = part
    self.relation = relation
    self.target = target
  }

  /// A target, in a test at the level.
  func member(_ level: Int) -> PredicatePart {
    .entity(EntityPart(place: .level(level), cursor: target, route: part.route + [relation]))
  }

  /// Those of them that pass a further test; nil where the other test stands elsewhere.
  func filtered(_ test: Term, _ level: Int) -> Self? {
    guard isAsked(at: level) else { return nil }
    var result = self
    result.filter = (filter.map { .and([$0.test, .isTrue(test)]) } ?? .isTrue(test), level)
    return result
  }

  /// Whether tests at the level can be asked of them.
  func isAsked(at level: Int) -> Bool { filter.map { $0.level == level } ?? true }

  /// Whether some, all or none of them pass a test.
  func term(_ quantifier: Quantifier, _ test: Term?) -> Term {
    let own = test.map { Term.isTrue($0) }
    let all: Term? =
      switch (filter?.test, own) {
      case (let filter?, let own?): quantifier == .every ? .or([.not(filter), own]) : .and([filter, own])
      case (let filter, let own): filter ?? own
      }
    return .members(quantifier, part.place, relation: relation, all)
  }

  var count: Term { .count(part.place, relation: relation, filter?.test) }
}

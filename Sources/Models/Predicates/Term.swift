import GQLQuery

/// An expression over an entity's attributes and numbered parameters: the one form of conditions, whatever they were
/// written as, before a schema is known.
///
/// It names attributes and relations by their places in descriptions, so that it is one for all schemas.
indirect enum Term: Hashable {
  case parameter(Int)
  case truth(Bool)
  case null
  case attribute(Place, Int)
  /// Whether the entity is there.
  case isPresent(Place)
  /// Whether an embedded object is there, of whose presence the attribute tells.
  case hasObject(Place, Int)
  /// The element of the list that the test at a level goes through.
  case item(level: Int)
  case compare(ComparisonOperator, Term, Term)
  case and([Term])
  case or([Term])
  case not(Term)
  /// Tests that a condition does not hold, as one that is unknown.
  case negated(Term)
  /// False for null.
  case isTrue(Term)
  case isNull(Term)
  case text(TextTest, Term, Term)
  /// A text without regard to case.
  case fold(Term)
  /// A search for the words of a parameter in texts of the entity that is asked.
  case matches(attributes: [Int], parameter: Int)
  /// Tests whether the entity was saved last within the instants of two parameters.
  case updated(from: Int, to: Int)
  /// Whether a list, the second, has a value.
  case inList(Term, Term)
  case inRange(Term, lower: Term?, upper: Term?, includesUpper: Bool)
  case arithmetic(ArithmeticOperator, Term, Term)
  /// Division of integers, which truncates.
  case quotient(Term, Term)
  case negate(Term)
  /// What an instant's column holds beside microseconds.
  case finer(Term)
  case coalesce([Term])
  /// A condition, a value, another condition…, and what is left.
  case conditional([Term])
  /// How many elements a list has.
  case length(Term)
  case element(Term, Term)
  /// A test of the targets of a relation; it sees each at the next level.
  case members(Quantifier, Place, relation: Int, Term?)
  /// How many targets of a relation pass a test.
  case count(Place, relation: Int, Term?)
  /// A test of the elements of a list; it sees each at the next level.
  case elements(Quantifier, Term, Term)

  /// An entity within a term.
  indirect enum Place: Hashable {
    /// The one that is asked, at 0; the member that a test within so many others goes through.
    case level(Int)
    /// The target of a to-one relation.
    case target(Place, relation: Int)
  }

  /// The term with each parameter's number moved up.
  func shifted(by shift: Int) -> Term {
    if shift == 0 { return self }
    func moved(_ term: Term) -> Term { term.shifted(by: shift) }
    return switch self {
    case .parameter(let number): .parameter(number + shift)
    case .truth, .null, .attribute, .isPresent, .hasObject, .item: self
    case .compare(let op, let left, let right): .compare(op, moved(left), moved(right))
    case .and(let parts): .and(parts.map(moved))
    case .or(let parts): .or(parts.map(moved))
    case .not(let part): .not(moved(part))
    case .negated(let part): .negated(moved(part))
    case .fold(let part): .fold(moved(part))
    case .matches(let attributes, let parameter): .matches(attributes: attributes, parameter: parameter + shift)
    case .updated(let from, let to): .updated(from: from + shift, to: to + shift)
    case .isTrue(let part): .isTrue(moved(part))
    case .isNull(let part): .isNull(moved(part))
    case .text(let test, let text, let part): .text(test, moved(text), moved(part))
    case .inList(let value, let list): .inList(moved(value), moved(list))
    case .inRange(let value, let lower, let upper, let includesUpper):
      .inRange(moved(value), lower: lower.map(moved), upper: upper.map(moved), includesUpper: includesUpper)
    case .arithmetic(let op, let left, let right): .arithmetic(op, moved(left), moved(right))
    case .quotient(let left, let right): .quotient(moved(left), moved(right))
    case .negate(let part): .negate(moved(part))
    case .finer(let part): .finer(moved(part))
    case .coalesce(let parts): .coalesce(parts.map(moved))
    case .conditional(let parts): .conditional(parts.map(moved))
    case .length(let list): .length(moved(list))
    case .element(let list, let index): .element(moved(list), moved(index))
    case .members(let quantifier, let place, let relation, let body):
      .members(quantifier, place, relation: relation, body.map(moved))
    case .count(let place, let relation, let body): .count(place, relation: relation, body.map(moved))
    case .elements(let quantifier, let list, let body): .elements(quantifier, moved(list), moved(body))
    }
  }

  /// The searches for words that must hold.
  var searches: [Term] {
    switch self {
    case .matches: [self]
    case .and(let parts): parts.flatMap(\.searches)
    default: []
    }
  }

  /// Whether it is a condition, and no value that a column holds.
  var isTest: Bool {
    switch self {
    case .truth, .isPresent, .hasObject, .compare, .and, .or, .not, .isTrue, .isNull, .text, .inList, .inRange,
      .members, .elements, .matches, .updated, .negated:
      true
    case .conditional(let parts): parts.count == 3 && (parts[1] == .null || parts[1].isTest) && parts[2].isTest
    case .coalesce(let parts): parts.allSatisfy(\.isTest)
    case .parameter, .null, .attribute, .item, .arithmetic, .quotient, .negate, .finer, .length, .element, .count,
      .fold:
      false
    }
  }

  /// Whether the term is certainly null where `base` is.
  func isNullWhere(_ base: NullBase) -> Bool {
    switch (self, base) {
    case (_, .term(self)): return true
    case (.attribute(let place, _), .place(let missing)): return place.leads(through: missing)
    case (.attribute(let place, let number), .object(let owner, let node)):
      return place == owner && node.held.contains(number)
    case (.compare(let op, let left, let right), _):
      // Equality takes null for a value.
      if op == .equal || op == .notEqual { return false }
      return left.isNullWhere(base) || right.isNullWhere(base)
    case (.text(_, let left, let right), _), (.arithmetic(_, let left, let right), _),
      (.quotient(let left, let right), _), (.element(let left, let right), _):
      return left.isNullWhere(base) || right.isNullWhere(base)
    case (.negate(let part), _), (.length(let part), _): return part.isNullWhere(base)
    case (.inRange(let value, _, _, _), _): return value.isNullWhere(base)
    default: return false
    }
  }

  /// Whether it is certainly not true where `base` is null.
  func failsWhere(_ base: NullBase) -> Bool {
    switch self {
    case .compare(.equal, let left, .parameter), .inList(let left, .parameter):
      // Parameters of these are never null: nil is a term of its own.
      return left.isNullWhere(base)
    case .members(.some, let place, _, _):
      // What is missing has no targets.
      if case .place(let missing) = base { return place.leads(through: missing) }
      return false
    case .and(let parts): return parts.contains { $0.failsWhere(base) }
    case .isTrue(let part): return part.failsWhere(base)
    default: return isNullWhere(base)
    }
  }

  /// What may be missing.
  enum NullBase {
    case term(Term)
    case place(Place)
    case object(Place, EmbeddedNode)

    var isMissing: Term {
      switch self {
      case .term(let term): .isNull(term)
      case .place(let place): .not(.isPresent(place))
      case .object(let place, let node): .not(.hasObject(place, node.attribute))
      }
    }

    /// Whether an entity, or an object in it, is missing where this is.
    func takesAlong(_ place: Place, _ node: EmbeddedNode? = nil) -> Bool {
      switch self {
      case .term: false
      case .place(let missing): place.leads(through: missing)
      case .object(let owner, let outer): place == owner && node.map { outer.held.contains($0.attribute) } ?? false
      }
    }
  }
}

extension Term.Place {
  func leads(through other: Term.Place) -> Bool {
    if self == other { return true }
    if case .target(let base, _) = self { return base.leads(through: other) }
    return false
  }
}

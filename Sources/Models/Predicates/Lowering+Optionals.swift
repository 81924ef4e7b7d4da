import Foundation
import GQLCatalog

extension PredicateExpressions.OptionalFlatMap: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    var optional = walk.lowered(wrapped)
    let base: Term.NullBase
    switch optional {
    case .term(let term, _): base = .term(term)
    case .entity(let part) where part.path.isItself: base = .place(part.place)
    case .object(let part, let node):
      base = .object(part.place, node)
      walk.note(node, at: part.place)
    case .members(var members):
      // A list of targets is nil only where its owner is missing.
      if !members.part.canBeMissing { return walk.lowered(transform, where: variable.key, is: optional) }
      base = .place(members.part.place)
      members.part.canBeMissing = false
      optional = .members(members)
    // Of an entity's property without a column nobody knows here whether it is there.
    case .unknown, .constant, .range, .entity:
      _ = walk.lowered(transform, where: variable.key, is: .unknown)
      return .unknown
    }
    switch walk.lowered(transform, where: variable.key, is: optional) {
    case .term(let term, let type):
      if term.isNullWhere(base) { return .term(term, type.nullable()) }
      return .term(.conditional([base.isMissing, .null, term]), type.nullable())
    // What is there whether or not the optional is would hide that this is missing.
    case .entity(let part) where base.takesAlong(part.place): return .entity(part)
    case .object(let part, let node) where base.takesAlong(part.place, node): return .object(part, node)
    case .members(var members) where base.takesAlong(members.part.place):
      members.part.canBeMissing = true
      return .members(members)
    case .unknown, .constant, .range, .entity, .object, .members: return .unknown
    }
  }

  func words(_ walk: PredicateWalk) -> String {
    "\(walk.words(wrapped)).flatMap { \(walk.name(variable.key)) in \(walk.words(transform)) }"
  }
}

extension PredicateExpressions.NilCoalesce: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let (optional, rest) = (walk.lowered(lhs), walk.lowered(rhs))
    if case .members(let members) = optional { return Self.members(members, or: rest) }
    guard case .term(let term, let type) = optional else { return .unknown }
    if !type.canBeNull { return optional }
    if let (other, otherCanBeNull) = walk.truth(rest), type.shape.scalar == .boolean {
      if other == .truth(false) { return .boolean(walk.isTrue(term)) }
      return .boolean(.coalesce([term, other]), canBeNull: otherCanBeNull)
    }
    guard let (other, otherType) = walk.operand(rest, like: type), otherType.isLike(type) else { return .unknown }
    var result = type.like(type.shape, canBeNull: otherType.canBeNull)
    result.isOrdered = type.isOrdered
    return .term(.coalesce([term, other]), result)
  }

  /// A list of targets is nil only where its owner is missing. There are none then for the planner, as in an empty list.
  private static func members(_ members: MembersPart, or rest: PredicatePart) -> PredicatePart {
    if !members.part.canBeMissing { return .members(members) }
    guard case .constant(let constant) = rest, (constant.value as? any Collection)?.isEmpty == true else {
      return .unknown
    }
    var certain = members
    certain.part.canBeMissing = false
    return .members(certain)
  }

  func words(_ walk: PredicateWalk) -> String { "(\(walk.words(lhs)) ?? \(walk.words(rhs)))" }
}

extension PredicateWalk {
  /// `x.flatMap { test } ?? false`: without the choice, in which the planner would see no index.
  func isTrue(_ term: Term) -> Term {
    guard case .conditional(let parts) = term, parts.count == 3, parts[1] == .null else { return .isTrue(term) }
    switch parts[0] {
    case .isNull(let base) where parts[2].failsWhere(.term(base)): return .isTrue(parts[2])
    case .not(.isPresent(let place)) where parts[2].failsWhere(.place(place)): return .isTrue(parts[2])
    case .not(let object) where self.object(object).map(parts[2].failsWhere) ?? false: return .isTrue(parts[2])
    case .isNull, .not: return .and([.not(parts[0]), .isTrue(parts[2])])
    default: return .isTrue(term)
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: PredicateLowering {
  /// Where there is nothing, evaluation would stop with an error; the term is null.
  func lowered(_ walk: PredicateWalk) -> PredicatePart { walk.lowered(inner) }
  func words(_ walk: PredicateWalk) -> String { "\(walk.words(inner))!" }
}

extension PredicateExpressions.TypeCheck: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    _ = walk.lowered(input)
    return Input.Output.self == Desired.self ? .boolean(.truth(true)) : .unknown
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(input)) is \(Desired.self)" }
}

extension PredicateExpressions.ForceCast: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let part = walk.lowered(input)
    return Input.Output.self == Desired.self ? part : .unknown
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(input)) as! \(Desired.self)" }
}

extension PredicateExpressions.ConditionalCast: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let part = walk.lowered(input)
    return Input.Output.self == Desired.self ? part : .unknown
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(input)) as? \(Desired.self)" }
}

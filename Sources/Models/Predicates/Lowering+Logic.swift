import Foundation
import GQLBase
import GQLCatalog
import GQLQuery

extension PredicateExpressions.Variable: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart { walk.part(key) }
  func words(_ walk: PredicateWalk) -> String { walk.name(key) }
}

extension PredicateExpressions.Value: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    if let range = value as? any CapturedRange { return range.part }
    return .constant(PredicateConstant(value))
  }

  func words(_ walk: PredicateWalk) -> String {
    if let text = value as? String { return text.debugDescription }
    if let optional = value as? any _OptionalValue, optional._isMissing { return "nil" }
    return "\(value)"
  }
}

extension PredicateExpressions.NilLiteral: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart { .constant(PredicateConstant(Wrapped?.none)) }
  func words(_ walk: PredicateWalk) -> String { "nil" }
}

extension PredicateExpressions.KeyPath: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    switch walk.lowered(root) {
    case .entity(let part): return Self.property(part, keyPath, walk)
    case .object(let part, let node):
      walk.seesObjects = true
      let found = Self.property(part, keyPath, walk)
      if case .term = found { return found }
      return Self.member(part, node, keyPath) ?? .unknown
    case .term(let term, let type):
      // An index may have the value in a column of its own.
      if let origin = type.origin, case .term(let found, let type) = Self.property(origin, keyPath, walk) {
        return .term(found, type)
      }
      switch kind {
      case .collectionCount where type.shape.isList:
        return .term(.length(term), TermType(_ColumnShape(.int), canBeNull: type.canBeNull))
      case .collectionIsEmpty where type.shape.isList:
        return .boolean(.compare(.equal, .length(term), walk.parameter(.int(0), .int)), canBeNull: false)
      case .collectionIsEmpty where type.shape.isText:
        return .boolean(.compare(.equal, term, walk.parameter(.string(Text("")), .string)))
      default: return .unknown
      }
    case .members(let members):
      guard members.isAsked(at: walk.nextLevel) else { return .unknown }
      switch kind {
      case .collectionCount: return members.part.guarding(members.count, _ColumnShape(.int))
      case .collectionIsEmpty: return members.part.guarding(members.term(.none, nil), _ColumnShape(.boolean))
      default: return .unknown
      }
    case .unknown, .constant, .range: return .unknown
    }
  }

  func words(_ walk: PredicateWalk) -> String {
    "\(walk.words(root)).\(name)"
  }

  /// The last property of the key path, as people write it.
  private var name: String {
    switch kind {
    case .collectionCount: return "count"
    case .collectionIsEmpty: return "isEmpty"
    case .collectionFirst: return "first"
    case .bidirectionalCollectionLast: return "last"
    default: break
    }
    func described<Entity: EntityModelProtocol>(_ type: Entity.Type) -> String? {
      EntityInfo<Entity>.shared.name(keyPath)
    }
    if let entity = Root.Output.self as? any EntityModelProtocol.Type, let name = described(entity) { return name }
    let last = "\(keyPath)".split(separator: ".", maxSplits: 1).last ?? ""
    // A computed property has an address for a name.
    return last.hasPrefix("<") ? "<\(Output.self)>" : String(last)
  }

  /// What a key path from an entity, or from something in it, leads to.
  private static func property(_ part: EntityPart, _ next: AnyKeyPath, _ walk: PredicateWalk) -> PredicatePart {
    var inner = part
    inner.path = part.path.appending(next)
    guard case .known(let path) = inner.path else { return .unknown }
    if let node = part.cursor.node(at: path) { return object(inner, node) }
    if let attribute = part.cursor.attribute(at: path) {
      if attribute.isEmbedded { walk.seesObjects = true }
      return term(inner, attribute)
    }
    guard part.path.isItself, let relation = part.cursor.relation(at: next) else { return .entity(inner) }
    let route = part.route + [relation.number]
    walk.note(route)
    guard relation.isStored else { return .unknown }
    if relation.isToMany {
      return .members(MembersPart(part, relation: relation.number, target: relation.target))
    }
    return .entity(
      EntityPart(
        place: .target(part.place, relation: relation.number), cursor: relation.target, route: route,
        canBeMissing: true))
  }
}

extension PredicateExpressions.KeyPath {
  private static func object(_ part: EntityPart, _ node: EmbeddedNode) -> PredicatePart {
    var part = part
    if node.isOptional { part.canBeMissing = true }
    return .object(part, node)
  }

  fileprivate static func term(_ part: EntityPart, _ attribute: CursorAttribute) -> PredicatePart {
    var type = TermType(attribute.shape, canBeNull: !attribute.shape.isNonNull || part.canBeMissing)
    type.comparesAsStored = attribute.comparesAsStored
    type.isOrdered = Output.self is any _ColumnValue.Type
    type.origin = part
    type.isID = attribute.isID
    type.attribute = attribute.place
    return .term(.attribute(part.place, attribute.place.attribute), type)
  }

  /// What a property of an embedded object is; nil if it is not described.
  fileprivate static func member(
    _ part: EntityPart, _ node: EmbeddedNode, _ path: AnyKeyPath
  ) -> PredicatePart? {
    var part = part
    part.path = part.path.appending(path)
    switch node.fields[path] {
    case nil: return nil
    case .object(let inner): return object(part, inner)
    case .value(let number): return part.cursor.attribute(number).map { term(part, $0) }
    }
  }
}

extension PredicateExpressions.Conjunction: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let (left, right) = (walk.lowered(lhs), walk.lowered(rhs))
    guard let first = walk.truth(left), let second = walk.truth(right) else { return .unknown }
    return .boolean(.and([first.0, second.0]), canBeNull: first.canBeNull || second.canBeNull)
  }

  func words(_ walk: PredicateWalk) -> String { "(\(walk.words(lhs)) && \(walk.words(rhs)))" }
}

extension PredicateExpressions.Disjunction: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let (left, right) = (walk.lowered(lhs), walk.lowered(rhs))
    guard let first = walk.truth(left), let second = walk.truth(right) else { return .unknown }
    return .boolean(.or([first.0, second.0]), canBeNull: first.canBeNull || second.canBeNull)
  }

  func words(_ walk: PredicateWalk) -> String { "(\(walk.words(lhs)) || \(walk.words(rhs)))" }
}

extension PredicateExpressions.Negation: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    guard let (term, canBeNull) = walk.truth(walk.lowered(wrapped)) else { return .unknown }
    return .boolean(.not(canBeNull ? .isTrue(term) : term))
  }

  func words(_ walk: PredicateWalk) -> String { "!\(walk.words(wrapped))" }
}

extension PredicateExpressions.Equal: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    walk.comparison(.equal, walk.lowered(lhs), walk.lowered(rhs)) { values(lhs, rhs).map { $0 == $1 } ?? false }
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(lhs)) == \(walk.words(rhs))" }
}

extension PredicateExpressions.NotEqual: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    walk.comparison(.notEqual, walk.lowered(lhs), walk.lowered(rhs)) { values(lhs, rhs).map { $0 != $1 } ?? false }
  }

  func words(_ walk: PredicateWalk) -> String { "\(walk.words(lhs)) != \(walk.words(rhs))" }
}

extension PredicateExpressions.Comparison: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    walk.comparison(comparison, walk.lowered(lhs), walk.lowered(rhs)) {
      guard let (left, right) = values(lhs, rhs) else { return false }
      return switch comparison {
      case .less: left < right
      case .lessOrEqual: left <= right
      case .greater: left > right
      default: left >= right
      }
    }
  }

  private var comparison: ComparisonOperator {
    switch op {
    case .lessThan: .less
    case .lessThanOrEqual: .lessOrEqual
    case .greaterThan: .greater
    case .greaterThanOrEqual: .greaterOrEqual
    @unknown default: .greaterOrEqual
    }
  }

  func words(_ walk: PredicateWalk) -> String {
    "\(walk.words(lhs)) \(comparison.rawValue) \(walk.words(rhs))"
  }
}

/// The values of two parts that hang on no variable.
private func values<Left: PredicateExpression, Right: PredicateExpression>(
  _ left: Left, _ right: Right
) -> (Left.Output, Right.Output)? {
  let none = PredicateBindings()
  guard let first = try? left.evaluate(none), let second = try? right.evaluate(none) else { return nil }
  return (first, second)
}

extension PredicateExpressions.Conditional: PredicateLowering {
  func lowered(_ walk: PredicateWalk) -> PredicatePart {
    let (condition, whole, rest) = (walk.lowered(test), walk.lowered(trueBranch), walk.lowered(falseBranch))
    guard let (test, _) = walk.truth(condition) else { return .unknown }
    if let first = walk.truth(whole), let second = walk.truth(rest) {
      return .boolean(.conditional([test, first.0, second.0]), canBeNull: first.canBeNull || second.canBeNull)
    }
    guard let (first, second, type) = walk.operands(whole, rest) else { return .unknown }
    return .term(.conditional([test, first, second]), type)
  }

  func words(_ walk: PredicateWalk) -> String {
    "(\(walk.words(test)) ? \(walk.words(trueBranch)) : \(walk.words(falseBranch)))"
  }
}

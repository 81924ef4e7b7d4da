import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// `if`, `??` and `coalesce` over entities: the entity that is chosen, from which paths and selections go on.
///
/// It is the only member of a set that unites one set for each operand. The limit of each such set is 1 where its
/// operand is the chosen one and 0 elsewhere, so that no other operand is looked for.
extension Binder {
  /// The first that is there. Nil where the operands are no entities.
  func firstEntity(_ operands: [(Operand, SourceRange)], _ environment: Environment, _ range: SourceRange) -> Operand? {
    guard let (choices, type) = entities(operands, environment) else { return nil }
    if choices.count == 1, operands.count == 1 { return choices[0] }
    var isThere: [BoundExpression] = []
    var limits: [BoundExpression] = []
    for choice in choices {
      limits.append(isThere.isEmpty ? number(1, range) : chosen(isThere, at: isThere.count, range))
      if let entity = entity(choice, at: range) {
        isThere.append(negation(BoundExpression(.isNull(entity), .boolean, at: range)))
      } else {
        isThere.append(.truth(false, at: range))
      }
    }
    return united(choices, limits, type, range)
  }

  /// The one of the first condition that is true; one more than the conditions is for where none is. Nil where the
  /// operands are no entities.
  func chosenEntity(
    _ conditions: [BoundExpression], _ operands: [(Operand, SourceRange)], _ environment: Environment,
    _ range: SourceRange
  ) -> Operand? {
    guard let (choices, type) = entities(operands, environment) else { return nil }
    let limits = choices.indices.map { chosen(conditions, at: $0, range) }
    return united(choices, limits, type, range)
  }

  /// 1 where the condition at a place is the first that is true, else 0.
  private func chosen(_ conditions: [BoundExpression], at place: Int, _ range: SourceRange) -> BoundExpression {
    var parts: [BoundExpression] = []
    for (index, condition) in conditions.prefix(place + 1).enumerated() where count(at: range) {
      parts += [condition, number(index == place ? 1 : 0, range)]
    }
    parts.append(number(place < conditions.count ? 0 : 1, range))
    return BoundExpression(.conditional(parts), .int, at: range)
  }

  private func number(_ value: Int64, _ range: SourceRange) -> BoundExpression {
    BoundExpression(.constant(.int(value)), .int, at: range)
  }

  /// The operands, where all are entities or null and at least one is an entity, and the type of which all of them are.
  private func entities(
    _ operands: [(Operand, SourceRange)], _ environment: Environment
  ) -> (choices: [Operand], type: EntityTypeID)? {
    var choices: [Operand] = []
    var types: [EntityTypeID] = []
    for (written, _) in operands {
      var operand = written
      if case .bare(let name) = operand, hasMeaning(name, environment) { operand = resolveBare(name, environment) }
      switch operand {
      case .entity(_, let type, _): types.append(type)
      case .single(let path) where path.isEntity: types.append(path.type)
      case .literal(.null, _): break
      default: return nil
      }
      choices.append(operand)
    }
    let widest = types.first { wide in types.allSatisfy { $0 == wide || catalog.isSubtype($0, of: wide) } }
    return widest.map { (choices, $0) }
  }

  private func united(
    _ choices: [Operand], _ limits: [BoundExpression], _ type: EntityTypeID, _ range: SourceRange
  ) -> Operand {
    let result = reserveSet(type, at: range)
    var members: [SetID] = []
    for (choice, limit) in zip(choices, limits) {
      if case .literal = choice { continue }
      guard let source = source(of: choice, as: type, at: range) else { return .error }
      let member = reserveSet(type, at: range)
      query[member].source = source
      query[member].limit = limit
      members.append(member)
    }
    query[result].source = .union(members)
    return .single(PluralPath(set: result, type: type, range: range, text: "this"))
  }

  /// The set of one entity, seen as one of a type.
  private func source(of choice: Operand, as type: EntityTypeID, at range: SourceRange) -> BoundSet.Source? {
    switch choice {
    case .entity(let reference, let found, _):
      if let cast = cast(reference, from: found, to: type), !cast.isScope { return source(of: cast) }
      return itself(reference, type, at: range)
    case .single(let path):
      if path.type == type { return .union([path.set]) }
      let routes = catalog.casts(from: path.type, to: type)
      return routes.isEmpty ? nil : .union([steps(from: path.set, routes, to: type, at: range)])
    default: return nil
    }
  }

  /// An element around the place: found by its key, or by the members of its interface or union.
  private func itself(_ reference: EntityReference, _ type: EntityTypeID, at range: SourceRange) -> BoundSet.Source? {
    if catalog[type].isAbstract {
      let ways = memberReferences(of: reference, type).flatMap { member in
        catalog.casts(from: member.type, to: type).map { $0.reduce(member.reference) { .toOne($0, $1) } }
      }
      return ways.isEmpty ? nil : source(of: .firstOf(ways, type))
    }
    let element = BoundExpression(.entity(.scope(0, type)), .entity(type), at: range)
    let wanted = BoundExpression(.entity(reference.shifted(by: 1)), .entity(type), at: range)
    let isSame = BoundExpression(.compare(.equal, element, wanted), .boolean, at: range)
    let live = reserveSet(type, at: range)
    if let index = catalog[type].indexes.first(where: { catalog[$0].isPrimary }) {
      let keys = catalog[index].columns.map {
        BoundExpression(.column(reference, $0), catalog[type][$0].type, at: range)
      }
      query[live].source = .key(index, keys)
    } else {
      query[live].predicate = isSame
    }
    // A key finds live entities only.
    let deleted = reserveSet(type, at: range)
    query[deleted].source = .deleted(includesLive: false)
    query[deleted].predicate = isSame
    let isDeleted = BoundExpression(.isDeleted(reference), .boolean, at: range)
    query[deleted].limit = BoundExpression(
      .conditional([isDeleted, number(1, range), number(0, range)]), .int, at: range)
    return .union([live, deleted])
  }
}

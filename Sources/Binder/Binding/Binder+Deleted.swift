import GQLBase
import GQLCatalog
import GQLParser
import GQLQuery

/// `deleted: ONLY | INCLUDE`.
extension Binder {
  /// Which entities of a type, of an interface or union, or which links of a relation a set is taken from.
  ///
  /// Gives a condition that the members must meet where the source cannot tell.
  func bindDeleted(
    _ argument: Argument, _ environment: Environment, into set: inout BoundSet
  ) -> BoundExpression? {
    guard let status = deletedStatus(argument, environment) else { return nil }
    let range = argument.range
    // Parts of a value, which are there as long as it is.
    if catalog[set.type].isElement { return status == .deleted ? .truth(false, at: range) : nil }
    switch set.source {
    case .all: set.source = .deleted(includesLive: status == .any)
    case .relation(let reference, let relation):
      let branch = uncast(RelationBranch(reference: reference, relation: relation))
      if !branch.casts.isEmpty { set.source = .branches([branch]) }
      set.linkStatus = status
    case .branches(let branches):
      set.source = .branches(branches.map(uncast))
      set.linkStatus = status
    case .step(let base, let relation), .linked(let base, let relation):
      if catalog[relation].isMirror { follow(base, status) } else { set.linkStatus = status }
    case .routes: set.linkStatus = status
    case .union(let sets): for inner in sets { follow(inner, status) }
    case .deleted, .key, .items, .closure, .shortestPath, .given, .keys, .members, .each, .host:
      guard status == .deleted else { return nil }
      return BoundExpression(.isDeleted(.scope(0, set.type)), .boolean, at: range)
    }
    return nil
  }

  /// The relation that leads to another entity, and behind it what that is seen as: it goes and comes with its entity.
  private func uncast(_ branch: RelationBranch) -> RelationBranch {
    var result = branch
    while catalog[result.relation].isMirror {
      guard case .toOne(let base, let relation) = result.reference else { return branch }
      result.casts = result.casts.isEmpty ? [[result.relation]] : result.casts.map { [result.relation] + $0 }
      result.relation = relation
      result.reference = base
    }
    return result
  }

  /// The links of the last step of a path that leads to another entity.
  private func follow(_ id: SetID, _ status: LinkStatus) {
    switch query[id].source {
    case .step(let base, let relation), .linked(let base, let relation):
      if catalog[relation].isMirror { follow(base, status) } else { query[id].linkStatus = status }
    case .routes: query[id].linkStatus = status
    default: break
    }
  }

  /// Nil where nothing is asked for, or what is wrong, which is reported.
  private func deletedStatus(_ argument: Argument, _ environment: Environment) -> LinkStatus? {
    var value = argument.value
    while case .parenthesized(let inner) = value.kind { value = inner }
    switch enumWord(value, .deleted, environment) {
    case nil: return nil
    case "ONLY": return .deleted
    case "INCLUDE": return .any
    default:
      if case .variable = value.kind {
        reportWord(value, .deleted, expected: "ONLY or INCLUDE", environment)
      } else {
        report(.wrongType(found: "this value", expected: "ONLY or INCLUDE"), at: argument.value.range)
      }
      return nil
    }
  }
}

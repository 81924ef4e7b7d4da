extension Catalog {
  /// The entity types that a value of the type may have: the members of an interface or union, else the type itself.
  package func possibleTypes(of id: EntityTypeID) -> [EntityTypeID] {
    self[id].isAbstract ? self[id].members.map(\.type) : [id]
  }

  /// Whether an entity can be of both types.
  package func overlap(_ first: EntityTypeID, _ second: EntityTypeID) -> Bool {
    if first == second { return true }
    let others = possibleTypes(of: second)
    return possibleTypes(of: first).contains(where: others.contains)
  }

  /// Whether every entity of the one is of the other.
  package func isSubtype(_ type: EntityTypeID, of other: EntityTypeID) -> Bool {
    if type == other { return true }
    guard self[other].isAbstract else { return false }
    if self[type].isAbstract {
      return self[other].kind == .interface && self[type].interfaces.contains(other)
    }
    return self[other].members.contains { $0.type == type }
  }

  /// The ways from a row of one type to the same entity's row of the other: paths of to-one relations, of which at most
  /// one leads somewhere. Empty where no entity is of both; one empty path where the types are the same.
  package func casts(from: EntityTypeID, to: EntityTypeID) -> [[RelationID]] {
    if from == to { return [[]] }
    if self[from].isAbstract {
      return self[from].members.flatMap { member in
        casts(from: member.type, to: to).map { [member.relation] + $0 }
      }
    }
    return self[from].memberships.filter { $0.type == to }.map { [$0.relation] }
  }
}

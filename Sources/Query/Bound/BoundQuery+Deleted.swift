import GQLCatalog

/// Where deleted entities come into a query.
extension BoundQuery {
  /// Whether indexes know all members that the set may have: they hold no deleted rows, and nothing of what a mutation
  /// has not finished.
  package func isIndexed(_ id: SetID) -> Bool {
    var waiting = [id]
    var seen: Set<Int> = []
    while let next = waiting.popLast() {
      guard seen.insert(next.index).inserted else { continue }
      let set = self[next]
      // A walk may give the entity that it starts from, which may be any around it.
      if !set.takesIndexed || set.source.startsFromEntity && !isIndexed { return false }
      // What a walk or a path gives may be what it starts from, or be seen as another type.
      waiting += set.source.sets
      if case .items(_, let selection) = set.source { waiting.append(self[selection].set) }
    }
    return true
  }

  /// Whether indexes know the members of all sets.
  package var isIndexed: Bool { sets.allSatisfy(\.takesIndexed) }

  /// Whether some set has deleted entities.
  package var meetsDeleted: Bool { sets.contains(where: \.meetsDeleted) }
}

extension BoundSet {
  fileprivate var takesIndexed: Bool {
    switch source {
    case .given, .host: return false
    default: break
    }
    return !meetsDeleted
  }

  fileprivate var meetsDeleted: Bool {
    if case .deleted = source { return true }
    return linkStatus != .live
  }

  /// The set's own `deleted:`, as it is written; nil where there is none.
  package var deletedWord: String? {
    if case .deleted(let includesLive) = source { return includesLive ? "INCLUDE" : "ONLY" }
    switch linkStatus {
    case .live: return nil
    case .deleted: return "ONLY"
    case .any: return "INCLUDE"
    }
  }
}

extension BoundSet.Source {
  fileprivate var startsFromEntity: Bool {
    var ends: [TraversalEnd] = []
    switch self {
    case .closure(let closure): ends = [closure.start]
    case .shortestPath(let path): ends = [path.start, path.target]
    default: break
    }
    return ends.contains { if case .entity = $0 { true } else { false } }
  }
}

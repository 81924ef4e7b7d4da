import GQLBase
import GQLCatalog
import GQLStore

/// Elements whose sets have too many members together are gone through in parts: the lists of a thousand elements may be
/// a thousand times all entities.
extension Evaluator {
  /// How many of the elements from `start` on have as many members together as are to be held at once; all of them
  /// where that is not known beforehand.
  func partLength(_ set: CompiledSet, from start: Int) throws(RuntimeProblem) -> Int {
    let rest = count - start
    guard rest > 1, !set.isPaged else { return rest }
    if !set.isCorrelated {
      var members = 0
      // As everything else finds its members: by the scan where a key fails.
      try set.byKeys(batch.scopes, execution) { (set, _, _) throws(RuntimeProblem) in
        members = try (set.lists as? SharedLists)?.total(set, execution) ?? 0
      }
      return min(rest, max(1, Self.partMembers / max(1, members)))
    }
    guard let links = set.access as? Links, links.relation.isToMany,
      execution.snapshot.fanOut(links.relation.id).maximum > Self.partMembers / rest
    else { return rest }
    var members = 0
    for element in start..<count {
      let row = execution.resolve(links.reference, batch.scopes, element)
      members += execution.degree(links.relation, row)
      if members > Self.partMembers { return max(1, element - start) }
    }
    return rest
  }
  private static var partMembers: Int { 1 << 20 }

  /// Calls for one part of the elements after the other, where they have more members than are to be held at once; false
  /// where they have not, and nothing was done.
  func inParts(
    _ node: Node, _ out: Vector, _ body: (borrowing Evaluator, Vector) throws(RuntimeProblem) -> Void
  ) throws(RuntimeProblem) -> Bool {
    let set = execution.compiledSet(Int(node.index))
    var length = try partLength(set, from: 0)
    if length == count { return false }
    var start = 0
    while start < count {
      try body(over(batch.slice(start, length)), out.advanced(by: start))
      start += length
      if start < count { length = try partLength(set, from: start) }
    }
    return true
  }
}

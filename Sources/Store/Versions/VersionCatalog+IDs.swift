import GQLCatalog

extension VersionCatalog {
  /// Returns whether entities that versions may link to have the ids in one snapshot that they have in an earlier one, as
  /// far as they are in both: none is gone, and none has got another.
  ///
  /// Complexity: O(*n*) in the rows of pages that the two do not share.
  package func hasSameIDs(_ snapshot: Snapshot, as earlier: Snapshot) -> Bool {
    guard snapshot.hasLayout(of: earlier) else { return false }
    var columns: [Int: Set<Int>] = [:]
    for type in types {
      for case .ids(_, let routes) in type.sources {
        for route in routes { columns[route.type, default: []].formUnion(route.columns) }
      }
    }
    if columns.isEmpty { return true }
    var isSame = true
    // Invariant: what is compared is well-formed.
    try? snapshot.changes(since: earlier).forEachChange { change in
      guard let ids = columns[change.type], !change.isNew else { return }
      if change.isPurged || change.fields.contains(where: { ids.contains($0.column) }) { isSame = false }
    }
    return isSame
  }
}

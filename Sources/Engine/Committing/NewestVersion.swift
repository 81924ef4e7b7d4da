import GQLStore

/// A reader of the newest version of a database that may be seen, and of its number: both are read in one step.
struct NewestVersion {
  let database: Database

  /// Returns the version after what others have kept was read.
  func refreshed() throws(QueryError) -> (snapshot: Snapshot, version: Int64) {
    if database.editing == nil, database.committer?.following != nil { try database.refresh() }
    return known
  }

  /// The version without a look at what others keep. A context follows its database first.
  var known: (snapshot: Snapshot, version: Int64) {
    database.editing?.follow(database)
    guard let committer = database.committer else {
      // Most often nothing is open, and nothing has to be freed.
      if let found = database.state.withLock({ $0.open == nil ? ($0.snapshot, $0.version) : nil }) { return found }
      return database.state.withPublished { ($0.snapshot, $0.version) }
    }
    let (found, old) = database.state.withLock { state in
      let old = state.publishKept(committer)
      return ((state.snapshot, state.version), old)
    }
    return withExtendedLifetime(old) { found }
  }
}

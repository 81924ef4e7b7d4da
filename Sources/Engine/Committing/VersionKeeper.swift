import GQLBase
import GQLStore

/// A keeper of versions: each is kept by the storage of the database before it is published.
struct VersionKeeper {
  let database: Database

  /// Keeps a version that is to be published. Called by the one writer, on what ``Database/newestVersion()`` has returned.
  ///
  /// - Parameters:
  ///   - rewrites: Whether rows have other numbers than before.
  ///   - time: When it was made; nil for now.
  ///   - allowingLoss: Whether branches may lose what another schema has no place for.
  /// - Returns: The number of the version.
  @discardableResult
  func keep(
    _ next: Snapshot, rewrites: Bool = false, time: Int64? = nil, allowingLoss: Bool = false
  ) throws(QueryError) -> Int64 {
    let (past, table) = (database.past, database.branchTable)
    let (base, version) = database.state.withLock { ($0.snapshot, $0.version) }
    let hasOtherLayout = rewrites || !next.hasLayout(of: base)
    guard let committer = database.committer else {
      if hasOtherLayout { try table.moving(database, to: next, allowingLoss: allowingLoss) { _ in } }
      return past.append(next, after: base, version, rewrites: rewrites, time: time)
    }
    if committer.isNeverWritten {
      // What changes nothing may be published. Of a schema it is said what is missing.
      if next.hasLayout(of: base) {
        if next.changes(since: base).isEmpty { return committer.durable }
      } else {
        try committer.storage.check(next, after: base)
      }
    }
    try committer.check()
    if !hasOtherLayout {
      let changes = next.changes(since: base)
      let time = time ?? WallClock.now
      defer { past.dropOverdue(before: next) }
      if changes.isEmpty { return committer.durable }
      if !table.isRebasing(database), committer.gathers(changes, time: time) { return committer.durable }
      _ = past.keep(published: base, version)
      try committer.commit { (version) throws(QueryError) in
        let gathered = committer.takeQueue()
        let commit = Commit(version: version, time: time, changes: changes, cause: past.cause.current)
        try committer.storage.append(gathered + [commit]) { next }
        past.append(commit)
      }
    } else {
      try table.moving(database, to: next, allowingLoss: allowingLoss) { (branches) throws(QueryError) in
        try committer.exclusively { () throws(QueryError) in try committer.storage.check(next, after: base) }
        try committer.commit { (version) throws(QueryError) in
          // What gathers is in the version; a history needs each commit.
          let gathered = committer.takeQueue()
          if past.history != nil, !gathered.isEmpty { try committer.storage.append(gathered) { base } }
          let time = time ?? WallClock.now
          try committer.storage.rewrite(next, version: version, time: time, branches)
          past.append(
            RecentVersions.ChangeOfLayout(before: base, after: next), version: version, time: time, isInMemory: false)
        }
      }
    }
    return committer.durable
  }
}

import GQLBase
import GQLStore

/// Keeping what is committed, see ``Committer``.
extension Database {
  /// Tells whether the database keeps its data in a storage.
  package var isDurable: Bool { committer != nil }

  /// The number of the last transaction that queries see; of a database in memory, that of its version.
  public var version: Int64 { committer?.durable ?? Int64(clamping: current.version) }

  /// The number of the last transaction that is kept; 0 for a database in memory.
  public var durableVersion: Int64 { committer?.durable ?? 0 }

  /// Returns when all that was written survives the loss of power. Does nothing for a database in memory.
  public func flush() throws(QueryError) {
    guard let committer else { return }
    try wait(for: committer.applied)
    try committer.exclusively { () throws(QueryError) in try committer.storage.flush() }
  }

  /// Writes what is to be written, and lets go of the file. Queries go on with what is there; whoever writes later gets
  /// the error `storage-closed`. Does nothing for a database in memory.
  public func close() throws(QueryError) {
    guard let committer else { return }
    try refuseNested()
    try writer.withLock { (_) throws(QueryError) in
      if committer.hasFailed {
        // What failed is told; the file is as sound as before.
        committer.storage.abandon()
      } else {
        let newest = try newestVersion()
        try committer.exclusively { () throws(QueryError) in try committer.storage.close(newest) }
      }
      committer.stop(
        QueryError(code: "storage-closed", "the database is closed", help: "open it again to write to it"))
    }
  }

  /// Writes a copy of the file as it is now. Others read and write meanwhile, but what they write waits for it.
  ///
  /// - Throws: ``QueryError``; also where there is a file at the path, or the database is in memory.
  public func backup(to path: String) throws(QueryError) {
    guard let committer else {
      throw QueryError(code: "storage-failed", "a database in memory has no file to be copied")
    }
    try wait(for: committer.applied)
    try committer.exclusively { () throws(QueryError) in try committer.storage.backup(to: path) }
  }

  /// Reads again what the file holds, after a failure of the storage: then the database can be written again.
  public func reopen() throws(QueryError) {
    guard let committer else { return }
    try refuseNested()
    try writer.withLock { (_) throws(QueryError) in
      // What was applied before is kept, or its writer is told that it is not.
      if !committer.hasFailed { try wait(for: committer.applied) }
      var reopened: (snapshot: Snapshot, version: Int64, hasSchema: Bool)?
      try committer.exclusively(afterFailure: true) { () throws(QueryError) in
        reopened = try committer.storage.reopen()
      }
      guard let (snapshot, version, hasSchema) = reopened else { return }
      let companion = state.withLock { $0.companion }?.moved(to: snapshot.catalog)
      let old = state.withLock { state in
        let old = (state.snapshot, state.open)
        state = State(snapshot: snapshot, hasSchema: hasSchema, companion: companion)
        return old
      }
      committer.restart(version: version)
      withExtendedLifetime(old) {
        forgetTexts()
        tellWatchers()
      }
    }
  }

  /// Waits until a transaction is kept, and commits those that wait if nobody does.
  func wait(for ticket: Committer.Ticket) throws(QueryError) {
    guard let committer else { return }
    try committer.wait(for: ticket) { () throws(QueryError) in
      // What was applied until here, and the version with it.
      let (commits, snapshot) = state.withLock { state -> ([Commit], Snapshot?) in
        (committer.takeQueue(), state.open?.cut())
      }
      guard let snapshot, !commits.isEmpty else { return }
      do throws(QueryError) {
        try committer.storage.append(commits, newest: snapshot)
      } catch {
        // Nobody has seen what is not kept.
        let dropped = state.withLock { state in
          let dropped = state.open
          state.open = nil
          return dropped
        }
        withExtendedLifetime(dropped) {}
        throw error
      }
      let old = state.withLock { state in
        let old = state.snapshot
        state.snapshot = snapshot
        return old
      }
      withExtendedLifetime(old) { tellWatchers() }
    }
  }

  /// The newest version, which a writer goes on from: published, and kept. Called by the one writer.
  func newestVersion() throws(QueryError) -> Snapshot {
    guard let committer else { return current }
    try wait(for: committer.applied)
    // Its changes are in the version that is published.
    let (snapshot, open) = state.withLock { state in
      let open = state.open
      state.open = nil
      return (state.snapshot, open)
    }
    return withExtendedLifetime(open) { snapshot }
  }

  /// Keeps a version that is to be published. Called by the one writer, on what ``newestVersion()`` gave.
  func keep(_ next: Snapshot) throws(QueryError) {
    guard let committer else { return }
    try committer.check()
    let base = state.withLock { $0.snapshot }
    if next.hasLayout(of: base) {
      let changes = next.changes(since: base)
      if changes.isEmpty { return }
      try committer.commit { (version) throws(QueryError) in
        try committer.storage.append(
          [Commit(version: version, time: WallClock.now, changes: changes)], newest: next)
      }
    } else {
      try committer.exclusively { () throws(QueryError) in try committer.storage.check(next, after: base) }
      try committer.commit { (version) throws(QueryError) in
        try committer.storage.rewrite(next, version: version, time: WallClock.now)
      }
    }
  }
}

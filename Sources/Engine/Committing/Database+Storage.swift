import GQLBase
import GQLStore

/// What a database does so that its data lasts.
extension Database {
  /// Whether the database keeps its data.
  package var isDurable: Bool { committer != nil }

  /// The number of the last transaction that queries see; of a database in memory, that of its version.
  public var version: Int64 { committer?.durable ?? Int64(clamping: current.version) }

  /// The number of the last transaction that is kept; 0 for a database in memory.
  public var durableVersion: Int64 { committer?.durable ?? 0 }

  /// Returns when all that was written survives the loss of power. Does nothing for a database in memory.
  public func flush() throws(QueryError) {
    guard let committer else { return }
    try wait(for: committer.applied)
    try committer.commitNothing { () throws(QueryError) in try committer.storage.flush() }
  }

  /// Writes what is to be written, and lets go of the file. Queries go on with what is there; whoever writes later gets
  /// the error `storage-closed`. Does nothing for a database in memory.
  public func close() throws(QueryError) {
    guard let committer else { return }
    try refuseNested()
    try writer.withLock { (_) throws(QueryError) in
      let newest = try newestVersion()
      try committer.commitNothing { () throws(QueryError) in try committer.storage.close(newest) }
      committer.stop(
        QueryError(code: "storage-closed", "the database is closed", help: "open it again to write to it"))
    }
  }

  /// Reads again what the file holds, after a failure of the storage: then the database can be written again.
  public func reopen() throws(QueryError) {
    guard let committer else { return }
    try refuseNested()
    try writer.withLock { (_) throws(QueryError) in
      let (snapshot, version) = try committer.storage.reopen()
      let old = state.withLock { state in
        let old = (state.snapshot, state.open)
        state.snapshot = snapshot
        state.open = nil
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
  func wait(for version: Int64) throws(QueryError) {
    guard let committer else { return }
    try committer.wait(for: version) { () throws(QueryError) in
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
      try committer.commit { (version) throws(QueryError) in
        try committer.storage.rewrite(next, version: version, time: WallClock.now)
      }
    }
  }
}

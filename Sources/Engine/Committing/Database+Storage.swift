import GQLBase
import GQLStore

/// Keeping what is committed, see ``Committer``.
extension Database {
  /// Tells whether the database keeps its data in a storage.
  package var isDurable: Bool { committer != nil }

  /// The number of the last transaction that queries see; of a database in memory, that of its version.
  public var version: Int64 { committer?.durable ?? state.withLock { $0.version } }

  /// The number of the last transaction that is kept; 0 for a database in memory.
  public var durableVersion: Int64 { committer?.durable ?? 0 }

  /// Returns when all that was written survives the loss of power. Does nothing for a database in memory, or one that
  /// is opened for reading.
  public func flush() throws(QueryError) {
    guard let committer, committer.refusal == nil else { return }
    try wait(for: committer.applied)
    try committer.appendGathered(of: state)
    // Nothing is tried again on a file whose sync has failed.
    try committer.exclusively(ends: true) { () throws(QueryError) in
      do throws(QueryError) {
        try committer.storage.flush()
      } catch {
        state.forgetUnkept(committer)
        throw error
      }
    }
  }

  /// Writes what is to be written, and lets go of the file. Queries go on with what is there; whoever writes later gets
  /// the error `storage-closed`. Does nothing for a database in memory.
  public func close() throws(QueryError) {
    guard let committer else { return }
    try refuseNested()
    try writer.withLock { (_) throws(QueryError) in
      if committer.hasFailed {
        // What failed is told; the file is as sound as before.
        try alone(committer) { () throws(QueryError) in committer.storage.abandon() }
      } else {
        let newest = try newestVersion()
        try committer.appendGathered(of: state)
        try committer.exclusively { () throws(QueryError) in try committer.storage.close(newest) }
      }
      committer.stop(
        QueryError(code: "storage-closed", "the database is closed", help: "open it again to write to it"))
    }
  }

  /// Writes the newest version into a new file, with which another database can be opened. Others read and write
  /// meanwhile. A reader of a file with branches writes the file's newest state. Without branches, one that does not
  /// follow writes the version that it sees, where the file still has all of it, else the newest state too.
  ///
  /// - Returns: The names of branches that are damaged. They are not in the copy.
  /// - Throws: ``QueryError``; also where there is something at the path, or the database is in memory. The code is
  ///   `storage-changed` where the file was removed or replaced.
  @discardableResult
  public func backup(to path: String) throws(QueryError) -> [String] {
    guard let committer else {
      throw QueryError(code: "storage-failed", "a database in memory has no file to be copied")
    }
    if committer.isStopped { try committer.check() }
    try refuseNested()
    try refresh()
    // The branches of a file that others write to may be of a later version than the one that was read.
    var isAnew = try committer.refusal == nil ? false : branchTable.mayHaveAny(self)
    var tries = 0
    while true {
      do throws(QueryError) {
        return try isAnew ? copyAnew(committer, to: path) : copy(committer, to: path)
      } catch {
        // What is written meanwhile may take away a part of the past, or a branch.
        tries += 1
        guard error.problems.first?.code == "storage-changed", tries < 5, !branchTable.isReplaced(self) else {
          throw error
        }
        isAnew = committer.refusal != nil
      }
    }
  }

  private func copy(_ committer: Committer, to path: String) throws(QueryError) -> [String] {
    var damaged: [String] = []
    let copy = try writer.withLock { (_) throws(QueryError) in
      if committer.refusal == nil {
        _ = try newestVersion()
        try committer.appendGathered(of: state)
      }
      let (newest, version) = state.withLock { ($0.snapshot, $0.version) }
      let branches = try branchTable.contents(of: self, newest, version) { damaged.append($0) }
      return try branchTable.reading(self) { () throws(QueryError) in
        try committer.storage.copying(newest, version: version, branches)
      }
    }
    try copy(path)
    return damaged
  }

  /// Copies what the file holds now, read in one transaction, in the place of what a reader has of it.
  private func copyAnew(_ committer: Committer, to path: String) throws(QueryError) -> [String] {
    let storage = try branchTable.reading(self) { () throws(QueryError) in try committer.storage.second() }
    defer { storage.abandon() }
    var damaged: [String] = []
    try storage.readAtOnce { (stored) throws(QueryError) in
      let database = Database(stored, storage: storage, refusal: committer.refusal)
      damaged = try database.copy(database.committer ?? committer, to: path)
    }
    return damaged
  }

  /// Makes the file as small as it can be: numbers rows again without gaps, and gives the space of what was removed back
  /// to the system. Others read meanwhile, and wait to write. Followers load everything again.
  ///
  /// Complexity: O(*n* log *n*) in the number of entities. Needs as much space on the disk as the file takes.
  public func compact() throws(QueryError) {
    guard let committer else { return }
    try committer.check()
    if state.withLock({ $0.hasSchema }) {
      try replacing(rewrites: true) { (base, _) throws(QueryError) in
        (base.renumbered(fold: foldText, keepingAll: branchTable.hasAny(self)), ())
      }
    }
    try committer.exclusively { () throws(QueryError) in try committer.storage.vacuum() }
  }

  /// Takes up what the writer of the file has committed meanwhile, where the database follows it; queries do that by
  /// themselves. Returns whether there was something new.
  ///
  /// Complexity: some microseconds where nothing is new, else O(*n*) in the changes.
  @discardableResult
  public func refresh() throws(QueryError) -> Bool {
    guard let committer, let following = committer.following else { return false }
    let old = try following.withLock { (_) throws(QueryError) -> State? in
      if committer.isStopped { return nil }
      let newest = state.withLock { $0.snapshot }
      guard let news = try committer.storage.news(after: committer.durable, of: newest) else { return nil }
      return adopt(news, committer)
    }
    guard let old else { return false }
    withExtendedLifetime(old) { live.noteCommit() }
    return true
  }

  /// Runs `body` while nobody else uses the storage, be it after a failure.
  func alone(_ committer: Committer, _ body: () throws(QueryError) -> Void) throws(QueryError) {
    guard let following = committer.following else { return try committer.exclusively(afterFailure: true, body) }
    try following.withLock { (_) throws(QueryError) in try body() }
  }

  /// The version that queries started now will see, after ``refresh()``.
  package func latest() throws(QueryError) -> Snapshot {
    guard let committer, editing == nil else { return current }
    if committer.following != nil { try refresh() }
    return state.keptVersion(committer)
  }

  /// Puts a version that the storage keeps in the place of the one that is there, which is returned.
  func adopt(_ stored: StoredVersion, _ committer: Committer) -> State {
    let (newest, known) = state.withLock { ($0.snapshot.catalog, $0.companion) }
    var snapshot = stored.snapshot
    if !stored.isContinued, let catalog = snapshot.catalog.withDeletedRoots(of: newest) {
      snapshot = snapshot.with(catalog)
    }
    let companion = stored.isContinued ? nil : known?.moved(to: snapshot.catalog)
    // Before anybody sees the version.
    if let commits = stored.commits { for commit in commits { past.append(commit) } }
    let old = state.withLock { state in
      if !stored.isContinued { past.restart(after: stored.version, snapshot.catalog) }
      let old = state
      if stored.isContinued {
        state.snapshot = snapshot
        state.version = stored.version
        // Has what was lost, where somebody has written while writing ended.
        state.open = nil
      } else {
        state = State(
          snapshot: snapshot, hasSchema: stored.hasSchema, companion: companion, version: stored.version,
          numbering: RowNumbering())
      }
      return old
    }
    committer.restart(version: stored.version)
    if let editing, let versions = editing.log?.versions { editing.begin(with: versions) }
    if !stored.isContinued {
      registry.withLock { for origin in $0.undo.keys { $0.undo[origin]?.forget(after: stored.version) } }
      forgetTexts()
      buildIndexes()
    }
    return old
  }

  /// Reads again what the file holds, after a failure of the storage: then the database can be written again.
  public func reopen() throws(QueryError) {
    guard let committer else { return }
    try refuseNested()
    try writer.withLock { (_) throws(QueryError) in
      // What was applied before is kept, or its writer is told that it is not.
      if !committer.hasFailed {
        _ = try newestVersion()
        try committer.appendGathered(of: state)
      }
      let (newest, version) = state.withLock { ($0.snapshot, $0.version) }
      var old: State?
      try alone(committer) { () throws(QueryError) in
        old = adopt(try committer.storage.reopen(after: version, of: newest), committer)
      }
      branchTable.rereadAll()
      withExtendedLifetime(old) { live.noteCommit() }
    }
  }

  /// Waits until a transaction is kept, and commits those that wait if nobody does.
  func wait(for ticket: Committer.Ticket) throws(QueryError) {
    guard let committer else { return }
    try committer.wait(for: ticket) { () throws(QueryError) in try committer.append(of: state) }
  }

  /// The newest version, which a writer goes on from: published, and kept. Called by the one writer.
  func newestVersion() throws(QueryError) -> Snapshot {
    guard let committer else { return current }
    try wait(for: committer.applied)
    let (snapshot, dropped) = state.withLock { state in
      let old = state.publishKept(committer)
      // Its changes are in the version that is published.
      let open = state.open
      state.open = nil
      return (state.snapshot, (old, open))
    }
    return withExtendedLifetime(dropped) { snapshot }
  }
}

extension Committer {
  /// Has the storage write a little of what it has in its log. Returns whether there is more to do.
  func fold(_ state: Lock<Database.State>, _ writer: Lock<Bool>) throws(QueryError) -> Bool {
    var hasMore = false
    writer.letOthersPass()
    // As the writer, so that what is kept is also published.
    try writer.withLock { (_) throws(QueryError) in
      try exclusively(ends: true) { () throws(QueryError) in
        // What gathers is not in the log.
        if isGathering, hasQueue { return }
        do throws(QueryError) {
          hasMore = try storage.fold { state.keptVersion(self) }
        } catch {
          state.forgetUnkept(self)
          throw error
        }
      }
    }
    return hasMore
  }
}

extension Database.State {
  /// Publishes all that is kept, where that is more than what is published. Gives what is to be freed behind the lock.
  ///
  /// Takes back what is applied and not kept in the version that is made, unless one was cut in time. After the first look
  /// one is cut with each commit.
  mutating func publishKept(_ committer: Committer) -> Snapshot? {
    let kept = committer.durable
    // Also where whoever commits has published it already.
    isLookedAt = true
    guard let open, open.published < kept else { return nil }
    if let old = publishCut(through: kept) { return old }
    guard let (durable, commits) = committer.unkept() else { return nil }
    guard let next = try? open.cut(without: commits) else { return nil }
    return publish(next, durable)
  }

  /// Publishes the version that was cut with the transactions up to one; nothing where that is another.
  mutating func publishCut(through version: Int64) -> Snapshot? {
    guard let open, let cut = open.takeCut(through: version) else { return nil }
    return publish(cut, version)
  }

  /// Puts the version with the transactions up to one in the place of the one that is there, which is returned.
  private mutating func publish(_ next: Snapshot, _ version: Int64) -> Snapshot {
    let old = snapshot
    snapshot = next
    self.version = version
    open?.notePublished(next, version)
    return old
  }
}

extension Lock<Database.State> {
  /// The version with all that is kept.
  func keptVersion(_ committer: Committer) -> Snapshot {
    let (snapshot, old) = withLock { state in
      let old = state.publishKept(committer)
      return (state.snapshot, old)
    }
    return withExtendedLifetime(old) { snapshot }
  }

  /// The version with the transactions up to one. Called by a thread that commits, of the last one that it brings.
  func version(through last: Int64, _ committer: Committer) throws(QueryError) -> Snapshot {
    try withLock { (state) throws(QueryError) in
      guard let open = state.open else { return state.snapshot }
      if let cut = open.lastCut(through: last) { return cut }
      return try open.cut(without: committer.commits(after: last))
    }
  }

  /// Leaves of what is applied what is kept, because nothing more will be. Called by a thread that commits.
  func forgetUnkept(_ committer: Committer) {
    let dropped = withLock { state in
      let old = state.publishKept(committer)
      let open = state.open
      state.open = nil
      return (old, open)
    }
    withExtendedLifetime(dropped) {}
  }
}

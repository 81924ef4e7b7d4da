import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore

/// A writer that commits statements without a version of their own; see ``OpenVersion``.
struct OpenVersionWriter {
  let database: Database

  /// Applies a point mutation, and returns the number of the version with it; nil where it is not to be applied so, and
  /// nothing was done. Called by the one writer.
  ///
  /// Readers wait meanwhile, for microseconds: what can take longer is no point mutation.
  func apply(
    _ program: MutationProgram, _ context: MutationContext, into output: inout ByteBuffer
  ) throws(OpenVersionProblem) -> Int64? {
    try apply(at: context.now) { (open) throws(OpenVersionProblem) in
      try open.apply(program, context, into: &output)
    }
  }

  /// Applies a point mutation that is ready, as ``apply(_:_:into:)`` does.
  func apply(_ run: ReadyMutation) throws(OpenVersionProblem) -> Int64? {
    try apply(at: run.context.now) { (open) throws(OpenVersionProblem) in
      guard open.generation == run.generation else { return false }
      return try open.apply(run.program, run.context, into: &run.buffer)
    }
  }

  /// Applies a statement to the open version; nil where it is not to be applied so, and nothing was done. Else the number
  /// of the version with it. Called by the one writer.
  ///
  /// - Parameters:
  ///   - time: The instant of the statement.
  ///   - body: Returns false where it has done nothing because it reaches too much.
  func apply<Failure: Error>(
    at time: Int64, _ body: (OpenVersion) throws(Failure) -> Bool
  ) throws(Failure) -> Int64? {
    if let committer = database.committer { return try applyDurably(at: time, committer, body) }
    var published: OpenVersion?
    var dropped: [Snapshot] = []
    var needsCompaction = false
    // What is told of it; nil where its changes are not recorded.
    var told: (changes: ChangeSet, version: Int64)?
    // Freed behind the lock, for which readers wait.
    defer { withExtendedLifetime((published, dropped)) {} }
    database.state.letOthersPass()
    let version = try database.state.withLock { (state) throws(Failure) -> Int64? in
      // Whatever an insertion connects would be copied with all that waits.
      if state.snapshot.danglingCount > PointMutation.maximumLinks { return nil }
      let open = state.opened { OpenVersion($0, fold: foldText) }
      defer {
        needsCompaction = open.needsCompaction
        if open.isFull() || needsCompaction { published = state.publishOpen() }
      }
      let count = open.count
      guard try body(open) else { return nil }
      if open.count == count { return state.version }
      guard database.past.isKeeping || database.live.isFollowed else {
        open.forgetChanges()
        state.version += 1
        return state.version
      }
      let changes = open.takeChanges()
      if changes.isEmpty { return state.version }
      state.version += 1
      let past = database.past
      if open.followed < 0 {
        open.followed = state.version - 1
        dropped = past.keep(published: state.snapshot, open.followed)
      }
      past.append(Commit(version: state.version, time: time, changes: changes, cause: past.cause.current))
      told = (changes, state.version)
      return state.version
    }
    if let told { database.live.note(told.changes, told.version) } else if version != nil { database.live.noteCommit() }
    // Cannot fail: nothing is kept.
    if needsCompaction { try? dropSuperseded() }
    return version
  }

  /// Applies a statement of a database that keeps its data. The caller waits until it is kept, without the lock.
  private func applyDurably<Failure: Error>(
    at time: Int64, _ committer: Committer, _ body: (OpenVersion) throws(Failure) -> Bool
  ) throws(Failure) -> Int64? {
    // What cannot be kept is refused where that is said.
    if committer.hasFailed { return nil }
    var superseded: Snapshot?
    var dropped: [Snapshot] = []
    // What is told of it; nil where it is not kept yet.
    var told: (changes: ChangeSet, version: Int64)?
    // Freed behind the lock, for which readers wait.
    defer {
      withExtendedLifetime((superseded, dropped)) { if let told { database.live.note(told.changes, told.version) } }
    }
    database.state.letOthersPass()
    return try database.state.withLock { (state) throws(Failure) -> Int64? in
      // Writing may have ended meanwhile: what is applied then is never kept.
      if committer.hasFailed || state.snapshot.danglingCount > PointMutation.maximumLinks { return nil }
      // Applied as a transaction of its own, which goes on from a version without what is superseded, or is appended with
      // what has gathered.
      if let open = state.open, open.needsCompaction || committer.isFull { return nil }
      if let open = state.open, open.isFull(unkept: committer.unkeptCount) {
        superseded = state.publishKept(committer)
      }
      let open = state.opened { OpenVersion($0, fold: foldText, keepingAfter: committer.durable) }
      defer {
        if open.isLost {
          superseded = state.publishCut(through: committer.durable)
          state.open = nil
          committer.stop(
            QueryError(
              code: "storage-failed", "a statement could not be taken back, and nothing after the last commit is kept",
              help: "reopen the database"))
        }
      }
      guard try body(open) else { return nil }
      let changes = open.takeChanges()
      if changes.isEmpty { return committer.appliedNumber }
      if open.followed != state.version {
        open.followed = state.version
        dropped = database.past.keep(published: state.snapshot, state.version)
      }
      let version = committer.enqueue(changes, time: time)
      if committer.isGathering { told = (changes, version) }
      return version
    }
  }

  /// Leaves behind what is superseded. Readers do not wait for it.
  private func dropSuperseded() throws(QueryError) {
    let transaction = WriteTransaction(database.current, fold: foldText)
    transaction.takeUpCompaction()
    try database.publish(transaction.commit(), isTransaction: false)
  }
}

extension Database {
  /// The number of statements that were committed since the published version.
  package var unpublishedCount: Int { state.withLock { $0.open?.count ?? 0 } }
}

extension Database.State {
  /// Returns what is open; what `make` makes of the published version where nothing is.
  fileprivate mutating func opened(_ make: (Snapshot) -> OpenVersion) -> OpenVersion {
    if let open { return open }
    let made = make(snapshot)
    open = made
    return made
  }

  /// Publishes what is open, if anything is; gives what is to be freed behind the lock.
  mutating func publishOpen() -> OpenVersion? {
    guard let open else { return nil }
    self.open = nil
    snapshot = open.publish()
    return open
  }
}

extension Lock<Database.State> {
  /// Calls with a state whose version has all that was committed.
  func withPublished<Result>(_ body: (inout Database.State) -> Result) -> Result {
    let (result, open) = withLock { state in
      let open = state.publishOpen()
      return (body(&state), open)
    }
    // The versions that it began with and superseded are freed here.
    withExtendedLifetime(open) {}
    return result
  }
}

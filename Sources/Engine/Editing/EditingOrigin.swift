import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where an editing context comes from, and what it has of there. The context's own database holds it.
///
/// Locks are taken from the context to what it was made of, never the other way: whoever writes to a context waits for its
/// lock, and saving takes that of the database within it. So a thread that writes to a database is refused its contexts.
final class EditingOrigin: Sendable {
  struct Progress: Sendable {
    /// The version that the context's changes are compared with.
    var base: Snapshot
    var companion: (any SnapshotCompanion)?
    /// The version that was looked at last. It is not the base where that could not be followed.
    var seen: Snapshot
    /// Rows of the base that are in conflict, with the versions that they began with.
    var held: [DeletedRow: HeldRow] = [:]
    /// Holds what other modules keep with the versions of `held`.
    var heldCompanions: [DeletedRow: MergeCompanions.Held] = [:]
    /// That of the rows of the base, and of the context's own.
    var numbering: RowNumbering
  }

  let parent: Database
  let isLive: Bool
  let progress: Lock<Progress>
  /// Keeps what is written to a branch; nil for other contexts.
  let log: BranchLog?
  /// Merges of branches into the context; those into a branch are in its storage.
  let merges = Lock<MergeMemory.Followed>(MergeMemory.Followed())
  /// Tells live queries of the context what others commit.
  private let watch = Lock<CommitWatch?>(nil)
  /// Held while a reader brings the context to the newest version: others wait, and do not read the one before.
  private let following = Lock<Void>(())

  /// The name of the stack of a context's own changes.
  static let undoOrigin = "gqlite.editing"

  init(parent: Database, isLive: Bool, _ progress: Progress, _ log: BranchLog? = nil) {
    self.parent = parent
    self.isLive = isLive
    self.log = log
    self.progress = Lock(progress)
  }

  /// Indicates whether the thread writes to what the context was made of, or what that was made of.
  var isWrittenHere: Bool {
    parent.writingThread.load(ordering: .relaxed) == Database.thread || parent.editing?.isWrittenHere ?? false
  }

  // MARK: - Following

  /// Brings the context to the newest version of its origin, where it follows that and nobody writes to it. What cannot
  /// be brought together stays as it is.
  func follow(_ own: Database) {
    try? refresh(own)
    if let log, !isWrittenHere, log.isOutdated(own) {
      own.writer.withLockIfFree { _ in try? reread(own) }
    }
    if !isLive || own.writingThread.load(ordering: .relaxed) == Database.thread { return }
    let newest = parent.published.snapshot
    // Most readers do not wait, and need no clock.
    var end: UInt64?
    while !progress.withLock({ $0.seen === newest }) {
      let isFree = following.withLockIfFree { _ in
        // Whoever writes to the context brings it there, too.
        own.writer.withLockIfFree { _ in
          own.writingThread.store(Database.thread, ordering: .relaxed)
          defer { own.writingThread.store(0, ordering: .relaxed) }
          _ = try? advance(own)
        }
        return true
      }
      // A merge may call code of the program, and that may wait for whoever reads here.
      if isFree != nil { return }
      let now = MonotonicClock.now
      if now > end ?? now { return }
      end = end ?? now + Self.longestWait
      usleep(20)
    }
  }

  /// Indicates whether another process writes to the branch, so that the storage is asked for news.
  var isWrittenElsewhere: Bool { log != nil && parent.committer?.following != nil }

  /// Reads a branch again that another process writes to, where it has been left otherwise.
  ///
  /// - Throws: ``QueryError`` `unknown-branch` where it was dropped, and what reading the storage throws.
  func refresh(_ own: Database) throws(QueryError) {
    guard isWrittenElsewhere, let log, !isWrittenHere, own.writingThread.load(ordering: .relaxed) != Database.thread,
      !(own.committer?.isStopped ?? true)
    else { return }
    try parent.refresh()
    do throws(QueryError) {
      guard try log.differsFromStorage() || log.isOutdated(own) else { return }
      let result = own.writer.withLockIfFree { _ -> Result<Void, QueryError> in
        do throws(QueryError) { return .success(try reread(own)) } catch { return .failure(error) }
      }
      try result?.get()
    } catch {
      // The file has gone on meanwhile, and is read with the next look.
      if error.problems.first?.code == "storage-changed" { return }
      throw error
    }
  }

  /// Nanoseconds that a reader waits for another one that brings the context to the newest version.
  private static let longestWait: UInt64 = 1_000_000_000

  /// Makes a context ready to be written to. Called by the context's writer.
  func prepareToWrite(_ own: Database) throws(QueryError) {
    if isLive { _ = try? advance(own) }
    if log?.isOutdated(own) ?? false { try reread(own) }
  }

  /// Reads a branch again, whose database has another layout. Called by the branch's writer.
  private func reread(_ own: Database) throws(QueryError) {
    guard let log, let committer = own.committer else { return }
    // What cannot be kept is of the layout before; its writers are told.
    try? own.wait(for: committer.applied)
    let old = own.adopt(try log.reread(), committer)
    withExtendedLifetime(old) { own.live.noteCommit() }
  }

  /// Goes on from what a branch has been read as.
  func begin(with versions: BranchVersions) {
    let numbering = parent.numbering
    progress.withLock {
      $0 = Progress(base: versions.base, companion: $0.companion, seen: versions.base, numbering: numbering)
    }
  }

  /// Brings the context to the newest version of its origin. Called by the context's writer.
  ///
  /// - Parameter choice: What counts in a branch where both have changed the same. Another context keeps its side, and
  ///   tells the conflict when it is saved.
  /// - Parameter step: Says what it is brought there for, if it is for more than that.
  /// - Parameter accepting: Is called with what the context becomes, if it is to become another version.
  /// - Returns: What was in conflict, and was decided.
  /// - Throws: ``QueryError`` where it cannot be brought there, or is not accepted; it stays as it is then.
  @discardableResult
  func advance(
    _ own: Database, conflicts choice: MergeChoice = .fail, as step: EditingProblem.Step? = nil,
    accepting: (Snapshot, (any SnapshotCompanion)?) throws(QueryError) -> Void = { _, _ in }
  ) throws(QueryError) -> [MergeConflict] {
    if let log {
      // What others write to a branch is in the storage only.
      if parent.committer?.refusal != nil {
        try reread(own)
        return []
      }
      _ = try own.newestVersion()
      return try parent.branchTable.withNewest(of: parent) { (newest, version, _) throws(QueryError) in
        let known = progress.withLock { $0 }
        if known.base === newest { return [] }
        let companion = parent.state.withLock { $0.companion }
        var merged = own.unfollowed
        var conflicts: [MergeConflict] = []
        if merged.snapshot === known.base {
          merged = (newest, companion)
        } else {
          let merger = ContextMerger(parent: parent, known, mine: merged.snapshot, merged.companion)
          let result = try merger.merge(into: newest, companion, choice, parent.numbering)
          if result.isOpen { throw EditingProblem.conflicts(result.conflicts, step ?? .refreshing(choice)).error }
          merged = (result.snapshot, result.companion)
          conflicts = result.conflicts
        }
        try accepting(merged.snapshot, merged.companion)
        let noted: BranchStep = conflicts.isEmpty ? [] : .decided
        try log.rebasing(onto: newest, version, isKept: false, as: noted, own) { () throws(QueryError) in
          try put(own, merged.snapshot, merged.companion)
        }
        begin(base: newest, companion, parent.numbering)
        return conflicts
      }
    }
    let (newest, numbering) = parent.numbered
    let known = progress.withLock { $0 }
    if known.base === newest.snapshot { return [] }
    // Not before it is done, because readers go by it. What cannot be followed is not tried again.
    defer { progress.withLock { $0.seen = newest.snapshot } }
    let mine = own.unfollowed
    if mine.snapshot === known.base {
      try accepting(newest.snapshot, newest.companion)
      try move(own, to: newest.snapshot, newest.companion, numbering)
      return []
    }
    let merger = ContextMerger(parent: parent, known, mine: mine.snapshot, mine.companion)
    let merged = try merger.merge(into: newest.snapshot, newest.companion, .mine, numbering)
    if merged.isOpen || !merged.canBeHeld {
      throw EditingProblem.conflicts(merged.conflicts, step ?? .following).error
    }
    try accepting(merged.snapshot, merged.companion)
    try put(own, merged.snapshot, merged.companion)
    progress.withLock {
      $0 = Progress(
        base: merged.theirs, companion: newest.companion, seen: newest.snapshot, held: merged.held,
        heldCompanions: merged.heldCompanions, numbering: numbering)
    }
    return merged.conflicts
  }

  /// Goes on from a version, without changes.
  private func move(
    _ own: Database, to snapshot: Snapshot, _ companion: (any SnapshotCompanion)?, _ numbering: RowNumbering
  ) throws(QueryError) {
    // Contexts of this one have its rows.
    let isRenumbered = progress.withLock { $0.numbering } != numbering
    try put(own, snapshot, companion, isRenumbered: isRenumbered)
    begin(base: snapshot, companion, numbering)
  }

  private func begin(
    base: Snapshot, _ companion: (any SnapshotCompanion)?, _ numbering: RowNumbering
  ) {
    progress.withLock {
      $0 = Progress(base: base, companion: companion, seen: base, numbering: numbering)
    }
  }

  /// Puts a version in the place of the newest. Throws of a branch only, where it cannot be kept.
  private func put(
    _ own: Database, _ snapshot: Snapshot, _ companion: (any SnapshotCompanion)?, isRenumbered: Bool = false
  ) throws(QueryError) {
    // What is open is a version of its own for those that are kept.
    _ = try own.newestVersion()
    let version = try VersionKeeper(database: own).keep(snapshot)
    let old = own.state.withLock { state in
      let old = state
      state.snapshot = snapshot
      state.companion = companion
      state.version = version
      state.hasSchema = state.hasSchema || !snapshot.catalog.types.isEmpty
      if isRenumbered { state.numbering = RowNumbering() }
      return old
    }
    if old.snapshot.catalog.version != snapshot.catalog.version { own.forgetTexts() }
    withExtendedLifetime(old) { own.live.note(snapshot, version, of: own) }
  }

  /// Has those who follow the context told of what others commit.
  func beginWatching(_ own: Database) {
    if !isLive { return }
    watch.withLock { watch in
      if watch == nil { watch = CommitWatch(parent) { [weak own] in own?.live.noteCommit() } }
    }
  }

  // MARK: - Saving

  /// Indicates whether the context has changes. Looks at the newest version where it follows that.
  func changes(_ own: Database) -> DatabaseChanges {
    follow(own)
    // What a branch has not kept yet is not seen.
    let (mine, companion) = log == nil ? own.unfollowed : (own.current, nil)
    let known = progress.withLock { $0 }
    if mine === known.base { return DatabaseChanges(from: mine, to: mine) }
    var changes = DatabaseChanges(from: ContextMerger.fitted(known.base, to: mine) ?? mine, to: mine)
    let companions = MergeCompanions(base: known.companion, mine: companion)
    changes.note(companions.moved(from: known.base.catalog, to: mine.catalog))
    return changes
  }

  func save(
    _ own: Database, _ choice: MergeChoice, origin: String?, action: String?
  ) throws(QueryError) -> MergeReport {
    try CommitCause.check(origin: origin)
    return try changing(own) { () throws(QueryError) in
      let known = progress.withLock { $0 }
      let mine = own.unfollowed
      if mine.snapshot === known.base {
        // It goes on from the newest version, as after any save.
        if log != nil { try advance(own) }
        let (newest, numbering) = parent.numbered
        if log == nil { try move(own, to: newest.snapshot, newest.companion, numbering) }
        let same = DatabaseChanges(from: newest.snapshot, to: newest.snapshot)
        return MergeReport(version: parent.version, applied: same, conflicts: [])
      }
      let merger = ContextMerger(parent: parent, known, mine: mine.snapshot, mine.companion)
      let done = try asWriter(of: parent) { () throws(QueryError) in
        guard let log else {
          return try PastWriter(database: parent).noting(origin, action) { () throws(QueryError) in
            try merger.save(choice)
          }
        }
        return try saveBranch(own, log, merger, choice, origin: origin, action: action)
      }
      if log == nil {
        try move(own, to: done.snapshot, done.companion, done.numbering)
        MergeMemory(origin: self, own: own).note(done.report.conflicts.isEmpty ? .saved : [.saved, .decided])
      }
      own.undoStack(for: Self.undoOrigin).removeAll()
      return done.report
    }
  }

  /// Saves the changes of a branch, which has none of them from the same step on. Called by the writer of both.
  private func saveBranch(
    _ own: Database, _ log: BranchLog, _ merger: ContextMerger, _ choice: MergeChoice, origin: String?, action: String?
  ) throws(QueryError) -> ContextMerger.Saved {
    let table = parent.branchTable
    // What gathers is no commit of the branch: so nothing but its own is kept while it is being rebased.
    try parent.committer?.appendGathered(of: parent.state)
    table.beginRebase(log, of: parent)
    defer { table.endRebase(of: parent) }
    var step = BranchStep.saved
    let saved = try PastWriter(database: parent).noting(origin, action) { () throws(QueryError) in
      try merger.save(choice) {
        step.insert(.decided)
        table.noteRebase(as: step, of: parent)
      }
    }
    let isKept = table.hasRebased(parent)
    try log.rebasing(
      onto: saved.snapshot, saved.report.version, isKept: isKept, as: step, own
    ) { () throws(QueryError) in
      try put(own, saved.snapshot, saved.companion)
    }
    begin(base: saved.snapshot, saved.companion, saved.numbering)
    return saved
  }

  /// Runs `body` as the one writer of a database.
  func asWriter<Output>(
    of database: Database, _ body: () throws(QueryError) -> Output
  ) throws(QueryError) -> Output {
    do {
      return try database.exclusively { try body() }
    } catch let error as QueryError {
      throw error
    } catch {
      throw QueryError(code: "command-failed", "\(error)")
    }
  }

  /// Brings the changes of a branch into another context, which has them beside its own. Nothing is done where that fails.
  func merge(
    _ own: Database, into other: EditingOrigin, _ target: Database, _ choice: MergeChoice, origin: String?,
    action: String?
  ) throws(QueryError) -> MergeReport {
    try CommitCause.check(origin: origin)
    guard other.parent === parent, target !== own, let log else { throw BranchProblem.unrelated.error }
    let merger = BranchMerger(origin: self, own: own, other: other, target: target, choice: choice)
    return try merger.merge(log, origin: origin, action: action)
  }

  func discard(_ own: Database) throws(QueryError) {
    try changing(own) { () throws(QueryError) in
      let (newest, numbering) = parent.numbered
      let known = progress.withLock { $0 }
      if isLive {
        try move(own, to: newest.snapshot, newest.companion, numbering)
      } else if let log, let record = log.versions?.record {
        try log.rebasing(onto: known.base, record.base, isKept: false, as: .dropped, own) { () throws(QueryError) in
          try put(own, known.base, known.companion)
        }
        begin(base: known.base, known.companion, known.numbering)
      } else {
        try move(own, to: known.base, known.companion, known.numbering)
      }
      MergeMemory(origin: self, own: own).note(.dropped)
      own.undoStack(for: Self.undoOrigin).removeAll()
    }
  }

  /// Runs `body` as the context's one writer.
  func changing<Output>(_ own: Database, _ body: () throws(QueryError) -> Output) throws(QueryError) -> Output {
    try own.refuseNested()
    return try own.writer.withLock { (_) throws(QueryError) in
      own.writingThread.store(Database.thread, ordering: .relaxed)
      defer { own.writingThread.store(0, ordering: .relaxed) }
      if log?.isOutdated(own) ?? false { try reread(own) }
      if log != nil { _ = try own.newestVersion() }
      return try body()
    }
  }
}

extension Database {
  /// The newest version, without what others have committed since to what a context was made of.
  var unfollowed: (snapshot: Snapshot, companion: (any SnapshotCompanion)?) {
    state.withPublished { ($0.snapshot, $0.companion) }
  }

  /// That of the rows of the newest version.
  var numbering: RowNumbering { state.withLock { $0.numbering } }

  /// The newest version, with the numbering of its rows.
  var numbered: (newest: Published, numbering: RowNumbering) {
    while true {
      let before = numbering
      let newest = published
      // Rows may have got other numbers meanwhile, as the file was read again for example.
      if numbering == before { return (newest, before) }
    }
  }
}

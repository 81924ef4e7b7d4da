import GQLBase
import GQLCatalog
import GQLStore
import GQLWriting

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
    var held: [DeletedRow: Snapshot] = [:]
    /// Counts how often the origin's rows were numbered anew.
    var numbering: Int
  }

  let parent: Database
  let isLive: Bool
  let progress: Lock<Progress>
  /// Tells live queries of the context what others commit.
  private let watch = Lock<CommitWatch?>(nil)

  /// The name of the stack of a context's own changes.
  static let undoOrigin = "gqlite.editing"

  init(parent: Database, isLive: Bool, _ progress: Progress) {
    self.parent = parent
    self.isLive = isLive
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
    if !isLive || own.writingThread.load(ordering: .relaxed) == Database.thread { return }
    let newest = parent.published
    if progress.withLock({ $0.seen === newest.snapshot }) { return }
    own.writer.withLockIfFree { _ in
      own.writingThread.store(Database.thread, ordering: .relaxed)
      defer { own.writingThread.store(0, ordering: .relaxed) }
      try? advance(own)
    }
  }

  /// Brings the context to the newest version of its origin. Called by the context's writer.
  ///
  /// - Throws: ``QueryError`` where it cannot be brought there; it stays as it is then.
  func advance(_ own: Database) throws(QueryError) {
    let newest = parent.published
    let numbering = parent.numbering
    let known = progress.withLock { $0 }
    if known.base === newest.snapshot { return }
    progress.withLock { $0.seen = newest.snapshot }
    let mine = own.unfollowed
    if mine.snapshot === known.base {
      move(own, to: newest.snapshot, newest.companion, numbering, [:])
      return
    }
    let merger = ContextMerger(parent: parent, known, mine: mine.snapshot, mine.companion)
    let merged = try merger.merge(into: newest.snapshot, newest.companion, .mine, numbering)
    if merged.isOpen || !merged.canBeHeld { throw EditingProblem.conflicts(merged.conflicts).error }
    put(own, merged.snapshot, merged.companion)
    progress.withLock {
      $0 = Progress(
        base: merged.theirs, companion: newest.companion, seen: newest.snapshot, held: merged.held,
        numbering: numbering)
    }
  }

  /// Goes on from a version, without changes.
  func move(
    _ own: Database, to snapshot: Snapshot, _ companion: (any SnapshotCompanion)?, _ numbering: Int,
    _ held: [DeletedRow: Snapshot]
  ) {
    put(own, snapshot, companion)
    progress.withLock {
      $0 = Progress(base: snapshot, companion: companion, seen: snapshot, held: held, numbering: numbering)
    }
  }

  private func put(_ own: Database, _ snapshot: Snapshot, _ companion: (any SnapshotCompanion)?) {
    // What is open is a version of its own for those that are kept.
    _ = own.unfollowed
    // Cannot fail: nothing is kept.
    let version = (try? own.keep(snapshot)) ?? 0
    let old = own.state.withLock { state in
      let old = state
      state.snapshot = snapshot
      state.companion = companion
      state.version = version
      state.hasSchema = state.hasSchema || !snapshot.catalog.types.isEmpty
      return old
    }
    if old.snapshot.catalog.version != snapshot.catalog.version { own.forgetTexts() }
    withExtendedLifetime(old) { own.live.noteCommit() }
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
    let mine = own.unfollowed.snapshot
    let base = progress.withLock { $0.base }
    if mine === base { return DatabaseChanges(from: base, to: base) }
    return DatabaseChanges(from: ContextMerger.fitted(base, to: mine) ?? mine, to: mine)
  }

  func save(
    _ own: Database, _ choice: MergeChoice, origin: String?, action: String?
  ) throws(QueryError) -> MergeReport {
    try changing(own) { () throws(QueryError) in
      let known = progress.withLock { $0 }
      let mine = own.unfollowed
      if mine.snapshot === known.base {
        // It goes on from the newest version, as after any save.
        let newest = parent.published
        move(own, to: newest.snapshot, newest.companion, parent.numbering, [:])
        let same = DatabaseChanges(from: newest.snapshot, to: newest.snapshot)
        return MergeReport(version: parent.version, applied: same, conflicts: [])
      }
      let merger = ContextMerger(parent: parent, known, mine: mine.snapshot, mine.companion)
      var saved: ContextMerger.Saved?
      do {
        saved = try parent.exclusively {
          try PastWriter(database: parent).noting(origin, action) { try merger.save(choice) }
        }
      } catch let error as QueryError {
        throw error
      } catch {
        throw QueryError(code: "command-failed", "\(error)")
      }
      // Safe because what does not throw has saved.
      let done = saved.unsafelyUnwrapped
      move(own, to: done.snapshot, done.companion, done.numbering, [:])
      own.undoStack(for: Self.undoOrigin).removeAll()
      return done.report
    }
  }

  func discard(_ own: Database) throws(QueryError) {
    try changing(own) { () throws(QueryError) in
      let newest = parent.published
      let known = progress.withLock { $0 }
      if isLive {
        move(own, to: newest.snapshot, newest.companion, parent.numbering, [:])
      } else {
        move(own, to: known.base, known.companion, known.numbering, [:])
      }
      own.undoStack(for: Self.undoOrigin).removeAll()
    }
  }

  /// Runs `body` as the context's one writer.
  func changing<Output>(_ own: Database, _ body: () throws(QueryError) -> Output) throws(QueryError) -> Output {
    try own.refuseNested()
    return try own.writer.withLock { (_) throws(QueryError) in
      own.writingThread.store(Database.thread, ordering: .relaxed)
      defer { own.writingThread.store(0, ordering: .relaxed) }
      return try body()
    }
  }
}

extension Database {
  /// The newest version, without what others have committed since to what a context was made of.
  var unfollowed: (snapshot: Snapshot, companion: (any SnapshotCompanion)?) {
    state.withPublished { ($0.snapshot, $0.companion) }
  }

  /// Counts how often rows got other numbers.
  var numbering: Int { state.withLock { $0.numbering } }
}

/// Why a context cannot be saved.
enum EditingProblem: Error {
  case conflicts([MergeConflict])
  /// The newest schema cannot hold what the context has, with what it cannot.
  case otherSchema(String)
  /// Rows have other numbers since the context began.
  case renumbered

  static let codes: [DiagnosticCode] = ["merge-conflict", "context-outdated", "wrong-merge"]

  var error: QueryError {
    switch self {
    case .conflicts(let conflicts):
      QueryError(
        conflicts.filter { $0.resolved == .open }.prefix(100).map {
          Diagnostic("merge-conflict", $0.description, at: SourceRange(at: 0), help: Self.help($0.kind))
        }, in: SourceText(name: "", bytes: []))
    case .otherSchema(let reason):
      QueryError(
        code: "context-outdated", "the context does not fit the schema that the database has now: \(reason)",
        help: "the context can still be read; discard it to go on with the new schema")
    case .renumbered:
      QueryError(
        code: "context-outdated", "the database was compacted since the context began",
        help: "the context can still be read; discard it to begin anew")
    }
  }

  private static func help(_ kind: MergeConflict.Kind) -> String {
    switch kind {
    case .field, .deleted, .inserted: "save with 'conflicts: .mine' or '.theirs', or give the field '@merge(by:)'"
    case .key: "give one of the two another value, or save with 'conflicts: .theirs'"
    case .required, .denied: "change the links, or save with 'conflicts: .theirs'"
    }
  }
}

import Dispatch
import GQLBase
import GQLStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Brings the transactions of a database to its storage, as many at a time as have come meanwhile.
///
/// A writer that waits and finds nobody committing commits what is there, its own and that of others. So a writer alone
/// waits for one flush of the disk, and many share one.
final class Committer: @unchecked Sendable {
  private struct Progress {
    /// The version of the last transaction that was applied, and of the last that is kept.
    var applied: Int64
    var durable: Int64
    var queue: [Commit] = []
    /// The last transaction that was taken out of the queue.
    var taken: Int64 = 0
    var isCommitting = false
    /// Why nothing can be written any more.
    var failure: QueryError?
    /// Indicates whether writing has ended, rather than never been allowed.
    var isStopped = false
    /// When something was committed last, in milliseconds of a clock that only goes forward.
    var lastCommit: UInt64 = 0
    var isFoldingDue = false
    /// Indicates whether a thread commits the queue though no writer waits for it.
    var isCommitDue = false
    /// For each time that writing has ended so far: the last transaction that was kept then, and why it ended.
    var ends: [(durable: Int64, failure: QueryError)] = []

    /// Ends writing: what is not kept is lost.
    mutating func end(_ reason: QueryError) {
      ends.append((durable, reason))
      failure = reason
      isStopped = true
      queue.removeAll()
      applied = durable
    }
  }

  /// A transaction that was applied. A number alone does not name it: after a failure, numbers are given again.
  struct Ticket {
    fileprivate let version: Int64
    /// How often writing had ended.
    fileprivate let ends: Int
  }

  let storage: any CommitStorage
  /// Why nothing may be written, ever; nil for a database that is opened for writing.
  let refusal: QueryError?
  /// Held by whoever looks for news; nil for a database that does not follow another.
  let following: Lock<Bool>?
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  @exclusivity(unchecked) private var progress: Progress

  /// `version` is that of the last transaction that the storage keeps.
  init(_ storage: any CommitStorage, version: Int64, refusal: QueryError? = nil, isFollowing: Bool = false) {
    self.storage = storage
    self.refusal = refusal
    following = isFollowing ? Lock(false) : nil
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    pthread_cond_init(condition, nil)
    progress = Progress(applied: version, durable: version, failure: refusal)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    pthread_cond_destroy(condition)
    condition.deallocate()
  }

  private func locked<Output>(_ body: () -> Output) -> Output {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// The last transaction that was applied.
  var applied: Ticket { locked { Ticket(version: progress.applied, ends: progress.ends.count) } }

  /// The last transaction that was applied since another look. Where writing has ended between the two, what was applied
  /// is lost, and whoever waits for it is told so.
  func applied(since before: Ticket) -> Ticket {
    locked {
      before.ends == progress.ends.count
        ? Ticket(version: progress.applied, ends: before.ends) : Ticket(version: .max, ends: before.ends)
    }
  }

  /// The version of the last transaction that is kept.
  var durable: Int64 { locked { progress.durable } }

  /// Tells whether writing has ended, or was never allowed.
  var hasFailed: Bool { locked { progress.failure != nil } }

  /// Tells whether the database is open, but not for writing.
  var isNeverWritten: Bool { refusal != nil && !isStopped }

  /// Tells whether the database is closed, or writing has ended after a failure.
  var isStopped: Bool { locked { progress.isStopped } }

  /// Throws where nothing can be written any more.
  func check() throws(QueryError) { if let failure = locked({ progress.failure }) { throw failure } }

  /// Adds a transaction that was applied to the open version; see ``wait(for:committing:)``.
  func enqueue(_ changes: ChangeSet, time: Int64) {
    locked {
      progress.applied += 1
      progress.queue.append(Commit(version: progress.applied, time: time, changes: changes))
    }
  }

  /// Takes the transactions that wait. Called within ``wait(for:committing:)``.
  func takeQueue() -> [Commit] {
    locked {
      let taken = progress.queue
      progress.queue.removeAll(keepingCapacity: true)
      if let last = taken.last { progress.taken = last.version }
      return taken
    }
  }

  /// Returns whether the caller is to commit what gathers, because nobody else does so without waiting.
  func beginsCommitting() -> Bool {
    locked {
      defer { progress.isCommitDue = true }
      return !progress.isCommitDue
    }
  }

  /// Returns whether there is more to be committed by whoever ``beginsCommitting()`` has chosen, who has ended otherwise.
  func goesOnCommitting() -> Bool {
    locked {
      progress.isCommitDue = progress.durable < progress.applied
      return progress.isCommitDue
    }
  }

  /// Waits until a transaction is kept. `commit` brings what ``takeQueue()`` gives to the storage, and publishes it.
  func wait(for ticket: Ticket, committing commit: () throws(QueryError) -> Void) throws(QueryError) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if ticket.ends < progress.ends.count {
        let end = progress.ends[ticket.ends]
        if ticket.version > end.durable { throw end.failure }
        return
      }
      if progress.durable >= ticket.version { return }
      if let failure = progress.failure { throw failure }
      if progress.isCommitting {
        pthread_cond_wait(condition, mutex)
        continue
      }
      try commitUnlocked(to: nil, commit)
    }
  }

  /// Keeps a transaction that is not applied to the open version. Called by the one writer, when nothing waits.
  func commit(_ body: (_ version: Int64) throws(QueryError) -> Void) throws(QueryError) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while progress.isCommitting { pthread_cond_wait(condition, mutex) }
    if let failure = progress.failure { throw failure }
    progress.applied += 1
    let version = progress.applied
    try commitUnlocked(to: version) { () throws(QueryError) in try body(version) }
  }

  /// Runs `body` when nobody commits, and keeps others from it. Where it fails, others go on.
  ///
  /// - Parameter ends: Whether writing ends where it fails.
  func exclusively(
    afterFailure: Bool = false, ends: Bool = false, _ body: () throws(QueryError) -> Void
  ) throws(QueryError) {
    pthread_mutex_lock(mutex)
    while progress.isCommitting { pthread_cond_wait(condition, mutex) }
    if !afterFailure, let failure = progress.failure {
      pthread_mutex_unlock(mutex)
      throw failure
    }
    progress.isCommitting = true
    pthread_mutex_unlock(mutex)
    var failure: QueryError?
    defer {
      locked {
        progress.isCommitting = false
        if ends, let failure { progress.end(failure) }
        pthread_cond_broadcast(condition)
      }
    }
    do throws(QueryError) {
      try body()
    } catch {
      failure = error
      throw error
    }
  }

  /// Runs `body` without the lock, and notes that what it has taken is kept, or that it failed. Precondition: locked.
  private func commitUnlocked(
    to version: Int64?, _ body: () throws(QueryError) -> Void
  ) throws(QueryError) {
    progress.isCommitting = true
    pthread_mutex_unlock(mutex)
    var failure: QueryError?
    do throws(QueryError) { try body() } catch { failure = error }
    pthread_mutex_lock(mutex)
    progress.isCommitting = false
    if let failure {
      progress.end(failure)
    } else {
      progress.durable = version ?? max(progress.durable, progress.taken)
      noteCommit()
    }
    pthread_cond_broadcast(condition)
    if let failure { throw failure }
  }

  // MARK: - Folding

  private static var milliseconds: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }

  /// Has the storage fold when nothing is committed for a while. Precondition: locked.
  private func noteCommit() {
    guard storage.foldingDelay > 0 else { return }
    progress.lastCommit = Self.milliseconds
    if progress.isFoldingDue { return }
    progress.isFoldingDue = true
    foldLater(in: storage.foldingDelay)
  }

  private func foldLater(in delay: Int) {
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
      self?.foldIfQuiet()
    }
  }

  private func foldIfQuiet() {
    let waited = locked {
      let waited = Int(clamping: Self.milliseconds &- progress.lastCommit)
      if waited >= storage.foldingDelay { progress.isFoldingDue = false }
      return waited
    }
    if waited < storage.foldingDelay { return foldLater(in: storage.foldingDelay - waited) }
    do throws(QueryError) {
      var hasMore = true
      while hasMore {
        try exclusively { () throws(QueryError) in hasMore = try storage.fold() }
        // Whoever has committed meanwhile has asked for it again.
        if locked({ progress.isFoldingDue }) { return }
      }
    } catch {
      if !hasFailed { stop(error) }
    }
  }

  /// Ends writing, for a reason that is given to whoever writes later.
  func stop(_ reason: QueryError) {
    locked {
      progress.end(reason)
      pthread_cond_broadcast(condition)
    }
  }

  /// Goes on from what the storage keeps.
  func restart(version: Int64) {
    locked {
      progress.failure = refusal
      progress.isStopped = false
      progress.queue.removeAll()
      progress.applied = version
      progress.durable = version
      progress.taken = version
    }
  }
}

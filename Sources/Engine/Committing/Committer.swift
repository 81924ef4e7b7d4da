import Dispatch
import GQLBase
import GQLStore
import Synchronization

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
/// waits for one flush of the disk, and many share one. Those who were just told that theirs is kept are likely to come
/// back at once, so whoever commits gives them a moment. Where commits gather in memory they are kept when they are
/// applied, and go to the storage when there are many.
final class Committer: @unchecked Sendable {
  private struct Progress {
    /// Transactions that were applied, and are not taken yet.
    var queue: [Commit] = []
    /// Bytes of the queue, where commits gather in memory.
    var queuedBytes = 0
    /// Transactions that are on their way to the storage.
    var taken: [Commit] = []
    var isCommitting = false
    /// Those who wait until a transaction is kept.
    var waiters: [Waiter] = []
    /// Waiters that wait for nothing.
    var idle: [Waiter] = []
    /// The number of those who waited, or were told that theirs is kept, when something was committed last.
    var company = 0
    /// Nanoseconds that it took.
    var duration: UInt64 = 0
    /// How often in a row nobody came in a moment that was given, and how many commits are to give none therefore.
    var vainMoments = 0
    var commitsWithoutMoment = 0
    /// The number of threads that wait until nobody commits.
    var exclusives = 0
    /// Why nothing can be written any more.
    var failure: QueryError?
    /// Indicates whether writing has ended, rather than never been allowed.
    var isStopped = false
    /// When something was committed last, in milliseconds of a clock that only goes forward.
    var lastCommit: UInt64 = 0
    var isFoldingDue = false
    /// For each time that writing has ended so far: the last transaction that was kept then, and why it ended.
    var ends: [(durable: Int64, failure: QueryError)] = []
  }

  /// A thread that waits. Each is woken on its own, once.
  private final class Waiter {
    var version: Int64 = 0
    let semaphore = DispatchSemaphore(value: 0)
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
  /// Has each transaction that is applied.
  private let past: RecentVersions
  /// Held by whoever looks for news; nil for a database that does not follow another.
  let following: Lock<Bool>?
  /// Bytes of commits that gather in memory, and count as kept; 0 where each goes to the storage.
  private let gatheredBytes: Int
  /// Has the storage fold once, as ``exclusively(_:)`` does; set by the database. Returns whether there is more to do.
  var fold: (@Sendable (Committer) throws(QueryError) -> Bool)?
  /// Is told of transactions that are kept, but for those that a writer publishes itself; set by the database.
  var live: LiveNotifier?
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  /// Signaled when nobody commits any more, for ``Progress/exclusives``.
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  @exclusivity(unchecked) private var progress: Progress
  // Written with the lock, and read without it.
  /// The version of the last transaction that was applied, and of the last that is kept.
  private let appliedVersion: Atomic<Int64>
  private let durableVersion: Atomic<Int64>
  /// How often writing has ended.
  private let endCount = Atomic<Int>(0)
  private let isRefusing: Atomic<Bool>
  /// Indicates whether a thread commits the queue though no writer waits for it.
  private let isCommitDue = Atomic<Bool>(false)
  /// Indicates whether that thread lets transactions gather, and ends that moment.
  private let gathers = Atomic<Bool>(false)
  private let gatheringEnd = DispatchSemaphore(value: 0)
  /// Tells whether as much has gathered as may.
  private let hasGathered = Atomic<Bool>(false)

  /// `version` is that of the last transaction that the storage keeps.
  init(
    _ storage: any CommitStorage, version: Int64, refusal: QueryError? = nil, isFollowing: Bool = false,
    _ past: RecentVersions
  ) {
    self.storage = storage
    self.past = past
    self.refusal = refusal
    following = isFollowing ? Lock(false) : nil
    gatheredBytes = storage.gatheredBytes
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    pthread_cond_init(condition, nil)
    progress = Progress(failure: refusal)
    appliedVersion = Atomic(version)
    durableVersion = Atomic(version)
    isRefusing = Atomic(refusal != nil)
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
  var applied: Ticket {
    let ends = endCount.load(ordering: .acquiring)
    return applied(since: Ticket(version: 0, ends: ends))
  }

  /// The last transaction that was applied since another look. Where writing has ended between the two, what was applied
  /// is lost, and whoever waits for it is told so.
  func applied(since before: Ticket) -> Ticket {
    // In this order: where writing ends, that is counted before the number goes back.
    let version = appliedVersion.load(ordering: .acquiring)
    return Ticket(
      version: endCount.load(ordering: .acquiring) == before.ends ? version : .max, ends: before.ends)
  }

  /// The version of the last transaction that was applied.
  var appliedNumber: Int64 { appliedVersion.load(ordering: .acquiring) }

  /// The version of the last transaction that is kept.
  var durable: Int64 { durableVersion.load(ordering: .acquiring) }

  /// The number of transactions that were applied and are not kept.
  var unkeptCount: Int64 { appliedVersion.load(ordering: .relaxed) - durableVersion.load(ordering: .relaxed) }

  /// Indicates whether commits gather in memory, and are kept as soon as they are applied.
  var isGathering: Bool { gatheredBytes > 0 }

  /// Tells whether writing has ended, or was never allowed.
  var hasFailed: Bool { isRefusing.load(ordering: .acquiring) }

  /// Tells whether the database is open, but not for writing.
  var isNeverWritten: Bool { refusal != nil && !isStopped }

  /// Tells whether the database is closed, or writing has ended after a failure.
  var isStopped: Bool { locked { progress.isStopped } }

  /// Throws where nothing can be written any more.
  func check() throws(QueryError) { if let failure = locked({ progress.failure }) { throw failure } }

  // MARK: - The queue

  /// Adds a transaction that was applied to the open version; see ``wait(for:committing:)``. Returns its number.
  func enqueue(_ changes: ChangeSet, time: Int64) -> Int64 {
    locked {
      add(changes, time)
      return appliedVersion.load(ordering: .relaxed)
    }
  }

  /// Adds a transaction where commits gather and there is room for it. Returns whether it did.
  func gathers(_ changes: ChangeSet, time: Int64) -> Bool {
    if !isGathering { return false }
    return locked {
      guard progress.failure == nil, progress.queuedBytes + changes.bytes.count < gatheredBytes else { return false }
      add(changes, time)
      return true
    }
  }

  /// Precondition: locked.
  private func add(_ changes: ChangeSet, _ time: Int64) {
    // Who was applying it then is told so, see ``applied(since:)``.
    if progress.failure != nil { return }
    let version = appliedVersion.load(ordering: .relaxed) + 1
    let commit = Commit(version: version, time: time, changes: changes, cause: past.cause.current)
    progress.queue.append(commit)
    past.append(commit)
    appliedVersion.store(version, ordering: .releasing)
    if isGathering {
      progress.queuedBytes += changes.bytes.count
      if progress.queuedBytes >= gatheredBytes { hasGathered.store(true, ordering: .relaxed) }
      durableVersion.store(version, ordering: .releasing)
    }
  }

  /// Tells whether as much has gathered as may.
  var isFull: Bool { hasGathered.load(ordering: .relaxed) }

  /// Tells whether transactions wait to be taken.
  var hasQueue: Bool { locked { !progress.queue.isEmpty } }

  /// Takes the transactions that wait. Called by whoever commits.
  func takeQueue() -> [Commit] {
    locked {
      // Both keep their room.
      swap(&progress.queue, &progress.taken)
      forgetGathered()
      return progress.taken
    }
  }

  /// Precondition: locked.
  private func forgetGathered() {
    progress.queuedBytes = 0
    hasGathered.store(false, ordering: .relaxed)
  }

  /// The transactions that were applied after one, the oldest first.
  func commits(after version: Int64) -> ArraySlice<Commit> { locked { following(version) } }

  /// Precondition: locked.
  private func following(_ version: Int64) -> ArraySlice<Commit> {
    let taken = progress.taken.drop { $0.version <= version }
    let count = Int(clamping: (progress.queue.last?.version ?? 0) - version)
    return taken + progress.queue.suffix(max(0, count))
  }

  /// The last transaction that is kept, and those that were applied after it; nil where writing has ended.
  func unkept() -> (durable: Int64, commits: ArraySlice<Commit>)? {
    locked {
      if progress.failure != nil { return nil }
      let durable = durableVersion.load(ordering: .relaxed)
      return (durable, isGathering ? [] : following(durable))
    }
  }

  // MARK: - Committing

  /// Returns whether the caller is to commit what gathers, because nobody else does so without waiting.
  func beginsCommitting() -> Bool {
    // Whoever finds it set has added a transaction before the other thread looks for the last time.
    if isGathering || isCommitDue.load(ordering: .relaxed) { return false }
    return locked { !isCommitDue.exchange(true, ordering: .relaxed) }
  }

  /// Returns whether there is more to be committed by whoever ``beginsCommitting()`` has chosen, who has ended otherwise.
  func goesOnCommitting() -> Bool {
    locked {
      let goesOn = unkeptCount > 0
      isCommitDue.store(goesOn, ordering: .relaxed)
      return goesOn
    }
  }

  /// Lets transactions gather for a moment, as long as nobody waits for one: a commit costs as much as many of them.
  /// Called by whoever ``beginsCommitting()`` has chosen.
  func gather() {
    let count = unkeptCount
    if count == 0 || count >= Self.manyCommits { return }
    gathers.store(true, ordering: .relaxed)
    _ = gatheringEnd.wait(timeout: .now() + Self.gatheringTime)
    gathers.store(false, ordering: .relaxed)
  }

  private static let manyCommits: Int64 = 512
  private static let gatheringTime = DispatchTimeInterval.microseconds(400)

  /// Waits until a transaction is kept. `commit` brings what ``takeQueue()`` gives to the storage, and publishes it.
  func wait(for ticket: Ticket, committing commit: () throws(QueryError) -> Void) throws(QueryError) {
    // In this order: a number that was given again comes after an end.
    if durable >= ticket.version, endCount.load(ordering: .acquiring) == ticket.ends { return }
    if gathers.load(ordering: .relaxed), gathers.exchange(false, ordering: .relaxed) { gatheringEnd.signal() }
    while true {
      pthread_mutex_lock(mutex)
      if ticket.ends < progress.ends.count {
        let end = progress.ends[ticket.ends]
        pthread_mutex_unlock(mutex)
        if ticket.version > end.durable { throw end.failure }
        return
      }
      let failure = progress.failure
      if durableVersion.load(ordering: .relaxed) >= ticket.version || failure != nil {
        pthread_mutex_unlock(mutex)
        if durableVersion.load(ordering: .relaxed) < ticket.version, let failure { throw failure }
        return
      }
      if progress.isCommitting || progress.exclusives > 0 {
        sleep(until: ticket.version)
      } else {
        try commitUnlocked(for: progress.company, commit)
      }
    }
  }

  /// Waits to be woken because a transaction is kept, or because somebody must commit. Precondition: locked; unlocks.
  private func sleep(until version: Int64) {
    let waiter = progress.idle.popLast() ?? Waiter()
    waiter.version = version
    progress.waiters.append(waiter)
    pthread_mutex_unlock(mutex)
    waiter.semaphore.wait()
    locked { progress.idle.append(waiter) }
  }

  /// Brings what has gathered to the storage, with ``takeQueue()``.
  func commitGathered(_ body: () throws(QueryError) -> Void) throws(QueryError) {
    pthread_mutex_lock(mutex)
    try waitForTurn()
    try commitUnlocked(body)
  }

  /// Keeps a transaction that is not applied to the open version. Called by the one writer, when nothing waits but what
  /// gathers.
  func commit(_ body: (_ version: Int64) throws(QueryError) -> Void) throws(QueryError) {
    pthread_mutex_lock(mutex)
    try waitForTurn()
    let version = appliedVersion.load(ordering: .relaxed) + 1
    appliedVersion.store(version, ordering: .releasing)
    try commitUnlocked(to: version) { () throws(QueryError) in try body(version) }
  }

  /// Waits until nobody commits. Where writing has ended it throws, and unlocks. Precondition: locked.
  private func waitForTurn(afterFailure: Bool = false) throws(QueryError) {
    progress.exclusives += 1
    while progress.isCommitting { pthread_cond_wait(condition, mutex) }
    progress.exclusives -= 1
    guard !afterFailure, let failure = progress.failure else { return }
    let woken = nextWaiters(through: nil)
    pthread_mutex_unlock(mutex)
    wake(woken)
    throw failure
  }

  /// Runs `body` when nobody commits, and keeps others from it. Where it fails, others go on.
  ///
  /// - Parameter ends: Whether writing ends where it fails.
  func exclusively(
    afterFailure: Bool = false, ends: Bool = false, _ body: () throws(QueryError) -> Void
  ) throws(QueryError) {
    pthread_mutex_lock(mutex)
    try waitForTurn(afterFailure: afterFailure)
    progress.isCommitting = true
    pthread_mutex_unlock(mutex)
    do throws(QueryError) {
      try body()
    } catch {
      finish(error: ends ? error : nil)
      throw error
    }
    finish()
  }

  /// Runs `body` without the lock, and notes that what it has taken is kept, or that it failed. Precondition: locked;
  /// unlocks.
  ///
  /// - Parameter company: The number of threads, this one among them, that may have something to be kept in a moment.
  private func commitUnlocked(
    to version: Int64? = nil, for company: Int = 1, _ body: () throws(QueryError) -> Void
  ) throws(QueryError) {
    progress.isCommitting = true
    let waits = company > unkeptCount && takesMoment()
    let duration = progress.duration
    pthread_mutex_unlock(mutex)
    let isVain = waits && !giveMoment(to: company, duration)
    let start = MonotonicClock.now
    do throws(QueryError) {
      try body()
    } catch {
      finish(error: error)
      throw error
    }
    finish(version: version, hasCommitted: true) {
      progress.duration = MonotonicClock.now - start
      if waits { noteMoment(isVain: isVain) }
    }
  }

  // MARK: - Company

  /// Precondition: locked.
  private func takesMoment() -> Bool {
    if progress.commitsWithoutMoment == 0 { return true }
    progress.commitsWithoutMoment -= 1
    return false
  }

  /// Precondition: locked.
  private func noteMoment(isVain: Bool) {
    progress.vainMoments = isVain ? min(progress.vainMoments + 1, 8) : 0
    progress.commitsWithoutMoment = isVain ? 1 << progress.vainMoments : 0
  }

  /// Lets others run as long as some of them come with something to be kept, but no longer than the last commit took.
  /// Returns whether somebody came.
  private func giveMoment(to company: Int, _ duration: UInt64) -> Bool {
    let patience = min(max(duration / 8, 4_000), 20_000)
    let (start, first) = (MonotonicClock.now, unkeptCount)
    var (last, known) = (start, first)
    while known < company {
      sched_yield()
      let (now, count) = (MonotonicClock.now, unkeptCount)
      if count != known { (last, known) = (now, count) }
      if now - last > patience || now - start > duration { break }
    }
    return known > first
  }

  /// Lets others commit.
  private func finish(
    version: Int64? = nil, hasCommitted: Bool = false, error: QueryError? = nil, _ note: () -> Void = {}
  ) {
    pthread_mutex_lock(mutex)
    note()
    progress.isCommitting = false
    if let error {
      end(error)
    } else if hasCommitted {
      let durable = durableVersion.load(ordering: .relaxed)
      durableVersion.store(version ?? max(durable, progress.taken.last?.version ?? 0), ordering: .releasing)
      noteCommit()
    }
    let isTold = hasCommitted && !isGathering && live?.isFollowed ?? false
    let kept = isTold ? progress.taken : []
    progress.taken.removeAll(keepingCapacity: true)
    progress.company = progress.waiters.count + 1
    let woken = nextWaiters(through: durableVersion.load(ordering: .relaxed))
    if progress.exclusives > 0 { pthread_cond_signal(condition) }
    pthread_mutex_unlock(mutex)
    wake(woken)
    if !kept.isEmpty { live?.note(kept) }
  }

  /// Takes out those to be woken: first who is to commit next, then those whose transaction is kept. All, where writing
  /// has ended. Precondition: locked.
  private func nextWaiters(through durable: Int64?) -> [Waiter] {
    if progress.waiters.isEmpty { return [] }
    if progress.failure != nil {
      defer { progress.waiters.removeAll() }
      return progress.waiters
    }
    var woken: [Waiter] = []
    var kept: [Waiter] = []
    // Who waits for the turn of its own commits what gathers, or wakes who does.
    var lacksNext = progress.exclusives == 0
    for waiter in progress.waiters {
      if let durable, waiter.version <= durable {
        woken.append(waiter)
      } else if lacksNext {
        lacksNext = false
        woken.insert(waiter, at: 0)
      } else {
        kept.append(waiter)
      }
    }
    progress.waiters = kept
    return woken
  }

  private func wake(_ waiters: [Waiter]) { for waiter in waiters { waiter.semaphore.signal() } }

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
    // A failure has ended writing.
    while (try? fold?(self)) ?? false {
      // Whoever has committed meanwhile has asked for it again.
      if locked({ progress.isFoldingDue }) { return }
    }
  }

  // MARK: - Ending

  /// Ends writing: what is not kept is lost. Precondition: locked.
  private func end(_ reason: QueryError) {
    let durable = durableVersion.load(ordering: .relaxed)
    past.forget(after: durable)
    progress.ends.append((durable, reason))
    progress.failure = reason
    progress.isStopped = true
    progress.queue.removeAll()
    forgetGathered()
    // Before the number goes back, see ``applied(since:)``.
    endCount.store(progress.ends.count, ordering: .releasing)
    isRefusing.store(true, ordering: .releasing)
    appliedVersion.store(durable, ordering: .releasing)
  }

  /// Ends writing, for a reason that is given to whoever writes later.
  func stop(_ reason: QueryError) {
    let woken = locked {
      end(reason)
      return nextWaiters(through: nil)
    }
    wake(woken)
  }

  /// Goes on from what the storage keeps.
  func restart(version: Int64) {
    locked {
      progress.failure = refusal
      progress.isStopped = false
      progress.queue.removeAll()
      forgetGathered()
      durableVersion.store(version, ordering: .releasing)
      appliedVersion.store(version, ordering: .releasing)
      // Last: who sees that writing goes on sees from where.
      isRefusing.store(refusal != nil, ordering: .releasing)
    }
  }
}

import Dispatch
import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Tells those who follow a database what its commits change.
///
/// It has one thread, as long as somebody follows. Commits only wake it. It then looks at the newest version, finds what
/// differs from the one that it looked at before, and runs the questions that this may concern, each once for all who
/// ask it. Whoever writes does not wait for it, and what is committed while it is at work is looked at as one.
package final class LiveNotifier: Sendable {
  /// A box of requests that others leave for the thread.
  private struct Inbox {
    /// The database, as long as somebody follows it.
    var database: Database?
    var newcomers: [LiveSubscriber] = []
    var leavers: [LiveSubscriber] = []
    var subscriberCount = 0
    var watches = CommitWatchers()
    var listeners = ChangeListeners()
    /// The version that there was when the first of these came, and the number of its last transaction.
    var start: (snapshot: Snapshot, version: Int64)?
    /// Those who wait until all that was committed before is told.
    var waiting: [DispatchSemaphore] = []
    var isRunning = false

    var isFollowed: Bool { subscriberCount > 0 || !watches.isEmpty || !listeners.isEmpty }
  }
  private let inbox = Lock(Inbox())
  private let news = Lock(LiveNews())
  private let hasFollowers = Atomic<Bool>(false)
  /// Indicates whether somebody wants to know what each commit changes.
  private let hasListeners = Atomic<Bool>(false)
  /// Indicates whether the thread has been woken, and has not looked since.
  private let hasNews = Atomic<Bool>(false)
  private let wake = DispatchSemaphore(value: 0)
  /// The thread, while it is at work.
  private let thread = Atomic<UInt>(0)
  /// The elements from which on a flat list is changed in parts rather than written again. Tests lower it.
  package let fewestChanged = Atomic<Int>(LiveList.fewest)
  /// How many answers were found by changing the one before. For tests.
  package let changedLists = Atomic<Int>(0)

  init() {}

  /// Indicates whether somebody follows, so that changes are worth being recorded.
  var isFollowed: Bool { @inline(__always) get { hasFollowers.load(ordering: .relaxed) } }

  /// Notes that there is a new version.
  func noteCommit() {
    if !isFollowed { return }
    news.withLock { $0.isUnknown = true }
    rouse()
  }

  /// Notes a new version, and the number of its last transaction.
  ///
  /// Who listens to each commit is told what it changes, though nothing was recorded. A database that keeps its data
  /// notes what it has kept.
  func note(_ snapshot: Snapshot, _ version: Int64, of database: Database) {
    if !hasListeners.load(ordering: .relaxed) || database.committer != nil { return noteCommit() }
    news.withLock { $0.add(snapshot, version) }
    rouse()
  }

  /// Notes the changes of a transaction, which anybody can see now.
  func note(_ changes: ChangeSet, _ version: Int64) {
    if !isFollowed { return }
    news.withLock { $0.add(changes, version) }
    rouse()
  }

  /// Notes the changes of transactions, which anybody can see now.
  func note(_ commits: [Commit]) {
    if !isFollowed { return }
    news.withLock { for commit in commits { $0.add(commit.changes, commit.version) } }
    rouse()
  }

  private func rouse() { if !hasNews.exchange(true, ordering: .acquiringAndReleasing) { wake.signal() } }

  // MARK: - Who follows

  func add(_ subscriber: LiveSubscriber, to database: Database) throws(QueryError) -> LiveSubscription {
    let most = database.limits.liveQueries
    let isAdded = inbox.withLock { inbox in
      if inbox.subscriberCount >= most { return false }
      inbox.subscriberCount += 1
      inbox.newcomers.append(subscriber)
      begin(&inbox, database)
      return true
    }
    guard isAdded else { throw Self.limitExceeded("live-queries", most) }
    rouse()
    return LiveSubscription(subscriber, self)
  }

  static func limitExceeded(_ name: String, _ limit: Int) -> QueryError {
    let problem = RuntimeProblem(.limitExceeded(name: name, limit: limit), at: SourceRange(at: 0))
    return QueryError([problem.diagnostic(snapshot: Snapshot.empty(Catalog()))], in: SourceText(name: "", bytes: []))
  }

  func remove(_ subscriber: LiveSubscriber) {
    leave {
      $0.subscriberCount -= 1
      $0.leavers.append(subscriber)
    }
  }

  /// Takes somebody out. With the last one the database is not held any more, so that it is closed by whoever leaves.
  private func leave(_ body: (inout Inbox) -> Void) {
    let database = inbox.withLock { inbox -> Database? in
      body(&inbox)
      if inbox.isFollowed { return nil }
      defer { inbox.database = nil }
      return inbox.database
    }
    rouse()
    withExtendedLifetime(database) {}
  }

  /// Has `body` called after commits, on the notifier's thread.
  func watch(_ database: Database, _ body: @escaping @Sendable () -> Void) -> UInt64 {
    inbox.withLock { inbox in
      begin(&inbox, database)
      return inbox.watches.add(body)
    }
  }

  func unwatch(_ number: UInt64) { leave { $0.watches.remove(number) } }

  func narrow(_ number: UInt64, to dependence: (footprint: Footprint, snapshot: Snapshot)?) {
    inbox.withLock { $0.watches.narrow(number, to: dependence) }
    // What was committed since that version has been looked up in what was followed before.
    rouse()
  }

  /// Has `body` called with what each commit changes, on the notifier's thread.
  func listen(_ database: Database, _ body: @escaping ChangeListeners.Body) -> UInt64 {
    let start = LiveWork.newest(of: database)
    let number = inbox.withLock { inbox in
      begin(&inbox, database)
      if inbox.start == nil { inbox.start = start }
      hasListeners.store(true, ordering: .relaxed)
      return inbox.listeners.add(body)
    }
    rouse()
    return number
  }

  func unlisten(_ number: UInt64) {
    leave {
      $0.listeners.remove(number)
      hasListeners.store(!$0.listeners.isEmpty, ordering: .relaxed)
    }
  }

  /// Returns once all that was committed before is told, but for what is to be told later. Where somebody is just being
  /// told, it returns at once to them.
  func wait() {
    if thread.load(ordering: .relaxed) == Database.thread { return }
    let semaphore = DispatchSemaphore(value: 0)
    let isRunning = inbox.withLock { inbox in
      if inbox.isRunning { inbox.waiting.append(semaphore) }
      return inbox.isRunning
    }
    if !isRunning { return }
    rouse()
    semaphore.wait()
  }

  private func begin(_ inbox: inout Inbox, _ database: Database) {
    hasFollowers.store(true, ordering: .relaxed)
    inbox.database = database
    if inbox.isRunning { return }
    inbox.isRunning = true
    database.editing?.beginWatching(database)
    DispatchQueue(label: "gqlite.live", qos: .userInitiated).async { self.run() }
  }

  // MARK: - The thread

  private func run() {
    var work = LiveWork()
    var waiting: [DispatchSemaphore] = []
    let own = Database.thread
    thread.store(own, ordering: .relaxed)
    // Another one may have begun when this one ends.
    defer { _ = thread.compareExchange(expected: own, desired: 0, ordering: .relaxed) }
    while true {
      // Those who waited when the last look began.
      for semaphore in waiting { semaphore.signal() }
      waiting = []
      if work.isQuiet {
        nap()
        hasNews.store(false, ordering: .sequentiallyConsistent)
      } else if let deadline = work.deadline {
        let now = MonotonicClock.now
        if deadline > now { _ = wake.wait(timeout: .now() + .nanoseconds(Int(clamping: deadline - now))) }
      } else {
        wake.wait()
      }
      hasNews.store(false, ordering: .sequentiallyConsistent)
      guard let database = take(&work, &waiting) else { return }
      work.look(at: database) { version in news.withLock { $0.take(through: version) } }
      work.tell()
    }
  }

  /// Takes what was left for the thread. Returns the database; nil where nobody follows it any more, and the thread ends.
  private func take(_ work: inout LiveWork, _ waiting: inout [DispatchSemaphore]) -> Database? {
    var coming: [LiveSubscriber] = []
    var leaving: [LiveSubscriber] = []
    var watching: [(number: UInt64, watch: CommitWatchers.Watch?)] = []
    var listeners: ChangeListeners?
    var start: (snapshot: Snapshot, version: Int64)?
    let (database, isOver) = inbox.withLock { inbox -> (Database?, Bool) in
      swap(&coming, &inbox.newcomers)
      swap(&leaving, &inbox.leavers)
      swap(&waiting, &inbox.waiting)
      watching = inbox.watches.takeChanged()
      listeners = inbox.listeners.takeChanged()
      swap(&start, &inbox.start)
      let database = inbox.database
      let isOver = !inbox.isFollowed
      if isOver {
        hasFollowers.store(false, ordering: .relaxed)
        inbox.isRunning = false
        inbox.database = nil
      }
      return (database, isOver)
    }
    // Without the lock, because what is released here may unsubscribe others. Where it is over, so is the database.
    work.take(coming, leaving, watching)
    if let listeners { work.listeners = listeners }
    if let start { work.begin(with: start) }
    if isOver { for semaphore in waiting { semaphore.signal() } }
    return isOver ? nil : database
  }

  /// Waits for a moment in which nobody wakes the thread, because it looks afterwards anyway. Where one commit follows
  /// another, waking it for each would cost more than the commit.
  private func nap() {
    hasNews.store(true, ordering: .sequentiallyConsistent)
    usleep(Self.napTime)
  }

  private static let napTime: UInt32 = 50
}

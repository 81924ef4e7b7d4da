import Dispatch
import GQLBase
import GQLCatalog
import GQLExecutor
import GQLStore
import Synchronization

/// Tells those who follow a database what its commits change.
///
/// It has one thread, as long as somebody follows. Commits only wake it. It then looks at the newest version, finds what
/// differs from the one that it looked at before, and runs the questions that this may concern, each once for all who
/// ask it. Whoever writes does not wait for it, and what is committed while it is at work is looked at as one.
final class LiveNotifier: Sendable {
  /// What others leave for the thread.
  private struct Inbox {
    /// The database, as long as somebody follows it.
    var database: Database?
    var newcomers: [LiveSubscriber] = []
    var leavers: [LiveSubscriber] = []
    var subscriberCount = 0
    var watches = CommitWatchers()
    /// Those who wait until all that was committed before is told.
    var waiting: [DispatchSemaphore] = []
    var isRunning = false
  }
  private let inbox = Lock(Inbox())
  private let isFollowed = Atomic<Bool>(false)
  /// Indicates whether the thread has been woken, and has not looked since.
  private let hasNews = Atomic<Bool>(false)
  private let wake = DispatchSemaphore(value: 0)

  init() {}

  /// Notes that there is a new version.
  @inline(__always)
  func noteCommit() { if isFollowed.load(ordering: .relaxed) { rouse() } }

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
    inbox.withLock {
      $0.subscriberCount -= 1
      $0.leavers.append(subscriber)
    }
    rouse()
  }

  /// Has `body` called after commits, on the notifier's thread.
  func watch(_ database: Database, _ body: @escaping @Sendable () -> Void) -> UInt64 {
    inbox.withLock { inbox in
      begin(&inbox, database)
      return inbox.watches.add(body)
    }
  }

  func unwatch(_ number: UInt64) {
    inbox.withLock { $0.watches.remove(number) }
    rouse()
  }

  /// Returns once all that was committed before is told, but for what is to be told later.
  func wait() {
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
    isFollowed.store(true, ordering: .relaxed)
    inbox.database = database
    if inbox.isRunning { return }
    inbox.isRunning = true
    DispatchQueue(label: "gqlite.live", qos: .userInitiated).async { self.run() }
  }

  // MARK: - The thread

  private func run() {
    var work = LiveWork()
    var waiting: [DispatchSemaphore] = []
    while true {
      // Those who waited when the last look began.
      for semaphore in waiting { semaphore.signal() }
      waiting = []
      if let deadline = work.deadline {
        let now = MonotonicClock.now
        if deadline > now { _ = wake.wait(timeout: .now() + .nanoseconds(Int(clamping: deadline - now))) }
      } else {
        wake.wait()
      }
      hasNews.store(false, ordering: .sequentiallyConsistent)
      guard let database = take(&work, &waiting) else { return }
      if work.look(at: database) {
        for body in inbox.withLock({ $0.watches.all }) { body() }
      }
      work.tell()
    }
  }

  /// Takes what was left for the thread. Returns the database; nil where nobody follows it any more, and the thread ends.
  private func take(_ work: inout LiveWork, _ waiting: inout [DispatchSemaphore]) -> Database? {
    let (database, isOver) = inbox.withLock { inbox -> (Database?, Bool) in
      work.take(&inbox.newcomers, &inbox.leavers)
      swap(&waiting, &inbox.waiting)
      let database = inbox.database
      let isOver = inbox.subscriberCount == 0 && inbox.watches.isEmpty
      if isOver {
        isFollowed.store(false, ordering: .relaxed)
        inbox.isRunning = false
        inbox.database = nil
        for semaphore in waiting { semaphore.signal() }
      }
      return (database, isOver)
    }
    // Where it is over, the database is released here, without the lock.
    return isOver ? nil : database
  }
}

import GQLEngine
import GQLModels
import Observation
import Synchronization

/// What a query gives, kept as the database changes, and told to those who observe it.
///
/// Unchecked because all that changes is under locks. None of them is held while observers are told.
final class LiveAnswer<Entity: EntityModelProtocol, Output>: Observable, @unchecked Sendable {
  typealias Decoding = (AnswerCursor<Entity>, AnswerCursor<Entity>.Answer) throws -> Output

  private struct Progress {
    var cursor: AnswerCursor<Entity>
    var problem: String?
  }
  private struct Published {
    var output: Output
    var error: (any Error)?
  }

  let database: Database
  let list: QueryList<Entity>
  let decoding: Decoding
  private let progress: Guarded<Progress>
  private let published: Guarded<Published>
  private let watch = Guarded<CommitWatch?>(nil)
  private let isScheduled = Atomic<Bool>(false)
  /// The tasks that refresh, or are about to.
  private let refreshes = Atomic<Int>(0)
  private let registrar = ObservationRegistrar()

  init(_ list: QueryList<Entity>, _ database: Database, nothing: Output, _ decoding: @escaping Decoding) {
    self.list = list
    self.database = database
    self.decoding = decoding
    progress = Guarded(Progress(cursor: AnswerCursor(list)))
    published = Guarded(Published(output: nothing))
  }

  /// What the query gives now, never older than the last commit of the thread that asks.
  var output: Output {
    begin()
    refresh()
    registrar.access(self, keyPath: \.output)
    return published.withLock { $0.output }
  }

  /// Why the query failed the last time that it ran; then ``output`` is as before.
  var error: (any Error)? {
    begin()
    refresh()
    registrar.access(self, keyPath: \.error)
    return published.withLock { $0.error }
  }

  /// How often the query ran.
  var runs: Int { progress.withLock { $0.cursor.runs } }

  /// Indicates that no refresh is to come of what was told so far. For tests.
  var isSettled: Bool { refreshes.load(ordering: .acquiring) == 0 }

  private func begin() {
    watch.withLock { watch in
      if watch == nil { watch = CommitWatch(database) { [weak self] in self?.schedule() } }
    }
  }

  /// Refreshes soon; what is committed until then is told together.
  private func schedule() {
    if isScheduled.exchange(true, ordering: .relaxed) { return }
    refreshes.add(1, ordering: .relaxed)
    // Detached, so that it is not within a refresh, whoever commits.
    Task.detached { [weak self] in
      guard let self else { return }
      defer { refreshes.subtract(1, ordering: .releasing) }
      isScheduled.store(false, ordering: .relaxed)
      refresh()
    }
  }

  private enum News {
    case output(Output)
    case error(any Error)
  }

  /// Makes the answer that of the newest version.
  ///
  /// A query may look at computed properties, and these at fetches, even at the one that is being refreshed. They get
  /// what was there before from a fetch that somebody refreshes, because waiting for it may be waiting for oneself.
  private func refresh() {
    let isWithinAnother = Refreshing.isWithinOne
    let refreshing = Refreshing()
    let isNews = Refreshing.$current.withValue(refreshing) {
      defer { refreshing.end() }
      return isWithinAnother ? progress.withLockIfFree(advance) ?? false : progress.withLock(advance)
    }
    if !isNews { return }
    // Not where another fetch's lock is held.
    if isWithinAnother { Task.detached { self.tell() } } else { tell() }
  }

  private func tell() {
    // Those who are told may read at once: it is there.
    registrar.willSet(self, keyPath: \.output)
    registrar.willSet(self, keyPath: \.error)
    registrar.didSet(self, keyPath: \.output)
    registrar.didSet(self, keyPath: \.error)
  }

  /// Runs the query, if it may have another answer, and publishes that; whether there is one.
  private func advance(_ progress: inout Progress) -> Bool {
    let result: News
    defer { watch.withLock { $0?.narrow(to: progress.cursor.dependence) } }
    do {
      guard let answer = try progress.cursor.advance(to: database.entities) else { return false }
      result = .output(try decoding(progress.cursor, answer))
      progress.problem = nil
    } catch {
      // The same problem is not told twice.
      if progress.problem == "\(error)" { return false }
      progress.problem = "\(error)"
      result = .error(error)
    }
    // Within the lock, so that whoever finds that there is nothing new reads what is newest.
    published.withLock { published in
      switch result {
      case .output(let output):
        published.output = output
        published.error = nil
      case .error(let error): published.error = error
      }
    }
    return true
  }
}

/// One run of the query of a fetch. Tasks that the query starts inherit it, and may outlive it.
private final class Refreshing: Sendable {
  @TaskLocal static var current: Refreshing?

  /// Whether the task, or one that it was started from, is within a query that still runs.
  static var isWithinOne: Bool { current?.innermostGoing != nil }

  private let isGoing = Atomic<Bool>(true)
  private let outer: Refreshing?

  /// What runs within those that still run.
  init() { outer = Self.current?.innermostGoing }

  func end() { isGoing.store(false, ordering: .releasing) }

  private var innermostGoing: Refreshing? {
    var next: Refreshing? = self
    while let refreshing = next, !refreshing.isGoing.load(ordering: .acquiring) { next = refreshing.outer }
    return next
  }
}

/// The answers of a query, one after the other: what it gives now, then each that differs from the one before.
///
/// What is committed while one answer is looked at comes as one.
public struct _AnswerIterator<Entity: EntityModelProtocol, Output>: AsyncIteratorProtocol {
  private var cursor: AnswerCursor<Entity>
  private let database: Database
  private let decoding: LiveAnswer<Entity, Output>.Decoding
  private let watch: CommitWatch
  private var commits: AsyncStream<Void>.Iterator

  init(_ live: LiveAnswer<Entity, Output>) {
    cursor = AnswerCursor(live.list)
    database = live.database
    decoding = live.decoding
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    watch = CommitWatch(live.database) { continuation.yield() }
    commits = stream.makeAsyncIterator()
  }

  /// The next answer; nil if the task was cancelled.
  ///
  /// - Throws: what running the query throws.
  public mutating func next() async throws -> Output? { try await next(isolation: nil) }

  /// The next answer, without leaving the actor; nil if the task was cancelled.
  ///
  /// - Throws: what running the query throws.
  public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Output? {
    while !Task.isCancelled {
      let answer = try cursor.advance(to: database.entities)
      watch.narrow(to: cursor.dependence)
      if let answer { return try decoding(cursor, answer) }
      guard await commits.next(isolation: actor) != nil else { return nil }
    }
    return nil
  }
}

import GQLBase
import GQLExecutor
import GQLStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The state of the thread that tells those who follow a database.
struct LiveWork: ~Copyable {
  /// A query with its variables. Those who ask the same share its answer.
  private struct Key: Hashable {
    var text: [UInt8]
    var operation: Int
    var variables: [String: Value]
  }
  private final class Question {
    let number: Int32
    let key: Key
    let query: PreparedQuery
    var subscribers: [LiveSubscriber] = []
    var footprint = FootprintIndex.Entry()
    /// The basis that the footprint was found from; nil where it is to be found after each run.
    var basis: FootprintBasis?
    var state: LiveState?
    /// The elements of the newest answer, where it is changed in parts.
    var list: LiveList?
    /// Bytes that it holds beside answers.
    var bytes = 0
    /// Nanoseconds between two runs, though nothing has changed; 0 for no such runs.
    let tick: UInt64
    var nextTick = UInt64.max

    init(_ number: Int32, _ key: Key, _ query: PreparedQuery) {
      self.number = number
      self.key = key
      self.query = query
      tick = query.tick
    }
  }
  private var numbers: [Key: Int32] = [:]
  private var questions: [Int32: Question] = [:]
  private var lastNumber: Int32 = 0
  private var index = FootprintIndex()
  private var newcomers: [LiveSubscriber] = []
  /// Those who are told that there is a new version, by negative numbers.
  private var watches: [Int32: (body: @Sendable () -> Void, footprint: FootprintIndex.Entry)] = [:]
  /// The versions that watches have looked at when they said what they look at; nil for those that have not yet.
  private var narrowed: [(number: Int32, snapshot: Snapshot?)] = []
  /// Those who are told of all changes.
  var listeners = ChangeListeners()
  /// The version that was looked at last, and the number of its last transaction.
  private var seen: Snapshot?
  private var version: Int64 = 0
  /// The changes that listeners were told of since that version.
  private var told: [ChangeSet] = []
  private var toldBytes = 0
  /// The number of the last transaction whose changes were looked up.
  private var covered: Int64 = 0
  /// Those who are to be told later.
  private var later: [ObjectIdentifier: (time: UInt64, subscriber: LiveSubscriber)] = [:]
  private var ticking: Set<Int32> = []
  private var isFollowing = false
  private var lastLook: UInt64 = 0
  /// Indicates whether the last transactions concerned nobody, and others are likely to follow.
  private(set) var isQuiet = false
  /// Bytes that questions hold beside answers.
  private var bytes = 0
  /// Bytes of answers that questions and subscribers hold.
  private let answers = HeldBytes()
  /// The changes since the look before.
  private var changes = LiveChanges()
  private var buffer = ByteBuffer(capacity: 4096)
  /// Nanoseconds between two looks at a file that others write to.
  private static let followingInterval: UInt64 = 10_000_000
  /// Bytes of changes that are held for listeners.
  private static let mostTold = 4 << 20
  /// Transactions after which a version is looked at though they concern nobody.
  private static let mostUnseen: Int64 = 1024

  /// When there is something to do, though nobody has written; nil for never.
  var deadline: UInt64? {
    var result = later.values.reduce(UInt64.max) { min($0, $1.time) }
    for number in ticking { if let question = questions[number] { result = min(result, question.nextTick) } }
    if isFollowing { result = min(result, lastLook &+ Self.followingInterval) }
    return result == .max ? nil : result
  }

  /// Begins with a version, with which later ones are compared.
  mutating func begin(with start: (snapshot: Snapshot, version: Int64)) {
    if seen != nil { return }
    (seen, version, covered) = (start.snapshot, start.version, start.version)
  }

  /// Takes those who come and go.
  mutating func take(
    _ coming: [LiveSubscriber], _ leaving: [LiveSubscriber],
    _ watching: [(number: UInt64, watch: CommitWatchers.Watch?)]
  ) {
    for (number, watch) in watching { take(-Int32(truncatingIfNeeded: number & 0x3FFF_FFFF) - 1, watch) }
    newcomers += coming
    for subscriber in leaving { remove(subscriber) }
  }

  private mutating func take(_ number: Int32, _ watch: CommitWatchers.Watch?) {
    var entry = watches[number]?.footprint ?? FootprintIndex.Entry()
    guard let watch else {
      index.remove(&entry, of: number)
      watches[number] = nil
      return
    }
    index.replace(&entry, of: number, by: watch.dependence?.footprint ?? .everything)
    watches[number] = (watch.body, entry)
    narrowed.append((number, watch.dependence?.snapshot))
  }

  private mutating func remove(_ subscriber: LiveSubscriber) {
    later[ObjectIdentifier(subscriber)] = nil
    guard let number = subscriber.question, let question = questions[number] else { return }
    question.subscribers.removeAll { $0 === subscriber }
    if !question.subscribers.isEmpty { return }
    index.remove(&question.footprint, of: number)
    bytes -= question.bytes
    questions[number] = nil
    numbers[question.key] = nil
    ticking.remove(number)
  }

  // MARK: - Looking

  /// Finds what may have another answer, and runs it on the newest version.
  ///
  /// - Parameter noted: Takes what was noted of the commits up to a version.
  mutating func look(at database: Database, _ noted: (_ version: Int64) -> LiveNews) {
    let news = noted(.max)
    isFollowing = database.committer?.following != nil || database.editing?.isWrittenElsewhere ?? false
    let failure = Self.refresh(database)
    lastLook = MonotonicClock.now
    isQuiet = false
    defer { changes = LiveChanges() }
    var hits: Set<Int32> = []
    var isRead = read(news, &hits)
    for number in ticking { if let question = questions[number], question.nextTick <= lastLook { hits.insert(number) } }
    // A version is not made for changes that concern nobody: who writes would have to copy what it holds.
    if isRead, hits.isEmpty, newcomers.isEmpty, narrowed.isEmpty, !isFollowing, covered - version < Self.mostUnseen,
      toldBytes < Self.mostTold, !listeners.hasNewcomers
    {
      isQuiet = !news.commits.isEmpty
      return
    }
    let (newest, number) = NewestVersion(database: database).known
    // Listeners want to know what a row was just before it went, which those commits say that were noted meanwhile.
    if isRead, number > covered, !listeners.isEmpty { isRead = read(noted(number), &hits) }
    let isNew = seen !== newest
    // A branch that was read again may have other data under the same number.
    if let seen, isNew, !isRead || number != covered || isFollowing { compare(newest, with: seen, &hits) }
    seen = newest
    (told, toldBytes) = ([], 0)
    // After the version is known with which later ones are compared.
    listeners.greet()
    version = number
    covered = number
    // Whoever has looked at another version, or not yet, may have missed what has come since.
    for (number, snapshot) in narrowed where snapshot !== newest { hits.insert(number) }
    narrowed.removeAll()
    for number in hits where number < 0 { watches[number]?.body() }
    for number in hits { if let question = questions[number] { run(question, newest, database) } }
    admit(newest, database)
    if let failure { fail(failure) }
  }

  /// Returns the newest version, and the number of its last transaction.
  static func newest(of database: Database) -> (snapshot: Snapshot, version: Int64) {
    _ = refresh(database)
    return NewestVersion(database: database).known
  }

  /// Reads what others have kept. Where it cannot be read, what is there is seen. Returns the error after which nothing
  /// new will be.
  private static func refresh(_ database: Database) -> QueryError? {
    do throws(QueryError) {
      if let editing = database.editing { try editing.refresh(database) } else { try database.refresh() }
    } catch {
      if ["storage-changed", "unknown-branch"].contains(error.problems.first?.code) { return error }
    }
    return nil
  }

  /// Looks up the changes of commits. Returns whether these are all that there are.
  private mutating func read(_ news: LiveNews, _ hits: inout Set<Int32>) -> Bool {
    guard let seen else { return false }
    var last = seen
    for commit in news.commits {
      switch commit {
      case .changes(let changes, let version) where version > covered:
        guard version == covered + 1, index.find(changes, from: last, into: &hits) else { return false }
        covered = version
        self.changes.add(changes)
        if listeners.isEmpty { continue }
        listeners.tell(changes, version)
        told.append(changes)
        toldBytes += changes.bytes.count
      case .snapshot(let snapshot, let version) where version > covered:
        // Looked at like the newest one.
        compare(snapshot, with: last, &hits)
        (last, self.seen, self.version, covered) = (snapshot, snapshot, version, version)
        (told, toldBytes) = ([], 0)
      default: continue
      }
    }
    // What is unknown has come after what is known.
    return !news.isUnknown
  }

  /// Looks up what differs between two versions.
  private mutating func compare(_ newest: Snapshot, with seen: Snapshot, _ hits: inout Set<Int32>) {
    if seen.catalog.version == newest.catalog.version, newest.hasLayout(of: seen) {
      let changes = newest.changes(since: seen)
      self.changes.add(changes)
      if !listeners.isEmpty { listeners.tell(told.isEmpty ? changes : rest(of: newest, since: seen), nil) }
      if index.find(changes, from: seen, into: &hits) { return }
    } else {
      changes.forget()
      listeners.tell(nil, nil)
    }
    // Of another schema nothing is known.
    hits = Set(questions.keys).union(watches.keys)
  }

  /// Returns what listeners have not been told of; nil for anything.
  private func rest(of newest: Snapshot, since seen: Snapshot) -> ChangeSet? {
    let transaction = WriteTransaction(seen, fold: foldText)
    do throws(ChangeProblem) {
      for changes in told { try transaction.apply(changes) }
    } catch {
      return nil
    }
    return newest.changes(since: transaction.snapshot(compacting: false))
  }

  /// Takes in those who have come.
  private mutating func admit(_ newest: Snapshot, _ database: Database) {
    if newcomers.isEmpty { return }
    let coming = newcomers
    newcomers.removeAll()
    for subscriber in coming where !subscriber.isOver {
      let key = Key(
        text: subscriber.query.text, operation: subscriber.query.operation, variables: subscriber.variables)
      if let number = numbers[key], let question = questions[number] {
        subscriber.question = number
        question.subscribers.append(subscriber)
        if var state = question.state {
          state.version = version
          offer(state, to: subscriber)
        }
        continue
      }
      lastNumber &+= 1
      let question = Question(lastNumber, key, subscriber.query)
      numbers[key] = lastNumber
      questions[lastNumber] = question
      if question.tick > 0 { ticking.insert(lastNumber) }
      subscriber.question = lastNumber
      question.subscribers.append(subscriber)
      run(question, newest, database)
    }
  }

  private mutating func run(_ question: Question, _ snapshot: Snapshot, _ database: Database) {
    let limits = database.limits
    if question.tick > 0 { question.nextTick = lastLook &+ question.tick }
    if change(question, snapshot, limits) {
      database.live.changedLists.wrappingAdd(1, ordering: .relaxed)
      return
    }
    buffer.removeAll()
    var footprint: Footprint?
    var content: LiveState.Content
    do throws(QueryError) {
      footprint = try question.query.answerWithFootprint(
        question.key.variables, on: snapshot, into: &buffer, &question.basis, &question.list)
      if case .answer(let last)? = question.state?.content, isAnswer(last.bytes) {
        content = .answer(last)
      } else {
        content = .answer(HeldAnswer(buffer.withUnsafeBytes { [UInt8]($0) }, countedIn: answers))
      }
    } catch {
      footprint = question.query.footprintOfFailure(question.key.variables, on: snapshot)
      content = .error(error)
    }
    tell(question, content, nil, footprint, limits)
    if buffer.count > ReusableBuffer.keptBytes { buffer.removeAll(keeping: ReusableBuffer.keptBytes) }
  }

  /// Finds the next answer of a flat list from the last one, and from the entities that have changed. Returns whether it
  /// could be found so.
  private mutating func change(_ question: Question, _ snapshot: Snapshot, _ limits: QueryLimits) -> Bool {
    guard var list = question.list, case .answer(let last)? = question.state?.content,
      list.executable.plan.query.catalogVersion == snapshot.catalog.version,
      let rows = changes.rows(of: list.plan.query.type, readingAlso: list.plan.query.others)
    else { return false }
    let step = list.change(
      last.bytes, rows, on: snapshot, RunOptions().runLimits(of: question.query.document),
      makesPatch: question.subscribers.contains { $0.isDifferential })
    let content: LiveState.Content
    var patch: LiveState.Patch?
    switch step {
    case .unknown: return false
    case .same: content = .answer(last)
    case .next(let bytes, let operations):
      let answer = HeldAnswer(bytes, countedIn: answers)
      content = .answer(answer)
      patch = operations.map { LiveState.Patch(from: last, operations: $0) }
    }
    let trace = LevelTrace(selections: 1)
    list.rows.withUnsafeBufferPointer { trace.note(0, $0) }
    let footprint = question.query.footprint(
      list.executable, list.parameters, trace, on: snapshot, question.basis, &question.basis)
    question.list = list
    tell(question, content, patch, footprint, limits)
    return true
  }

  /// Tells what a question has come to, if that is something else.
  private mutating func tell(
    _ question: Question, _ found: LiveState.Content, _ patch: LiveState.Patch?, _ footprint: Footprint?,
    _ limits: QueryLimits
  ) {
    var content = found
    if let footprint { index.replace(&question.footprint, of: question.number, by: footprint) }
    let held = question.footprint.byteCount + (question.list?.byteCount ?? 0)
    bytes += held - question.bytes
    question.bytes = held
    if case .answer(let answer) = content, bytes + answers.value - lastBytes(question, answer) > limits.liveBytes {
      content = .error(LiveNotifier.limitExceeded("live-bytes", limits.liveBytes))
      dropList(of: question)
    }
    if let last = question.state?.content, last.isSame(as: content) { return }
    let state = LiveState(version: version, content: content, patch: patch)
    question.state = state
    // Who comes later has taken none.
    question.state?.patch = nil
    for subscriber in question.subscribers { offer(state, to: subscriber) }
  }

  private mutating func dropList(of question: Question) {
    let held = question.list?.byteCount ?? 0
    bytes -= held
    question.bytes -= held
    question.list = nil
  }

  /// The bytes of a question's last answer, which makes way for another one.
  private func lastBytes(_ question: Question, _ answer: HeldAnswer) -> Int {
    guard case .answer(let last)? = question.state?.content, last !== answer else { return 0 }
    return last.bytes.count
  }

  /// Tells everybody an error, once, after which nothing new will be seen.
  private mutating func fail(_ error: QueryError) {
    let state = LiveState(version: version, content: .error(error))
    for question in questions.values {
      if case .error(error)? = question.state?.content { continue }
      question.state = state
      dropList(of: question)
      for subscriber in question.subscribers {
        subscriber.noteEnd()
        offer(state, to: subscriber)
      }
    }
  }

  /// Indicates whether bytes are those of the answer that was just written.
  private func isAnswer(_ bytes: [UInt8]) -> Bool {
    buffer.withUnsafeBytes { written in
      bytes.withUnsafeBytes { last in
        guard written.count == last.count, let left = written.baseAddress, let right = last.baseAddress else {
          return written.count == last.count
        }
        return memcmp(left, right, last.count) == 0
      }
    }
  }

  // MARK: - Telling

  private mutating func offer(_ state: LiveState, to subscriber: LiveSubscriber) {
    if let time = subscriber.offer(state) { later[ObjectIdentifier(subscriber)] = (time, subscriber) }
  }

  /// Tells those for whom it was too early.
  mutating func tell() {
    if later.isEmpty { return }
    let now = MonotonicClock.now
    let due = later.filter { $0.value.time <= now }
    for (key, entry) in due {
      let time = entry.subscriber.tell()
      later[key] = time.map { ($0, entry.subscriber) }
    }
  }
}

extension PreparedQuery {
  /// The text, which names the operation together with its number.
  fileprivate var text: [UInt8] { ownSource.bytes }
}

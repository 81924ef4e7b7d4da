import GQLBase
import GQLStore

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
    var state: LiveState?
    /// Bytes that it holds.
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
  /// The version that was looked at last, and the number of its last transaction.
  private var seen: Snapshot?
  private var version: Int64 = 0
  /// Those who are to be told later.
  private var later: [(time: UInt64, subscriber: LiveSubscriber)] = []
  private var ticking: Set<Int32> = []
  private var isFollowing = false
  private var lastLook: UInt64 = 0
  private var bytes = 0
  private var buffer = ByteBuffer(capacity: 4096)
  /// Nanoseconds between two looks at a file that others write to.
  private static let followingInterval: UInt64 = 10_000_000

  /// When there is something to do, though nobody has written; nil for never.
  var deadline: UInt64? {
    var result = later.reduce(UInt64.max) { min($0, $1.time) }
    for number in ticking { if let question = questions[number] { result = min(result, question.nextTick) } }
    if isFollowing { result = min(result, lastLook &+ Self.followingInterval) }
    return result == .max ? nil : result
  }

  /// Takes those who come and go.
  mutating func take(_ coming: inout [LiveSubscriber], _ leaving: inout [LiveSubscriber]) {
    newcomers += coming
    coming.removeAll()
    for subscriber in leaving { remove(subscriber) }
    leaving.removeAll()
  }

  private mutating func remove(_ subscriber: LiveSubscriber) {
    newcomers.removeAll { $0 === subscriber }
    later.removeAll { $0.subscriber === subscriber }
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

  /// Looks at the newest version, and runs what may have another answer. Returns whether it is another version.
  mutating func look(at database: Database) -> Bool {
    isFollowing = database.followsOthers
    lastLook = MonotonicClock.now
    let (newest, number) = database.look()
    let isNew = seen !== newest
    var hits: Set<Int32> = []
    if let seen, isNew {
      if seen.catalog.version != newest.catalog.version || !newest.hasLayout(of: seen)
        || !index.find(newest.changes(since: seen), from: seen, into: &hits)
      {
        // Of another schema nothing is known.
        hits = Set(questions.keys)
      }
    }
    seen = newest
    version = number
    for number in ticking {
      guard let question = questions[number], question.nextTick <= lastLook else { continue }
      hits.insert(number)
    }
    let limits = database.limits
    for number in hits { if let question = questions[number] { run(question, newest, limits) } }
    admit(newest, limits)
    return isNew
  }

  /// Takes in those who have come.
  private mutating func admit(_ newest: Snapshot, _ limits: QueryLimits) {
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
      run(question, newest, limits)
    }
  }

  private mutating func run(_ question: Question, _ snapshot: Snapshot, _ limits: QueryLimits) {
    if question.tick > 0 { question.nextTick = lastLook &+ question.tick }
    buffer.removeAll()
    var footprint = Footprint()
    var content: LiveState.Content
    var isSame = false
    do throws(QueryError) {
      try question.query.answerWithFootprint(question.key.variables, on: snapshot, into: &buffer, &footprint)
      if case .answer(let last)? = question.state?.content, isAnswer(last) {
        isSame = true
        content = .answer(last)
      } else {
        content = .answer(buffer.withUnsafeBytes { [UInt8]($0) })
      }
    } catch {
      if case .error(let last)? = question.state?.content { isSame = last == error }
      content = .error(error)
    }
    index.replace(&question.footprint, of: question.number, by: footprint)
    var held = question.footprint.byteCount
    if case .answer(let bytes) = content { held += bytes.count }
    if bytes - question.bytes + held > limits.liveBytes {
      content = .error(LiveNotifier.limitExceeded("live-bytes", limits.liveBytes))
      if case .error? = question.state?.content { isSame = true } else { isSame = false }
      held = question.footprint.byteCount
    }
    bytes += held - question.bytes
    question.bytes = held
    if isSame { return }
    let state = LiveState(version: version, content: content)
    question.state = state
    for subscriber in question.subscribers { offer(state, to: subscriber) }
    if buffer.count > ReusableBuffer.keptBytes { buffer.removeAll(keeping: ReusableBuffer.keptBytes) }
  }

  /// Indicates whether bytes are those of the answer that was just written.
  private func isAnswer(_ bytes: [UInt8]) -> Bool {
    buffer.withUnsafeBytes { written in
      bytes.withUnsafeBytes { written.count == $0.count && written.elementsEqual($0) }
    }
  }

  // MARK: - Telling

  private mutating func offer(_ state: LiveState, to subscriber: LiveSubscriber) {
    if let time = subscriber.offer(state) { later.append((time, subscriber)) }
  }

  /// Tells those for whom it was too early.
  mutating func tell() {
    if later.isEmpty { return }
    let now = MonotonicClock.now
    let due = later.filter { $0.time <= now }
    if due.isEmpty { return }
    later.removeAll { $0.time <= now }
    for (_, subscriber) in due { if let time = subscriber.tell() { later.append((time, subscriber)) } }
  }
}

extension PreparedQuery {
  /// The text, which names the operation together with its number.
  fileprivate var text: [UInt8] { ownSource.bytes }
}

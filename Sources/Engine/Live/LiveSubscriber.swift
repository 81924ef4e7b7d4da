import GQLBase
import Synchronization

/// An answer of a live query, or why there is none, at one version.
struct LiveState: Sendable {
  enum Content: Sendable {
    case answer(HeldAnswer)
    case error(QueryError)

    /// Indicates whether it is the same answer, or an equal error.
    func isSame(as other: Content) -> Bool {
      switch (self, other) {
      case (.answer(let left), .answer(let right)): left === right
      case (.error(let left), .error(let right)): left == right
      default: false
      }
    }
  }
  /// The operations that lead from an answer to this one.
  struct Patch: Sendable {
    let from: HeldAnswer
    let operations: [UInt8]
  }
  var version: Int64
  var content: Content
  /// The way here from the answer before, where it is known.
  var patch: Patch?
}

/// Somebody who is told of the answers of a question.
///
/// It has one place, for the newest answer: who is slow takes fewer of them, and never finds a queue.
final class LiveSubscriber: Sendable {
  private struct Place {
    /// The newest state, where it was not taken yet.
    var newest: LiveState?
    /// The answer that was taken last.
    var taken: HeldAnswer?
    /// The error that was taken after it.
    var error: QueryError?
    /// The moment of the monotonic clock before which nothing is told.
    var earliest: UInt64 = 0
    var isOver = false
    var waiting: CheckedContinuation<Void, Never>?
  }
  /// Something that is taken, and what was taken before it.
  private struct Taken {
    var state: LiveState
    /// The answer that a patch leads from; nil where the whole answer is told.
    var last: HeldAnswer?
  }

  let query: PreparedQuery
  let variables: [String: Value]
  let isDifferential: Bool
  /// Nanoseconds between two events.
  private let interval: UInt64
  /// Called on the notifier's thread; nil for one that takes events by itself.
  private let body: (@Sendable (LiveEvent) -> Void)?
  private let place = Lock(Place())
  /// The question that it has asked, by number. Used by the notifier's thread only.
  private let asked = Atomic<Int32>(-1)
  private let hasEnded = Atomic<Bool>(false)

  init(
    _ query: PreparedQuery, _ variables: [String: Value], isDifferential: Bool, interval: UInt64,
    _ body: (@Sendable (LiveEvent) -> Void)?
  ) {
    self.query = query
    self.variables = variables
    self.isDifferential = isDifferential
    self.interval = interval
    self.body = body
  }

  var question: Int32? {
    get {
      let number = asked.load(ordering: .relaxed)
      return number < 0 ? nil : number
    }
    set { asked.store(newValue ?? -1, ordering: .relaxed) }
  }

  /// Puts an answer in its place, in that of one that was not taken.
  ///
  /// - Returns: When it is to be offered again, because it is too early now; nil where it was told, or waits for who
  ///   takes it.
  func offer(_ state: LiveState) -> UInt64? {
    place.withLock { place in
      if place.isOver { return }
      place.newest = state
      // A way from another answer than the one that was taken is of no use, and would hold that.
      if !isDifferential || place.error != nil || state.patch?.from !== place.taken { place.newest?.patch = nil }
    }
    return tell()
  }

  /// Tells what is in its place, if it is time; returns when it is to be tried again.
  func tell() -> UInt64? {
    let now = MonotonicClock.now
    if let body {
      let (taken, later) = place.withLock { take(&$0, now) }
      if let taken { body(event(taken)) }
      return later
    }
    let (waiting, later) = place.withLock { place -> (CheckedContinuation<Void, Never>?, UInt64?) in
      if place.newest == nil { return (nil, nil) }
      if now < place.earliest { return (nil, place.earliest) }
      // Who comes later takes it without being told.
      defer { place.waiting = nil }
      return (place.waiting, nil)
    }
    waiting?.resume()
    return later
  }

  /// Takes what is in the place, if it is time and somebody has not taken the like; else returns when it is time.
  private func take(_ place: inout Place, _ now: UInt64) -> (Taken?, UInt64?) {
    guard !place.isOver, let state = place.newest else { return (nil, nil) }
    if now < place.earliest { return (nil, place.earliest) }
    place.newest = nil
    var taken = Taken(state: state)
    switch state.content {
    case .answer(let answer):
      if place.error == nil, let last = place.taken, last === answer || last.bytes == answer.bytes {
        // One of two that are equal is enough.
        place.taken = answer
        return (nil, nil)
      }
      if isDifferential, place.error == nil { taken.last = place.taken }
      place.taken = answer
      place.error = nil
    case .error(let error):
      if place.error == error { return (nil, nil) }
      place.error = error
    }
    place.earliest = now &+ interval
    return (taken, nil)
  }

  private func event(_ taken: Taken) -> LiveEvent {
    let content: LiveEvent.Content =
      switch taken.state.content {
      case .error(let error): .error(error)
      case .answer(let answer):
        if let last = taken.last {
          if let patch = taken.state.patch, patch.from === last {
            .patch(JSONPatch(utf8: patch.operations))
          } else {
            .patch(JSONPatch(utf8: JSONDifference.patch(from: last.bytes, to: answer.bytes)))
          }
        } else {
          .answer(Answer(utf8: answer.bytes, version: taken.state.version))
        }
      }
    return LiveEvent(version: taken.state.version, content: content)
  }

  // MARK: - Who takes by itself

  /// Returns what is to be told now; nil for nothing.
  func take() -> LiveEvent? { place.withLock { take(&$0, MonotonicClock.now).0 }.map { event($0) } }

  /// Returns the next event; nil once it is over.
  func next() async -> LiveEvent? {
    while true {
      let (taken, isOver) = place.withLock { (take(&$0, MonotonicClock.now).0, $0.isOver) }
      if let taken { return event(taken) }
      if isOver { return nil }
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        // Where two wait, the first one looks again.
        let resumed = place.withLock { place -> CheckedContinuation<Void, Never>? in
          let isReady = place.newest != nil && place.earliest <= MonotonicClock.now
          if place.isOver || isReady { return continuation }
          defer { place.waiting = continuation }
          return place.waiting
        }
        resumed?.resume()
      }
    }
  }

  /// Notes that nothing new will be seen after the next error, because the file or the branch is gone.
  func noteEnd() { hasEnded.store(true, ordering: .relaxed) }

  /// Indicates whether that is so, and was told.
  var isAtEnd: Bool { hasEnded.load(ordering: .relaxed) && place.withLock { $0.newest == nil } }

  /// Ends it: nothing more is told, and who waits goes on. Returns whether it had not ended before.
  func end() -> Bool {
    let (waiting, isFirst) = place.withLock { place -> (CheckedContinuation<Void, Never>?, Bool) in
      let isFirst = !place.isOver
      place.isOver = true
      place.newest = nil
      place.taken = nil
      defer { place.waiting = nil }
      return (place.waiting, isFirst)
    }
    waiting?.resume()
    return isFirst
  }

  var isOver: Bool { place.withLock { $0.isOver } }
}

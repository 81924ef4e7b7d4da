/// The events of a live query: its answer now, and then each that differs from the one before.
///
/// Each iterator subscribes when it is made, and ends when it is released or its task is cancelled. What is committed
/// while an event is looked at comes as one. ``LiveEvent/error`` is an event like others, after which the query goes on.
public struct LiveEvents: AsyncSequence, Sendable {
  /// An event.
  public typealias Element = LiveEvent
  /// Nothing: errors are events.
  public typealias Failure = Never

  typealias Subscribing = @Sendable () throws(QueryError) -> LiveSubscription

  /// The subscription that shows whether there may be one; nil once the first iterator has it.
  private let first: Lock<LiveSubscription?>
  private let subscribe: Subscribing

  init(_ first: LiveSubscription, subscribe: @escaping Subscribing) {
    self.first = Lock(first)
    self.subscribe = subscribe
  }

  /// Begins to follow the query.
  public func makeAsyncIterator() -> Iterator {
    let known = first.withLock { first in
      defer { first = nil }
      return first
    }
    if let known { return Iterator(known) }
    do throws(QueryError) { return Iterator(try subscribe()) } catch { return Iterator(nil, failure: error) }
  }

  /// An iterator over the events of a live query.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: LiveSubscription?
    /// Why there is no subscription, as long as nobody was told.
    private var failure: QueryError?

    init(_ subscription: LiveSubscription?, failure: QueryError? = nil) {
      self.subscription = subscription
      self.failure = failure
    }

    /// Returns the next event; nil once the task is cancelled.
    public mutating func next() async -> LiveEvent? { await next(isolation: nil) }

    /// Returns the next event, without leaving the actor; nil once the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> LiveEvent? {
      guard let subscription else {
        defer { failure = nil }
        return failure.map { LiveEvent(version: 0, content: .error($0)) }
      }
      return await withTaskCancellationHandler {
        await subscription.subscriber.next()
      } onCancel: {
        subscription.cancel()
      }
    }
  }
}

/// A subscription to a live query. It ends when it is cancelled or released.
public final class LiveSubscription: Sendable {
  let subscriber: LiveSubscriber
  private let notifier: LiveNotifier

  init(_ subscriber: LiveSubscriber, _ notifier: LiveNotifier) {
    self.subscriber = subscriber
    self.notifier = notifier
  }

  deinit { cancel() }

  /// Takes what is to be told now; nil for nothing.
  package func take() -> LiveEvent? { subscriber.take() }

  /// Indicates whether nothing new will be told, because the file or the branch that is followed is gone.
  package var isAtEnd: Bool { subscriber.isAtEnd }

  /// Ends the subscription. An event that is being told meanwhile may be the last.
  public func cancel() {
    if subscriber.end() { notifier.remove(subscriber) }
  }
}

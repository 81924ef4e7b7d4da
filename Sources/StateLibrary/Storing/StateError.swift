import GQLBase
import GQLModels
import GQLStore

/// A reason why a database has not done what an object of a model was set to.
///
/// Properties cannot throw: the value stays as it was, and the error is reported to ``StateErrors``.
public struct StateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stable name of the kind of error.
  public var code: String
  /// One sentence of cause.
  public var message: String
  /// The value that it is about, if it is about one.
  public var path: Path?

  /// An error.
  public init(code: String, _ message: String, _ path: Path? = nil) {
    (self.code, self.message, self.path) = (code, message, path)
  }

  /// The cause with its code and path.
  public var description: String { "\(code): \(message)\(path.map { " \($0)" } ?? "")" }
}

/// A list of the errors that a database could not throw.
public final class StateErrors: Sendable {
  private struct State {
    var recent: [StateError] = []
    var count = 0
    var handler: (@Sendable (StateError) -> Void)?
  }
  /// The errors that are kept.
  private static let mostKept = 100
  private let state = Guarded(State())

  init() {}

  /// The last hundred errors, in order.
  public var recent: [StateError] { state.withLock { $0.recent } }
  /// The last error.
  public var last: StateError? { state.withLock { $0.recent.last } }
  /// The number of errors so far.
  public var count: Int { state.withLock { $0.count } }

  /// A closure that is called with each error, by the thread that has met it.
  public var handler: (@Sendable (StateError) -> Void)? {
    get { state.withLock { $0.handler } }
    set { state.withLock { $0.handler = newValue } }
  }

  func report(_ error: StateError) {
    let handler = state.withLock { state in
      if state.recent.count == Self.mostKept { state.recent.removeFirst() }
      state.recent.append(error)
      state.count += 1
      return state.handler
    }
    handler?(error)
  }
}

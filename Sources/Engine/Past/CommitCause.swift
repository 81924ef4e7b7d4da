import GQLBase
import Synchronization

/// A cause of a commit: who has made it, and what it has taken back.
package struct CommitCause: Sendable, Hashable {
  /// A name of who has made it; nil where none was given.
  package var origin: String?
  /// The versions that it has taken back whole, where it has done nothing else.
  package var undone: [Int64]
  /// Other versions of which it has taken something back. Not kept.
  var touched: [Int64] = []

  package init(origin: String? = nil, undone: [Int64] = []) {
    self.origin = origin
    self.undone = undone
  }

  /// Indicates whether anything is known.
  package var isKnown: Bool { origin != nil || !undone.isEmpty }

  /// The bytes that it takes beside a commit.
  var byteCount: Int { (origin?.utf8.count ?? 0) + undone.count * 8 }

  /// The bytes that an origin has at most: each commit that names it holds it.
  private static let mostBytes = 1024

  /// Refuses an origin that is too long.
  static func check(origin: String?) throws(QueryError) {
    guard let count = origin?.utf8.count, count > mostBytes else { return }
    throw QueryError(
      code: "limit-exceeded", "the origin has \(count) bytes, and may have \(mostBytes)", help: "take a short name")
  }
}

/// The cause that the one writer names for the changes that it makes, read by whatever makes commits of them.
///
/// A writer that names none looks at a flag.
final class NamedCause: Sendable {
  private let isNamed = Atomic<Bool>(false)
  private let cause = Lock<CommitCause>(CommitCause())

  /// The cause that is named now.
  var current: CommitCause { isNamed.load(ordering: .relaxed) ? cause.withLock { $0 } : CommitCause() }

  /// Runs `body`, whose commits have an origin; nil leaves what is named. Called by the one writer.
  func naming<Output, Failure: Error>(
    _ origin: String?, _ body: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    guard let origin else { return try body() }
    var next = current
    next.origin = origin
    return try with(next, body)
  }

  /// Runs `body`, whose commit takes versions back; none leave what is named. Called by the one writer.
  ///
  /// - Parameter touched: Versions of which it takes something back, beside other changes or not all.
  func undoing<Output, Failure: Error>(
    _ versions: [Int64], touching touched: [Int64] = [], _ body: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    if versions.isEmpty, touched.isEmpty { return try body() }
    var next = CommitCause(origin: current.origin, undone: versions)
    next.touched = touched
    return try with(next, body)
  }

  private func with<Output, Failure: Error>(
    _ next: CommitCause, _ body: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    let before = current
    set(next)
    defer { set(before) }
    return try body()
  }

  private func set(_ next: CommitCause) {
    cause.withLock { $0 = next }
    isNamed.store(next.isKnown || !next.touched.isEmpty, ordering: .relaxed)
  }
}

import GQLBase
import Synchronization

/// The origin that the one writer names for the changes that it makes, read by whatever makes commits of them.
///
/// A writer that names none looks at a flag.
final class NamedOrigin: Sendable {
  /// The bytes that an origin has at most: each commit that names it holds it.
  private static let mostBytes = 1024

  /// Refuses an origin that is too long.
  static func check(_ origin: String?) throws(QueryError) {
    guard let count = origin?.utf8.count, count > mostBytes else { return }
    throw QueryError(
      code: "limit-exceeded", "the origin has \(count) bytes, and may have \(mostBytes)", help: "take a short name")
  }

  private let isNamed = Atomic<Bool>(false)
  private let name = Lock<String?>(nil)

  /// The origin that is named now; nil for none.
  var current: String? { isNamed.load(ordering: .relaxed) ? name.withLock { $0 } : nil }

  /// Runs `body`, whose commits have an origin; nil leaves what is named. Called by the one writer.
  func naming<Output, Failure: Error>(
    _ origin: String?, _ body: () throws(Failure) -> Output
  ) throws(Failure) -> Output {
    guard let origin else { return try body() }
    let before = current
    set(origin)
    defer { set(before) }
    return try body()
  }

  private func set(_ origin: String?) {
    name.withLock { $0 = origin }
    isNamed.store(origin != nil, ordering: .relaxed)
  }
}

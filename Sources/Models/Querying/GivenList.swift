import GQLStore

/// A list that a closure of a nested query gets: what a relation leads to from an entity, of each entity in turn.
@usableFromInline final class GivenList: Sendable {
  private struct Moment {
    let list: GivenList
    let rows: [UInt32]
    let snapshot: Snapshot
  }
  /// The lists of which queries are asked at the moment.
  @TaskLocal private static var current: [Moment] = []

  /// Its rows, where one is looked at; nil elsewhere, as in another context.
  func rows(on snapshot: Snapshot) -> [UInt32]? {
    Self.current.last { $0.list === self && $0.snapshot === snapshot }?.rows
  }

  func withRows<Result>(_ rows: [UInt32], on snapshot: Snapshot, _ body: () throws -> Result) rethrows -> Result {
    try Self.$current.withValue(
      Self.current + [Moment(list: self, rows: rows, snapshot: snapshot)], operation: body)
  }
}

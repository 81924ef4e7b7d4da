import Synchronization

/// A numbering of rows: where two versions have the same one, a row of both is the same entity.
///
/// A database gets another one where its rows get other numbers, and has none in common with other databases.
package struct RowNumbering: Sendable, Hashable {
  private static let last = Atomic<UInt64>(0)

  private let number: UInt64

  /// Makes a numbering that is like no other one.
  package init() { number = Self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}

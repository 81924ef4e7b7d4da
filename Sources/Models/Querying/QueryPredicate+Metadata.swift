import Foundation
import GQLCatalog

extension QueryPredicate {
  /// It was saved last within the range. It never holds for entities of types that keep no metadata.
  public static func updated(within range: ClosedRange<Date>) -> Self {
    let lower = (try? range.lowerBound.microseconds()) ?? .min
    let upper = (try? range.upperBound.microseconds()) ?? .max
    return Self(
      .updated(from: 0, to: 1),
      [
        Parameter(value: .dateTime(lower), type: .scalar(.dateTime)),
        Parameter(value: .dateTime(upper), type: .scalar(.dateTime)),
      ]
    ) { $1.updatedAt.map { lower <= $0 && $0 <= upper } ?? false }
  }

  /// Holds if what is known of it beside its properties is within the range: `.metadata(\.updatedAt, within: range)`.
  public static func metadata(_ path: KeyPath<EntityMetadata, Date>, within range: ClosedRange<Date>) -> Self {
    if path == \.updatedAt { return updated(within: range) }
    return Self(nil) { _, facts in
      guard let time = facts.updatedAt else { return false }
      return range.contains(EntityMetadata(updatedAt: Date(microseconds: time))[keyPath: path])
    }
  }
}

/// A record of what is known of an entity beside its properties.
public struct EntityMetadata: Sendable, Hashable {
  /// Tells when it was saved last.
  public let updatedAt: Date
}

import GQLBase

/// The version of the data that a part of an operation reads: `@asOf`.
package struct BoundMoment: Sendable, Equatable {
  /// Indicates whether the value is a version's number, or else a time.
  package var isVersion: Bool
  /// One value over parameters, as the only field.
  package var constants: BoundQuery
  /// The value's.
  package var range: SourceRange

  package init(isVersion: Bool, constants: BoundQuery, range: SourceRange) {
    self.isVersion = isVersion
    self.constants = constants
    self.range = range
  }
}

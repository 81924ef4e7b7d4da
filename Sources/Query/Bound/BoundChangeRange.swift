/// The versions or times between which a list of changes is: `_changes(from: 3, to: 812, types: [User])`.
///
/// They are part of the list's condition. A run finds out whether the list has all of these changes.
package struct BoundChangeRange: Sendable, Equatable {
  package var bounds: [BoundMoment]
  /// The names of the types, a list over parameters; nil for all.
  package var types: BoundQuery?

  package init(bounds: [BoundMoment], types: BoundQuery?) {
    self.bounds = bounds
    self.types = types
  }
}

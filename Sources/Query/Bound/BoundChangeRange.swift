/// The versions or times between which a list of changes is: `_changes(from: 3, to: 812, types: [User])`.
///
/// They are part of the list's condition. A run finds out whether the list has all of these changes.
package struct BoundChangeRange: Sendable, Equatable {
  /// One of the two moments.
  package struct Bound: Sendable, Equatable {
    package var moment: BoundMoment
    /// Indicates whether the changes lead from it, or else to it.
    package var isStart: Bool

    package init(_ moment: BoundMoment, isStart: Bool) {
      self.moment = moment
      self.isStart = isStart
    }
  }
  package var bounds: [Bound]
  /// The names of the types, a list over parameters; nil for all.
  package var types: BoundQuery?

  package init(bounds: [Bound], types: BoundQuery?) {
    self.bounds = bounds
    self.types = types
  }
}

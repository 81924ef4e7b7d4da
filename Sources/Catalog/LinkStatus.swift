/// Which links of a relation are followed: `deleted:` of a selection.
///
/// A link to, or of, a deleted entity that is kept is remembered with its place, for restoring.
package enum LinkStatus: Sendable, Hashable {
  /// Those between living entities.
  case live
  /// Those that lead to deleted entities.
  case deleted
  /// Both, each in its place.
  case any
}

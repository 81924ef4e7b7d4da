/// An effect of a record on a relation of its entity.
package enum LinkMode: String, Sendable, Hashable, CaseIterable {
  /// What stands without `set:`, `append:`, `remove:`: set, but append where lists are to grow.
  case assign
  case set, append, remove
}

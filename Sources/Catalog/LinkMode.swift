/// An effect of a record on a relation of its entity.
package enum LinkMode: String, Sendable, Hashable, CaseIterable {
  /// Stands without `set:`, `append:`, `remove:`: sets, but appends where lists are to grow.
  case assign
  case set, append, remove
}

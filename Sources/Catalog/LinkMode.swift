/// An effect of a record on a relation of its entity.
package enum LinkMode: String, Sendable, Hashable, CaseIterable {
  /// Stands without `set:`, `append:`, `remove:`: sets, but appends where lists are to grow.
  case assign
  case set, append, remove

  /// Compares at once: the comparison of raw values is a call that other modules cannot see into.
  @inlinable @inline(__always)
  package static func == (left: LinkMode, right: LinkMode) -> Bool {
    switch (left, right) {
    case (.assign, .assign), (.set, .set), (.append, .append), (.remove, .remove): true
    default: false
    }
  }
}

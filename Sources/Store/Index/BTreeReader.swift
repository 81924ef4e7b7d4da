/// The read side of a B-tree, over raw addresses. Valid as long as the ``Snapshot`` that gave it.
///
/// *List order*: ascending keys, or descending keys; entries with equal keys by ascending row in both directions;
/// entries whose ordered component is null behind all others in both directions. (Null components behind the ordered
/// one are the largest values, so descending walks meet them first.)
@frozen @usableFromInline package struct BTreeReader: @unchecked Sendable {
  /// Entries, those with null components included.
  @usableFromInline package var entryCount: Int { preconditionFailure() }

  /// How many entries lie within the bounds. Complexity: O(log n).
  @usableFromInline package func count(_ bounds: BTreeBounds) -> Int { preconditionFailure() }

  /// Writes the rows of the bounds in list order, from the one with number `skip` on, at most `limit`; gives how many.
  /// Complexity: O(log n + result).
  @usableFromInline package func walk(
    _ bounds: BTreeBounds, descending: Bool, skip: Int, limit: Int, into rows: UnsafeMutablePointer<UInt32>
  ) -> Int { preconditionFailure() }
}

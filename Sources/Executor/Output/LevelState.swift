import GQLStore

/// The members of one selection for all parents of a chunk, in one execution.
final class LevelState {
  @exclusivity(unchecked) var members = Expansion()
  /// Rows of the scopes around each member: scope 1 first, each as long as the members.
  @exclusivity(unchecked) var ancestors = ContiguousArray<RowBuffer.Owner>()
  /// The position, in the level above, of the parent that the first offset belongs to.
  @exclusivity(unchecked) var parentBase = 0
  /// Members below it were touched ahead of being written; `Int.max` if that does not pay.
  @exclusivity(unchecked) var warmEnd = Int.max
  /// The batch that each group of computed fields was last evaluated for.
  @exclusivity(unchecked) var batches = ContiguousArray<Batch>()

  struct Batch {
    var vectors: UnsafePointer<Vector>?
    var start = 0
    var end = 0
  }
}

extension RowBuffer {
  /// A row buffer in an array.
  final class Owner {
    @exclusivity(unchecked) var rows = RowBuffer()
  }
}

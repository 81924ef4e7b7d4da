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

  /// How deep each member of a recursion or a closure is, where that is asked for.
  @exclusivity(unchecked) var depths = RowBuffer()
  /// 1 for each member of a recursion that is on its own path already.
  @exclusivity(unchecked) var cycles = RowBuffer()
  @exclusivity(unchecked) private var madeRecursion: RecursionState?
  /// Made when first needed.
  var recursion: RecursionState {
    if let madeRecursion { return madeRecursion }
    let made = RecursionState()
    madeRecursion = made
    return made
  }
  /// Order terms of members, for their cursors.
  @exclusivity(unchecked) var cursorBatch = Batch()
  /// Where the last member that had a cursor written was found in its list.
  @exclusivity(unchecked) var cursorPlace = 0
  /// The list of an interface's field that cursors were last written for, and the row that it belongs to.
  @exclusivity(unchecked) var cursorLinks = RowBuffer()
  @exclusivity(unchecked) var cursorParent = PageLayout.noRow

  struct Batch {
    var vectors: UnsafePointer<Vector>?
    var start = 0
    var end = 0
    /// How many members the next batch of long values has.
    var next = Batch.first

    /// So few members that their values do no harm, whatever they are.
    private static let first = 8
    private static let manyBytes = 1 << 20

    /// Notes the memory that the values of a batch took, so that those of the next one do not take much more than is
    /// written between two looks at the limits.
    mutating func adapt(toBytes bytes: Int) {
      next = bytes > Self.manyBytes ? max(1, next / 4) : min(ScopeRows.batchRows, next * 4)
    }
  }
}

extension RowBuffer {
  /// A row buffer in an array.
  final class Owner {
    @exclusivity(unchecked) var rows = RowBuffer()
  }
}

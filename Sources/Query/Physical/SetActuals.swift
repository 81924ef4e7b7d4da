/// A measurement of one operator by a run, for all its elements and batches together.
package struct OperatorActuals: Sendable, Equatable {
  /// For how many elements it ran: 1 at the root, the parents of a nested set.
  package var loops: Int
  /// How many rows left it.
  package var rows: Int
  /// Its own time, where that can be told from what runs within it.
  package var nanoseconds: UInt64
  /// The most that its rows and keys took at once.
  package var bytes: Int

  package init(loops: Int = 0, rows: Int = 0, nanoseconds: UInt64 = 0, bytes: Int = 0) {
    self.loops = loops
    self.rows = rows
    self.nanoseconds = nanoseconds
    self.bytes = bytes
  }
}

/// A measurement of one set by a run, operator by operator and use by use.
package struct SetActuals: Sendable, Equatable {
  /// Lists of members, with all that makes them: access, filter, order, limit.
  package var lists = OperatorActuals()
  /// Numbers of members that were found without lists; the rows are their sum.
  package var counts = OperatorActuals()
  /// Indicates whether there are members, found without counting them; the rows are the elements that have some.
  package var tests = OperatorActuals()
  /// The rows that the access path found.
  package var access = OperatorActuals()
  /// The rows that the filter kept, and how many it looked at.
  package var filter = OperatorActuals()
  package var filtered = 0
  /// The rows that were sorted.
  package var order = OperatorActuals()
  /// The groups of a grouping over the set.
  package var groups = OperatorActuals()
  /// How often a scan or a walk found too few rows for what it had looked at.
  package var retreats = 0

  package init() {}

  /// One of the operators or uses.
  package enum Part: Sendable { case lists, counts, tests, access, filter, order, groups }

  package subscript(_ part: Part) -> OperatorActuals {
    get {
      switch part {
      case .lists: lists
      case .counts: counts
      case .tests: tests
      case .access: access
      case .filter: filter
      case .order: order
      case .groups: groups
      }
    }
    set {
      switch part {
      case .lists: lists = newValue
      case .counts: counts = newValue
      case .tests: tests = newValue
      case .access: access = newValue
      case .filter: filter = newValue
      case .order: order = newValue
      case .groups: groups = newValue
      }
    }
  }

  /// All uses together.
  package var uses: OperatorActuals {
    OperatorActuals(
      loops: lists.loops + counts.loops + tests.loops, rows: lists.rows + counts.rows + tests.rows,
      nanoseconds: lists.nanoseconds + counts.nanoseconds + tests.nanoseconds,
      bytes: max(lists.bytes, max(counts.bytes, tests.bytes)))
  }

  /// The access path, with the time that filter and order leave of all uses.
  package var measuredAccess: OperatorActuals {
    var result = access
    let rest = filter.nanoseconds + order.nanoseconds
    let total = uses.nanoseconds
    result.loops = uses.loops
    result.nanoseconds = total > rest ? total - rest : 0
    return result
  }
}

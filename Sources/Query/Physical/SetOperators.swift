import GQLCatalog

/// The operators over a set's access path, filter and order, for each use of the set.
///
/// Without more the general operators are named, which are right for every set. The others need what `PlanValidator`
/// checks.
package struct SetOperators: Sendable, Hashable {
  /// How the lists of the elements of a batch are found.
  package var lists = ListMethod.each
  /// How the page of a list is found; nil without cursors.
  package var page: PageMethod?
  /// How members are counted.
  package var count = CountMethod.lists
  /// How it is found whether there are members.
  package var exists = ExistenceMethod.count
  /// How members are put into groups, where they are grouped.
  package var groups = GroupMethod.lists

  package init(
    lists: ListMethod = .each, page: PageMethod? = nil, count: CountMethod = .lists, exists: ExistenceMethod = .count,
    groups: GroupMethod = .lists
  ) {
    self.lists = lists
    self.page = page
    self.count = count
    self.exists = exists
    self.groups = groups
  }
}

/// How the lists of a set are found for the elements of a batch.
package enum ListMethod: Sendable, Hashable, CaseIterable {
  /// Once for all elements of a run: the set depends on nothing around it.
  case shared
  /// For one element after the other.
  case each
  /// The rows of all elements are gathered, then filtered, put into order and cut together.
  case batched
  /// The slice of each element's links, without a look at the others. Needs a set without filter and order.
  case slices
  /// The first links that the filter keeps, sought in parts of the lists that grow. Needs a limit and no order.
  case firstLinks
  /// The first links in the order of a column: one end of a list whose rows ascend with it. Needs a limit, no filter.
  case topLinks
  /// The rows under the keys of all elements are found together, then filtered, put into order and cut.
  case keyed
  /// The walks of all elements take each step together as long as they share no row.
  case walks
}

/// How the page of a list between cursors is found.
package enum PageMethod: Sendable, Hashable, CaseIterable {
  /// By the ranks of the cursors in an ordered index that is walked.
  case ranks
  /// By the rank of the cursor in an ordered index of the first terms; what ties is sorted.
  case ties
  /// By the cursors' rows, from which a scan begins or at which it ends.
  case rows
  /// By comparing all members with the cursors.
  case compared
}

/// How the members of a set are counted.
package enum CountMethod: Sendable, Hashable, CaseIterable {
  /// By the access path, without rows: degrees, runs, ranks.
  case access
  /// By a scan that counts what the filter keeps, once for a run.
  case filter
  /// By finding the lists.
  case lists
}

/// How the members of a set are put into groups.
package enum GroupMethod: Sendable, Hashable, CaseIterable {
  /// By their lists.
  case lists
  /// Page by page of the table, whose columns are read where they lie. Needs a whole table at the root.
  case pages
}

/// How it is found whether a set has members.
package enum ExistenceMethod: Sendable, Hashable, CaseIterable {
  /// By counting.
  case count
  /// By the first links that the filter keeps.
  case firstLinks
  /// By the rows under the keys of all elements, which are found together.
  case keyed
  /// By the first member of one element after the other.
  case first
}
